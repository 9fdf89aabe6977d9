"""Attribution of a run that did not pass: to the design, or only to a fault of the harness or of a tool.

A design must not be able to choose: a fault counts only if nothing had read the design before it, or if no design could
cause it. The crash of a compiler and a construct that it can't read are the exceptions, so where there is a
reference it decides: `settled_by_reference`, and without one the files as they were given: `settled_by_starting_files`.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from benchwright_harness.decision.criterion import NOT_RUN, ZERO_TIME
from benchwright_harness.decision.report import FaultKind, StepReport, ToolRun
from benchwright_harness.decision.results import Execution
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Outcome, Reason, Verdict

_HARNESS_HINT = "Report it to the pack's authors; `benchwright problems check` shows them what is wrong."
TOOL_HINT = "Nothing was decided. Another way to write the design may avoid it; report it with the design."
_CRASH_HINT = "Another way to write the design may avoid it; report it with the design."
_ARE_DECIDED = frozenset({Reason.TESTS_FAILED, Reason.BUILD_FAILED, Reason.NO_RESULTS})
_UNRUN_HINT = "Check the names of modules, ports, parameters and files against the statement."
_REWRITE = "Write the part that the tool can't read in another way."
_FAULTS = frozenset({Reason.TOOL_FAILED, Reason.TOOL_MISSING, Reason.BAD_HARNESS})
_PYTEST_FAULT = re.compile(
    r"\b(?:SyntaxError|IndentationError|TabError|ImportError|ModuleNotFoundError|NameError"
    r"|TypeError(?=: .*\bargument))\b.*"
)
# What follows the name of an error may quote hidden text.
_FAULT_WORDS = {
    **dict.fromkeys(("SyntaxError", "IndentationError", "TabError"), "Python can't read a program of it"),
    **dict.fromkeys(("ImportError", "ModuleNotFoundError"), "a program of it can't import what it needs"),
    **dict.fromkeys(("NameError", "UnboundLocalError"), "a program of it uses a name that is not defined"),
    "TypeError": "a program of it calls a function with the wrong arguments",
}
_STANDSTILLS = {
    "zero time": ZERO_TIME,
    "nothing awaited happens": "The simulation ran on, but nothing that the tests wait for happened any more.",
}
# SIGXCPU: see watch.c, and of a compiler inside/guard/confine.
_STOOD_STILL = _TIME_USED_UP = 128 + 24
# SIGXFSZ.
_FILE_TOO_LARGE = 128 + 25
_NO_SUCH_PROGRAM = 127
_NOTHING_COLLECTED = {2: "its tests can't be loaded", 4: "pytest refuses how it is called", 5: "it holds no tests"}
# What a tool says when it is not the design that it complains of; the first group is what to show.
_CRASHES = {
    "verilator": re.compile(
        r"%Error: Internal Error: (?:\S+:\d+: )?(?:\S*/)?(V3\w+\.(?:cpp|h):\d+)|threw (signal \d+)"
    ),
    "iverilog": re.compile(
        r"(?:ivl|ivlpp): (\S+: .*Assertion .* failed)|(Segmentation fault|Aborted)|(internal error)"
    ),
    "make": re.compile(r"()(?:error|undefined reference)"),
    "yosys": re.compile(r"ERROR: (Assert `.*' failed in \S+)"),
}
_DISK_FULL = os.strerror(errno.ENOSPC)
# Said by a program of whose parts one was ended by SIGXCPU.
_TIME_IS_USED_UP = re.compile(r"CPU time limit exceeded|threw signal 24\b")
# A complaint about the design, or that there is none, comes first: then the crash is its consequence.
_COMPLAINTS = re.compile(
    r"No such file or directory|^\S+:\d+: (?:syntax )?error|^%Error(?:-\w+)?: \S+:\d+:\d+: (?!.*Internal)",
    re.MULTILINE,
)
_REFUSALS = {
    "verilator": re.compile(r"^%Error: ((?:Invalid|Unknown) (?:option|\S* ?option).*)", re.MULTILINE),
    "iverilog": re.compile(r"^\S*iverilog: ((?:invalid|unrecognized) option.*)", re.MULTILINE),
    "yosys": re.compile(r"^ERROR: (No such command.*|Unknown option.*)", re.MULTILINE),
}


def with_attributed_fault(verdict: Verdict, execution: Execution, *, is_simulation_expected: bool = True) -> Verdict:
    """A run's verdict: the one given, unless it rests on what the design did not do.

    Args:
        verdict: Verdict by the criterion.
        execution: Everything that the run left; a design can have forged pytest's results once it has run.
        is_simulation_expected: True if the harness has tests of cocotb's, or a testbench.
    """
    reports, watch = execution.reports, execution.watch
    tools = [tool for report in reports for tool in report.tools]
    if verdict.outcome is Outcome.PASSED and (
        crashed := next((tool_run for tool_run in tools if _is_crashed_simulation(tool_run)), None)
    ):
        detail = f"The simulation with {crashed.tool} crashed, so what it left is not trusted."
        if crashed.status == _STOOD_STILL:
            detail = ZERO_TIME
        return verdict.model_copy(update={"reason": Reason.TESTS_FAILED, "detail": detail})
    if verdict.outcome is Outcome.FAILED and (stood := list(_standstill_reasons(reports))):
        return _standstill_verdict(verdict, _STANDSTILLS.get(stood[0], verdict.detail))
    if verdict.outcome is Outcome.FAILED and watch.diverged:
        return _standstill_verdict(verdict, ZERO_TIME)
    tested = any(
        not test.passed for report in reports for simulation in report.simulations for test in simulation.tests
    )
    if not reports or verdict.reason not in _ARE_DECIDED or tested:
        return verdict
    early_reports = (
        report
        for number, report in enumerate(reports)
        if not any(_has_read_design(earlier_report) for earlier_report in reports[:number])
    )
    fault_verdict = _verdict_if_harness_at_fault(reports, list(early_reports)) or _verdict_if_tool_at_fault(tools)
    if fault_verdict is None and execution.step_end.exit_code == _NO_SUCH_PROGRAM and watch.not_found:
        # A simulation's own status never is this one.
        fault_verdict = _missing_program_verdict(watch.not_found)
    if fault_verdict is None and not any(map(_has_read_design, reports)):
        fault_verdict = _verdict_if_design_unread(execution)
    if fault_verdict is None and verdict.reason is Reason.BUILD_FAILED:
        return _verdict_without_results(verdict, tools, is_simulation_expected=is_simulation_expected)
    return verdict if fault_verdict is None else fault_verdict.model_copy(update={"tests": verdict.tests})


def _verdict_without_results(verdict: Verdict, tools: Sequence[ToolRun], *, is_simulation_expected: bool) -> Verdict:
    """The verdict on a run without test results and without a known fault, by the tools that ended in an error."""
    if any(tool_run.simulates and tool_run.status for tool_run in tools):
        return verdict.model_copy(update={"reason": Reason.TESTS_FAILED, "detail": "The simulation ended in an error."})
    failed = next((tool_run for tool_run in tools if tool_run.status), None)
    if failed is None and not is_simulation_expected:
        return verdict.model_copy(update={"reason": Reason.TESTS_FAILED, "detail": "A hidden check failed."})
    if verdict.detail != NOT_RUN:
        return verdict
    if failed is not None:
        reason = f"{failed.tool} ended in an error"
    else:
        reason = "the design compiles, but no test of it began" if tools else "no tool has read the design"
    detail = f"The hidden tests did not run: {reason}."
    return verdict.model_copy(update={"detail": detail, "hint": _UNRUN_HINT})


def needs_reference_verdict(problem: Problem, verdict: Verdict) -> bool:
    """True if the reference, or without one a run of the files as they were given, says whose fault it is."""
    return _has_open_fault(verdict) if problem.hidden.reference else _has_tool_stopped_at_design(verdict)


def _has_tool_stopped_at_design(verdict: Verdict) -> bool:
    """True if a compiler crashed over the design, or met what it can't read."""
    return verdict.reason is Reason.TOOL_FAILED and verdict.hint in (_CRASH_HINT, TOOL_HINT)


