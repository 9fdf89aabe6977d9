"""Fixtures and helpers of the tests of neovim."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NVIM = shutil.which("nvim")


HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "other-editors.md"


PROGRAMS = Path(sys.executable).parent


TIMEOUT_S = 600


pytestmark = pytest.mark.skipif(NVIM is None, reason="Neovim is not installed: ./test lsp installs it")


def environment_in(folder: Path) -> dict[str, str]:
    """The variables of a Neovim, and a server, that keep everything in a folder."""
    return {
        **os.environ,
        **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "BENCHWRIGHT_HOME": str(folder / "home"),
    }


def play_script(folder: Path, init: str, script: str, **variables: str) -> dict[str, Any]:
    """Values that a script saw in a Neovim with a configuration.

    Args:
        folder: Folder in which all of it is kept.
        init: The text of `init.lua`.
        script: A file beside this one, which writes what it saw to `$SEEN`.
        variables: More variables for it.
    """
    environment = environment_in(folder) | variables | {"SEEN": str(folder / "seen.json")}
    (folder / "init.lua").write_text(init)
    session_script = Path(__file__).parents[2] / "lsp" / script
    neovim_run = subprocess.run(
        [str(NVIM), "--headless", "-n", "-u", folder / "init.lua", "-c", f"luafile {session_script}"],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    session_facts: dict[str, Any] = json.loads((folder / "seen.json").read_text())
    assert "failure" not in session_facts, f"{session_facts}\n{neovim_run.stderr}"
    return session_facts


def configuration() -> str:
    """Configuration that the how-to tells people to put into `init.lua`."""
    (block,) = re.findall(r"^```lua\n(.*?)^```$", HOW_TO.read_text(), re.MULTILINE | re.DOTALL)
    return str(block)
