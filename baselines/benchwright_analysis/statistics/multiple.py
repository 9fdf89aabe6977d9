"""Several tests at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from benchwright_analysis.statistics.columns import finite_number_column
from benchwright_analysis.statistics.errors import StatisticsError

Test = TypeVar("Test", bound=Hashable)


@dataclass(frozen=True)
class AdjustedTest:
    """One of several tests."""

    p_value: float
    adjusted: float
    """Holm's; below 0.05 the test is significant among all of them."""
    significant: bool


def holm_tests(p_value_by_test: Mapping[Test, float], *, familywise_level: float = 0.05) -> dict[Test, AdjustedTest]:
    """Holm's correction (1979), by statsmodels: the chance of any false alarm among all tests stays below the level.

    Args:
        p_value_by_test: P-values by test, such as a category.
        familywise_level: Chance of a false alarm for all tests together.

    Raises:
        StatisticsError: A p-value is not from 0 to 1.
    """
    from statsmodels.stats.multitest import multipletests

    if not p_value_by_test:
        return {}
    p_column = finite_number_column(list(p_value_by_test.values()), "P-values", at_least=0, at_most=1)
    if not 0 < familywise_level < 1:
        raise StatisticsError(f"The level has to be between 0 and 1, not {familywise_level:g}.")
    rejected, adjusted, *_ = multipletests(p_column, alpha=familywise_level, method="holm")
    return {
        test: AdjustedTest(float(p), float(corrected), bool(stands))
        for test, p, corrected, stands in zip(p_value_by_test, p_column, np.asarray(adjusted), rejected, strict=True)
    }
