"""The page of error rates and power says what simulated studies show."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from ....benchmarks.error_rates import A_THIRD, DIFFERENCES, SINGLE, Plan, Rate, Size, draw, marked, rates
from ....benchmarks.methods_not_used import randomisation

PAGE = Path(__file__).parents[4] / "docs/reference/error-rates.md"
ON_THE_PAGE = 2000
"""Studies that a rate of the page was counted in."""
SMALL = [Size(5, 12), Size(12, 8)]
NIGHTLY = [Size(5, 4), Size(8, 6), Size(20, 4), Size(20, 12), Size(30, 12), Size(60, 6)]


def rates_on_page(title: str, size: Size) -> list[list[float]]:
    """The rates of a row of the page, as shares, by column."""
    page_section = PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    (row,) = (line for line in page_section.splitlines() if line.startswith(f"| {size} |"))
    cells = [cell.replace("*", "").split() for cell in row.strip("|").split("|")[1:]]
    return [[float(number) / 100 for number in cell] for cell in cells]


def shares_agree(share: float, studies: int, claimed: float) -> bool:
    """True if two shares of so many studies may have one chance behind them (Fisher's exact test at 0.1 %)."""
    counts = round(share * studies), round(claimed * ON_THE_PAGE)
    count_table = [[counts[0], studies - counts[0]], [counts[1], ON_THE_PAGE - counts[1]]]
    return bool(stats.fisher_exact(np.array(count_table)).pvalue > 0.001)


def require_rate_as_on_page(rate: Rate, studies: int, missed: float, power: float | None = None) -> None:
    assert shares_agree(1 - rate.coverage, rate.printed_count, missed), (rate, missed)
    if power is not None:
        assert rate.alarmed is not None and shares_agree(rate.alarmed, rate.printed_count, power), (rate, power)
    assert rate.printed_count > 0.8 * studies


@pytest.mark.parametrize(
    "size", [*SMALL, *(pytest.param(size, marks=pytest.mark.nightly) for size in NIGHTLY)], ids=str
)
@pytest.mark.parametrize("design", ["Within persons", "Between persons"])
def test_intervals_and_tests_hold_what_the_page_says(design: str, size: Size, nightly: bool) -> None:
    studies = 400 if nightly else 40
    is_within_persons = design == "Within persons"
    if not is_within_persons and size.participants < 6:
        pytest.skip("a condition with two participants gets no interval")
    no_effect, third_rates, _, power = rates_on_page(design, size)
    quiet, effect = (
        rates(Plan(size, is_within_persons, effect_size), studies, seed=7) for effect_size in (0.0, A_THIRD)
    )
    for index, quantity in enumerate(DIFFERENCES):
        require_rate_as_on_page(quiet[quantity], studies, no_effect[index])
        require_rate_as_on_page(effect[quantity], studies, third_rates[index], power[index])


@pytest.mark.parametrize(
    "size", [*SMALL, *(pytest.param(size, marks=pytest.mark.nightly) for size in NIGHTLY)], ids=str
)
def test_intervals_of_one_condition_hold_what_the_page_says(size: Size, nightly: bool) -> None:
    studies = 400 if nightly else 40
    measured_rates = rates(Plan(size), studies, seed=8, one_condition=True)
    for quantity, (missed,) in zip(SINGLE, rates_on_page("One condition", size), strict=True):
        require_rate_as_on_page(measured_rates[quantity], studies, missed)


def test_a_randomisation_test_of_five_participants_can_find_nothing() -> None:
    """Three pairs have eight allocations, of which an allocation and its opposite are equally extreme."""
    study = draw(Plan(Size(5, 12), effect=math.log(0.1)), np.random.default_rng(5))
    assert randomisation(study, 0.0) >= 2 / 8


def test_the_page_marks_what_does_not_hold() -> None:
    assert [marked(rate, 600) for rate in (0.015, 0.035, 0.06, 0.07, 0.1)] == [
        "**1.5**",
        "3.5",
        "6.0",
        "7.0",
        "**10.0**",
    ]
