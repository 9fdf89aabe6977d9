"""Participants and the problems that they tried, as tables that variances are estimated from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from benchwright_analysis.statistics.columns import (
    Flags,
    Indices,
    Numbers,
    common_column_length,
    distinct_labels_and_indices,
)
from benchwright_analysis.statistics.variance_components import (
    BetweenUnitVariance,
    Variance,
    VarianceComponents,
    indicator_matrix,
    orthonormal_basis,
)


@dataclass(frozen=True)
class CrossedCells:
    """Participant and problem, by row."""

    participants: Sequence[Hashable | None]
    """`None` for a model: it is not drawn from a population of models."""
    problems: Sequence[Hashable]
    families: Sequence[Hashable] | None = None
    """Problems that vary one task belong together; without it each problem is its own."""
    clusters: Sequence[Hashable | None] | None = None
    """Site or section of the row's participant; `None` or empty for who is in none, and for models."""

    def select_rows(self, row_flags: Flags) -> CrossedCells:
        """Some of the rows."""
        row_indices = np.flatnonzero(row_flags).tolist()
        families, clusters = self.families, self.clusters
        return CrossedCells(
            [self.participants[row] for row in row_indices],
            [self.problems[row] for row in row_indices],
            [families[row] for row in row_indices] if families is not None else None,
            [clusters[row] for row in row_indices] if clusters is not None else None,
        )


FEWEST_IN_A_CONDITION = 3
"""Of studies between persons."""
FEWEST_CLUSTERS = 5
"""With fewer, clusters do not show how much they vary."""


class VarianceModel(Protocol):
    """Model of how a weighted sum of values varies."""

    def variance_of(self, weights: Numbers, value_column: Numbers) -> Variance | None:
        """Its variance; `None` if there is nothing to estimate it from."""


