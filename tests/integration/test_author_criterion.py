"""An author's `[criterion]`, from the pack's folder to verdicts of real simulators."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.execution.run import run_harness
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import ProofState
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.plan.connections import unmentioned_names
from benchwright_harness.plan.selection import selections
from benchwright_harness.plan.testbench import UNHEARD
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.verdict import Outcome, Reason, Verdict

PROBLEM = """
id = "gate"
kind = "design"
category = "cid003"
difficulty = "easy"
expected = ["rtl/gate.sv"]
{criterion}
"""
TESTBENCH = """
`include "width.vh"
module tb;
  reg [`WIDTH-1:0] a; wire y; reg expected [0:3]; integer wrong, out;
  gate dut(.a(a), .y(y));
  initial begin
    $readmemb("data/and.txt", expected);
    wrong = 0;
    for (a = 0; a < 3; a = a + 1) begin #1 if (y !== expected[a]) wrong = wrong + 1; end
    #1 if (y !== expected[3]) wrong = wrong + 1;
    out = $fopen("result.txt", "w"); $fdisplay(out, "wrong: %0d", wrong); $fclose(out);
    $display("%0d of 4 wrong", wrong);
    if (wrong == 0) $display("ALL OK");
    $finish;
  end
endmodule
"""
AND = 'module gate(input [1:0] a, output y);\n  assign y = &a;\n  initial $display("ALL OK 0 of 4 wrong");\nendmodule\n'
OR = AND.replace("&a", "|a")
SCRIPT = """
services:
  check:
    image: __OSS_SIM_IMAGE__
    volumes: ["./src/:/src/:ro"]
    command: sh /src/check.sh
