"""Questions in the browser: what a course collects, an author's form, and a reviewer's."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from benchwright_authoring.review.checks import Check
from benchwright_authoring.written_question import (
    LETTERS,
    MOST_CHARACTERS,
    MOST_OPTION_CHARACTERS,
    WrittenQuestion,
)
from benchwright_problems.problem import Skill
from benchwright_remote.messages import Membership, Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.rendering import SECURITY, Problem, render
from benchwright_service.pages.visit import GRADERS, STAFF, Visit, unknown_page, whole_number
from benchwright_service.questions.publishing import pack_name
from benchwright_service.questions.reviewing import LONGEST_COMMENT, Desk
from benchwright_service.questions.trying import TRIES_PER_DAY
from benchwright_service.questions.writing import CHANGEABLE, Call, Question, QuestionState

_LICENSE = "CC-BY-4.0"
_NAMES = {
    "title": "The title",
    "statement": "The question",
    "choices": "An option",
    "answer": "The right option",
    "explanation": "The explanation",
    "topic": "The topic",
    "skill": "The skill",
}
_DECIDED = frozenset({QuestionState.ACCEPTED, QuestionState.RETURNED, QuestionState.WITHDRAWN})
_SHOWN = frozenset({QuestionState.ACCEPTED, QuestionState.WITHDRAWN})
"""What staff may read: the key of what they may still have to review would spoil that."""


async def questions(visit: Visit) -> Response:
    """What the course collects: one's own questions, the ranking, and for staff how far it is."""
    return await _questions(visit, await _writer(visit), None)


async def invite(visit: Visit) -> Response:
    """Has the course collect questions, or changes how."""
    member = await visit.changing()
    try:
        pack_name(member.course)
        call = Call(visit.field("title"), visit.field("license"), visit.time("opens"), visit.time("closes"))
        await visit.bench.collecting.questions.invite(member.course, call)
    except (ValueError, BenchServiceError) as error:
        return await _questions(visit, member, Problem(_sentence(error), "Correct it, and send the form again."))
    await visit.bench.audit.note(visit.account, member.course, "collected questions", "")
    return _onward(member, "questions")


async def publish(visit: Visit) -> Response:
    """Makes the accepted questions the next version of the course's pack."""
    member = await visit.changing()
    try:
        pack = await visit.bench.collecting.publishing.publish(member.course)
    except BenchServiceError as error:
        return await _questions(visit, member, Problem(_sentence(error), "Publish once that has changed."))
    await visit.bench.audit.note(visit.account, member.course, "published questions", f"{pack.name} {pack.version}")
    return _onward(member, "questions")


async def new(visit: Visit) -> Response:
    """An empty form."""
    member = await _writer(visit)
    return await _form(visit, member, None, {}, None)


async def create(visit: Visit) -> Response:
    """Takes a new question."""
    member = await _writer(visit)
    try:
        _demand_consent(visit)
        content = _content(visit)
        name = await visit.bench.collecting.questions.create(
            member.course, visit.account, content, credited=_is_credited(visit)
        )
    except (ValueError, BenchServiceError) as error:
        return await _form(visit, member, None, _fields(visit), _refused(error))
    return _onward(member, f"questions/{name}")


async def question(visit: Visit) -> Response:
    """One question: for its author with what can be done, for staff once it is decided."""
    member = await _writer(visit)
    return await _question(visit, member, await _found(visit, member), None)


async def change(visit: Visit) -> Response:
    """What the author does with it: save, try, submit, withdraw."""
    member = await _writer(visit)
    found = await _found(visit, member)
    collecting, act = visit.bench.collecting, visit.field("act")
    try:
        if found.author != visit.account or await visit.is_archived():
            raise BenchServiceError("only its author can change the question, and not in an archived course")
        if act == "save":
            _demand_consent(visit)
            await collecting.questions.change(
                member.course, found.id, visit.account, _content(visit), credited=_is_credited(visit)
            )
        elif act == "try":
            await collecting.tries.begin(member.course, found)
        elif act == "submit":
            await collecting.questions.submit(member.course, found.id, visit.account)
        elif act == "withdraw":
            await collecting.questions.withdraw(member.course, found.id, visit.account)
        else:
            raise unknown_page()
    except (ValueError, BenchServiceError) as error:
        if act == "save":
            return await _form(visit, member, found, _fields(visit), _refused(error))
        return await _question(visit, member, found, _refused(error))
    return _onward(member, f"questions/{found.id}")


