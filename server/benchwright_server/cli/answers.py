"""`benchwright answer PACK --responses FILE`: many answers at once, as far as no judge is needed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from pydantic import JsonValue
from rich.table import Table

from benchwright_judges.judgement import Judgement
from benchwright_judges.published_scores import csbench_script_score
from benchwright_judges.score import score
from benchwright_judges.tally import tally
from benchwright_problems.atomic import write_atomically
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.responses import Response, read_responses
from benchwright_problems.store import Store
from benchwright_server.cli.output import out, writing
from benchwright_server.cli.progress import progress

_STEP = 200
"""Answers between two steps of the progress bar."""


def score_responses(pack: str, file: Path, scores: Path | None) -> dict[str, JsonValue]:
    """Score a file of answers; the summary of all of them.

    Args:
        pack: Whose questions were answered.
        file: JSON Lines of {`id`, `response`}.
        scores: Where a line for each answer goes; nowhere if not given.
    """
    store = Store(Home.find())
    public = {problem.id: problem for problem in store.public(pack).problems if problem.kind is not Kind.DESIGN}
    answers = read_responses(file, public)
    hidden = {name: store.unseal(f"{pack}/{name}") for name in {answer.problem.id for answer in answers}}
    start = time.monotonic()
    judgements = []
    by_script = []
    with progress("scoring", len(answers), "answers") as meter:
        for number, answer in enumerate(answers, 1):
            problem = hidden[answer.problem.id]
            judgements.append(score(problem, answer.text))
            by_script.append(_by_script(problem, answer.text))
            if number % _STEP == 0 or number == len(answers):
                meter.show(number, len(answers))
    seconds = time.monotonic() - start
    if scores is not None:
        lines = "".join(_line(*pair) for pair in zip(answers, judgements, strict=True))
        with writing(scores):
            write_atomically(scores.absolute(), lines.encode())
    given = [_Graded(*one) for one in zip((each.problem for each in answers), judgements, by_script, strict=True)]
    return {"pack": pack, **_counts(given), "seconds": round(seconds, 3), **_groups(given)}


@dataclass(frozen=True)
class _Graded:
    problem: Problem
    judgement: Judgement
    by_script: float | None
    """What CS-Bench's own script gives."""


def _by_script(problem: Problem, text: str) -> float | None:
    question, key = problem.public.question, problem.hidden.answer
    return csbench_script_score(question, text, key) if question and key else None


def print_summary(summary: Mapping[str, JsonValue]) -> None:
    """Show a summary to people."""
    shares = {"accuracy": "accuracy", "of readable": "accuracy_of_readable", "CS-Bench's script": "csbench_script"}
    table = Table("", "answers", "right", "wrong", "unreadable", "empty", "pending", *shares, box=None)
    rows: list[tuple[str, JsonValue]] = [("all", dict(summary))]
    for name in ("format", "language", "domain"):
        group = summary[f"by_{name}"]
        rows += [(f"{name} {value}", counts) for value, counts in group.items()] if isinstance(group, dict) else []
    for name, counts in rows:
        if isinstance(counts, dict):
            numbers = [str(counts[key]) for key in ("total", "right", "wrong", "unreadable", "empty", "pending")]
            table.add_row(name, *numbers, *(_percent(counts[key]) for key in shares.values()))
    out.print(table)


def _percent(share: JsonValue) -> str:
    return f"{share:.1%}" if isinstance(share, float) else "–"


def _groups(given: Sequence[_Graded]) -> dict[str, JsonValue]:
    groups: dict[str, dict[str, list[_Graded]]] = {"by_format": {}, "by_language": {}, "by_domain": {}}
    for one in given:
        question = one.problem.public.question
        labels = (question.format.value, question.language, question.domain) if question else ("text", "", "")
        for group, label in zip(groups.values(), labels, strict=True):
            if label:
                group.setdefault(label, []).append(one)
    return {name: {label: _counts(of) for label, of in sorted(group.items())} for name, group in groups.items()}


def _counts(given: Sequence[_Graded]) -> dict[str, JsonValue]:
    """How many of each kind, and the shares of right ones."""
    counted = tally([one.judgement for one in given])
    by_script = [one.by_script for one in given if one.by_script is not None]
    return {
        **asdict(counted),
        "accuracy": counted.accuracy,
        "accuracy_of_readable": counted.accuracy_of_readable,
        "csbench_script": round(mean(by_script), 6) if by_script else None,
    }


def _line(answer: Response, judgement: Judgement) -> str:
    row = {
        "id": answer.problem.id,
        "sample": answer.sample + 1,
        "status": judgement.status.value,
        "passed": judgement.passed,
        "score": judgement.score,
        "label": judgement.label,
        **({"metrics": judgement.metrics} if judgement.metrics else {}),
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
