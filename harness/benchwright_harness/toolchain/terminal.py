"""The simulators of the toolchain in use, for a terminal of this machine.

A toolchain is a root file system, so a program of it does not start by its path alone. A script for each starts it
under bubblewrap, with the toolchain's system in place of this machine's and everything else as it is. That is no
sandbox: the program may do what the user may.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.toolchain import Toolchain, tree

TOOLS = ("iverilog", "vvp", "verilator", "yosys")
_SYSTEM = ("bin", "etc", "lib", "lib64", "opt", "sbin", "usr")
"""The folders that come from the toolchain."""


def scripts_folder(cache: Path) -> Path:
    """Folder of the scripts, for PATH. `./run` names the same folder."""
    return cache / "bin"


def write_tool_scripts(cache: Path) -> Path:
    """Write a script for each tool of the toolchain in use; returns their folder.

    Raises:
        ToolMissingError: No toolchain is there, with the next step.
        OSError: The folder can't be written.
    """
    toolchain = Toolchain.find(cache)
    folder = scripts_folder(cache)
    folder.mkdir(parents=True, exist_ok=True)
    for tool in TOOLS:
        _write_if_changed(folder / tool, starting_script(toolchain, tool))
    return folder


def starting_script(toolchain: Toolchain, tool_name: str) -> str:
    """The script that starts a tool."""
    root = toolchain.root
    system_folders = [name for name in _SYSTEM if (root / name).exists()]
    system = " ".join(f"--ro-bind {shlex.quote(str(root / name))} /{name}" for name in system_folders)
    variables = " ".join(
        f"--setenv {name} {shlex.quote(value)}" for name, value in sorted(tree.environment(ToolSelection()).items())
    )
    own_roots = "|".join(f"/{name}" for name in (*_SYSTEM, "dev", "proc", "sys"))
    return f"""#!/bin/sh
# {tool_name} of Benchwright's toolchain {toolchain.name}, which stands in for /usr, /etc and /opt of this machine.
if ! command -v bwrap >/dev/null; then
    echo '{tool_name}: bubblewrap is not installed (Debian and Ubuntu: apt-get install bubblewrap).' >&2
    exit 127
fi
set -- {tool_name} "$@"
for place in /*; do
    case "$place" in
        {own_roots}) ;;
        *) set -- --bind-try "$place" "$place" "$@" ;;
    esac
done
exec bwrap --tmpfs / {system} --dev-bind /dev /dev --proc /proc {variables} \\
    --unsetenv LD_LIBRARY_PATH --unsetenv LD_PRELOAD --unsetenv PYTHONHOME --chdir "$PWD" "$@"
"""


def _write_if_changed(file: Path, new_text: str) -> None:
    try:
        if file.read_text(encoding="utf-8") == new_text:
            return
    except (OSError, UnicodeDecodeError):
        pass
    new_file = file.with_name(f".{file.name}-{os.getpid()}")
    new_file.write_text(new_text, encoding="utf-8")
    new_file.chmod(0o755)
    new_file.replace(file)
