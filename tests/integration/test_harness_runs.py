"""Whole runs of a small problem whose harness trusts what it is told, as published ones do."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.sandbox.registry import toolchain_for
from benchwright_harness.scan import rule_names
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Hidden, Problem, RunLimits, ScanAction
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.machine.harness_runs import CANARY, RIGHT, RUNNER, WRONG, problem
from ..support.machine.waiting import wait_until


def shell(script: str, **limits: float) -> Problem:
    """A harness that is one shell script."""
    compose = "services:\n  a:\n    image: i\n    volumes: [./src:/src]\n    command: [sh, /src/run.sh]\n"
    files = {"docker-compose.yml": compose, "src/run.sh": script}
    shell_problem = problem(files, RunLimits.model_validate({"wall_s": 300.0, **limits}))
    return shell_problem.model_copy(update={"hidden": Hidden(harness=files)})


@pytest.fixture(params=[BwrapSandbox, NativeSandbox], ids=["bwrap", "native"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    new_sandbox: Sandbox = request.param()
    return new_sandbox


@pytest.fixture
def run_folders(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Path]]:
    """The run folders that are there."""
    monkeypatch.setattr("tempfile.tempdir", str(open_folder))
    return lambda: list(open_folder.iterdir())


async def grade(
    graded_problem: Problem, solution: str | dict[str, str], sandbox: Sandbox, toolchain: Toolchain
) -> tuple[Verdict, str]:
    files = {"rtl/inv.sv": solution} if isinstance(solution, str) else solution
    log = io.BytesIO()
    content_by_path = {path: text.encode() for path, text in files.items()}
    if isinstance(sandbox, NativeSandbox):
        toolchain = toolchain_for(sandbox.name, Home.from_environment().cache)
    verdict = await run_harness(graded_problem, content_by_path, sandbox=sandbox, toolchain=toolchain, log=log)
    return verdict, log.getvalue().decode(errors="replace")


async def test_a_right_design_passes(sandbox: Sandbox, toolchain: Toolchain) -> None:
    verdict, log = await grade(problem(), RIGHT, sandbox, toolchain)
    assert verdict.outcome is Outcome.PASSED, log
    assert [(test.name, test.passed) for test in verdict.tests] == [("inverts", True), ("likes_random_numbers", True)]


async def test_a_wrong_design_fails_with_the_tests_that_failed(sandbox: Sandbox, toolchain: Toolchain) -> None:
    verdict, log = await grade(problem(), WRONG, sandbox, toolchain)
    assert verdict.reason is Reason.TESTS_FAILED, log
    assert (verdict.passed_tests, len(verdict.tests)) == (1, 2)
    assert "does not invert" in verdict.tests[0].message
    # Only a supervisor hears it.
    assert (verdict.tests[0].sim_time_ns is None) == isinstance(sandbox, NativeSandbox)


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        ("", Reason.BUILD_FAILED),
        ("module inv(", Reason.BUILD_FAILED),
        ("module other; endmodule", Reason.BUILD_FAILED),
        ("module inv(input b, output y); endmodule", Reason.TESTS_FAILED),
        ("\x00\x01\x02", Reason.REFUSED),
        ("é" * 999, Reason.REFUSED),
    ],
)
async def test_a_design_that_does_not_compile_is_a_failure_of_its_own(
    design: str, reason: Reason, toolchain: Toolchain
) -> None:
    verdict, log = await grade(problem(), design, BwrapSandbox(), toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, reason), log


async def test_a_missing_design_fails(toolchain: Toolchain) -> None:
    verdict, _ = await grade(problem(), {}, BwrapSandbox(), toolchain)
    assert verdict.reason is Reason.BUILD_FAILED


async def test_only_the_expected_files_are_taken(toolchain: Toolchain) -> None:
    files = {"rtl/inv.sv": WRONG, "rtl/given.sv": RIGHT, "rtl/more.sv": RIGHT, "src/test_inv.py": "", "rundir/x": ""}
    verdict, log = await grade(
        shell("cat /code/rtl/given.sv /code/docs/spec.md; ls /code/rtl /code/rundir; exit 1"),
        files,
        BwrapSandbox(),
        toolchain,
    )
    assert log.endswith("// given\nspec/code/rtl:\ngiven.sv\ninv.sv\n\n/code/rundir:\n")
    assert verdict.outcome is Outcome.FAILED


async def test_two_runs_of_one_design_say_the_same(toolchain: Toolchain) -> None:
    (first_verdict, first_log), (second_verdict, second_log) = [
        await grade(problem(), RIGHT, BwrapSandbox(), toolchain) for _ in range(2)
    ]
    measured = {"wall_s": 0, "usage": None}
    assert first_verdict.model_copy(update=measured) == second_verdict.model_copy(update=measured)
    assert all(first_verdict.digests.model_dump().values())
    numbers = [[line for line in log.splitlines() if line.startswith("random")] for log in (first_log, second_log)]
    assert numbers[0] == numbers[1] != []


async def test_digests_tell_what_differs(toolchain: Toolchain) -> None:
    verdict, _ = await grade(shell("exit 0"), RIGHT, BwrapSandbox(), toolchain)
    other_verdict, _ = await grade(shell("exit  0"), RIGHT, NativeSandbox(), toolchain)
    equal_names = {name for name, value in verdict.digests if value == dict(other_verdict.digests)[name]}
    assert equal_names == {"problem"}


async def test_an_endless_simulation_fails_by_time_out(sandbox: Sandbox, toolchain: Toolchain) -> None:
    endless = "module inv(input a, output reg y); always #1 y = ~a; initial while (1) y = ~y; endmodule\n"
    verdict, _ = await grade(problem(limits=RunLimits(wall_s=3)), endless, sandbox, toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.TIMEOUT)
    assert verdict.detail == "The run took longer than 3 s and was stopped."
    assert verdict.wall_s >= 3


async def test_a_design_that_prints_without_end_is_an_output_quota(toolchain: Toolchain) -> None:
    flood = 'module inv(input a, output y); initial while (1) $display("flood flood flood flood"); endmodule\n'
    verdict, _ = await grade(problem(limits=RunLimits(wall_s=300)), flood, BwrapSandbox(), toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.OUTPUT_QUOTA)


async def test_a_folder_that_fills_up_is_a_quota(toolchain: Toolchain) -> None:
    script = "for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > $n; done; sleep 900"
    verdict, _ = await grade(shell(script, folder_mb=4), RIGHT, BwrapSandbox(), toolchain)
    assert verdict.reason is Reason.FOLDER_QUOTA


async def test_a_missing_tool_is_an_error_that_names_it(toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every tool that a harness can name is in a toolchain or beside it; so one has to go.
    monkeypatch.setattr("benchwright_harness.toolchain.tree.program_folders", lambda selection: ["/usr/share"])
    verdict, _ = await grade(problem(), RIGHT, BwrapSandbox(), toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.ERROR, Reason.TOOL_MISSING)
    assert verdict.summary == "error: tool missing (iverilog)"
    assert verdict.hint


async def test_a_broken_harness_is_an_error_that_tells_the_solver_nothing(toolchain: Toolchain) -> None:
    broken_harness = {
        "docker-compose.yml": f"services: {{{CANARY}: {{image: i, command: ls, env_file: {CANARY}.env}}}}"
    }
    verdict, log = await grade(problem(broken_harness), RIGHT, BwrapSandbox(), toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.ERROR, Reason.BAD_HARNESS)
    assert CANARY not in verdict.model_dump_json()
    assert CANARY in log


async def test_a_sandbox_that_does_not_work_is_no_failure_of_the_solver(
    toolchain: Toolchain, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What bubblewrap does inside most containers.
    program = open_folder / "bwrap"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit\necho no namespaces >&2; exit 1\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(open_folder))
    verdict, _ = await grade(problem(), RIGHT, BwrapSandbox(), toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.ERROR, Reason.SANDBOX_UNAVAILABLE)
    assert "allow this account to make user namespaces" in verdict.hint


async def test_a_harness_that_succeeds_without_results_proves_nothing(toolchain: Toolchain) -> None:
    harness = {"src/test_runner.py": "def test_runner():\n    pass\n"}
    verdict, _ = await grade(problem(harness), RIGHT, BwrapSandbox(), toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.NO_RESULTS)


async def test_failed_results_count_even_where_the_harness_ends_well(toolchain: Toolchain) -> None:
    trusting = RUNNER.replace("    runner.test(", "    os.environ.pop('PYTEST_CURRENT_TEST')\n    runner.test(")
    swallowing = trusting.replace("    runner.test(", "    try: runner.test(") + "    except SystemExit: pass\n"
    verdict, log = await grade(problem({"src/test_runner.py": swallowing}), WRONG, BwrapSandbox(), toolchain)
    assert verdict.reason is Reason.TESTS_FAILED, log


async def test_every_service_has_to_succeed_and_the_first_failure_ends_the_run(toolchain: Toolchain) -> None:
    compose = "services:\n" + "".join(
        f"  s{number}: {{image: i, command: [sh, -c, 'echo ran {number}; exit {status}']}}\n"
        for number, status in enumerate((0, 3, 0))
    )
    services_problem = problem().model_copy(update={"hidden": Hidden(harness={"docker-compose.yml": compose})})
    announced_steps: list[tuple[int, int, str]] = []
    log = io.BytesIO()
    verdict = await run_harness(
        services_problem,
        {},
        sandbox=BwrapSandbox(),
        toolchain=toolchain,
        log=log,
        before_step=lambda number, total, service: announced_steps.append((number, total, service)),
    )
    assert announced_steps == [(1, 3, "s0"), (2, 3, "s1")]
    assert b"ran 0" in log.getvalue()
    assert b"ran 2" not in log.getvalue()
    assert verdict.outcome is Outcome.FAILED


FORGED = "<testsuites><testsuite><testcase name='inverts'/></testsuite></testsuites>"
FORGER = f"""module inv(input a, output y);
  assign y = a;
  integer f;
  final begin
    f = $fopen("test_runner.result.xml", "w");
    $fdisplay(f, "{FORGED}");
    $fclose(f);
  end
