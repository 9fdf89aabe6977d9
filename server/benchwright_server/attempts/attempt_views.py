"""Views of recorded attempts: the replay of one, and the user's own statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from benchwright_attempts.attribution import Attribution, attributions_of_edits
from benchwright_attempts.clock.timeline import Stretch, time_line
from benchwright_attempts.events.events import Event
from benchwright_attempts.events.evidence import Assigned, Recording
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.standing import RECORDED, ShownVerdict, cancelled_run_standing, verdict_standing
from benchwright_attempts.summary.replay import replay
from benchwright_foundation.home import Home
from benchwright_server.attempts.participation import Participation
from benchwright_server.attempts.session import standing_view
from benchwright_server.protocol.numbers import OwnNumber, OwnNumbers, SpentView, TimeWithAgentsView
from benchwright_server.protocol.studies import ReplayedFiles, ReplayedText, ReplayMark, ReplayView, Span, TracePage
from benchwright_server.waveforms.waves_folder import STATE

if TYPE_CHECKING:
    from benchwright_analysis.report.sections.own_numbers import OwnAttempt

    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_server.attempts.sessions import EditorSessions
    from benchwright_studies.conduct.study_log import StudyLog


def replay_view(log: StudyLog, attempt_id_prefix: str) -> ReplayView:
    """The timeline of an attempt, for a scrubber.

    Raises:
        UnknownAttemptError: No attempt has this id.
    """
    header = log.header_with_id_prefix(attempt_id_prefix)
    events = log.events(header.id)
    timeline = time_line(events)
    origins = {label.seq: label for label in attributions_of_edits(events)}
    shows_results = all(
        recorded.event.feedback != "none" for recorded in events if isinstance(recorded.event, Assigned)
    )
    marks = [_replay_mark(recorded, timeline.at_s[recorded.seq], origins.get(recorded.seq)) for recorded in events]
    return ReplayView(
        attempt=header.id,
        problem=header.problem,
        duration_s=timeline.duration_s,
        paths=sorted(
            {path for recorded in events for path in _paths_in_event(recorded.event) if _is_file_of_solver(path)}
        ),
        marks=marks,
        pauses=[Span(from_s=pause.from_s, to_s=pause.to_s, what=pause.what) for pause in timeline.pauses],
        runs=[_run_span(stretch, shows_results=shows_results) for stretch in timeline.runs],
        complete=header.recording is Recording.FULL,
    )


def files_after_event(log: StudyLog, attempt_id_prefix: str, seq: int) -> ReplayedFiles:
    """Every file as it was just after an event.

    Raises:
        UnknownAttemptError: No attempt has this id.
    """
    replayed = replay(log.events(log.header_with_id_prefix(attempt_id_prefix).id), last_seq=seq)
    files = [ReplayedText(path=path, text=file.text) for path, file in sorted(replayed.files.items())]
    return ReplayedFiles(seq=replayed.seq, files=files)


def trace_page(log: StudyLog, home: Home, attempt_id_prefix: str) -> TracePage:
    """A page that steps through an attempt.

    Args:
        log: Has its events.
        home: Has the logs of models' runs.
        attempt_id_prefix: Beginning of its id.

    Raises:
        UnknownAttemptError: No attempt has this id.
    """
    from benchwright_analysis.trace.attempt_steps import trace_of_attempt
    from benchwright_analysis.trace.exchanges import exchanges_of_sample
    from benchwright_analysis.trace.page import trace_page
    from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, kept_sample

    header = log.header_with_id_prefix(attempt_id_prefix)
    exchanges = exchanges_of_sample(kept_sample(eval_logs_folder(home), header.id))
    return TracePage(page=trace_page(trace_of_attempt(header, log.events(header.id), exchanges)))


def _replay_mark(recorded_event: RecordedEvent, at_s: float, attribution: Attribution | None) -> ReplayMark:
    paths = _paths_in_event(recorded_event.event)
    return ReplayMark(
        seq=recorded_event.seq,
        at_s=at_s,
        kind=recorded_event.event.type,
        path=paths[0] if len(paths) == 1 else None,
        origin=attribution.origin.value if attribution else None,
        length=attribution.inserted if attribution else None,
    )


def _paths_in_event(event: Event) -> Sequence[str]:
    if event.type == "opened":
        return list(event.files)
    path = getattr(event, "path", None)
    return [path] if isinstance(path, str) else []


def _is_file_of_solver(workspace_path: str) -> bool:
    """False of the workspace itself and of what Benchwright keeps in it, which commands may be used on."""
    return PurePosixPath(workspace_path).parts[:1] not in ((), (STATE,))


def _run_span(stretch: Stretch, *, shows_results: bool) -> Span:
    if stretch.what == "cancelled":
        standing = cancelled_run_standing(stretch.reason)
    else:
        shown_verdict = ShownVerdict(stretch.run or 0, stretch.what if shows_results else RECORDED, stretch.reason)
        standing = verdict_standing(shown_verdict)
    return Span(from_s=stretch.from_s, to_s=stretch.to_s, what=standing.value, run=stretch.run)


def own_numbers(sessions: EditorSessions, study_id: str | None, *, include_practice: bool = False) -> OwnNumbers:
    """The user's own attempts, without practice unless it is asked for: those of a study, or those outside studies.

    Raises:
        ServerError: The user does not take part in the study.
    """
    from benchwright_analysis.report.sections.own_numbers import read_own_attempts

    participant = Participation(sessions.home).pseudonym(study_id) if study_id else ""
    own_attempts = read_own_attempts(
        sessions.log, sessions.store, study_id or "", participant, include_practice=include_practice
    )
    return OwnNumbers(attempts=[_own_number(own_attempt) for own_attempt in own_attempts])


def _own_number(own_attempt: OwnAttempt) -> OwnNumber:
    spent = own_attempt.spent
    view = SpentView(
        writing_min=spent.writing_s / 60, waiting_min=spent.waiting_s / 60, reading_min=spent.reading_s / 60
    )
    time_with_agents = own_attempt.with_agents
    with_agents = time_with_agents and TimeWithAgentsView(
        working_min=time_with_agents.working_s / 60,
        supervising_min=time_with_agents.supervising_s / 60,
        waiting_min=time_with_agents.waiting_s / 60,
        away_min=time_with_agents.away_s / 60,
    )
    own_view = {"view": standing_view(own_attempt.view), "passed": own_attempt.view.is_passed}
    return OwnNumber.model_validate({**asdict(own_attempt), "spent": view, "with_agents": with_agents, **own_view})
