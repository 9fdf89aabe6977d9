"""A toy lint tool, registered in the list of lint tools: what it finds in a saved file becomes a diagnostic."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_foundation.registration import Registration
from benchwright_server import lint_registry
from benchwright_server import settings as settings_module
from benchwright_server.cli.app import app_with_commands
from benchwright_server.client import Client
from benchwright_server.features.language.code_actions import CodeActions
from benchwright_server.features.language.diagnostics import LiveDiagnostics
from benchwright_server.linters.lint_tool import LintTool, SavedFile
from benchwright_server.references.language import features_page, settings_page
from benchwright_server.settings import ServerSettings, read_settings
from benchwright_verilog.actions.line_fix import Fix
from benchwright_verilog.findings import explained_rules
from benchwright_verilog.findings.finding import Finding, Level
from benchwright_verilog.findings.source import FindingTool
from benchwright_verilog.semantics.compilation.diagnostics import SlangDiagnostic
from benchwright_verilog.semantics.project.projects import Projects
from benchwright_verilog.settings import LintRuleSettings
from benchwright_verilog.syntax.documents import Document, Documents

SOURCE = FindingTool("todo", 3, "https://example.org/rules/{}")
TEXT = "module m;\n  wire a; // TODO: drive it\nendmodule\n"


async def lint(saved_file: SavedFile) -> list[Finding]:
    matches = re.finditer("TODO", saved_file.lines.text)
    return [Finding(SOURCE, *match.span(), Level.HINT, "open-task", "A task is open.") for match in matches]


async def fixes(name: str, text: str, settings: LintRuleSettings) -> list[Fix]:
    lines = text.splitlines()
    return [
        Fix(
            "open-task",
            number,
            line.index("TODO"),
            "Close the task",
            number,
            (line,),
            (line.partition(" //")[0],),
        )
        for number, line in enumerate(lines, 1)
        if "TODO" in line
    ]


TODO = LintTool(SOURCE, "comments with `TODO`", lint, fixes=fixes)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    registration = Registration("todo", f"{__name__}:TODO", "Report comments with `TODO`.")
    monkeypatch.setattr(lint_registry, "LINT_TOOLS", (registration,))
    monkeypatch.setattr(settings_module, "LintSettings", settings_module.lint_settings_class())


class Server:
    """As much of a server as diagnostics and code actions need."""

    def __init__(self) -> None:
        self.client = Client({"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}})
        self.settings = ServerSettings()
        self.documents = Documents()
        self.projects = Projects(self.documents)
        self.protocol = self
        self.home = SimpleNamespace(cache=Path())
        self.shown_diagnostics: list[dict[str, Any]] = []
        self.run_messages = SimpleNamespace(findings_on_unchanged_lines=lambda document: ())
        self.expansions = None
        self.live = LiveDiagnostics(self)  # type: ignore[arg-type]

    async def diagnostics(self, document: Document) -> tuple[SlangDiagnostic, ...]:
        return ()

    def notify_json(self, method: str, params: dict[str, Any]) -> None:
        self.shown_diagnostics = params["diagnostics"]

    def report_failure(self, error: BaseException) -> None:
        raise error


@pytest.fixture
async def server(tmp_path: Path) -> Server:
    fake_server = Server()
    path = tmp_path / "m.sv"
    path.write_text(TEXT)
    fake_server.documents.open(path.as_uri(), 1, TEXT)
    fake_server.live.analyse_opened(path.as_uri())
    await fake_server.live.lint_saved_file(path.as_uri())
    return fake_server


async def test_its_finding_becomes_a_diagnostic_that_links_to_its_rule(server: Server) -> None:
    (diagnostic,) = [candidate for candidate in server.shown_diagnostics if candidate["source"] == "todo"]
    assert diagnostic["range"]["start"] == {"line": 1, "character": TEXT.splitlines()[1].index("TODO")}
    assert (diagnostic["severity"], diagnostic["code"], diagnostic["message"]) == (4, "open-task", "A task is open.")
    assert diagnostic["codeDescription"] == {"href": "https://example.org/rules/open-task"}


async def test_its_fixes_and_waivers_are_offered(server: Server) -> None:
    from lsprotocol import types

    (document,) = server.documents
    finding_position = types.Position(1, TEXT.splitlines()[1].index("TODO"))
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(document.uri),
        types.Range(finding_position, finding_position),
        types.CodeActionContext([]),
    )
    offered_actions = await CodeActions(server).actions_at_selection(params)  # type: ignore[arg-type]
    titles = [action.title for action in offered_actions]
    assert {"Close the task", "Waive open-task on this line"} <= set(titles)


async def test_its_switch_turns_it_off(server: Server) -> None:
    assert server.shown_diagnostics
    settings, complaints = read_settings({"lint": {"todo": False}})
    server.settings = settings
    await server.live.lint_saved_file(next(iter(server.documents)).uri)
    assert (complaints, server.shown_diagnostics) == ([], [])
    assert settings != ServerSettings()
    assert "| `lint.todo` | true or false | `true` | Report comments with `TODO`. |" in settings_page()


def test_the_reference_lists_it() -> None:
    assert "| `todo` | on save | comments with `TODO` | example.org |" in features_page()


def test_its_rules_are_explained_by_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explained_rules, "_FOLDER", tmp_path)
    (tmp_path / "todo.toml").write_text('[open-task]\nabout = "A task."\nfix = "Do it."\nwrong = ""\nright = ""\n')
    explained, refused = (
        CliRunner().invoke(app_with_commands(), ["explain", "open-task", "--tool", name]) for name in ("todo", "done")
    )
    assert "A rule of todo." in explained.stdout
    assert explained_rules.tools_with_explained_rules() == ("slang", "todo")
    assert "No rules of done are explained. Choose from slang, " in refused.stderr
