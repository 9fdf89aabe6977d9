"""`study size`: power and detectable effect of a planned design, by the report's own primary analysis."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.main_result import compute_main_result
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.study_size import (
    EFFECTS_TRIED,
    SIZES_TRIED,
    Expectations,
    PlannedDesign,
    simulate_study_precision,
    simulate_study_size,
)
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.vocabulary import Measure

from ....benchmarks.error_rates import Size
from .test_error_rates import rates_on_page, shares_agree


def planned_study(
    people: int, problems: int, measure: str = "time", unit: str = "task", clusters: int = 0, limit: float | None = 28
) -> Study:
    fields: dict[str, object] = {
        "study": "s",
        "title": "S",
        "problems": [f"p/{number}" for number in range(problems)],
        "conditions": [{"name": "alone", "solver": "human"}, {"name": "helped", "solver": "human"}],
        "participants": people,
        "randomisation": {"seed": 1, "unit": unit, "order": "random"},
        "limits": {"time_minutes": limit},
        "consent": {"version": "1", "text": "I agree to everything there."},
        "analysis": {"primary": measure},
    }
    names = [f"P{number:02}" for number in range(1, people + 1)]
    groups: Mapping[str, list[str]] = {f"site-{number}": names[number::clusters] for number in range(clusters)}
    return Study.model_validate(fields | ({"clusters": groups} if clusters else {}))


def test_power_and_false_alarms_are_those_of_the_page_of_error_rates(nightly: bool) -> None:
    """The page's studies of 12 × 8 by other code: times of a third less, three in ten attempts without a pass."""
    studies = 1000 if nightly else 60
    no_effect, _, _, power = rates_on_page("Within persons", Size(12, 8))
    expected = Expectations(effect=-100 / 3, dropout=0.25, give_ups_per_hour=0.2, effect_spread=0.0)
    size_estimate = simulate_study_size(planned_study(12, 8), {}, expected, simulated_studies=studies)
    assert shares_agree(size_estimate.false_alarms.power, studies, no_effect[1])
    assert size_estimate.power.power == pytest.approx(power[1], abs=0.06 if nightly else 0.18)


@pytest.mark.nightly
def test_the_detectable_effect_is_found_in_four_of_five_studies() -> None:
    expected = Expectations(effect=-30.0)
    size_estimate = simulate_study_size(planned_study(12, 8), {}, expected, simulated_studies=120)
    assert size_estimate.detectable is not None and size_estimate.detectable_error is not None
    size_of_detectable = simulate_study_size(
        planned_study(12, 8), {}, Expectations(effect=size_estimate.detectable), simulated_studies=200, seed=9
    )
    assert size_of_detectable.power.power == pytest.approx(0.8, abs=0.11)
    assert 0 < size_estimate.detectable_error < 8


def test_more_people_find_smaller_effects() -> None:
    few, many = (
        simulate_study_size(planned_study(people, 8), {}, Expectations(effect=-30.0), simulated_studies=40).detectable
        for people in (8, 24)
    )
    assert few is not None and many is not None and few < many < 0


@pytest.mark.parametrize("measure", ["time", "solved"])
def test_the_estimate_of_a_simulated_study_is_that_of_the_report(measure: str) -> None:
    study = planned_study(10, 6, measure)
    planned_design = PlannedDesign(study, {}, Expectations(effect=-20.0), Measure(measure), 1)
    rows = planned_design.draw_attempts(3, -20.0)
    (estimate,) = planned_design.primary_estimates(rows).values()
    attempts = [
        FoldedAttempt(row.model_copy(update={"attempt": str(number)}), (), {}, "") for number, row in enumerate(rows)
    ]
    reported = compute_main_result(Dataset(attempts, {}, study=study)).rows[1]
    assert reported.time is not None
    assert estimate == (reported.time.difference if measure == "time" else reported.solved_difference)


def test_success_is_found_in_percentage_points() -> None:
    size_estimate = simulate_study_size(
        planned_study(16, 8, "solved"), {}, Expectations(effect=30.0), simulated_studies=40
    )
    assert size_estimate.measure is Measure.SOLVED
    assert size_estimate.false_alarms.power < 0.15
    assert size_estimate.power.power > 0.8
    assert size_estimate.detectable is not None and 5 < size_estimate.detectable < 30


@pytest.mark.nightly
def test_conditions_of_whole_sites_find_less_than_conditions_of_people() -> None:
    expected = Expectations(effect=-50.0, cluster_spread=0.3)
    by_site, by_person = (
        simulate_study_size(planned_study(36, 8, unit=unit, clusters=6), {}, expected, simulated_studies=60).power.power
        for unit in ("cluster", "person")
    )
    assert by_site < by_person


def test_two_sites_can_show_nothing() -> None:
    size_estimate = simulate_study_size(
        planned_study(12, 8, unit="cluster", clusters=2), {}, Expectations(effect=-50.0), simulated_studies=20
    )
    assert size_estimate.power.without_interval == 20
    assert size_estimate.detectable is None


def test_progress_counts_each_study() -> None:
    seen: list[None] = []
    simulate_study_size(
        planned_study(6, 4),
        {},
        Expectations(effect=-50.0),
        simulated_studies=20,
        on_study_simulated=lambda: seen.append(None),
    )
    assert len(seen) <= EFFECTS_TRIED * 20


@pytest.mark.parametrize(
    ("expected", "measure", "words"),
    [
        (Expectations(effect=0.0), "time", "The effect is 0"),
        (Expectations(effect=-100.0), "time", "Give more than -100"),
        (Expectations(effect=50.0), "solved", "points is no share"),
        (Expectations(effect=-20.0, dropout=1.0), "time", "The dropout is a share"),
        (Expectations(effect=-20.0), "score", "No test compares scores"),
    ],
)
def test_what_can_not_be_is_refused(expected: Expectations, measure: str, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        simulate_study_size(planned_study(6, 4, measure), {}, expected, simulated_studies=20)


def first_condition_alone(study: Study) -> Study:
    return study.model_copy(update={"conditions": study.conditions[:1]})


@pytest.mark.parametrize("measure", ["solved", "time"])
def test_one_condition_is_surer_with_more_people_and_holds_the_share_that_was_expected(
    measure: str, nightly: bool
) -> None:
    studies = 1000 if nightly else 40
    calls: list[int] = []
    precision = simulate_study_precision(
        first_condition_alone(planned_study(16, 8, measure)),
        {},
        Expectations(effect=-20.0),
        simulated_studies=studies,
        on_study_simulated=lambda: calls.append(1),
    )
    assert [rate.people for rate in precision.rates] == [8, 16, 32] and len(calls) == SIZES_TRIED * studies
    reaches = [rate.reach or 0 for rate in precision.rates]
    assert sorted(reaches, reverse=True) == reaches and reaches[-1] > 0
    for rate in precision.rates:
        assert (rate.held is None) == (measure == "time")
        assert rate.held is None or rate.held >= (0.93 if nightly else 0.85) * (studies - rate.without_interval)


def test_one_condition_of_too_many_people_at_too_few_problems_says_what_it_takes() -> None:
    precision = simulate_study_precision(
        first_condition_alone(planned_study(30, 4)), {}, Expectations(effect=-20.0), simulated_studies=5
    )
    assert precision.rates[1].reach is None and "problems" in precision.rates[1].reason


def test_a_study_of_two_conditions_has_no_precision_of_one() -> None:
    with pytest.raises(StatisticsError, match="exactly one condition"):
        simulate_study_precision(planned_study(12, 8), {}, Expectations(effect=-20.0), simulated_studies=1)
