"""How the agent mode of a VS Code is started, without one: what is shown in the sandbox, and what it is called."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.agent_mode.launch import CodeServerEditor, agent_mode_launch
from benchwright_subjects.inline.vscode.vsix import vsix_of_folder

TRUE = Path(shutil.which("true") or "/bin/true").resolve()


@pytest.fixture
def editor(tmp_path: Path) -> CodeServerEditor:
    package = tmp_path / "cs" / "node_modules" / "code-server"
    chat = package / "lib" / "vscode" / "extensions" / "copilot"
    for folder in (package / "out" / "node", chat / "dist"):
        folder.mkdir(parents=True)
    (package / "out" / "node" / "entry.js").write_text("")
    (package / "package.json").write_text(json.dumps({"version": "4.139.1"}))
    (package / "lib" / "vscode" / "product.json").write_text(json.dumps({"version": "1.139.1"}))
    (chat / "package.json").write_text(json.dumps({"publisher": "GitHub", "name": "chat", "version": "0.67.0"}))
    (chat / "dist" / "extension.js").write_text("exports.activate = () => undefined;")
    return CodeServerEditor(tmp_path / "node" / "bin" / "node", package / "out" / "node" / "entry.js", TRUE)


def test_the_editor_is_named_by_its_version_and_shown_with_its_packages(
    editor: CodeServerEditor, tmp_path: Path
) -> None:
    launch = agent_mode_launch(editor, tmp_path)
    assert launch.title == "vscode-agent 1.139.1"
    assert launch.identity_facts["chat_extension"] == "GitHub.chat 0.67.0"
    assert launch.read_only_folders["/editor"] == tmp_path / "cs"
    assert "-- /editor-node/node /editor/node_modules/code-server/out/node/entry.js" in launch.command
    # Nothing of this machine is named in what the sandbox sees.
    assert str(tmp_path) not in json.dumps({"command": launch.command, "files": dict(launch.files)})
    assert set(launch.files) >= {"driver/agent_mode/driver/hook.mjs", "driver/inline/vscode/probe/extension.js"}
    assert launch.acp is not None
    assert launch.grades_saves


def test_another_chat_extension_or_vsix_is_another_subject(editor: CodeServerEditor, tmp_path: Path) -> None:
    extension_folder = tmp_path / "extension"
    extension_folder.mkdir()
    (extension_folder / "package.json").write_text(json.dumps({"publisher": "p", "name": "n", "version": "1.2.3"}))
    vsix = tmp_path / "n.vsix"
    vsix.write_bytes(vsix_of_folder(extension_folder))
    plain, extended = agent_mode_launch(editor, tmp_path), agent_mode_launch(editor, tmp_path, [vsix], "mine")
    assert (extended.identity_facts["extensions"], extended.identity_facts["participant"]) == ("p.n 1.2.3", "mine")
    (copy,) = extended.read_only_folders["/editor-extensions"].iterdir()
    assert copy.read_bytes() == vsix.read_bytes()
    assert copy.stat().st_mode & 0o777 == 0o644
    chat = editor.code_server / "lib" / "vscode" / "extensions" / "copilot" / "dist" / "extension.js"
    chat.write_text("exports.activate = () => 1;")
    launches = (plain, extended, agent_mode_launch(editor, tmp_path))
    assert len({launch.identity_facts["subject_sha256"] for launch in launches}) == 3
    assert plain.configuration_sha256 != extended.configuration_sha256


def test_a_code_server_without_a_chat_is_refused_with_the_next_step(editor: CodeServerEditor, tmp_path: Path) -> None:
    shutil.rmtree(editor.code_server / "lib" / "vscode" / "extensions")
    with pytest.raises(EvaluationError, match=r"no code-server with a built-in chat .*Run \./run once"):
        agent_mode_launch(editor, tmp_path)


def test_a_script_that_starts_a_browser_leads_to_the_browser_beside_it(
    editor: CodeServerEditor, tmp_path: Path
) -> None:
    script, node = tmp_path / "bin" / "start-chromium", tmp_path / "bin" / "node"
    script.parent.mkdir()
    for file in (script, node):
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    environ = {"PATH": str(script.parent), "CHROMIUM": str(script), "BENCHWRIGHT_CODE_SERVER": str(editor.entry)}
    if not any(Path("/usr/lib", name).is_dir() for name in ("chromium", "chrome", "chromium-browser")):
        with pytest.raises(EvaluationError, match="is a script, and the browser that it starts was not found"):
            CodeServerEditor.find(tmp_path, environ)
    shutil.copy(TRUE, script.parent / "chrome")
    assert CodeServerEditor.find(tmp_path, environ) == CodeServerEditor(node, editor.entry, script.parent / "chrome")
