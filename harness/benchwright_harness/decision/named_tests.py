"""The verdict of named tests: HWE-Bench's rule, on results that are printed, or on those of cocotb and pytest.

Printed results are between the lines `HWE_BENCH_RESULTS_START` and `HWE_BENCH_RESULTS_END`. A design that prints has
its words in the same stream, so what contradicts itself does not pass: two such blocks, or a test with two results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright_harness.decision.report import TestbenchOutput
from benchwright_harness.decision.results import Results
from benchwright_problems.repository.named_tests import RESULTS_END, RESULTS_START, NamedTests
from benchwright_problems.verdict import Reason, TestResult, Verdict

_RESULT = re.compile(r"^TEST: (?P<name>\S.*?) \.\.\. (?P<result>PASS|FAIL|SKIP)\b")
_ABSENT = "The test did not run."


def is_result_line(output_line: str) -> bool:
    """True if a line is a test's result, or begins or ends those of a verifier."""
    return output_line in (RESULTS_START, RESULTS_END) or _RESULT.match(output_line) is not None


def verdict_by_named_tests(
    tests: NamedTests, test_results: Results, testbench_output: TestbenchOutput | None
) -> Verdict:
    """Say whether all named tests passed.

    Args:
        tests: The tests that decide.
        test_results: Results that cocotb and pytest left.
        testbench_output: The lines that the harness printed, where these decide.
    """
    if tests.printed:
        lines = testbench_output.lines if testbench_output is not None else ()
        marks = [line for line in lines if line in (RESULTS_START, RESULTS_END)]
        if len(marks) > 2:
            detail = f"The run prints {RESULTS_START} or {RESULTS_END} more than once."
            return Verdict(reason=Reason.TAMPERED, detail=detail)
        results = printed_results(lines)
    else:
        # What the supervisor heard of a simulation outweighs a file of the same name's result.
        heard_names = {test.name for test in test_results.cocotb}
        results = [*test_results.cocotb, *(test for test in test_results.pytest if test.name not in heard_names)]
    names = (*tests.fail_to_pass, *tests.pass_to_pass) or dict.fromkeys(test.name for test in results)
    named_results = tuple(_result_of_named_test(name, results) for name in names)
    if not results:
        return Verdict(reason=Reason.BUILD_FAILED, detail="The hidden tests did not run.")
    failed_count = sum(not test.passed for test in named_results)
    if not failed_count:
        return Verdict(reason=Reason.PASSED, detail="All hidden tests passed.", tests=named_results)
    detail = f"{failed_count} of {len(named_results)} hidden tests failed."
    return Verdict(reason=Reason.TESTS_FAILED, detail=detail, tests=named_results)


def printed_results(output_lines: Sequence[str]) -> list[TestResult]:
    """The results between the two lines; none if one of these is missing. A test that was skipped has no result."""
    if RESULTS_START not in output_lines or RESULTS_END not in output_lines:
        return []
    start, end = output_lines.index(RESULTS_START), output_lines.index(RESULTS_END)
    matches = [
        match for line in output_lines[start:end] if (match := _RESULT.match(line)) and match["result"] != "SKIP"
    ]
    return [TestResult(name=match["name"], passed=match["result"] == "PASS") for match in matches]


def _result_of_named_test(test_name: str, test_results: Sequence[TestResult]) -> TestResult:
    """The result of a test; of several the first that failed."""
    own_results = [test for test in test_results if test.name == test_name]
    if not own_results:
        return TestResult(name=test_name, passed=False, message=_ABSENT)
    return next((test for test in own_results if not test.passed), own_results[0])
