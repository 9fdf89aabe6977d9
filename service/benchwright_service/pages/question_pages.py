"""Questions in the browser: what a course collects, an author's form, and a reviewer's."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_authoring.answers_of_models import FORMATS_ANSWERED_IN_WORDS
from benchwright_authoring.review.checks import ReviewCheck
from benchwright_authoring.written_question import LETTERS
from benchwright_problems.problem import AnswerKind
from benchwright_remote.messages import Membership
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.question_form import (
    FORMATS,
    chosen_format,
    empty_fields,
    is_author_credited,
    question_fields,
    sent_fields,
    sent_question_and_pictures,
)
from benchwright_service.pages.rendering import SECURITY, FormProblem, form_problem_of_error, picture_response, render
from benchwright_service.pages.unfinished_pages import (
    keep_or_discard_if_asked,
    keep_refused_form,
    new_form_id,
    sent_form_id,
    sent_format,
    unfinished_form,
    unfinished_form_template_values,
    unfinished_rows,
)
from benchwright_service.pages.visit import GRADERS, STAFF, Visit, unknown_page_refusal, whole_number_or_none
from benchwright_service.questions.publishing import questions_pack_name
from benchwright_service.questions.takedowns import TakedownReason
from benchwright_service.questions.trying import TRIES_PER_DAY
from benchwright_service.questions.unfinished import UnfinishedForm
from benchwright_service.questions.writing import (
    CHANGEABLE,
    FEWEST_REVIEWERS,
    TWINNED,
    QuestionCall,
    QuestionState,
    VersionedQuestion,
)

_LICENSE = "CC-BY-4.0"
_DECIDED = frozenset({QuestionState.ACCEPTED, QuestionState.RETURNED, QuestionState.WITHDRAWN})
_SHOWN = frozenset({QuestionState.ACCEPTED, QuestionState.WITHDRAWN})
"""States in which staff may read a question: the key of what they may still have to review would spoil that."""


async def questions_page(visit: Visit) -> Response:
    """Page of the questions that the course collects: one's own, the ranking, and for staff the progress."""
    return await _questions_page(visit, await visit.writer_membership(), None)


async def submit_question_call(visit: Visit) -> Response:
    """Has the course collect questions, or changes how."""
    membership = await visit.changeable_membership()
    try:
        questions_pack_name(membership.course)
        reviewers = whole_number_or_none(visit.form_field("reviewers") or str(FEWEST_REVIEWERS)) or 0
        call_times = visit.form_time("opens", membership), visit.form_time("closes", membership)
        call = QuestionCall(visit.form_field("title"), visit.form_field("license"), *call_times, reviewers=reviewers)
        await visit.bench.collecting.questions.open_or_change_call(membership.course, call)
    except (ValueError, BenchServiceError) as error:
        return await _questions_page(
            visit, membership, form_problem_of_error(error, "Correct it, and send the form again.")
        )
    await visit.bench.audit.record_action(visit.account, membership.course, "collected questions", "")
    return _redirect_within_course(membership, "questions")


async def publish_questions(visit: Visit) -> Response:
    """Makes the accepted questions the next version of the course's pack."""
    membership = await visit.changeable_membership()
    try:
        pack = await visit.bench.collecting.publishing.publish(membership.course)
    except BenchServiceError as error:
        return await _questions_page(visit, membership, form_problem_of_error(error, "Publish once that has changed."))
    await visit.bench.audit.record_action(
        visit.account, membership.course, "published questions", f"{pack.name} {pack.version}"
    )
    return _redirect_within_course(membership, "questions")


async def take_question_down(visit: Visit) -> Response:
    """Takes a question down for staff; from its author, it is a wish that staff see.

    An archived course is no obstacle.
    """
    membership = await visit.writer_membership()
    question, collecting = visit.request.path_params["question"], visit.bench.collecting
    try:
        reason = TakedownReason[visit.form_field("reason")]
        if membership.role in STAFF:
            await collecting.publishing.take_down(membership.course, question, reason)
            await visit.bench.audit.record_action(
                visit.account, membership.course, "took a question down", f"{question}: {reason.value}"
            )
            return _redirect_within_course(membership, "questions")
        await collecting.takedowns.request(membership.course, question, visit.account, reason)
    except KeyError:
        raise unknown_page_refusal() from None
    except BenchServiceError as error:
        return await _questions_page(visit, membership, _refusal_problem(error))
    return _redirect_within_course(membership, f"questions/{question}")


async def new_question_form(visit: Visit) -> Response:
    """An empty form of the format that the address names."""
    membership = await visit.writer_membership()
    fields = empty_fields(chosen_format(visit.query_field("format")))
    form = await unfinished_form(visit, membership, visit.query_field("form")) or UnfinishedForm(
        new_form_id(), fields, None
    )
    return await _form_page(visit, membership, None, form, None)


