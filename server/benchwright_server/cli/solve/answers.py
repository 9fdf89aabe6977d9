"""Summary of many answers: counts by outcome, and the accuracy over those that are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from pydantic import JsonValue

from benchwright_foundation.number_text import percent
from benchwright_judges.agreement.published_scores import PUBLISHED
from benchwright_judges.agreement.tally import tally_reasons
from benchwright_problems.problem import Problem
from benchwright_problems.storage.responses import Response
from benchwright_problems.verdict import Reason, Verdict
from benchwright_server.cli.terminal.output import console
from benchwright_server.cli.terminal.table import TerminalTable

_COUNTS = ("total", "right", "wrong", "unreadable", "empty", "pending", "undecided")
_REASONS_SHOWN = 3
_SHARES = {
    "accuracy": "accuracy",
    "of readable": "accuracy_of_readable",
    "CS-Bench's script": "csbench_script",
    "QuArch's script": "quarch_script",
}


@dataclass(frozen=True)
class _JudgedAnswer:
    problem: Problem
    reason: Reason
    score_by_script: Mapping[str, float]
    """The scores that the papers' own scripts give, by name."""


def summarise_verdicts(responses: Sequence[Response], verdicts: Sequence[Verdict]) -> dict[str, JsonValue]:
    """The counts of all answers, and of each format, language and domain.

    Args:
        responses: Answers to problems with their hidden parts.
        verdicts: Verdicts in the same order.
    """
    given_answers = [
        _JudgedAnswer(response.problem, verdict.reason, _scores_by_script(response))
        for response, verdict in zip(responses, verdicts, strict=True)
    ]
    label_groups: dict[str, dict[str, list[_JudgedAnswer]]] = {"by_format": {}, "by_language": {}, "by_domain": {}}
    for given_answer in given_answers:
        for group, label in zip(label_groups.values(), _format_language_domain(given_answer.problem), strict=True):
            if label:
                group.setdefault(label, []).append(given_answer)
    group_counts: dict[str, JsonValue] = {
        name: {label: _counts_and_shares(group_answers) for label, group_answers in sorted(group.items())}
        for name, group in label_groups.items()
    }
    waiting_reasons = Counter(verdict.detail for verdict in verdicts if verdict.reason.waits_for_judge)
    return {**_counts_and_shares(given_answers), "waiting_because": dict(waiting_reasons.most_common()), **group_counts}


def print_summary(answer_summary: Mapping[str, JsonValue], output_folder: Path | None) -> None:
    """Show a summary to people, with what to do about answers that are not judged.

    Args:
        answer_summary: As `summarise_verdicts` makes it.
        output_folder: Folder in which the verdicts were written; None if they were not.
    """
    table = TerminalTable("", "answers", *_COUNTS[1:], *_SHARES)
    summary_rows: list[tuple[str, JsonValue]] = [("all", dict(answer_summary))]
    for name in ("format", "language", "domain"):
        group = answer_summary[f"by_{name}"]
        summary_rows += (
            [(f"{name} {value}", counts) for value, counts in group.items()] if isinstance(group, dict) else []
        )
    for name, counts in summary_rows:
        if isinstance(counts, dict):
            numbers = [str(counts[key]) for key in _COUNTS]
            table.add_row(name, *numbers, *(_percent_or_unknown(counts[key]) for key in _SHARES.values()))
    table.print_rows()
    console.print(f"Accuracy is the share of right answers among the {answer_summary['judged']} that are judged.")
    if answer_summary["pending"]:
        console.print(
            f"Answers that wait for a judge: {answer_summary['pending']}. `benchwright judge pending` lists them; "
            "once they"
            " are judged, the same command counts them.",
            soft_wrap=True,
        )
        _print_reasons(answer_summary["waiting_because"])
    if answer_summary["undecided"]:
        notice = f"{output_folder / 'verdicts.jsonl'} says why" if output_folder else "--out DIR writes the reasons"
        console.print(f"Undecided answers: {answer_summary['undecided']}; {notice}.", markup=False, soft_wrap=True)


def _print_reasons(reason_counts: JsonValue) -> None:
    reasons = [*reason_counts.items()] if isinstance(reason_counts, dict) else []
    for reason, count in reasons[:_REASONS_SHOWN]:
        console.print(f"  {count}: {reason}", markup=False, highlight=False, soft_wrap=True)
    if (other_count := len(reasons) - _REASONS_SHOWN) > 0:
        console.print(f"  Other reasons: {other_count}. `--out DIR` writes the reason of every answer.")


def _scores_by_script(response: Response) -> Mapping[str, float]:
    question, key = response.problem.public.question, response.problem.hidden.answer
    if question is None or key is None:
        return {}
    scores = {name: script_score(question, response.text, key) for name, script_score in PUBLISHED.items()}
    return {name: script_score for name, script_score in scores.items() if script_score is not None}


def _format_language_domain(problem: Problem) -> tuple[str, str, str]:
    question = problem.public.question
    return (question.format.value, question.language, question.domain) if question else (problem.kind.value, "", "")


def _counts_and_shares(judged_answers: Sequence[_JudgedAnswer]) -> dict[str, JsonValue]:
    """The number of each kind, and the shares of right ones."""
    answer_tally = tally_reasons(given_answer.reason for given_answer in judged_answers)
    by_script = {
        name: [answer.score_by_script[name] for answer in judged_answers if name in answer.score_by_script]
        for name in PUBLISHED
    }
    return {
        **asdict(answer_tally),
        "judged": answer_tally.judged_count,
        "accuracy": answer_tally.accuracy,
        "accuracy_of_readable": answer_tally.accuracy_of_readable,
        **{name: round(mean(scores), 6) if scores else None for name, scores in by_script.items()},
    }


def _percent_or_unknown(share: JsonValue) -> str:
    return percent(share if isinstance(share, float) else None)
