"""Operations that an agent can ask of an attempt: its problem, its files, its aids, the hidden tests."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pygls.exceptions import JsonRpcInvalidParams

from benchwright_attempts.actor import Actor, acting_as
from benchwright_attempts.events.events import AidUsed
from benchwright_problems.aids import Aid
from benchwright_server.errors import ServerError
from benchwright_server.features.agent.aids import AID_TOOLS
from benchwright_server.features.agent.attempt import ATTEMPT_TOOLS
from benchwright_server.features.agent.channel import AgentSockets
from benchwright_server.features.agent.design import DESIGN_TOOLS
from benchwright_server.features.agent.prompt import build_and_record_chat_prompt
from benchwright_server.features.agent.results import PlainText, structured_result
from benchwright_server.features.agent.tool import AnyTool
from benchwright_server.features.agent.waveforms import WAVE_TOOLS
from benchwright_server.features.requests import (
    first_invalid_field_and_reason,
    handle_operation_to_json,
    register_operation,
)
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.agent import (
    AgentToolList,
    AgentToolParams,
    AgentToolResult,
    AgentToolsParams,
    ChatPrompt,
    ChatPromptParams,
)
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

TOOLS: tuple[AnyTool, ...] = (*ATTEMPT_TOOLS, *DESIGN_TOOLS, *AID_TOOLS, *WAVE_TOOLS)
"""Every tool, whether or not an attempt allows it."""
_agent_connection: ContextVar[str] = ContextVar("agent_connection", default="")
_MAX_ANSWER = 200_000
"""Characters."""


async def _list_offered_tools(server: EditorServer, params: AgentToolsParams) -> AgentToolList:
    session = await server.sessions.require_session(local_path_of(params.uri))
    session.attempt.refuse_forbidden_aid(Aid.AGENT_TOOLS)
    # It may write files before it uses a tool.
    await _record_connection(server, session, params.agent)
    return AgentToolList(tools=[tool.client_view for tool in TOOLS if tool.is_offered(server, session)])


async def _run_offered_tool(server: EditorServer, params: AgentToolParams) -> AgentToolResult:
    session = await server.sessions.require_session(local_path_of(params.uri))
    session.attempt.refuse_forbidden_aid(Aid.AGENT_TOOLS)
    tool = next((offered_tool for offered_tool in TOOLS if offered_tool.name == params.tool), None)
    if tool is not None and tool.aid is not None:
        session.attempt.refuse_forbidden_aid(tool.aid)
    if tool is None or not tool.is_offered(server, session):
        raise ServerError(f"There is no tool {params.tool!r}. Ask for the list of tools.")
    try:
        arguments = tool.params_type.model_validate(params.arguments)
    except ValidationError as error:
        raise ServerError(f"{tool.name}: {first_invalid_field_and_reason(error)}") from None
    await _record_connection(server, session, params.agent)
    with acting_as(Actor.PERSON if params.by_person else Actor.AGENT):
        if tool.needs_running_clock:
            await session.attempt.record_aid_use(
                AidUsed(aid=Aid.AGENT_TOOLS, feature=tool.name, detail=params.agent[:200])
            )
        text = await tool.run(server, session, arguments)
    shown_text = _shortened_answer(text)
    whole_text = shown_text if tool.result_type is PlainText else text
    return AgentToolResult(text=shown_text, structured=structured_result(tool.result_type, whole_text))


def _shortened_answer(answer: str) -> str:
    if len(answer) <= _MAX_ANSWER:
        return answer
    return f"{answer[:_MAX_ANSWER]}\n(cut: {len(answer) - _MAX_ANSWER:,} more characters)"


async def _record_connection(server: EditorServer, session: EditorSession, agent_name: str) -> None:
    """Records that an agent is connected; a tool of the editor's has no connection that would end."""
    connection = _agent_connection.get() or server.agents_own_connection
    if connection:
        await session.record_agent_connected(connection, agent_name)


AGENT_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "agentTools",
        AgentToolsParams,
        AgentToolList,
        "Lists the tools that an agent may use on an attempt.",
        _list_offered_tools,
    ),
    Operation(
        "agentTool",
        AgentToolParams,
        AgentToolResult,
        "Uses one of them. Each use is recorded with the agent's name.",
        _run_offered_tool,
    ),
    Operation(
        "chatPrompt",
        ChatPromptParams,
        ChatPrompt,
        "Returns the prompt for a model of the editor's chat from a question, and records it.",
        build_and_record_chat_prompt,
    ),
)
"""Operations that `benchwright mcp` and the editor's chat ask for."""


def register(server: EditorServer) -> None:
    """Serve them to the client, and to agents on this computer."""
    for operation in AGENT_OPERATIONS:
        register_operation(server, operation, lambda: server)
    operations = {agent_operation.name: agent_operation for agent_operation in AGENT_OPERATIONS}

    async def respond(name: str, params: Any, connection: str) -> dict[str, Any]:
        if name not in operations:
            raise JsonRpcInvalidParams(f"There is no operation {name!r} for agents.")
        await server.sync.wait_until_recorded()
        token = _agent_connection.set(connection)
        try:
            return await handle_operation_to_json(operations[name], server, _without_by_person_flag(params))
        finally:
            _agent_connection.reset(token)

    async def note_gone(attempt: str, connection: str) -> None:
        session = server.sessions.find_open_session_of_attempt(attempt)
        if session is not None:
            await session.record_agent_disconnected(connection)

    server.agents = AgentSockets(respond, note_gone)


def _without_by_person_flag(request_params: Any) -> Any:
    """Parameters from the agents' own connection, through which no person asks."""
    return (
        {name: value for name, value in request_params.items() if name != "byPerson"}
        if isinstance(request_params, dict)
        else request_params
    )
