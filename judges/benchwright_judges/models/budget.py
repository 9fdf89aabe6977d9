"""A limit on the cost of judging, enforced before the money is spent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchwright_judges.errors import JudgesError


class OutOfBudgetError(JudgesError):
    """The next request to a judge might cost more than is left."""


@dataclass
class Charge:
    """One request's share of a budget."""

    usd: float = 0.0
    """Its actual cost; set by the code that made the request."""


class JudgingBudget:
    """Limit of what one answer, one command or one token may spend on judges.

    Args:
        limit_usd: The most; no limit if not given.
    """

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self.spent_usd = 0.0
        self._reserved_usd = 0.0

    @contextmanager
    def reserve(self, maximum_cost_usd: float) -> Iterator[Charge]:
        """Reserve the maximum cost of a request, and charge its actual cost.

        Raises:
            OutOfBudgetError: Less than that is left; the request must not be sent.
        """
        usd_left = None if self.limit_usd is None else self.limit_usd - self.spent_usd - self._reserved_usd
        if usd_left is not None and maximum_cost_usd > usd_left:
            raise OutOfBudgetError(
                f"the next request to a judge may cost {maximum_cost_usd:.4f} USD, and {max(0.0, usd_left):.4f} USD"
                f" are left of {self.limit_usd:.4f}; raise the budget to continue"
            )
        charge = Charge()
        self._reserved_usd += maximum_cost_usd
        try:
            yield charge
        finally:
            self._reserved_usd -= maximum_cost_usd
            self.spent_usd += charge.usd
