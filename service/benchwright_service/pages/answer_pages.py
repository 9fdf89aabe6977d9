"""Grading answers in the browser: one at a time, without a name."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_judges.people.human_grading import DIFFICULTIES
from benchwright_remote.messages import Membership
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.answer_grading import question_and_key_figures, rubric_with_points
from benchwright_service.pages.markdown import shown_figure_paths
from benchwright_service.pages.rendering import SECURITY, FormProblem, picture_response, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal, whole_number_or_none


async def next_answer_page(visit: Visit) -> Response:
    """The next answer for who asks."""
    return await _grading_page(visit, await visit.grader_membership(), None)


async def submit_answer_grade(visit: Visit) -> Response:
    """Takes the grade of one."""
    membership = await visit.grader_membership()
    if await visit.is_archived():
        return await _grading_page(
            visit, membership, FormProblem("The course is archived.", "An owner of it can restore it.")
        )
    try:
        await visit.bench.grades.answer_grading.record_grade(
            membership.course,
            visit.form_field("item"),
            visit.account,
            visit.form_field("label"),
            whole_number_or_none(visit.form_field("difficulty")) or 0,
            visit.form_field("comment"),
            _points_of_form(visit),
        )
    except ValueError as error:
        return await _grading_page(visit, membership, FormProblem(str(error), "Correct the points, and grade again."))
    except BenchServiceError as error:
        return await _grading_page(
            visit, membership, FormProblem(f"{error}.".capitalize(), "Grade the answer that is shown now.")
        )
    await visit.bench.audit.record_action(visit.account, membership.course, "graded answer", visit.form_field("item"))
    return RedirectResponse(f"/courses/{quote(membership.course)}/answers", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def figure_of_answer(visit: Visit) -> Response:
    """A picture of the question, or of its key, of an answer of the course."""
    membership = await visit.grader_membership()
    item = visit.request.path_params["item"]
    picture = await visit.bench.grades.answer_grading.find_figure(membership.course, item, visit.path_number("number"))
    if picture is None:
        raise unknown_page_refusal()
    return picture_response(picture.content, picture.media_type)


def _points_of_form(visit: Visit) -> Sequence[float]:
    """The points of the form; none if it asks for a label.

    Raises:
        ValueError: A field is no number.
    """
    point_numbers = range(sum(name.startswith("points-") for name in visit.form))
    return [visit.form_number(f"points-{number}", 0, 1_000) for number in point_numbers]


async def _grading_page(visit: Visit, membership: Membership, problem: FormProblem | None) -> Response:
    desk = await visit.bench.grades.answer_grading.desk(membership.course, visit.account)
    key = desk.item.problem.hidden.answer if desk.item is not None else None
    texts = [desk.item.problem.public.statement] if desk.item is not None else []
    texts += [key.value, *key.alternatives] if key is not None else []
    return render(
        "answer",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        item=desk.item,
        left=desk.left,
        dispute=desk.dispute,
        points=rubric_with_points(desk.item.problem) if desk.item is not None else None,
        figures=question_and_key_figures(desk.item.problem) if desk.item is not None else (),
        in_text=frozenset().union(*map(shown_figure_paths, texts)),
        asked=len(desk.item.problem.public.figures) if desk.item is not None else 0,
        difficulties=DIFFICULTIES,
        problem=problem,
    )
