"""Real agents of npm solve a problem by the tools of `benchwright mcp`; only their model is a scripted one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import httpx2
import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo
from typer.testing import CliRunner

from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.events import AidUsed, RunFinished, Submitted
from benchwright_foundation.home import Home
from benchwright_server.cli.app import app_with_commands
from benchwright_subjects.agents.installation import node_folder, programs_folder
from benchwright_subjects.agents.launch import AGENT, BRIDGE, HOME
from benchwright_subjects.agents.preset import NODE_PROGRAMS, Preset
from benchwright_subjects.bridge import ModelBridge
from benchwright_subjects.bridge.http_server import serve_bridge

from ..support.models.agent_model import FILE, Call, Tools, offered_by, output_of, writing_call
from ..support.models.eval import COUNTER, Desk, desk
from ..support.models.subjects import installed_preset
from ..unit.baselines.subjects.bridged_sample import evaluate_with_bridge

__all__ = ("desk",)

PROBLEM = "starter/saturating-counter"
TASK = "Solve the problem of this folder with the tools of benchwright."
LONGEST_S = 240.0
SERVER = str(Path(sys.executable).with_name("benchwright"))
STEPS = ("problem", "start", "WRITES", "lint", "drivers", "run_hidden_tests", "submit")
Configure = Callable[[dict[str, str], Path, Path], dict[str, str]]


def model_that_works(folder: Path, tool_outputs: list[str]) -> Model:
    """A model that uses the tools one after the other; it sees by the conversation how far it is.

    Args:
        folder: The workspace.
        tool_outputs: Gets what the tools answered.
    """

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        tool_texts = [message.text for message in messages if message.role == "tool"]
        if len(tool_texts) > len(tool_outputs):
            tool_outputs[:] = tool_texts
        scripted_call = _step(len(tool_texts), offered_by(tools), folder)
        output = (
            output_of(scripted_call, messages)
            if scripted_call
            else ModelOutput.from_content("mockllm/model", "Submitted.")
        )
        output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def _step(number: int, tools: Tools, folder: Path) -> Call | None:
    if number >= len(STEPS) or not tools:
        return None
    if STEPS[number] == "WRITES":
        return writing_call(tools, str(folder / FILE), COUNTER)
    arguments = {"lint": {"path": FILE}, "drivers": {"signal": "sat_counter.count"}}.get(STEPS[number], {})
    # Agents put the server's name before the tool's, each in another way.
    tool_names = [name for name in tools if re.search(rf"benchwright_+{STEPS[number]}$", name)]
    return Call(tool_names[0], arguments) if tool_names else None


def for_gemini(files: dict[str, str], folder: Path, home: Path) -> dict[str, str]:
    settings = json.loads(files[".gemini/settings.json"])
    server_setting = {
        "command": SERVER,
        "args": ["mcp", str(folder), "--no-ask"],
        "env": {"BENCHWRIGHT_HOME": str(home)},
        "trust": True,
    }
    return {".gemini/settings.json": json.dumps({**settings, "mcpServers": {"benchwright": server_setting}})}


def for_opencode(files: dict[str, str], folder: Path, home: Path) -> dict[str, str]:
    settings = json.loads(files["opencode.json"])
    server_setting = {
        "type": "local",
        "command": [SERVER, "mcp", str(folder), "--no-ask"],
        "environment": {"BENCHWRIGHT_HOME": str(home)},
    }
    return {"opencode.json": json.dumps({**settings, "mcp": {"benchwright": server_setting}})}


@contextlib.asynccontextmanager
async def at_a_port(socket: Path) -> AsyncIterator[str]:
    """The address of a port on loopback that leads to a Unix socket."""

    async def copy(source: asyncio.StreamReader, target_writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(1 << 16):
                target_writer.write(data)
                await target_writer.drain()
        target_writer.close()

    async def lead(downstream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream_writer = await asyncio.open_unix_connection(socket)
        await asyncio.gather(copy(downstream_reader, upstream_writer), copy(upstream_reader, writer))

    listener = await asyncio.start_server(lead, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()


async def work(preset: Preset, configure: Configure, folder: Path, agent_folder: Path, bridge: ModelBridge) -> str:
    """Runs an agent in a workspace; returns what it printed."""
    home = Home.from_environment()
    programs, node = programs_folder(preset, home.cache), node_folder(home.cache)
    launch = preset.launch(programs, node if preset.needs_node else None)
    agent_home = agent_folder / "home"
    with tempfile.TemporaryDirectory() as short:
        socket = Path(short) / "bridge"
        async with serve_bridge(bridge, socket, None), at_a_port(socket) as address:

            def fill_in(text: str) -> str:
                return text.replace(BRIDGE, address).replace(HOME, str(agent_home)).replace(AGENT, str(programs))

            files = {path: fill_in(text) for path, text in launch.files.items()}
            for path, text in configure(files, folder, agent_folder / "benchwright").items():
                (agent_home / path).parent.mkdir(parents=True, exist_ok=True)
                (agent_home / path).write_text(text)
            folders = [
                *(fill_in(program_path) for program_path in launch.path if program_path.startswith(AGENT)),
                str(node / NODE_PROGRAMS),
            ]
            command = fill_in(launch.command).replace("{prompt}", shlex.quote(TASK)).replace("/code", str(folder))
            process = await asyncio.create_subprocess_exec(
                *("sh", "-c", command),
                cwd=folder,
                env=_variables(launch.full_environment({}), fill_in, agent_home, folders),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                stdout, _ = await asyncio.wait_for(process.communicate(TASK.encode()), LONGEST_S)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, 9)
            return stdout.decode(errors="replace")


def _variables(
    templates: Mapping[str, str], fill_in: Callable[[str], str], agent_home: Path, folders: list[str]
) -> dict[str, str]:
    variables = {name: fill_in(value) for name, value in templates.items()}
    return variables | {"HOME": str(agent_home), "PATH": ":".join([*folders, "/usr/bin", "/bin"])}


@pytest.mark.parametrize(
    ("name", "configure"),
    [
        ("gemini", for_gemini),
        pytest.param("opencode", for_opencode, marks=pytest.mark.nightly),
    ],
)
def test_an_agent_solves_a_problem_by_mcp_and_all_of_it_is_recorded_as_its_own(
    desk: Desk, tmp_path: Path, name: str, configure: Configure
) -> None:
    preset = installed_preset(name)
    agent_folder = tmp_path / name
    (agent_folder / "home").mkdir(parents=True)
    open_command = CliRunner().invoke(
        app_with_commands(), ["open", PROBLEM, "--json"], env={"BENCHWRIGHT_HOME": str(agent_folder / "benchwright")}
    )
    folder = Path(json.loads(open_command.stdout)["status"]["workspace"].removeprefix("file://"))
    tool_outputs: list[str] = []
    agent_outputs: list[str] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        agent_outputs.append(await work(preset, configure, folder, agent_folder, bridge))

    evaluate_with_bridge(model_that_works(folder, tool_outputs), asks, tmp_path / "log")
    agent_desk = Desk(Home.from_environment({"BENCHWRIGHT_HOME": str(agent_folder / "benchwright")}), tmp_path / "out")
    (attempt,) = agent_desk.attempts()
    assert agent_desk.state(attempt.id) is AttemptState.SUBMITTED, (tool_outputs, agent_outputs)
    events = [recorded.event for recorded in agent_desk.events(attempt.id)]
    tools = [event for event in events if isinstance(event, AidUsed) and event.aid == "agent_tools"]
    assert [use.feature for use in tools] == [step for step in STEPS[3:] if step != "WRITES"]
    assert len({use.detail for use in tools}) == 1
    assert tools[0].detail.strip()
    assert {event.through for event in events if isinstance(event, AidUsed)} == {"agent"}
    assert any(isinstance(event, Submitted) for event in events)
    assert [event.outcome for event in events if isinstance(event, RunFinished)] == ["passed"]
    assert agent_desk.are_whole()
