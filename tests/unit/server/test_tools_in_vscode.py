"""The tools for language models that the extension declares are those of the server, with the same conditions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchwright_problems.aids import Aid
from benchwright_server.features.agent.agent_tools import TOOLS
from benchwright_server.features.agent.tool import AnyTool

CLIENT = Path(__file__).parents[3] / "client-vscode"
MANIFEST = json.loads((CLIENT / "package.json").read_text())
DECLARED: dict[str, Any] = {tool["name"]: tool for tool in MANIFEST["contributes"]["languageModelTools"]}


def test_each_tool_is_declared_once_in_the_same_order() -> None:
    assert list(DECLARED) == [f"benchwright_{tool.name}" for tool in TOOLS]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.name))
def test_a_tool_is_declared_as_the_server_describes_it(tool: AnyTool) -> None:
    declared = DECLARED[f"benchwright_{tool.name}"]
    assert declared["modelDescription"] == tool.description
    assert declared["inputSchema"] == tool.client_view.parameters


def test_the_editor_knows_every_aid() -> None:
    source = (CLIENT / "src" / "assistants" / "aids.ts").read_text()
    assert re.findall(r'^  "(\w+)",$', source, re.MULTILINE) == list(Aid)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.name))
def test_a_tool_is_there_only_where_its_aids_are_allowed(tool: AnyTool) -> None:
    condition = DECLARED[f"benchwright_{tool.name}"]["when"]
    aids = {aid for aid in Aid if f"benchwright.aid.{aid.value}" in condition.split(" && ")}
    assert aids == {Aid.AGENT_TOOLS} | ({tool.aid} if tool.aid is not None else set())
