"""A reveal policy is one function and one line in `Reveal`."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from types import ModuleType

import pytest

from benchwright_problems import reveal as module
from benchwright_problems import verdict as verdicts
from benchwright_problems.reveal import ReadLog, Reveal, Revealed, reveal
from benchwright_problems.verdict import Reason, Verdict

LINE = '    FIRST_FAILURE = "first-failure", "the first failed test", "The first failure is shown.", first_failure\n'
LEVELS = tuple(Reveal)
VERDICT = Verdict(
    reason=Reason.TESTS_FAILED,
    detail="2 of 3 tests failed.",
    tests=(
        verdicts.TestResult(name="reset", passed=True),
        verdicts.TestResult(name="full", passed=False, message="count is 3"),
        verdicts.TestResult(name="empty", passed=False, message="count is 1"),
    ),
)


def first_failure(verdict: Verdict, read_log: ReadLog) -> Revealed:
    shown_names = Reveal.NAMES.shown_part(verdict, read_log)
    return replace(shown_names, tests=tuple(test for test in shown_names.tests if not test.passed)[:1])


@pytest.fixture
def with_toy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module with the line before that of `NAMES`."""
    source = inspect.getsource(module)
    assert source.count("    NAMES = ") == 1
    toy = ModuleType("module_with_toy")
    toy.first_failure = first_failure  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, toy.__name__, toy)
    exec(source.replace("    NAMES = ", f"{LINE}    NAMES = "), toy.__dict__)
    return toy


def test_the_line_decides_what_people_and_models_see(with_toy: ModuleType) -> None:
    revealed = with_toy.reveal(VERDICT, with_toy.Reveal("first-failure"), read_log=lambda: "secret")
    assert [test.name for test in revealed.tests] == ["full"]
    assert (revealed.policy, revealed.policy_sentence) == ("first-failure", "The first failure is shown.")
    assert revealed.as_prompt_text().splitlines() == [
        "failed. 1 of 3 tests passed. 2 of 3 tests failed.",
        "failed full",
    ]


def test_its_place_decides_what_it_includes_and_what_limits_it(with_toy: ModuleType) -> None:
    toy = with_toy.Reveal.FIRST_FAILURE
    assert [level.value for level in with_toy.Reveal if toy.shows_all_of(level)] == ["verdict", "first-failure"]
    assert with_toy.Reveal.FULL.limited_to(toy) is toy
    assert toy.limited_to(with_toy.Reveal.FULL) is toy


def test_each_level_shows_no_less_than_the_one_before() -> None:
    revealed_runs = [reveal(VERDICT, policy, read_log=lambda: "the log") for policy in LEVELS]
    assert [revealed.policy for revealed in revealed_runs] == [policy.value for policy in LEVELS]
    assert [bool(revealed.tests) for revealed in revealed_runs] == [False, True, True, True, True]
    assert [any(test.message for test in revealed.tests) for revealed in revealed_runs] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert [revealed.log for revealed in revealed_runs] == [None, None, None, "the log", "the log"]


def test_nothing_is_shown_where_a_study_shows_nothing_and_the_log_is_not_read() -> None:
    revealed = reveal(VERDICT, None, read_log=lambda: pytest.fail("read"))
    assert (revealed.outcome, revealed.tests, revealed.total, revealed.log) == ("recorded", (), None, None)
