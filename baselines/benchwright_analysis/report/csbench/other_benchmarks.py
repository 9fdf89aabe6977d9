"""Scores of models here against their scores elsewhere (CS-Bench's figures 8 and 9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import Contestant
from benchwright_analysis.report.csbench.scale import ModelScore, scores_of_models_with_facts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, text_with_interval
from benchwright_analysis.statistics.calibration import rank_correlation
from benchwright_judges.agreement.estimators import Estimate, bootstrap_estimate, pearson_correlation

FEWEST_MODELS = 4
"""With fewer, a correlation is nearly always close to 1 or -1."""


def other_benchmarks_section(data: Dataset) -> Section | None:
    """Correlations of scores over models; None without scores at other benchmarks."""
    model_scores = scores_of_models_with_facts(data)
    benchmarks = dict.fromkeys(name for model_score in model_scores for name in model_score.model_facts.benchmarks)
    if not benchmarks:
        return None
    scores_by_way: dict[str, list[ModelScore]] = {}
    for model_score in model_scores:
        scores_by_way.setdefault(
            Contestant("", model_score.contestant.language, model_score.contestant.asked).name.strip(" ()"), []
        ).append(model_score)
    numbers: dict[str, dict[str, dict[str, object]]] = {}
    rows: list[Sequence[Cell]] = []
    points: list[charts.Row] = []
    for way, way_models in scores_by_way.items():
        for benchmark in benchmarks:
            shared_models = [model for model in way_models if benchmark in model.model_facts.benchmarks]
            if len(shared_models) < FEWEST_MODELS:
                rows.append((benchmark, way, len(shared_models), f"fewer than {FEWEST_MODELS} models", "–"))
                continue
            score_columns = [
                np.array([model.score for model in shared_models]),
                np.array([model.model_facts.benchmarks[benchmark] for model in shared_models]),
            ]
            correlations = {
                "pearson": bootstrap_estimate(pearson_correlation, score_columns, seed=data.seed),
                "spearman": rank_correlation(score_columns[0], score_columns[1], seed=data.seed),
            }
            numbers.setdefault(way, {})[benchmark] = {"models": len(shared_models), **correlations}
            rows.append(
                (
                    benchmark,
                    way,
                    len(shared_models),
                    *(text_with_interval(correlation) for correlation in correlations.values()),
                )
            )
            if way == next(iter(numbers)):
                points += _scatter_points(benchmark, shared_models)
    lead = [
        "Correlation of the mean score here with scores elsewhere, as the file of `--model-facts` has them. Models are "
        "what is drawn with replacement for the intervals: they are wide, and hold for other models like these."
    ]
    heads = ("benchmark", "asked here", "models", "Pearson (95 % interval)", "Spearman (95 % interval)")
    table = SortableTable("Correlation with other benchmarks", heads, rows)
    pictures = [_correlation_picture(points, next(iter(numbers)), numbers, table)] if points else []
    tables = () if pictures else (table,)
    return Section("other-benchmarks", "Scores at other benchmarks", lead, pictures, tables, numbers)


def _scatter_points(benchmark: str, shared_models: Sequence[ModelScore]) -> list[charts.Row]:
    return [
        {"x": model.model_facts.benchmarks[benchmark], "y": model.score, "group": benchmark} for model in shared_models
    ]


def _correlation_picture(
    points: Sequence[charts.Row],
    asking_way: str,
    correlations_by_way: dict[str, dict[str, dict[str, object]]],
    table: SortableTable,
) -> SectionPicture:
    all_benchmarks = list(dict.fromkeys(str(row["group"]) for row in points))
    shown_benchmarks = all_benchmarks[: charts.MOST_GROUPS]
    summaries = []
    for name in shown_benchmarks:
        correlation = correlations_by_way[asking_way][name]["pearson"]
        if isinstance(correlation, Estimate):
            summaries.append(f"{name}: Pearson's {text_with_interval(correlation)}")
    svg = charts.line_chart(
        (),
        shown_benchmarks,
        x_title="score elsewhere",
        y_title="mean score",
        mark_rows=[row for row in points if row["group"] in shown_benchmarks],
    )
    left_out = charts.note_if_omitted(shown_benchmarks, all_benchmarks)
    alt = f"A mark for each model and benchmark, asked {asking_way}. {'; '.join(summaries)}.{left_out}"
    return SectionPicture("other-benchmarks", "Score here against scores elsewhere", alt, svg, table)
