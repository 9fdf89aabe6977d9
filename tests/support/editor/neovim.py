"""A Neovim without a screen, set up as the how-to says."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .other_editors import SCRIPTS, TIMEOUT_S, configurations, environment_in

NVIM = shutil.which("nvim")

pytestmark = pytest.mark.skipif(NVIM is None, reason="Neovim is not installed: ./test lsp installs it")


def play_script(folder: Path, init: str, script: str, **variables: str) -> dict[str, Any]:
    """Values that a script saw in a Neovim with a configuration.

    Args:
        folder: Folder in which all of it is kept.
        init: The text of `init.lua`.
        script: A file of `SCRIPTS`, which writes what it saw to `$SEEN`.
        variables: More variables for it.
    """
    environment = environment_in(folder) | variables | {"SEEN": str(folder / "seen.json")}
    (folder / "init.lua").write_text(init)
    neovim_run = subprocess.run(
        [str(NVIM), "--headless", "-n", "-u", folder / "init.lua", "-c", f"luafile {SCRIPTS / script}"],
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
    (block,) = configurations("neovim.md", "lua")
    return block
