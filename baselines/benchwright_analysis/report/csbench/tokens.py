"""Scores against the tokens that they took (CS-Bench's figure 5)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import answered, by_contestant, score_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Picture, Section, Table, number, percent, with_interval
from benchwright_analysis.report.sections.matrix import accuracy, by_label, matrix

_PARTS = ("shortest quarter", "second quarter", "third quarter", "longest quarter")
_FEWEST = 4 * len(_PARTS)


def tokens(data: Dataset) -> Section | None:
    """Tokens and score of each contestant, and scores by length of the reply; None if no tokens are known."""
    known = [one for one in answered(data) if not one.is_person and one.output_tokens]
    groups = {who.name: rows for who, rows in by_contestant(known).items()}
    if not groups:
        return None
    cells: list[Sequence[Cell]] = []
    points: list[charts.Row] = []
    numbers: dict[str, object] = {}
    for name, rows in groups.items():
        score = accuracy(rows, score_of)
        sent = statistics.fmean(one.input_tokens for one in rows)
        received = statistics.fmean(one.output_tokens for one in rows)
        numbers[name] = {"sent": sent, "received": received, "score": score}
        cells.append((name, len(rows), number(sent, 0), number(received, 1), with_interval(score.estimate, share=True)))
        points.append({"x": received, "y": score.value, "group": name})
    heads = ("group", "answers", "tokens sent, mean", "tokens received, mean", "score (95 % interval)")
    table = Table("Tokens and score", heads, cells, "Tokens as providers count them; thinking that is billed counts.")
    quarters = [one for rows in groups.values() if len(rows) >= _FEWEST for one in _quarters(rows)]
    tables = [_by_quarter(quarters)] if quarters else []
    lead = [
        "Longer replies need not be better ones: hard questions get long replies. The quarters are those of each row's "
        "own replies."
    ]
    return Section("tokens", "Tokens against score", lead, [_picture(points, table)], tables, numbers)


def _quarters(rows: Sequence[Observation]) -> list[tuple[str, Observation]]:
    """Each attempt with its quarter, by length of the reply; equally long ones are in the same."""
    lengths = sorted(one.output_tokens for one in rows)
    bounds = [lengths[len(lengths) * part // len(_PARTS)] for part in range(1, len(_PARTS))]
    return [(_PARTS[sum(one.output_tokens >= bound for bound in bounds)], one) for one in rows]


def _by_quarter(quarters: Sequence[tuple[str, Observation]]) -> Table:
    part = {one.attempt: name for name, one in quarters}
    groups = {who.name: rows for who, rows in by_contestant([one for _, one in quarters]).items()}
    figures = by_label(groups, lambda one: part[one.attempt], _PARTS, score_of)
    return matrix("tokens", "Score by length of the reply", figures)


def _picture(points: Sequence[charts.Row], table: Table) -> Picture:
    shown = [str(row["group"]) for row in points][: charts.MOST_GROUPS]
    rows = [row for row in points if row["group"] in shown]
    told = "; ".join(
        f"{row['group']}: {float(row['x'] or 0):.0f} tokens, {percent(float(row['y'] or 0))}" for row in rows
    )
    svg = charts.curves((), shown, x="tokens received, mean (doublings)", y="mean score", points=rows, log=True)
    everything = [str(row["group"]) for row in points]
    alt = f"A mark for each row of the table. {told}.{charts.drawn(shown, everything)}"
    return Picture("tokens", "Score against tokens received", alt, svg, table)
