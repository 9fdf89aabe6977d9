"""Forms of questions that are not saved yet: kept while they are typed, shown as solvers will see them, discarded."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_problems.problem import QuestionFormat
from benchwright_remote.messages import Membership
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.question_form import (
    chosen_format,
    fields_in_format,
    form_template_values,
    format_of_fields,
    sent_fields,
)
from benchwright_service.pages.rendering import SECURITY, form_problem_of_error, render
from benchwright_service.pages.visit import Visit
from benchwright_service.questions.unfinished import UnfinishedForm
from benchwright_service.questions.writing import VersionedQuestion

_NEW_FORM = re.compile("n-[0-9a-f]{12}")


@dataclass(frozen=True)
class UnfinishedRow:
    """A form in the list of those that somebody left."""

    path: str
    """Its page, below the course's questions."""
    title: str
    kept_time: datetime | None


async def unfinished_rows(visit: Visit, membership: Membership) -> Sequence[UnfinishedRow]:
    """The forms that the person who asks has left in a course."""
    forms = await visit.bench.collecting.unfinished.forms_of_author(membership.course, visit.account)
    return [
        UnfinishedRow(
            f"exams/{form.id}"
            if "exam" in form.fields
            else f"new?form={form.id}"
            if _NEW_FORM.fullmatch(form.id)
            else form.id,
            str(form.fields["title"]),
            form.kept_time,
        )
        for form in forms
    ]


async def unfinished_form(visit: Visit, membership: Membership, form_id: str) -> UnfinishedForm | None:
    """Returns a form as the person who asks left it; None if they left none of that id."""
    form = await visit.bench.collecting.unfinished.find(membership.course, visit.account, form_id)
    return form if form is not None and "exam" not in form.fields else None


def new_form_id() -> str:
    """An id for the form of a question that there is not yet."""
    return f"n-{uuid.uuid4().hex[:12]}"


def sent_format(visit: Visit, question: VersionedQuestion | None) -> QuestionFormat:
    """The format of the form that was sent; the saved question's if the form names none."""
    saved_format = question.content.format.value if question is not None else ""
    return chosen_format(visit.form_field("format") or saved_format)


def sent_form_id(visit: Visit, question: VersionedQuestion | None) -> str:
    """The id of the form that was sent."""
    if question is not None:
        return question.id
    sent_id = visit.form_field("form")
    return sent_id if _NEW_FORM.fullmatch(sent_id) else new_form_id()


async def keep_or_discard_if_asked(
    visit: Visit, membership: Membership, question: VersionedQuestion | None
) -> Response | None:
    """Keeps or discards the form that was sent; None if it asks for anything else.

    Args:
        visit: The request.
        membership: Membership of the author.
        question: The question that the form changes; None for a new one.

    Raises:
        BenchServiceError: The form can't be kept.
    """
    act, form_id = visit.form_field("act"), sent_form_id(visit, question)
    if act == "preview":
        return await _keep_form_and_make_preview(visit, membership, form_id, _sent_fields(visit, question))
    if act == "discard":
        await visit.bench.collecting.unfinished.discard(membership.course, visit.account, form_id)
        return _redirect_to_questions(membership, question.id if question is not None else "new")
    if act not in ("keep", "format"):
        return None
    fields = _sent_fields(visit, question)
    if act == "format":
        fields = fields_in_format(fields, chosen_format(visit.form_field("new-format")))
    await visit.bench.collecting.unfinished.keep(membership.course, visit.account, form_id, fields)
    return _redirect_to_questions(membership, f"{question.id}#preview-title" if question else f"new?form={form_id}")


async def keep_refused_form(visit: Visit, membership: Membership, question: VersionedQuestion | None) -> None:
    """Keeps a form that could not be saved, as far as that can be."""
    fields = _sent_fields(visit, question)
    # The page has the form again, and says why it was refused.
    with suppress(BenchServiceError):
        await visit.bench.collecting.unfinished.keep(
            membership.course, visit.account, sent_form_id(visit, question), fields
        )


async def _keep_form_and_make_preview(
    visit: Visit, membership: Membership, form_id: str, fields: Mapping[str, Any]
) -> Response:
    problem, form = None, UnfinishedForm(form_id, fields, None)
    try:
        form = await visit.bench.collecting.unfinished.keep(membership.course, visit.account, form_id, fields)
    except BenchServiceError as error:
        problem = form_problem_of_error(error, "What you type is shown, and not kept.")
    figures_path = f"/courses/{quote(membership.course)}/questions/{form_id}/figures"
    return render(
        "question_preview",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        form_shown=unfinished_form_template_values(replace(form, fields=fields)),
        pictures="" if _NEW_FORM.fullmatch(form_id) else figures_path,
        problem=problem,
    )


def unfinished_form_template_values(form: UnfinishedForm) -> Mapping[str, Any]:
    """Values that the templates of a form and of its preview name."""
    values = form_template_values(format_of_fields(form.fields), form.fields)
    return {**values, "form_id": form.id, "kept": form.kept_time}


def _sent_fields(visit: Visit, question: VersionedQuestion | None) -> Mapping[str, Any]:
    return sent_fields(visit, sent_format(visit, question))


def _redirect_to_questions(membership: Membership, path: str) -> Response:
    address = f"/courses/{quote(membership.course)}/questions/{path}"
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=SECURITY)
