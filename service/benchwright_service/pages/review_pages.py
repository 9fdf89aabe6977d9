"""Reviews of questions in the browser: the answer first, then the key and the decision."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_authoring.answers_of_models import FORMATS_ANSWERED_IN_WORDS
from benchwright_authoring.review.checks import ReviewCheck
from benchwright_authoring.written_question import CHOOSABLE, LETTERS, MOST_CHARACTERS
from benchwright_problems.problem import AnswerKind
from benchwright_remote.messages import Membership
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.question_form import form_text, sent_answer
from benchwright_service.pages.rendering import SECURITY, FormProblem, form_problem_of_error, render
from benchwright_service.pages.visit import Visit, whole_number_or_none
from benchwright_service.questions.reviewing import LONGEST_COMMENT, ReviewDesk


async def next_review_page(visit: Visit) -> Response:
    """The next question for a reviewer."""
    return await _review_page(visit, await visit.grader_membership(), None)


async def submit_answer_or_decision(visit: Visit) -> Response:
    """Takes a reviewer's answer, and then the decision."""
    membership = await visit.grader_membership()
    reviews = visit.bench.collecting.reviews
    name, number = visit.form_field("question"), whole_number_or_none(visit.form_field("number")) or 0
    try:
        if await visit.is_archived():
            raise BenchServiceError("the course is archived")
        if visit.form_field("act") == "answer":
            await reviews.record_answer_once(membership.course, visit.account, name, number, sent_answer(visit))
        else:
            await reviews.record_and_apply_decision(
                membership.course,
                visit.account,
                name,
                number,
                accepts=visit.form_field("act") == "accept",
                checks=[check for check in ReviewCheck if check.name in visit.ticked_values("checks")],
                comment=form_text(visit, "comment", LONGEST_COMMENT),
            )
            # Which one stays unsaid: its author may be of the staff.
            await visit.bench.audit.record_action(visit.account, membership.course, "reviewed question", "")
    except BenchServiceError as error:
        return await _review_page(visit, membership, form_problem_of_error(error, "Nothing was changed."))
    return RedirectResponse(f"/courses/{quote(membership.course)}/review", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def _review_page(visit: Visit, membership: Membership, problem: FormProblem | None) -> Response:
    is_archived = await visit.is_archived()
    desk = (
        ReviewDesk(None, 0)
        if is_archived
        else await visit.bench.collecting.reviews.begin_or_resume_review(membership.course, visit.account)
    )
    content = desk.question.content if desk.question is not None else None
    return render(
        "review",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        question=desk.question,
        left=desk.left,
        answer=desk.answer,
        choosable=CHOOSABLE.get(content.format) if content is not None else None,
        is_several=content is not None and content.format.answered_by is AnswerKind.CHOICES,
        is_in_words=content is not None and content.format in FORMATS_ANSWERED_IN_WORDS,
        is_right=content.is_right_by_rule(desk.answer) if content is not None and desk.answer else None,
        # Nothing of the key is in the page before the reviewer has answered.
        remarks=content.remarks() if content is not None and desk.answer else (),
        # What was written is not lost with a refusal.
        comment=form_text(visit, "comment", LONGEST_COMMENT) if problem else "",
        unsent=form_text(visit, "answer", MOST_CHARACTERS) if problem else "",
        ticked=visit.ticked_values("checks") if problem else (),
        letters=LETTERS,
        checks=list(ReviewCheck),
        longest=LONGEST_COMMENT,
        most=MOST_CHARACTERS,
        problem=problem,
    )
