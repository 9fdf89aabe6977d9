"""The money that one run may spend on its models, counted at the prices that the run knows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from inspect_ai.model import ModelOutput

from benchwright_attempts.errors import EvaluationError

_BUDGET: ContextVar[RunBudget | None] = ContextVar("benchwright_run_budget", default=None)


class RunBudget:
    """US dollars for all samples of a run together.

    Args:
        limit_usd: The most.
    """

    def __init__(self, limit_usd: float) -> None:
        self.limit_usd = limit_usd
        self.spent_usd = 0.0

    @property
    def is_spent(self) -> bool:
        """True if nothing is left."""
        return self.spent_usd >= self.limit_usd


@contextlib.contextmanager
def spending_within(limit_usd: float | None) -> Iterator[None]:
    """The block in which runs ask their models; no limit if it is None, that of the block around it if there is one."""
    if _BUDGET.get() is not None:
        yield
        return
    token = _BUDGET.set(None if limit_usd is None else RunBudget(limit_usd))
    try:
        yield
    finally:
        _BUDGET.reset(token)


def refuse_if_budget_is_spent() -> None:
    """Notice that the run has no money left for another request.

    Raises:
        EvaluationError: It has none. That says nothing of the model, so the sample stays undecided.
    """
    budget = _BUDGET.get()
    if budget is not None and budget.is_spent:
        raise EvaluationError(
            f"The run's budget of {budget.limit_usd:g} USD is spent ({budget.spent_usd:.4f} USD), so the model was not "
            "asked again. Continue the run with --resume and a new --budget."
        )


def count_cost(output: ModelOutput) -> None:
    """Count what a reply cost.

    Raises:
        EvaluationError: There is a budget, and the cost is unknown.
    """
    budget = _BUDGET.get()
    if budget is None:
        return
    cost_usd = None if output.usage is None else output.usage.total_cost
    if cost_usd is None:
        raise EvaluationError(
            f"The model's provider did not count the tokens of a reply, so the budget of {budget.limit_usd:g} USD "
            "can't be kept. Run it without --budget."
        )
    budget.spent_usd += cost_usd