def _has_open_fault(verdict: Verdict) -> bool:
    return verdict.reason in _FAULTS or _is_unexplained_build_failure(verdict)


def _is_unexplained_build_failure(verdict: Verdict) -> bool:
    """True if no test ran and no compiler named a place in the design."""
    return verdict.reason is Reason.BUILD_FAILED and not verdict.compiler


def settled_by_reference(verdict: Verdict, reference_verdict: Verdict) -> Verdict:
    """A verdict in the light of the reference's with the same harness and tools, where it `needs_reference_verdict`.

    Where the reference passes, harness and tools are sound, and the fault is one that only this design meets. It counts
    as failed: a design could otherwise crash a tool in order not to be judged. Where the tests don't run with the
    reference either, they are broken.
    """
    if not _has_open_fault(verdict):
        return verdict
    if reference_verdict.outcome is Outcome.PASSED:
        detail = f"{verdict.detail.rstrip('.')}. The reference solution passes with the same tools."
        hint = _REWRITE if verdict.reason in _FAULTS else verdict.hint
        return verdict.model_copy(update={"reason": Reason.BUILD_FAILED, "detail": detail, "hint": hint})
    if _is_unexplained_build_failure(verdict) and _is_unexplained_build_failure(reference_verdict):
        detail = f"{verdict.detail.rstrip('.')}, with the reference solution neither."
        return verdict.model_copy(update={"reason": Reason.BAD_HARNESS, "detail": detail, "hint": _HARNESS_HINT})
    return verdict


