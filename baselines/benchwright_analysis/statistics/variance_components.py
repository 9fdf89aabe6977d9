"""Variances of crossed random effects, and of a weighted sum under them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchwright_analysis.statistics.columns import Indices, Numbers

POOLED_BELOW = 1.4
"""Standard errors that a component has to be above 0 to be kept (Bancroft 1944: "sometimes pooling"). With 0, a
component that is absent is kept half of the time, and intervals are too wide; see the simulations in the reference."""
_RANK = 1e-10


@dataclass(frozen=True)
class Variance:
    """Of a weighted sum."""

    variance: float
    degrees_of_freedom: float


def indicator(places: Indices, width: int) -> Numbers:
    """A table with a one where a row belongs; rows with a negative place belong nowhere."""
    table = np.zeros((len(places), width))
    rows = np.flatnonzero(places >= 0)
    table[rows, places[rows]] = 1.0
    return table


def projector(fixed: Numbers) -> Numbers:
    """An orthonormal basis of what the columns span."""
    # Of the small table of products: rows are many.
    sizes, turns = np.linalg.eigh(fixed.T @ fixed)
    there = sizes > sizes[-1] * _RANK
    basis: Numbers = fixed @ turns[:, there] / np.sqrt(sizes[there])
    return basis


class VarianceComponents:
    """The model y = X b + sum of Z_k u_k + e with independent u_k ~ N(0, s_k) and e ~ N(0, s_e).

    MIVQUE(0) equates the quadratic forms |Z_k' M y|² and |M y|², M the annihilator of X, with their expectations.
    All is computed from Z' M Z, so that rows cost next to nothing.
    """

    def __init__(self, fixed: Numbers, tables: Sequence[Numbers], doubtful: Sequence[Numbers] = ()) -> None:
        """Prepare a design.

        Args:
            fixed: Rows by columns of X.
            tables: The Z_k, each rows by levels of an effect; left out where their variance is estimated at 0 or below.
            doubtful: More of them, left out where they are not clearly above 0 (`POOLED_BELOW`).
        """
        rows = len(fixed)
        self._thresholds = np.array([*(0.0 for _ in tables), *(POOLED_BELOW for _ in doubtful)])
        tables = [*tables, *doubtful]
        self._basis = projector(fixed)
        self._z = np.hstack([*tables, np.zeros((rows, 0))])
        sizes = [table.shape[1] for table in tables]
        self._owner = np.repeat(np.arange(len(tables)), sizes)
        self._starts = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0, dtype=np.intp)
        part = self._basis.T @ self._z
        self._gram = self._z.T @ self._z - part.T @ part
        self._free = rows - self._basis.shape[1]
        self._count = len(tables)
        self._inverses: dict[tuple[int, ...], Numbers] = {}
        self._expected = self._moments(self._gram**2, np.diag(self._gram), float(self._free))

    def variance_of(self, weights: Numbers, values: Numbers) -> Variance | None:
        """The variance of `weights @ values` and how many degrees of freedom its estimate has.

        Returns:
            `None` if nothing is left to estimate it from.
        """
        if self._free < 1:
            return None
        left = values - self._basis @ (self._basis.T @ values)
        observed = np.append(self._sums((self._z.T @ left) ** 2), left @ left)
        components, kept = self._solved(observed)
        loads = np.append(self._sums((self._z.T @ weights) ** 2), weights @ weights)
        variance = float(loads @ components)
        if variance <= 0:
            return None
        spread = self._spread(components, kept)
        chance = float(loads[kept] @ spread @ loads[kept])
        return Variance(variance, 2 * variance**2 / chance if chance > 0 else float(self._free))

    def _solved(self, observed: Numbers) -> tuple[Numbers, list[int]]:
        """Components, without those that are not clearly above 0, and which are kept."""
        kept = list(range(self._count + 1))
        while True:
            inverse = self._inverse(kept)
            found = inverse @ observed[kept]
            if len(kept) > 1:
                # Under no component at all, the quadratic forms vary by 2 s_e² times their table.
                alone = observed[-1] / max(self._expected[-1, -1], 1.0)
                errors = np.sqrt(2 * np.maximum(np.diag(inverse)[:-1], 1e-300)) * max(min(found[-1], alone), 1e-300)
                margins = found[:-1] / np.maximum(errors, 1e-300) - self._thresholds[kept[:-1]]
                weakest = int(np.argmin(margins))
                if margins[weakest] <= 0:
                    kept.pop(weakest)
                    continue
            components = np.zeros(self._count + 1)
            components[kept] = found
            return components, kept

    def _spread(self, components: Numbers, kept: list[int]) -> Numbers:
        """Covariance of the kept components, from that of the quadratic forms under normality."""
        rest = float(components[-1])
        effects = components[:-1][self._owner]
        gram = self._gram
        once = (gram * effects) @ gram
        twice = (once * effects) @ gram + 2 * rest * once + rest * rest * gram
        scaled = effects[:, None] * gram
        corner = float(np.sum(scaled * scaled.T)) + 2 * rest * float(effects @ np.diag(gram)) + rest**2 * self._free
        forms = 2 * self._moments((once + rest * gram) ** 2, np.diag(twice), corner)
        inverse = self._inverse(kept)
        covariance: Numbers = inverse @ forms[np.ix_(kept, kept)] @ inverse
        return covariance

    def _inverse(self, kept: list[int]) -> Numbers:
        key = tuple(kept)
        if key not in self._inverses:
            inverse = np.linalg.pinv(self._expected[np.ix_(kept, kept)], hermitian=True)
            self._inverses[key] = np.asarray(inverse, dtype=np.float64)
        return self._inverses[key]

    def _moments(self, pairs: Numbers, single: Numbers, corner: float) -> Numbers:
        table = np.zeros((self._count + 1, self._count + 1))
        if self._count:
            table[:-1, :-1] = np.add.reduceat(np.add.reduceat(pairs, self._starts, 0), self._starts, 1)
            table[:-1, -1] = table[-1, :-1] = self._sums(single)
        table[-1, -1] = corner
        return table

    def _sums(self, values: NDArray[np.float64]) -> Numbers:
        sums: Numbers = np.add.reduceat(values, self._starts) if self._count else np.zeros(0)
        return sums


class BetweenUnits:
    """Values vary between units, such as problems; nothing is taken for granted within them (Liang & Zeger 1986)."""

    def __init__(self, units: Indices, count: int, fixed: Numbers) -> None:
        """Prepare a design.

        Args:
            units: Of each row.
            count: Of units.
            fixed: Rows by columns that values are taken around; few columns.
        """
        self._units, self._count, self._basis = units, count, projector(fixed)

    def variance_of(self, weights: Numbers, values: Numbers) -> Variance | None:
        """As in `VarianceComponents`."""
        if self._count < 2:
            return None
        left = values - self._basis @ (self._basis.T @ values)
        sums = np.bincount(self._units, weights * left, self._count)
        variance = float(sums @ sums) * self._count / (self._count - 1)
        return Variance(variance, float(self._count - 1)) if variance > 0 else None
