"""People and models on one scale: what is planted comes back, and what can't be seen is not shown."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.ability_scale import ability_scale_section
from benchwright_analysis.statistics.columns import Numbers
from benchwright_analysis.statistics.differential import EffectClass, differential_functioning
from benchwright_analysis.statistics.equating import equate_forms
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.item_response import fit_and_test_ability_scale, fit_rasch
from benchwright_analysis.statistics.reliability import reliability
from benchwright_analysis.statistics.response_table import ResponseTable
from benchwright_judges.agreement.estimators import Estimate

from ....support.packs.report_sections import attempt, words


def simulated_responses(
    random: np.random.Generator,
    abilities: Numbers,
    difficulties: Numbers,
    *,
    slopes: Numbers | float = 1.0,
    harder: Numbers | float = 0.0,
    missing: float = 0.0,
    guessed: float = 0.0,
    first_number: int = 0,
) -> ResponseTable:
    """Results at problems of a known difficulty by solvers of a known ability."""
    chances = special.expit(slopes * (abilities[:, None] - difficulties - harder))
    passes = (random.random(chances.shape) < guessed + (1 - guessed) * chances).astype(np.float64)
    passes[random.random(chances.shape) < missing] = np.nan
    return ResponseTable(
        tuple(f"s{row}" for row in range(len(abilities))),
        tuple(f"p{column + first_number}" for column in range(len(difficulties))),
        passes,
    )


def interval_covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


class ScaleCoverage:
    """Shares of intervals that hold the truth, over many simulated sets of results."""

    def __init__(self, studies: int, solvers: int, *, spread: float = 0.0, missing: float = 0.0, guess: float = 0.0):
        ability_flags: list[bool] = []
        difficulty_flags: list[bool] = []
        self.refuted = 0
        for number in range(studies):
            random = np.random.default_rng((11, solvers, number))
            difficulties = random.normal(0, 1, 20)
            slopes = np.exp(random.normal(0, spread, 20))
            abilities = random.normal(0, 1, solvers) + np.where(np.arange(solvers) % 2, 1.0, 0.0)
            response_table = simulated_responses(
                random, abilities, difficulties, slopes=slopes, missing=missing, guessed=guess
            )
            varying, alike = response_table.split_off_constant_problems()
            fitted = fit_rasch(varying, alike)
            self.refuted += fitted.misfit_p < 0.05
            origin = float(np.mean([difficulties[int(name[1:])] for name in fitted.difficulties]))
            ability_flags += [
                interval_covers(estimate, abilities[int(name[1:])] - origin)
                for name, estimate in fitted.abilities.items()
            ]
            difficulty_flags += [
                interval_covers(estimate, difficulties[int(name[1:])] - origin)
                for name, estimate in fitted.difficulties.items()
            ]
        self.abilities, self.difficulties = float(np.mean(ability_flags)), float(np.mean(difficulty_flags))
        self.refuted_share = self.refuted / studies


@pytest.mark.parametrize(
    ("solvers", "missing"),
    [
        (50, 0.0),
        pytest.param(20, 0.0, marks=pytest.mark.nightly),
        pytest.param(50, 0.4, marks=pytest.mark.nightly),
        pytest.param(300, 0.0, marks=pytest.mark.nightly),
    ],
)
def test_planted_abilities_and_difficulties_are_within_their_intervals(
    solvers: int, missing: float, nightly: bool
) -> None:
    coverage = ScaleCoverage(200 if nightly else 6, solvers, missing=missing)
    assert coverage.abilities >= (0.94 if nightly else 0.91)
    assert coverage.difficulties >= (0.93 if nightly else 0.88)
    assert coverage.refuted_share <= (0.10 if nightly else 0.34)


@pytest.mark.nightly
@pytest.mark.parametrize(("solvers", "least", "most"), [(20, 0.3, 0.6), (50, 0.75, 1.0), (300, 0.99, 1.0)])
def test_problems_that_separate_unlike_each_other_are_seen_by_fifty_solvers_and_not_by_twenty(
    solvers: int, least: float, most: float
) -> None:
    coverage = ScaleCoverage(200, solvers, spread=0.7)
    assert least <= coverage.refuted_share <= most
    assert coverage.abilities >= 0.94, "abilities hold all the same"
    assert coverage.difficulties < 0.93, "difficulties do not"


@pytest.mark.nightly
def test_guessing_breaks_intervals_which_is_why_choices_are_left_out() -> None:
    assert ScaleCoverage(100, 300, guess=0.25).difficulties < 0.8


def test_difficulties_are_those_of_another_implementation() -> None:
    """girth 0.8.0, `onepl_mml`, on the same results; difficulty times discrimination, centred."""
    random = np.random.default_rng(1)
    abilities, difficulties = random.normal(0, 1, 60), np.linspace(-1.5, 1.5, 8)
    passes = (random.random((60, 8)) < special.expit(abilities[:, None] - difficulties)).astype(np.float64)
    fitted = fit_rasch(ResponseTable(tuple(map(str, range(60))), tuple("abcdefgh"), passes))
    expected = [-1.463, -1.355, -0.56, -0.407, 0.476, 0.708, 0.955, 1.646]
    assert [estimate.value for estimate in fitted.difficulties.values()] == pytest.approx(expected, abs=0.02)


def test_too_few_solvers_get_no_scale_and_are_told_how_many_it_takes() -> None:
    response_table = simulated_responses(np.random.default_rng(1), np.linspace(-2, 2, 20), np.linspace(-2, 2, 20))
    with pytest.raises(StatisticsError, match=r"20 solvers and 20 problems .* takes 50 and 10"):
        fit_and_test_ability_scale(response_table)


def test_unlike_slopes_get_no_scale() -> None:
    random = np.random.default_rng(4)
    slopes = np.where(np.arange(20) % 2, 3.0, 0.3)
    with pytest.raises(StatisticsError, match="unlike each other"):
        fit_and_test_ability_scale(
            simulated_responses(random, random.normal(0, 1, 200), random.normal(0, 1, 20), slopes=slopes)
        )


def test_solvers_who_share_no_problem_get_no_scale() -> None:
    random = np.random.default_rng(5)
    response_table = simulated_responses(random, random.normal(0, 1, 80), random.normal(0, 0.5, 20))
    passes = response_table.passes.copy()
    passes[:40, :10] = np.nan
    passes[40:, 10:] = np.nan
    with pytest.raises(StatisticsError, match="fall into 2 parts"):
        fit_and_test_ability_scale(ResponseTable(response_table.solvers, response_table.problems, passes))


def test_a_problem_that_all_solve_has_no_place_and_a_solver_who_solves_all_has() -> None:
    random = np.random.default_rng(6)
    response_table = simulated_responses(random, random.normal(0, 1, 60), random.normal(0, 1, 15))
    response_table.passes[:, 3] = 1.0
    response_table.passes[7] = 1.0
    fitted = fit_and_test_ability_scale(response_table)
    assert fitted.alike == ("p3",) and "p3" not in fitted.difficulties
    best = fitted.abilities["s7"]
    assert best.value == max(estimate.value or 0 for estimate in fitted.abilities.values())
    assert best.high is not None and best.high < 20


def test_of_several_tries_of_a_solver_the_first_counts() -> None:
    response_table = ResponseTable.from_results([("a", "p", False), ("a", "p", True), ("b", "q", True)])
    assert response_table.passes[0, 0] == 0 and response_table.missing_count == 2


def kr20_by_hand(passes: Numbers) -> float:
    shares, count = passes.mean(axis=0), passes.shape[1]
    return float(count / (count - 1) * (1 - (shares * (1 - shares)).sum() / passes.sum(axis=1).var()))


def test_kr20_and_the_error_of_measurement_are_their_formulas() -> None:
    random = np.random.default_rng(7)
    response_table = simulated_responses(random, random.normal(0, 1, 60), np.zeros(12))
    measured, expected = reliability(response_table), kr20_by_hand(response_table.passes)
    assert measured.kr20.value == pytest.approx(expected)
    spread = response_table.passes.sum(axis=1).std(ddof=1)
    assert measured.error.value == pytest.approx(spread * (1 - expected) ** 0.5)


def test_omega_of_equal_loadings_is_alpha() -> None:
    random = np.random.default_rng(8)
    measured = reliability(simulated_responses(random, random.normal(0, 1, 3000), np.zeros(8)))
    assert measured.omega.value == pytest.approx(measured.kr20.value, abs=0.01)


@pytest.mark.parametrize(
    ("solvers", "missing"),
    [(20, 0.0), *(pytest.param(n, m, marks=pytest.mark.nightly) for n, m in [(50, 0.0), (50, 0.4), (300, 0.0)])],
)
def test_reliability_is_within_its_interval_also_with_gaps(solvers: int, missing: float, nightly: bool) -> None:
    difficulties = np.random.default_rng(9).normal(0, 1, 15)
    random = np.random.default_rng(10)
    truth = kr20_by_hand(simulated_responses(random, random.normal(0, 1, 40_000), difficulties).passes)
    studies = 300 if nightly else 12
    held = sum(
        interval_covers(
            reliability(simulated_responses(random, random.normal(0, 1, solvers), difficulties, missing=missing)).kr20,
            truth,
        )
        for _ in range(studies)
    )
    assert held >= (0.90 if nightly else 0.75) * studies


def responses_with_planted_difference(
    random: np.random.Generator, each: int, harder: float
) -> tuple[ResponseTable, Numbers]:
    """Models are better by one logit, and the problem in the middle is harder for them."""
    difficulties = np.sort(random.normal(0, 1, 20))
    is_model = np.arange(2 * each) >= each
    shift = np.zeros((2 * each, 20))
    shift[is_model, 10] = harder
    abilities = random.normal(0, 1, 2 * each) + is_model
    return simulated_responses(random, abilities, difficulties, harder=shift), is_model.astype(np.float64)


@pytest.mark.parametrize(
    ("each", "harder", "least_detected"),
    [
        (300, 1.0, 0.8),
        pytest.param(50, 1.0, 0.0, marks=pytest.mark.nightly),
        pytest.param(50, 2.0, 0.35, marks=pytest.mark.nightly),
    ],
)
def test_a_planted_difference_is_within_its_interval_and_no_problem_is_accused_without_one(
    each: int, harder: float, least_detected: float, nightly: bool
) -> None:
    studies, held, detected, accused = (150 if nightly else 4), 0, 0, 0
    compared_tables = 0
    for number in range(studies):
        response_table, is_model = responses_with_planted_difference(
            np.random.default_rng((12, each, number)), each, harder
        )
        problem_differences = differential_functioning(response_table, is_model == 1)
        accused += any(difference.adjusted < 0.05 for name, difference in problem_differences.items() if name != "p10")
        if "p10" in problem_differences:
            compared_tables += 1
            held += interval_covers(problem_differences["p10"].delta, -2.35 * harder)
            detected += problem_differences["p10"].effect is not EffectClass.NEGLIGIBLE
    assert held >= (0.92 if nightly else 0.7) * compared_tables
    assert detected >= least_detected * studies - (not nightly)
    assert accused <= (0.10 if nightly else 0.5) * studies


def test_too_few_models_are_not_compared_problem_by_problem() -> None:
    response_table, is_model = responses_with_planted_difference(np.random.default_rng(1), 20, 2.0)
    with pytest.raises(StatisticsError, match=r"20 people and 20 models .* takes 50 of each"):
        differential_functioning(response_table, is_model == 1)


@pytest.mark.parametrize("solvers", [50, *(pytest.param(n, marks=pytest.mark.nightly) for n in (20, 300))])
def test_two_forms_are_joined_by_common_problems_and_one_that_drifted_is_left_out(solvers: int, nightly: bool) -> None:
    studies, held, drifted = (150 if nightly else 4), 0, 0
    for number in range(studies):
        random = np.random.default_rng((13, solvers, number))
        difficulties = random.normal(0, 1, 32)
        drifted_difficulties = difficulties.copy()
        drifted_difficulties[12] += 2.5
        first_form = simulated_responses(random, random.normal(0, 1, solvers), difficulties[:20])
        second_form = simulated_responses(
            random, random.normal(0.8, 1, solvers), drifted_difficulties[12:], first_number=12
        )
        first_fit, second_fit = (fit_rasch(*form.split_off_constant_problems()) for form in (first_form, second_form))
        equated = equate_forms(first_fit, second_fit)
        origins = [
            np.mean([values[int(name[1:])] for name in fitted.difficulties])
            for values, fitted in ((difficulties, first_fit), (drifted_difficulties, second_fit))
        ]
        held += interval_covers(equated.shift, float(origins[1] - origins[0]))
        drifted += "p12" in equated.drifted
    assert held >= (0.9 if nightly else 0.5) * studies
    assert drifted >= {20: 0.1, 50: 0.75, 300: 0.99}[solvers] * studies - (not nightly)
    assert list(equated.scores) == sorted(equated.scores), "who solves more is worth more"


def test_forms_with_little_in_common_are_not_joined() -> None:
    random = np.random.default_rng(3)
    first_form = simulated_responses(random, random.normal(0, 1, 60), random.normal(0, 1, 12))
    second_form = simulated_responses(random, random.normal(0, 1, 60), random.normal(0, 1, 12), first_number=9)
    with pytest.raises(StatisticsError, match="3 problems in common"):
        equate_forms(*(fit_rasch(*form.split_off_constant_problems()) for form in (first_form, second_form)))


def folded_attempts_of_people(people: int, **changes: str) -> list[object]:
    random = np.random.default_rng(14)
    abilities, difficulties = random.normal(0, 1, people), np.linspace(-1.5, 1.5, 12)
    solved = random.random((people, 12)) < special.expit(abilities[:, None] - difficulties)
    return [
        attempt(f"P{person}", f"p/{column}", "alone", seconds=60, passed=bool(solved[person, column]), **changes)
        for person in range(people)
        for column in range(12)
    ]


def test_a_page_of_twenty_people_has_the_reliability_and_says_why_there_is_no_scale() -> None:
    section = ability_scale_section(Dataset(folded_attempts_of_people(20), {}))  # type: ignore[arg-type]
    assert section is not None and [table.title for table in section.tables] == [
        "Reliability of the number of problems solved"
    ]
    assert "No scale is shown. There are 20 solvers and 12 problems" in words(section)
    assert "abilities" not in section.numbers


def test_a_page_of_sixty_people_has_the_scale() -> None:
    section = ability_scale_section(Dataset(folded_attempts_of_people(60), {}))  # type: ignore[arg-type]
    assert section is not None
    assert {"groups", "difficulties", "abilities"} <= {*section.numbers}
    assert [table.id for table in section.all_tables] == ["", "", "difficulties", "abilities"]


def test_choices_are_not_on_the_scale() -> None:
    section = ability_scale_section(
        Dataset(folded_attempts_of_people(60, format="multiple-choice"), {})  # type: ignore[arg-type]
    )
    assert section is not None and "12 problems with choices or assertions are not on the scale" in words(section)
    assert "abilities" not in section.numbers


def test_a_small_table_has_no_such_section() -> None:
    assert ability_scale_section(Dataset([attempt("P1", "p/a", "alone", seconds=60)], {})) is None