"""


def pack_folder(folder: Path, criterion: str, *, script: str = "") -> Path:
    files = {
        "pack.toml": 'name = "p"\ntitle = "P"\nversion = "1"\nlicense = "CC0-1.0"\nsource = "test"\norder = ["gate"]\n',
        "gate/problem.toml": PROBLEM.format(criterion=criterion),
        "gate/statement.md": "# Gate\n\nWrite `gate` with `a` and `y`.\n",
        "gate/public/data/and.txt": "0 0 0 1\n",
        "gate/public/rtl/width.vh": "`define WIDTH 2\n",
        "gate/hidden/reference/rtl/gate.sv": re.sub(r" *initial.*\n", "", AND),
    }
    if script:
        files |= {"gate/hidden/harness/docker-compose.yml": SCRIPT, "gate/hidden/harness/src/check.sh": script}
    else:
        description = {"top": "tb", "design": ["rtl/gate.sv"], "testbench": ["tb.sv"]}
        files |= {"gate/hidden/harness/testbench.json": json.dumps(description)}
        files |= {"gate/hidden/harness/tb.sv": TESTBENCH}
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


async def grade(folder: Path, design: str, toolchain: Toolchain) -> Verdict:
    (problem,) = read_pack_folder(folder).problems
    log = io.BytesIO()
    verdict = await run_harness(
        problem,
        {"rtl/gate.sv": design.encode()},
        sandbox=BwrapSandbox(),
        toolchain=toolchain,
        selection=selections(problem)[0],
        log=log,
    )
    assert verdict.outcome is not Outcome.ERROR, f"{verdict}{log.getvalue()[-3000:].decode()}"
    return verdict


CRITERIA = [
    "pass = '^0 of \\d+ wrong$'",
    "pass = ['^ALL OK$']\nfail = ['[1-9]\\d* of 4 wrong']",
    "pass = '^wrong: 0$'\nfile = 'result.txt'",
    "fail = '(?P<wrong>[1-9]) of 4 wrong'\npass = '0 of 4'\ncount = 1",
]


@pytest.mark.parametrize(
    ("simulator", "criterion"),
    [
        *(("icarus", criterion) for criterion in CRITERIA),
        ("verilator", CRITERIA[0]),
        *(pytest.param("verilator", criterion, marks=pytest.mark.nightly) for criterion in CRITERIA[1:]),
    ],
)
async def test_a_testbench_that_reads_public_data_and_headers_passes_by_its_authors_patterns(
    simulator: str, criterion: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    folder = pack_folder(tmp_path, f"[criterion]\nsimulator = '{simulator}'\n{criterion}")
    passed = await grade(folder, AND, toolchain)
    assert passed.outcome is Outcome.PASSED, passed
    assert (UNHEARD in passed.remarks) == ("file" in criterion)
    # It prints the words itself, which decides nothing.
    failed = await grade(folder, OR, toolchain)
    assert failed.reason is Reason.TESTS_FAILED, failed


async def test_a_port_that_only_the_testbench_names_is_told_to_author_and_solver(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    folder = pack_folder(tmp_path, "[criterion]\npass = '^0 of'")
    bench = folder / "gate/hidden/harness/tb.sv"
    bench.write_text(bench.read_text().replace(".y(y)", ".ready_n(y)"))
    verdict = await grade(folder, AND, toolchain)
    assert verdict.reason is Reason.BUILD_FAILED
    assert verdict.hint.startswith("The hidden tests use ready_n:")
    (problem,) = read_pack_folder(folder).problems
    assert unmentioned_names(problem) == ("ready_n",)


async def test_where_all_output_counts_the_verdict_says_that_a_design_can_forge_it(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    folder = pack_folder(tmp_path, "[criterion]\npass = 'ALL OK'\nscope = 'stdout'")
    forged = await grade(folder, OR, toolchain)
    assert (forged.outcome, UNHEARD in forged.remarks) == (Outcome.PASSED, True)


@pytest.mark.parametrize(
    ("criterion", "script", "reason"),
    [
        ("pass = 'and'", "grep -q '&a' /code/rtl/gate.sv && echo and", Reason.PASSED),
        ("pass = 'nand'", "grep -q '&a' /code/rtl/gate.sv && echo and", Reason.TESTS_FAILED),
        ("pass = 'and'\nfail = 'late'", "echo and; echo late", Reason.TESTS_FAILED),
        ("exit = 3", "exit 3", Reason.PASSED),
        ("exit = 3", "exit 0", Reason.TESTS_FAILED),
        ("pass = 'done'\nfile = 'out/log.txt'", "mkdir out; echo done >out/log.txt", Reason.PASSED),
        ("pass = 'done'\nfile = 'out/log.txt'", "mkdir out; ln -s /etc/passwd out/log.txt", Reason.TESTS_FAILED),
    ],
)
async def test_a_script_passes_by_its_authors_criterion(
    criterion: str, script: str, reason: Reason, toolchain: Toolchain, tmp_path: Path
) -> None:
    folder = pack_folder(tmp_path, f"[criterion]\n{criterion}", script=script)
    assert (await grade(folder, AND, toolchain)).reason is reason


async def test_check_proposes_a_criterion_that_proves_the_problem(toolchain: Toolchain, tmp_path: Path) -> None:
    verdicts = VerdictStore(tmp_path / "verdicts")
    executor = LocalExecutor(Home.from_environment().cache, 2, open_log=lambda task: verdicts.open_log(task.key))
    checker = ProblemChecker(executor, BwrapSandbox(), toolchain, verdicts)
    (proof,) = await checker.check_problems(read_pack_folder(pack_folder(tmp_path / "a", "")).problems)
    assert proof.proof_state is ProofState.UNDECIDED
    assert proof.reason == "error: neither testbench.json nor problem.toml has a criterion"
    assert (
        proof.proposed_criterion == "[criterion]\npass = ['^ALL OK$']\nfail = ['^[1-9][0-9]* of [1-9][0-9]* wrong$']\n"
    )
    assert proof.proposed_criterion in "".join(proof.remarks)
    proposed = read_pack_folder(pack_folder(tmp_path / "b", proof.proposed_criterion)).problems
    (second_proof,) = await checker.check_problems(proposed)
    assert (second_proof.proof_state, second_proof.proposed_criterion) == (ProofState.PROVED, ""), second_proof.reasons
