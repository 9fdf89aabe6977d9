"""Scores against the tokens that they took (CS-Bench's figure 5)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import answered_observations, by_contestant, score_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, text_with_interval
from benchwright_analysis.report.sections.matrix import accuracy, accuracy_by_label, table_of_numbers
from benchwright_foundation.number_text import number, percent

_PARTS = ("shortest quarter", "second quarter", "third quarter", "longest quarter")
_FEWEST = 4 * len(_PARTS)


def tokens(data: Dataset) -> Section | None:
    """Tokens and score of each contestant, and scores by length of the reply; None if no tokens are known."""
    counted_rows = [
        observation
        for observation in answered_observations(data)
        if not observation.is_person and observation.output_tokens
    ]
    groups = {contestant.name: rows for contestant, rows in by_contestant(counted_rows).items()}
    if not groups:
        return None
    cells: list[Sequence[Cell]] = []
    points: list[charts.Row] = []
    numbers: dict[str, object] = {}
    for name, rows in groups.items():
        score = accuracy(rows, score_of)
        sent_tokens = statistics.fmean(observation.input_tokens for observation in rows)
        received_tokens = statistics.fmean(observation.output_tokens for observation in rows)
        numbers[name] = {"sent": sent_tokens, "received": received_tokens, "score": score}
        cells.append(
            (
                name,
                len(rows),
                number(sent_tokens, 0),
                number(received_tokens, 1),
                text_with_interval(score.estimate, as_share=True),
            )
        )
        points.append({"x": received_tokens, "y": score.value, "group": name})
    heads = ("group", "answers", "tokens sent, mean", "tokens received, mean", "score (95 % interval)")
    table = SortableTable(
        "Tokens and score", heads, cells, "Tokens as providers count them; thinking that is billed counts."
    )
    quarters = [quarter for rows in groups.values() if len(rows) >= _FEWEST for quarter in _quarters(rows)]
    tables = [_by_quarter(quarters)] if quarters else []
    lead = [
        "Longer replies need not be better ones: hard questions get long replies. The quarters are those of each row's "
        "own replies."
    ]
    return Section("tokens", "Tokens against score", lead, [_picture(points, table)], tables, numbers)


def _quarters(rows: Sequence[Observation]) -> list[tuple[str, Observation]]:
    """Each attempt with its quarter, by length of the reply; equally long ones are in the same."""
    lengths = sorted(observation.output_tokens for observation in rows)
    bounds = [lengths[len(lengths) * part // len(_PARTS)] for part in range(1, len(_PARTS))]
    return [(_PARTS[sum(observation.output_tokens >= bound for bound in bounds)], observation) for observation in rows]


def _by_quarter(quarters: Sequence[tuple[str, Observation]]) -> SortableTable:
    quarter_names = {observation.attempt: name for name, observation in quarters}
    groups = {
        contestant.name: rows
        for contestant, rows in by_contestant([observation for _, observation in quarters]).items()
    }
    figures = accuracy_by_label(groups, lambda observation: quarter_names[observation.attempt], _PARTS, score_of)
    return table_of_numbers("tokens", "Score by length of the reply", figures)


def _picture(points: Sequence[charts.Row], table: SortableTable) -> SectionPicture:
    shown_names = [str(row["group"]) for row in points][: charts.MOST_GROUPS]
    rows = [row for row in points if row["group"] in shown_names]
    summary = "; ".join(
        f"{row['group']}: {float(row['x'] or 0):.0f} tokens, {percent(float(row['y'] or 0))}" for row in rows
    )
    svg = charts.curves(
        (),
        shown_names,
        x_title="tokens received, mean (doublings)",
        y_title="mean score",
        points=rows,
        is_logarithmic=True,
    )
    all_names = [str(row["group"]) for row in points]
    alt = f"A mark for each row of the table. {summary}.{charts.omission_note(shown_names, all_names)}"
    return SectionPicture("tokens", "Score against tokens received", alt, svg, table)
