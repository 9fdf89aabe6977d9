from __future__ import annotations

import stat
import time
from pathlib import Path

import pytest

from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.plan.selection import ToolSelection
from benchwright_problems.verdict import Reason, Verdict
from benchwright_problems.verdict import TestResult as HiddenTest

KEY = "ab" * 32
VERDICT = Verdict(reason=Reason.TESTS_FAILED, detail="d", tests=(HiddenTest(name="t", passed=False, message="m"),))


@pytest.fixture
def store(tmp_path: Path) -> VerdictStore:
    return VerdictStore(tmp_path / "sealed" / "@verdicts")


def test_what_was_put_is_found_by_another_process_too(store: VerdictStore, tmp_path: Path) -> None:
    assert store.find_verdict(KEY) is None
    store.put_verdict_if_repeatable(KEY, VERDICT)
    assert VerdictStore(tmp_path / "sealed" / "@verdicts").find_verdict(KEY) == VERDICT
    assert store.find_verdict("ac" * 32) is None


@pytest.mark.parametrize(
    "reason", [reason for reason in Reason if reason.outcome == "error" or reason is Reason.TIMEOUT]
)
def test_what_decided_nothing_or_ran_out_of_time_is_not_kept(reason: Reason, store: VerdictStore) -> None:
    store.put_verdict_if_repeatable(KEY, Verdict(reason=reason))
    assert store.find_verdict(KEY) is None


def test_verdicts_are_sealed(store: VerdictStore, tmp_path: Path) -> None:
    store.put_verdict_if_repeatable(KEY, VERDICT)
    store.put_raw_output(KEY, b"raw")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert len(files) == 2
    assert stat.S_IMODE((tmp_path / "sealed" / "@verdicts").stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"{", b'{"reason": "none"}', b"\xff"])
def test_a_broken_file_is_no_verdict(content: bytes, store: VerdictStore, tmp_path: Path) -> None:
    store.put_verdict_if_repeatable(KEY, VERDICT)
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    file.write_bytes(content)
    assert store.find_verdict(KEY) is None
    store.put_verdict_if_repeatable(KEY, VERDICT)
    assert store.find_verdict(KEY) == VERDICT


def test_a_selection_is_kept_beside(store: VerdictStore) -> None:
    selection = ToolSelection(icarus="12", reason="because")
    assert store.find_selection(KEY) is None
    store.put_selection(KEY, selection)
    store.put_verdict_if_repeatable(KEY, VERDICT)
    assert store.find_selection(KEY) == selection


def test_a_runs_output_is_kept_with_its_verdict(store: VerdictStore) -> None:
    assert store.raw_output(KEY) == b""
    store.put_verdict_if_repeatable(KEY, VERDICT)
    store.put_raw_output(KEY, b"raw")
    assert (store.raw_output(KEY), store.find_verdict(KEY)) == (b"raw", VERDICT)


def test_looking_up_takes_a_few_milliseconds_at_most(store: VerdictStore) -> None:
    keys = [f"{number:064x}" for number in range(50)]
    for key in keys:
        store.put_verdict_if_repeatable(key, VERDICT)

    def look_up(key: str) -> float:
        start = time.perf_counter()
        assert store.find_verdict(key) is not None
        return time.perf_counter() - start

    assert min(map(look_up, keys)) < 0.005


def test_the_end_of_a_long_log_is_kept_though_nothing_was_decided(store: VerdictStore) -> None:
    with store.open_log(KEY) as log:
        log.write(b"first " + b"x" * 300_000)
        log.write(b" last")
    assert store.find_verdict(KEY) is None
    assert store.raw_output(KEY).endswith(b"x last")
    assert len(store.raw_output(KEY)) == 200_000
