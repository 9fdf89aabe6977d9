"""The replay of an attempt for staff: what there is, its text in chunks, and the text at the end without a script."""

from __future__ import annotations

import gzip
import json
from http import HTTPStatus

from starlette.responses import Response

from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import AssignmentView, Membership
from benchwright_service.courses.playback import PlaybackError
from benchwright_service.courses.progress import AttemptLine, CourseStudent
from benchwright_service.pages.rendering import SECURITY, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal


async def membership_assignment_and_student_of_path(visit: Visit) -> tuple[Membership, AssignmentView, CourseStudent]:
    """Staff, with the assignment and the student of the path.

    Raises:
        RefusalError: The person is no staff of the course, or it has no such assignment, problem or student.
    """
    membership = await visit.staff_membership()
    path = visit.request.path_params
    view = await visit.bench.courses.assignment_of_course(membership.course, path["assignment"])
    students = await visit.bench.coursework.progress.students(membership.course, accounts=[path["account"]])
    student = next(iter(students), None)
    if view is None or student is None or path["problem"] not in view.problems:
        raise unknown_page_refusal()
    return membership, view, student


async def replay_overview_json(visit: Visit) -> Response:
    """Overview of the attempt's events and their times, as JSON."""
    line, _, _ = await _record_view_and_get_attempt(visit)
    try:
        replay = await visit.bench.coursework.replays.replay_page_data(line)
    except PlaybackError as error:
        raise _unreadable_refusal(error) from error
    return Response(json.dumps(replay), media_type="application/json", headers=SECURITY)


async def replay_chunk_json(visit: Visit) -> Response:
    """A part of its text, as JSON."""
    line, _, _ = await _record_view_and_get_attempt(visit)
    events, number = visit.path_number("events"), visit.path_number("chunk")
    content = None
    if 0 < events <= line.event_count:
        try:
            content = await visit.bench.coursework.replays.find_chunk(line.id, events, number)
        except PlaybackError as error:
            raise _unreadable_refusal(error) from error
    if content is None:
        raise unknown_page_refusal()
    headers = SECURITY | {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    if "gzip" not in visit.request.headers.get("accept-encoding", ""):
        content, headers = gzip.decompress(content), SECURITY
    return Response(content, media_type="application/json", headers=headers)


async def final_files_page(visit: Visit) -> Response:
    """The text at the end."""
    line, membership, student = await _record_view_and_get_attempt(visit)
    try:
        files = await visit.bench.coursework.replays.changed_files_at_end(line.id, line.event_count)
    except PlaybackError as error:
        raise _unreadable_refusal(error) from error
    # Editors may send surrogates that are no character, which no page can have.
    texts = {path: text.encode("utf-8", "replace").decode() for path, text in files.items()}
    return render(
        "final", visit.session, HTTPStatus.OK, member=membership, student=student, texts=texts, recording=line.recording
    )


def _unreadable_refusal(error: PlaybackError) -> RefusalError:
    return RefusalError(
        RefusalKind.CONFLICT, str(error), "Look at the runs. Ask the student which program they work with."
    )


async def _record_view_and_get_attempt(visit: Visit) -> tuple[AttemptLine, Membership, CourseStudent]:
    membership, view, student = await membership_assignment_and_student_of_path(visit)
    path = visit.request.path_params
    attempt_lines = await visit.bench.coursework.progress.attempts(student.account, view.id, path["problem"])
    line = next((candidate for candidate in attempt_lines if candidate.id == path["attempt"]), None)
    if line is None or line.recording is None:
        raise unknown_page_refusal()
    subject = f"{student.account} {view.pack}/{path['problem']}"
    await visit.bench.audit.record_action_unless_recent(visit.account, membership.course, "saw replay", subject)
    return line, membership, student
