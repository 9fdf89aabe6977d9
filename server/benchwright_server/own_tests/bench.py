"""Runs tests of a folder: one simulation a file and top, with the simulator that can compile it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchwright_harness.own_tests.debugging import Debugging
from benchwright_harness.own_tests.outcome import OwnOutcome, OwnRun
from benchwright_harness.own_tests.running import run_own_tests
from benchwright_harness.own_tests.simulation import OwnSimulation
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_server.errors import OwnTestError
from benchwright_server.own_tests.design_files import DesignFiles, design_files, simulated_module
from benchwright_server.own_tests.discovery import (
    TestFile,
    find_test_files,
    require_project_folder,
    visible_plain_files,
)
from benchwright_server.own_tests.test_ids import own_test_id, path_and_name_of_test
from benchwright_server.settings import OwnTests
from benchwright_server.waveforms.waves_folder import make_waves_folder
from benchwright_verilog.semantics.project.folder_state import FolderStateStore
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES

_DATA = frozenset(
    {".bin", ".cfg", ".csv", ".dat", ".hex", ".ini", ".json", ".mem", ".mif", ".py", ".toml", ".txt", ".yaml", ".yml"}
)
_MAX_FILES = 5_000
_MAX_BYTES = 64 << 20
_OUTSIDE = "outside"
"""Folder in which a run has the files that are not below the test folder."""


@dataclass(frozen=True)
class OwnTestFiles:
    """The files that a run gets, by relative path."""

    files: dict[str, bytes]
    sources: tuple[str, ...]
    include_dirs: tuple[str, ...]
    disk_paths: dict[str, Path]
    """The place of each file on this machine."""


@dataclass(frozen=True)
class FileRun:
    """The run of one file's tests."""

    test_file: TestFile
    top_module: str
    own_run: OwnRun
    snapshot: OwnTestFiles
    waves: Path | None

    def test_ids_and_outcomes(self) -> list[tuple[str, OwnOutcome]]:
        """Each outcome with the id of its test; of one that has no name the file."""
        return [(own_test_id(self.test_file.path, outcome.name), outcome) for outcome in self.own_run.outcomes]


@dataclass(frozen=True)
class RunRequest:
    """The wishes for a run."""

    coverage: bool = False
    waves: bool = False
    debugging: Debugging | None = None


@dataclass(frozen=True)
class _PreparedFile:
    test_file: TestFile
    simulation: OwnSimulation
    snapshot: OwnTestFiles


