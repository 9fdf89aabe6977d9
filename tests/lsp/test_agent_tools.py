"""An agent works on an attempt by `benchwright mcp`, with the official client: beside an editor, and alone."""

from __future__ import annotations

import asyncio
import csv
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, TextContent

from benchwright_attempts import log_file
from benchwright_attempts.actor import Actor
from benchwright_attempts.attribution.actors import AttemptActors, attempt_actors
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.events import AidUsed
from benchwright_attempts.state import AttemptState
from benchwright_attempts.terms import Solver
from benchwright_foundation.home import Home
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_server.agent.attempt_socket import private_socket_path
from benchwright_studies import open_log

from ..support.studies.study import ask, begin, benchwright, task_at_work
from .conftest import Editors
from .session import PATIENCE_S, SERVER, Desk, Editor, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBLEM = "saturating-counter"
FILE = "rtl/sat_counter.sv"
NAME = Implementation(name="some-agent", version="1.2")


class Agent:
    """An agent's side."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def use(self, tool: str, **arguments: Any) -> str:
        tool_result = await self.session.call_tool(tool, arguments)
        (result_content,) = tool_result.content
        assert isinstance(result_content, TextContent)
        return f"refused: {result_content.text}" if tool_result.is_error else result_content.text


@asynccontextmanager
async def agent(home: Path, folder: Path) -> AsyncIterator[Agent]:
    """An agent in a folder."""
    environment = {"BENCHWRIGHT_HOME": str(home), "PATH": "/usr/bin:/bin"}
    server_parameters = StdioServerParameters(command=SERVER[0], args=["mcp", str(folder)], env=environment)
    async with (
        stdio_client(server_parameters) as (reader, writer),
        ClientSession(reader, writer, read_timeout_seconds=PATIENCE_S, client_info=NAME) as session,
    ):
        await session.initialize()
        yield Agent(session)


async def desk_at_work(editor: Editor) -> Desk:
    desk = await editor.open_problem(f"starter/{PROBLEM}")
    await desk.start()
    return desk


async def test_beside_an_editor_its_server_answers_and_records(editor: Editor, home: Path) -> None:
    desk = await desk_at_work(editor)
    async with agent(home, desk.folder) as mcp_agent:
        assert "saturating" in (await mcp_agent.use("problem")).lower()
        (desk.folder / FILE).write_text(reference(PROBLEM))
        status = json.loads(await mcp_agent.use("run_hidden_tests"))
        assert status["verdict"]["outcome"] == "passed"
        assert (await desk.ask("status")).runs == 1
    assert (await desk.ask("status")).state is AttemptState.RUNNING
    aid_uses = [event for event in desk.events() if isinstance(event, AidUsed)]
    assert [(aid_use.feature, aid_use.detail, aid_use.through) for aid_use in aid_uses] == [
        ("run_hidden_tests", "some-agent 1.2", "agent")
    ]
    assert desk.verify_log().ok
    # The person started the clock in the editor; the agent wrote on the disk and asked for the run.
    actors = recorded_actors(home)
    assert actors.condition is Solver.HUMAN_AGENT
    assert actors.agents == ("some-agent 1.2",)
    assert {(share.actor, share.method) for share in actors.shares if share.inserted} == {
        (Actor.AGENT, AttributionMethod.WHILE_CONNECTED)
    }
    connections = [(event.connected, event.agent) for event in desk.events_of_kind("agent_connection")]
    assert connections == [(True, "some-agent 1.2"), (False, "some-agent 1.2")]
    (own,) = (await editor.ask("numbers"))["attempts"]
    assert (own["condition"], own["workedAs"]) == ("human+agent", "human+agent")
    divided = own["withAgents"]
    assert divided["workingMin"] + divided["supervisingMin"] > 0
    assert divided["awayMin"] == 0


def recorded_actors(home: Path) -> AttemptActors:
    """The actors of the newest attempt."""
    with open_log(log_file(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}))) as log:
        return attempt_actors(log.events(log.headers()[0].id))


async def test_what_only_an_agent_did_is_the_agents_and_what_a_person_did_the_persons(
    editor: Editor, home: Path
) -> None:
    desk = await editor.open_problem(f"starter/{PROBLEM}")
    async with agent(home, desk.folder) as mcp_agent:
        await mcp_agent.use("start")
        (desk.folder / FILE).write_text(reference(PROBLEM))
        assert '"outcome": "passed"' in await mcp_agent.use("submit")
    assert recorded_actors(home).condition is Solver.AGENT
    own = await desk_at_work(editor)
    file = own.open(FILE)
    file.paste(reference(PROBLEM))
    file.save()
    await own.submit()
    assert recorded_actors(home).condition is Solver.HUMAN


async def test_what_another_program_writes_while_no_agent_is_connected_is_nobodys(editor: Editor, home: Path) -> None:
    desk = await desk_at_work(editor)
    desk.open(FILE)
    async with agent(home, desk.folder) as mcp_agent:
        await mcp_agent.tools()
    # Under an open editor that does not look.
    (desk.folder / FILE).write_text(reference(PROBLEM))
    verdict = (await desk.submit()).status.verdict
    assert verdict is not None
    assert verdict.outcome == "passed"
    assert recorded_actors(home).condition is None
    assert desk.verify_log().ok


async def test_alone_an_agent_starts_finds_runs_and_submits(home: Path) -> None:
    opened = json.loads((await benchwright(home, "open", f"starter/{PROBLEM}", "--json")).stdout)
    folder = Path(opened["status"]["workspace"].removeprefix("file://"))
    async with agent(home, folder) as mcp_agent:
        assert (await mcp_agent.use("files")).startswith("refused: The clock does not run yet")
        assert json.loads(await mcp_agent.use("start"))["state"] == "running"
        assert FILE in [file["path"] for file in json.loads(await mcp_agent.use("files"))]
        (folder / FILE).write_text("module sat_counter; wire a = b; endmodule\n")
        error, *others = json.loads(await mcp_agent.use("lint", path=FILE))
        assert (error["line"], error["level"], error["source"]) == (1, "error", "slang")
        assert all(finding["source"] != "slang" for finding in others)
        (folder / FILE).write_text(reference(PROBLEM))
        assert await mcp_agent.use("read_file", path=FILE) == reference(PROBLEM)
        (top,) = json.loads(await mcp_agent.use("hierarchy"))
        assert top["module"] == "sat_counter"
        assert json.loads(await mcp_agent.use("submit"))["state"] == "submitted"
    actors = recorded_actors(home)
    assert actors.condition is Solver.AGENT
    assert {share.actor for share in actors.shares} == {Actor.AGENT}
    with open_log(log_file(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}))) as log:
        attempt = log.headers()[0].id
    shown = json.loads((await benchwright(home, "attempts", "show", attempt, "--json")).stdout)
    assert (shown["condition"], shown["made_by"]) == ("human", "agent")
    # In the report it is in the agents' row.
    reported = await benchwright(home, "report", "--out", str(home / "report"))
    assert reported.returncode == 0, reported.stderr
    row = next(csv.DictReader((home / "report" / "attempts.csv").open(newline="")))
    assert (row["solver"], row["condition"], row["participant"]) == ("agent", "agent", "some-agent 1.2")
    report = json.loads((home / "report" / "report.json").read_text())
    assert report["groups"] == ["agent: some-agent 1.2"]
    made = report["sections"]["actors"]["numbers"]
    assert made["attempts"] == [{"assigned": "", "made_by": "agent", "attempts": 1}]


async def test_the_clock_is_paused_when_an_agent_that_works_alone_goes_away(home: Path) -> None:
    opened = json.loads((await benchwright(home, "open", f"starter/{PROBLEM}", "--json")).stdout)
    async with agent(home, Path(opened["status"]["workspace"].removeprefix("file://"))) as mcp_agent:
        await mcp_agent.use("start")
    with open_log(log_file(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}))) as log:
        (header,) = log.headers()
        assert log.events(header.id)[-1].event.type == "paused"


TESTBENCH = """
module tb_counter;
  logic clk = 0, rst = 1;
  initial begin
    #5 clk = 1;
    #5 $display("counted");
    $finish;
  end
