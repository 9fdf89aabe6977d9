"""What `benchwright mcp` offers beside tools' texts: schemas, resources, prompts, questions to a person, HTTP."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
import pytest_asyncio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, Implementation, ResourceTemplateReference, TextContent, TextResourceContents

from benchwright_attempts.state import AttemptState
from benchwright_problems.storage.pack_folder import read_built_in

from ..support.studies.study import begin, benchwright, task_at_work
from .conftest import Editors
from .session import PATIENCE_S, SERVER, Desk, Editor, reference
from .test_agent_tools import STUDY, TESTBENCH

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBLEM = "saturating-counter"
FILE = "rtl/sat_counter.sv"
NAME = Implementation(name="some-agent", version="1.2")
NEWEST, OLDER = "2026-07-28", "2025-11-25"


class Person:
    """Who answers what an agent's program asks."""

    def __init__(self, answer: str = "accept") -> None:
        self.answer = answer
        self.questions: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.questions.append(params.message)
        return ElicitResult(action=self.answer, content={"agree": True} if self.answer == "accept" else None)


def environment(home: Path) -> dict[str, str]:
    return {"BENCHWRIGHT_HOME": str(home), "PATH": "/usr/bin:/bin"}


@asynccontextmanager
async def agent(home: Path, folder: Path, mode: str = NEWEST, **options: Any) -> AsyncIterator[Client]:
    server_parameters = StdioServerParameters(command=SERVER[0], args=["mcp", str(folder)], env=environment(home))
    async with Client(
        stdio_client(server_parameters), mode=mode, client_info=NAME, read_timeout_seconds=PATIENCE_S, **options
    ) as client:
        yield client


