"""The waveform of one run of the hidden tests: of the solver's modules, and of nothing else of the simulation.

The run is that of any verdict, but for the compiler that `inside/waves` puts before the guarded one: it adds a module
that dumps the scopes of files that the solver sees. The supervisor learns which these are, and only they are copied.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, copy_plain_file
from benchwright_harness.decision.report import SimulationReport, StepReport
from benchwright_harness.decision.results import simulations_as_reported, tests_with_unique_names
from benchwright_harness.decision.shown_vcd import CopiedSignals, Scope, copy_signals_of_scopes
from benchwright_harness.toolchain.tree import INSIDE
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import TestResult

MAX_BYTES = 80 << 20
"""Of a dump. Icarus stops at 64 MiB."""
_DUMP = "rundir/benchwright_waves{}.vcd"
_MOST_DUMPS = 1000


@dataclass(frozen=True)
class KeptWaveform:
    """The waveform that was kept."""

    test: str
    """The first failed test of its simulation; empty if it has no named tests."""
    failed_tick: int | None
    """Time of its failure, in ticks; none if nothing says so."""


class DesignWaveKeeper:
    """Has one run keep the waveform of the simulation that the first failed test of its verdict is of.

    Args:
        vcd_file: The file to write, VCD; its folder is there.
    """

    def __init__(self, vcd_file: Path) -> None:
        self._target = vcd_file
        self.kept_waveform: KeptWaveform | None = None
        """Set by `keep_waveform_if_left` if there is a waveform."""

    def with_wave_variables(self, problem: Problem, variables: Mapping[str, str]) -> dict[str, str]:
        """The variables of a run's step, with what its tools need for the waveform."""
        visible_paths = "\n".join(dict.fromkeys((*problem.public.expected, *problem.public.files)))
        return {**variables, "PATH": f"{INSIDE}/waves:{variables['PATH']}", "BENCHWRIGHT_SHOWN": visible_paths}

    def keep_waveform_if_left(self, run_folder: Path, reports: Sequence[StepReport]) -> None:
        """Copy the waveform out of a run's folder, if the run has left one.

        Args:
            run_folder: The folder; what is in it may be hostile.
            reports: Reports of the supervisor on the run.
        """
        scopes = _path_in_copy_by_scope(itertools.chain.from_iterable(report.scopes for report in reports))
        dumps = _dump_names(run_folder)
        if not scopes or not dumps:
            return
        simulations = [simulation for report in reports for simulation in report.simulations]
        tests: Sequence[TestResult] = ()
        dump = dumps[-1]
        if simulations:
            # With a dump less, nobody knows which simulation each is of.
            failed = _first_failed_simulation(reports)
            if failed is None or len(simulations) != len(dumps):
                return
            dump, tests = dumps[[simulation is failed[0] for simulation in simulations].index(True)], failed[1]
        # It can't be read, is no VCD, or is too large: there is no waveform, which is what the caller says.
        with contextlib.suppress(OSError, NotPlainFileError, FileTooLargeError, ValueError):
            copied = self._copy_signals(run_folder, dump, scopes)
            if copied.signals:
                self.kept_waveform = _kept_waveform(tests, copied)

    def _copy_signals(
        self, run_folder: Path, dump_name: str, path_in_copy_by_scope: Mapping[Scope, Scope]
    ) -> CopiedSignals:
        handle, temporary = tempfile.mkstemp(dir=self._target.parent, prefix=f".{self._target.name}.")
        try:
            with tempfile.TemporaryFile() as whole, os.fdopen(handle, "wb") as stream:
                copy_plain_file(run_folder, dump_name, whole, MAX_BYTES)
                whole.seek(0)
                copied = copy_signals_of_scopes(whole, stream, path_in_copy_by_scope)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(self._target)
            return copied
        finally:
            Path(temporary).unlink(missing_ok=True)


def _first_failed_simulation(reports: Sequence[StepReport]) -> tuple[SimulationReport, Sequence[TestResult]] | None:
    """The simulation of the first failed test as the verdict has it, with its tests by the verdict's names."""
    simulations = simulations_as_reported(reports)
    named = tests_with_unique_names((simulation.results, simulation.tests) for simulation in simulations)
    for simulation in simulations:
        tests = list(itertools.islice(named, len(simulation.tests)))
        if not all(test.passed for test in tests):
            return simulation, tests
    return None


def _kept_waveform(tests: Iterable[TestResult], copied_signals: CopiedSignals) -> KeptWaveform:
    ran_ns = 0.0
    for test in tests:
        # cocotb runs one after the other.
        ran_ns += test.sim_time_ns or 0.0
        if not test.passed:
            return KeptWaveform(
                test.name, round(ran_ns / float(copied_signals.tick_ns)) if test.sim_time_ns is not None else None
            )
    return KeptWaveform("", None)


def _path_in_copy_by_scope(reported_scopes: Iterable[tuple[str, ...]]) -> dict[Scope, Scope]:
    """Each scope → its path in the copy, which begins with the name of the solver's outermost module."""
    modules = {scope_path[1:]: scope_path[0] for scope_path in reported_scopes if len(scope_path) > 1}
    roots: dict[Scope, str] = {}
    for path, module in modules.items():
        if not any(path[:length] in modules for length in range(1, len(path))):
            # The second instance of a module goes by its own name.
            roots[path] = module if module not in roots.values() else path[-1]
    return {path: copy_path for path in modules for copy_path in _path_in_copy_if_shown(path, roots)}


def _path_in_copy_if_shown(scope: Scope, copied_name_by_root: Mapping[Scope, str]) -> Iterator[Scope]:
    for length in range(1, len(scope) + 1):
        if scope[:length] in copied_name_by_root:
            yield (copied_name_by_root[scope[:length]], *scope[length:])
            return


def _dump_names(run_folder: Path) -> list[str]:
    """The dumps of a run, in the order of its simulations."""
    names = [_DUMP.format(f".{number}") for number in range(_MOST_DUMPS)]
    numbered = list(itertools.takewhile(lambda name: (run_folder / name).is_file(), names))
    newest_dump = _DUMP.format("")
    return [*numbered, newest_dump] if (run_folder / newest_dump).is_file() else numbered
