"""Attempts as people see them: what came out so far, and which are unfinished."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic import ValidationError

from benchwright_attempts.actor import present_actor
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.events import Interrupted, Opened
from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.standing import AttemptView, Standing, problem_view, summary_view
from benchwright_attempts.summary.summary import Summary
from benchwright_attempts.terms import Solver

if TYPE_CHECKING:
    from benchwright_attempts.log.log import EventLog


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    """All attempts at one problem, in one line."""

    view: AttemptView = field(default_factory=AttemptView)
    """The person's standing with it."""
    attempts: int = 0
    best_active_s: float | None = None
    """Shortest active time of an attempt that has ended with a pass, and in which no agent had a part, in seconds."""
    has_passed_only_with_agent: bool = False
    """True if an agent had a part in every attempt that passed."""
    has_unfinished_attempt: bool = False
    """True if one of them has not ended."""


_CONDITIONS_WITHOUT_PERSON = frozenset(solver.value for solver in Solver if not solver.is_person)
"""Conditions in which no person solves: nobody continues such an attempt in an editor."""


class Attempts:
    """Makes attempts and summarises them.

    All methods wait for the disk; asynchronous code calls them in a thread.
    """

    def __init__(self, log: EventLog) -> None:
        """Takes the log that has the events."""
        self._log = log

    def create(
        self,
        problem: str,
        problem_digest: str,
        workspace: Path,
        files: Mapping[str, FileText],
        *,
        solver: str = "human",
        condition: str = "human",
        study: str = "",
        recording: Recording = Recording.FULL,
    ) -> AttemptHeader:
        """Makes an attempt in state `open`.

        Args:
            problem: `pack/id`.
            problem_digest: Digest of the problem as it is opened.
            workspace: Folder the problem was opened into.
            files: Every file of that folder by its relative path.
            solver: Name of the solver.
            condition: Name of the condition: the help that the solver has.
            study: Id of the study it belongs to.
            recording: Level of detail at which the solver's work may be recorded.

        Raises:
            AttemptError: A name cannot be recorded, or the log not be written.
        """
        try:
            header = AttemptHeader(
                id=uuid.uuid4().hex,
                problem=problem,
                problem_digest=problem_digest,
                workspace=str(workspace),
                solver=solver,
                condition=condition,
                created=self._log.moment().wall,
                study=study,
                recording=recording,
            )
            opened_event = Opened(files=files).with_actor_if_missing(present_actor())
        except ValidationError as error:
            flaw = error.errors()[0]
            field_path = ".".join(str(part) for part in flaw["loc"])
            raise AttemptError(
                f"An attempt in {str(workspace)!a} cannot be recorded: {field_path}: {flaw['msg']}. "
                "Rename that folder or file, then open the problem again."
            ) from error
        self._log.create(header, opened_event)
        return header

    def newest_unfinished_attempt_of_person(
        self,
        *,
        problem: str | None = None,
        workspace: Path | None = None,
        study: str = "",
        solver: str | None = None,
    ) -> AttemptHeader | None:
        """The newest attempt of a person at a problem, or in a workspace, that has not ended.

        Args:
            problem: `pack/id`; any if not given.
            workspace: A folder; any if not given.
            study: Id of the study it belongs to; those outside studies if empty.
            solver: Name of the solver; anybody if not given.
        """
        attempt_states = self._log.attempt_states(
            problem=problem, workspace=None if workspace is None else str(workspace)
        )
        candidates = (
            header
            for header, state in attempt_states
            if not state.ended
            and header.condition not in _CONDITIONS_WITHOUT_PERSON
            and header.study == study
            and solver in (None, header.solver)
        )
        return next(candidates, None)

    def take_over_if_left_running(self, attempt: str) -> bool:
        """Continues an attempt whose clock another process left running.

        The time since that process' last event does not count, unless it turns out to be alive.

        Returns:
            Whether there was such an attempt.
        """
        summary = self.summary(attempt)
        if summary.state is not AttemptState.RUNNING or summary.process == self._log.process:
            return False
        self._log.append_blocking(attempt, Interrupted())
        return True

    def summary(self, attempt: str) -> Summary:
        """The state of an attempt after its newest event.

        The clock is that of this event; `advance_clock(summary.clock, log.moment())` is the live one.
        """
        return self._log.summary(attempt)

    def summaries(self) -> list[tuple[AttemptHeader, Summary]]:
        """All attempts with their states, newest first."""
        return self._log.summaries()

    def person_records_outside_studies(
        self, live_view_by_attempt: Mapping[str, AttemptView] = MappingProxyType({})
    ) -> dict[str, ProblemRecord]:
        """One line for each problem that a person ever opened outside studies.

        Args:
            live_view_by_attempt: Attempt → its view, of those of which more is known than the log has.
        """
        views_by_problem: dict[str, list[AttemptView]] = {}
        own_passes: set[str] = set()
        unfinished: set[str] = set()
        best_s: dict[str, float] = {}
        for header, summary in self._log.summaries():
            if header.condition in _CONDITIONS_WITHOUT_PERSON or header.study:
                continue
            if not summary.state.ended:
                unfinished.add(header.problem)
            view = live_view_by_attempt.get(header.id) or summary_view(summary)
            views_by_problem.setdefault(header.problem, []).append(view)
            if summary.has_agent:
                continue
            if view.passed_run is not None:
                own_passes.add(header.problem)
            if view.standing is Standing.PASSED and summary.state.ended and summary.has_clock:
                active_s = summary.clock.active_s
                best_s[header.problem] = min(active_s, best_s.get(header.problem, active_s))
        records = {}
        for problem, views in views_by_problem.items():
            view = problem_view(views)
            is_by_agent = view.standing is Standing.PASSED and problem not in own_passes
            records[problem] = ProblemRecord(
                view,
                len(views),
                best_s.get(problem),
                has_passed_only_with_agent=is_by_agent,
                has_unfinished_attempt=problem in unfinished,
            )
        return records

    def person_summaries_outside_studies(self, problem: str) -> list[tuple[AttemptHeader, Summary]]:
        """The attempts of a person at a problem outside studies, the newest first."""
        own_summaries = [
            (header, summary)
            for header, summary in self._log.summaries()
            if header.problem == problem and header.condition not in _CONDITIONS_WITHOUT_PERSON and not header.study
        ]
        return sorted(own_summaries, key=lambda header_and_summary: header_and_summary[0].created, reverse=True)