endmodule
"""


async def test_a_design_that_overwrites_its_result_file_does_not_pass(toolchain: Toolchain) -> None:
    inverter = problem()
    unscanned = inverter.hidden.model_copy(update={"scan": dict.fromkeys(rule_names(), ScanAction.ALLOW)})
    verdict, log = await grade(inverter.model_copy(update={"hidden": unscanned}), FORGER, BwrapSandbox(), toolchain)
    assert " 1 passed" in log, "the harness should have believed it"
    assert verdict.reason is Reason.TAMPERED


async def test_the_run_folder_is_gone_afterwards(
    sandbox: Sandbox, toolchain: Toolchain, run_folders: Callable[[], list[Path]]
) -> None:
    script = (
        "mkdir -p a/b/c ../rtl/x; touch a/b/c/f; ln -s / root; mkfifo p; chmod 000 a/b/c a/b a ../rtl/x ../rtl; exit 1"
    )
    verdict, _ = await grade(shell(script), RIGHT, sandbox, toolchain)
    assert verdict.outcome is Outcome.FAILED
    assert run_folders() == []


async def test_a_file_below_src_is_the_problems_and_not_the_hidden_one(
    toolchain: Toolchain, run_folders: Callable[[], list[Path]]
) -> None:
    shell_problem = shell("cat /code/src/mine.sv; ls /src; exit 1")
    public = shell_problem.public.model_copy(update={"expected": ("src/mine.sv",)})
    _, log = await grade(
        shell_problem.model_copy(update={"public": public}), {"src/mine.sv": "mine\n"}, BwrapSandbox(), toolchain
    )
    assert log.endswith("mine\nrun.sh\n")
    assert not Path("/src").exists()


async def test_cancelling_a_run_leaves_no_process_and_no_folder(
    sandbox: Sandbox, toolchain: Toolchain, run_folders: Callable[[], list[Path]]
) -> None:
    endless = "module inv(input a, output reg y); initial while (1) y = ~y; endmodule\n"
    task = asyncio.ensure_future(grade(problem(), endless, sandbox, toolchain))

    def simulates() -> bool:
        return any(is_simulation_in(process, folder) for folder in run_folders() for process in psutil.process_iter())

    await wait_until(lambda: task.done() or simulates())
    folders = run_folders()
    assert len(folders) >= 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    assert [p for p in psutil.process_iter(["cmdline"]) if str(folders[0]) in " ".join(p.info["cmdline"] or ())] == []
    assert run_folders() == []


def is_simulation_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return "vvp" in process.name() and psutil.Process() in process.parents() and folder.exists()
    except psutil.Error:
        return False


def texts_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Files with their content, while others make and remove some."""
    for parent, _, names in os.walk(folder):
        for file in (Path(parent, name) for name in names):
            with contextlib.suppress(FileNotFoundError):
                if file.is_file():
                    yield file.name, file.read_bytes()


async def test_hidden_text_is_never_on_the_disk_during_a_sandboxed_run(
    toolchain: Toolchain, run_folders: Callable[[], list[Path]]
) -> None:
    task = asyncio.ensure_future(grade(problem(), RIGHT, BwrapSandbox(), toolchain))
    leaked_names: set[str] = set()
    looks = 0
    while not task.done():
        for folder in run_folders():
            looks += 1
            leaked_names |= {name for name, content in texts_in(folder) if CANARY.encode() in content}
        await asyncio.sleep(0.02)
    verdict, _ = await task
    assert verdict.outcome is Outcome.PASSED
    assert looks > 5
    assert leaked_names == set()
