"""Comparison of what the tools of one run read in a design, where its verdict joins several of them.

A design that is one thing to the simulator and another to the linter or the synthesiser would pass with each for
something else. `inside/guard/readings.py` compares inside the sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from pydantic import ValidationError

from benchwright_foundation.model import Model
from benchwright_harness.decision.report import StepReport
from benchwright_harness.plan.image_names import OSS_SIM
from benchwright_harness.plan.plan import HarnessPlan, PlanStep
from benchwright_harness.scan import hands_in_testbench
from benchwright_problems.problem import Problem

_COMPARED_TOOLS = ("iverilog", "verilator", "yosys")
_PROGRAM = "/opt/benchwright/inside/guard/readings.py"
_DESIGN_SOURCES = (".v", ".sv")


class ReadingComparison(Model):
    """Result of a comparison; both strings are empty if the tools read one design."""

    difference: str = ""
    """Place at which two tools read different designs."""
    unread: str = ""
    """Reason why the design could not be compared."""
    is_starved: bool = False
    """True if other programs kept the comparison from the processor."""

    @property
    def complaint(self) -> str:
        """What keeps a verdict that joins the tools from passing; empty if nothing does."""
        return self.difference or self.unread

    def is_excused_by(self, reference_comparison: ReadingComparison) -> bool:
        """True if the reference is so too, so that the solution is not at fault; only a difference excuses one."""
        return bool(reference_comparison.difference if self.difference else reference_comparison.complaint)


def tools_to_compare(problem: Problem, plan: HarnessPlan, reports: Sequence[StepReport]) -> tuple[str, ...]:
    """Tools that have read the solution in a run, if several have and it is a design; otherwise none.

    Args:
        problem: Problem that was solved.
        plan: Plan of the run, all of whose steps have run; its text says which tools those use that nobody watched.
        reports: What the supervisor heard of the run's steps.
    """
    used_tools = {tool_run.tool for report in reports for tool_run in report.tools}
    if len(reports) < len(plan.steps):
        used_tools |= plan.tools
    tools = tuple(tool for tool in _COMPARED_TOOLS if tool in used_tools)
    return tools if len(tools) > 1 and not hands_in_testbench(problem) else ()


def comparison_step(tools: Collection[str], plan: HarnessPlan, run_files: Mapping[str, bytes]) -> PlanStep:
    """The step that compares a design's readings.

    Args:
        tools: Tools that read it.
        plan: Plan of the run, whose top modules are compared; without any, those that nothing instantiates. Its lists
            of sources say in which order files are read.
        run_files: Path below `/code` → content, of all files of the run.
    """
    listed = [path for step in plan.steps for path in step.env.get("VERILOG_SOURCES", "").split()]
    in_workspace = [f"/code/{path}" for path in sorted(run_files) if path.endswith(_DESIGN_SOURCES)]
    # What no list has may be read, too.
    sources = dict.fromkeys([*(path for path in listed if path in in_workspace), *in_workspace])
    request = {
        "tools": list(tools),
        "sources": list(sources),
        "tops": sorted({step.env["TOPLEVEL"] for step in plan.steps if step.env.get("TOPLEVEL")}),
    }
    argv = ("python3", _PROGRAM, json.dumps(request))
    return PlanStep(service="comparison", image=OSS_SIM, argv=argv, env={}, files={})


def read_comparison(step_output: bytes, *, is_starved: bool = False) -> ReadingComparison:
    """The result that the step printed.

    Args:
        step_output: All that it printed.
        is_starved: True if other programs kept it from the processor until it was given up.
    """
    if is_starved:
        return ReadingComparison(unread="the machine was too busy to compare", is_starved=True)
    try:
        return ReadingComparison.model_validate_json(step_output.strip().rpartition(b"\n")[2])
    except ValidationError:
        return ReadingComparison(unread="the comparison did not end")
