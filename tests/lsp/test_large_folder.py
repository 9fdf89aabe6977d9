from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from ..support.editor.diagnostics import PULLS, capabilities
from .conftest import Editors
from .session import Editor, File

pytestmark = pytest.mark.asyncio(loop_scope="module")

USERS = 150
PADDING = "".join(f"  wire [7:0] w{number} = {number} + offset; // padding\n" for number in range(500))
TOP = "module top;\n  thing u_thing ();\n  missing u_missing ();\nendmodule\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So much code that reading it takes a while."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "things.sv").write_text("module thing;\nendmodule\n")
    for number in range(USERS):
        text = f"module user_{number};\n  thing u_thing ();\n  wire [7:0] offset = 1;\n{PADDING}endmodule\n"
        (folder / f"user_{number}.sv").write_text(text)
    (folder / "top.sv").write_text(TOP)
    return folder


def opened(editor: Editor, folder: Path) -> File:
    event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), folder.name)], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    return editor.open(folder / "top.sv")


async def messages(editor: Editor, file: File) -> list[str]:
    identifier = types.TextDocumentIdentifier(file.uri)
    diagnostic_report = await editor.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(identifier))
    assert isinstance(diagnostic_report, types.RelatedFullDocumentDiagnosticReport)
    return [diagnostic.message for diagnostic in diagnostic_report.items]


async def test_what_is_shown_of_a_file_is_completed_when_the_others_have_been_read(
    editors: Editors, folder: Path
) -> None:
    editor = await editors()
    opened(editor, folder)
    await editor.wait_until(lambda: len(editor.screen.diagnostics) > 1, "diagnostics, twice")
    first_publication, second_publication = editor.screen.diagnostics[:2]
    assert [diagnostic.message for diagnostic in first_publication.diagnostics] == []
    assert [diagnostic.message for diagnostic in second_publication.diagnostics] == ["unknown module 'missing'"]
    progress_values = [value for _, value in editor.screen.progress]
    assert progress_values[0]["kind"] == "begin"
    assert "report" in {value["kind"] for value in progress_values}
    assert progress_values[-1]["kind"] == "end"


async def test_a_client_that_asks_for_diagnostics_is_told_to_ask_again(editors: Editors, folder: Path) -> None:
    editor = await editors(capabilities=capabilities(PULLS))
    file = opened(editor, folder)
    assert await messages(editor, file) == []
    await editor.wait_until(lambda: bool(editor.screen.diagnostic_refreshes), "a wish to pull again")
    assert await messages(editor, file) == ["unknown module 'missing'"]


async def test_a_client_that_can_not_be_told_to_ask_again_waits(editors: Editors, folder: Path) -> None:
    editor = await editors(capabilities=capabilities({**PULLS, "workspace": {"workspaceFolders": True}}))
    assert await messages(editor, opened(editor, folder)) == ["unknown module 'missing'"]


async def test_references_wait_until_all_files_were_read(editors: Editors, folder: Path) -> None:
    editor = await editors()
    file = opened(editor, folder)
    position = types.Position(1, 4)
    reference_context = types.ReferenceContext(include_declaration=True)
    params = types.ReferenceParams(reference_context, types.TextDocumentIdentifier(file.uri), position)
    references, definition = await asyncio.gather(
        editor.client.text_document_references_async(params),
        editor.client.text_document_definition_async(
            types.DefinitionParams(types.TextDocumentIdentifier(file.uri), position)
        ),
    )
    assert references is not None and len(references) == USERS + 2
    assert isinstance(definition, list) and [location.uri for location in definition] == [
        (folder / "things.sv").as_uri()
    ]
