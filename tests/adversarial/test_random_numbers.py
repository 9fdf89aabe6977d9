"""A testbench's random numbers: a design can neither skip some of them nor know them beforehand."""

from __future__ import annotations

import io
import re

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.plan.testbench import PREDICTABLE
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.criterion import Simulator
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Reason, Verdict

from .submission import flow

FLOW = flow("verilogeval")
SIMULATORS = ["icarus", pytest.param("verilator", marks=pytest.mark.nightly)]
SPEAKING = FLOW.right.replace("endmodule", 'always @(posedge clk) $write(" %0d", a);\nendmodule')
# Of the numbers of Icarus's own functions with no seed, those that the stimulus takes.
PUBLISHED = [4, 1, 9, 3, 13]
KNOWS = """module TopModule(input clk, input [3:0] a, output logic [3:0] y);
int number = 0;
always @(posedge clk) begin
  number <= number + 1;
  case (number) {cases} default: y <= a + 4'd3; endcase
end
endmodule
""".replace("{cases}", " ".join(f"{draw}: y <= {(value + 3) % 16};" for draw, value in enumerate(PUBLISHED, 1)))


def problem(*, with_reference: bool, testbench_needs: str = "") -> Problem:
    """The flow's problem; its testbench may fail every design whose first numbers are not those wanted."""
    chosen = FLOW.problem()
    harness = dict(chosen.hidden.harness)
    if testbench_needs:
        harness["test.sv"] = harness["test.sv"].replace("task check;", f"task check;\n{testbench_needs}")
        assert harness != chosen.hidden.harness
    reference = {FLOW.expected: FLOW.right + "\n"} if with_reference else {}
    return chosen.model_copy(
        update={"hidden": chosen.hidden.model_copy(update={"harness": harness, "reference": reference})}
    )


async def grade(graded: Problem, design: str, simulator: Simulator = "icarus") -> tuple[Verdict, str]:
    log = io.BytesIO()
    verdict = await run_harness(
        graded,
        {FLOW.expected: f"{design}\n".encode()},
        sandbox=BwrapSandbox(),
        toolchain=Toolchain.find(Home.from_environment().cache),
        log=log,
        selection=ToolSelection(simulator=simulator),
    )
    return verdict, log.getvalue().decode(errors="replace")


def stimuli(log: str) -> list[int]:
    """What a speaking design was given."""
    return [int(word) for word in re.findall(r" (\d+)(?= |\n|$)", log.partition("--- the simulation begins")[2])][:30]


@pytest.mark.parametrize("simulator", SIMULATORS)
async def test_each_design_meets_others(simulator: Simulator) -> None:
    graded_runs = [
        await grade(problem(with_reference=True), f"{SPEAKING}// {number}", simulator) for number in range(3)
    ]
    assert {verdict.reason for verdict, _ in graded_runs} == {Reason.PASSED}
    assert not any(PREDICTABLE in verdict.remarks for verdict, _ in graded_runs)
    assert len({tuple(stimuli(log)) for _, log in graded_runs}) == 3


async def test_the_same_design_meets_the_same() -> None:
    """So its waveform, for which it runs again, shows what was judged."""
    logs = [(await grade(problem(with_reference=True), SPEAKING))[1] for _ in range(2)]
    assert stimuli(logs[0]) == stimuli(logs[1])


async def test_without_a_reference_they_are_those_of_icarus_and_the_verdict_says_so() -> None:
    verdict, log = await grade(problem(with_reference=False), SPEAKING)
    assert (verdict.reason, PREDICTABLE in verdict.remarks) == (Reason.PASSED, True)
    assert stimuli(log)[1:6] == PUBLISHED


NEEDS = f"if (samples == 0 && a != {PUBLISHED[0]}) errors++;"


async def test_where_the_reference_fails_with_new_ones_they_are_the_published() -> None:
    """One in sixteen runs happens to draw what the testbench wants, and says nothing."""
    fragile = problem(with_reference=True, testbench_needs=NEEDS)
    verdict, log = await grade(fragile, FLOW.right)
    assert verdict.reason is Reason.PASSED, log
    verdict, log = await grade(fragile, FLOW.around.replace("{body}", ""))
    assert verdict.reason is Reason.TESTS_FAILED, log


async def test_who_knows_the_published_ones_knows_nothing() -> None:
    wrong = KNOWS.replace("default: y <= a + 4'd3;", "default: y <= 0;")
    verdict, log = await grade(problem(with_reference=True), wrong)
    assert (verdict.reason, PREDICTABLE in verdict.remarks) == (Reason.TESTS_FAILED, False), log


MISSED = """module TopModule(input clk, input [3:0] a, output logic [3:0] y);
int number = 0;
bit is_published = 1;
always @(posedge clk) begin
  number <= number + 1;
  case (number) {cases} default: ; endcase
  y <= a + 4'd3 + (is_published && number > 5);
end
endmodule
""".replace(
    "{cases}",
    " ".join(f"{draw}: is_published <= is_published & (a == {value});" for draw, value in enumerate(PUBLISHED, 1)),
)


async def test_a_fault_that_only_the_published_ones_show_is_found() -> None:
    verdict, log = await grade(problem(with_reference=True), MISSED)
    assert "now with those of the published tests" in log
    assert verdict.reason is Reason.TESTS_FAILED, log


COCOTB = flow("cocotb")


def cocotb_problem(test: str, *, with_reference: bool = True) -> Problem:
    chosen = COCOTB.problem()
    harness = chosen.hidden.harness | {"src/test_inv.py": f"import os\nimport random\nimport cocotb\n{test}"}
    reference = {COCOTB.expected: COCOTB.right} if with_reference else {}
    hidden = chosen.hidden.model_copy(update={"harness": harness, "reference": reference})
    return chosen.model_copy(update={"hidden": hidden})


async def grade_with_cocotb(graded: Problem, comment: str = "") -> tuple[Verdict, list[str]]:
    """The verdict on the right design, and the numbers that the tests drew."""
    log = io.BytesIO()
    verdict = await run_harness(
        graded,
        {COCOTB.expected: f"{COCOTB.right}\n// {comment}\n".encode()},
        sandbox=BwrapSandbox(),
        toolchain=Toolchain.find(Home.from_environment().cache),
        log=log,
    )
    return verdict, re.findall(r"drawn: (\d+)", log.getvalue().decode())


DRAWS = """
@cocotb.test()
async def draws(dut):
    print("drawn:", random.getrandbits(32), flush=True)
"""


async def test_with_cocotb_each_design_meets_others_and_the_same_again() -> None:
    graded_runs = [await grade_with_cocotb(cocotb_problem(DRAWS), comment) for comment in ("a", "b", "a")]
    assert [(verdict.reason, PREDICTABLE in verdict.remarks) for verdict, _ in graded_runs] == [
        (Reason.PASSED, False)
    ] * 3
    (first, second, third) = (drawn for _, drawn in graded_runs)
    assert first == third != second
    _, published = await grade_with_cocotb(cocotb_problem(DRAWS, with_reference=False))
    assert published not in (first, second)


async def test_where_the_reference_fails_with_new_ones_cocotb_has_the_published() -> None:
    wants_published = f'{DRAWS}    assert os.environ["COCOTB_RANDOM_SEED"] == "1"\n'
    verdict, _ = await grade_with_cocotb(cocotb_problem(wants_published))
    assert (verdict.reason, PREDICTABLE in verdict.remarks) == (Reason.PASSED, True)
