"""Which program a task starts: a subject by its name, or a command of the user's own."""

from __future__ import annotations

from pathlib import Path

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.agents.installation import is_installed, node_of, programs_of
from benchwright_subjects.agents.launch import AGENT, Launch
from benchwright_subjects.agents.preset import preset

_PLACE = "benchwright"


def launched(cache: Path, subject: str, command: str, place: str) -> Launch | None:
    """What is started; none if our own agent works.

    Args:
        cache: Where subjects are installed.
        subject: The name of one, if any.
        command: A command of the user's own, if any.
        place: `benchwright:FOLDER` shows it a folder.

    Raises:
        EvaluationError: The subject is not installed, or the options exclude each other.
    """
    if subject:
        if command:
            raise EvaluationError("--subject and --agent-command both say which agent works; leave one out.")
        return installed(cache, subject)
    if not command:
        return None
    name, _, folder = place.partition(":")
    if name not in ("", _PLACE):
        raise EvaluationError(
            f"Agents work in Benchwright's own sandbox, not in {name!r}. Give --agent-place benchwright:FOLDER."
        )
    programs = {AGENT: Path(folder).absolute()} if folder else {}
    return Launch(
        command=command,
        shown=programs,
        path=(f"{AGENT}/bin",) if programs else (),
        facts={"subject": "command", "subject_kind": "command-line"},
    )


def installed(cache: Path, subject: str) -> Launch:
    """How a subject is started that is installed.

    Raises:
        EvaluationError: It is not.
    """
    known = preset(subject)
    if not is_installed(known, cache):
        raise EvaluationError(f"{known.title} {known.version} is not installed: benchwright subject add {subject}")
    return known.launch(programs_of(known, cache), node_of(cache) if known.needs_node else None)
