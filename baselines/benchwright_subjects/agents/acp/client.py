"""Answers what an agent asks its client: permissions by policy, files of its folder, terminals in its sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acp import RequestError
from acp.schema import (
    AllowedOutcome,
    CreateTerminalResponse,
    DeniedOutcome,
    EnvVariable,
    KillTerminalResponse,
    PermissionOption,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    RequestPermissionResponse,
    TerminalExitStatus,
    TerminalOutputResponse,
    ToolCallUpdate,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)

from benchwright_subjects.agents.acp.conversation import Conversation
from benchwright_subjects.agents.acp.folder_access import PLACE, AccessError, read_agent_file, write_agent_file
from benchwright_subjects.agents.acp.terminals import Terminal, Terminals
from benchwright_subjects.agents.launch import AcpTerms

_ALLOWS = ("allow_once", "allow_always")
_REJECTS = ("reject_once", "reject_always")


class AcpClient:
    """The client of one agent. Its methods have the names and arguments that ACP's library calls.

    Args:
        acp_terms: Rules for what the agent may do.
        folder: Its folder, on this machine.
        owner_uid: Owner of the files in it.
        terminals: Terminals for its commands.
        conversation: Takes down what it asks for.
    """

    def __init__(
        self, acp_terms: AcpTerms, folder: Path, owner_uid: int | None, terminals: Terminals, conversation: Conversation
    ) -> None:
        self._terms = acp_terms
        self._folder = folder
        self._user = owner_uid
        self._terminals = terminals
        self._conversation = conversation

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **extensions: Any
    ) -> RequestPermissionResponse:
        """By the policy for this kind of tool, and by what each option means, never by its id."""
        call_fields = tool_call.model_dump(mode="json", by_alias=True)
        is_allowed = self._conversation.decide_permission(call_fields, self._terms.refuses)
        option_id = _first_option_id_of_kinds(options, _ALLOWS if is_allowed else _REJECTS)
        if option_id is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option_id))

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **extensions: Any
    ) -> ReadTextFileResponse:
        """Read a file of its folder."""
        with self._access_errors_as_refusals(path):
            return ReadTextFileResponse(content=read_agent_file(self._folder, path, line, limit))

    async def write_text_file(
        self, session_id: str, path: str, content: str, **extensions: Any
    ) -> WriteTextFileResponse:
        """Write a file of its folder."""
        with self._access_errors_as_refusals(path):
            write_agent_file(self._folder, path, content, self._user)
        return WriteTextFileResponse()

    async def create_terminal(
        self,
        session_id: str,
        command: str,
        args: list[str] | None = None,
        env: list[EnvVariable] | None = None,
        cwd: str | None = None,
        output_byte_limit: int | None = None,
        **extensions: Any,
    ) -> CreateTerminalResponse:
        """Start a command in its sandbox; without arguments it is for the shell."""
        argv = (command, *args) if args else ("/bin/sh", "-c", command)
        variables = {variable.name: variable.value for variable in env or ()}
        with self._access_errors_as_refusals(""):
            name = await self._terminals.start_command_and_get_terminal_name(
                argv, variables, cwd or PLACE, output_byte_limit
            )
        return CreateTerminalResponse(terminal_id=name)

    async def terminal_output(self, session_id: str, terminal_id: str, **extensions: Any) -> TerminalOutputResponse:
        """Output of a command so far."""
        terminal = self._terminal_or_refusal(terminal_id)
        response = TerminalOutputResponse(output=terminal.text, truncated=terminal.truncated)
        if terminal.end_event.is_set():
            response.exit_status = TerminalExitStatus(**_exit_fields(terminal))
        return response

    async def wait_for_terminal_exit(
        self, session_id: str, terminal_id: str, **extensions: Any
    ) -> WaitForTerminalExitResponse:
        """Wait for a command's end."""
        terminal = self._terminal_or_refusal(terminal_id)
        await terminal.end_event.wait()
        return WaitForTerminalExitResponse(**_exit_fields(terminal))

    async def kill_terminal(self, session_id: str, terminal_id: str, **extensions: Any) -> KillTerminalResponse:
        """End a command; its output stays."""
        self._terminal_or_refusal(terminal_id).kill()
        return KillTerminalResponse()

    async def release_terminal(self, session_id: str, terminal_id: str, **extensions: Any) -> ReleaseTerminalResponse:
        """End a command, and forget it."""
        with self._access_errors_as_refusals(""):
            self._terminals.release(terminal_id)
        return ReleaseTerminalResponse()

    def _terminal_or_refusal(self, terminal_name: str) -> Terminal:
        with self._access_errors_as_refusals(""):
            return self._terminals.terminal(terminal_name)

    @contextmanager
    def _access_errors_as_refusals(self, requested_path: str) -> Iterator[None]:
        try:
            yield
        except AccessError as error:
            if error.outside:
                self._conversation.record_outside_path(requested_path)
            raise RequestError(-32602, str(error)) from None


def _first_option_id_of_kinds(
    permission_options: Sequence[PermissionOption], option_kinds: Sequence[str]
) -> str | None:
    by_kind = {option.kind: option.option_id for option in reversed(permission_options)}
    return next((by_kind[kind] for kind in option_kinds if kind in by_kind), None)


def _exit_fields(terminal: Terminal) -> dict[str, Any]:
    code = terminal.code or 0
    return {"exit_code": code} if code >= 0 else {"signal": str(-code)}
