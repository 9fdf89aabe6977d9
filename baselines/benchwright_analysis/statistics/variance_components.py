"""Variances of crossed random effects, and of a weighted sum under them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchwright_analysis.statistics.columns import Indices, Numbers

_LEAST_VARIANCE_SHARE = 0.6
"""Smallest variance left by negative components, where effects may not vary, as a part of that without any."""
_RANK_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Variance:
    """Of a weighted sum."""

    variance: float
    degrees_of_freedom: float


def indicator_matrix(column_indices: Indices, column_count: int) -> Numbers:
    """A table with a one where a row belongs; rows with a negative place belong nowhere."""
    indicator_table = np.zeros((len(column_indices), column_count))
    row_indices = np.flatnonzero(column_indices >= 0)
    indicator_table[row_indices, column_indices[row_indices]] = 1.0
    return indicator_table


def orthonormal_basis(matrix: Numbers) -> Numbers:
    """An orthonormal basis of what the columns span."""
    # Of the small table of products: rows are many.
    eigenvalues, eigenvectors = np.linalg.eigh(matrix.T @ matrix)
    is_significant = eigenvalues > eigenvalues[-1] * _RANK_TOLERANCE
    basis: Numbers = matrix @ eigenvectors[:, is_significant] / np.sqrt(eigenvalues[is_significant])
    return basis


class VarianceComponents:
    """The model y = X b + sum of Z_k u_k + e with independent u_k ~ N(0, s_k) and e ~ N(0, s_e).

    MIVQUE(0) equates the quadratic forms |Z_k' M y|² and |M y|², M the annihilator of X, with their expectations.
    All is computed from Z' M Z, so that rows cost next to nothing.
    """

    def __init__(
        self,
        fixed_effects: Numbers,
        level_indicators: Sequence[Numbers],
        doubtful_indicators: Sequence[Numbers] = (),
        *,
        by_condition: bool = False,
    ) -> None:
        """Prepare a design.

        Args:
            fixed_effects: Rows by columns of X.
            level_indicators: The Z_k, each rows by levels of an effect.
            doubtful_indicators: More of them, of effects that may not vary at all. Leaving out what is estimated at 0
                or below would make the variance too large on average, so nothing is, and they have a `widening`.
            by_condition: True if `level_indicators` are of one effect under each condition, which may vary more under
                one. Degrees of freedom are those of equal variances: estimated ones would make them too few.
        """
        row_count = len(fixed_effects)
        self._doubtful_count, self._by_condition = len(doubtful_indicators), by_condition
        tables = [*level_indicators, *doubtful_indicators]
        self._basis = orthonormal_basis(fixed_effects)
        self._indicators = np.hstack([*tables, np.zeros((row_count, 0))])
        level_counts = [table.shape[1] for table in tables]
        self._first_columns = np.cumsum([0, *level_counts[:-1]]) if level_counts else np.zeros(0, dtype=np.intp)
        basis_part = self._basis.T @ self._indicators
        self._gram = self._indicators.T @ self._indicators - basis_part.T @ basis_part
        self._residual_freedom = row_count - self._basis.shape[1]
        self._effect_count = len(tables)
        self._inverses: dict[tuple[int, ...], Numbers] = {}
        self._expected = self._expectation_matrix(self._gram**2, np.diag(self._gram), float(self._residual_freedom))
        self._effect_freedoms: Numbers = self._expected[:-1, -1] ** 2 / np.maximum(np.diag(self._expected)[:-1], 1e-300)
        """Of each effect, as many levels as its quadratic form has degrees of freedom."""

    def variance_of(self, weights: Numbers, value_column: Numbers) -> Variance | None:
        """The variance of `weights @ values` and how many degrees of freedom its estimate has.

        Components are left out where they are not above 0, and the others estimated again. In Satterthwaite's formula
        a component's term is its mean square, squared, over its degrees of freedom; of a doubtful one it is the mean
        square times the component's own part in it.

        Returns:
            `None` if nothing is left to estimate it from.
        """
        if self._residual_freedom < 1:
            return None
        residuals = value_column - self._basis @ (self._basis.T @ value_column)
        observed_sums = np.append(self._sums_by_effect((self._indicators.T @ residuals) ** 2), residuals @ residuals)
        weight_sums = np.append(self._sums_by_effect((self._indicators.T @ weights) ** 2), weights @ weights)
        components, kept_indices = self._positive_components(observed_sums)
        residual_variance = float(weight_sums[-1] * components[-1])
        variance = float(weight_sums @ components)
        if self._doubtful_count:
            unconstrained_variance = float(
                weight_sums @ self._inverse_of_expected(list(range(self._effect_count + 1))) @ observed_sums
            )
            variance = max(
                unconstrained_variance,
                _LEAST_VARIANCE_SHARE * float(weight_sums[-1] * observed_sums[-1]) / self._residual_freedom,
            )
        if variance <= 0:
            return None
        first_doubtful = self._effect_count - self._doubtful_count
        residual_term = residual_variance**2 / max(
            1.0, self._residual_freedom - float(self._effect_freedoms[kept_indices[:-1]].sum())
        )
        widening = interval_widening_factor(
            self._effect_freedoms[first_doubtful:], self._effect_freedoms[:first_doubtful]
        )
        half_variance_of_variance = (
            self._half_variance_of_variance(weight_sums, components, kept_indices[:-1]) + residual_term
        )
        return Variance(
            widening**2 * variance,
            variance**2 / half_variance_of_variance if half_variance_of_variance > 0 else float(self._residual_freedom),
        )

    def _half_variance_of_variance(
        self, weight_sums: Numbers, variance_components: Numbers, kept_indices: list[int]
    ) -> float:
        """Half the variance of what effects have in the variance, by their mean squares."""
        mean_squares, first_doubtful = np.zeros(self._effect_count), self._effect_count - self._doubtful_count
        mean_squares[kept_indices] = (weight_sums * (self._expected @ variance_components))[kept_indices] / np.diag(
            self._expected
        )[kept_indices]
        variance_shares = np.append(
            mean_squares[:first_doubtful], (weight_sums * variance_components)[first_doubtful:-1]
        )
        weight_total = weight_sums[:first_doubtful].sum()
        if self._by_condition and weight_total > 0:
            mean_squares[:first_doubtful] = variance_shares[:first_doubtful] = (
                mean_squares[:first_doubtful].sum() * weight_sums[:first_doubtful] / weight_total
            )
        is_filled = self._effect_freedoms > 0
        return float((variance_shares * mean_squares)[is_filled] @ (1 / self._effect_freedoms[is_filled]))

    def _positive_components(self, observed_sums: Numbers) -> tuple[Numbers, list[int]]:
        """Components after the smallest was left out as long as one is not above 0, and which are kept."""
        kept_indices = list(range(self._effect_count + 1))
        while True:
            inverse = self._inverse_of_expected(kept_indices)
            estimates = inverse @ observed_sums[kept_indices]
            if len(kept_indices) > 1:
                # Compared in standard errors where there are no effects at all.
                weakest = int(np.argmin(estimates[:-1] / np.sqrt(np.maximum(np.diag(inverse)[:-1], 1e-300))))
                if estimates[weakest] <= 0:
                    kept_indices.pop(weakest)
                    continue
            components = np.zeros(self._effect_count + 1)
            components[kept_indices] = estimates
            return components, kept_indices

    def _inverse_of_expected(self, kept_indices: list[int]) -> Numbers:
        index_key = tuple(kept_indices)
        if index_key not in self._inverses:
            inverse = np.linalg.pinv(self._expected[np.ix_(kept_indices, kept_indices)], hermitian=True)
            self._inverses[index_key] = np.asarray(inverse, dtype=np.float64)
        return self._inverses[index_key]

    def _expectation_matrix(self, squared_gram: Numbers, gram_diagonal: Numbers, residual_freedom: float) -> Numbers:
        moment_table = np.zeros((self._effect_count + 1, self._effect_count + 1))
        if self._effect_count:
            moment_table[:-1, :-1] = np.add.reduceat(
                np.add.reduceat(squared_gram, self._first_columns, 0), self._first_columns, 1
            )
            moment_table[:-1, -1] = moment_table[-1, :-1] = self._sums_by_effect(gram_diagonal)
        moment_table[-1, -1] = residual_freedom
        return moment_table

    def _sums_by_effect(self, level_values: NDArray[np.float64]) -> Numbers:
        sums: Numbers = np.add.reduceat(level_values, self._first_columns) if self._effect_count else np.zeros(0)
        return sums


def interval_widening_factor(doubtful_freedoms: Numbers, sure_freedoms: Numbers) -> float:
    """By how much to widen intervals that count how effects vary, if they may not vary at all.

    Degrees of freedom that are estimated with the variance are too many where few units decide. Chosen by simulated
    studies of 5 to 60 participants and 4 to 40 problems, so that about 5 % of intervals miss the truth where effects
    vary by 0 to 1 residual standard deviation; see Error rates and power in the reference.

    Args:
        doubtful_freedoms: Degrees of freedom of each effect that may not vary; 0 or more of them.
        sure_freedoms: Degrees of freedom of each other effect.
    """
    inverse_freedoms = np.sort(1 / np.maximum(doubtful_freedoms, 1.0))[::-1]
    if len(inverse_freedoms) > 1:
        return float((1.03 + 0.7 * inverse_freedoms[0]) / (1 + 6.5 * inverse_freedoms[0] * inverse_freedoms[1]))
    return (
        1 + 0.1 * max(0.0, float(inverse_freedoms[0] - 1 / max(1.0, sure_freedoms.sum())))
        if len(inverse_freedoms)
        else 1.0
    )


class BetweenUnitVariance:
    """Values vary between units, such as problems; nothing is taken for granted within them (Liang & Zeger 1986)."""

    def __init__(self, unit_indices: Indices, unit_count: int, fixed_columns: Numbers) -> None:
        """Prepare a design.

        Args:
            unit_indices: Unit of each row.
            unit_count: Number of units.
            fixed_columns: Rows by columns that values are taken around; few columns.
        """
        self._unit_indices, self._unit_count, self._basis = unit_indices, unit_count, orthonormal_basis(fixed_columns)

    def variance_of(self, weights: Numbers, value_column: Numbers) -> Variance | None:
        """As in `VarianceComponents`."""
        if self._unit_count < 2:
            return None
        residuals = value_column - self._basis @ (self._basis.T @ value_column)
        sums = np.bincount(self._unit_indices, weights * residuals, self._unit_count)
        variance = float(sums @ sums) * self._unit_count / (self._unit_count - 1)
        return Variance(variance, float(self._unit_count - 1)) if variance > 0 else None
