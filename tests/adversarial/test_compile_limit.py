"""A compiler that comes to no end over a design is ended long before the run's limit; the verdict says so."""

from __future__ import annotations

import pytest

from benchwright_harness.toolchain import Toolchain
from benchwright_problems import problem
from benchwright_problems.verdict import Reason

from ..support.designs.submissions import run, toolchain
from .submission import Simulator, Submission, flow

__all__ = ("toolchain",)

LIMIT_S = 100
NUMBERS = {"a delay of many cycles": "100000", "a constant that takes forever": "2000000000"}
EACH: list[tuple[str, Simulator, str, str]] = [
    ("cocotb", "icarus", "a constant that takes forever", "iverilog"),
    ("cocotb", "verilator", "a delay of many cycles", "verilator"),
    ("verilogeval", "icarus", "a constant that takes forever", "iverilog"),
    ("xrun-checker", "icarus", "a delay of many cycles", "verilator"),
]


def _submission(flow_name: str, name: str) -> Submission:
    return next(submission for submission in flow(flow_name).submission if submission.name == name)


@pytest.mark.parametrize(("name", "simulator", "submission", "tool"), EACH)
async def test_the_compiler_and_the_largest_number_are_named(
    name: str, simulator: Simulator, submission: str, tool: str, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problem, "_MIN_COMPILE_S", 1.0)
    monkeypatch.setattr(problem, "_COMPILE_SHARE", 0.0)
    chosen_flow = flow(name)
    content = chosen_flow.content(_submission(name, submission))
    verdict, output, _ = await run(chosen_flow, content, toolchain, simulator, LIMIT_S)
    line = content.decode().split(NUMBERS[submission])[0].count("\n") + 1
    assert (verdict.reason, verdict.detail, verdict.hint) == (
        Reason.TIMEOUT,
        f"{tool} took more processor time over the design than compiling it may.",
        f"The largest number in it is {NUMBERS[submission]} ({chosen_flow.expected}, line {line}).",
    ), output[-3000:]
