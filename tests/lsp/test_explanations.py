"""Explanations of findings and of failing designs, as an editor asks for them; refused and absent where forbidden."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types

from ..support.editor.explanations import FORBIDDING
from ..support.studies.study import begin, foresee, open_task
from .conftest import Editors
from .cursor import scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

LATCH = "module latch(input logic en, d, output logic q);\n  always_comb if (en) q‸ = d;\nendmodule\n"


def showing() -> types.ClientCapabilities:
    """A client that shows explanations itself."""
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    capabilities.experimental = {"commands": {"commands": ["benchwright.explainFinding"]}}
    return capabilities


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    options = {"project": {"warnings": ["everything"]}}
    folder = tmp_path_factory.mktemp("explained") / "home"
    started_editor = await Editor.start(folder, capabilities=showing(), options=options)
    yield started_editor
    await started_editor.quit()


async def explaining(editor: Editor, uri: str, line: int, character: int) -> list[Any]:
    """The code actions at a place that explain something."""
    empty_range = types.Range(types.Position(line, character), types.Position(line, character))
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), empty_range, types.CodeActionContext([]))
    answer = await editor.send("textDocument/codeAction", params)
    return [action for action in answer or () if action.title.startswith("Explain")]


async def test_a_finding_offers_its_explanation_by_command(editor: Editor) -> None:
    async with scratch(editor.forget(), LATCH) as file:
        (action,) = await explaining(editor, file.uri, 1, 23)
        assert action.title == "Explain inferred-latch"
        params = {"uri": file.uri, "code": "inferred-latch", "source": "slang"}
        # pytest-lsp takes an action that is only a command for a command.
        assert all(part in str(action.command) for part in ("benchwright.explainFinding", *params.values()))
        explanation = await editor.command("explainFinding", **params)
        assert (explanation["code"], explanation["source"]) == ("inferred-latch", "slang")
        assert explanation["page"] == "https://sv-lang.com/warning-ref.html#inferred-latch"
        assert explanation["wrong"] in explanation["markdown"]
        assert "endmodule" in explanation["right"]


async def test_a_client_that_can_not_show_it_is_not_offered_it(shared_editor: Editor) -> None:
    text = "module a(output logic [3:0] y);\n  assign y = 4'd2‸0;\nendmodule\n"
    async with scratch(shared_editor.forget(), text) as file:
        assert await explaining(shared_editor, file.uri, 1, 16) == []


async def test_what_is_not_explained_names_the_page_of_the_tool(editor: Editor) -> None:
    async with scratch(editor.forget(), LATCH) as file:
        refusal = await editor.refusal("explainFinding", uri=file.uri, code="no-such-rule", source="slang")
        assert "https://sv-lang.com/warning-ref.html#no-such-rule" in refusal[1]
        assert (
            "no explanation of LATCH"
            in (await editor.refusal("explainFinding", uri=file.uri, code="LATCH", source="../verilator"))[1]
        )


async def test_each_use_in_an_attempt_is_an_event(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    params = {"uri": file.uri, "code": "LATCH", "source": "verilator"}
    assert "Press Start first" in (await editor.refusal("explainFinding", **params))[1]
    await desk.start()
    await editor.ask("explainFinding", **params)
    (aid_use,) = desk.events_of_kind("aid_used")
    assert (aid_use.aid, aid_use.feature, aid_use.detail) == ("explanations", "finding", "verilator LATCH")
    assert aid_use.path == Path(file.path).relative_to(desk.folder).as_posix()


async def test_a_condition_that_forbids_explanations_refuses_them_and_offers_none(editors: Editors, home: Path) -> None:
    await begin(home, FORBIDDING)
    editor = await editors(capabilities=showing())
    await editor.ask("giveConsent", study="bare", version="2")
    await foresee(editor, "bare")
    desk = await open_task(editor, "bare")
    await desk.start()
    file = desk.open(text="module saturating_counter(output logic [3:0] y);\n  assign y = 4'd20;\nendmodule\n")
    await file.marked("vector literal")
    assert await explaining(editor, file.uri, 1, 16) == []
    refusal = await editor.refusal("explainFinding", uri=file.uri, code="LATCH", source="verilator")
    assert "does not allow" in refusal[1]
    assert desk.events_of_kind("aid_used") == []
