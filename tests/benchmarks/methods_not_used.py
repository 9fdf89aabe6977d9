"""Results of tests that the report does not use, on the studies of `error_rates.py`.

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
from benchwright_analysis.statistics.pseudo_values import log_restricted_time_pseudo_values
from benchwright_analysis.statistics.restricted_mean import restricted_mean_difference
from benchwright_analysis.statistics.variance_components import indicator_matrix, orthonormal_basis

from .error_rates import A_THIRD, CHANGE, LIMIT, SCENARIOS, SEED, Numbers, Plan, Size, StudySample, draw, rates, truth

STUDIES = 1000
VARIES = (0.0, 0.15, 0.3)
"""Standard deviations of the effect, as in `Plan`."""
HALVED = math.log(0.5)
EXHAUSTIVE = 10
"""Pairs of participants up to which all allocations are tried."""
ALLOCATIONS = 1023
WITHIN = tuple(Size(*dimensions) for dimensions in ((5, 12), (5, 40), (8, 6), (20, 4), (20, 12), (60, 6)))
KNOWN = tuple(Size(*dimensions) for dimensions in ((5, 4), (5, 12), (12, 8), (20, 4), (20, 12)))
FEW = (Size(30, 4), Size(60, 4))
BETWEEN = tuple(Size(*dimensions) for dimensions in ((12, 8), (20, 12), (60, 6)))

Test = Callable[[StudySample, float], float]
"""The p-value of a study, that the mean logarithm of time differs by so much."""


def studies(plan: Plan, count: int) -> Iterator[StudySample]:
    for number in range(count):
        yield draw(plan, np.random.default_rng([SEED, 2, number]))


def rejected(significance_test: Test, plan: Plan, count: int, *, true: bool) -> float:
    """In percent of studies: that there is no effect, or what is true of it."""
    log_means = truth(plan, np.random.default_rng([SEED, 0])).log_mean
    gap = log_means[1] - log_means[0] if true else 0.0
    return 100 * float(np.mean([significance_test(study, gap) < 0.05 for study in studies(plan, count)]))


def contributions(study: StudySample, gap: float, row_groups: NDArray[np.intp]) -> tuple[Numbers, Numbers]:
    """Of each group of rows to the numerator of the difference, and of each two to its denominator.

    Participants and problems are compared with themselves.
    """
    log_minutes, centred_condition = np.zeros(len(study.minutes)), study.second_condition - 0.5
    for is_second in (False, True):
        chosen_rows: Flags = (study.second_condition > 0) == is_second
        log_minutes[chosen_rows] = (
            log_restricted_time_pseudo_values(study.minutes[chosen_rows], study.passed_flags[chosen_rows], LIMIT)
            - gap * is_second
        )
    people, problems = (
        indicator_matrix(cluster_indexes, cluster_indexes.max() + 1)
        for cluster_indexes in (study.participant, study.problem_indexes)
    )
    basis = orthonormal_basis(np.hstack([people, problems]))
    group_conditions = indicator_matrix(row_groups, row_groups.max() + 1) * centred_condition[:, None]
    explained_part = basis.T @ group_conditions
    return group_conditions.T @ (
        log_minutes - basis @ (basis.T @ log_minutes)
    ), group_conditions.T @ group_conditions - explained_part.T @ explained_part


def randomisation(study: StudySample, gap: float) -> float:
    """Over the conditions that pairs could have had, with their order of problems."""
    numerators, denominators = contributions(study, gap, study.participant // 2)
    pair_count = len(numerators)
    if pair_count <= EXHAUSTIVE:
        signs = 1.0 - 2 * ((np.arange(2**pair_count)[:, None] >> np.arange(pair_count)) & 1)
    else:
        drawn_signs = np.random.default_rng([SEED, 3]).choice([-1.0, 1.0], (ALLOCATIONS, pair_count))
        signs = np.vstack([np.ones(pair_count), drawn_signs])
    effects = np.abs(signs @ numerators / np.einsum("ij,jk,ik->i", signs, denominators, signs))
    return float(np.mean(effects >= effects[0] * (1 - 1e-9)))


def log_rank(study: StudySample, _gap: float) -> float:
    return float(survdiff(study.minutes, study.passed_flags.astype(int), study.second_condition)[1])


def majorities(study: StudySample, _gap: float) -> float:
    """McNemar's exact test, of problems that most solved under one condition alone."""
    majority_flags = []
    for condition_index in (0, 1):
        chosen_rows = study.second_condition == condition_index
        solved_counts = np.bincount(
            study.problem_indexes[chosen_rows],
            study.passed_flags[chosen_rows],
            minlength=study.problem_indexes.max() + 1,
        )
        majority_flags.append(
            solved_counts / np.maximum(1, np.bincount(study.problem_indexes[chosen_rows], minlength=len(solved_counts)))
            > 0.5
        )
    first_only, second_only = (
        int((majority_flags[0] & ~majority_flags[1]).sum()),
        int((majority_flags[1] & ~majority_flags[0]).sum()),
    )
    return float(stats.binomtest(first_only, first_only + second_only).pvalue) if first_only + second_only else 1.0


