"""An agent has findings and failures explained, and each use is recorded as its own."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright_attempts.events.events import AidUsed

from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_agent_has_a_finding_and_a_failure_explained(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()

    async def use(tool: str, **arguments: Any) -> str:
        answer = await editor.ask("agentTool", uri=desk.uri, tool=tool, arguments=arguments, agent="a 1")
        return str(answer["text"])

    finding = await use("explain_finding", path="rtl/sat_counter.sv", rule="WIDTHTRUNC", source="verilator")
    assert "## Wrong" in finding
    await use("run_hidden_tests")
    assert "## Likely causes" in await use("explain_failure")
    aid_uses = [(event.aid, event.through) for event in desk.events() if isinstance(event, AidUsed)]
    assert ("explanations", "agent") in aid_uses
    assert {channel for _, channel in aid_uses} == {"agent"}