async def create_question(visit: Visit) -> Response:
    """Takes a new question."""
    membership = await visit.writer_membership()
    try:
        if (response := await keep_or_discard_if_asked(visit, membership, None)) is not None:
            return response
        content, pictures = await sent_question_and_pictures(visit, sent_format(visit, None), None)
        name = await visit.bench.collecting.questions.create_draft(
            membership.course, visit.account, content, pictures, credited=is_author_credited(visit)
        )
    except (ValueError, BenchServiceError) as error:
        return await _refused_form_page(visit, membership, None, error)
    await visit.bench.collecting.unfinished.discard(membership.course, visit.account, sent_form_id(visit, None))
    return _redirect_within_course(membership, f"questions/{name}")


async def question_page(visit: Visit) -> Response:
    """One question: for its author with what can be done, for staff once it is decided."""
    membership = await visit.writer_membership()
    return await _question_page(visit, membership, await _readable_question(visit, membership), None)


async def change_question(visit: Visit) -> Response:
    """Makes the author's change to it: save, try, submit, withdraw, begin its twin."""
    membership = await visit.writer_membership()
    question = await _readable_question(visit, membership)
    act = visit.form_field("act")
    try:
        if question.author != visit.account or await visit.is_archived():
            raise BenchServiceError("only its author can change the question, and not in an archived course")
        if (response := await keep_or_discard_if_asked(visit, membership, question)) is not None:
            return response
        name = await _carry_out_author_action(visit, membership, question, act)
    except (ValueError, BenchServiceError) as error:
        if act == "save":
            return await _refused_form_page(visit, membership, question, error)
        return await _question_page(visit, membership, question, _refusal_problem(error))
    if act in ("save", "withdraw"):
        await visit.bench.collecting.unfinished.discard(membership.course, visit.account, question.id)
    return _redirect_within_course(membership, f"questions/{name}")


async def _carry_out_author_action(
    visit: Visit, membership: Membership, question: VersionedQuestion, action: str
) -> str:
    """Does it; returns which question the author goes to."""
    collecting = visit.bench.collecting
    match action:
        case "save":
            content, pictures = await sent_question_and_pictures(visit, sent_format(visit, question), question.content)
            await collecting.questions.add_version(
                membership.course, question.id, visit.account, content, pictures, credited=is_author_credited(visit)
            )
        case "try":
            await collecting.tries.begin_asking_models(membership.course, question)
        case "submit":
            await collecting.questions.submit_for_review(membership.course, question.id, visit.account)
        case "withdraw":
            await collecting.questions.withdraw(membership.course, question.id, visit.account)
        case "twin":
            return await collecting.questions.begin_free_text_twin(membership.course, question.id, visit.account)
        case _:
            raise unknown_page_refusal()
    return question.id


async def figure_of_question(visit: Visit) -> Response:
    """A picture of the newest version, for those who may read that; reviewers may while they review it."""
    membership = await visit.writer_membership()
    question = await visit.bench.collecting.questions.find_question(
        membership.course, visit.request.path_params["question"]
    )
    if question is None:
        raise unknown_page_refusal()
    is_reviewer = membership.role in GRADERS and await visit.bench.collecting.reviews.is_reviewing(
        question, visit.account
    )
    if not is_reviewer and not _may_read(visit, membership, question):
        raise unknown_page_refusal()
    name = visit.request.path_params["figure"]
    chosen_figure = next((candidate for candidate in question.content.figures if candidate.sha256 == name), None)
    pictures = await visit.bench.collecting.questions.pictures_by_digest({question.id: question.content})
    if chosen_figure is None or name not in pictures:
        raise unknown_page_refusal()
    return picture_response(pictures[name], chosen_figure.media_type)


async def tries_fragment(visit: Visit) -> Response:
    """Answers of models so far, as a part of the question's page."""
    membership = await visit.writer_membership()
    question = await _readable_question(visit, membership)
    return render("question_tries", visit.session, **await _try_template_values(visit, question))


async def _questions_page(visit: Visit, membership: Membership, problem: FormProblem | None) -> Response:
    collecting = visit.bench.collecting
    call = await collecting.questions.find_call(membership.course)
    is_staff, is_reviewer = membership.role in STAFF, membership.role in GRADERS
    is_archived = await visit.is_archived()
    accepted_questions = await collecting.questions.accepted_questions(membership.course)
    return render(
        "questions",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        call=call,
        is_open=collecting.questions.is_open(call) and not is_archived,
        unfinished=await unfinished_rows(visit, membership),
        mine=await collecting.questions.authored_questions(membership.course, visit.account),
        waiting=await collecting.reviews.waiting_count(membership.course, visit.account) if is_reviewer else 0,
        authors=await collecting.statistics.ranked_authors(accepted_questions),
        is_staff=is_staff,
        is_reviewer=is_reviewer,
        is_archived=is_archived,
        states=await collecting.statistics.question_count_by_state(membership.course) if is_staff else {},
        reviewing=await collecting.statistics.review_statistics(membership.course) if is_staff else None,
        accepted=accepted_questions,
        returned=await collecting.questions.returned_pack_questions(membership.course) if is_staff else (),
        pack=questions_pack_name(membership.course) if call is not None else "",
        license=_LICENSE,
        formats=FORMATS,
        takedowns=await collecting.takedowns.takedowns(membership.course),
        takedown_reasons=TakedownReason,
        problem=problem,
    )


