"""An author opens the reference of a pack's folder: the survivors of a mutation analysis are marked in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from benchwright_authoring.mutation.findings import (
    Counterexample,
    MutantFinding,
    MutantStatus,
    PackFindings,
    ProblemFindings,
)
from benchwright_authoring.mutation.mutant import Mutant

from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = "module m (input logic clk, d, output logic q);\n  always_ff @(posedge clk) q <= d;\nendmodule\n"


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    start = TEXT.index("posedge")
    finding = MutantFinding(
        mutant=Mutant.of("rtl/m.sv", TEXT.encode(), kind_name="edge", byte_span=(start, start + 7), new_text="negedge"),
        is_scored=True,
        status=MutantStatus.SURVIVED,
        counterexample=Counterexample(cycle=1, stimulus=({"d": 1}, {"d": 0})),
    )
    findings = PackFindings(
        pack="mine",
        version="1",
        seed=0,
        limit=None,
        toolchain="t",
        sandbox="bwrap",
        proofs=True,
        problems=(ProblemFindings(id="p", findings=(finding,)),),
    )
    files = {
        "pack.toml": "",
        "mutants.json": findings.model_dump_json(),
        "p/problem.toml": "",
        "p/hidden/reference/rtl/m.sv": TEXT,
        "p/hidden/harness/src/test_m.py": "import cocotb\n\n\n@cocotb.test()\nasync def works(dut):\n    pass\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


async def test_a_survivor_is_marked_and_becomes_a_test(editor: Editor, pack: Path) -> None:
    opened = types.WorkspaceFoldersChangeEvent(added=[types.WorkspaceFolder(pack.as_uri(), "pack")], removed=[])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(opened))
    file = editor.open(pack / "p/hidden/reference/rtl/m.sv")
    file.save()
    (mark,) = await file.marked("No hidden test notices negedge for posedge. It differs in cycle 1.")
    assert (mark.severity, mark.source, mark.code) == (types.DiagnosticSeverity.Information, "mutants", "edge")
    params = types.CodeActionParams(types.TextDocumentIdentifier(file.uri), mark.range, types.CodeActionContext([mark]))
    offered_actions = await editor.client.text_document_code_action_async(params)
    titles = [candidate.title for candidate in offered_actions or []]
    (action,) = [
        offered_action
        for offered_action in offered_actions or []
        if isinstance(offered_action, types.CodeAction) and "Add a test" in offered_action.title
    ]
    assert action.title.endswith("to test_m.py")
    assert not [title for title in titles if title.startswith("Waive")]
    assert "kills_edge_" in str(action.edit)
    assert (pack / "p/hidden/harness/src/test_m.py").as_uri() in str(action.edit)


async def test_no_test_is_offered_for_a_survivor_that_differs_with_other_parameters(editor: Editor, pack: Path) -> None:
    report = pack / "mutants.json"
    report.write_text(report.read_text().replace('"parameters":{}', '"parameters":{"W":3}'))
    file = editor.open(pack / "p/hidden/reference/rtl/m.sv")
    file.save()
    (mark,) = await file.marked("It differs in cycle 1 with W = 3. No test is offered")
    params = types.CodeActionParams(types.TextDocumentIdentifier(file.uri), mark.range, types.CodeActionContext([mark]))
    offered_actions = await editor.client.text_document_code_action_async(params)
    assert not [candidate.title for candidate in offered_actions or [] if "Add a test" in candidate.title]


async def test_a_survivor_is_gone_once_the_reference_is_another(editor: Editor, pack: Path) -> None:
    file = editor.open(pack / "p/hidden/reference/rtl/m.sv")
    file.save()
    await file.marked("No hidden test notices")
    file.type("!", before_text="d;\n")
    file.save()
    await file.marked()
