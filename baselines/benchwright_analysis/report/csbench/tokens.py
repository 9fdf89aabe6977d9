"""Scores against the tokens that they took (CS-Bench's figures 4 and 5)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import (
    decided_observations_with_domain_labels,
    observations_by_contestant,
    score_or_0,
)
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, text_with_interval
from benchwright_analysis.report.sections.matrix import accuracy_by_label, mean_over_problems, table_of_numbers
from benchwright_foundation.number_text import number, percent

_PARTS = ("shortest quarter", "second quarter", "third quarter", "longest quarter")
_FEWEST = 4 * len(_PARTS)


def tokens_and_score_section(data: Dataset) -> Section | None:
    """Tokens and score of each contestant, and scores by length of the reply; None if no tokens are known."""
    counted_rows = [
        observation
        for observation in decided_observations_with_domain_labels(data)
        if not observation.is_person and observation.output_tokens
    ]
    groups = {contestant.name: rows for contestant, rows in observations_by_contestant(counted_rows).items()}
    if not groups:
        return None
    cells: list[Sequence[Cell]] = []
    points: list[charts.Row] = []
    numbers: dict[str, object] = {}
    for name, rows in groups.items():
        score = mean_over_problems(rows, score_or_0)
        sent_tokens = statistics.fmean(observation.input_tokens for observation in rows)
        received_tokens = statistics.fmean(observation.output_tokens for observation in rows)
        reasoning_tokens = statistics.fmean(observation.reasoning_tokens for observation in rows)
        numbers[name] = {
            "sent": sent_tokens,
            "received": received_tokens,
            "reasoning": reasoning_tokens,
            "score": score,
        }
        cells.append(
            (
                name,
                len(rows),
                number(sent_tokens, 0),
                number(received_tokens, 1),
                number(reasoning_tokens, 1),
                text_with_interval(score.estimate, as_share=True),
            )
        )
        points.append({"x": received_tokens, "y": score.value, "group": name})
    heads = (
        "group",
        "answers",
        "tokens sent, mean",
        "tokens received, mean",
        "of these for reasoning, mean",
        "score (95 % interval)",
    )
    table = SortableTable(
        "Tokens and score",
        heads,
        cells,
        "Tokens as providers count them; thinking that is billed counts. A provider that does not say what was for "
        "reasoning has 0 there.",
    )
    quarters = [
        quarter for rows in groups.values() if len(rows) >= _FEWEST for quarter in _with_reply_length_quarter(rows)
    ]
    tables = [_scores_by_quarter_table(quarters)] if quarters else []
    lead = [
        "Longer replies need not be better ones: hard questions get long replies. The quarters are those of each row's "
        "own replies."
    ]
    return Section(
        "tokens", "Tokens against score", lead, [_score_against_tokens_picture(points, table)], tables, numbers
    )


def _with_reply_length_quarter(observations: Sequence[Observation]) -> list[tuple[str, Observation]]:
    """Each attempt with its quarter, by length of the reply; equally long ones are in the same."""
    lengths = sorted(observation.output_tokens for observation in observations)
    bounds = [lengths[len(lengths) * part // len(_PARTS)] for part in range(1, len(_PARTS))]
    return [
        (_PARTS[sum(observation.output_tokens >= bound for bound in bounds)], observation)
        for observation in observations
    ]


def _scores_by_quarter_table(quartered_observations: Sequence[tuple[str, Observation]]) -> SortableTable:
    quarter_names = {observation.attempt: name for name, observation in quartered_observations}
    groups = {
        contestant.name: rows
        for contestant, rows in observations_by_contestant(
            [observation for _, observation in quartered_observations]
        ).items()
    }
    figures = accuracy_by_label(groups, lambda observation: quarter_names[observation.attempt], _PARTS, score_or_0)
    return table_of_numbers("tokens", "Score by length of the reply", figures)


def _score_against_tokens_picture(points: Sequence[charts.Row], table: SortableTable) -> SectionPicture:
    shown_names = [str(row["group"]) for row in points][: charts.MOST_GROUPS]
    rows = [row for row in points if row["group"] in shown_names]
    summary = "; ".join(
        f"{row['group']}: {float(row['x'] or 0):.0f} tokens, {percent(float(row['y'] or 0))}" for row in rows
    )
    svg = charts.line_chart(
        (),
        shown_names,
        x_title="tokens received, mean (doublings)",
        y_title="mean score",
        mark_rows=rows,
        has_log2_x_axis=True,
    )
    all_names = [str(row["group"]) for row in points]
    alt = f"A mark for each row of the table. {summary}.{charts.note_if_omitted(shown_names, all_names)}"
    return SectionPicture("tokens", "Score against tokens received", alt, svg, table)