async def tries(visit: Visit) -> Response:
    """What models have said so far, as a part of the question's page."""
    member = await _writer(visit)
    found = await _found(visit, member)
    return render("question_tries", visit.session, **await _tried(visit, found))


async def review(visit: Visit) -> Response:
    """The next question for a reviewer."""
    return await _review(visit, await visit.grading(), None)


async def decide(visit: Visit) -> Response:
    """Takes a reviewer's answer, and then the decision."""
    member = await visit.grading()
    reviews = visit.bench.collecting.reviews
    name, number = visit.field("question"), whole_number(visit.field("number")) or 0
    try:
        if await visit.is_archived():
            raise BenchServiceError("the course is archived")
        if visit.field("act") == "answer":
            await reviews.answer(member.course, visit.account, name, number, visit.field("answer"))
        else:
            await reviews.decide(
                member.course,
                visit.account,
                name,
                number,
                accepts=visit.field("act") == "accept",
                checks=[one for one in Check if one.name in visit.chosen("checks")],
                comment=_written(visit, "comment", LONGEST_COMMENT),
            )
            # Which one stays unsaid: its author may be of the staff.
            await visit.bench.audit.note(visit.account, member.course, "reviewed question", "")
    except BenchServiceError as error:
        return await _review(visit, member, _refused(error))
    return _onward(member, "review")


async def _questions(visit: Visit, member: Membership, problem: Problem | None) -> Response:
    collecting = visit.bench.collecting
    call = await collecting.questions.call(member.course)
    is_staff, is_reviewer = member.role in STAFF, member.role in GRADERS
    is_archived = await visit.is_archived()
    accepted = await collecting.questions.accepted(member.course)
    return render(
        "questions",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=member,
        call=call,
        is_open=collecting.questions.is_open(call) and not is_archived,
        mine=await collecting.questions.by(member.course, visit.account),
        waiting=await collecting.reviews.waiting(member.course, visit.account) if is_reviewer else 0,
        authors=await collecting.standing.authors(accepted),
        is_staff=is_staff,
        is_reviewer=is_reviewer,
        is_archived=is_archived,
        states=await collecting.standing.states(member.course) if is_staff else {},
        reviewing=await collecting.standing.reviewing(member.course) if is_staff else None,
        accepted=accepted,
        pack=pack_name(member.course) if call is not None else "",
        license=_LICENSE,
        problem=problem,
    )


async def _form(
    visit: Visit, member: Membership, found: Question | None, fields: Mapping[str, Any], problem: Problem | None
) -> Response:
    return render(
        "question_form",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        **await _form_values(visit, member, found, fields),
        problem=problem,
    )


async def _form_values(
    visit: Visit, member: Membership, found: Question | None, fields: Mapping[str, Any]
) -> Mapping[str, Any]:
    call = await visit.bench.collecting.questions.call(member.course)
    values = dict.fromkeys((*_NAMES, *LETTERS), "") | {"credited": True, "consent": False}
    return {
        "member": member,
        "question": found,
        "fields": values | dict(fields),
        "letters": LETTERS,
        "skills": [skill.value for skill in Skill],
        "most": MOST_CHARACTERS,
        "license": call.license if call is not None else "",
        "most_option": MOST_OPTION_CHARACTERS,
    }


async def _question(visit: Visit, member: Membership, found: Question, problem: Problem | None) -> Response:
    collecting = visit.bench.collecting
    is_author = found.author == visit.account
    content = found.content
    fields = content.model_dump(mode="json", exclude={"choices"}) | {"credited": found.credited, "consent": True}
    fields |= dict(zip(LETTERS, content.choices, strict=True)) | {"skill": content.skill or ""}
    decided = await collecting.reviews.of(found.id)
    return render(
        "question",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        **await _form_values(visit, member, found, fields),
        **await _tried(visit, found),
        is_author=is_author,
        is_changeable=is_author and found.state in CHANGEABLE,
        remarks=content.remarks(),
        # What one reviewer says of a version is shown once the version is decided.
        reviews=[one for one in decided if one.number < found.number or found.state in _DECIDED],
        checks=list(Check),
        models=collecting.tries.models,
        tries_per_day=TRIES_PER_DAY,
        problem=problem,
    )


