"""One simulation of the solver's own tests, as a shell script of the programs that a person would call.

iverilog -g2012 -s counter -o simulation /code/rtl/counter.sv && vvp -M … -m libcocotbvpi_icarus simulation
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from benchwright_harness.plan.plan import WORKDIR
from benchwright_problems.criterion import Simulator

CODE = "/code"
RESULTS = "own-results.jsonl"
COVERAGE = "coverage.dat"
SOCKET = "debugger.sock"
"""Socket at which a test waits for a debugger, in `WORKDIR`."""
DEBUG_SOCKET = "BENCHWRIGHT_DEBUG_SOCKET"
"""The variable that names it, for `inside/own_tests`."""
SIMULATES = "--- simulation"
"""Line that the script prints when everything has been compiled."""
NOT_BUILT = 97
"""The script's exit status if the sources were not compiled."""

TIMESCALE = "1ns/1ps"
"""Of sources that have none."""

_ICARUS_OPTIONS = "icarus.f"
_WAVES_MODULE = "benchwright_waves"
_LENIENT = (
    "--timing",
    "--assert",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "--quiet-stats",
    "-MAKEFLAGS",
    "-s",
    "-MAKEFLAGS",
    "OPT_FAST=-O0",
    "-MAKEFLAGS",
    "OPT_SLOW=-O0",
)
# As in other simulators, an error does not end the simulation.
_GOES_ON = "+verilator+error+limit+1000000"
# Only for cocotb's own paths: the modules are the same wherever the tools come from.
_COCOTB = (
    "import find_libpython as f, cocotb_tools.config as c;"
    "print('COCOTB_LIBS=%s COCOTB_SHARE=%s LIBPYTHON_LOC=%s' % (c.libs_dir, c.share_dir, f.find_libpython()))"
)


