from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.decision.results import PYTEST_RESULTS, FailureWatch, read_results
from benchwright_problems.verdict import TestResult as Result

COCOTB = """<?xml version='1.0' encoding='utf-8'?>
<testsuites name="results"><testsuite name="all" package="all"><property name="random_seed" value="1" />
<testcase name="counts" classname="test_counter" file="/src/t.py" lineno="3" time="0.1" sim_time_ns="10.0" />
<testcase name="wraps" classname="test_counter" time="0.1">
<failure error_type="AssertionError" error_msg="got 3" /></testcase>
<testcase name="old" classname="test_counter"><skipped /></testcase>
</testsuite></testsuites>"""
COCOTB_1 = """<testsuites><testsuite><testcase name="a"><failure message="Test failed with RANDOM_SEED=1" /></testcase>
<testcase name="b"><error>  boom  </error></testcase></testsuite></testsuites>"""
PYTEST = """<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="2">
<testcase classname="src.test_runner" name="test_a[0]" time="1.0" />
<testcase classname="src.test_runner" name="test_a[1]" time="1.0">
<failure message="SystemExit: 1">trace</failure></testcase>
</testsuite></testsuites>"""
PASSING = "<testsuites><testsuite><testcase name='{}' /></testsuite></testsuites>"


def test_cocotb_2_results_are_read_with_messages_and_without_skipped_tests(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text(COCOTB)
    hidden_results = read_results(tmp_path)
    assert hidden_results.cocotb == (
        Result(name="counts", passed=True),
        Result(name="wraps", passed=False, message="got 3"),
    )
    assert (hidden_results.simulations, hidden_results.pytest) == (1, ())


def test_older_failure_forms_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text(COCOTB_1)
    assert [(test.passed, test.message) for test in read_results(tmp_path).cocotb] == [
        (False, "Test failed with RANDOM_SEED=1"),
        (False, "boom"),
    ]


def test_pytest_results_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / PYTEST_RESULTS).write_text(PYTEST)
    hidden_results = read_results(tmp_path)
    assert [(test.name, test.passed, test.message) for test in hidden_results.pytest] == [
        ("test_a[0]", True, ""),
        ("test_a[1]", False, "SystemExit: 1"),
    ]
    assert hidden_results.cocotb == ()


def test_cocotbs_view_is_shown_where_it_has_every_simulation(tmp_path: Path) -> None:
    (tmp_path / PYTEST_RESULTS).write_text(PYTEST)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.xml").write_text(PASSING.format(name))
    assert [test.name for test in read_results(tmp_path).reported_tests] == ["a", "b"]


def test_one_test_in_several_simulations_is_named_with_each(tmp_path: Path) -> None:
    for name in ("fifo_DEPTH5", "fifo_DEPTH8"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.xml").write_text(PASSING.format("wraps"))
    (tmp_path / "other.xml").write_text(PASSING.format("alone"))
    names = {test.name for test in read_results(tmp_path).cocotb}
    assert names == {"wraps [fifo_DEPTH5]", "wraps [fifo_DEPTH8]", "alone"}


def test_pytests_view_is_shown_where_simulations_overwrote_each_other(tmp_path: Path) -> None:
    (tmp_path / PYTEST_RESULTS).write_text(PYTEST)
    (tmp_path / "results.xml").write_text(PASSING.format("last"))
    assert [test.name for test in read_results(tmp_path).reported_tests] == ["test_a[0]", "test_a[1]"]


def test_an_empty_or_missing_folder_has_no_results(tmp_path: Path) -> None:
    assert read_results(tmp_path).reported_tests == ()
    assert read_results(tmp_path / "none").reported_tests == ()


BOMB = (
    "<!DOCTYPE lolz [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(12))
    + "]><testsuites><testcase name='x'><failure message='&m;'/></testcase></testsuites>"
)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<testsuites>",
        b"\xff\xfe\x00",
        b"\0" * 100,
        b"<?xml version='1.0' encoding='klingon'?><testsuites/>",
        b"<?xml version='1.0' encoding='shift_jis'?><testsuites/>",
        b"<?xml version='1.0' encoding='idna'?><testsuites/>",
        BOMB.encode(),
        b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><testsuites><testcase name='x'/></testsuites>",
        b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a><testcase name='x'>&x;</testcase></a>",
        b"<testsuites>" + b"<testcase name='x'/>" * (1 << 20) + b"</testsuites>",
    ],
    ids=["empty", "cut", "binary", "zeros", "encoding", "multi-byte", "idna", "bomb", "external", "entity", "huge"],
)
def test_hostile_or_broken_files_are_no_results(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_bytes(content)
    (tmp_path / "z.xml").write_text(PASSING.format("good"))
    assert [test.name for test in read_results(tmp_path).cocotb] == ["good"]


def test_deeply_nested_xml_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text("<a>" * 100_000 + "<testcase name='x'/>" + "</a>" * 100_000)
    assert len(read_results(tmp_path).cocotb) <= 1


def test_links_pipes_sockets_and_folders_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "true.xml").write_text(PASSING.format("outside"))
    run = tmp_path / "run"
    run.mkdir()
    (run / "results.xml").symlink_to(outside / "true.xml")
    (run / "loop.xml").symlink_to("loop.xml")
    (run / "linked").symlink_to(outside)
    (run / "zero.xml").symlink_to("/dev/zero")
    os.mkfifo(run / "pipe.xml")
    (run / "folder.xml").mkdir()
    assert read_results(run).reported_tests == ()


def test_a_deep_folder_is_no_trouble(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=descriptor)
        inner_descriptor = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner_descriptor
    os.close(descriptor)
    (tmp_path / "results.xml").write_text(PASSING.format("top"))
    try:
        assert [test.name for test in read_results(tmp_path).cocotb] == ["top"]
    finally:
        remove_folder_if_possible(tmp_path / "d")


def test_more_files_than_any_harness_writes_are_not_all_read(tmp_path: Path) -> None:
    for number in range(1200):
        (tmp_path / f"{number}.xml").write_text(PASSING.format("x"))
    assert len(read_results(tmp_path).cocotb) == 1000


def test_long_messages_are_cut(tmp_path: Path) -> None:
    text = f"<a><testcase name='x'><failure message='{'m' * 100_000}'/></testcase></a>"
    (tmp_path / "results.xml").write_text(text)
    assert len(read_results(tmp_path).cocotb[0].message) == 4000


SUMMARY = b"     0.00ns INFO  cocotb.regression  ** TESTS=3 PASS=1 FAIL=2 SKIP=0          0.01  **\n"


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_the_failures_that_cocotb_prints_are_counted_however_the_output_arrives(size: int) -> None:
    log = io.BytesIO()
    watch = FailureWatch(log)
    console_bytes = b"x" * 9000 + b"\n" + SUMMARY + b"** TESTS=1 PASS=1 FAIL=0 SKIP=0 **\n" + SUMMARY
    for start in range(0, len(console_bytes), size):
        watch.write(console_bytes[start : start + size])
    assert watch.failures == 4
    assert log.getvalue() == console_bytes


def test_a_design_can_not_push_the_summary_out_of_sight() -> None:
    watch = FailureWatch(io.BytesIO())
    watch.write(b"x" * 100_000 + SUMMARY)
    assert watch.failures == 2
