"""An exam in the browser: its upload, how far it is read, and what its author has to check."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from benchwright_problems.problem import QuestionFormat
from benchwright_remote.messages import Membership
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.question_form import FORMATS, exam_question_fields
from benchwright_service.pages.rendering import SECURITY, FormProblem, form_problem_of_error, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal
from benchwright_service.questions.exam_readings import MOST_EXAM_BYTES, MOST_EXAM_QUESTIONS, ExamReading

_LANGUAGES = {"eng": "English", "deu": "German", "fra": "French", "chi_sim": "Chinese"}
"""Of pages that are pictures, by Tesseract's names."""


async def exam_form(visit: Visit) -> Response:
    """Form that takes an exam."""
    return await _form_page(visit, await visit.writer_membership(), None)


async def begin_reading_exam(visit: Visit) -> Response:
    """Begins to read the exam that was uploaded."""
    membership = await visit.writer_membership()
    collecting = visit.bench.collecting
    upload = visit.form.get("file")
    try:
        call = await collecting.questions.find_call(membership.course)
        if not collecting.questions.is_open(call) or await visit.is_archived():
            raise BenchServiceError("the course takes no questions now")
        if not isinstance(upload, UploadFile) or not upload.filename:
            raise BenchServiceError("no file was chosen")
        language = visit.form_field("language")
        exam_id = await collecting.exams.begin(
            membership.course,
            visit.account,
            upload.filename[:200],
            await upload.read(MOST_EXAM_BYTES + 1),
            language if language in _LANGUAGES else "eng",
            exam_question_fields,
        )
    except BenchServiceError as error:
        return await _form_page(visit, membership, form_problem_of_error(error, "Nothing was kept of the file."))
    return _redirect_to_questions(membership, f"/exams/{exam_id}")


async def exam_page(visit: Visit) -> Response:
    """How far an exam is read; then its questions, and all that its author has to check."""
    membership = await visit.writer_membership()
    return render(
        "exam",
        visit.session,
        member=membership,
        reading=await _own_reading(visit, membership),
        formats={style.value: FORMATS[style] for style in QuestionFormat},
        most=MOST_EXAM_QUESTIONS,
    )


async def exam_state_fragment(visit: Visit) -> Response:
    """Part with which the page refreshes itself while the exam is read."""
    membership = await visit.writer_membership()
    return render("exam_state", visit.session, reading=await _own_reading(visit, membership))


async def discard_exam(visit: Visit) -> Response:
    """Forgets what was read of an exam; the forms of its questions stay."""
    membership = await visit.writer_membership()
    exam_reading = await _own_reading(visit, membership)
    if exam_reading.is_running:
        return _redirect_to_questions(membership, f"/exams/{exam_reading.id}")
    await visit.bench.collecting.unfinished.discard(membership.course, visit.account, exam_reading.id)
    return _redirect_to_questions(membership)


async def _own_reading(visit: Visit, membership: Membership) -> ExamReading:
    exam_id = visit.request.path_params["exam"]
    exam_reading = await visit.bench.collecting.exams.find(membership.course, visit.account, exam_id)
    if exam_reading is None:
        raise unknown_page_refusal()
    return exam_reading


async def _form_page(visit: Visit, membership: Membership, problem: FormProblem | None) -> Response:
    return render(
        "exam_form",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        languages=_LANGUAGES,
        most_mib=MOST_EXAM_BYTES >> 20,
        problem=problem,
    )


def _redirect_to_questions(membership: Membership, path: str = "") -> Response:
    address = f"/courses/{quote(membership.course)}/questions{path}"
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=SECURITY)
