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
from benchwright_server.cli.app import command_line
from benchwright_subjects.agents.installation import node_of, programs_of
from benchwright_subjects.agents.launch import AGENT, BRIDGE, HOME
from benchwright_subjects.agents.preset import NODE_PROGRAMS, Preset
from benchwright_subjects.bridge import ModelBridge
from benchwright_subjects.bridge.http_server import serving

from ..support.models.agent_model import FILE, Call, Tools, offered_by, output_of, writing_call
from ..support.models.eval import COUNTER, Desk, desk
from ..support.models.subjects import installed
from ..unit.baselines.subjects.bridged_sample import ask

__all__ = ("desk",)

PROBLEM = "starter/saturating-counter"
TASK = "Solve the problem of this folder with the tools of benchwright."
LONGEST_S = 240.0
SERVER = str(Path(sys.executable).with_name("benchwright"))
STEPS = ("problem", "start", "WRITES", "lint", "drivers", "run_hidden_tests", "submit")
Configure = Callable[[dict[str, str], Path, Path], dict[str, str]]


def model_that_works(folder: Path, said: list[str]) -> Model:
    """A model that uses the tools one after the other; it sees by the conversation how far it is.

    Args:
        folder: The workspace.
        said: Gets what the tools answered.
    """

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        results = [one.text for one in messages if one.role == "tool"]
        if len(results) > len(said):
            said[:] = results
        call = _step(len(results), offered_by(tools), folder)
        output = output_of(call, messages) if call else ModelOutput.from_content("mockllm/model", "Submitted.")
        output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def _step(number: int, tools: Tools, folder: Path) -> Call | None:
    if number >= len(STEPS) or not tools:
        return None
    if STEPS[number] == "WRITES":
        return writing_call(tools, str(folder / FILE), COUNTER)
    given = {"lint": {"path": FILE}, "drivers": {"signal": "sat_counter.count"}}.get(STEPS[number], {})
    # Agents put the server's name before the tool's, each in another way.
    named = [name for name in tools if re.search(rf"benchwright_+{STEPS[number]}$", name)]
    return Call(named[0], given) if named else None


def for_gemini(files: dict[str, str], folder: Path, home: Path) -> dict[str, str]:
    settings = json.loads(files[".gemini/settings.json"])
    server = {"command": SERVER, "args": ["mcp", str(folder)], "env": {"BENCHWRIGHT_HOME": str(home)}, "trust": True}
    return {".gemini/settings.json": json.dumps({**settings, "mcpServers": {"benchwright": server}})}


def for_opencode(files: dict[str, str], folder: Path, home: Path) -> dict[str, str]:
    settings = json.loads(files["opencode.json"])
    server = {"type": "local", "command": [SERVER, "mcp", str(folder)], "environment": {"BENCHWRIGHT_HOME": str(home)}}
    return {"opencode.json": json.dumps({**settings, "mcp": {"benchwright": server}})}


@contextlib.asynccontextmanager
async def at_a_port(socket: Path) -> AsyncIterator[str]:
    """The address of a port on loopback that leads to a Unix socket."""

    async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(1 << 16):
                target.write(data)
                await target.drain()
        target.close()

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, before = await asyncio.open_unix_connection(socket)
        await asyncio.gather(copy(reader, before), copy(behind, writer))

    listener = await asyncio.start_server(lead, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()


async def work(known: Preset, configure: Configure, folder: Path, place: Path, bridge: ModelBridge) -> str:
    """Runs an agent in a workspace; returns what it printed."""
    home = Home.find()
    programs, node = programs_of(known, home.cache), node_of(home.cache)
    launch = known.launch(programs, node if known.needs_node else None)
    own = place / "home"
    with tempfile.TemporaryDirectory() as short:
        socket = Path(short) / "bridge"
        async with serving(bridge, socket, None), at_a_port(socket) as address:

            def here(text: str) -> str:
                return text.replace(BRIDGE, address).replace(HOME, str(own)).replace(AGENT, str(programs))

            files = {path: here(text) for path, text in launch.files.items()}
            for path, text in configure(files, folder, place / "benchwright").items():
                (own / path).parent.mkdir(parents=True, exist_ok=True)
                (own / path).write_text(text)
            folders = [*(here(one) for one in launch.path if one.startswith(AGENT)), str(node / NODE_PROGRAMS)]
            command = here(launch.command).replace("{prompt}", shlex.quote(TASK)).replace("/code", str(folder))
            process = await asyncio.create_subprocess_exec(
                *("sh", "-c", command),
                cwd=folder,
                env=_variables(launch.variables({}), here, own, folders),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                printed, _ = await asyncio.wait_for(process.communicate(TASK.encode()), LONGEST_S)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, 9)
            return printed.decode(errors="replace")


def _variables(told: Mapping[str, str], here: Callable[[str], str], own: Path, folders: list[str]) -> dict[str, str]:
    variables = {name: here(value) for name, value in told.items()}
    return variables | {"HOME": str(own), "PATH": ":".join([*folders, "/usr/bin", "/bin"])}


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
    known = installed(name)
    place = tmp_path / name
    (place / "home").mkdir(parents=True)
    opened = CliRunner().invoke(
        command_line(), ["open", PROBLEM, "--json"], env={"BENCHWRIGHT_HOME": str(place / "benchwright")}
    )
    folder = Path(json.loads(opened.stdout)["status"]["workspace"].removeprefix("file://"))
    said: list[str] = []
    printed: list[str] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        printed.append(await work(known, configure, folder, place, bridge))

    ask(model_that_works(folder, said), asks, tmp_path / "log")
    there = Desk(Home.find({"BENCHWRIGHT_HOME": str(place / "benchwright")}), tmp_path / "out")
    (attempt,) = there.attempts()
    assert there.state(attempt.id) is AttemptState.SUBMITTED, (said, printed)
    events = [one.event for one in there.events(attempt.id)]
    tools = [one for one in events if isinstance(one, AidUsed) and one.aid == "agent_tools"]
    assert [one.feature for one in tools] == [step for step in STEPS[3:] if step != "WRITES"]
    assert len({one.detail for one in tools}) == 1
    assert tools[0].detail.strip()
    assert {one.through for one in events if isinstance(one, AidUsed)} == {"agent"}
    assert any(isinstance(one, Submitted) for one in events)
    assert [one.outcome for one in events if isinstance(one, RunFinished)] == ["passed"]
    assert there.are_whole()
