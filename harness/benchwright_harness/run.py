"""One run: a snapshot of the solver's files meets the hidden part inside a sandbox."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from benchwright_harness.errors import BadHarnessError, HarnessError
from benchwright_harness.foreign_folder import remove_folder
from benchwright_harness.plan import WORKDIR, Plan, Step, make_plan
from benchwright_harness.process import End, Ended
from benchwright_harness.results import PYTEST_RESULTS, FailureWatch, Results, read_results
from benchwright_harness.sandbox import Job, Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.verdict import Digests, Reason, Verdict
from benchwright_problems.problem import FOLDERS, Problem

# cocotb seeds `random` with it; without one two runs of the same design may differ.
RANDOM_SEED = "1"

_ENDS = {
    End.TIMEOUT: (Reason.TIMEOUT, "The run took longer than {limits.wall_s:g} s and was stopped."),
    End.MEMORY: (Reason.MEMORY, "The run used more than {limits.memory_mb} MiB of memory and was stopped."),
    End.FOLDER_QUOTA: (Reason.FOLDER_QUOTA, "The run wrote more than {limits.folder_mb} MiB and was stopped."),
    End.OUTPUT_QUOTA: (Reason.OUTPUT_QUOTA, "The run printed more than it may and was stopped."),
}


async def run_harness(
    problem: Problem,
    solution: Mapping[str, bytes],
    *,
    sandbox: Sandbox,
    toolchain: Toolchain,
    log: BinaryIO,
    on_step: Callable[[int, int, str], None] = lambda number, of, service: None,
) -> Verdict:
    """Run a design problem's harness on a solution.

    Cancelling this coroutine kills every process of the run and removes its folder.

    Args:
        problem: With its hidden part.
        solution: Path → content. Only the files that the problem expects are taken; one that is
            missing here is missing in the run.
        sandbox: Where the steps run.
        toolchain: What they run with.
        log: Raw output of all steps, for the store: it may hold hidden text.
        on_step: Called before each step with its number from 1, their count, and its name.

    Returns:
        A verdict, also where the harness could not be run: its reason then says why.
    """
    start = time.monotonic()
    digests = Digests(problem=problem.public_digest, harness=problem.harness_digest)
    try:
        plan = make_plan(problem.hidden.harness)
        toolchain.require(plan.tools)
        digests = digests.model_copy(update={"toolchain": toolchain.digest, "sandbox": sandbox.digest})
        verdict = await _run_plan(problem, solution, plan, sandbox, toolchain, log, on_step)
    except BadHarnessError as error:
        # What is wrong with it may name hidden files.
        log.write(f"{error}\n".encode())
        verdict = Verdict(
            reason=error.reason,
            detail="the harness of this problem is broken",
            hint="Tell the people who made the pack; `benchwright problems check` shows them what is wrong.",
        )
    except HarnessError as error:
        verdict = Verdict(reason=error.reason, detail=str(error), hint=error.hint)
    return verdict.model_copy(update={"digests": digests, "wall_s": round(time.monotonic() - start, 3)})


async def _run_plan(
    problem: Problem,
    solution: Mapping[str, bytes],
    plan: Plan,
    sandbox: Sandbox,
    toolchain: Toolchain,
    log: BinaryIO,
    on_step: Callable[[int, int, str], None],
) -> Verdict:
    user = sandbox.new_user()
    with _run_folder(_snapshot(problem, solution), user) as code:
        ended = Ended(End.EXITED, 0, 0.0)
        output = FailureWatch(log)
        for number, step in enumerate(plan.steps, 1):
            on_step(number, len(plan.steps), step.service)
            log.write(f"--- {step.service}: {' '.join(step.argv)}\n".encode())
            job = Job(
                argv=step.argv,
                env=_environment(step, toolchain),
                code=code,
                hidden=step.files,
                limits=problem.limits,
                toolchain=toolchain,
                user=user,
            )
            ended = await sandbox.run(job, output)
            if ended.end is not End.EXITED or ended.exit_code != 0:
                break
        return _verdict(problem, plan, ended, read_results(code / "rundir"), output.failures)


def _verdict(problem: Problem, plan: Plan, ended: Ended, results: Results, failures: int) -> Verdict:
    tests = results.shown
    if ended.end in _ENDS:
        reason, text = _ENDS[ended.end]
        return Verdict(reason=reason, detail=text.format(limits=problem.limits), tests=tests)
    simulates = any({"MODULE", "COCOTB_TEST_MODULES"} & step.env.keys() for step in plan.steps)
    bad = [test for test in (*results.cocotb, *results.pytest) if not test.passed]
    if ended.exit_code == 0 and not bad:
        if simulates and not results.cocotb:
            detail = "The harness ended well but left no test results, so nothing was checked."
            return Verdict(reason=Reason.NO_RESULTS, detail=detail)
        if failures:
            detail = "The simulation reported failed tests that its result file does not have."
            return Verdict(reason=Reason.TESTS_FAILED, detail=detail)
        return Verdict(reason=Reason.PASSED, detail="All hidden tests passed.", tests=tests)
    if results.cocotb and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail="Some hidden tests failed.", tests=tests)
    if not simulates and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail="Some hidden checks failed.", tests=tests)
    detail = "The hidden tests could not run: most often the design does not compile or a port is missing."
    return Verdict(reason=Reason.BUILD_FAILED, detail=detail)


def _environment(step: Step, toolchain: Toolchain) -> dict[str, str]:
    return {
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "RANDOM_SEED": RANDOM_SEED,
        "COCOTB_RANDOM_SEED": RANDOM_SEED,
        "PYTEST_ADDOPTS": f"--junitxml={WORKDIR}/{PYTEST_RESULTS}",
        **step.env,
        **toolchain.environment,
        "HOME": WORKDIR,
        "PWD": WORKDIR,
    }


def starting_files(problem: Problem) -> dict[str, bytes]:
    """The expected files as the solver finds them; those to be created are missing."""
    given = problem.public.files
    return {path: given[path].encode() for path in problem.public.expected if path in given}


def _snapshot(problem: Problem, solution: Mapping[str, bytes]) -> dict[str, bytes]:
    expected = set(problem.public.expected)
    given = {path: text.encode() for path, text in problem.public.files.items() if path not in expected}
    return given | {path: content for path, content in solution.items() if path in expected}


@contextlib.contextmanager
def _run_folder(files: Mapping[str, bytes], user: int | None) -> Iterator[Path]:
    """A folder of the run's own, which only its user can enter; gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="benchwright-run-"))
    try:
        for name in FOLDERS:
            (folder / name).mkdir()
        for path, content in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        if not (folder / "src").exists():
            # Last, so that no file of a problem is written through it to a /src of this machine.
            (folder / "src").symlink_to("/src")
        if user is not None:
            for parent, folders, names in os.walk(folder):
                for name in (".", *folders, *names):
                    os.chown(Path(parent, name), user, user, follow_symlinks=False)
        yield folder
    finally:
        remove_folder(folder)
