"""A problem in the browser: for staff of any pack, for others of what is assigned to them."""

from __future__ import annotations

from starlette.responses import Response

from benchwright_problems.errors import UnknownProblemError
from benchwright_service.pages.markdown import markdown_html
from benchwright_service.pages.rendering import render
from benchwright_service.pages.visit import STAFF, Visit, unknown_page_refusal


async def problem_page(visit: Visit) -> Response:
    """The page of a problem, with the author's explanation for whose work on it is over."""
    membership = await visit.membership()
    pack, problem_id = visit.request.path_params["pack"], visit.request.path_params["problem"]
    is_staff = membership.role in STAFF
    # Also those of the student's other courses and studies: the explanation waits for the last of them.
    assignments = [
        view
        for view in await visit.bench.courses.visible_assignments(
            visit.account, include_studies=True, include_archived=True
        )
        if view.pack == pack and problem_id in view.problems
    ]
    course_assignments = [
        view
        for view in await visit.visible_assignments(membership)
        if view.pack == pack and problem_id in view.problems
    ]
    if not is_staff and not course_assignments:
        raise unknown_page_refusal()
    try:
        problem = await visit.bench.courses.public_problem(pack, problem_id)
    except UnknownProblemError:
        raise unknown_page_refusal() from None
    explanation = await visit.bench.courses.explanation_if_over(pack, problem_id, () if is_staff else assignments)
    question, figures = problem.public.question, problem.public.figures
    return render(
        "problem",
        visit.session,
        member=membership,
        # Pages of staff are not below a student's one.
        assignment=None if is_staff else course_assignments[0],
        shown=problem,
        statement=markdown_html(problem.public.statement, figures, title=problem.title),
        choices=[(choice.letter, markdown_html(choice.text, figures)) for choice in question.choices]
        if question is not None
        else (),
        explanation=markdown_html(explanation) if explanation else "",
    )
