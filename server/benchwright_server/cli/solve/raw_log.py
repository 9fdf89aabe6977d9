"""Who may read the raw log of a run: it holds compiler messages, and what a hidden testbench prints."""

from __future__ import annotations

from benchwright_foundation.home import Home
from benchwright_problems.problem import Reveal
from benchwright_server.attempts.participation import Participation
from benchwright_server.cli.study.log import opened_log
from benchwright_server.errors import ServerError


def check_may_read_log(problem: str, policy: Reveal, home: Home) -> None:
    """Let a pack's owner read the log, and everybody if the problem's policy is `full`.

    Whoever can unseal a pack owns it, except the participant of a study that asks the problem on this machine.

    Args:
        problem: `pack/id`.
        policy: Of the problem.
        home: The folders of this user.

    Raises:
        ServerError: The user may not.
    """
    if policy is Reveal.FULL:
        return
    taking_part = Participation(home).all()
    if not taking_part:
        return
    from benchwright_attempts.attempts import Attempts
    from benchwright_studies.conduct.studies import Studies

    with opened_log() as log:
        studies = Studies(log, Attempts(log))
        for study in taking_part:
            asked = studies.study(study).study
            if problem in {asked.practice, *(task.problem for task in asked.problems)}:
                raise ServerError(
                    f"You take part in the study {study!r}, which asks {problem}: its raw log stays sealed. "
                    "Leave out --log, or withdraw from the study."
                )
