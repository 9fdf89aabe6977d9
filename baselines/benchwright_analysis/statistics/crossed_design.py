"""Participants and the problems that they tried, as tables that variances are estimated from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from benchwright_analysis.statistics.columns import Flags, Indices, Numbers, common_length, distinct_labels_and_indices
from benchwright_analysis.statistics.variance_components import (
    BetweenUnits,
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

    def select_rows(self, row_flags: Flags) -> CrossedCells:
        """Some of the rows."""
        row_indices = np.flatnonzero(row_flags).tolist()
        families = self.families
        return CrossedCells(
            [self.participants[row] for row in row_indices],
            [self.problems[row] for row in row_indices],
            [families[row] for row in row_indices] if families is not None else None,
        )


FEWEST_IN_A_CONDITION = 3
"""Of studies between persons."""


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
        common_length(
            values=row_count, participants=len(cells.participants), problems=len(cells.problems), families=len(families)
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

    def mean_variance_model(self, fixed_columns: Numbers) -> VarianceModel:
        """Of means around what the columns span: levels of participants and of problems vary."""
        if not self.participants:
            by_family = 1 < self._families < self.problems
            unit_indices, count = (self._family, self._families) if by_family else (self._problem, self.problems)
            return BetweenUnits(unit_indices, count, fixed_columns)
        tables = [self._people_indicators(), *self._problem_and_family_indicators()]
        return VarianceComponents(fixed_columns, [table for table in tables if table.shape[1] > 1])

    def residual_and_variance_model(
        self, second_group_indicator: Numbers, covariates: Sequence[Numbers], is_within: bool
    ) -> tuple[Numbers, VarianceModel]:
        """Of a difference, and what of the conditions is not determined by problems, participants and covariates."""
        people = self._people_indicators()
        problems = indicator_matrix(self._problem, self.problems)
        fixed_columns = np.hstack(
            [problems, *([people] if is_within else []), *(covariate[:, None] for covariate in covariates)]
        )
        basis = orthonormal_basis(fixed_columns)
        level_tables = (
            []
            if is_within
            else [level[:, level.any(axis=0)] for level in _indicators_by_condition(people, second_group_indicator)]
        )
        slopes = [*self._problem_and_family_indicators(), *([people] if is_within else [])]
        side_weights = (second_group_indicator - 0.5)[:, None]
        effects = [table * side_weights for table in slopes if table.shape[1] > 1]
        level_tables = [table for table in level_tables if table.shape[1] > 1]
        components = VarianceComponents(
            np.column_stack([fixed_columns, second_group_indicator]),
            level_tables,
            effects,
            by_condition=True,
        )
        return second_group_indicator - basis @ (basis.T @ second_group_indicator), components

    def centre_by_problem(self, column: Numbers) -> Numbers:
        """Differences from the mean of the same problem."""
        sizes = np.bincount(self._problem, minlength=self.problems)
        means = np.bincount(self._problem, column, self.problems) / sizes
        residuals: Numbers = column - means[self._problem]
        return residuals

    def most_people_cross(self, second_group_indicator: Numbers) -> bool:
        """True if most participants worked under both conditions."""
        in_first, in_second = (
            self._people_on_side(1 - second_group_indicator),
            self._people_on_side(second_group_indicator),
        )
        return self.participants > 0 and bool(2 * (in_first & in_second).sum() >= self.participants)

    def has_shared_problems(self, second_group_indicator: Numbers) -> bool:
        """True if a problem was tried under both conditions."""
        first_problems, second_problems = (
            set(self._problem[second_group_indicator == 0].tolist()),
            set(self._problem[second_group_indicator == 1].tolist()),
        )
        return bool(first_problems & second_problems)

    def too_few_people_reason(self, second_group_indicator: Numbers) -> str:
        """Reason why participants of one condition are too few, where each works under one condition."""
        fewest = (
            min(
                int(self._people_on_side(side).sum())
                for side in (1 - second_group_indicator, second_group_indicator)
                if self._has_people_on_side(side)
            )
            if self.participants
            else FEWEST_IN_A_CONDITION
        )
        if fewest >= FEWEST_IN_A_CONDITION:
            return ""
        return f"Too few participants in a condition: {fewest}, and it takes {FEWEST_IN_A_CONDITION}."

    def _has_people_on_side(self, side_weights: Numbers) -> bool:
        return bool((self._person[side_weights > 0] >= 0).any())

    def _people_on_side(self, side_weights: Numbers) -> Flags:
        side_rows = (side_weights > 0) & (self._person >= 0)
        is_present: Flags = np.bincount(self._person[side_rows], minlength=self.participants) > 0
        return is_present

    def _people_indicators(self) -> Numbers:
        return indicator_matrix(self._person, self.participants)

    def _problem_and_family_indicators(self) -> list[Numbers]:
        tables = [indicator_matrix(self._problem, self.problems)]
        return [*tables, indicator_matrix(self._family, self._families)] if self._families < self.problems else tables


def _indicators_by_condition(people_indicators: Numbers, second_group_indicator: Numbers) -> list[Numbers]:
    return [people_indicators * side[:, None] for side in (1 - second_group_indicator, second_group_indicator)]