class OwnTestRunner:
    """Runs tests, and remembers which simulator compiles what.

    Args:
        sandbox: The sandbox in which tests run.
        find_toolchain: Finds what to run with; called for each run.
        folder_state: Keeps which simulator worked for the tests of a folder.
    """

    __test__ = False

    def __init__(
        self, sandbox: Sandbox, find_toolchain: Callable[[], Toolchain], folder_state: FolderStateStore
    ) -> None:
        self._sandbox = sandbox
        self._toolchain = find_toolchain
        self._state = folder_state

    async def run(
        self,
        project: Project,
        test_ids: Sequence[str],
        test_settings: OwnTests,
        project_settings: ProjectSettings,
        run_request: RunRequest,
        on_file_start: Callable[[int, int, str], None] = lambda number, total, path: None,
        on_prepared: Callable[[Collection[Path]], Awaitable[None]] | None = None,
    ) -> list[FileRun]:
        """Run tests, one file after the other; cancelling kills all of their processes.

        Args:
            project: Project of the folder.
            test_ids: Ids of tests, cases or files; none for all.
            test_settings: Simulator, top, limit.
            project_settings: Include folders and macros.
            run_request: Wishes for the run besides the outcomes.
            on_prepared: Called with all files that will be read by tests or tools; its error ends the run.
            on_file_start: Called before each file with its number from 1, their count and its path.

        Raises:
            OwnTestError: A test can't be found or prepared, with the next step.
            HarnessError: The sandbox or the tools do not work on this machine.
        """
        toolchain = await asyncio.to_thread(self._toolchain)
        prepared = await asyncio.to_thread(self._prepare, project, test_ids, test_settings, project_settings)
        if on_prepared is not None:
            await on_prepared(
                {path for prepared_file in prepared for path in prepared_file.snapshot.disk_paths.values()}
            )
        if run_request.debugging is not None and (len(prepared) > 1 or not prepared[0].test_file.is_cocotb):
            raise OwnTestError("Only the cocotb tests of one file can be debugged at a time. Choose one.")
        file_runs = []
        for number, prepared_file in enumerate(prepared, 1):
            on_file_start(number, len(prepared), prepared_file.test_file.path)
            file_runs.append(
                await self._run_file(
                    require_project_folder(project), prepared_file, toolchain, test_settings, run_request
                )
            )
        return file_runs

    def _prepare(
        self, project: Project, test_ids: Sequence[str], test_settings: OwnTests, project_settings: ProjectSettings
    ) -> list[_PreparedFile]:
        test_files = find_test_files(project)
        testbenches = frozenset(test.name for file in test_files if not file.is_cocotb for test in file.tests)
        prepared = []
        for test_file, tests in _chosen_tests_by_file(test_files, test_ids):
            groups = (
                [tests]
                if test_file.is_cocotb
                else [(test,) for test in tests or [file_test.name for file_test in test_file.tests]]
            )
            for group in groups:
                top_module = simulated_module(
                    project, test_file, group[0] if group else "", test_settings.top, testbenches
                )
                compiled_files = design_files(project, project_settings, test_file, top_module)
                snapshot = _read_snapshot(project, compiled_files)
                simulation = OwnSimulation(
                    files=snapshot.files,
                    sources=snapshot.sources,
                    top_module=top_module,
                    module=test_file.path if test_file.is_cocotb else "",
                    tests=tuple(group),
                    include_dirs=snapshot.include_dirs,
                    defines=compiled_files.defines,
                    wall_s=max(1, test_settings.limit_s),
                )
                prepared.append(_PreparedFile(test_file, simulation, snapshot))
        if not prepared:
            raise OwnTestError("No tests were found. Write one, or let Benchwright: New Testbench begin it.")
        return prepared

    async def _run_file(
        self,
        folder: Path,
        prepared_file: _PreparedFile,
        toolchain: Toolchain,
        test_settings: OwnTests,
        run_request: RunRequest,
    ) -> FileRun:
        key = own_test_id(prepared_file.test_file.path, prepared_file.simulation.top_module)
        worked = self._state.load(folder).get(key)
        simulation = replace(prepared_file.simulation, coverage=run_request.coverage, waves=run_request.waves)
        first_simulator = test_settings.simulator if test_settings.simulator != "auto" else worked or "icarus"
        if run_request.coverage or first_simulator == "verilator":
            # Only Verilator has coverage.
            simulation = replace(simulation, simulator="verilator")
        waves = (
            await asyncio.to_thread(_waves_path_without_suffix, folder, prepared_file.simulation)
            if run_request.waves
            else None
        )
        own_run = await self._run_simulation(simulation, toolchain, waves, run_request.debugging)
        if not own_run.is_built and test_settings.simulator == "auto" and simulation.simulator == "icarus":
            simulation = replace(simulation, simulator="verilator")
            second_run = await self._run_simulation(simulation, toolchain, waves, run_request.debugging)
            own_run = replace(
                second_run,
                output=f"{own_run.output}\n--- Icarus can't compile it; with Verilator:\n{second_run.output}",
            )
        if own_run.is_built and worked != own_run.simulator and not run_request.coverage:
            self._state.save(folder, {**self._state.load(folder), key: own_run.simulator})
        kept_waves = _waves_with_suffix(waves, simulation) if own_run.has_waves and waves is not None else None
        return FileRun(
            prepared_file.test_file, prepared_file.simulation.top_module, own_run, prepared_file.snapshot, kept_waves
        )

    async def _run_simulation(
        self,
        simulation: OwnSimulation,
        toolchain: Toolchain,
        waves_path_without_suffix: Path | None,
        debugging: Debugging | None,
    ) -> OwnRun:
        target = (
            _waves_with_suffix(waves_path_without_suffix, simulation) if waves_path_without_suffix is not None else None
        )
        return await run_own_tests(
            simulation, sandbox=self._sandbox, toolchain=toolchain, waveform_path=target, debugging=debugging
        )