async def _refused_form_page(
    visit: Visit, membership: Membership, question: VersionedQuestion | None, error: Exception
) -> Response:
    await keep_refused_form(visit, membership, question)
    fields = sent_fields(visit, sent_format(visit, question))
    form = UnfinishedForm(sent_form_id(visit, question), fields, None)
    return await _form_page(visit, membership, question, form, _refusal_problem(error))


async def _form_page(
    visit: Visit,
    membership: Membership,
    question: VersionedQuestion | None,
    form: UnfinishedForm,
    problem: FormProblem | None,
) -> Response:
    return render(
        "question_form",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        **await _form_values(visit, membership, question, form),
        unfinished=await unfinished_rows(visit, membership) if question is None and problem is None else (),
        problem=problem,
    )


async def _form_values(
    visit: Visit, membership: Membership, question: VersionedQuestion | None, form: UnfinishedForm
) -> Mapping[str, Any]:
    call = await visit.bench.collecting.questions.find_call(membership.course)
    return {
        "member": membership,
        "question": question,
        "letters": LETTERS,
        "reviewers": call.reviewers if call is not None else 0,
        "form_shown": {
            **unfinished_form_template_values(form),
            "license": call.license if call is not None else "",
        },
    }


async def _question_page(
    visit: Visit, membership: Membership, question: VersionedQuestion, problem: FormProblem | None
) -> Response:
    collecting = visit.bench.collecting
    is_author = question.author == visit.account
    content = question.content
    earlier_versions = await collecting.questions.earlier_versions(question)
    fields = question_fields(content, earlier_versions.values(), credited=question.credited)
    form = UnfinishedForm(question.id, fields, None)
    if is_author and question.state in CHANGEABLE:
        unsaved_form = await unfinished_form(visit, membership, question.id)
        form = unsaved_form if unsaved_form is not None and unsaved_form.fields != form.fields else form
    content_by_number = {question.number: content, **earlier_versions}
    decided_reviews = await collecting.reviews.decided_reviews(question.id)
    return render(
        "question",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        **await _form_values(visit, membership, question, form),
        **await _try_template_values(visit, question),
        is_author=is_author,
        is_staff=membership.role in STAFF,
        takedowns=[
            takedown
            for takedown in await collecting.takedowns.takedowns(membership.course)
            if takedown.question == question.id
        ],
        takedown_reasons=TakedownReason,
        is_changeable=is_author and question.state in CHANGEABLE,
        format_name=FORMATS[content.format],
        has_twin=is_author and content.format.answered_by is AnswerKind.CHOICE and question.state in TWINNED,
        remarks=content.remarks(),
        # What one reviewer says of a version is shown once the version is decided.
        reviews=[review for review in decided_reviews if review.number < question.number or question.state in _DECIDED],
        versions_in_words=[
            number
            for number, version_content in content_by_number.items()
            if version_content.format in FORMATS_ANSWERED_IN_WORDS
        ],
        checks=list(ReviewCheck),
        models=collecting.tries.askable_models(question),
        tries_per_day=TRIES_PER_DAY,
        problem=problem,
    )


async def _try_template_values(visit: Visit, question: VersionedQuestion) -> Mapping[str, Any]:
    question_tries = await visit.bench.collecting.tries.answers_of_models(question)
    answered_models = {attempt.model for attempt in question_tries if attempt.said is not None}
    return {
        "untried": [
            name for name in visit.bench.collecting.tries.askable_models(question) if name not in answered_models
        ],
        "tries": question_tries,
        "is_in_words": question.content.format in FORMATS_ANSWERED_IN_WORDS,
        "is_trying": any(attempt.is_waiting for attempt in question_tries),
        "wrong": sum(attempt.is_right is False for attempt in question_tries),
    }


async def _readable_question(visit: Visit, membership: Membership) -> VersionedQuestion:
    question = await visit.bench.collecting.questions.find_question(
        membership.course, visit.request.path_params["question"]
    )
    if question is None or not _may_read(visit, membership, question):
        raise unknown_page_refusal()
    return question


def _may_read(visit: Visit, membership: Membership, question: VersionedQuestion) -> bool:
    """True if somebody may see a question with its key, whatever they may have to review."""
    if question.author == visit.account:
        return True
    # Nobody can change one that no person wrote, so no version of it comes to a reviewer again.
    is_over = question.state in _SHOWN or (not question.author and question.state is QuestionState.RETURNED)
    return membership.role in STAFF and is_over


def _refusal_problem(error: Exception) -> FormProblem:
    return form_problem_of_error(error, "Nothing was changed.")


def _redirect_within_course(membership: Membership, path: str) -> Response:
    return RedirectResponse(f"/courses/{quote(membership.course)}/{path}", HTTPStatus.SEE_OTHER, headers=SECURITY)
