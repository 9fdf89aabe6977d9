"""The scales that judges, models and people alike, score on: the value of a label, and when two labels agree."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class VoteDecision:
    """The decision of several votes on one answer."""

    label: str
    score: float
    is_passed: bool


class Scale(StrEnum):
    """A judge's own scale. The values are the names used in rubric files."""

    BLANK = "blank"
    """0 or 1: CS-Bench's for fill-in-the-blank."""
    TIERS = "tiers"
    """1 to 10 in four tiers, worth 0.1 to 1.0: CS-Bench's for open-ended questions."""
    EXAM = "exam"
    """Correct, partially correct or incorrect: QuArch's for its free-response format. Partial counts as incorrect."""
    SHARE = "share"
    """0.0 to 1.0 in steps of 0.05: CVDP's subjective score."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that a person can choose from, worst first."""
        match self:
            case Scale.BLANK:
                return ("0", "1")
            case Scale.TIERS:
                return tuple(str(points) for points in range(1, 11))
            case Scale.EXAM:
                return ("incorrect", "partially correct", "correct")
            case Scale.SHARE:
                return tuple(f"{tenths / 10:.2f}" for tenths in range(11))

    @property
    def is_ordinal(self) -> bool:
        """True if distances between labels are meaningful."""
        return self in (Scale.TIERS, Scale.SHARE)

    @property
    def label_schema(self) -> dict[str, JsonValue]:
        """JSON Schema of a label in a model's reply."""
        match self:
            case Scale.BLANK | Scale.TIERS:
                return {"type": "integer", "enum": [int(label) for label in self.labels]}
            case Scale.EXAM:
                return {"type": "string", "enum": [*self.labels]}
            case Scale.SHARE:
                return {"type": "number"}

    def read_label(self, json_value: JsonValue) -> str:
        """The label for a value in a model's JSON or in a grading sheet; strict, but `"8"`, `8` and `8.0` are one.

        Raises:
            ValueError: The value is not on this scale.
        """
        number = _number_if_numeric(json_value)
        if self is Scale.SHARE and number is not None and 0 <= number <= 1:
            return f"{number:.2f}"
        if self in (Scale.BLANK, Scale.TIERS) and number is not None and f"{number:g}" in self.labels:
            return f"{number:g}"
        word = json_value.strip().lower().replace("-", " ") if isinstance(json_value, str) else ""
        if self is Scale.EXAM and word in self.labels:
            return word
        raise ValueError(f"the verdict is not one of {', '.join(self.labels)}")

    def score(self, label: str) -> float:
        """The score of a label, 0 to 1."""
        match self:
            case Scale.BLANK | Scale.SHARE:
                return float(label)
            case Scale.TIERS:
                return float(label) / 10
            case Scale.EXAM:
                return float(label == "correct")

    def label_of_points(self, given_points: float, most_points: float, enough_points: float) -> str:
        """The label for points of a rubric: from `enough_points` on it is one that passes, and below it none does.

        Args:
            given_points: Given.
            most_points: Number of points that can be given.
            enough_points: Number of points from which an answer is right.
        """
        # Shares on either side of what is enough are stretched, so that this is where labels begin to pass.
        passing = [label for label in self.labels if self.passes(label)]
        failing = [label for label in self.labels if not self.passes(label)]
        if given_points >= enough_points - _ROUNDING:
            share, labels = (
                (given_points - enough_points) / (most_points - enough_points) if most_points > enough_points else 1.0,
                passing,
            )
        else:
            share, labels = given_points / enough_points, failing
        return labels[min(int(share * (len(labels) - 1) + 0.5), len(labels) - 1)]

    def passes(self, label: str) -> bool:
        """True if an answer of this label counts as right: from the third tier, or 0.7; partially correct does not."""
        return self.score(label) >= (_PASSING if self.is_ordinal else 1)

    def decide(self, labels: Sequence[str], most_votes: int) -> VoteDecision | None:
        """The decision of the votes cast so far; None if more are needed.

        Labels need a strict majority of all seats. Points need more than half of the seats to be in one
        tier and within a point (0.1) of each other; the median of all votes counts.

        Args:
            labels: The votes cast.
            most_votes: Maximum number of votes.
        """
        if not self.is_ordinal:
            label, count = Counter(labels).most_common(1)[0] if labels else ("", 0)
            return self._decision_for_label(label) if 2 * count > most_votes else None
        return (
            self._median_decision(labels)
            if 2 * self._largest_agreeing_vote_count(labels, either_suffices=False) > most_votes
            else None
        )

    def decide_finally(self, labels: Sequence[str], most_votes: int) -> VoteDecision | None:
        """The decision if no more votes are available.

        For points, one tier or one point (0.1) is enough. For exam labels without a majority, the median label
        counts, which is never `correct`: QuArch requires a majority for correct.
        """
        if self is Scale.EXAM and len(labels) >= most_votes and self.decide(labels, most_votes) is None:
            return self._decision_for_label(sorted(labels, key=self.labels.index)[(len(labels) - 1) // 2])
        if not self.is_ordinal:
            return self.decide(labels, most_votes)
        return (
            self._median_decision(labels)
            if 2 * self._largest_agreeing_vote_count(labels, either_suffices=True) > most_votes
            else None
        )

    def _decision_for_label(self, label: str) -> VoteDecision:
        return VoteDecision(label=label, score=round(self.score(label), 6), is_passed=self.passes(label))

    def _median_decision(self, labels: Sequence[str]) -> VoteDecision:
        median = statistics.median(float(label) for label in labels)
        return self._decision_for_label(f"{median:g}" if self is Scale.TIERS else f"{median:.3g}")

    def _largest_agreeing_vote_count(self, labels: Sequence[str], *, either_suffices: bool) -> int:
        """Size of the largest group of votes near each other and in one tier; with `either_suffices`, or."""
        values = sorted(float(label) for label in labels)
        combine = any if either_suffices else all
        return max(
            (
                last_index - first_index + 1
                for first_index in range(len(values))
                for last_index in range(first_index, len(values))
                if combine(self._is_near_and_in_same_tier(values[first_index], values[last_index]))
            ),
            default=0,
        )

    def _is_near_and_in_same_tier(self, lower_score: float, higher_score: float) -> tuple[bool, bool]:
        nearness_limit = 1.0 if self is Scale.TIERS else 0.1
        return higher_score - lower_score <= nearness_limit + _ROUNDING, self._tier_index(
            lower_score
        ) == self._tier_index(higher_score)

    def _tier_index(self, label_value: float) -> int:
        points = label_value if self is Scale.TIERS else 10 * label_value
        return sum(points >= start - _ROUNDING for start in _TIERS)


def _number_if_numeric(json_value: JsonValue) -> float | None:
    if isinstance(json_value, str) and re.fullmatch(r"\s*[0-9]{1,4}(?:\.[0-9]{1,4})?\s*", json_value):
        return float(json_value)
    return json_value if isinstance(json_value, int | float) and not isinstance(json_value, bool) else None


_PASSING = 0.7
_TIERS = (4, 7, 9)
"""The labels at which CS-Bench's second, third and fourth tier begin (arXiv:2406.08587, appendix)."""
_ROUNDING = 1e-9
