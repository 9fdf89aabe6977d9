"""Accuracy at questions of all answers and of those that can be read, and by which rules they were read."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.questions.attempts import at_questions, rows_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, Table, percent
from benchwright_judges.judgement import Method
from benchwright_problems.verdict import Reason

_UNREADABLE = frozenset({Reason.UNREADABLE.value, Reason.DECLINED.value, Reason.EMPTY.value, Reason.NO_ANSWER.value})


def read_answers(data: Dataset) -> Section | None:
    """Right, wrong and unreadable answers of each group; nothing if no question was answered."""
    groups = rows_of(at_questions(data))
    if not groups:
        return None
    found = {group: _counts(rows) for group, rows in groups.items()}
    rows: list[Sequence[Cell]] = [
        (
            group,
            one["answers"],
            one["right"],
            one["wrong"],
            one["unreadable"],
            _share(one["right"], one["answers"]),
            _share(one["right"], one["right"] + one["wrong"]),
            _share(one["by_rules"], one["right"] + one["wrong"]),
            _share(one["by_model"], one["right"] + one["wrong"]),
        )
        for group, one in found.items()
    ]
    columns = (
        "group",
        "answers",
        "right",
        "wrong",
        "unreadable",
        "accuracy",
        "accuracy of readable answers",
        "read by rules",
        "read by a model",
    )
    table = Table(
        "Answers that can be read",
        columns,
        rows,
        "Unreadable: the answer is empty, declines, names no choice, or names two. It counts as not right in the "
        "accuracy, and is left out of the accuracy of readable answers. Undecided answers are in neither.",
    )
    by_rule = (one for each in groups.values() for one in each if one.judge_method == Method.DETERMINISTIC.value)
    rules = sorted({one.judge_rubric or "rules before version 2" for one in by_rule})
    lead = ["What a group did not answer readably is not what it answered wrongly."]
    readers = sorted({one.judge_rubric for each in groups.values() for one in each if _is_by_model(one)})
    if readers:
        lead.append(
            f"What rules could not read, a model read ({', '.join(readers)}); it was shown no key, and rules scored "
            "the value that it found. Shares are of the readable answers; the rest was read by judges or people."
        )
        if len(readers) > 1:
            lead.append("The models were given different instructions: compare only what was read by the same ones.")
    if len(rules) > 1:
        lead.append(
            f"The answers were read by different rules ({', '.join(rules)}), so groups may differ for that reason "
            "alone: compare only what the same rules read."
        )
    return Section(
        "read-answers",
        "Answers that can be read",
        lead,
        (),
        [table],
        {"groups": found, "rules": rules, "readers": readers},
    )


def _counts(rows: Sequence[Observation]) -> dict[str, int]:
    right = sum(one.passed for one in rows)
    unreadable = sum(not one.passed and one.reason in _UNREADABLE for one in rows)
    readable = [one for one in rows if one.passed or one.reason not in _UNREADABLE]
    return {
        "answers": len(rows),
        "right": right,
        "wrong": len(readable) - right,
        "unreadable": unreadable,
        "by_rules": sum(one.judge_method == Method.DETERMINISTIC.value for one in readable),
        "by_model": sum(_is_by_model(one) for one in readable),
    }


def _is_by_model(row: Observation) -> bool:
    return row.judge_method == Method.READER.value


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if whole else "–"
