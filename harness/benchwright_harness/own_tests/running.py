"""Runs a simulation of the solver's own tests in a sandbox, with the toolchain of the hidden tests."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, copy_plain_file, read_plain_file
from benchwright_harness.errors import DebuggerError, SandboxUnavailableError
from benchwright_harness.execution.run_folder import filled_run_folder, new_run_folder
from benchwright_harness.own_tests.coverage import FileCoverage, coverage_of_files
from benchwright_harness.own_tests.debugging import PLACE, Debugging
from benchwright_harness.own_tests.outcome import OwnRun, outcomes_and_whether_compiled, without_middle_if_long
from benchwright_harness.own_tests.simulation import CODE, COVERAGE, RESULTS, SOCKET, OwnSimulation
from benchwright_harness.plan.plan import RANDOM_SEED, WORKDIR
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import Sandbox, SandboxJob
from benchwright_harness.sandbox.registry import sandbox_names_with
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE
from benchwright_problems.problem import RunLimits

_MAX_RESULTS = 16 << 20
_MAX_COVERAGE = 256 << 20
_MAX_WAVES_MB = 2048
_STANDSTILL_S = 10
_DEBUGGED_S = 8 * 3600.0
_TOOLS = {"icarus": "iverilog", "verilator": "verilator"}


async def run_own_tests(
    simulation: OwnSimulation,
    *,
    sandbox: Sandbox,
    toolchain: Toolchain,
    waveform_path: Path | None = None,
    debugging: Debugging | None = None,
) -> OwnRun:
    """Run a simulation; cancelling kills all of its processes.

    Args:
        simulation: Simulation to run; with `waveform_path` if a file is wanted.
        sandbox: Sandbox that it runs in.
        toolchain: Toolchain that it runs with.
        waveform_path: Path at which to keep the waveform; its folder is there.
        debugging: Lets a debugger in before the first test; of cocotb tests, where the sandbox shows folders.

    Raises:
        HarnessError: The sandbox or the tools do not work on this machine, with the next step.
    """
    start = time.monotonic()
    if debugging is not None:
        fitting = sandbox_names_with(lambda sandbox_kind: sandbox_kind.shows_folders)
        if sandbox.name not in fitting:
            names = " or ".join(f"`{name}`" for name in fitting)
            raise DebuggerError(
                f"Tests can be debugged in the sandbox {names} only.", "Choose it: benchwright.sandbox."
            )
        simulation = replace(simulation, debug=True, wall_s=_DEBUGGED_S)
    selection = ToolSelection()
    toolchain.require_tools({_TOOLS[simulation.simulator]}, selection)
    limits = RunLimits(wall_s=simulation.wall_s, file_mb=_MAX_WAVES_MB, folder_mb=2 * _MAX_WAVES_MB)
    files = {**simulation.files, **{path: text.encode() for path, text in simulation.added_files.items()}}
    raw_output = BytesIO()
    try:
        code, user = new_run_folder(), sandbox.new_user()
        with filled_run_folder(code, files, user):
            job = SandboxJob(
                argv=("/bin/sh", "-c", simulation.script),
                env=_environment(simulation, sandbox, toolchain, selection),
                code=code,
                hidden_files={},
                limits=limits,
                toolchain=toolchain,
                user=user,
                shown_folders={} if debugging is None else {f"{PLACE}/debugpy": debugging.package},
            )
            sandbox_run = sandbox.run(job, raw_output)
            step_end = await (
                sandbox_run if debugging is None else debugging.run_with_debugger(sandbox_run, code / "rundir" / SOCKET)
            )
            text = raw_output.getvalue().decode("utf-8", "replace").replace(f"{code}/", f"{CODE}/")
            test_outcomes, is_built = outcomes_and_whether_compiled(
                simulation, step_end, text, _left_content_or_empty(code, RESULTS, _MAX_RESULTS), simulation.wall_s
            )
            has_waves = (
                waveform_path is not None
                and simulation.waves
                and is_built
                and _keep_waveform_if_any(code, simulation.waves_file_name, waveform_path)
            )
            coverage = _coverage_left_by_run(simulation, code) if simulation.coverage else ()
    except OSError as error:
        raise SandboxUnavailableError(
            f"this machine could not create the run's folder ({error.strerror or type(error).__name__})",
            "Check that the folder for temporary files has room and can be written to.",
        ) from error
    output = without_middle_if_long(text.replace(f"{CODE}/", ""))
    wall_s = round(time.monotonic() - start, 3)
    return OwnRun(test_outcomes, output, simulation.simulator, is_built, wall_s, has_waves, coverage)


def _environment(
    simulation: OwnSimulation, sandbox: Sandbox, toolchain: Toolchain, selection: ToolSelection
) -> dict[str, str]:
    tools = toolchain.environment(selection)
    cocotb_variables = simulation.cocotb_variables
    # Only the native sandbox, which has no supervisor, shows nothing at `INSIDE`.
    inner_folder = INSIDE if sandbox.supervises else str(Path(__file__).parents[1] / "inside")
    own_paths = [f"{inner_folder}/own_tests", PLACE if simulation.debug else ""]
    paths = [*own_paths, cocotb_variables.pop("PYTHONPATH", ""), tools.get("PYTHONPATH", "")]
    # The guards of compilers keep a design from a harness; there is none here.
    tools["PATH"] = ":".join(
        program_folder for program_folder in tools["PATH"].split(":") if not program_folder.startswith(INSIDE)
    )
    return {
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "RANDOM_SEED": RANDOM_SEED,
        "COCOTB_RANDOM_SEED": RANDOM_SEED,
        "BENCHWRIGHT_STANDSTILL_S": "0" if simulation.debug else str(_STANDSTILL_S),
        **simulation.environment,
        **tools,
        **cocotb_variables,
        "PYTHONPATH": ":".join(filter(None, paths)),
        "HOME": WORKDIR,
        "PWD": WORKDIR,
    }


def _left_content_or_empty(run_path: Path, file_name: str, most_bytes: int) -> bytes:
    with contextlib.suppress(OSError, NotPlainFileError, FileTooLargeError):
        return read_plain_file(run_path, f"rundir/{file_name}", most_bytes)
    return b""


def _coverage_left_by_run(simulation: OwnSimulation, run_path: Path) -> tuple[FileCoverage, ...]:
    return coverage_of_files(_left_content_or_empty(run_path, COVERAGE, _MAX_COVERAGE), frozenset(simulation.sources))


def _keep_waveform_if_any(run_path: Path, wave_file_name: str, kept_file: Path) -> bool:
    """Move the waveform out of the run's folder; whether there was one."""
    handle, temporary = tempfile.mkstemp(dir=kept_file.parent, prefix=f".{kept_file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            copy_plain_file(run_path, f"rundir/{wave_file_name}", stream, _MAX_WAVES_MB << 20)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(kept_file)
    except (OSError, NotPlainFileError, FileTooLargeError):
        Path(temporary).unlink(missing_ok=True)
        return False
    return True