def _chosen_tests_by_file(
    test_files: Iterable[TestFile], test_ids: Sequence[str]
) -> list[tuple[TestFile, tuple[str, ...]]]:
    """Each file with the names of its tests that are wanted; none of them for all."""
    known_files = {file.path: file for file in test_files}
    if not test_ids:
        return [(file, ()) for file in known_files.values()]
    wanted_tests: dict[str, dict[str, None]] = {}
    for test_id in test_ids:
        path, test = path_and_name_of_test(test_id)
        test_file = known_files.get(path)
        names = {test.name for test in test_file.tests} if test_file is not None else set()
        if test_file is None or (test and test not in names and test.partition("/")[0] not in names):
            raise OwnTestError(f"There is no test {test_id} any more. Look for the tests again.")
        wanted_tests.setdefault(path, {})
        if test:
            wanted_tests[path][test] = None
    return [(known_files[path], () if path in test_ids else tuple(tests)) for path, tests in wanted_tests.items()]


def _waves_path_without_suffix(folder: Path, simulation: OwnSimulation) -> Path:
    """The path at which the waveform of a run is kept; version control and snapshots leave it out."""
    name_parts = [simulation.module or simulation.top_module, *simulation.tests[:1]]
    name = re.sub(r"[^\w.=-]+", "-", "-".join(name_parts))[:150]
    return make_waves_folder(folder) / name


def _waves_with_suffix(waves_path_without_suffix: Path, simulation: OwnSimulation) -> Path:
    return waves_path_without_suffix.with_name(waves_path_without_suffix.name + Path(simulation.waves_file_name).suffix)


def _read_snapshot(project: Project, compiled_files: DesignFiles) -> OwnTestFiles:
    """Read the files of a project's folder, and what its design has elsewhere.

    Raises:
        OwnTestError: The files are too many, or one that is compiled can't be read.
    """
    folder = require_project_folder(project)
    wanted_paths = dict.fromkeys(compiled_files.sources)
    for path in visible_plain_files(folder):
        if path.suffix in DESIGN_SUFFIXES or path.suffix.lower() in _DATA:
            wanted_paths[path] = None
    for outer in (include_dir for include_dir in compiled_files.include_dirs if not include_dir.is_relative_to(folder)):
        wanted_paths |= dict.fromkeys(path for path in visible_plain_files(outer) if path.suffix in DESIGN_SUFFIXES)
    files, disk_paths, room = dict[str, bytes](), dict[str, Path](), _MAX_BYTES
    for path in wanted_paths:
        content = project.files.read_bytes(path, room)
        if content is None and path in compiled_files.sources:
            stamp = project.files.stamp_of(path)
            is_too_large = stamp is not None and stamp[1] > room
            raise OwnTestError(
                _too_large_message(folder) if is_too_large else f"{path} can't be read, and the test needs it."
            )
        if content is None:
            continue
        room -= len(content)
        relative_path = _path_in_run(folder, path)
        files[relative_path], disk_paths[relative_path] = content, path
        if len(files) > _MAX_FILES:
            raise OwnTestError(_too_large_message(folder))
    return OwnTestFiles(
        files,
        tuple(_paths_in_run(folder, compiled_files.sources)),
        tuple(_paths_in_run(folder, compiled_files.include_dirs)),
        disk_paths,
    )


def _too_large_message(folder: Path) -> str:
    return (
        f"{folder} has more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MiB for a run. "
        "Open the folder of the design alone, or use a file list."
    )


def _paths_in_run(project_folder: Path, paths: Iterable[Path]) -> list[str]:
    return [_path_in_run(project_folder, path) for path in paths]


def _path_in_run(project_folder: Path, path: Path) -> str:
    if path.is_relative_to(project_folder):
        return path.relative_to(project_folder).as_posix()
    return f"{_OUTSIDE}/{path.relative_to(path.anchor).as_posix()}"
