"""Groups of hidden tests: each brings its points whole, where an assignment gives partial credit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import AfterValidator, Field

from benchwright_foundation.model import Model


class TestGroup(Model):
    """Hidden tests that are worth something together."""

    __test__ = False  # pytest collects classes of such a name.

    title: Annotated[str, Field(min_length=1, max_length=100, pattern=r"\S")]
    """For people."""
    points: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """Weight beside the problem's other groups."""
    tests: Annotated[tuple[str, ...], Field(min_length=1)]
    """Names as verdicts have them, without the parameters that follow in brackets."""


def _require_each_test_once(test_groups: tuple[TestGroup, ...]) -> tuple[TestGroup, ...]:
    test_names = [name for test_group in test_groups for name in test_group.tests]
    repeated = next((name for name in test_names if test_names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"the test {repeated!r} is there twice")
    return test_groups


TestGroups = Annotated[
    tuple[TestGroup, ...],
    AfterValidator(_require_each_test_once),
    Field(exclude_if=lambda test_groups: not test_groups),
]
"""Left out of records where there are none."""


class DecidedTest(Protocol):
    """A hidden test of a run, whole or as far as it is shown."""

    @property
    def name(self) -> str:
        """As the verdict has it."""

    @property
    def passed(self) -> bool:
        """True if it passed."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """A group in one run."""

    title: str
    points: float
    """The most that it brings."""
    is_passed: bool
    """True if it brings them."""


def group_scores(test_groups: Sequence[TestGroup], decided_tests: Iterable[DecidedTest]) -> Sequence[GroupScore]:
    """Which groups a run passed: those of which every test is there and passed with all parameters; none of no tests.

    Args:
        test_groups: Those of the problem.
        decided_tests: Tests of the run.
    """
    is_passed_by_name: dict[str, bool] = {}
    for decided_test in decided_tests:
        name = decided_test.name.partition(" [")[0]
        is_passed_by_name[name] = is_passed_by_name.get(name, True) and decided_test.passed
    return [
        GroupScore(
            test_group.title,
            test_group.points,
            all(is_passed_by_name.get(name, False) for name in test_group.tests),
        )
        for test_group in test_groups
        if is_passed_by_name
    ]


def share_of_points(scores: Sequence[GroupScore]) -> float:
    """Share of the groups' points that a run brings, from 0 to 1."""
    return sum(score.points for score in scores if score.is_passed) / sum(score.points for score in scores)
