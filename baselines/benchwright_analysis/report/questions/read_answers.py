"""Accuracy at questions of all answers and of those that can be read, and by which rules they were read."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.questions.attempts import observations_by_group, question_attempts_by_group
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable
from benchwright_foundation.number_text import percent
from benchwright_judges.judgement import ScoringMethod
from benchwright_problems.verdict import Reason

_UNREADABLE = frozenset({Reason.UNREADABLE.value, Reason.DECLINED.value, Reason.EMPTY.value, Reason.NO_ANSWER.value})


def readable_answers_section(data: Dataset) -> Section | None:
    """Right, wrong and unreadable answers of each group; nothing if no question was answered."""
    groups = observations_by_group(question_attempts_by_group(data))
    if not groups:
        return None
    counts_by_group = {group: _answer_counts(rows) for group, rows in groups.items()}
    rows: list[Sequence[Cell]] = [
        (
            group,
            counts["answers"],
            counts["right"],
            counts["wrong"],
            counts["unreadable"],
            _percent_or_dash(counts["right"], counts["answers"]),
            _percent_or_dash(counts["right"], counts["right"] + counts["wrong"]),
            _percent_or_dash(counts["by_rules"], counts["right"] + counts["wrong"]),
            _percent_or_dash(counts["by_model"], counts["right"] + counts["wrong"]),
        )
        for group, counts in counts_by_group.items()
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
    table = SortableTable(
        "Answers that can be read",
        columns,
        rows,
        "Unreadable: the answer is empty, declines, or nobody read one value in it. It counts as not right in the "
        "accuracy, and is left out of the accuracy of readable answers. Undecided answers are in neither.",
    )
    by_rule = (
        observation
        for observations in groups.values()
        for observation in observations
        if observation.judge_method == ScoringMethod.DETERMINISTIC.value
    )
    rules = sorted({observation.judge_rubric or "rules before version 2" for observation in by_rule})
    lead = ["What a group did not answer readably is not what it answered wrongly."]
    readers = sorted(
        {
            observation.judge_rubric
            for observations in groups.values()
            for observation in observations
            if _is_read_by_model(observation)
        }
    )
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
        {"groups": counts_by_group, "rules": rules, "readers": readers},
    )


def _answer_counts(rows: Sequence[Observation]) -> dict[str, int]:
    right_count = sum(observation.passed for observation in rows)
    unreadable = sum(not observation.passed and observation.reason in _UNREADABLE for observation in rows)
    readable = [observation for observation in rows if observation.passed or observation.reason not in _UNREADABLE]
    return {
        "answers": len(rows),
        "right": right_count,
        "wrong": len(readable) - right_count,
        "unreadable": unreadable,
        "by_rules": sum(observation.judge_method == ScoringMethod.DETERMINISTIC.value for observation in readable),
        "by_model": sum(_is_read_by_model(observation) for observation in readable),
    }


def _is_read_by_model(observation: Observation) -> bool:
    return observation.judge_method == ScoringMethod.READER.value


def _percent_or_dash(part_count: int, total_count: int) -> str:
    return percent(part_count / total_count) if total_count else "–"
