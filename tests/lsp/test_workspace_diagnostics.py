from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = 100
CANCELLED = -32800
"""LSP 3.18, `LSPErrorCodes.RequestCancelled`."""
ON = {"diagnostics": {"allFiles": True}}


def pulling() -> types.ClientCapabilities:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities()
    return capabilities


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    (folder / "types.sv").write_text("package types;\n  typedef logic [7:0] byte_t;\nendpackage\n")
    (folder / "unused.svh").write_text("wire nothing = missing;\n")
    for number in range(FILES - 1):
        wrong_part = " = missing" if number % 10 == 0 else ""
        instance = f"stage_{number - 1} u_below (.*);" if number else ""
        text = f"module stage_{number} (input types::byte_t d);\n  {instance}\n  wire w{wrong_part};\nendmodule\n"
        (folder / f"stage_{number}.sv").write_text(text)
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> AsyncIterator[Editor]:
    editor = await Editor.start(tmp_path_factory.mktemp("shared") / "home", capabilities=pulling(), options=ON)
    event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), folder.name)], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    yield editor
    await editor.quit()


def parts(editor: Editor, token: str) -> list[list[dict[str, Any]]]:
    return [value["items"] for shown_token, value in editor.screen.progress if shown_token == token]


async def pull(editor: Editor, known_results: dict[str, str], token: str | None = None) -> list[Any]:
    previous_results = [types.PreviousResultId(uri, value) for uri, value in known_results.items()]
    params = types.WorkspaceDiagnosticParams(previous_results, partial_result_token=token)
    return list((await editor.client.workspace_diagnostic_async(params)).items)


async def test_findings_of_all_files_arrive_in_parts_and_are_not_repeated(editor: Editor, folder: Path) -> None:
    assert await pull(editor, {}, "first") == []
    partial_results = parts(editor, "first")
    assert len(partial_results) > 1
    document_reports = [report for part in partial_results for report in part]
    # A header that no file includes means nothing by itself.
    assert {report["uri"] for report in document_reports} == {path.as_uri() for path in folder.glob("*.sv")}
    assert len(document_reports) == FILES
    wrong_stems = sorted(Path(report["uri"]).stem for report in document_reports if report["items"])
    assert wrong_stems == sorted(f"stage_{number}" for number in range(0, FILES - 1, 10))

    known_results = {report["uri"]: report["resultId"] for report in document_reports}
    second_reports = await pull(editor, known_results)
    assert {report.kind for report in second_reports} == {"unchanged"}
    assert {report.uri for report in second_reports} == known_results.keys()

    file = editor.open(folder / "stage_3.sv")
    file.replace(file.text.index("wire"), file.text.index("wire"), "wire x = missing; ")
    changed_reports = [report for report in await pull(editor, known_results) if report.kind == "full"]
    assert [(report.uri, report.version, len(report.items)) for report in changed_reports] == [
        (file.uri, file.version, 1)
    ]

    (folder / "stage_10.sv").unlink()
    file_event = types.FileEvent((folder / "stage_10.sv").as_uri(), types.FileChangeType.Deleted)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([file_event]))
    gone = {report.uri: report for report in await pull(editor, known_results)}[file_event.uri]
    assert (gone.kind, list(gone.items)) == ("full", [])


async def test_a_cancelled_request_ends(editor: Editor, folder: Path) -> None:
    params = types.WorkspaceDiagnosticParams([], partial_result_token="cancelled")
    pending_answer = editor.client.protocol.send_request_async(  # type: ignore[no-untyped-call]
        types.WORKSPACE_DIAGNOSTIC, params, msg_id="all"
    )
    task = asyncio.ensure_future(pending_answer)
    editor.open(folder / "stage_4.sv", "module stage_4; wire new = missing; endmodule\n")
    await editor.wait_until(lambda: bool(parts(editor, "cancelled")), "a first part")
    editor.client.cancel_request(types.CancelParams("all"))
    with pytest.raises(JsonRpcException) as caught:
        await task
    assert caught.value.code == CANCELLED
    assert len([report for part in parts(editor, "cancelled") for report in part]) < FILES


async def test_it_is_off_by_default(tmp_path: Path) -> None:
    editor = await Editor.start(tmp_path, capabilities=pulling())
    assert editor.initialized is not None
    provider = editor.initialized.capabilities.diagnostic_provider
    assert provider is not None and not provider.workspace_diagnostics
    await editor.quit()
