"""`xrun`: build, run, tell by the exit status whether there was an error."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import supervision

from xcelium import verilate
from xcelium.command_line import Options, UnknownOptionError, fixed_seed, parse_xrun_arguments

DATA = "coverage.dat"
ASSERTIONS = "assertions.json"
_CONFINE = Path(__file__).parents[1] / "guard" / "confine"
_FAILED = re.compile(rb"%(?:Error|Fatal): .*?: Assertion failed in ([^:\s]+):")
# Said once by Verilator when it goes on after an error, which is nothing that a log needs.
_NOISE = re.compile(rb"^-Info: .*Verilog \$stop, ignored due to \+verilator\+error\+limit\s*$")
_BUILD_NOISE = re.compile(rb"^(make|g\+\+|c\+\+|ccache|ar|rm|echo|perl|python3?|/usr/bin/\S+|-)\s|^make\[")


def main() -> int:
    """Run as a program."""
    try:
        options = parse_xrun_arguments(sys.argv[1:])
    except UnknownOptionError as error:
        sys.stderr.write(f"xrun: *E,BADOPT: {error}\n")
        if error.is_harness:
            supervision.report_harness_fault(supervision.REFUSED, f"xrun: {error}")
        return 2
    Path(options.log).parent.mkdir(parents=True, exist_ok=True)
    with Path(options.log).open("wb") as log:
        return _XrunCall(options, log).run()


class _XrunCall:
    def __init__(self, options: Options, log: BinaryIO) -> None:
        self.options = options
        self.log = log
        self.folder = Path(options.library_folder).absolute() / "verilator"
        self.failed: set[str] = set()

    def run(self) -> int:
        self._print_message("xrun: open-source simulation with Verilator")
        if not self.options.run_only:
            if not self.options.sources:
                self._print_message("xrun: *E,NOSRC: no source file given")
                return 2
            try:
                status = verilate.build_simulation(self.options, self.folder, self._run_and_show_build)
            except OSError as error:
                self._print_message(f"xrun: *E,NOTOOL: {error}")
                return 2
            if status:
                self._print_message("xrun: *E,BUILD: the sources could not be compiled")
                return 1
            if self.options.elaborate_only:
                return 0
        try:
            snapshot = json.loads((self.folder / verilate.SNAPSHOT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._print_message(f"xrun: *E,NOSNAP: {self.options.library_folder} holds no simulation")
            return 2
        return self._simulate(snapshot)

    def _simulate(self, snapshot: dict[str, object]) -> int:
        seed = fixed_seed(self.options.seed or _string_or_none(snapshot["seed"]))
        self._print_message(f"SVSEED set from command line: {seed}")
        test = Path.cwd().joinpath(*snapshot["test"])  # type: ignore[misc]
        environment = dict(os.environ)
        # cocotb's runner means Xcelium's VHDL interface with it.
        environment.pop("GPI_EXTRA", None)
        if snapshot["cocotb"]:
            environment.setdefault("COCOTB_TRUST_INERTIAL_WRITES", "1")
        command = [str(self.folder / verilate.PROGRAM), f"+verilator+seed+{seed}", "+verilator+rand+reset+0"]
        if not snapshot["cocotb"]:
            # With cocotb it needs the tests first, and then locks the door itself.
            command = [str(_CONFINE), "alone", *command]
        for stale in (test / DATA, test / ASSERTIONS):
            stale.unlink(missing_ok=True)
        if snapshot["coverage"]:
            test.mkdir(parents=True, exist_ok=True)
            # One that is alone must not learn from its arguments which run it is.
            command.append(f"+verilator+coverage+file+{test / DATA if snapshot['cocotb'] else DATA}")
        status = self._run_and_show(
            [*command, *self.options.plusargs], environment, self._note_failed_assertion_and_is_shown
        )
        # What is written from here on is no longer the simulation's.
        with contextlib.suppress(OSError):
            supervision.await_supervisor()
        if snapshot["coverage"] and not snapshot["cocotb"] and Path(DATA).is_file():
            Path(DATA).replace(test / DATA)
        if status not in (0, 1):
            (test / DATA).unlink(missing_ok=True)
            self._print_message(f"xrun: *E,CRASH: the simulation ended with status {status}, and so leaves no coverage")
        elif snapshot["coverage"]:
            kept = {"assertions": snapshot["assertions"], "failed": sorted(self.failed)}
            (test / ASSERTIONS).write_text(json.dumps(kept), encoding="utf-8")
        if self.failed:
            self._print_message(f"xrun: *E,ASRTST: errors in {', '.join(sorted(self.failed))}")
        return 1 if status else 0

    def _note_failed_assertion_and_is_shown(self, line: bytes) -> bool:
        # For the report only: a design can print such a line itself, and the exit status is the program's.
        if found := _FAILED.search(line):
            self.failed.add(found[1].decode("utf-8", "replace"))
        return not _NOISE.match(line)

    def _run_and_show_build(self, command: list[str]) -> int:
        return self._run_and_show(command, dict(os.environ), lambda line: not _BUILD_NOISE.match(line))

    def _run_and_show(self, command: list[str], environment: dict[str, str], is_shown: Callable[[bytes], bool]) -> int:
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            for line in process.stdout or ():
                if is_shown(line):
                    self._write_to_stdout_and_log(line)
        return process.returncode

    def _print_message(self, message: str) -> None:
        self._write_to_stdout_and_log(message.encode() + b"\n")

    def _write_to_stdout_and_log(self, output_line: bytes) -> None:
        sys.stdout.buffer.write(output_line)
        sys.stdout.buffer.flush()
        self.log.write(output_line)
        self.log.flush()


def _string_or_none(snapshot_value: object) -> str | None:
    return snapshot_value if isinstance(snapshot_value, str) else None
