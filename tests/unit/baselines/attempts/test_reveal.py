from __future__ import annotations

import pytest

from benchwright_attempts.reveal import coarse, reveal
from benchwright_problems.problem import Reveal
from benchwright_problems.verdict import Reason, Verdict


@pytest.mark.parametrize(
    ("wall_s", "shown"),
    [(0, 0), (0.001, 0.1), (0.1, 0.1), (0.101, 0.2), (0.5, 0.5), (0.51, 0.6), (0.6, 0.6), (10, 11.1), (60, 68.7)],
)
def test_a_time_is_shown_to_a_tenth_of_a_second_or_a_fifth(wall_s: float, shown: float) -> None:
    assert coarse(wall_s) == shown


def test_coarse_times_are_few_and_never_shorter_than_the_run() -> None:
    shown = {coarse(hundredths / 100) for hundredths in range(1, 60_001)}
    assert len(shown) < 50
    # Two decimals are rounded to one.
    assert all(coarse(tenths / 10) >= tenths / 10 - 0.05 for tenths in range(1, 6000))


@pytest.mark.parametrize("policy", list(Reveal))
def test_only_a_policy_that_shows_the_log_shows_the_exact_time(policy: Reveal) -> None:
    verdict = Verdict(reason=Reason.PASSED, detail="", wall_s=2.345)
    shown = reveal(verdict, policy, read_log=str)
    assert shown.wall_s == (2.345 if policy is Reveal.FULL else 2.6)
