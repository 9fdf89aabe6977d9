"""Making an assignment in the browser from the problems of a pack, and changing it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, tzinfo
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_problems.aids import Aid
from benchwright_problems.assistance import AllowedHelp, Assistance
from benchwright_problems.errors import UnknownProblemError
from benchwright_problems.reveal import Reveal
from benchwright_remote.messages import AssignmentView, Membership
from benchwright_service.courses.assistance_rule import assistance_rule
from benchwright_service.courses.courses import AssignmentRules
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.rendering import (
    SECURITY,
    FieldError,
    FormProblem,
    form_problem_of_error,
    render,
    zone_of_reader,
)
from benchwright_service.pages.visit import Visit, unknown_page_refusal, whole_number_or_none
from benchwright_teaching.local_times import local_time_text, zone_of
from benchwright_teaching.reveal_phases import RevealPhases

_MOST_RUNS = 10_000
_FIELDS = (
    "pack",
    "title",
    "opens",
    "due",
    "closes",
    "runs",
    "reveal",
    "reveal-after-due",
    "reveal-after-closing",
    "assistance",
    "extensions",
    "aids-said",
    "aids",
)
"""Of the form for an assignment."""


async def new_assignment_page(visit: Visit) -> Response:
    """The form for a new one, with the problems of a pack."""
    await visit.changeable_membership()
    return await _new_assignment_page(visit, visit.query_field("pack"), None)


async def submit_new_assignment(visit: Visit) -> Response:
    """Makes an assignment."""
    membership = await visit.changeable_membership()
    pack = visit.form_field("pack")
    try:
        rules = _rules_of_form(visit, membership)
        assignment_id = await visit.bench.courses.make_assignment(
            membership.course,
            pack,
            title=rules.title,
            problems=await _chosen_problems(visit, pack) or None,
            opens=rules.opens,
            due=rules.due,
            closes=rules.closes,
            most_runs=rules.most_runs,
            reveal=rules.reveal.before_due,
            reveal_after_due=rules.reveal.after_due,
            reveal_after_closing=rules.reveal.after_closing,
            assistance=rules.assistance,
            aids=rules.aids,
        )
    except (BenchServiceError, ValueError) as error:
        problem = form_problem_of_error(error, "Correct the field, and assign again.")
        return await _new_assignment_page(visit, pack, problem)
    await visit.bench.audit.record_action(visit.account, membership.course, "assigned", assignment_id)
    return RedirectResponse(f"/courses/{quote(membership.course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def assignment_form_page(visit: Visit) -> Response:
    """The form to change one."""
    return await _form_page(visit, None)


async def submit_assignment_change(visit: Visit) -> Response:
    """Changes it."""
    membership = await visit.changeable_membership()
    view = await _chosen_assignment(visit)
    try:
        await visit.bench.courses.change_assignment(membership.course, view.id, _rules_of_form(visit, membership, view))
    except (BenchServiceError, ValueError) as error:
        return await _form_page(visit, form_problem_of_error(error, "Correct the field, and send the form again."))
    await visit.bench.audit.record_action(visit.account, membership.course, "changed assignment", view.id)
    return RedirectResponse(f"/courses/{quote(membership.course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def _form_page(visit: Visit, problem: FormProblem | None) -> Response:
    membership = await visit.staff_membership()
    view = await _chosen_assignment(visit)
    return render(
        "assignment",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        assignment=view,
        titles=await visit.bench.courses.problem_titles([view.pack]),
        is_archived=await visit.is_archived(),
        policies=list(Reveal),
        problem=problem,
        fields=_sent_fields(visit)
        if problem
        else _fields_of_assignment(view, zone_of_reader(visit.session, zone_of(membership.zone))),
    )


async def _new_assignment_page(visit: Visit, pack_name: str, problem: FormProblem | None) -> Response:
    membership = await visit.changeable_membership()
    pack_names = await asyncio.to_thread(visit.bench.courses.pack_names)
    shown_pack = pack_name if pack_name in pack_names else next(iter(pack_names), None)
    return render(
        "new_assignment",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        packs=pack_names,
        pack=await visit.bench.courses.assignable_pack(shown_pack) if shown_pack is not None else None,
        chosen=_ticked_problems(visit),
        policies=list(Reveal),
        problem=problem,
        fields=_sent_fields(visit) | {"pack": shown_pack or ""},
    )


async def _chosen_problems(visit: Visit, pack_name: str) -> Sequence[str]:
    """The problems that are ticked; none for all.

    Raises:
        FieldError: There is no such pack, or it has no such problem.
    """
    chosen_names = _ticked_problems(visit)
    try:
        pack = await visit.bench.courses.assignable_pack(pack_name)
    except UnknownProblemError:
        raise FieldError("pack", f"The service has no pack {pack_name}.") from None
    unknown_names = set(chosen_names) - {problem.id for problem in pack.problems}
    if unknown_names:
        raise FieldError("problems", f"The pack {pack_name} has no problem {min(unknown_names)}.")
    return chosen_names


def _ticked_problems(visit: Visit) -> Sequence[str]:
    return [name for text in visit.ticked_values("problems") for name in text.split()]


async def _chosen_assignment(visit: Visit) -> AssignmentView:
    membership = await visit.staff_membership()
    assignment_id = visit.request.path_params["assignment"]
    view = next(
        (
            candidate
            for candidate in await visit.bench.courses.all_assignments(membership.course)
            if candidate.id == assignment_id
        ),
        None,
    )
    if view is None:
        raise unknown_page_refusal()
    return view


def _rules_of_form(visit: Visit, membership: Membership, view: AssignmentView | None = None) -> AssignmentRules:
    """Returns the rules that a form gives.

    Raises:
        FieldError: A field is none of its values, or does not fit another.
    """
    rules = AssignmentRules(
        visit.form_field("title", 200),
        _changed_or_kept_time(visit, "opens", membership, view.opens if view is not None else None),
        _changed_or_kept_time(visit, "due", membership, view.due if view is not None else None),
        _changed_or_kept_time(visit, "closes", membership, view.closes if view is not None else None),
        _run_limit_of_text(visit.form_field("runs")),
        RevealPhases(*(_reveal_policy(visit, name) for name in ("reveal", "reveal-after-due", "reveal-after-closing"))),
        _assistance_rule(visit),
        _ticked_aids_or_all(visit),
    )
    try:
        rules.check()
    except BenchServiceError as error:
        raise FieldError("closes", str(error)) from error
    return rules


def _changed_or_kept_time(
    visit: Visit, field_name: str, membership: Membership, old_time: datetime | None
) -> datetime | None:
    """A time of the form; the old one where the form has what it showed, which says no seconds and not which of two."""
    if old_time is not None and visit.form_field(field_name) == _time_field(old_time, visit.form_zone(membership)):
        return old_time
    return visit.form_time(field_name, membership)


def _reveal_policy(visit: Visit, field_name: str) -> Reveal | None:
    value = visit.form_field(field_name)
    return Reveal(value) if value in {reveal.value for reveal in Reveal} else None


def _assistance_rule(visit: Visit) -> Assistance | None:
    value = visit.form_field("assistance")
    allowed = AllowedHelp(value) if value in {allowance.value for allowance in AllowedHelp} else None
    try:
        return assistance_rule(allowed, visit.form_field("extensions", 4_000).replace(",", " ").split())
    except BenchServiceError as error:
        raise FieldError("extensions", str(error)) from error


def _ticked_aids_or_all(visit: Visit) -> frozenset[Aid] | None:
    """The aids that are ticked; None for all, and if the form does not ask."""
    ticked = set(visit.ticked_values("aids"))
    if not visit.form_field("aids-said") or ticked >= set(Aid):
        return None
    return frozenset(aid for aid in Aid if aid.value in ticked)


def _sent_fields(visit: Visit) -> dict[str, str]:
    """Fields that a form was sent with, to be corrected."""
    return {name: visit.form_field(name) for name in _FIELDS} | {"aids": " ".join(visit.ticked_values("aids"))}


def _fields_of_assignment(view: AssignmentView, zone: tzinfo) -> dict[str, str]:
    """Fields of the form for an assignment as it is."""
    rule = view.assistance
    return dict.fromkeys(_FIELDS, "") | {
        "title": view.title,
        "opens": _time_field(view.opens, zone),
        "due": _time_field(view.due, zone),
        "closes": _time_field(view.closes, zone),
        "runs": str(view.most_runs or ""),
        "reveal": view.reveal or "",
        "reveal-after-due": view.reveal_after_due or "",
        "reveal-after-closing": view.reveal_after_closing or "",
        "assistance": rule.allowed.value if rule is not None else "",
        "extensions": " ".join(rule.extensions) if rule is not None else "",
        "aids-said": "yes",
        "aids": " ".join(Aid if view.aids is None else view.aids),
    }


def _time_field(moment: datetime | None, zone: tzinfo) -> str:
    return local_time_text(moment, zone) if moment is not None else ""


def _run_limit_of_text(text: str) -> int | None:
    if not text:
        return None
    count = whole_number_or_none(text)
    if count is None or not 1 <= count <= _MOST_RUNS:
        raise FieldError("runs", f"“runs” is no number from 1 to {_MOST_RUNS:,}.")
    return count
