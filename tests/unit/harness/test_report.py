from __future__ import annotations

import json
from collections.abc import Mapping

from benchwright_harness.decision.report import UNFINISHED, parse_step_report


def report_lines(*report_messages: Mapping[str, object]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in report_messages)


BEGIN: dict[str, object] = {
    "session": 0,
    "tests": ["a", "b"],
    "results": "/code/rundir/results.xml",
    "closed": "harness",
}


def test_each_announced_test_has_the_outcome_that_was_told() -> None:
    report = parse_step_report(
        report_lines(
            BEGIN,
            {"session": 0, "test": "a", "passed": True},
            {"session": 0, "test": "b", "passed": False, "message": " wrong "},
            {"session": 0, "finished": True, "changed": []},
        )
    )
    assert [(test.name, test.passed, test.message) for test in report.simulations[0].tests] == [
        ("a", True, ""),
        ("b", False, "wrong"),
    ]
    assert (report.oddities, report.remarks) == ((), ())


def test_an_announced_test_that_did_not_end_has_failed() -> None:
    report = parse_step_report(report_lines(BEGIN, {"session": 0, "test": "a", "passed": True}))
    assert [(test.passed, test.message) for test in report.simulations[0].tests] == [(True, ""), (False, UNFINISHED)]


def test_a_test_that_was_skipped_while_it_ran_is_no_result() -> None:
    test_messages = [{"session": 0, "test": "a", "skipped": True}, {"session": 0, "test": "b", "passed": True}]
    report = parse_step_report(report_lines(BEGIN, *test_messages))
    assert [(test.name, test.passed) for test in report.simulations[0].tests] == [("b", True)]
    assert report.oddities == ()


def test_tests_of_one_name_take_their_outcomes_in_order() -> None:
    begin_message = {**BEGIN, "tests": ["a", "a"]}
    report = parse_step_report(
        report_lines(begin_message, *({"session": 0, "test": "a", "passed": passed} for passed in (False, True)))
    )
    assert [test.passed for test in report.simulations[0].tests] == [False, True]


def test_an_outcome_can_not_be_told_twice_or_for_a_test_that_was_not_announced() -> None:
    outcome_messages = [{"session": 0, "test": name, "passed": True} for name in ("a", "a", "c")]
    assert len(parse_step_report(report_lines(BEGIN, *outcome_messages)).oddities) == 2


def test_programs_that_a_simulation_wrote_are_odd() -> None:
    report = parse_step_report(
        report_lines(BEGIN, {"session": 0, "finished": True, "changed": ["/code/rundir/conftest.py"]})
    )
    assert report.oddities == ("the simulation wrote /code/rundir/conftest.py",)


def test_a_simulation_that_was_not_locked_is_remarked() -> None:
    assert len(parse_step_report(report_lines({**BEGIN, "closed": "nothing"})).remarks) == 1


def test_what_is_no_message_says_nothing() -> None:
    assert parse_step_report(b"Traceback\n{}\n[1]\n\xff\n" + b"{" * 5000).simulations == ()


def test_what_the_run_took_is_told() -> None:
    took = {"ended": 0, "largest_bytes": 5 << 20, "cpu_s": 1.5}
    report = parse_step_report(report_lines(BEGIN, took))
    assert (report.largest_bytes, report.cpu_s) == (5 << 20, 1.5)
    assert parse_step_report(report_lines({**took, "cpu_s": "nan"}, {**took, "largest_bytes": -1})).cpu_s == 0


def test_a_test_has_the_simulated_time_that_was_told() -> None:
    report = parse_step_report(
        report_lines(
            BEGIN,
            {"session": 0, "test": "a", "passed": True, "sim_time_ns": 12.5},
            {"session": 0, "test": "b", "passed": False, "sim_time_ns": -1},
            {"session": 0, "test": "b", "passed": False},
        )
    )
    assert [(test.name, test.sim_time_ns) for test in report.simulations[0].tests] == [("a", 12.5), ("b", None)]