def settled_by_starting_files(verdict: Verdict, starting_verdict: Verdict) -> Verdict:
    """A tool's stop in the light of the verdict on the files as they were given, of a problem without a reference.

    Where these are decided on, the tool works, and stops for this design alone.
    """
    if not _has_tool_stopped_at_design(verdict) or starting_verdict.outcome is Outcome.ERROR:
        return verdict
    detail = f"{verdict.detail.rstrip('.')}. The same tools read the files as they were given."
    return verdict.model_copy(update={"reason": Reason.BUILD_FAILED, "detail": detail, "hint": _REWRITE})


def _standstill_reasons(reports: Iterable[StepReport]) -> Iterator[str]:
    """Reasons for the end of simulations that did not advance."""
    for report in reports:
        yield from report.standstills
        yield from ("zero time" for tool in report.tools if tool.simulates and tool.status == _STOOD_STILL)


def _standstill_verdict(verdict: Verdict, detail: str) -> Verdict:
    reason = Reason.TESTS_FAILED if verdict.reason is Reason.BUILD_FAILED else verdict.reason
    return verdict.model_copy(update={"reason": reason, "detail": detail})


def _is_crashed_simulation(tool_run: ToolRun) -> bool:
    return tool_run.simulates and tool_run.has_crashed


def _has_read_design(report: StepReport) -> bool:
    return bool(report.tools or report.simulations)


def _verdict_if_harness_at_fault(reports: Sequence[StepReport], early_reports: Sequence[StepReport]) -> Verdict | None:
    for fault, is_early in (
        (fault, fault.is_early and report in early_reports) for report in reports for fault in report.faults
    ):
        if fault.kind is FaultKind.MISSING:
            return _missing_program_verdict(fault.message)
        if fault.kind is FaultKind.REFUSED:
            detail = f"A tool refuses what the harness asks of it: {fault.message}."
            return Verdict(reason=Reason.TOOL_FAILED, detail=detail, hint=_HARNESS_HINT)
        if fault.kind is FaultKind.UNLOADABLE or is_early:
            return _broken_harness_verdict(fault.message)
    return None


def _missing_program_verdict(program_name: str) -> Verdict:
    hint = "The harness calls a program that the toolchain does not have."
    return Verdict(reason=Reason.TOOL_MISSING, detail=f"tool missing ({program_name})", hint=hint)


def _broken_harness_verdict(error_text: str) -> Verdict:
    module_match = re.search(r"No module named '?([\w.]+)", error_text)
    kind = error_text.partition(":")[0]
    reason = f"it needs the Python module {module_match[1]}" if module_match else _FAULT_WORDS.get(kind, kind)
    return Verdict(
        reason=Reason.BAD_HARNESS, detail=f"The harness of this problem is broken: {reason}.", hint=_HARNESS_HINT
    )


def _verdict_if_tool_at_fault(tools: Iterable[ToolRun]) -> Verdict | None:
    for tool_run in tools:
        if tool_run.simulates or not tool_run.status:
            continue
        if _DISK_FULL in tool_run.message or tool_run.status == _FILE_TOO_LARGE:
            return Verdict(reason=Reason.FOLDER_QUOTA, detail=f"{tool_run.tool} found no room for what it writes.")
        if tool_run.status == _TIME_USED_UP or _TIME_IS_USED_UP.search(tool_run.message):
            detail = f"{tool_run.tool} took more processor time over the design than compiling it may."
            return Verdict(reason=Reason.TIMEOUT, detail=detail)
        refusal, crash = _REFUSALS.get(tool_run.tool), _CRASHES.get(tool_run.tool)
        if refusal and (match := refusal.search(tool_run.message)):
            detail = f"A tool refuses what the harness asks of it: {tool_run.tool}: {match[1].strip()}."
            return Verdict(reason=Reason.TOOL_FAILED, detail=detail, hint=_HARNESS_HINT)
        match = crash.search(tool_run.message) if crash else None
        if (match or tool_run.has_crashed) and not _COMPLAINTS.search(tool_run.message):
            line = next(filter(None, match.groups()), "") if match else f"signal {tool_run.status - 128}"
            detail = f"{tool_run.tool} crashed while it read the design ({line})."
            if tool_run.tool == "make":
                detail = "Verilator made C++ of the design that does not compile."
            return Verdict(reason=Reason.TOOL_FAILED, detail=detail, hint=_CRASH_HINT)
    return None


def _verdict_if_design_unread(execution: Execution) -> Verdict | None:
    """Verdict on a harness that failed before any tool had read the design, so before a design could do anything."""
    pytest, exit_code = execution.test_results.pytest, execution.step_end.exit_code
    for test in pytest:
        if not test.passed and (match := _PYTEST_FAULT.search(test.message)):
            return _broken_harness_verdict(match[0])
    # Other programs have other meanings for these: `grep` ends with 2 where the solver left a file out.
    if not pytest and exit_code in _NOTHING_COLLECTED and any("pytest" in word for word in execution.argv):
        return _broken_harness_verdict(_NOTHING_COLLECTED[exit_code])
    return None
