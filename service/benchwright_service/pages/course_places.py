"""The navigation inside a course or a study: the places of it that a person may go to, and which one a page is in."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from benchwright_remote.messages import Membership, Role
from benchwright_service.pages.rendering import Place
from benchwright_service.pages.visit import GRADERS, STAFF, Visit

_HOME = ""
_PLACE_OF_SEGMENT = {
    "assignments": _HOME,
    "problems": _HOME,
    "attempts": "progress",
    "regrades": "items",
    "review": "questions",
}
"""Places of pages below others, by the part of the address after the course."""


async def places_of_visit(visit: Visit, membership: Membership) -> Sequence[Sequence[Place]]:
    """The places in groups, each with what belongs together; none if there is but one."""
    _, kind, _, *path_parts = visit.request.scope["path"].split("/")
    segment = path_parts[0] if path_parts else _HOME
    shown_place = "/".join(path_parts[:2]) if segment == "mine" else _PLACE_OF_SEGMENT.get(segment, segment)
    titles_by_place = _study_places(membership) if kind == "studies" else await _course_places(visit, membership)
    is_staff = kind == "courses" and membership.role in STAFF
    waiting = await visit.bench.grades.history.waiting_appeal_count(membership.course) if is_staff else 0
    place_groups = [
        [
            Place(
                f"/{kind}/{quote(membership.course)}/{place}".rstrip("/"),
                title,
                "" if place != shown_place else "page" if place == "/".join(path_parts) else "true",
                waiting if place == "appeals" else 0,
            )
            for place, title in group.items()
        ]
        for group in titles_by_place
        if group
    ]
    return place_groups if sum(map(len, place_groups)) > 1 else ()


async def _course_places(visit: Visit, membership: Membership) -> Sequence[dict[str, str]]:
    role = membership.role
    if role in STAFF:
        return (
            {_HOME: "Assignments", "progress": "Progress"},
            {
                "grades": "Grades",
                "answers": "Grade answers",
                "appeals": "Appeals",
                "late-days": "Late days",
                "items": "How good the problems are",
            },
            {"questions": "Questions", "people": "People", "audit": "Who saw and changed what"},
            {"settings": "Settings", "copy": "Copy for a new term"} if role is Role.OWNER else {},
        )
    own_assignments = await visit.visible_assignments(membership) if role is Role.PARTICIPANT else ()
    collects = (
        role is not Role.MONITOR and await visit.bench.collecting.questions.find_call(membership.course) is not None
    )
    return (
        {_HOME: "Assignments"} | {f"mine/{view.id}": view.title for view in own_assignments},
        ({"answers": "Grade answers"} if role in GRADERS else {}) | ({"questions": "Questions"} if collects else {}),
    )


def _study_places(membership: Membership) -> Sequence[dict[str, str]]:
    if membership.role is not Role.OWNER:
        return ()
    return ({_HOME: "Participants", "closing": "Closing and report", "audit": "Who saw and changed what"},)
