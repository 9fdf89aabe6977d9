"""Where the conversation of an attempt is: in a trajectory that was imported, or in a log of Inspect's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_analysis.trajectory.atif import Trajectory, read_trajectory
from benchwright_analysis.trajectory.attempt_trajectory import ConversationPart, trajectory_of_attempt
from benchwright_attempts.errors import TrajectoryError
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_problems.errors import UnknownProblemError
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_subjects.prompts.prompt import full_statement

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample


def keep_trajectory(home: Home, attempt_id: str, content: bytes) -> None:
    """Keep the file that an attempt was imported from.

    Raises:
        TrajectoryError: It can't be written.
    """
    file = _trajectory_file(home, attempt_id)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, content, 0o600)
    except OSError as error:
        raise TrajectoryError(
            f"{file} can't be written: {error.strerror}. Free some space, and import it again."
        ) from error


def recorded_trajectory(
    home: Home, log: EventLog, header: AttemptHeader, conversation: ConversationPart | None
) -> Trajectory:
    """The trajectory of an attempt, with the statement as its solver saw it.

    Args:
        home: The folders of this user.
        log: Has the attempt.
        header: The attempt's.
        conversation: As `kept_conversation` finds it.
    """
    problem = problem_as_asked(home, header)
    return trajectory_of_attempt(
        header,
        log.events(header.id),
        conversation=conversation,
        statement=full_statement(problem) if problem is not None else "",
    )


def problem_as_asked(home: Home, header: AttemptHeader) -> Problem | None:
    """The public part of an attempt's problem; None if this version of it is not here any more."""
    try:
        problem = Store(home).problem(header.problem)
    except UnknownProblemError:
        return None
    return problem if problem.public_digest == header.problem_digest else None


def kept_conversation(home: Home, attempt_id: str, sample: EvalSample | None) -> ConversationPart | None:
    """What went between a model and its tools in an attempt; None if nothing of that is kept.

    Args:
        home: The folders of this user.
        attempt_id: Its id.
        sample: Its sample in a log of Inspect's, if one is kept.

    Raises:
        TrajectoryError: An imported file is damaged.
    """
    file = _trajectory_file(home, attempt_id)
    if file.is_file():
        source = read_trajectory(file)
        return ConversationPart(source.steps, source)
    if sample is None:
        return None
    # Inspect takes seconds to load.
    from benchwright_analysis.trajectory.inspect_sample import conversation_of_sample

    return conversation_of_sample(sample)


def _trajectory_file(home: Home, attempt_id: str) -> Path:
    return home.data / "trajectories" / f"{attempt_id}.json"
