"""A point of a sample from which its solver can continue once its process has ended, kept until the attempt ends.

What the event log has of the attempt is not repeated here: a checkpoint has what only the solver knows, and the files
as they then were, also those that nobody judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inspect_ai.model import ChatMessage
from pydantic import ConfigDict, ValidationError

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model

MOST_BYTES = 64 << 20
"""Of the files, and of a copy of an agent's session. Beyond that, the sample keeps the checkpoint that it has."""


class SessionLostError(EvaluationError):
    """An agent can't continue its session.

    Args:
        detail: A sentence without a point on what it did instead.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(f"The agent can't continue from its checkpoint: {detail}. With --resume, it begins again.")


class SolverState(Model):
    """The part of a checkpoint that the solver knows."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    files: Mapping[str, bytes]
    """Those that the attempt records."""
    folder_files: Mapping[str, bytes] = {}
    """The rest of a program's folder, which nobody judges."""
    messages: tuple[ChatMessage, ...] = ()
    """The conversation of our own agent, which has no session."""
    session: str = ""
    """Id of a program's session, where its protocol has one."""
    session_copy: bytes = b""
    """The files of a program's home that its session is in, as `inside/launcher.py` packs them."""


class Checkpoint(Model):
    """Where a solver was, and when."""

    seq: int
    """Number of the attempt's newest event."""
    active_s: float
    """The attempt's active time, in seconds."""
    limited_from_s: float
    """The active time at which its limit began to count, in seconds."""
    configuration: str
    """Digest of the program's configuration: another program can't continue. Empty for our own agent."""
    solver_state: SolverState

    def keep(self, file: Path) -> None:
        """Write it in place of the one before, unless its files are too large."""
        contents = (*self.solver_state.files.values(), *self.solver_state.folder_files.values())
        if sum(map(len, contents)) <= MOST_BYTES:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(file, self.model_dump_json().encode(), 0o600)


def kept_checkpoint(file: Path, configuration_sha256: str) -> Checkpoint | None:
    """The checkpoint of a solver; None if there is none, or it is another's."""
    try:
        checkpoint = Checkpoint.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None
    return checkpoint if checkpoint.configuration == configuration_sha256 else None
