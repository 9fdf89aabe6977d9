"""What tests that the report does not use would do on the studies of `error_rates.py`.

    nice .venv/bin/python -m tests.benchmarks.methods_not_used [STUDIES]

The last section of `docs/reference/error-rates.md` has what it prints.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from statsmodels.duration.survfunc import survdiff

from benchwright_analysis.statistics import crossed
from benchwright_analysis.statistics.columns import Flags
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.pseudo_values import log_restricted_times
from benchwright_analysis.statistics.restricted_mean import restricted_mean_difference
from benchwright_analysis.statistics.variance_components import indicator, projector

from .error_rates import A_THIRD, CHANGE, LIMIT, SCENARIOS, SEED, Drawn, Numbers, Plan, Size, draw, rates, truth

STUDIES = 1000
VARIES = (0.0, 0.15, 0.3)
"""Standard deviations of the effect, as in `Plan`."""
HALVED = math.log(0.5)
EXHAUSTIVE = 10
"""Pairs of participants up to which all allocations are tried."""
ALLOCATIONS = 1023
WITHIN = tuple(Size(*one) for one in ((5, 12), (5, 40), (8, 6), (20, 4), (20, 12), (60, 6)))
KNOWN = tuple(Size(*one) for one in ((5, 4), (5, 12), (12, 8), (20, 4), (20, 12)))
FEW = (Size(30, 4), Size(60, 4))
BETWEEN = tuple(Size(*one) for one in ((12, 8), (20, 12), (60, 6)))

Test = Callable[[Drawn, float], float]
"""The p-value of a study, that the mean logarithm of time differs by so much."""


def studies(plan: Plan, count: int) -> Iterator[Drawn]:
    for number in range(count):
        yield draw(plan, np.random.default_rng([SEED, 2, number]))


def rejected(test: Test, plan: Plan, count: int, *, true: bool) -> float:
    """In percent of studies: that there is no effect, or what is true of it."""
    logs = truth(plan, np.random.default_rng([SEED, 0])).log_mean
    gap = logs[1] - logs[0] if true else 0.0
    return 100 * float(np.mean([test(study, gap) < 0.05 for study in studies(plan, count)]))


def contributions(study: Drawn, gap: float, groups: NDArray[np.intp]) -> tuple[Numbers, Numbers]:
    """Of each group of rows to the numerator of the difference, and of each two to its denominator.

    Participants and problems are compared with themselves.
    """
    values, side = np.zeros(len(study.minutes)), study.second - 0.5
    for second in (False, True):
        here: Flags = (study.second > 0) == second
        values[here] = log_restricted_times(study.minutes[here], study.passed[here], LIMIT) - gap * second
    people, problems = (indicator(one, one.max() + 1) for one in (study.participant, study.problem))
    basis = projector(np.hstack([people, problems]))
    sides = indicator(groups, groups.max() + 1) * side[:, None]
    part = basis.T @ sides
    return sides.T @ (values - basis @ (basis.T @ values)), sides.T @ sides - part.T @ part


def randomisation(study: Drawn, gap: float) -> float:
    """Over the conditions that pairs could have had, with their order of problems."""
    above, below = contributions(study, gap, study.participant // 2)
    pairs = len(above)
    if pairs <= EXHAUSTIVE:
        signs = 1.0 - 2 * ((np.arange(2**pairs)[:, None] >> np.arange(pairs)) & 1)
    else:
        drawn = np.random.default_rng([SEED, 3]).choice([-1.0, 1.0], (ALLOCATIONS, pairs))
        signs = np.vstack([np.ones(pairs), drawn])
    found = np.abs(signs @ above / np.einsum("ij,jk,ik->i", signs, below, signs))
    return float(np.mean(found >= found[0] * (1 - 1e-9)))


def log_rank(study: Drawn, _gap: float) -> float:
    return float(survdiff(study.minutes, study.passed.astype(int), study.second)[1])


def majorities(study: Drawn, _gap: float) -> float:
    """McNemar's exact test, of problems that most solved under one condition alone."""
    shares = []
    for side in (0, 1):
        here = study.second == side
        solved = np.bincount(study.problem[here], study.passed[here], minlength=study.problem.max() + 1)
        shares.append(solved / np.maximum(1, np.bincount(study.problem[here], minlength=len(solved))) > 0.5)
    first, second = int((shares[0] & ~shares[1]).sum()), int((shares[1] & ~shares[0]).sum())
    return float(stats.binomtest(first, first + second).pvalue) if first + second else 1.0


def known_variance(size: Size, count: int) -> tuple[float, float]:
    """How often mean minutes miss the truth, and find a third less, with the variance of all the studies."""
    plan = Plan(size, effect=A_THIRD)
    means = truth(plan, np.random.default_rng([SEED, 0])).mean
    values = []
    for one in studies(plan, count):
        with suppress(StatisticsError):
            values.append(restricted_mean_difference(one.minutes, one.passed, one.second, LIMIT, one.cells).value)
    found = np.array(values)
    reach = stats.norm.ppf(0.975) * found.std()
    missed, told = (100 * float(np.mean(np.abs(each) > reach)) for each in (found - means[1] + means[0], found))
    return missed, told


def row(size: Size, count: int) -> str:
    """Of a study within persons."""
    missed = [rejected(randomisation, Plan(size, varies=varies), count, true=True) for varies in VARIES]
    found = rejected(randomisation, Plan(size, effect=A_THIRD), count, true=False)
    ours = 100 * (1 - rates(Plan(size, varies=VARIES[-1]), count, SEED)[CHANGE].held)
    allocations = 2 ** ((size.participants + 1) // 2)
    return f"| {size} | {allocations:,} | {' | '.join(f'{one:.1f}' for one in missed)} | {found:.0f} | {ours:.1f} |"


def too_few_problems(count: int) -> Iterator[str]:
    """What intervals would miss if they were given."""
    with patch.object(crossed, "MANY_PARTICIPANTS", max(size.participants for size in FEW)):
        for size in FEW:
            for within in (True, False):
                for effect, varies in SCENARIOS.values():
                    found = rates(Plan(size, within, effect, varies), count, SEED)
                    missed = " ".join(f"{100 * (1 - one.held):.1f}" for one in found.values())
                    yield f"{size} within={within} effect={effect:.2f} varies={varies}: {missed}"


def main() -> None:
    """Writes a table, and the numbers of the sentences below it, to the standard output."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else STUDIES
    print("| size | allocations | none | varies by 0.15 | by 0.3 | power | the report's, by 0.3 |")
    print("| --- " * 7 + "|")
    for size in WITHIN:
        print(row(size, count), flush=True)
    for size in KNOWN:
        missed, told = known_variance(size, count)
        print(f"known variance {size}: missed {missed:.1f}, found {told:.0f}", flush=True)
    for size in BETWEEN:
        share = rejected(log_rank, Plan(size, within=False), count, true=False)
        print(f"log-rank {size}: {share:.0f}", flush=True)
    for size in WITHIN:
        print(
            f"majorities {size}: {rejected(majorities, Plan(size, effect=HALVED), count, true=False):.0f}", flush=True
        )
    for line in too_few_problems(count):
        print(line, flush=True)


if __name__ == "__main__":
    main()
