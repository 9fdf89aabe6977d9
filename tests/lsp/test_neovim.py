"""A real Neovim with the configuration of the how-to, at one problem from start to submission."""

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

from .session import reference

NVIM = shutil.which("nvim")
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "other-editors.md"
PROGRAMS = Path(sys.executable).parent
PROBLEM = "sync-fifo"
TIMEOUT_S = 600

pytestmark = pytest.mark.skipif(NVIM is None, reason="Neovim is not installed: ./test lsp installs it")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one session showed."""
    folder = tmp_path_factory.mktemp("neovim")
    (folder / "reference.sv").write_text(reference(PROBLEM))
    environment = environment_in(folder)
    subprocess.run(["benchwright", "open", f"starter/{PROBLEM}"], env=environment, check=True, capture_output=True)
    design = folder / "home" / "workspaces" / "starter" / PROBLEM / "rtl" / "sync_fifo.sv"
    variables = {"DESIGN": str(design), "REFERENCE": str(folder / "reference.sv")}
    return played(folder, configuration(), "neovim_session.lua", **variables)


def environment_in(folder: Path) -> dict[str, str]:
    """The variables of a Neovim, and a server, that keep everything in a folder."""
    return {
        **os.environ,
        **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "BENCHWRIGHT_HOME": str(folder / "home"),
    }


def played(folder: Path, init: str, script: str, **variables: str) -> dict[str, Any]:
    """What a script saw in a Neovim with a configuration.

    Args:
        folder: Where all of it is kept.
        init: The text of `init.lua`.
        script: A file beside this one, which writes what it saw to `$SEEN`.
        variables: More variables for it.
    """
    environment = environment_in(folder) | variables | {"SEEN": str(folder / "seen.json")}
    (folder / "init.lua").write_text(init)
    session = Path(__file__).with_name(script)
    ended = subprocess.run(
        [str(NVIM), "--headless", "-n", "-u", folder / "init.lua", "-c", f"luafile {session}"],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    told: dict[str, Any] = json.loads((folder / "seen.json").read_text())
    assert "failure" not in told, f"{told}\n{ended.stderr}"
    return told


def configuration() -> str:
    """What the how-to tells people to put into `init.lua`."""
    (block,) = re.findall(r"^```lua\n(.*?)^```$", HOW_TO.read_text(), re.MULTILINE | re.DOTALL)
    return str(block)


def test_mistakes_are_marked_while_typing(seen: dict[str, Any]) -> None:
    assert any("nowhere" in message for message in seen["diagnostics"])


def test_a_name_is_explained(seen: dict[str, Any]) -> None:
    assert "output logic almost_full" in re.sub(r" +", " ", seen["hover"])


def test_the_hierarchy_of_instances_is_a_list_of_places(seen: dict[str, Any]) -> None:
    assert seen["hierarchy"] == "sync_fifo (sync_fifo)"


def test_a_name_is_completed(seen: dict[str, Any]) -> None:
    assert "level" in {item["word"] for item in seen["completions"]}


def test_a_port_is_renamed_everywhere(seen: dict[str, Any]) -> None:
    assert seen["renamed"] == re.sub(r"\bwr_data\b", "written", reference(PROBLEM))


def test_the_file_is_formatted(seen: dict[str, Any]) -> None:
    assert re.search(r"^ +assign empty = 1;$", seen["formatted"], re.MULTILINE)


def test_the_line_above_the_module_tells_the_verdict(seen: dict[str, Any]) -> None:
    assert re.match(r"▶ Run hidden tests · (\d+)/\1 passed", seen["lens"])


def test_a_save_runs_the_hidden_tests_and_the_attempt_is_submitted(seen: dict[str, Any]) -> None:
    *_, last = seen["notified"]
    assert re.fullmatch(r"Synchronous FIFO with level flags: submitted\. All hidden tests passed\.", last)
