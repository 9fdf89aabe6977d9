"""Editors besides VS Code, set up as their how-tos say, with everything that they keep in a folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to"
SCRIPTS = Path(__file__).parents[2] / "lsp"
"""Folder of what editors are told to do."""
TIMEOUT_S = 600
_PROGRAMS = Path(sys.executable).parent


def configurations(page: str, language: str) -> list[str]:
    """The blocks of a language on a how-to."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (HOW_TO / page).read_text(), re.MULTILINE | re.DOTALL)


def environment_in(folder: Path) -> dict[str, str]:
    """The variables of an editor, and a server, that keep everything in a folder."""
    return {
        **os.environ,
        **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PATH": f"{_PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "BENCHWRIGHT_HOME": str(folder / "home"),
    }


def open_problem(folder: Path, problem: str, solution: str) -> dict[str, str]:
    """Open a starter problem with one file.

    Returns:
        For the script of an editor, by variable: the file to edit, and one with a solution.
    """
    reference_file = folder / "reference.sv"
    reference_file.write_text(solution)
    command = ["benchwright", "open", f"starter/{problem}"]
    subprocess.run(command, env=environment_in(folder), check=True, capture_output=True)
    (design_file,) = (folder / "home" / "workspaces" / "starter" / problem / "rtl").iterdir()
    return {"DESIGN": str(design_file), "REFERENCE": str(reference_file)}
