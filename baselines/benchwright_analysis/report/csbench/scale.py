"""Scores against the number of parameters, by family, and what they predict of other sizes (CS-Bench, section 3.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import (
    Contestant,
    decided_observations_with_domain_labels,
    observations_by_contestant,
    score_or_0,
)
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.model_facts import ModelFacts
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, text_with_interval
from benchwright_analysis.report.sections.matrix import mean_over_problems
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.scale_curve import ScaleCurve, fit_scale_curve
from benchwright_analysis.statistics.scale_fit import ScaleLine, fit_scale_line
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.estimators import Estimate

_STEPS = 40
"""Points of a drawn curve."""


@dataclass(frozen=True)
class ModelScore:
    """A model's score, in one language and asked in one way."""

    model_facts: ModelFacts
    contestant: Contestant
    score: float

    @property
    def family_label(self) -> str:
        """Models whose scores one line may fit."""
        return Contestant(self.model_facts.family, self.contestant.language, self.contestant.asked).name


@dataclass(frozen=True)
class Prediction:
    """Prediction by a family's curve, and by its line, for a model that was not used for them."""

    model: str
    parameters_b: float
    by_curve: Estimate
    by_line: Estimate | None
    """None with too few models for a line. Cut at 0 and 1, where scores end."""
    measured: float | None
    """None if the model was not run."""


def scores_of_models_with_facts(data: Dataset) -> list[ModelScore]:
    """The score of each model that the file of facts knows."""
    facts_by_model = {model_facts.model: model_facts for model_facts in data.model_facts}
    model_scores = []
    for contestant, rows in observations_by_contestant(
        [observation for observation in decided_observations_with_domain_labels(data) if not observation.is_person]
    ).items():
        names = {observation.participant for observation in rows}
        known_facts = facts_by_model.get(names.pop()) if len(names) == 1 else None
        if known_facts is not None:
            model_scores.append(ModelScore(known_facts, contestant, mean_over_problems(rows, score_or_0).value))
    return model_scores


def model_size_section(data: Dataset) -> Section | None:
    """A line for each family; None without sizes of models."""
    families: dict[str, list[ModelScore]] = {}
    for model_score in scores_of_models_with_facts(data):
        if model_score.model_facts.family and model_score.model_facts.parameters_b is not None:
            families.setdefault(model_score.family_label, []).append(model_score)
    if not families:
        return None
    curves: dict[str, ScaleCurve] = {}
    line_by_family: dict[str, ScaleLine] = {}
    predictions: dict[str, list[Prediction]] = {}
    lead = [
        "Score = 1 - 1/(a · log₁₀(b · parameters + 1) + 1), by least squares, for each family, language and way to "
        "ask, as in CS-Bench's section 3.4; beside it the straight line, score = a + b · ln(parameters). Two models "
        "are enough for a curve, without an interval. Predictions have 95 % prediction intervals: they hold if the "
        "family goes on as it did, which sizes beyond those that were run need not. “Left out” predicts the largest "
        "model that was run from the others."
    ]
    for name, family_models in families.items():
        try:
            curves[name] = fit_scale_curve(*_sizes_and_scores(family_models))
        except StatisticsError as error:
            lead.append(f"{name}: {error}")
            continue
        if (family_line := _fitted_line_or_none(family_models)) is not None:
            line_by_family[name] = family_line
        predictions[name] = [
            *_largest_predicted_from_smaller(family_models),
            *_unmeasured_predictions(data.model_facts, family_models),
        ]
    numbers = {"curves": curves, "fits": line_by_family, "predictions": predictions}
    pictures = [_curves_picture(families, curves, line_by_family)] if curves else []
    tables = [_predictions_table(predictions)] if any(predictions.values()) else []
    return Section("scale", "Score against the size of models", lead, pictures, tables, numbers)


def _sizes_and_scores(model_scores: Sequence[ModelScore]) -> tuple[Sequence[float], Sequence[float]]:
    return (
        [model_score.model_facts.parameters_b or math.nan for model_score in model_scores],
        [model_score.score for model_score in model_scores],
    )


def _fitted_line_or_none(model_scores: Sequence[ModelScore]) -> ScaleLine | None:
    try:
        return fit_scale_line(*_sizes_and_scores(model_scores))
    except StatisticsError:
        return None


def _prediction(
    model_scores: Sequence[ModelScore], model_facts: ModelFacts, measured_score: float | None
) -> Prediction:
    """Predict a model from others.

    Raises:
        StatisticsError: They have no curve.
    """
    parameters = model_facts.parameters_b or 0
    family_line = _fitted_line_or_none(model_scores)
    return Prediction(
        model_facts.model,
        parameters,
        fit_scale_curve(*_sizes_and_scores(model_scores)).predict_with_interval(parameters),
        _clipped_to_score_range(family_line.predict_with_interval(parameters)) if family_line is not None else None,
        measured_score,
    )


