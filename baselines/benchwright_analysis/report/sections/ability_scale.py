"""People and models on one scale: reliability of the problems, abilities, and problems that differ between both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SectionPicture,
    SortableTable,
    TableNumber,
    counted,
    p_value_text,
    text_with_interval,
)
from benchwright_analysis.statistics.differential import EffectClass, ProblemDifference, differential_functioning
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.item_response import AbilityScale, fit_and_test_ability_scale
from benchwright_analysis.statistics.reliability import Reliability, reliability
from benchwright_analysis.statistics.response_table import ResponseTable, solver_name
from benchwright_foundation.number_text import UNKNOWN, number
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate
from benchwright_problems.problem import QuestionFormat

_TITLE = "People and models on one scale"
_FEWEST = 5
"""Solvers, and problems, from which on the section says what it lacks."""
_GUESSED = frozenset({QuestionFormat.MULTIPLE_CHOICE.value, QuestionFormat.ASSERTION.value})


def ability_scale_section(data: Dataset) -> Section | None:
    """Reliability, scale and differences of problems; None with fewer than five solvers or problems."""
    rows = data.decided_observations
    responses = responses_of_rows(rows)
    if min(responses.passes.shape) < _FEWEST:
        return None
    group_by_solver = {_solver_of_row(row): row.group for row in rows}
    people_solvers = {_solver_of_row(row) for row in rows if row.is_person}
    is_model = np.array([solver not in people_solvers for solver in responses.solvers], dtype=np.bool_)
    reliabilities, sentences = _reliabilities_and_sentences(responses, is_model)
    tables = [_reliability_table(reliabilities)] if reliabilities else []
    numbers: dict[str, object] = {"reliability": reliabilities}
    pictures: list[SectionPicture] = []
    guessed = len({row.problem for row in rows if row.format in _GUESSED})
    if guessed:
        sentences.append(
            f"{counted(guessed, 'problem')} with choices or assertions are not on the scale: whoever guesses is right "
            "often, and a scale without guessing would be wrong about solvers who solve few or many."
        )
    try:
        scale = ability_scale_of_rows(rows)
    except StatisticsError as error:
        sentences.append(f"No scale is shown. {error}")
    else:
        mean_abilities = _mean_ability_by_group(scale, group_by_solver, people_solvers)
        pictures.append(_mean_abilities_picture(data, mean_abilities))
        tables += [_difficulty_table(scale), _ability_table(scale, group_by_solver)]
        numbers |= {
            "groups": mean_abilities,
            "difficulties": scale.difficulties,
            "abilities": scale.abilities,
            "spread": scale.spread,
            "misfit_p": scale.misfit_p,
            "without_place": scale.alike,
        }
        sentences.append(_scale_sentence(scale))
    try:
        problem_differences = differential_functioning(responses, is_model)
    except StatisticsError as error:
        if is_model.any() and not is_model.all():
            sentences.append(f"Whether problems differ between people and models is not shown. {error}")
    else:
        tables.append(_difference_table(problem_differences))
        numbers["differences"] = problem_differences
        sentences.append(_difference_sentence(problem_differences))
    if not tables:
        return Section("ability-scale", _TITLE, empty_reason=" ".join(sentences))
    return Section("ability-scale", _TITLE, sentences, pictures, tables, numbers)


def ability_scale_of_rows(rows: Sequence[Observation]) -> AbilityScale:
    """The scale of attempts, without problems where whoever guesses is often right.

    Raises:
        StatisticsError: It can't be shown; the message says why, and what it takes.
    """
    return fit_and_test_ability_scale(responses_of_rows([row for row in rows if row.format not in _GUESSED]))


def responses_of_rows(rows: Sequence[Observation]) -> ResponseTable:
    """Results of attempts, in order of time."""
    in_order = sorted(rows, key=lambda row: row.started)
    return ResponseTable.from_results((_solver_of_row(row), row.problem, row.passed) for row in in_order)


def _solver_of_row(row: Observation) -> str:
    return solver_name(row.group, row.participant)


def _reliabilities_and_sentences(
    responses: ResponseTable, is_model: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[dict[str, Reliability], list[str]]:
    kinds = {"people": ~is_model, "models": is_model}
    if is_model.any() and not is_model.all():
        kinds["people and models"] = np.ones(len(is_model), dtype=np.bool_)
    reliabilities: dict[str, Reliability] = {}
    sentences = []
    for kind, selected in kinds.items():
        if selected.any():
            try:
                reliabilities[kind] = reliability(responses.of_solvers(selected))
            except StatisticsError as error:
                sentences.append(f"Reliability among {kind} is not shown. {error}")
    return reliabilities, sentences


def _reliability_table(reliabilities: Mapping[str, Reliability]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            kind,
            measured.solvers,
            measured.problems,
            measured.missing,
            _estimate_text(measured.kr20),
            _estimate_text(measured.omega),
            _estimate_text(measured.error),
        )
        for kind, measured in reliabilities.items()
    ]
    note = (
        "KR-20 and omega: the share of the variance of the number solved that would come again at other problems of "
        "their kind; it is a matter of who is measured too. The standard error of measurement is in problems. A "
        "solver is a participant under one condition, and the first attempt at a problem counts. Where a result is "
        "missing, each pair of problems takes those who have both. Intervals: 95 %, jackknife over solvers."
    )
    columns = ("among", "solvers", "problems", "missing", "KR-20", "omega", "standard error of measurement")
    return SortableTable("Reliability of the number of problems solved", columns, rows, note)


def _scale_sentence(scale: AbilityScale) -> str:
    alike = f"; {counted(len(scale.alike), 'problem')} that all solved, or none, have no place on it" * bool(
        scale.alike
    )
    missing = (
        f" {counted(scale.missing, 'result')} are missing: a solver's place follows from the problems that were tried "
        "alone, as if it were by chance which were not."
        if scale.missing
        else ""
    )
    return (
        f"{len(scale.abilities)} solvers and {len(scale.difficulties)} problems have a place on the scale{alike}. At a "
        f"problem as hard as a solver is able, the chance is 50 %, and 73 % one unit below.{missing}"
    )


def _mean_ability_by_group(
    scale: AbilityScale, group_by_solver: Mapping[str, str], people_solvers: set[str]
) -> dict[str, Estimate]:
    """Mean ability: of people for others like them, of models for these models."""
    from scipy import special

    mean_abilities: dict[str, Estimate] = {}
    for group in dict.fromkeys(group_by_solver[solver] for solver in scale.abilities):
        members = [solver for solver in scale.abilities if group_by_solver[solver] == group]
        abilities = np.array([scale.abilities[solver].value for solver in members], dtype=np.float64)
        mean, count = float(abilities.mean()), len(members)
        if set(members) <= people_solvers:
            if count < _FEWEST:
                mean_abilities[group] = Estimate(value=mean)
                continue
            reach = float(special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * float(abilities.std(ddof=1))
            reach /= math.sqrt(count)
        else:
            variance = sum(scale.standard_errors[solver] ** 2 for solver in members)
            reach = float(special.ndtri((1 + CONFIDENCE) / 2)) * math.sqrt(variance) / count
        mean_abilities[group] = Estimate(value=mean, low=mean - reach, high=mean + reach)
    return mean_abilities


def _mean_abilities_picture(data: Dataset, mean_abilities: Mapping[str, Estimate]) -> SectionPicture:
    shown = [group for group in data.groups if group in mean_abilities][: charts.MOST_GROUPS * 4]
    rows: list[charts.Row] = [
        {
            "label": group,
            "group": "ability",
            "value": mean_abilities[group].value,
            "low": low,
            "high": mean_abilities[group].high,
        }
        for group in shown
        for low in [mean_abilities[group].low]
    ]
    table_rows: list[Sequence[Cell]] = [
        (group, _estimate_text(mean_abilities[group])) for group in data.groups if group in mean_abilities
    ]
    note = "In logits. Of people the mean holds for others like them, of models for these, both at these problems."
    table = SortableTable("Mean ability", ("group", "ability (95 % interval)"), table_rows, note)
    return SectionPicture(
        "ability-scale",
        "Mean ability, on one scale",
        "Mean ability of each group with its interval, in logits, where 0 is the mean difficulty of the problems."
        f"{charts.note_if_omitted(shown, list(mean_abilities))}",
        charts.interval_chart(rows, ["ability"], x_title="logits", y_title="", as_percent=False),
        table,
    )


def _difficulty_table(scale: AbilityScale) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (problem, _estimate_text(estimate))
        for problem, estimate in sorted(scale.difficulties.items(), key=_value_of_named_estimate)
    ]
    answered = scale.responses.is_answered.sum(axis=0).tolist()
    figures = [
        TableNumber(problem, "difficulty", count, 1, estimate.value, estimate.low, estimate.high)
        for (problem, estimate), count in zip(scale.difficulties.items(), answered, strict=True)
    ]
    note = "In logits; 0 is the mean. In Rasch's model every problem separates solvers alike: a test did not refute it."
    columns = ("problem", "difficulty (95 % interval)")
    return SortableTable("Difficulties", columns, rows, note, id="difficulties", figures=figures)


def _ability_table(scale: AbilityScale, group_by_solver: Mapping[str, str]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (solver, _estimate_text(estimate), number(scale.standard_errors[solver]))
        for solver, estimate in sorted(scale.abilities.items(), key=_value_of_named_estimate)
    ]
    answered = scale.responses.is_answered.sum(axis=1).tolist()
    figures = [
        TableNumber(solver, group_by_solver[solver], count, count, estimate.value, estimate.low, estimate.high)
        for (solver, estimate), count in zip(scale.abilities.items(), answered, strict=True)
    ]
    columns = ("solver", "ability (95 % interval)", "standard error")
    return SortableTable("Abilities", columns, rows, "In logits.", detail=True, id="abilities", figures=figures)


def _difference_sentence(problem_differences: Mapping[str, ProblemDifference]) -> str:
    moderate_or_large = [
        problem
        for problem, difference in problem_differences.items()
        if difference.effect is not EffectClass.NEGLIGIBLE
    ]
    if not moderate_or_large:
        return (
            f"None of {counted(len(problem_differences), 'problem')} is seen to differ between people and models as "
            "able."
        )
    harder = [problem for problem in moderate_or_large if (problem_differences[problem].delta.value or 0) < 0]
    easier = [problem for problem in moderate_or_large if problem not in harder]
    parts = [f"{', '.join(harder)} harder for models"] if harder else []
    parts += [f"{', '.join(easier)} easier for models"] if easier else []
    return f"Between people and models who are as able, problems differ: {'; '.join(parts)}."


def _difference_table(problem_differences: Mapping[str, ProblemDifference]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            problem,
            _estimate_text(difference.delta),
            difference.effect.value,
            p_value_text(difference.p_value),
            p_value_text(difference.adjusted),
            difference.people,
            difference.models,
        )
        for problem, difference in sorted(
            problem_differences.items(), key=lambda classed_difference: classed_difference[1].p_value
        )
    ]
    note = (
        "Mantel and Haenszel's delta, -2.35 times the logarithm of the odds ratio among solvers who solve as many: "
        "below 0 the problem is harder for models. Class A is negligible, B moderate, C large (Educational Testing "
        "Service); the class takes the second p, which is corrected for the rate of false discoveries."
    )
    columns = ("problem", "delta (95 % interval)", "class", "p by itself", "among discoveries", "people", "models")
    return SortableTable("Problems that differ between people and models", columns, rows, note)


def _estimate_text(estimate: Estimate) -> str:
    return UNKNOWN if estimate.value is None else text_with_interval(estimate)


def _value_of_named_estimate(named_estimate: tuple[str, Estimate]) -> float:
    return named_estimate[1].value or 0.0
