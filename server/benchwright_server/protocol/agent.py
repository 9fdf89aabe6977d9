"""The `benchwright/*` messages by which an agent works on an attempt; see `protocol`."""

from __future__ import annotations

from pydantic import Field, JsonValue

from benchwright_server.protocol.messages import Wire


class AgentToolsParams(Wire):
    """Parameters of `benchwright/agentTools`."""

    uri: str
    """A file of the workspace, or its folder."""
    agent: str = ""
    """Name and version of the program that asks, for the record."""


class AgentToolView(Wire):
    """One tool."""

    name: str
    description: str
    parameters: dict[str, JsonValue]
    """JSON Schema of an object."""
    result: dict[str, JsonValue]
    """JSON Schema of what it answers."""
    reads_only: bool
    """True if it changes nothing of the attempt but its record."""


class AgentToolList(Wire):
    """Result of `benchwright/agentTools`."""

    tools: list[AgentToolView]
    """Those that the attempt allows; none if it allows no agent."""


class AgentToolParams(Wire):
    """Parameters of `benchwright/agentTool`."""

    uri: str
    """A file of the workspace, or its folder."""
    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    agent: str = ""
    """Name and version of the program that asks, for the record."""
    by_person: bool = False
    """True if a person asks by a command of the editor's chat."""


class AgentToolResult(Wire):
    """Result of `benchwright/agentTool`."""

    text: str
    """For the agent; JSON, unless it is plain text."""
    structured: dict[str, JsonValue]
    """The same as the tool's schema has it."""


class ChatPromptParams(Wire):
    """Parameters of `benchwright/chatPrompt`."""

    uri: str
    """A file of the workspace, or its folder."""
    question: str
    model: str = ""
    """Name of the model that is going to be asked, for the record."""


class ChatPrompt(Wire):
    """Result of `benchwright/chatPrompt`."""

    text: str
    """Statement, the solver's files, what was shown of the newest run, hints that were taken, and the question."""