def _clipped_to_score_range(estimate: Estimate) -> Estimate:
    return Estimate.model_validate(
        {name: None if share is None else min(1.0, max(0.0, share)) for name, share in estimate}
    )


def _largest_predicted_from_smaller(model_scores: Sequence[ModelScore]) -> list[Prediction]:
    """The largest model, predicted from those that are smaller."""
    largest = max(model_scores, key=lambda model_score: model_score.model_facts.parameters_b or 0)
    size = largest.model_facts.parameters_b or 0
    smaller = [model_score for model_score in model_scores if (model_score.model_facts.parameters_b or 0) < size]
    try:
        return [_prediction(smaller, largest.model_facts, largest.score)]
    except StatisticsError:
        return []


def _unmeasured_predictions(
    facts_of_models: Sequence[ModelFacts], measured_models: Sequence[ModelScore]
) -> list[Prediction]:
    family = measured_models[0].model_facts.family
    measured_names = {model.model_facts.model for model in measured_models}
    return [
        _prediction(measured_models, model_facts, None)
        for model_facts in facts_of_models
        if model_facts.family == family
        and model_facts.model not in measured_names
        and model_facts.parameters_b is not None
    ]


def _predictions_table(predictions_by_family: Mapping[str, Sequence[Prediction]]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            name,
            prediction.model,
            f"{prediction.parameters_b:g}",
            text_with_interval(prediction.by_curve, as_share=True),
            "too few" if prediction.by_line is None else text_with_interval(prediction.by_line, as_share=True),
            "not run" if prediction.measured is None else percent(prediction.measured),
            "left out" if prediction.measured is not None else "from all sizes",
        )
        for name, family_predictions in predictions_by_family.items()
        for prediction in family_predictions
    ]
    columns = (
        *("family", "model", "billions of parameters"),
        *("by the curve (95 % interval)", "by the line (95 % interval)", "measured", "fitted"),
    )
    return SortableTable(
        "Scores predicted from other sizes",
        columns,
        rows,
        "Predictions are cut at 0 and 100 %. A line takes three models, an interval of the curve too.",
    )


def _percentage_points_text(share: float | None) -> str:
    return number(None if share is None else 100 * share, 1)


def _curves_picture(
    scores_by_family: Mapping[str, Sequence[ModelScore]],
    curve_by_family: Mapping[str, ScaleCurve],
    line_by_family: Mapping[str, ScaleLine],
) -> SectionPicture:
    shown_families = list(curve_by_family)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = []
    points: list[charts.Row] = []
    for name in shown_families:
        curve = curve_by_family[name]
        for step in range(_STEPS + 1):
            size = curve.smallest * (curve.largest / curve.smallest) ** (step / _STEPS)
            rows.append({"x": size, "y": curve.curve_score(size), "group": name})
        for model_score in scores_by_family[name]:
            points.append({"x": model_score.model_facts.parameters_b, "y": model_score.score, "group": name})
    columns = (
        *("family", "models", "billions of parameters", "curve: a", "curve: b"),
        *("line: a (points)", "line: b (points)", "points per doubling", "line: R²"),
    )
    table_rows: list[Sequence[Cell]] = [
        (
            name,
            curve.models,
            f"{curve.smallest:g} to {curve.largest:g}",
            number(curve.steepness),
            number(curve.reach),
            *_line_cells(line_by_family.get(name)),
        )
        for name, curve in curve_by_family.items()
    ]
    return SectionPicture(
        "scale",
        "Score against parameters",
        f"Curves over a scale of doublings, marks are models.{charts.note_if_omitted(shown_families, curve_by_family)}",
        charts.line_chart(
            rows,
            shown_families,
            x_title="billions of parameters (doublings)",
            y_title="mean score",
            mark_rows=points,
            has_log2_x_axis=True,
        ),
        SortableTable(
            "Curves and lines of families", columns, table_rows, "Points are hundredths of the highest score."
        ),
    )


def _line_cells(family_line: ScaleLine | None) -> Sequence[Cell]:
    if family_line is None:
        return ("too few models", "", "", "")
    doubling = family_line.per_doubling
    interval = f"{_percentage_points_text(doubling.low)} to {_percentage_points_text(doubling.high)}"
    return (
        number(100 * family_line.intercept, 1),
        number(100 * family_line.slope, 2),
        f"{_percentage_points_text(doubling.value)} ({interval})",
        number(family_line.r_squared),
    )
