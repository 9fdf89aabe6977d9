"""What an agent can ask of an attempt: its problem, its files, findings, hierarchy, the hidden tests."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import Field, ValidationError
from pygls.exceptions import JsonRpcInvalidParams

from benchwright_attempts.aid_used import AidUsed
from benchwright_attempts.clock import AttemptState
from benchwright_attempts.grading import judged_paths
from benchwright_problems.aids import Aid
from benchwright_server.agent_protocol import (
    AgentToolList,
    AgentToolParams,
    AgentToolResult,
    AgentToolsParams,
    AgentToolView,
)
from benchwright_server.design_protocol import HierarchyParams
from benchwright_server.errors import ServerError
from benchwright_server.features.agent_channel import AgentChannel
from benchwright_server.features.diagnostics import of_slang
from benchwright_server.features.instances import hierarchy
from benchwright_server.features.project_of import project_of
from benchwright_server.features.requests import answer, first_flaw, register_operation
from benchwright_server.operation import Operation
from benchwright_server.protocol import Wire
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.uri import path_of

if TYPE_CHECKING:
    from benchwright_server.attempts.session import Session
    from benchwright_server.editor_server import EditorServer

_LARGEST = 200_000
"""Characters of an answer."""
_MOST_FINDINGS = 200


class _Nothing(Wire):
    pass


class _File(Wire):
    path: str = Field(description="Inside the workspace, such as rtl/top.sv.")


class _Hierarchy(Wire):
    path: str | None = Field(None, description="The instance whose children are wanted; leave it out for the tops.")


P = TypeVar("P", bound=Wire)


@dataclass(frozen=True)
class _Tool(Generic[P]):
    name: str
    does: str
    params: type[P]
    act: Callable[[EditorServer, Session, P], Awaitable[str]]
    needs_clock: bool = True
    reads_only: bool = True

    @property
    def view(self) -> AgentToolView:
        schema = self.params.model_json_schema()
        schema.pop("description", None)
        return AgentToolView(name=self.name, description=self.does, parameters=schema, reads_only=self.reads_only)


async def _problem(server: EditorServer, session: Session, params: _Nothing) -> str:
    statement = session.workspace.read(session.workspace.marker.statement) or b""
    written = ", ".join(judged_paths(session.problem))
    status = await _status(server, session, params)
    return f"{statement.decode(errors='replace')}\n\nFiles that are tested: {written}.\n\nStatus: {status}"


async def _status(server: EditorServer, session: Session, params: _Nothing) -> str:
    status = await session.status()
    keys = {"state", "runs", "runs_allowed", "running", "verdict", "active_s", "remaining_s", "assistance", "aids"}
    return json.dumps(status.model_dump(mode="json", include=keys, exclude_none=True))


async def _start(server: EditorServer, session: Session, params: _Nothing) -> str:
    if (await session.status()).state is AttemptState.PAUSED:
        await server.sessions.resume(session)
    else:
        await server.sessions.start(session)
    return await _status(server, session, params)


async def _files(server: EditorServer, session: Session, params: _Nothing) -> str:
    written = judged_paths(session.problem)
    paths = dict.fromkeys((*written, *session.problem.public.files))
    found = {path: await asyncio.to_thread(session.workspace.read, path) for path in paths}
    return json.dumps(
        [
            {"path": path, "bytes": len(content), "is_tested": path in written}
            for path, content in found.items()
            if content is not None
        ]
    )


async def _read(server: EditorServer, session: Session, params: _File) -> str:
    content = await asyncio.to_thread(session.workspace.read, params.path)
    if content is None:
        raise ServerError(f"The workspace has no file {params.path}. The tool files lists those that it has.")
    return content.decode(errors="replace")


async def _lint(server: EditorServer, session: Session, params: _File) -> str:
    path = session.workspace.folder / params.path
    await _read(server, session, params)

    def findings() -> list[dict[str, object]]:
        project, _ = project_of(server, path.as_uri())
        analysis = project.analysis_of(path)
        if analysis is None:
            return []
        lines = Lines(analysis.data.decode(errors="replace"), server.documents.encoding)
        return [
            {
                "line": lines.position(one.start).line + 1,
                "level": one.level.name.lower(),
                "rule": one.rule,
                "message": one.message,
            }
            for one in itertools.islice(of_slang(analysis.diagnostics, lines), _MOST_FINDINGS)
        ]

    return json.dumps(await asyncio.to_thread(findings))


async def _instances(server: EditorServer, session: Session, params: _Hierarchy) -> str:
    level = await hierarchy(server, HierarchyParams(uri=session.workspace.folder.as_uri(), path=params.path))
    return json.dumps(
        [
            {
                "path": one.path,
                "module": one.module,
                "parameters": {value.name: value.value for value in one.parameters},
                "has_children": one.has_children,
            }
            for one in level.instances
        ]
    )


async def _run(server: EditorServer, session: Session, params: _Nothing) -> str:
    await session.run()
    return await _status(server, session, params)


async def _submit(server: EditorServer, session: Session, params: _Nothing) -> str:
    await session.submit()
    return await _status(server, session, params)


_TOOLS: tuple[_Tool[Any], ...] = (
    _Tool("problem", "The problem's statement, which files are tested, and the status.", _Nothing, _problem, False),
    _Tool(
        "status",
        "State of the attempt, time and runs that are left, and the newest verdict as far as it is shown.",
        _Nothing,
        _status,
        needs_clock=False,
    ),
    _Tool(
        "start",
        "Starts the clock, or goes on after a pause. Work begins with it.",
        _Nothing,
        _start,
        needs_clock=False,
        reads_only=False,
    ),
    _Tool("files", "The files of the workspace with their sizes.", _Nothing, _files),
    _Tool("read_file", "The content of a file of the workspace.", _File, _read),
    _Tool("lint", "What slang finds in a saved Verilog or SystemVerilog file.", _File, _lint),
    _Tool("hierarchy", "The tops of the design, or the instances directly in another.", _Hierarchy, _instances),
    _Tool(
        "run_hidden_tests",
        "Runs the hidden tests on the saved files and waits for the verdict. The number of runs may be limited.",
        _Nothing,
        _run,
        reads_only=False,
    ),
    _Tool(
        "submit",
        "Submits the saved files and ends the attempt for good. Only if you are asked to, or are sure of them.",
        _Nothing,
        _submit,
        reads_only=False,
    ),
)


async def _list(server: EditorServer, params: AgentToolsParams) -> AgentToolList:
    session = await server.sessions.demand(path_of(params.uri))
    allowed = session.terms.allows_aid(Aid.AGENT_TOOLS)
    return AgentToolList(tools=[tool.view for tool in _TOOLS] if allowed else [])


async def _call(server: EditorServer, params: AgentToolParams) -> AgentToolResult:
    session = await server.sessions.demand(path_of(params.uri))
    tool = next((one for one in _TOOLS if one.name == params.tool), None)
    if tool is None:
        raise ServerError(f"There is no tool {params.tool!r}. Ask for the list of tools.")
    try:
        arguments = tool.params.model_validate(params.arguments)
    except ValidationError as error:
        raise ServerError(f"{tool.name}: {first_flaw(error)}") from None
    session.attempt.check_allowed(Aid.AGENT_TOOLS)
    if tool.needs_clock:
        used = AidUsed(aid=Aid.AGENT_TOOLS, feature=tool.name, detail=params.agent[:200], through="agent")
        await session.attempt.use(used)
    text = await tool.act(server, session, arguments)
    if len(text) > _LARGEST:
        text = f"{text[:_LARGEST]}\n(cut: {len(text) - _LARGEST:,} more characters)"
    return AgentToolResult(text=text)


AGENT_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "agentTools", AgentToolsParams, AgentToolList, "Lists the tools that an agent may use on an attempt.", _list
    ),
    Operation(
        "agentTool",
        AgentToolParams,
        AgentToolResult,
        "Uses one of them. Each use is recorded with the agent's name.",
        _call,
    ),
)
"""What `benchwright mcp` asks."""


def register(server: EditorServer) -> None:
    """Serve them to the client, and to agents on this computer."""
    for operation in AGENT_OPERATIONS:
        register_operation(server, operation, lambda: server)
    operations = {one.name: one for one in AGENT_OPERATIONS}

    async def respond(name: str, params: Any) -> dict[str, Any]:
        if name not in operations:
            raise JsonRpcInvalidParams(f"There is no operation {name!r} for agents.")
        await server.sync.settled()
        return await answer(operations[name], server, params)

    server.agents = AgentChannel(respond)
