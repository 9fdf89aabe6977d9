"""Rules by which rated problems are fit to measure with."""

from __future__ import annotations

from enum import StrEnum

THRESHOLD = 8.0
"""CVDP's (arXiv:2506.14074); which mean has to reach it depends on the rule."""


class QualityRule(StrEnum):
    """Mean points that have to reach the threshold."""

    EVERY_ASPECT = "every-aspect"
    """Those of each aspect: one weak aspect is enough to drop a problem."""
    AGGREGATE = "aggregate"
    """Those of all aspects together, each counting alike."""

    @property
    def requirement(self) -> str:
        """The requirement in words."""
        return "in every aspect" if self is QualityRule.EVERY_ASPECT else "as the mean of all aspects"
