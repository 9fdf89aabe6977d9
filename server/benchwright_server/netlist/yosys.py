"""Runs Yosys on the files of a module, within limits of time and memory."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import io
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright_foundation.errors import ExtraMissingError
from benchwright_foundation.operating_system import MINIMAL_ENVIRONMENT
from benchwright_harness.execution.process import ProcessEnd, run_within_limits
from benchwright_harness.sandbox import prlimit_command_prefix
from benchwright_problems.problem import RunLimits
from benchwright_server.errors import ServerError
from benchwright_server.netlist import yosys_program
from benchwright_verilog.semantics.compilation.instances import DesignInstance
from benchwright_verilog.semantics.project.standalone_files import StandaloneFiles

_LIMITS = RunLimits(wall_s=30, memory_mb=1024, file_mb=64, folder_mb=128)
_PASSES = ("proc", "opt_expr -mux_undef", "opt_clean", "memory_dff", "memory_collect", "opt_clean")
_PLAIN = re.compile(r"[A-Za-z_][\w$]*")
_NUMBER = re.compile(r"-?\d+|\d+'s?[bdh][\da-fA-F]+")
_ERROR = re.compile(r"^(?:(?P<source>f\d+:\d+(?:\.\d+)?): )?(?:ERROR|error): (?P<message>.+)", re.MULTILINE)
_KEPT = 16


class NoNetlistError(ServerError):
    """Yosys can't read a module, or not within its limits."""


@dataclass(frozen=True)
class Netlist:
    """The netlist that Yosys made of a module."""

    digest: str
    """sha256 of what it was made from."""
    module: dict[str, Any]
    """As `write_json` writes a module: `ports`, `cells`, `netnames`."""
    path: tuple[str, ...]
    """The longest combinational path, as `ltp` prints its nets."""
    module_files: StandaloneFiles


class Yosys:
    """Netlists, the last ones kept; one process at a time."""

    def __init__(self) -> None:
        self._netlists: dict[str, Netlist] = {}
        self._turn = asyncio.Lock()

    async def netlist(
        self, instance: DesignInstance, module_files: StandaloneFiles, black_boxes: Sequence[str]
    ) -> Netlist:
        """The netlist of an instance's module.

        Args:
            instance: Its module becomes the top, with its parameters as far as they are numbers.
            module_files: Files that the module needs.
            black_boxes: Modules that stay cells of it.

        Raises:
            ExtraMissingError: Yosys is not installed.
            NoNetlistError: Yosys refused it, with its reason and place.
        """
        if importlib.util.find_spec("pyosys") is None:
            raise ExtraMissingError("Schematics and sizes of designs", "views")
        commands = _yosys_commands(instance, module_files, black_boxes)
        digest = hashlib.sha256(json.dumps([commands, module_files.texts]).encode()).hexdigest()
        async with self._turn:
            if digest not in self._netlists:
                self._netlists[digest] = await _make_netlist(digest, commands, module_files)
                while len(self._netlists) > _KEPT:
                    del self._netlists[next(iter(self._netlists))]
            return self._netlists[digest]


def _yosys_commands(instance: DesignInstance, module_files: StandaloneFiles, black_boxes: Sequence[str]) -> list[str]:
    for name in (instance.module, *black_boxes):
        if not _PLAIN.fullmatch(name):
            raise NoNetlistError(f"Yosys is not asked about the escaped name {name!r}. Rename the module.")
    read_command = [
        "read_slang",
        "--top",
        instance.module,
        "--max-include-depth",
        "0",
        "--ignore-timing",
        "--ignore-initial",
    ]
    read_command += ["--ignore-assertions", "--error-limit", "1"]
    for name, value in instance.parameters:
        if _PLAIN.fullmatch(name) and _NUMBER.fullmatch(value):
            read_command += ["-G", f"{name}={value}"]
    for box in black_boxes:
        read_command += ["--blackboxed-module", box]
    defines = dict.fromkeys(define for file_defines in module_files.defines for define in file_defines)
    # Words of a command are separated by spaces, and it ends at a semicolon.
    read_command += [word for macro in defines if re.fullmatch(r"[\w$=.'-]+", macro) for word in ("-D", macro)]
    read_command += [f"f{number}.sv" for number in range(len(module_files.texts))]
    return [
        " ".join(read_command),
        f"select {instance.module}",
        *_PASSES,
        "write_json -selected netlist.json",
        "ltp -noff",
    ]


async def _make_netlist(digest: str, commands: Sequence[str], module_files: StandaloneFiles) -> Netlist:
    with tempfile.TemporaryDirectory(prefix="benchwright-netlist-") as temporary:
        folder = Path(temporary)
        for number, text in enumerate(module_files.texts):
            (folder / f"f{number}.sv").write_text(text, encoding="utf-8")
        output_buffer = io.BytesIO()
        argv = [*prlimit_command_prefix(_LIMITS), sys.executable, "-I", str(yosys_program.FILE), *commands]
        environment = {**MINIMAL_ENVIRONMENT, "HOME": temporary}
        step_end = await run_within_limits(
            argv, env=environment, cwd=folder, limits=_LIMITS, limited_folder=folder, log=output_buffer
        )
        output = output_buffer.getvalue().decode(errors="replace")
        if step_end.end is not ProcessEnd.EXITED or step_end.exit_code < 0:
            limit = "memory" if step_end.end is ProcessEnd.MEMORY else "time or memory"
            raise NoNetlistError(f"Yosys reached its limit of {limit}. Ask about a module deeper in the design.")
        if step_end.exit_code != 0:
            raise NoNetlistError(_refusal_reason(output, module_files))
        netlist_json = await asyncio.to_thread((folder / "netlist.json").read_bytes)
    modules = (await asyncio.to_thread(json.loads, netlist_json))["modules"]
    top_module = next((module for module in modules.values() if "top" in module["attributes"]), None)
    if top_module is None:
        raise NoNetlistError("Yosys found nothing in the module that it can synthesise.")
    return Netlist(digest, top_module, _longest_path_nets(output), module_files)


def _refusal_reason(yosys_output: str, module_files: StandaloneFiles) -> str:
    error_match = next(
        (error for error in _ERROR.finditer(yosys_output) if "see full log" not in error["message"]), None
    )
    if error_match is None:
        return "Yosys ended without a reason. Simplify the module, or report it with the output in the editor's log."
    source = error_match["source"] or ""
    number = re.match(r"f(\d+):(\d+)", source)
    location = (
        f"{module_files.source_files[int(number[1])][0].name}:{number[2]}: "
        if number and int(number[1]) < len(module_files.source_files)
        else ""
    )
    return f"Yosys can't read the module. {location}{error_match['message'][:300]}"


def _longest_path_nets(yosys_output: str) -> tuple[str, ...]:
    path = (
        yosys_output.rpartition("Longest topological path in")[2]
        if "Longest topological path in" in yosys_output
        else ""
    )
    return tuple(step.strip() for step in re.findall(r"^ *\d+: (.+)$", path, re.MULTILINE))
