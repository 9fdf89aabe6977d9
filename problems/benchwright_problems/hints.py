"""A problem's ladder of hints: what each costs and when it may be taken. What they say is in the hidden part."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from benchwright_foundation.model import Model

MOST_HINTS = 20
"""Of one problem."""


class HintRule(Model):
    """The part of a hint that everybody may know."""

    cost: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the problem's points that it costs."""
    after_runs: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Number of verdicts that the attempt must have before."""
    after_minutes: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    """Time that the attempt's clock must have run before, in minutes."""

    def missing_condition(self, verdict_count: int, active_s: float) -> str:
        """Return what is missing before it may be taken, in words; empty if nothing is.

        Args:
            verdict_count: Verdicts of the attempt so far.
            active_s: Time that its clock has run, in seconds.
        """
        missing = []
        if verdict_count < self.after_runs:
            missing.append(f"{_counted_noun(self.after_runs, 'run')} ({verdict_count} so far)")
        if active_s < self.after_minutes * 60:
            missing.append(f"{self.after_minutes:g} min of work ({int(active_s // 60)} so far)")
        return " and ".join(missing)

    @property
    def cost_phrase(self) -> str:
        """The cost of the hint, in words."""
        return f"{self.cost * 100:g} % of the points" if self.cost else "nothing"


class Hint(HintRule):
    """A hint as the author of a problem writes it."""

    text: Annotated[str, Field(min_length=1, max_length=4_000, pattern=r"\S")]
    """Markdown."""

    @property
    def rule(self) -> HintRule:
        """It without its text."""
        return HintRule(cost=self.cost, after_runs=self.after_runs, after_minutes=self.after_minutes)


def require_affordable_hints(hints: tuple[Hint, ...]) -> tuple[Hint, ...]:
    """The hints themselves.

    Raises:
        ValueError: Together they cost more than the points.
    """
    total = sum(hint.cost for hint in hints)
    if total > 1 + 1e-9:
        raise ValueError(f"together they cost {total:g} of the points; lower “cost” so that the sum is at most 1")
    return hints


def _counted_noun(count: int, singular_noun: str) -> str:
    return f"{count} {singular_noun}" if count == 1 else f"{count} {singular_noun}s"


def _is_empty(hint_rules_or_texts: object) -> bool:
    return not hint_rules_or_texts


# Left out where there are none: records from before there were hints stay as they were.
HintRules = Annotated[tuple[HintRule, ...], Field(exclude_if=_is_empty)]
HintTexts = Annotated[tuple[str, ...], Field(exclude_if=_is_empty)]
