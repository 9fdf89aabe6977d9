"""Whether models that score high here score high elsewhere (CS-Bench's figures 8 and 9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import Contestant
from benchwright_analysis.report.csbench.scale import Measured, measured_models
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Picture, Section, Table, with_interval
from benchwright_analysis.statistics.calibration import rank_correlation
from benchwright_judges.agreement.estimators import Estimate, estimate, pearson

FEWEST_MODELS = 4
"""With fewer, a correlation is nearly always close to 1 or -1."""


def other_benchmarks(data: Dataset) -> Section | None:
    """Correlations of scores over models; None without scores at other benchmarks."""
    models = measured_models(data)
    benchmarks = dict.fromkeys(name for one in models for name in one.facts.benchmarks)
    if not benchmarks:
        return None
    ways: dict[str, list[Measured]] = {}
    for one in models:
        ways.setdefault(Contestant("", one.who.language, one.who.asked).name.strip(" ()"), []).append(one)
    numbers: dict[str, dict[str, dict[str, object]]] = {}
    rows: list[Sequence[Cell]] = []
    points: list[charts.Row] = []
    for way, several in ways.items():
        for benchmark in benchmarks:
            both = [one for one in several if benchmark in one.facts.benchmarks]
            if len(both) < FEWEST_MODELS:
                rows.append((benchmark, way, len(both), f"fewer than {FEWEST_MODELS} models", "–"))
                continue
            columns = [
                np.array([one.score for one in both]),
                np.array([one.facts.benchmarks[benchmark] for one in both]),
            ]
            found = {
                "pearson": estimate(pearson, columns, seed=data.seed),
                "spearman": rank_correlation(columns[0], columns[1], seed=data.seed),
            }
            numbers.setdefault(way, {})[benchmark] = {"models": len(both), **found}
            rows.append((benchmark, way, len(both), *(with_interval(one) for one in found.values())))
            if way == next(iter(numbers)):
                points += _points(benchmark, both)
    lead = [
        "Correlation of the mean score here with scores elsewhere, as the file of `--model-facts` has them. Models are "
        "what is drawn with replacement for the intervals: they are wide, and hold for other models like these."
    ]
    heads = ("benchmark", "asked here", "models", "Pearson (95 % interval)", "Spearman (95 % interval)")
    table = Table("Correlation with other benchmarks", heads, rows)
    pictures = [_picture(points, next(iter(numbers)), numbers, table)] if points else []
    tables = () if pictures else (table,)
    return Section("other-benchmarks", "Scores at other benchmarks", lead, pictures, tables, numbers)


def _points(benchmark: str, both: Sequence[Measured]) -> list[charts.Row]:
    return [{"x": one.facts.benchmarks[benchmark], "y": one.score, "group": benchmark} for one in both]


def _picture(
    points: Sequence[charts.Row], way: str, numbers: dict[str, dict[str, dict[str, object]]], table: Table
) -> Picture:
    everything = list(dict.fromkeys(str(row["group"]) for row in points))
    shown = everything[: charts.MOST_GROUPS]
    told = []
    for name in shown:
        found = numbers[way][name]["pearson"]
        if isinstance(found, Estimate):
            told.append(f"{name}: Pearson's {with_interval(found)}")
    svg = charts.curves(
        (), shown, x="score elsewhere", y="mean score", points=[row for row in points if row["group"] in shown]
    )
    alt = f"A mark for each model and benchmark, asked {way}. {'; '.join(told)}.{charts.drawn(shown, everything)}"
    return Picture("other-benchmarks", "Score here against scores elsewhere", alt, svg, table)
