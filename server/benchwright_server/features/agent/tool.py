"""A tool for agents: its description, when it is offered, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import Field

from benchwright_server.features.agent.results import PlainText, ToolResult, result_schema
from benchwright_server.protocol.agent import AgentToolView
from benchwright_server.protocol.messages import Wire

if TYPE_CHECKING:
    from benchwright_problems.aids import Aid
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

P = TypeVar("P", bound=Wire)


class NoArguments(Wire):
    """Arguments of a tool that takes none."""


class FileArgument(Wire):
    """Arguments of a tool that works on a file."""

    path: str = Field(description="Inside the workspace, such as rtl/top.sv.")


@dataclass(frozen=True)
class Tool(Generic[P]):
    """One tool."""

    name: str
    description: str
    """For the model, in a sentence or two."""
    params_type: type[P]
    run: Callable[[EditorServer, EditorSession, P], Awaitable[str]]
    """Its result as text for the model: JSON, unless it is plain text."""
    result_type: type[ToolResult] = PlainText
    """The result as programs read it."""
    needs_running_clock: bool = True
    """True if it is refused, and not recorded, while the clock does not run."""
    reads_only: bool = True
    """True if it changes nothing of the attempt but its record."""
    aid: Aid | None = None
    """The aid that the attempt has to allow besides tools for agents."""
    required_operation: str = ""
    """The operation that it asks; without it, as with its feature turned off, there is no such tool."""

    @property
    def client_view(self) -> AgentToolView:
        """The tool as a client lists it."""
        schema = self.params_type.model_json_schema()
        schema.pop("description", None)
        return AgentToolView(
            name=self.name,
            description=self.description,
            parameters=schema,
            result=result_schema(self.result_type),
            reads_only=self.reads_only,
        )

    def is_offered(self, server: EditorServer, session: EditorSession) -> bool:
        """True if the server has it and the attempt ever allows it."""
        is_served = not self.required_operation or self.required_operation in server.served
        return is_served and (self.aid is None or self.aid in session.aids)


AnyTool = Tool[Any]