def known_variance(size: Size, count: int) -> tuple[float, float]:
    """Rates at which mean minutes miss the truth, and find a third less, with the variance of all the studies."""
    plan = Plan(size, effect=A_THIRD)
    means = truth(plan, np.random.default_rng([SEED, 0])).mean
    values = []
    for study in studies(plan, count):
        with suppress(StatisticsError):
            values.append(
                restricted_mean_difference(
                    study.minutes, study.passed_flags, study.second_condition, LIMIT, study.cells
                ).value
            )
    differences = np.array(values)
    reach = stats.norm.ppf(0.975) * differences.std()
    missed, power = (
        100 * float(np.mean(np.abs(shifts) > reach)) for shifts in (differences - means[1] + means[0], differences)
    )
    return missed, power


def row(size: Size, count: int) -> str:
    """Of a study within persons."""
    missed = [rejected(randomisation, Plan(size, varies=varies), count, true=True) for varies in VARIES]
    power = rejected(randomisation, Plan(size, effect=A_THIRD), count, true=False)
    own_error_rate = 100 * (1 - rates(Plan(size, varies=VARIES[-1]), count, SEED)[CHANGE].coverage)
    allocations = 2 ** ((size.participants + 1) // 2)
    missed_cells = " | ".join(f"{percent:.1f}" for percent in missed)
    return f"| {size} | {allocations:,} | {missed_cells} | {power:.0f} | {own_error_rate:.1f} |"


def too_few_problems(count: int) -> Iterator[str]:
    """Share that intervals would miss if they were given."""
    with patch.object(crossed, "MANY_PARTICIPANTS", max(size.participants for size in FEW)):
        for size in FEW:
            for is_within in (True, False):
                for effect, varies in SCENARIOS.values():
                    size_rates = rates(Plan(size, is_within, effect, varies), count, SEED)
                    missed = " ".join(f"{100 * (1 - rate.coverage):.1f}" for rate in size_rates.values())
                    yield f"{size} within={is_within} effect={effect:.2f} varies={varies}: {missed}"


def main() -> None:
    """Writes a table, and the numbers of the sentences below it, to the standard output."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else STUDIES
    print("| size | allocations | none | varies by 0.15 | by 0.3 | power | the report's, by 0.3 |")
    print("| --- " * 7 + "|")
    for size in WITHIN:
        print(row(size, count), flush=True)
    for size in KNOWN:
        missed, power = known_variance(size, count)
        print(f"known variance {size}: missed {missed:.1f}, found {power:.0f}", flush=True)
    for size in BETWEEN:
        share = rejected(log_rank, Plan(size, is_within=False), count, true=False)
        print(f"log-rank {size}: {share:.0f}", flush=True)
    for size in WITHIN:
        print(
            f"majorities {size}: {rejected(majorities, Plan(size, effect=HALVED), count, true=False):.0f}", flush=True
        )
    for line in too_few_problems(count):
        print(line, flush=True)


if __name__ == "__main__":
    main()