class CrossedDesign:
    """The pattern of participants and problems."""

    def __init__(self, cells: CrossedCells, row_count: int) -> None:
        """Sort the rows.

        Args:
            cells: Participant and problem of each row.
            row_count: Number of rows there have to be.

        Raises:
            StatisticsError: Lengths differ, or a problem is missing.
        """
        families = cells.families if cells.families is not None else cells.problems
        clusters = cells.clusters if cells.clusters is not None else [None] * row_count
        common_column_length(
            values=row_count,
            participants=len(cells.participants),
            problems=len(cells.problems),
            families=len(families),
            clusters=len(clusters),
        )
        people = [None if participant is None else str(participant) for participant in cells.participants]
        names = sorted({person for person in people if person is not None})
        person_indices = {name: index for index, name in enumerate(names)}
        self._person: Indices = np.array(
            [-1 if person is None else person_indices[person] for person in people], dtype=np.intp
        )
        self.participants = len(names)
        """Distinct participants."""
        problems, self._problem = distinct_labels_and_indices(cells.problems, "Problems")
        self.problems = len(problems)
        """Distinct problems."""
        units, self._family = distinct_labels_and_indices(families, "Families")
        self._families = len(units)
        # Who is in no cluster is a cluster of one.
        unit_of_row = [
            None if person is None else ("cluster", str(cluster)) if cluster not in (None, "") else ("person", person)
            for person, cluster in zip(people, clusters, strict=True)
        ]
        unit_indices = {unit: index for index, unit in enumerate(sorted({unit for unit in unit_of_row if unit}))}
        self._cluster: Indices = np.array(
            [-1 if unit is None else unit_indices[unit] for unit in unit_of_row], dtype=np.intp
        )
        self._cluster_count = len(unit_indices)

    @property
    def cluster_count(self) -> int:
        """Distinct clusters of participants; 0 if each participant is on their own, or no other is in the data."""
        return self._cluster_count if 1 < self._cluster_count < self.participants else 0

    @property
    def has_one_attempt_per_problem(self) -> bool:
        """True if each problem was tried once, by one participant: what it adds is chance within the participant."""
        observation_count = len(self._problem)
        return (
            1
            < self.participants
            < observation_count
            == self.problems
            == self._families
            == int((self._person >= 0).sum())
        )

    def varying_cluster_count(self, second_group_indicator: Numbers | None = None) -> int:
        """Clusters, if an interval holds for others than these; else 0.

        Args:
            second_group_indicator: Of a difference; without it, of a mean.
        """
        has_enough = self.cluster_count >= FEWEST_CLUSTERS
        if second_group_indicator is None or self._have_most_clusters_both_conditions(second_group_indicator):
            return self.cluster_count if has_enough else 0
        return 0 if self.have_most_people_both_conditions(second_group_indicator) else self.cluster_count

    def variance_model_of_means(self, fixed_columns: Numbers) -> VarianceModel:
        """Of means around what the columns span: levels of participants and of problems vary."""
        if not self.participants:
            by_family = 1 < self._families < self.problems
            unit_indices, count = (self._family, self._families) if by_family else (self._problem, self.problems)
            return BetweenUnitVariance(unit_indices, count, fixed_columns)
        people = self._cluster_indicators() if self.varying_cluster_count() else self._people_indicators()
        tables = [people, *self._problem_and_family_indicators()]
        return VarianceComponents(fixed_columns, [table for table in tables if table.shape[1] > 1])

    def residual_treatment_and_variance_model(
        self, second_group_indicator: Numbers, covariates: Sequence[Numbers], is_within: bool
    ) -> tuple[Numbers, VarianceModel]:
        """Of a difference, and what of the conditions is not determined by problems, participants and covariates.

        Where clusters have a condition each, they are what varies, in place of participants. Where they have both, the
        effect may differ between them, in place of participants too; a few are compared with themselves.
        """
        clusters_cross = self._have_most_clusters_both_conditions(second_group_indicator)
        is_by_cluster = self.cluster_count > 0 and not clusters_cross and not is_within
        people = self._cluster_indicators() if is_by_cluster else self._people_indicators()
        has_own_problems = self.has_one_attempt_per_problem
        problems = (
            np.ones((len(self._problem), 1)) if has_own_problems else indicator_matrix(self._problem, self.problems)
        )
        levels_fixed = [people] if is_within else [self._cluster_indicators()] if clusters_cross else []
        fixed_columns = np.hstack([problems, *levels_fixed, *(covariate[:, None] for covariate in covariates)])
        basis = orthonormal_basis(fixed_columns)
        side_weights = (second_group_indicator - 0.5)[:, None]
        if clusters_cross and self.varying_cluster_count(second_group_indicator):
            levels, slopes = [self._cluster_indicators() * side_weights], []
        elif is_within:
            levels, slopes = [], [people]
        else:
            levels, slopes = _indicators_by_condition(people, second_group_indicator), []
        level_tables = [level[:, level.any(axis=0)] for level in levels]
        varying_problems = [] if has_own_problems else self._problem_and_family_indicators()
        effects = [table * side_weights for table in (*varying_problems, *slopes)]
        components = VarianceComponents(
            np.column_stack([fixed_columns, second_group_indicator]),
            [table for table in level_tables if table.shape[1] > 1],
            [table for table in effects if table.shape[1] > 1],
            by_condition=True,
        )
        return second_group_indicator - basis @ (basis.T @ second_group_indicator), components

    def centre_by_problem(self, column: Numbers) -> Numbers:
        """Differences from the mean of the same problem."""
        sizes = np.bincount(self._problem, minlength=self.problems)
        means = np.bincount(self._problem, column, self.problems) / sizes
        residuals: Numbers = column - means[self._problem]
        return residuals

    def have_most_people_both_conditions(self, second_group_indicator: Numbers) -> bool:
        """True if most participants worked under both conditions."""
        return self.participants > 0 and _most_units_cross(self._person, self.participants, second_group_indicator)

    def _have_most_clusters_both_conditions(self, second_group_indicator: Numbers) -> bool:
        """True if there are clusters, and most have both conditions."""
        return self.cluster_count > 0 and _most_units_cross(self._cluster, self._cluster_count, second_group_indicator)

    def has_shared_problems(self, second_group_indicator: Numbers) -> bool:
        """True if a problem was tried under both conditions."""
        first_problems, second_problems = (
            set(self._problem[second_group_indicator == 0].tolist()),
            set(self._problem[second_group_indicator == 1].tolist()),
        )
        return bool(first_problems & second_problems)

    def too_few_people_reason(self, second_group_indicator: Numbers) -> str:
        """Reason why participants, or clusters, of a condition are too few, where each works under one condition."""
        if not self.participants:
            return ""
        by_cluster = self.cluster_count > 0 and not self._have_most_clusters_both_conditions(second_group_indicator)
        places, count = (self._cluster, self._cluster_count) if by_cluster else (self._person, self.participants)
        sides = (
            _units_with_weight(places, count, side) for side in (1 - second_group_indicator, second_group_indicator)
        )
        fewest = min((int(is_present.sum()) for is_present in sides if is_present.any()), default=FEWEST_IN_A_CONDITION)
        if fewest >= FEWEST_IN_A_CONDITION:
            return ""
        noun = "clusters" if by_cluster else "participants"
        return f"Too few {noun} in a condition: {fewest}, and it takes {FEWEST_IN_A_CONDITION}."

    def _people_indicators(self) -> Numbers:
        return indicator_matrix(self._person, self.participants)

    def _cluster_indicators(self) -> Numbers:
        return indicator_matrix(self._cluster, self._cluster_count)

    def _problem_and_family_indicators(self) -> list[Numbers]:
        tables = [indicator_matrix(self._problem, self.problems)]
        return [*tables, indicator_matrix(self._family, self._families)] if self._families < self.problems else tables


def _units_with_weight(unit_indices: Indices, unit_count: int, side_weights: Numbers) -> Flags:
    side_rows = (side_weights > 0) & (unit_indices >= 0)
    is_present: Flags = np.bincount(unit_indices[side_rows], minlength=unit_count) > 0
    return is_present


def _most_units_cross(unit_indices: Indices, unit_count: int, second_group_indicator: Numbers) -> bool:
    in_first, in_second = (
        _units_with_weight(unit_indices, unit_count, side)
        for side in (1 - second_group_indicator, second_group_indicator)
    )
    return bool(2 * (in_first & in_second).sum() >= unit_count)


def _indicators_by_condition(people_indicators: Numbers, second_group_indicator: Numbers) -> list[Numbers]:
    return [people_indicators * side[:, None] for side in (1 - second_group_indicator, second_group_indicator)]