endmodule
"""


async def test_aids_are_used_through_an_agent_and_each_is_recorded_as_its_own(editor: Editor, home: Path) -> None:
    desk = await desk_at_work(editor)
    (desk.folder / FILE).write_text(reference(PROBLEM))
    (desk.folder / "tests").mkdir()
    (desk.folder / "tests" / "tb_counter.sv").write_text(TESTBENCH)
    async with agent(home, desk.folder) as mcp_agent:
        drivers = json.loads(await mcp_agent.use("drivers", signal="sat_counter.count"))
        assert {flow["file"] for flow in drivers["drivers"]} == {FILE}
        loads = json.loads(await mcp_agent.use("loads", signal="sat_counter.up"))
        assert loads["port_of_top"] == "in"
        assert [test["id"] for test in json.loads(await mcp_agent.use("own_tests"))] == [OWN_TEST]
        ran = json.loads(await mcp_agent.use("run_own_tests", ids=[OWN_TEST], waves=True))
        assert ran["passed"]
        assert (desk.folder / ran["runs"][0]["waves"]).is_file()
        assert json.loads(await mcp_agent.use("hints"))["taken"] == []
    aid_uses = [(event.aid, event.feature, event.through) for event in desk.events() if isinstance(event, AidUsed)]
    tools = ["drivers", "loads", "own_tests", "run_own_tests", "hints"]
    assert [feature for aid, feature, _ in aid_uses if aid == "agent_tools"] == tools
    aids = [("design_views", "drivers"), ("design_views", "loads"), ("own_tests", "test_run")]
    assert [(aid, feature) for aid, feature, _ in aid_uses if aid != "agent_tools"] == aids
    assert {channel for _, _, channel in aid_uses} == {"agent"}


OWN_TEST = "tests/tb_counter.sv::tb_counter"


async def test_a_hint_that_an_agent_takes_is_the_next_and_costs_what_it_costs(editor: Editor, home: Path) -> None:
    desk = await editor.open_problem("starter/cache-tag-bits")
    await desk.start()
    first_hint, second_hint = next(
        problem for problem in read_built_in("starter").problems if problem.id == "cache-tag-bits"
    ).hidden.hints
    async with agent(home, desk.folder) as mcp_agent:
        hints_before = await mcp_agent.use("hints")
        assert json.loads(hints_before)["next"] == {"number": 1, "costs": "nothing", "waits_for": None}
        hints_after = json.loads(await mcp_agent.use("take_hint", number=1))
        assert hints_after["taken"] == [{"number": 1, "text": first_hint}]
        assert (await mcp_agent.use("take_hint", number=3)).startswith("refused: Hint 2 comes next")
        assert second_hint not in hints_before + json.dumps(hints_after)
    assert (
        "does not allow hints and explanations by a model"
        in (await editor.refusal("chatPrompt", **QUESTION, uri=desk.uri))[1]
    )
    aid_uses = [event for event in desk.events() if isinstance(event, AidUsed) and event.aid == "hints"]
    assert [(aid_use.detail, aid_use.cost, aid_use.through) for aid_use in aid_uses] == [("1", 0.0, "agent")]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("read_file", {"path": "../../../../etc/passwd"}, "has no file"),
        ("read_file", {"path": "/etc/passwd"}, "has no file"),
        ("read_file", {}, "path: Field required"),
        ("hierarchy", {"path": "nowhere"}, "no instance nowhere"),
        ("unseal", {}, "no tool"),
    ],
)
async def test_what_is_not_there_or_not_asked_well_is_refused(
    shared_editor: Editor, tool: str, arguments: dict[str, Any], message: str
) -> None:
    desk = await shared_editor.open_problem(f"starter/{PROBLEM}")
    if (await desk.ask("status")).state is AttemptState.OPEN:
        await desk.start()
    with pytest.raises(Exception, match=message):
        await shared_editor.ask("agentTool", uri=desk.uri, tool=tool, arguments=arguments)


async def test_a_study_that_does_not_name_agents_refuses_tools_and_chat_and_names_itself(
    editors: Editors, home: Path
) -> None:
    await begin(home, STUDY)
    editor = await editors()
    desk, _ = await task_at_work(editor)
    async with agent(home, desk.folder) as mcp_agent:
        refusal = "The condition alone of the study small does not allow Benchwright's tools for agents."
        with pytest.raises(MCPError, match=refusal):
            await mcp_agent.tools()
        for tool in ("problem", "status", "start", "read_file", "run_hidden_tests", "submit"):
            answer = await mcp_agent.use(tool, path=FILE) if tool == "read_file" else await mcp_agent.use(tool)
            assert answer == f"refused: {refusal}"
    assert refusal in (await editor.refusal("chatPrompt", uri=desk.uri, **QUESTION))[1]
    assert (await ask(editor, "status", uri=desk.uri)).runs == 0
    assert desk.events_of_kind("aid_used") == []


QUESTION = {"question": "Why?", "model": "vendor/model"}
CHATS = "solver: human+copilot, assistants: [benchwright], aids: [agent_tools, generated]}"


async def test_a_question_in_the_chat_is_recorded_and_its_prompt_holds_the_public_part(
    editors: Editors, home: Path
) -> None:
    await begin(home, STUDY.replace("solver: human}", CHATS))
    editor = await editors()
    desk, _ = await task_at_work(editor)
    (desk.folder / FILE).write_text("// my own line\n")
    prompt = (await editor.ask("chatPrompt", uri=desk.uri, **QUESTION))["text"]
    for public in ("my own line", "Saturating", "Why?"):
        assert public in prompt
    aid_uses = [
        (event.aid, event.feature, event.detail, event.through) for event in desk.events() if isinstance(event, AidUsed)
    ]
    assert aid_uses == [("generated", "chat", "vendor/model", "editor")]


ONLY_AGENTS = ("hints", "take_hint", "own_tests", "run_own_tests", "drivers", "loads")


async def test_a_study_that_names_agents_alone_has_no_tool_of_another_aid(editors: Editors, home: Path) -> None:
    await begin(
        home, STUDY.replace("solver: human}", "solver: human+copilot, assistants: [agent], aids: [agent_tools]}")
    )
    editor = await editors()
    desk, _ = await task_at_work(editor)
    async with agent(home, desk.folder) as mcp_agent:
        offered_tools = await mcp_agent.tools()
        assert "read_file" in offered_tools
        assert not set(offered_tools) & set(ONLY_AGENTS)
        for tool in ONLY_AGENTS:
            refusal = await mcp_agent.use(
                tool, **({"signal": "sat_counter.count"} if tool in ("drivers", "loads") else {})
            )
            assert refusal.startswith("refused: The condition alone of the study small does not allow "), tool
    assert desk.events_of_kind("aid_used") == []


async def test_a_condition_of_a_person_with_agents_lets_them_work_and_fits_what_they_did(
    editors: Editors, home: Path, tmp_path: Path
) -> None:
    await begin(home, STUDY.replace("solver: human}", "solver: human+agent}"))
    editor = await editors()
    desk, _ = await task_at_work(editor)
    async with agent(home, desk.folder) as mcp_agent:
        offered_tools = await mcp_agent.tools()
        assert {"read_file", "run_hidden_tests", "submit"} <= set(offered_tools)
        assert "take_hint" not in offered_tools
        (desk.folder / FILE).write_text(reference(PROBLEM))
        assert '"outcome": "passed"' in await mcp_agent.use("submit")
    reported = await benchwright(home, "report", "--study", "small", "--out", str(tmp_path / "report"))
    assert reported.returncode == 0, reported.stderr
    (row,) = csv.DictReader((tmp_path / "report" / "attempts.csv").open(newline=""))
    assert (row["condition"], row["assigned_solver"], row["solver"]) == ("alone", "human+agent", "human+agent")
    assert row["excluded_by"] == ""
    events = list(csv.DictReader((tmp_path / "report" / "events.csv").open(newline="")))
    actors = {(event["type"], event["actor"], event["actor_known_by"]) for event in events if event["actor"]}
    assert actors == {
        ("started", "person", "connection"),
        ("aid_used", "agent", "connection"),
        ("text", "agent", "while_connected"),
        ("run_started", "agent", "connection"),
        ("submitted", "agent", "connection"),
    }


STUDY = """
study: small
title: A small study
problems: [starter/saturating-counter]
conditions:
  - {name: alone, solver: human}
participants: [ada]
randomisation: {seed: 4, order: random}
consent: {version: "2", text: "You agree that everything you type here is recorded."}
"""


async def test_garbage_at_the_socket_of_an_editor_disturbs_nobody(editor: Editor) -> None:
    desk = await desk_at_work(editor)
    address = private_socket_path(desk.attempt)
    assert address.parent.stat().st_mode & 0o077 == 0
    for line in (
        b"\n",
        b"[]\n",
        b'{"operation": "open", "params": {}}\n',
        b"\xff" * 1000 + b"\n",
        b"[" * 100_000 + b"\n",
    ):
        socket_reader, writer = await asyncio.open_unix_connection(address)
        writer.write(line + b"\n")
        assert "error" in json.loads(await asyncio.wait_for(socket_reader.readline(), PATIENCE_S))
        writer.close()
    with socket.socket(socket.AF_UNIX) as rude:
        rude.connect(str(address))
        rude.sendall(b'{"operation":')
    assert (await desk.ask("status")).state is AttemptState.RUNNING
    await editor.quit()
    assert not address.exists()
