"""Clusters of participants: what a site or a section has in common is chance, not effect."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright_analysis.statistics.columns import Numbers
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_difference, crossed_mean, crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells

PERSON, PROBLEM, WITHIN, SITE = 0.4, 0.5, 0.45, 0.4
"""Standard deviations between people of a site, between problems, within both, and between sites."""
PROBLEMS = 8


def site_sizes(sites: int, people: int, random: np.random.Generator, *, unequal: bool) -> list[int]:
    """Participants of each site; unequal ones as a few large sites and several small ones have them."""
    if not unequal:
        return [people // sites] * sites
    return [max(2, int(share * people)) for share in random.dirichlet(np.full(sites, 1.5))]


def draw_clustered_study(
    random: np.random.Generator, design: str, sites: int, people: int, *, effect_varies: float, unequal: bool
) -> tuple[Numbers, Numbers, CrossedCells]:
    """A study without an effect: values, second condition, cells."""
    problem_levels = random.normal(0, PROBLEM, PROBLEMS)
    site_condition = random.permutation(np.arange(sites) % 2)
    simulated_rows: list[tuple[float, int, str, int, int]] = []
    for site, size in enumerate(site_sizes(sites, people, random, unequal=unequal)):
        site_level, site_effect = random.normal(0, SITE), random.normal(0, effect_varies)
        order = random.permutation(size)
        for person in range(size):
            level = site_level + random.normal(0, PERSON)
            for problem in range(PROBLEMS):
                second = {
                    "sites": site_condition[site],
                    "people": order[person] % 2,
                    "tasks": (person + problem + site) % 2,
                }[design]
                value = level + problem_levels[problem] + second * site_effect + random.normal(0, WITHIN)
                simulated_rows.append((value, int(second), f"{site}-{person}", problem, site))
    values, second_condition, participants, problem_indices, clusters = zip(*simulated_rows, strict=True)
    cells = CrossedCells(participants, problem_indices, None, clusters)
    return np.array(values), np.array(second_condition, dtype=float), cells


def alarms_and_misses(
    design: str, sites: int, studies: int, *, effect_varies: float, unequal: bool, people: int = 60, seed: int = 3
) -> tuple[float, float]:
    """Shares of studies whose difference is found although there is none, and whose mean's interval misses it."""
    random = np.random.default_rng(seed)
    alarms = misses = 0
    for _ in range(studies):
        values, second, cells = draw_clustered_study(
            random, design, sites, people, effect_varies=effect_varies, unequal=unequal
        )
        difference, mean = crossed_difference(values, second, cells), crossed_mean(values, cells)
        assert difference.p_value is not None and mean.low is not None and mean.high is not None, difference.note
        alarms += difference.p_value < 0.05
        misses += not mean.low <= 0 <= mean.high
    return alarms / studies, misses / studies


@pytest.mark.parametrize(
    ("design", "effect_varies", "sites", "unequal"),
    [
        ("sites", 0.0, 6, False),
        ("people", 0.3, 6, True),
        ("tasks", 0.3, 6, False),
        *(
            pytest.param(*design_parameters, marks=pytest.mark.nightly)
            for design_parameters in (
                ("sites", 0.0, 6, True),
                ("sites", 0.0, 12, True),
                ("people", 0.0, 6, False),
                ("people", 0.3, 6, False),
                ("tasks", 0.0, 6, False),
                ("tasks", 0.3, 12, True),
            )
        ),
    ],
)
def test_what_sites_have_in_common_raises_no_false_alarm(
    design: str, effect_varies: float, sites: int, unequal: bool, nightly: bool
) -> None:
    studies = 1000 if nightly else 80
    alarms, misses = alarms_and_misses(design, sites, studies, effect_varies=effect_varies, unequal=unequal)
    # Of 80 studies at a level of 5 %, 12 or more are false alarms once in 700 such tests.
    assert max(alarms, misses) <= (0.075 if nightly else 0.145), (alarms, misses)


def test_without_the_column_a_third_of_studies_at_six_sites_would_find_what_is_not_there() -> None:
    random = np.random.default_rng(4)
    alarms = 0
    for _ in range(40):
        values, second, cells = draw_clustered_study(random, "sites", 6, 60, effect_varies=0.0, unequal=False)
        p = crossed_difference(values, second, CrossedCells(cells.participants, cells.problems)).p_value
        alarms += p is not None and p < 0.05
    assert alarms >= 10


def draw_balanced_study(site_count: int) -> tuple[Numbers, Numbers, CrossedCells]:
    return draw_clustered_study(
        np.random.default_rng(1), "sites", site_count, 8 * site_count, effect_varies=0.0, unequal=False
    )


def test_a_balanced_design_of_sites_is_student_s_t_of_site_means() -> None:
    """With sites alike in size, the difference and its error are those of the sites' means."""
    values, second, cells = draw_balanced_study(8)
    clusters = np.array(cells.clusters)
    site_means = np.array([values[clusters == site].mean() for site in range(8)])
    site_second = np.array([second[clusters == site][0] for site in range(8)])
    first_means, second_means = site_means[site_second == 0], site_means[site_second == 1]
    pooled = (first_means.var(ddof=1) + second_means.var(ddof=1)) / 2
    difference = crossed_difference(values, second, cells)
    assert difference.value == pytest.approx(second_means.mean() - first_means.mean())
    assert difference.standard_error == pytest.approx(np.sqrt(pooled * 2 / 4), rel=0.12)
    assert difference.clusters == 8


def test_two_sites_with_a_condition_each_show_nothing_of_the_condition() -> None:
    difference = crossed_difference(*draw_balanced_study(4))
    assert difference.p_value is None
    assert difference.note == "Too few clusters in a condition: 2, and it takes 3."


def test_a_few_sites_that_have_both_conditions_are_compared_with_themselves() -> None:
    random = np.random.default_rng(2)
    values, second, cells = draw_clustered_study(random, "people", 3, 60, effect_varies=0.0, unequal=False)
    alone = crossed_difference(values, second, CrossedCells(cells.participants, cells.problems))
    among_sites = crossed_difference(values, second, cells)
    assert among_sites.clusters == 0
    assert among_sites.p_value is not None
    assert _error(among_sites) < _error(alone)


def test_a_share_that_everybody_reaches_is_as_sure_as_its_clusters_are_many() -> None:
    participants, problem_indices = np.repeat(np.arange(30), 10), np.tile(np.arange(10), 30)
    sites = CrossedCells(participants.tolist(), problem_indices.tolist(), None, (participants // 5).tolist())
    everybody = crossed_share(np.ones(300), sites)
    alone = crossed_share(np.ones(300), CrossedCells(participants.tolist(), problem_indices.tolist()))
    assert everybody.low is not None and alone.low is not None and everybody.low < alone.low


def test_clusters_of_one_change_nothing() -> None:
    values, second, cells = draw_clustered_study(
        np.random.default_rng(5), "tasks", 6, 30, effect_varies=0.0, unequal=False
    )
    each_alone = CrossedCells(cells.participants, cells.problems, None, cells.participants)
    without = CrossedCells(cells.participants, cells.problems)
    assert crossed_difference(values, second, each_alone) == crossed_difference(values, second, without)


def _error(difference: CrossedEstimate) -> float:
    assert difference.standard_error is not None
    return difference.standard_error
