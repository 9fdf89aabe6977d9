"""From what a run left behind to its verdict: the pass criterion, and what outweighs it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchwright_harness.decision.compiler_messages import (
    with_busy_compiler_if_over_limit,
    with_compiler_messages_if_unbuilt,
)
from benchwright_harness.decision.criterion import Criterion, verdict_by_criterion
from benchwright_harness.decision.fault import with_attributed_fault
from benchwright_harness.decision.report import StepReport
from benchwright_harness.decision.results import Execution, FailureWatch
from benchwright_harness.execution.process import ProcessEnd
from benchwright_harness.plan.connections import unmentioned_names
from benchwright_harness.plan.plan import OPEN_SOURCE_COVERAGE, HarnessPlan
from benchwright_harness.scan import ScanFinding, rule_names
from benchwright_problems.problem import Problem, ScanAction
from benchwright_problems.verdict import Outcome, Reason, Verdict

OWNERSHIP = "ownership"
"""The rule that a compiler's guard names where a design changes signals that are not its own."""


def decide_verdict(
    criterion: Criterion, execution: Execution, problem: Problem, solution: Mapping[str, bytes]
) -> Verdict:
    """The verdict on a run whose steps have ended.

    Args:
        criterion: Pass criterion of the plan.
        execution: Everything that the steps left behind.
        problem: Problem with its hidden part.
        solution: The solver's files.
    """
    by_criterion = verdict_by_criterion(
        criterion,
        testbench_output=execution.output,
        step_end=execution.step_end,
        test_results=execution.test_results,
        summarised_failure_count=0
        if any(report.simulations for report in execution.reports)
        else execution.watch.failures,
        limits=problem.limits,
    )
    if execution.test_results.oddities and execution.step_end.end is ProcessEnd.EXITED:
        detail = "The run left results that its simulations did not have, or changed files that it may not."
        return Verdict(reason=Reason.TAMPERED, detail=detail, tests=by_criterion.tests)
    if criterion.tests is not None and by_criterion.reason is Reason.TESTS_FAILED and by_criterion.tests:
        # Whatever else a verifier runs may fail: some of the tests have results.
        attributed = by_criterion
    else:
        simulates = criterion.simulates or criterion.is_testbench
        attributed = with_attributed_fault(by_criterion, execution, is_simulation_expected=simulates)
    if attributed.outcome is Outcome.PASSED:
        return attributed
    if refusal := _verdict_if_compiler_refused(problem, execution.watch):
        return refusal
    explained = with_compiler_messages_if_unbuilt(attributed, problem, solution, execution.reports)
    explained = with_busy_compiler_if_over_limit(explained, problem, solution, execution.reports)
    if explained.outcome is Outcome.FAILED and (names := _unknowable_names_of_failure(explained, problem, solution)):
        hint = f"The hidden tests use {', '.join(names)}: your files lack it, and the statement does not mention it."
        return explained.model_copy(update={"hint": hint})
    return explained


def rests_on_unsigned_results(verdict: Verdict, plan: HarnessPlan, reports: Sequence[StepReport]) -> bool:
    """True if a pass rests on a simulation whose results come from its own process alone.

    With our `xrun`, what is judged is coverage data or the solver's own testbench.
    """
    simulates = any(tool.simulates for report in reports for tool in report.tools)
    if plan.criterion.table is None:
        is_signed = any(report.simulations for report in reports) or OPEN_SOURCE_COVERAGE in plan.remarks
    else:
        is_signed = plan.criterion.is_testbench
    return verdict.outcome is Outcome.PASSED and simulates and not is_signed


def _unknowable_names_of_failure(verdict: Verdict, problem: Problem, solution: Mapping[str, bytes]) -> list[str]:
    """Names by which a design fails though no solver could know them."""
    solution_text = b"\n".join(solution.values()).decode("utf-8", "replace")
    names = [name for name in unmentioned_names(problem) if not re.search(rf"\b{re.escape(name)}\b", solution_text)]
    if verdict.reason is Reason.BUILD_FAILED:
        return names
    messages = "\n".join(test.message for test in verdict.tests if not test.passed)
    return [name for name in names if re.search(rf"\b{re.escape(name)}\b", messages)]


def _verdict_if_compiler_refused(problem: Problem, watch: FailureWatch) -> Verdict | None:
    """The verdict if the guard of a compiler has refused a design for what the compiler itself has parsed."""
    if watch.refusal is None or watch.refusal[0] not in problem.public.expected:
        return None
    path, line, column, subject, rule = watch.refusal
    if rule == OWNERSHIP:
        signal = subject.removeprefix("a change of ")
        detail = (
            f"Not run: {path}, line {line}, changes {signal}, which is not the design's own: "
            "what a design is given, the testbench drives."
        )
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    if rule not in rule_names():
        # The design can print such a line, too.
        return None
    finding = ScanFinding(path=path, line=line, column=column, rule=rule, what=subject, action=ScanAction.REFUSE)
    return Verdict(reason=Reason.REFUSED, detail=f"Not run: {finding}.")
