"""Runs stages: Python tests in one pool over all cores, everything else beside it, one after the other."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypedDict

import browser_editor
import installation
import packages
from folders import ROOT
from stages import Command, Stage, pool_workers

_LAST_WORDS_S = 30
_TESTS_FAILED = 1
_NO_TESTS = 5
_TRIED_AGAIN = 8
"""Number of failing tests of a second try that is enough to know that it is not the machine."""


class Cost(TypedDict):
    """The cost of a file of tests, as `tests/support/machine/costs.py` writes it."""

    passed: int
    failed: int
    skipped: int
    wall_s: float
    processor_s: float


@dataclass
class StageResult:
    """The result of a stage."""

    stage: str
    problems: list[str] = field(default_factory=list)
    """Problems that occurred; empty if there were none."""
    wall_s: float = 0.0
    """Of its commands, and of its tests as if one ran after the other."""
    processor_s: float = 0.0
    """Of its processes, as far as somebody waited for them."""
    at_second_try: bool = False
    """True if tests failed at first, as they do where the machine is too busy."""


@dataclass
class PythonTestSelection:
    """Selection of the Python tests that run."""

    nightly: bool = False
    coverage: bool = False
    files: tuple[str, ...] | None = None
    """Only these files of the stages; all if None."""


class StageRun:
    """One run of stages.

    Args:
        stages: Stages that run.
        selection: Selection of their Python tests that run.
        timeout_s: Ends a command that hangs.
    """

    def __init__(self, stages: Sequence[Stage], selection: PythonTestSelection, timeout_s: float) -> None:
        self._stages = stages
        self._selection = selection
        self._timeout_s = timeout_s
        self._outcomes = {stage.name: StageResult(stage.name) for stage in stages}
        self.costs: dict[str, Cost] = {}
        """By file of tests."""

    async def run(self) -> list[StageResult]:
        """Runs all stages; returns their results."""
        paths = [path for stage in self._stages if stage.tests_folder for path in self._test_paths(stage)]
        parallel_stages = [stage for stage in self._stages if stage.commands]
        if paths and parallel_stages:
            names = ", ".join(stage.name for stage in parallel_stages)
            print(f"\nbeside the Python tests: {names}; what each prints is shown when it has ended", flush=True)
        if not paths:
            await self._run_commands(parallel_stages, quiet=False)
            return list(self._outcomes.values())
        with tempfile.TemporaryDirectory() as folder:
            costs = Path(folder)
            async with asyncio.TaskGroup() as lanes:
                pool = lanes.create_task(self._run_pool(paths, costs))
                lanes.create_task(self._run_commands(parallel_stages, quiet=True))
            # Now nothing else runs.
            failed_files = pool.result()
            if alone := _files_with("mark.alone", paths):
                failed_files += await self._run_python_tests(
                    ("alone", (*self._pytest_command(), "-m", "alone", *alone)), costs
                )
            self.add_up_costs(costs)
        if failed_files:
            await self._rerun_failed_files(
                (*self._pytest_command(), "--maxfail", str(_TRIED_AGAIN), *sorted(set(failed_files))), failed_files
            )
        return list(self._outcomes.values())

    def _test_paths(self, stage: Stage) -> list[str]:
        if self._selection.files is None:
            return [stage.tests_folder]
        return [path for path in self._selection.files if path.startswith(f"{stage.tests_folder}/")]

    async def _run_commands(self, stages: Sequence[Stage], *, quiet: bool) -> None:
        for stage in stages:
            with tempfile.TemporaryFile() if quiet else contextlib.nullcontext() as log:
                await self._run_stage(stage, log)
                if log is not None:
                    log.seek(0)
                    print(log.read().decode(errors="replace"), end="", flush=True)

    async def _run_stage(self, stage: Stage, log: IO[bytes] | None) -> None:
        outcome = self._outcomes[stage.name]
        for command in stage.commands:
            ended_command = await _run_command(stage.name, command, self._timeout_s, log)
            outcome.wall_s += ended_command.wall_s
            outcome.processor_s += ended_command.processor_s
            if ended_command.status != 0:
                outcome.problems.append(ended_command.problem)
                if stage.chained:
                    break

    def _pytest_command(self) -> Command:
        selection = self._selection
        return (
            "pytest",
            *(("--nightly",) if selection.nightly else ()),
            *(("--cov", "--cov-append", "--cov-report=") if selection.coverage else ()),
        )

    async def _run_pool(self, paths: Sequence[str], costs: Path) -> list[str]:
        # The tests of a file share what they start, so they run in one process; files marked `long` come first.
        spread = ("-n", str(pool_workers()), "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not alone")
        return await self._run_python_tests(("pool", (*self._pytest_command(), *spread, *paths)), costs)

    async def _run_python_tests(self, titled_command: tuple[str, Command], costs: Path) -> list[str]:
        """Runs tests; returns the files in which some failed."""
        with tempfile.TemporaryDirectory() as cache:
            name, command = titled_command
            ended_command = await _run_command(
                name, (*command, "-o", f"cache_dir={cache}"), self._timeout_s, None, costs
            )
            if ended_command.status in (0, _NO_TESTS):
                return []
            files = _failed_files(Path(cache)) if ended_command.status == _TESTS_FAILED else []
            if not files:
                for stage in self._stages:
                    if stage.tests_folder:
                        self._outcomes[stage.name].problems.append(ended_command.problem)
            return files

    async def _rerun_failed_files(self, command: Command, failed_files: Sequence[str]) -> None:
        """Plays files once more in which tests failed: one that fails only after another of its file fails again so."""
        for stage in self._stage_names_of_files(failed_files):
            self._outcomes[stage].at_second_try = True
        with tempfile.TemporaryDirectory() as cache:
            ended_command = await _run_command("again", (*command, "-o", f"cache_dir={cache}"), self._timeout_s, None)
            if ended_command.status != 0:
                for stage in self._stage_names_of_files(_failed_files(Path(cache)) or failed_files):
                    self._outcomes[stage].problems.append(ended_command.problem)

    def _stage_names_of_files(self, files: Sequence[str]) -> set[str]:
        return {
            stage.name
            for stage in self._stages
            if stage.tests_folder and any(file.startswith(f"{stage.tests_folder}/") for file in files)
        }

    def add_up_costs(self, folder: Path) -> None:
        """Adds the costs that the processes of a test run have written."""
        for cost_file in sorted(folder.iterdir()):
            costs: dict[str, Cost] = json.loads(cost_file.read_text(encoding="utf-8"))
            for file, cost in costs.items():
                self.costs[file] = _sum_of_costs(self.costs[file], cost) if file in self.costs else cost
        for file, cost in self.costs.items():
            for stage in self._stage_names_of_files([file]):
                self._outcomes[stage].wall_s += cost["wall_s"]
                self._outcomes[stage].processor_s += cost["processor_s"]


def _files_with(text: str, paths: Sequence[str]) -> list[str]:
    """The files of tests that hold a string: pytest would import all of them to know which have a mark."""
    files: list[Path] = []
    for path in paths:
        files += (ROOT / path).rglob("test_*.py") if (ROOT / path).is_dir() else [ROOT / path]
    return sorted(str(file.relative_to(ROOT)) for file in files if text in file.read_text(encoding="utf-8"))


def _sum_of_costs(left_cost: Cost, right_cost: Cost) -> Cost:
    return Cost(
        passed=left_cost["passed"] + right_cost["passed"],
        failed=left_cost["failed"] + right_cost["failed"],
        skipped=left_cost["skipped"] + right_cost["skipped"],
        wall_s=left_cost["wall_s"] + right_cost["wall_s"],
        processor_s=left_cost["processor_s"] + right_cost["processor_s"],
    )


def _failed_files(cache: Path) -> list[str]:
    try:
        failed = json.loads((cache / "v" / "cache" / "lastfailed").read_bytes())
    except (OSError, ValueError):
        return []
    return sorted({name.partition("::")[0] for name in failed})


@dataclass(frozen=True)
class _EndedCommand:
    command: Command
    status: int | None
    """None if it took too long."""
    wall_s: float
    processor_s: float

    @property
    def problem(self) -> str:
        words = "over the time limit of a stage" if self.status is None else f"status {self.status}"
        return f"{words}: {' '.join(self.command)}"


async def _run_command(
    title: str, command: Command, timeout_s: float, log: IO[bytes] | None, costs: Path | None = None
) -> _EndedCommand:
    line = f"\n== {title}: {' '.join(command)}"
    if log is None:
        print(line, flush=True)
    else:
        log.write(f"{line}\n".encode())
        log.flush()
    environment = installation.environment() | {
        "BENCHWRIGHT_CODE_SERVER": str(browser_editor.code_server_entry()),
        "CHROMIUM": packages.browser_program() or "",
        # Beside the pool, one browser at a time: more of them, and tests wait for each other instead of working.
        "BENCHWRIGHT_BROWSERS": "1" if log is not None else "2",
        **({"BENCHWRIGHT_TEST_COSTS": str(costs)} if costs else {}),
    }
    start_time = time.monotonic()
    process = subprocess.Popen(  # noqa: ASYNC220 (asyncio would wait for it, and has no processor time)
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    # Only `wait4` returns the processor time of a process and of those that it has waited for.
    exit_wait = asyncio.ensure_future(asyncio.to_thread(os.wait4, process.pid, 0))
    in_time = True
    try:
        async with asyncio.timeout(timeout_s):
            await asyncio.shield(exit_wait)
    except TimeoutError:
        in_time = False
        # As Ctrl+C would: it still reports what has failed so far.
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_S):
                await asyncio.shield(exit_wait)
    finally:
        # Even after it ended: a process that a test leaves behind must not slow down what follows.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        _, status, usage = await exit_wait
        process.returncode = os.waitstatus_to_exitcode(status)
    wall_s, processor_s = time.monotonic() - start_time, usage.ru_utime + usage.ru_stime
    return _EndedCommand(command, process.returncode if in_time else None, wall_s, processor_s)


def machine_s() -> float:
    """Seconds that the machine's processors have worked since it started; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0.0
    user, nice, system, _idle, _iowait, interrupts, soft, *_ = map(
        int, Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")