async def _tried(visit: Visit, found: Question) -> Mapping[str, Any]:
    tried = await visit.bench.collecting.tries.of(found)
    said = {one.model for one in tried if one.said is not None}
    return {
        "untried": [name for name in visit.bench.collecting.tries.models if name not in said],
        "tries": tried,
        "key": found.content.answer,
        "is_trying": any(one.is_waiting for one in tried),
        "wrong": sum(one.is_wrong(found.content.answer) for one in tried),
    }


async def _review(visit: Visit, member: Membership, problem: Problem | None) -> Response:
    is_archived = await visit.is_archived()
    desk = Desk(None, 0) if is_archived else await visit.bench.collecting.reviews.desk(member.course, visit.account)
    return render(
        "review",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=member,
        question=desk.question,
        left=desk.left,
        answer=desk.answer,
        # Nothing of the key is in the page before the reviewer has answered.
        remarks=desk.question.content.remarks() if desk.question is not None and desk.answer else (),
        # What was written is not lost with a refusal.
        comment=_written(visit, "comment", LONGEST_COMMENT) if problem else "",
        ticked=visit.chosen("checks") if problem else (),
        letters=LETTERS,
        checks=list(Check),
        longest=LONGEST_COMMENT,
        problem=problem,
    )


async def _writer(visit: Visit) -> Membership:
    """Who may write questions: everybody of a course that collects some, and its staff who may begin that."""
    member = await visit.membership()
    if member.role is Role.MONITOR:
        raise unknown_page()
    if member.role not in STAFF and await visit.bench.collecting.questions.call(member.course) is None:
        raise unknown_page()
    return member


async def _found(visit: Visit, member: Membership) -> Question:
    found = await visit.bench.collecting.questions.one(member.course, visit.request.path_params["question"])
    if found is None:
        raise unknown_page()
    if found.author != visit.account and not (member.role in STAFF and found.state in _SHOWN):
        raise unknown_page()
    return found


def _fields(visit: Visit) -> Mapping[str, Any]:
    named = [name for name in (*_NAMES, *LETTERS) if name != "choices"]
    found: dict[str, Any] = {name: _written(visit, name, MOST_CHARACTERS) for name in named}
    return found | {"credited": _is_credited(visit), "consent": visit.field("consent") == "yes"}


def _written(visit: Visit, name: str, most: int) -> str:
    """A text of the form, with one character for a line's end as browsers count it; one that is too long stays so."""
    return visit.field(name, 2 * most + 2).replace("\r\n", "\n")


def _content(visit: Visit) -> WrittenQuestion:
    """The question of the form.

    Raises:
        ValueError: A field is empty, too long or none of its values.
    """
    fields = _fields(visit)
    values = {name: fields[name] for name in _NAMES if name != "choices"}
    values |= {"choices": tuple(fields[letter] for letter in LETTERS), "skill": fields["skill"] or None}
    try:
        return WrittenQuestion.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        why = first["msg"].removeprefix("Value error, ").lower()
        raise ValueError(f"{_NAMES[str(first['loc'][0])]} can't be like that: {why}") from None


def _demand_consent(visit: Visit) -> None:
    if visit.field("consent") != "yes":
        raise BenchServiceError("a question is taken only if it is yours to give away; confirm that below the form")


def _is_credited(visit: Visit) -> bool:
    return visit.field("credited") == "yes"


def _refused(error: Exception) -> Problem:
    return Problem(_sentence(error), "Nothing was changed.")


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


def _onward(member: Membership, path: str) -> Response:
    return RedirectResponse(f"/courses/{quote(member.course)}/{path}", HTTPStatus.SEE_OTHER, headers=SECURITY)
