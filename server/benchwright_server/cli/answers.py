"""`benchwright answer PACK --responses FILE`: many answers at once, as far as no judge is needed."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue
from rich.table import Table

from benchwright_judges.judgement import Judgement, Status
from benchwright_judges.score import score
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
    with progress("scoring", len(answers), "answers") as meter:
        for number, answer in enumerate(answers, 1):
            judgements.append(score(hidden[answer.problem.id], answer.text))
            if number % _STEP == 0 or number == len(answers):
                meter.show(number, len(answers))
    seconds = time.monotonic() - start
    if scores is not None:
        lines = "".join(_line(*pair) for pair in zip(answers, judgements, strict=True))
        with writing(scores):
            write_atomically(scores.absolute(), lines.encode())
    problems = [answer.problem for answer in answers]
    return {"pack": pack, **_counts(judgements), "seconds": round(seconds, 3), **_groups(problems, judgements)}


def print_summary(summary: Mapping[str, JsonValue]) -> None:
    """Show a summary to people."""
    table = Table("", "answers", "right", "wrong", "unreadable", "empty", "pending", "accuracy", box=None)
    rows: list[tuple[str, JsonValue]] = [("all", dict(summary))]
    for name in ("format", "language", "domain"):
        group = summary[f"by_{name}"]
        rows += [(f"{name} {value}", counts) for value, counts in group.items()] if isinstance(group, dict) else []
    for name, counts in rows:
        if isinstance(counts, dict):
            numbers = [str(counts[key]) for key in ("total", "right", "wrong", "unreadable", "empty", "pending")]
            share = counts["accuracy"]
            table.add_row(name, *numbers, f"{share:.1%}" if isinstance(share, float) else "–")
    out.print(table)


def _groups(problems: Sequence[Problem], judgements: Sequence[Judgement]) -> dict[str, JsonValue]:
    groups: dict[str, dict[str, list[Judgement]]] = {"by_format": {}, "by_language": {}, "by_domain": {}}
    for problem, judgement in zip(problems, judgements, strict=True):
        question = problem.public.question
        labels = (question.format.value, question.language, question.domain) if question else ("text", "", "")
        for group, label in zip(groups.values(), labels, strict=True):
            if label:
                group.setdefault(label, []).append(judgement)
    return {name: {label: _counts(of) for label, of in sorted(group.items())} for name, group in groups.items()}


def _counts(judgements: Sequence[Judgement]) -> dict[str, JsonValue]:
    """How many of each kind; the accuracy is the share of right ones among all but those that wait for a judge."""
    status = Counter(judgement.status for judgement in judgements)
    right = sum(judgement.passed is True for judgement in judgements)
    decided = len(judgements) - status[Status.PENDING]
    return {
        "total": len(judgements),
        "right": right,
        "wrong": status[Status.SCORED] - right,
        "unreadable": status[Status.UNREADABLE],
        "empty": status[Status.EMPTY],
        "pending": status[Status.PENDING],
        "accuracy": round(right / decided, 6) if decided else None,
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
