"""Scores against the number of parameters, by family, and what they predict of other sizes (CS-Bench, section 3.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import Contestant, answered, by_contestant, score_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.model_facts import ModelFacts
from benchwright_analysis.report.section import Cell, Picture, Section, Table, number, percent, with_interval
from benchwright_analysis.report.sections.matrix import accuracy
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.scale_fit import ScaleFit, fit_scale
from benchwright_judges.agreement.estimators import Estimate

_STEPS = 40
"""Points of a drawn line."""


@dataclass(frozen=True)
class Measured:
    """A model's score, in one language and asked in one way."""

    facts: ModelFacts
    who: Contestant
    score: float

    @property
    def family(self) -> str:
        """Models whose scores one line may fit."""
        return Contestant(self.facts.family, self.who.language, self.who.asked).name


@dataclass(frozen=True)
class Prediction:
    """What a family's line says of a model that was not used for it."""

    model: str
    parameters_b: float
    predicted: Estimate
    measured: float | None
    """None if the model was not run."""


def measured_models(data: Dataset) -> list[Measured]:
    """The score of each model that the file of facts knows."""
    known = {one.model: one for one in data.model_facts}
    found = []
    for who, rows in by_contestant([one for one in answered(data) if not one.is_person]).items():
        names = {one.participant for one in rows}
        facts = known.get(names.pop()) if len(names) == 1 else None
        if facts is not None:
            found.append(Measured(facts, who, accuracy(rows, score_of).value))
    return found


def scale(data: Dataset) -> Section | None:
    """A line for each family; None without sizes of models."""
    families: dict[str, list[Measured]] = {}
    for one in measured_models(data):
        if one.facts.family and one.facts.parameters_b is not None:
            families.setdefault(one.family, []).append(one)
    if not families:
        return None
    fits: dict[str, ScaleFit] = {}
    predictions: dict[str, list[Prediction]] = {}
    lead = [
        "Score = a + b · ln(parameters), by least squares, for each family, language and way to ask, as in CS-Bench's "
        "section 3.4. Predictions have 95 % prediction intervals: they hold if the family goes on as it did, which "
        "sizes beyond those that were run need not. “Left out” predicts the largest model that was run from the others."
    ]
    for name, several in families.items():
        try:
            fits[name] = _fit(several)
        except StatisticsError as error:
            lead.append(f"{name}: {error}")
            continue
        predictions[name] = [*_left_out(several), *_not_run(data.model_facts, several, fits[name])]
    numbers = {"fits": fits, "predictions": predictions}
    pictures = [_picture(families, fits)] if fits else []
    tables = [_predicted(predictions)] if any(predictions.values()) else []
    return Section("scale", "Score against the size of models", lead, pictures, tables, numbers)


def _fit(several: Sequence[Measured]) -> ScaleFit:
    return fit_scale([one.facts.parameters_b or math.nan for one in several], [one.score for one in several])


def _left_out(several: Sequence[Measured]) -> list[Prediction]:
    """The largest model, predicted from those that are smaller."""
    largest = max(several, key=lambda one: one.facts.parameters_b or 0)
    size = largest.facts.parameters_b or 0
    smaller = [one for one in several if (one.facts.parameters_b or 0) < size]
    try:
        return [Prediction(largest.facts.model, size, _fit(smaller).predict(size), largest.score)]
    except StatisticsError:
        return []


def _not_run(known: Sequence[ModelFacts], several: Sequence[Measured], fit: ScaleFit) -> list[Prediction]:
    family, run = several[0].facts.family, {one.facts.model for one in several}
    return [
        Prediction(one.model, one.parameters_b, fit.predict(one.parameters_b), None)
        for one in known
        if one.family == family and one.model not in run and one.parameters_b is not None
    ]


def _predicted(predictions: Mapping[str, Sequence[Prediction]]) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            name,
            one.model,
            f"{one.parameters_b:g}",
            with_interval(one.predicted, share=True),
            "not run" if one.measured is None else percent(one.measured),
            "left out" if one.measured is not None else "from all sizes",
        )
        for name, several in predictions.items()
        for one in several
    ]
    columns = ("family", "model", "billions of parameters", "predicted (95 % interval)", "measured", "fitted")
    return Table("Scores predicted from other sizes", columns, rows, "A line goes beyond 0 and 100 %; scores do not.")


def _points(share: float | None) -> str:
    return number(None if share is None else 100 * share, 1)


def _picture(families: Mapping[str, Sequence[Measured]], fits: Mapping[str, ScaleFit]) -> Picture:
    shown = list(fits)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = []
    points: list[charts.Row] = []
    for name in shown:
        fit = fits[name]
        for step in range(_STEPS + 1):
            at = fit.smallest * (fit.largest / fit.smallest) ** (step / _STEPS)
            rows.append({"x": at, "y": min(1.0, max(0.0, fit.line(at))), "group": name})
        for one in families[name]:
            points.append({"x": one.facts.parameters_b, "y": one.score, "group": name})
    table_rows: list[Sequence[Cell]] = [
        (
            name,
            fit.models,
            f"{fit.smallest:g} to {fit.largest:g}",
            number(100 * fit.intercept, 1),
            number(100 * fit.slope, 2),
            f"{_points(fit.per_doubling.value)} ({_points(fit.per_doubling.low)} to {_points(fit.per_doubling.high)})",
            number(fit.r_squared),
        )
        for name, fit in fits.items()
    ]
    columns = ("family", "models", "billions of parameters", "a (points)", "b (points)", "points per doubling", "R²")
    told = "; ".join(
        f"{name}: {_points(fits[name].per_doubling.value)} points more for each doubling" for name in shown
    )
    return Picture(
        "scale",
        "Score against parameters",
        f"Lines over a scale of doublings, marks are models. {told}.{charts.drawn(shown, fits)}",
        charts.curves(rows, shown, x="billions of parameters (doublings)", y="mean score", points=points, log=True),
        Table("Lines of families", columns, table_rows, "Points are hundredths of the highest score."),
    )
