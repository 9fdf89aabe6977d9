from __future__ import annotations

import pytest

from benchwright_problems.reveal import Reveal, coarse_wall_s, reveal, reveal_reference
from benchwright_problems.verdict import Reason, TestResult, Verdict

LEVELS = tuple(Reveal)


@pytest.mark.parametrize(
    ("wall_s", "shown_s"),
    [(0, 0), (0.001, 0.1), (0.1, 0.1), (0.101, 0.2), (0.5, 0.5), (0.51, 0.6), (0.6, 0.6), (10, 11.1), (60, 68.7)],
)
def test_a_time_is_shown_to_a_tenth_of_a_second_or_a_fifth(wall_s: float, shown_s: float) -> None:
    assert coarse_wall_s(wall_s) == shown_s


def test_coarse_times_are_few_and_never_shorter_than_the_run() -> None:
    shown_times = {coarse_wall_s(hundredths / 100) for hundredths in range(1, 60_001)}
    assert len(shown_times) < 50
    # Two decimals are rounded to one.
    assert all(coarse_wall_s(tenths / 10) >= tenths / 10 - 0.05 for tenths in range(1, 6000))


@pytest.mark.parametrize("policy", LEVELS)
def test_only_a_policy_that_shows_the_log_shows_the_exact_time(policy: Reveal) -> None:
    verdict = Verdict(reason=Reason.PASSED, detail="", wall_s=2.345)
    revealed = reveal(verdict, policy, read_log=str)
    assert revealed.wall_s == (2.345 if policy.shows_all_of(Reveal.FULL) else 2.6)


@pytest.mark.parametrize("policy", LEVELS)
def test_when_a_test_failed_is_shown_with_its_message_and_to_models_alike(policy: Reveal) -> None:
    test_results = (
        TestResult(name="fast", passed=True, sim_time_ns=50),
        TestResult(name="late", passed=False, message="expected 1, got 0", sim_time_ns=1230.5),
        TestResult(name="cut", passed=False),
    )
    revealed = reveal(Verdict(reason=Reason.TESTS_FAILED, tests=test_results), policy, read_log=str)
    times_by_test = {test.name: test.sim_time for test in revealed.tests}
    if policy.shows_all_of(Reveal.MESSAGES):
        assert times_by_test == {"fast": None, "late": "1,230.5 ns", "cut": None}
        assert "failed late after 1,230.5 ns: expected 1, got 0" in revealed.as_prompt_text()
    else:
        assert set(times_by_test.values()) <= {None}
        assert "ns" not in revealed.as_prompt_text().split()


@pytest.mark.parametrize("policy", LEVELS)
@pytest.mark.parametrize("is_solved", [True, False])
def test_the_reference_is_read_only_for_who_has_solved_a_problem_that_shows_it(policy: Reveal, is_solved: bool) -> None:
    reads = 0

    def read_reference() -> dict[str, str]:
        nonlocal reads
        reads += 1
        return {"rtl/a.sv": "secret"}

    is_shown = policy is Reveal.REFERENCE and is_solved
    shown_files = reveal_reference(policy, read_reference, is_solved=is_solved)
    assert (shown_files, reads) == (({"rtl/a.sv": "secret"}, 1) if is_shown else (None, 0))