@dataclass(frozen=True)
class OwnSimulation:
    """Sources and settings of a simulation."""

    files: Mapping[str, bytes]
    """Relative path → content, of all that tests and tools may read."""
    sources: tuple[str, ...]
    """The files to compile, in this order; paths of `files`."""
    top_module: str
    """The module to simulate: of a cocotb test the design's, of a testbench itself."""
    module: str = ""
    """The file with the cocotb tests; empty for a testbench."""
    tests: tuple[str, ...] = ()
    """The names of its tests, or of their cases, to run; empty for all."""
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    simulator: Simulator = "icarus"
    waves: bool = False
    coverage: bool = False
    wall_s: float = 60.0
    debug: bool = False
    """True if cocotb's tests wait for a debugger."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables for the tests."""

    @property
    def is_cocotb(self) -> bool:
        """True if Python decides."""
        return bool(self.module)

    @property
    def waves_file_name(self) -> str:
        """File in which it leaves the waveform, in `WORKDIR`."""
        # The toolchain has no compiled runtime for FST and cocotb; making one takes half a minute.
        return "waves.vcd" if self.is_cocotb and self.simulator == "verilator" else "waves.fst"

    @property
    def cocotb_variables(self) -> dict[str, str]:
        """Environment variables that cocotb's side of the simulation reads."""
        if not self.is_cocotb:
            return {}
        folder, name = PurePosixPath(CODE, self.module).parent, PurePosixPath(self.module).stem
        return {
            "COCOTB_TOPLEVEL": self.top_module,
            "COCOTB_TEST_MODULES": name,
            "COCOTB_TEST_FILTER": "|".join(_test_name_patterns(name, self.tests)),
            "COCOTB_RESULTS_FILE": f"{WORKDIR}/results.xml",
            "COCOTB_ANSI_OUTPUT": "0",
            "TOPLEVEL_LANG": "verilog",
            "BENCHWRIGHT_OWN_RESULTS": f"{WORKDIR}/{RESULTS}",
            "BENCHWRIGHT_OWN_FOLDER": CODE,
            "PYTHONPATH": f"{folder}:{CODE}",
            **({DEBUG_SOCKET: f"{WORKDIR}/{SOCKET}", "PYDEVD_DISABLE_FILE_VALIDATION": "1"} if self.debug else {}),
        }

    @property
    def added_files(self) -> dict[str, str]:
        """Files that a run has besides the solver's: what writes the waveform."""
        if not self.waves or (self.is_cocotb and self.simulator == "verilator"):
            return {}
        dump = f'initial begin $dumpfile("{self.waves_file_name}"); $dumpvars(0, {self.top_module}); end'
        if self.simulator == "icarus":
            return {self._waves_source: f"module {_WAVES_MODULE}; {dump} endmodule\n"}
        # Verilator has one top; a module bound to it dumps everything.
        dump = f'initial begin $dumpfile("{self.waves_file_name}"); $dumpvars; end'
        bound = f"bind {self.top_module} {_WAVES_MODULE} {_WAVES_MODULE}();"
        return {self._waves_source: f"module {_WAVES_MODULE}; {dump} endmodule\n{bound}\n"}

    @property
    def script(self) -> str:
        """The shell script, which runs in `WORKDIR`."""
        prepared = [f"echo +timescale+{TIMESCALE} >{_ICARUS_OPTIONS}"] if self.simulator == "icarus" else []
        lines = ["export PYGPI_PYTHON_BIN=$(command -v python3)", f'export $(python3 -c "{_COCOTB}")']
        build = self._icarus_commands() if self.simulator == "icarus" else self._verilator_commands()
        return "\n".join(
            (
                *prepared,
                *(lines if self.is_cocotb else ()),
                *(f"{line} || exit {NOT_BUILT}" for line in build[:-1]),
                f"echo '{SIMULATES}'",
                f"exec {build[-1]}",
                "",
            )
        )

    @property
    def _waves_source(self) -> str:
        return f"rundir/{_WAVES_MODULE}.sv"

    @property
    def _compiler_arguments(self) -> list[str]:
        options = [f"-I{_path_in_sandbox(folder)}" for folder in self.include_dirs]
        options += [f"-D{define}" for define in self.defines]
        return [*options, *(_path_in_sandbox(path) for path in (*self.sources, *self.added_files))]

    def _icarus_commands(self) -> tuple[str, ...]:
        tops = ["-s", self.top_module, *(("-s", _WAVES_MODULE) if self.added_files else ())]
        compile_ = shlex.join(
            ["iverilog", "-g2012", "-f", _ICARUS_OPTIONS, *tops, "-o", "simulation", *self._compiler_arguments]
        )
        cocotb = '-M "$COCOTB_LIBS" -m libcocotbvpi_icarus ' if self.is_cocotb else ""
        return compile_, f"vvp -n {cocotb}simulation{' -fst' if self.waves else ''}"

    def _verilator_commands(self) -> tuple[str, ...]:
        extra_options = ["--coverage-line", "--coverage-toggle"] if self.coverage else []
        trace = "--trace-vcd" if self.is_cocotb else "--trace-fst"
        extra_options += [trace, "--trace-structs"] if self.waves else []
        common = [
            "verilator",
            "--Mdir",
            "objects",
            "-o",
            "simulation",
            "--top-module",
            self.top_module,
            *_LENIENT,
            *extra_options,
        ]
        common += ["-j", "0", "--timescale", TIMESCALE]
        coverage = f" +verilator+coverage+file+{COVERAGE}" if self.coverage else ""
        if not self.is_cocotb:
            return shlex.join(
                [*common, "--binary", *self._compiler_arguments]
            ), f"./objects/simulation {_GOES_ON}{coverage}"
        linked = '-LDFLAGS "-L$COCOTB_LIBS" -LDFLAGS -lcocotbvpi_verilator'
        cocotb = ["--cc", "--exe", "--build", "--vpi", "--public-flat-rw", "--prefix", "Vtop"]
        build = f'{shlex.join([*common, *cocotb])} {linked} "$COCOTB_SHARE/lib/verilator/verilator.cpp" '
        traced = f" --trace --trace-file {self.waves_file_name}" if self.waves else ""
        run = f'env LD_LIBRARY_PATH="$COCOTB_LIBS:$LD_LIBRARY_PATH" ./objects/simulation{traced}{coverage}'
        return build + shlex.join(self._compiler_arguments), run


def _path_in_sandbox(workspace_path: str) -> str:
    return f"{CODE}/{workspace_path}" if workspace_path not in ("", ".") else CODE


def _test_name_patterns(module_name: str, test_names: tuple[str, ...]) -> Iterator[str]:
    """Patterns for cocotb, which searches them in the whole name of a test; a test's name also stands for its cases."""
    for test in test_names:
        yield rf"^{re.escape(f'{module_name}.{test}')}(/.*)?$"
