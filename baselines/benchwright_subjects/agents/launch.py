"""Programs that are started as agents, and how they came to their end."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pydantic import JsonValue

from benchwright_studies.plan.subject import RunningSubject

AGENT = "/agent"
"""Path at which the sandbox shows an agent's programs."""
HOME = "/rundir/home"
"""The agent's home, in the sandbox's memory."""
PORT = 13131
BRIDGE = f"http://127.0.0.1:{PORT}"
"""Address at which the model is asked."""
LAUNCHER = Path(__file__).with_name("inside") / "launcher.py"
"""Leads an agent's requests to the bridge."""
MODEL_VARIABLES: Mapping[str, str] = {
    "OPENAI_BASE_URL": f"{BRIDGE}/v1",
    "OPENAI_API_KEY": "none",
    "ANTHROPIC_BASE_URL": BRIDGE,
    "ANTHROPIC_API_KEY": "none",
    "GOOGLE_GEMINI_BASE_URL": BRIDGE,
    "GEMINI_API_KEY": "none",
}
"""By which programs find it without further settings."""

TOOL_KINDS = (
    *("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"),
    "other",
)
"""Kinds of tools that an agent can ask permission for: ACP's `ToolKind`."""


@dataclass(frozen=True)
class AcpTerms:
    """Rights of an agent that speaks the Agent Client Protocol."""

    refuses: frozenset[str] = frozenset()
    """Kinds of tools for which permission is refused; it is given for all others."""
    start_limit_s: float | None = None
    """Longest time for each answer that begins a session, in seconds; None for that of most agents."""


@dataclass(frozen=True)
class AgentLaunch:
    """The start of an agent."""

    command: str
    """For the sandbox's shell. `{prompt}` stands for the task, quoted; without it the task is its input. `{files}` \
stands for the files that the problem asks for."""
    read_only_folders: Mapping[str, Path] = field(default_factory=dict)
    """Place in the sandbox → folder of this machine that is shown there read-only."""
    path: tuple[str, ...] = ()
    """Folders in the sandbox that come first on its `PATH`."""
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Files of its home, such as its settings."""
    identity_facts: Mapping[str, JsonValue] = field(default_factory=dict)
    """For records: which agent this is, without its configuration."""
    title: str = ""
    """Name and version, for reports; empty for a command of the user's own."""
    acp: AcpTerms | None = None
    """Of an agent that gets its task by the Agent Client Protocol; None for one that gets it by command line."""
    reserves_memory: bool = False
    """See `SandboxJob.reserves_memory`."""
    session_paths: tuple[str, ...] = ()
    """Files and folders of its home that hold its session, with which it can continue in another sandbox; none if it \
can't."""
    resume_command: str = ""
    """As `command`: starts it so that it continues. Empty for an agent that speaks ACP, and for one that can't."""
    grades_saves: bool = False
    """True if the hidden tests run on each file that it saves, as for a person. It sees nothing of them."""

    @property
    def configuration_sha256(self) -> str:
        """Digest of all that is decided about the agent besides its programs: command, environment, settings."""
        configuration_fields: dict[str, JsonValue] = {
            "command": self.command,
            "environment": dict(self.environment),
            "files": dict(self.files),
        }
        if self.acp is not None:
            configuration_fields["acp_refuses"] = [*sorted(self.acp.refuses)]
        return hashlib.sha256(json.dumps(configuration_fields, sort_keys=True).encode()).hexdigest()

    @property
    def name(self) -> str:
        """Its name in reports: other settings make another subject."""
        return f"{self.title} [{self.configuration_sha256[:8]}]" if self.title else ""

    @property
    def record_facts(self) -> Mapping[str, JsonValue]:
        """Facts about it that an attempt records."""
        return {**self.identity_facts, "configuration_sha256": self.configuration_sha256}

    def running_program(self, registered_name: str) -> RunningSubject:
        """The program that would work, to be compared with what a study registers.

        Args:
            registered_name: The study's name for it: a command of the user's own has no other name.
        """
        subject_name = self.title.partition(" ")[0] or registered_name
        version = str(self.identity_facts.get("subject_version", ""))
        return RunningSubject(name=subject_name, configuration=self.configuration_sha256, version=version)

    def full_environment(self, toolchain_environment: Mapping[str, str]) -> dict[str, str]:
        """Its whole environment.

        Args:
            toolchain_environment: The environment of the problem's tools.
        """
        path = ":".join((*self.path, toolchain_environment.get("PATH", "/usr/local/bin:/usr/bin:/bin")))
        own_variables = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "TERM": "dumb", "PWD": "/code"}
        return {
            **own_variables,
            **toolchain_environment,
            **MODEL_VARIABLES,
            **self.environment,
            "HOME": HOME,
            "PATH": path,
        }

    def argv(self, prompt: str, expected_paths: Sequence[str] = ()) -> list[str]:
        """Program and arguments."""
        # The task may hold what looks like a placeholder.
        placeholders = {"{prompt}": shlex.quote(prompt), "{files}": shlex.join(expected_paths)}
        return ["/bin/sh", "-c", re.sub(r"\{(?:prompt|files)\}", lambda match: placeholders[match[0]], self.command)]

    def stdin_text(self, prompt: str) -> str:
        """Text that it reads from standard input."""
        return "" if "{prompt}" in self.command or self.acp is not None else prompt


class AgentEnding(StrEnum):
    """Ways in which an agent came to its end by itself."""

    DONE = "done"
    FAILED = "failed"
    """It ended with another exit status than 0."""
    KILLED_LAUNCHER = "killed_launcher"
    """It ended the program that had started it, and with it the sandbox."""
    MEMORY = "memory"
    FOLDER = "folder"
    """It wrote more than its folder may hold."""
    TIME = "time"
    """It ran into the limit of a sandbox, a day."""
    MAX_TOKENS = "max_tokens"
    """From here on, agents that speak ACP. First, the reasons to stop that they give themselves."""
    MAX_TURN_REQUESTS = "max_turn_requests"
    REFUSAL = "refusal"
    CANCELLED = "cancelled"
    ENDED = "ended"
    """It exited before it had answered."""
    NO_ANSWER = "no_answer"
    """It did not answer what begins a session."""
    ERROR_ANSWER = "error_answer"
    MALFORMED = "malformed"
    """It sent what is no message of the protocol."""
    FLOODED = "flooded"
    """It sent more than a client has to bear."""
    UNASKED_ANSWER = "unasked_answer"
    """It answered a request that nobody had sent."""
    OTHER_PROTOCOL = "other_protocol"
    """It speaks another version of the protocol."""


@dataclass(frozen=True)
class AgentEnd:
    """An agent's end, and the end of what it printed."""

    ending: AgentEnding
    code: int | None = None
    """Exit status; None if it is not known."""
    stdout: str = ""
    stderr: str = ""
    detail: str = ""
    """Of agents that speak ACP: a sentence on the ending."""

    @property
    def failure_reason(self) -> str:
        """Reason why it has not submitted its work, as a sentence without a point; empty if it has."""
        match self.ending:
            case AgentEnding.DONE:
                return ""
            case AgentEnding.FAILED:
                output_tail = (self.stderr or self.stdout)[-500:].strip()
                return f"its command ended with {self.code}: {output_tail}"
            case AgentEnding.KILLED_LAUNCHER:
                return "it ended the program that had started it"
            case AgentEnding.MEMORY:
                return "it used more memory than its sandbox has"
            case AgentEnding.FOLDER:
                return "it wrote more than its folder may hold"
            case AgentEnding.TIME:
                return "it ran into its sandbox's time limit"
            case _:
                return f"{self.ending.value}: {self.detail}"
