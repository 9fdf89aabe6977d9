"""The tools of this machine, for runs without a sandbox: whatever is on PATH, with its versions."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from benchwright_harness.errors import ToolMissingError
from benchwright_harness.plan.selection import OLD_NAMES, ToolSelection
from benchwright_harness.toolchain import Toolchain, tree

_ASK = {
    "g++": ("g++", "--version"),
    "icarus": ("iverilog", "-V"),
    "python": ("python3", "--version"),
    "verilator": ("verilator", "--version"),
    "yosys": ("yosys", "-V"),
}
_MODULES = ("cocotb", "pytest")
_PRINT_VERSIONS = (
    "import importlib.metadata as m\n"
    f"for name in {_MODULES!r}:\n"
    "    try: print(name, m.version(name))\n"
    "    except m.PackageNotFoundError: pass"
)
_PYTHON = "3.11."
_HINTS = {
    "cocotb": "install cocotb and pytest for this machine's python3 (pip install cocotb pytest)",
    "iverilog": "install Icarus Verilog (Debian and Ubuntu: apt-get install iverilog)",
    "pytest": "install cocotb and pytest for this machine's python3 (pip install cocotb pytest)",
    "verilator": "install Verilator (Debian and Ubuntu: apt-get install verilator)",
    "yosys": "install Yosys (Debian and Ubuntu: apt-get install --no-install-recommends yosys)",
}
_TIMEOUT_S = 20


class NativeTools(Toolchain):
    """Tools of the native sandbox in place of a toolchain; they are not chosen, so a selection changes little.

    Args:
        cache: The cache folder. Where this machine's Python has no cocotb, but is the one that the toolchain's
            packages are for, those are taken.
        environ: Our own environment, whose PATH counts.
    """

    def __init__(self, cache: Path, environ: Mapping[str, str] = os.environ) -> None:
        # Our own Python environment is none of the machine's tools.
        own_programs = str(Path(sys.prefix, "bin"))
        folders = [folder for folder in environ.get("PATH", os.defpath).split(":") if folder != own_programs]
        self._variables = {"PATH": ":".join(folders)}
        if "VERILATOR_ROOT" in environ:
            self._variables["VERILATOR_ROOT"] = environ["VERILATOR_ROOT"]
        self._tool_versions = _version_by_tool(self._variables["PATH"], "")
        if not set(_MODULES) <= self._tool_versions.keys():
            self._borrow_packages_if_fitting(cache)

    def _borrow_packages_if_fitting(self, cache: Path) -> None:
        try:
            root = Toolchain.find(cache).root
        except ToolMissingError:
            return
        if not self._tool_versions.get("python", "").startswith(_PYTHON):
            return
        packages = str(root / tree.PACKAGES.lstrip("/"))
        path = f"{root}/usr/local/bin:{self._variables['PATH']}"
        borrowed_versions = _version_by_tool(path, packages)
        if set(_MODULES) <= borrowed_versions.keys():
            self._tool_versions = borrowed_versions
            self._variables |= {"PATH": path, "PYTHONPATH": packages}

    @property
    def name(self) -> str:
        """In place of a toolchain's name."""
        return "native"

    @property
    def digest(self) -> str:
        """Names the versions that were found; the same numbers may still be other bits."""
        version_lines = "\n".join(f"{name} {version}" for name, version in sorted(self._tool_versions.items()))
        return f"native:{hashlib.sha256(version_lines.encode()).hexdigest()}"

    @property
    def verdict_remarks(self) -> tuple[str, ...]:
        """Remarks that a verdict must make."""
        version_listing = ", ".join(f"{name} {version}" for name, version in sorted(self._tool_versions.items()))
        return (f"Ran with the tools of this machine ({version_listing}), without protection.",)

    def environment(self, selection: ToolSelection) -> dict[str, str]:
        """Variables that the tools need."""
        variables = dict(self._variables)
        if selection.cocotb == OLD_NAMES:
            compat_folder = Path(__file__).parents[1] / "inside" / "compat"
            variables["PYTHONPATH"] = ":".join(filter(None, (str(compat_folder), variables.get("PYTHONPATH"))))
        return variables

    def versions(self, selection: ToolSelection) -> dict[str, str]:
        """The version of each tool that was found."""
        return dict(sorted(self._tool_versions.items()))

    def require_packages(self, names: Iterable[str]) -> None:
        """Nothing is known of this machine's packages; a run says what it lacks."""

    def require_tools(self, tools: Iterable[str], selection: ToolSelection) -> None:
        """Check that programs are there.

        Raises:
            ToolMissingError: Names the first that is not, in alphabetical order from the last.
        """
        for tool in sorted(tools, reverse=True):
            if not shutil.which(tool, path=self._variables["PATH"]):
                raise ToolMissingError(tool, _HINTS.get(tool, "install it, so that it is on PATH"))
        for module in _MODULES:
            if module not in self._tool_versions:
                raise ToolMissingError(module, _HINTS[module])


@lru_cache
def _version_by_tool(search_path: str, packages_folder: str) -> dict[str, str]:
    """Tool → version, of those on a PATH and among Python's packages."""
    variables = {"PATH": search_path, "LC_ALL": "C.UTF-8"} | (
        {"PYTHONPATH": packages_folder} if packages_folder else {}
    )
    versions = {}
    for name, (program, option) in _ASK.items():
        if program_path := shutil.which(program, path=search_path):
            number = re.search(r"\d+(\.\d+)+", _command_output_or_empty([program_path, option], variables))
            versions[name] = number[0] if number else "unknown"
    if program_path := shutil.which("python3", path=search_path):
        version_pairs = (
            line.split()
            for line in _command_output_or_empty([program_path, "-c", _PRINT_VERSIONS], variables).splitlines()
        )
        versions |= {pair[0]: pair[1] for pair in version_pairs if len(pair) == 2}
    return versions


def _command_output_or_empty(command: list[str], variables: Mapping[str, str]) -> str:
    try:
        finished_process = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT_S, check=False, env=variables
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return finished_process.stdout
