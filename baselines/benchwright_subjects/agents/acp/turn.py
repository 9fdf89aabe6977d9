"""One task for one agent by ACP: started in its sandbox, told the task, and left once it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import TypeVar

from acp import PROTOCOL_VERSION, RequestError, text_block
from acp.client import ClientSideConnection
from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation
from pydantic import ValidationError

from benchwright_foundation.distribution import version
from benchwright_problems.problem import Problem
from benchwright_subjects.agents.acp.client import AcpClient
from benchwright_subjects.agents.acp.conversation import Conversation
from benchwright_subjects.agents.acp.failure import AcpError, printable_words
from benchwright_subjects.agents.acp.folder_access import PLACE
from benchwright_subjects.agents.acp.messages import MOST_LINE_BYTES, AcpTransport
from benchwright_subjects.agents.acp.terminals import Terminals
from benchwright_subjects.agents.agent_sandbox import AgentSandbox, cancelled_at_block_end
from benchwright_subjects.agents.launch import AcpTerms, AgentEnd, AgentEnding, AgentLaunch
from benchwright_subjects.bridge.private_socket import Streams, first_connection
from benchwright_subjects.checkpoint import SessionLostError

START_S = 120.0
"""Longest time for each answer that begins a session, in seconds, where the agent's terms give no other."""
_END_S = 15.0
"""Longest time for an agent and its sandbox to end after they have been left, in seconds."""
_REASONS = {
    "end_turn": (AgentEnding.DONE, ""),
    "max_tokens": (AgentEnding.MAX_TOKENS, "it reached its own limit of tokens"),
    "max_turn_requests": (AgentEnding.MAX_TURN_REQUESTS, "it reached its own limit of requests to its model"),
    "refusal": (AgentEnding.REFUSAL, "it refused to go on"),
    "cancelled": (AgentEnding.CANCELLED, "it cancelled its work"),
}
_Told = TypeVar("_Told")


async def run_agent_by_acp(
    agent_sandbox: AgentSandbox,
    launch: AgentLaunch,
    problem: Problem,
    prompt: str,
    conversation: Conversation,
    session_copy: bytes = b"",
) -> AgentEnd:
    """Run an agent until it has answered its task; cancelling ends everything inside.

    Args:
        agent_sandbox: Sandbox in which it runs.
        launch: The program to start.
        problem: Decides which tools it finds.
        prompt: Its task.
        conversation: Takes down what it says and asks for. Has the id of the session to continue, if any.
        session_copy: See `AgentSandbox.run`.

    Raises:
        EvaluationError: See `AgentSandbox.run`.
    """
    async with (
        first_connection(agent_sandbox.stdio_address, agent_sandbox.user, MOST_LINE_BYTES) as connected,
        Terminals.listen_at(agent_sandbox.terminals_address, agent_sandbox.user) as terminals,
    ):
        acp_terms = launch.acp or AcpTerms()
        acp_client = AcpClient(acp_terms, agent_sandbox.code, agent_sandbox.user, terminals, conversation)
        start_limit_s = acp_terms.start_limit_s or START_S
        agent_task = asyncio.create_task(agent_sandbox.run(launch, problem, prompt, session_copy))
        talking = asyncio.create_task(
            _do_task_over_connection(connected, acp_client, prompt, conversation, start_limit_s)
        )
        async with cancelled_at_block_end(agent_task), cancelled_at_block_end(talking):
            await asyncio.wait({agent_task, talking}, return_when=asyncio.FIRST_COMPLETED)
            # What an agent said before it ended is still to be read.
            await asyncio.wait({talking}, timeout=_END_S)
            answer_end = talking.result() if talking.done() else AgentEnd(AgentEnding.ENDED)
            await asyncio.wait({agent_task}, timeout=_END_S)
            program_end = agent_task.result() if agent_task.done() else AgentEnd(AgentEnding.DONE)
    return replace(_combined_end(answer_end, program_end), stdout=conversation.output_tail, stderr=program_end.stderr)


def _combined_end(answer_end: AgentEnd, program_end: AgentEnd) -> AgentEnd:
    """The agent's end, by what it answered and how its program ended."""
    if answer_end.ending is not AgentEnding.ENDED:
        return answer_end
    return answer_end if program_end.ending is AgentEnding.DONE else program_end


