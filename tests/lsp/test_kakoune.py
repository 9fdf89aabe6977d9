"""A real Kakoune with the configuration of the how-to; the server is started with what Kakoune then has for its client.

The client, kakoune-lsp, is in no registry that `./test` installs from. A program of its name defines what the
configuration needs of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ..support.editor.other_editors import TIMEOUT_S, configurations, environment_in
from .session import Editor

KAKOUNE = shutil.which("kak")

pytestmark = pytest.mark.skipif(KAKOUNE is None, reason="Kakoune is not installed: ./test lsp installs it")

CLIENT = """\
#!/bin/sh
cat <<'END'
declare-option str lsp_servers
declare-option str lsp_shown no
define-command lsp-enable-window %{ set-option window lsp_shown yes }
define-command lsp-execute-command -params 2 %{ echo -to-file %sh{ echo "$SEEN/command" } "%arg{1} %arg{2}" }
END
"""
FINISH = """
benchwright start
echo -to-file %sh{ echo "$SEEN/shown" } %opt{lsp_shown}
echo -to-file %sh{ echo "$SEEN/servers" } %opt{lsp_servers}
quit!
"""


@dataclass(frozen=True)
class KakouneSession:
    """What one Kakoune had after it had opened a file."""

    design_file: Path
    is_client_on: bool
    servers: dict[str, Any]
    """Options of kakoune-lsp, by server."""
    executed: str
    """Command that the client had to execute, with its arguments."""


def play_kakoune(folder: Path, name: str) -> KakouneSession:
    """Open a file in a Kakoune, which keeps everything in a folder, and start the attempt of the file."""
    (kakrc,) = configurations("kakoune.md", "kak")
    for path, text in {"CONFIG/kak/kakrc": kakrc, "programs/kak-lsp": CLIENT}.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text)
    (folder / "programs" / "kak-lsp").chmod(0o755)
    design_file = folder / name
    design_file.write_text("module top;\n  assign nowhere = 1;\nendmodule\n")
    environment = environment_in(folder) | {"SEEN": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    environment["PATH"] = f"{folder / 'programs'}:{environment['PATH']}"
    subprocess.run(
        [str(KAKOUNE), "-ui", "dummy", "-e", FINISH, str(design_file)],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT_S,
        check=True,
    )
    return KakouneSession(
        design_file=design_file,
        is_client_on=(folder / "shown").read_text().strip() == "yes",
        servers=tomllib.loads((folder / "servers").read_text()),
        executed=(folder / "command").read_text().strip(),
    )


@pytest.mark.parametrize("name", ["top.sv", "top.v", "top.svh", "top.vh"])
def test_verilog_has_a_client_and_operations_name_its_file(name: str, tmp_path: Path) -> None:
    kakoune = play_kakoune(tmp_path, name)
    command, _, arguments = kakoune.executed.partition(" ")
    assert kakoune.is_client_on
    assert command == "benchwright.start"
    assert json.loads(arguments) == [{"uri": kakoune.design_file.as_uri()}]


@pytest.mark.asyncio(loop_scope="module")
async def test_the_server_starts_as_the_client_would_start_it(tmp_path: Path, editors: Callable[..., Any]) -> None:
    kakoune = play_kakoune(tmp_path, "top.sv")
    options = kakoune.servers["benchwright"]
    editor: Editor = await editors(command=[options["command"], *options["args"]])
    await editor.open(kakoune.design_file).marked("nowhere")
