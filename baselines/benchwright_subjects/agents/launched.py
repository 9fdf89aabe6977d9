"""The program that a task starts: a subject by its name, or a command of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.agents.installation import is_installed, node_folder, programs_folder
from benchwright_subjects.agents.launch import AGENT, TOOL_KINDS, AcpTerms, AgentLaunch
from benchwright_subjects.agents.preset import SubjectKind, preset_named

_PLACE = "benchwright"


def configured_launch(
    cache: Path,
    subject_name: str,
    command: str,
    agent_place: str,
    *,
    speaks_acp: bool = False,
    refused_tools: Sequence[str] = (),
) -> AgentLaunch | None:
    """The program to start; none if our own agent works.

    Args:
        cache: Folder in which subjects are installed.
        subject_name: The name of one, if any.
        command: A command of the user's own, if any.
        agent_place: `benchwright:FOLDER` shows it a folder.
        speaks_acp: True if the command speaks the Agent Client Protocol.
        refused_tools: Kinds of tools that an agent speaking it gets no permission for.

    Raises:
        EvaluationError: The subject is not installed, or the options exclude each other.
    """
    if subject_name and command:
        raise EvaluationError("--subject and --agent-command both say which agent works; leave one out.")
    if speaks_acp and (subject_name or not command):
        raise EvaluationError("--acp says how the program of --agent-command gets its task; leave it out, or give one.")
    launch = (
        installed_launch(cache, subject_name)
        if subject_name
        else _command_launch(command, agent_place, speaks_acp=speaks_acp)
        if command
        else None
    )
    return with_refused_tools(launch, refused_tools) if refused_tools else launch


def with_refused_tools(launch: AgentLaunch | None, refused_tools: Sequence[str]) -> AgentLaunch:
    """The start of an agent that gets no permission for some kinds of tools.

    Raises:
        EvaluationError: There is no such kind, or the agent asks for no permission.
    """
    if unknown := sorted(set(refused_tools) - set(TOOL_KINDS)):
        raise EvaluationError(f"There is no kind of tool {unknown[0]!r} to refuse. There are {', '.join(TOOL_KINDS)}.")
    if launch is None or launch.acp is None:
        raise EvaluationError("Only agents that speak ACP ask for permission; leave out --refuse.")
    return replace(launch, acp=replace(launch.acp, refuses=frozenset(refused_tools)))


def _command_launch(command: str, agent_place: str, *, speaks_acp: bool) -> AgentLaunch:
    if speaks_acp and "{prompt}" in command:
        raise EvaluationError("An agent that speaks ACP gets its task by messages; leave {prompt} out of its command.")
    name, _, folder = agent_place.partition(":")
    if name not in ("", _PLACE):
        raise EvaluationError(
            f"Agents work in Benchwright's own sandbox, not in {name!r}. Give --agent-place benchwright:FOLDER."
        )
    programs = {AGENT: Path(folder).absolute()} if folder else {}
    return AgentLaunch(
        command=command,
        read_only_folders=programs,
        path=(f"{AGENT}/bin",) if programs else (),
        identity_facts={
            "subject": "command",
            "subject_kind": (SubjectKind.ACP if speaks_acp else SubjectKind.COMMAND_LINE).value,
        },
        acp=AcpTerms() if speaks_acp else None,
        # Nobody knows in which files of its home an agent of the user's own keeps its session.
        session_paths=(".",) if speaks_acp else (),
    )


def installed_launch(cache: Path, subject_name: str) -> AgentLaunch:
    """The start of a subject that is installed.

    Raises:
        EvaluationError: The subject is not installed.
    """
    known_preset = preset_named(subject_name)
    if not is_installed(known_preset, cache):
        raise EvaluationError(
            f"{known_preset.title} {known_preset.version} is not installed: benchwright subject add {subject_name}"
        )
    return known_preset.launch(
        programs_folder(known_preset, cache), node_folder(cache) if known_preset.needs_node else None
    )