async def _do_task_over_connection(
    connected: asyncio.Future[Streams],
    acp_client: AcpClient,
    prompt: str,
    conversation: Conversation,
    start_limit_s: float,
) -> AgentEnd:
    transport = AcpTransport(*await connected, conversation.record_notification)
    agent_connection = ClientSideConnection(acp_client, transport)  # type: ignore[arg-type]  # It has what is advertised.
    acp_session = _AcpSession(agent_connection, transport, start_limit_s)
    try:
        return await acp_session.do_task(prompt, conversation)
    except AcpError as error:
        return AgentEnd(error.ending, detail=error.detail)
    finally:
        await agent_connection.close()


class _AcpSession:
    """The requests that lead an agent through one task."""

    def __init__(self, agent_connection: ClientSideConnection, transport: AcpTransport, start_limit_s: float) -> None:
        self._connection = agent_connection
        self._messages = transport
        self._start_s = start_limit_s

    async def do_task(self, prompt: str, conversation: Conversation) -> AgentEnd:
        """Do the task, and return how it ended.

        Raises:
            AcpError: The agent broke the protocol, or ended.
        """
        file_capabilities = FileSystemCapabilities(read_text_file=True, write_text_file=True)
        hello = self._connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(fs=file_capabilities, terminal=True),
            client_info=Implementation(name="benchwright", title="Benchwright", version=version()),
        )
        introduction = await self._await_agent_answer("initialize", hello, self._start_s)
        if introduction.protocol_version != PROTOCOL_VERSION:
            mismatch = f"it speaks version {introduction.protocol_version} of ACP, not {PROTOCOL_VERSION}"
            raise AcpError(AgentEnding.OTHER_PROTOCOL, mismatch)
        conversation.record_identity(introduction.agent_info, introduction.protocol_version)
        capabilities = introduction.agent_capabilities
        can_load_session = capabilities is not None and bool(capabilities.load_session)
        session_id = conversation.session_id
        if session_id:
            await self._load_session(session_id, conversation)
        else:
            session_reply = await self._await_agent_answer(
                "session/new", self._connection.new_session(cwd=PLACE, mcp_servers=[]), self._start_s
            )
            session_id = session_reply.session_id
        conversation.session_id = session_id if can_load_session else ""
        prompt_request = self._connection.prompt(session_id=session_id, prompt=[text_block(prompt)])
        prompt_reply = await self._await_agent_answer("session/prompt", prompt_request, None)
        conversation.stop_reason = prompt_reply.stop_reason
        if prompt_reply.usage is not None:
            conversation.record_token_counts(prompt_reply.usage.model_dump(by_alias=True))
        conversation.record_gemini_quota((prompt_reply.field_meta or {}).get("quota"))
        ending, detail = _REASONS[prompt_reply.stop_reason]
        return AgentEnd(ending, detail=detail)

    async def _load_session(self, session_id: str, conversation: Conversation) -> None:
        """Have the agent load a session.

        Raises:
            SessionLostError: It can't.
        """
        # It reports the whole past of the session, which the log has.
        conversation.is_repeated = True
        load_request = self._connection.load_session(cwd=PLACE, session_id=session_id, mcp_servers=[])
        try:
            await self._await_agent_answer("session/load", load_request, self._start_s)
        except AcpError as error:
            raise SessionLostError(error.detail) from None
        conversation.is_repeated = False

    async def _await_agent_answer(self, method: str, agent_request: Awaitable[_Told], longest_s: float | None) -> _Told:
        try:
            async with asyncio.timeout(longest_s):
                return await agent_request
        except TimeoutError:
            raise AcpError(AgentEnding.NO_ANSWER, f"it did not answer {method} within {longest_s:g} seconds") from None
        except ConnectionError:
            raise self._messages.failure or AcpError(
                AgentEnding.ENDED, f"it ended without an answer to {method}"
            ) from None
        except ValidationError:
            raise AcpError(AgentEnding.MALFORMED, f"its answer to {method} is not what the protocol says") from None
        except RequestError as error:
            detail = f"it answered {method} with error {error.code}: {printable_words(error)}"
            raise AcpError(AgentEnding.ERROR_ANSWER, detail) from None
