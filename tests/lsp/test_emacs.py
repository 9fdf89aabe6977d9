"""A real Emacs with the configuration of the how-to, in a plain folder, and at one problem to the end."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ..support.editor.other_editors import SCRIPTS, TIMEOUT_S, configurations, environment_in, open_problem
from .session import reference

EMACS = shutil.which("emacs")
SCRIPT = shutil.which("script")


def _reason_to_skip() -> str:
    if EMACS is None or SCRIPT is None:
        return "Emacs, or `script` of util-linux, is not installed: ./test lsp installs Emacs"
    command = [EMACS, "-q", "--batch", "--eval", "(unless (< emacs-major-version 28) (require 'eglot))"]
    command += ["--eval", "(when (< emacs-major-version 28) (kill-emacs 1))"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return "This is no Emacs 28 with eglot: ./test lsp installs Debian's"
    return ""


REASON_TO_SKIP = _reason_to_skip()
pytestmark = pytest.mark.skipif(bool(REASON_TO_SKIP), reason=REASON_TO_SKIP)

PROBLEM = "sync-fifo"
PLAIN = {
    "rtl/top.sv": "module top (input logic a, output logic y);\n"
    "  child u (.a, .b(implied));\n  assign y = missing;\nendmodule\n",
    "rtl/child.sv": "module child (input logic a, output logic b);\n  assign b = a;\nendmodule\n",
    ".git/HEAD": "",
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Results that one session showed."""
    folder = tmp_path_factory.mktemp("emacs")
    init, directory_variables = configurations("emacs.md", "elisp")
    (folder / "init.el").write_text(init)
    plain_folder = folder / "plain"
    for path, text in (PLAIN | {".dir-locals.el": directory_variables.replace("no-tabs", "implicit-net")}).items():
        (plain_folder / path).parent.mkdir(parents=True, exist_ok=True)
        (plain_folder / path).write_text(text)
    environment = environment_in(folder) | open_problem(folder, PROBLEM, reference(PROBLEM))
    environment |= {"PLAIN": str(plain_folder / "rtl" / "top.sv"), "SEEN": str(folder / "seen.json")}
    environment |= {"HOME": str(folder), "TERM": "xterm"}
    command = [str(EMACS), "-nw", "-q", "-l", str(folder / "init.el"), "-l", str(SCRIPTS / "emacs_session.el")]
    # `script` is its terminal.
    with subprocess.Popen(
        [str(SCRIPT), "-qec", shlex.join(command), str(folder / "screen")],
        env=environment,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    ) as emacs:
        try:
            assert emacs.wait(TIMEOUT_S) == 0, _screen(folder)
        finally:
            emacs.kill()
    session_facts: dict[str, Any] = json.loads((folder / "seen.json").read_text())
    assert "failure" not in session_facts, session_facts["failure"]
    return session_facts


def _screen(folder: Path) -> str:
    return (folder / "screen").read_text(errors="replace")


def test_mistakes_are_marked_while_typing(recording: dict[str, Any]) -> None:
    assert "use of undeclared identifier 'nowhere'" in recording["diagnostic"]


def test_a_name_is_explained(recording: dict[str, Any]) -> None:
    assert "output logic almost_full" in re.sub(r" +", " ", recording["hover"])


def test_a_name_is_completed(recording: dict[str, Any]) -> None:
    assert re.search(r"almost_empty logic\s+almost_full logic", recording["completions"])


def test_a_port_is_renamed_everywhere(recording: dict[str, Any]) -> None:
    assert recording["renamed"] == re.sub(r"\bwr_data\b", "written", reference(PROBLEM))


def test_the_file_is_formatted(recording: dict[str, Any]) -> None:
    assert re.search(r"^ +assign empty = 1;$", recording["formatted"], re.MULTILINE)


def test_a_save_runs_the_hidden_tests_and_the_attempt_is_submitted(recording: dict[str, Any]) -> None:
    assert recording["submitted"] == "FIFO with level flags: submitted. All hidden tests passed."


def test_a_plain_folder_has_diagnostics_by_its_settings_and_definitions_in_other_files(
    recording: dict[str, Any],
) -> None:
    (diagnostic,) = recording["plain-diagnostics"]
    assert "'missing'" in diagnostic
    assert recording["definition"] == PLAIN["rtl/child.sv"].splitlines(keepends=True)[0]


def test_nothing_of_problems_is_said_in_a_plain_folder(recording: dict[str, Any]) -> None:
    assert recording["plain-messages"]
    assert not [
        line for line in recording["plain-messages"] if re.search("hidden|attempt|problem|running|submitted", line)
    ]