async def used(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    tool_result = await client.call_tool(tool, arguments)
    (content,) = tool_result.content
    assert isinstance(content, TextContent)
    assert not tool_result.is_error, content.text
    structured: dict[str, Any] = tool_result.structured_content
    return structured


async def text_of(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


@pytest_asyncio.fixture(loop_scope="module")
async def editor(shared_editor: Editor) -> Editor:
    """One editor for all tests that can do with it."""
    return shared_editor.forget()


async def desk_at_work(editor: Editor) -> Desk:
    desk = await editor.open_problem(f"starter/{PROBLEM}")
    await desk.start()
    return desk


async def test_every_answer_is_what_the_schema_of_its_tool_says(editor: Editor) -> None:
    desk = await desk_at_work(editor)
    (desk.folder / FILE).write_text(reference(PROBLEM))
    (desk.folder / "tests").mkdir()
    (desk.folder / "tests" / "tb_counter.sv").write_text(TESTBENCH)
    async with agent(editor.home, desk.folder) as client:
        assert client.protocol_version == NEWEST
        mcp_tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        ran = await used(client, "run_own_tests", waves=True)
        waves = ran["runs"][0]["waves"]
        signal = {"waves": waves, "signal": "tb_counter.clk"}
        arguments_by_tool: dict[str, dict[str, Any]] = {
            "lint": {"path": FILE},
            "read_file": {"path": FILE},
            "drivers": {"signal": "sat_counter.count"},
            "loads": {"signal": "sat_counter.up"},
            "take_hint": {"number": 1},
            "explain_finding": {"path": FILE, "rule": "unused-net"},
            "wave_signals": {"waves": waves},
            "wave_values": {"waves": waves, "signals": ["tb_counter.clk"], "time": 0},
            "wave_change": signal,
            "wave_values_when": signal | {"read": ["tb_counter.rst"]},
            "wave_window": {"waves": waves, "signals": ["tb_counter.clk", "nowhere"], "end": 100_000},
        }
        order = [name for name in mcp_tools if name not in ("run_own_tests", "submit", "explain_failure")] + ["submit"]
        for name in order:
            tool_result = await client.call_tool(name, arguments_by_tool.get(name, {}))
            (content,) = tool_result.content
            assert isinstance(content, TextContent)
            if tool_result.is_error:
                assert name in ("take_hint", "start", "explain_finding"), content.text
                continue
            schema = mcp_tools[name].output_schema
            assert schema is not None
            jsonschema.validate(tool_result.structured_content, schema)
        assert len(mcp_tools) == 22
        assert all(tool.output_schema is not None for tool in mcp_tools.values())


async def test_resources_are_the_statement_files_findings_and_windows_of_waveforms(editor: Editor) -> None:
    desk = await desk_at_work(editor)
    (desk.folder / FILE).write_text("module sat_counter; wire a = b; endmodule\n")
    (desk.folder / "tests").mkdir()
    (desk.folder / "tests" / "tb_counter.sv").write_text(TESTBENCH)
    async with agent(editor.home, desk.folder) as client:
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        assert uris[0] == "benchwright://statement"
        assert f"benchwright://file/{FILE}" in uris
        assert "saturating" in (await text_of(client, uris[0])).lower()
        assert await text_of(client, f"benchwright://file/{FILE}") == (desk.folder / FILE).read_text()
        findings = json.loads(await text_of(client, f"benchwright://findings/{FILE}"))
        assert findings[0]["source"] == "slang"
        ran = await used(client, "run_own_tests", waves=True)
        window = f"benchwright://waveform/{ran['runs'][0]['waves']}?signals=tb_counter.clk&end=20000"
        (trace,) = json.loads(await text_of(client, window))["traces"]
        assert trace["values"][:2] == ["h0", "h1"]
        templates = [template.name for template in (await client.list_resource_templates()).resource_templates]
        assert templates == ["file", "findings", "waveform"]
        for uri in ("benchwright://file/../../../etc/passwd", "benchwright://file//etc/passwd", "benchwright://hidden"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        file_reference = ResourceTemplateReference(uri="benchwright://file/{+path}")
        completed = await client.complete(file_reference, {"name": "path", "value": "rtl/"})
        assert completed.completion.values == [FILE]
    # Each read is a use of the tool that reads it.
    features = [event.feature for event in desk.events_of_kind("aid_used")]
    assert {"files", "read_file", "lint", "wave_window"} <= set(features)


async def test_prompts_hold_what_their_tools_show_and_nothing_hidden(editor: Editor) -> None:
    # Its policy names tests that fail, and no more.
    problem = next(problem for problem in read_built_in("starter").problems if problem.id == "sync-fifo")
    (file,) = problem.public.expected
    desk = await editor.open_problem("starter/sync-fifo")
    await desk.start()
    public = "\n".join(path.read_text() for path in desk.folder.rglob("*") if path.suffix in (".md", ".sv"))
    async with agent(editor.home, desk.folder) as client:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert names == ["solve", "find_failure", "review_file"]
        with pytest.raises(MCPError, match="no prompt 'key'"):
            await client.get_prompt("key")
        assert (await used(client, "run_hidden_tests"))["verdict"]["outcome"] == "failed"
        texts = []
        for prompt, arguments in (("solve", None), ("find_failure", None), ("review_file", {"path": file})):
            content = (await client.get_prompt(prompt, arguments)).messages[0].content
            assert isinstance(content, TextContent)
            texts.append(content.text)
        assert "fifo" in texts[0].lower() and "module sync_fifo" in texts[2]
        texts += [await text_of(client, str(resource.uri)) for resource in (await client.list_resources()).resources]
    shown = "\n".join(texts)
    hidden_texts = (*problem.hidden.harness.values(), *problem.hidden.reference.values())
    lines = {line.strip() for text in hidden_texts for line in text.splitlines() if len(line.strip()) > 40}
    assert lines and not [line for line in lines if line in shown and line not in public]


@pytest.mark.parametrize("mode", [NEWEST, pytest.param("legacy", marks=pytest.mark.nightly)])
async def test_a_person_is_asked_before_the_clock_starts_and_the_work_is_submitted(home: Path, mode: str) -> None:
    opened = json.loads((await benchwright(home, "open", f"starter/{PROBLEM}", "--fresh", "--json")).stdout)
    folder = Path(opened["status"]["workspace"].removeprefix("file://"))
    person, reports = Person(), []

    async def note(*progress_fields: Any, **_: Any) -> None:
        reports.append(progress_fields[-1])

    async with agent(home, folder, mode, elicitation_callback=person) as client:
        assert client.protocol_version == (NEWEST if mode == NEWEST else OLDER)
        person.answer = "decline"
        refused = await client.call_tool("start", {})
        assert refused.is_error and (await used(client, "status"))["state"] == "open"
        person.answer = "accept"
        assert (await used(client, "start"))["state"] == "running"
        assert len(person.questions) == 2 and "recorded at the level 'full'" in person.questions[0]
        (folder / FILE).write_text(reference(PROBLEM))
        ran = await client.call_tool("run_hidden_tests", {}, progress_callback=note)
        assert not ran.is_error and reports and str(reports[0]).startswith("The hidden tests run")
        person.answer = "cancel"
        assert (await client.call_tool("submit", {})).is_error
        assert (await used(client, "status"))["state"] == "running"
        person.answer = "accept"
        assert (await used(client, "submit"))["state"] == "submitted"
        assert "ends the attempt for good" in person.questions[-1]


async def test_what_a_study_forbids_reaches_no_resource_prompt_or_completion(editors: Editors, home: Path) -> None:
    await begin(home, STUDY)
    desk, _ = await task_at_work(await editors())
    person = Person()
    async with agent(home, desk.folder, elicitation_callback=person) as client:
        refusal = "does not allow Benchwright's tools for agents"
        file_reference = ResourceTemplateReference(uri="benchwright://file/{+path}")
        for question in (
            lambda: client.list_tools(),
            lambda: client.list_resources(),
            lambda: client.list_resource_templates(),
            lambda: client.read_resource("benchwright://statement"),
            lambda: client.read_resource(f"benchwright://file/{FILE}"),
            lambda: client.list_prompts(),
            lambda: client.get_prompt("solve"),
            lambda: client.get_prompt("review_file", {"path": FILE}),
            lambda: client.complete(file_reference, {"name": "path", "value": ""}),
        ):
            with pytest.raises(MCPError, match=refusal):
                await question()
        assert (await client.call_tool("submit", {})).is_error
    # Nobody is asked to agree to what is forbidden.
    assert person.questions == []
    assert desk.events_of_kind("aid_used") == []


@pytest.mark.nightly
async def test_a_study_that_allows_agents_alone_has_no_prompt_or_resource_of_another_aid(
    editors: Editors, home: Path
) -> None:
    await begin(
        home, STUDY.replace("solver: human}", "solver: human+copilot, assistants: [agent], aids: [agent_tools]}")
    )
    desk, _ = await task_at_work(await editors())
    async with agent(home, desk.folder) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["solve", "review_file"]
        templates = [template.name for template in (await client.list_resource_templates()).resource_templates]
        assert templates == ["file", "findings"]
        with pytest.raises(MCPError, match="does not allow"):
            await client.read_resource("benchwright://waveform/w.fst?signals=a&end=9")
        with pytest.raises(MCPError, match="does not allow"):
            await client.get_prompt("find_failure")


@asynccontextmanager
async def served_by_http(home: Path, folder: Path) -> AsyncIterator[dict[str, str]]:
    process = await asyncio.create_subprocess_exec(
        *(SERVER[0], "mcp", str(folder), "--http", "0"),
        env=environment(home) | {"LANG": os.environ.get("LANG", "C.UTF-8")},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        yield json.loads(await asyncio.wait_for(process.stdout.readline(), PATIENCE_S))
    finally:
        process.terminate()
        await process.wait()


async def test_by_http_only_who_has_the_token_and_the_right_names_is_answered(editor: Editor) -> None:
    desk = await desk_at_work(editor)
    async with served_by_http(editor.home, desk.folder) as served:
        url, authorization = served["url"], {"Authorization": f"Bearer {served['token']}"}
        assert url.startswith("http://127.0.0.1:") and len(served["token"]) >= 40
        async with (
            httpx2.AsyncClient(headers=authorization, timeout=PATIENCE_S) as http,
            Client(streamable_http_client(url, http_client=http), mode=NEWEST, client_info=NAME) as client,
        ):
            assert (await used(client, "status"))["state"] == "running"
            assert "saturating" in (await text_of(client, "benchwright://statement")).lower()
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accepts = {"Accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient(timeout=PATIENCE_S, headers=accepts) as http:
            for headers, status in (
                ({}, 401),
                ({"Authorization": "Bearer wrong"}, 401),
                ({"Authorization": served["token"]}, 401),
                (authorization | {"Host": "evil.example"}, 421),
                (authorization | {"Origin": "http://evil.example"}, 403),
                (authorization | {"Origin": "null"}, 403),
            ):
                assert (await http.post(url, json=body, headers=headers)).status_code == status, headers
    assert (await desk.ask("status")).state is AttemptState.RUNNING
