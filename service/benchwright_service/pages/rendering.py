"""Pages from templates. Every text is escaped; there are no scripts but our own files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from benchwright_foundation.number_text import clock_text, duration, number, percent, points_without_noun, signed_number
from benchwright_foundation.page_style import tokens_css
from benchwright_problems.figure import MediaType
from benchwright_problems.test_groups import group_scores
from benchwright_remote.messages import Membership
from benchwright_service.accounts.sessions import BrowserSession
from benchwright_service.pages.markdown import is_plain_text, markdown_html
from benchwright_service.storage.tables import moment
from benchwright_service.studies.lab_monitor import elapsed_text
from benchwright_teaching.local_times import in_zone, is_zone, local_time_text, zone_of, zoned_time_text

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SECURITY = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every page."""
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
"""A picture that is opened by itself is a document, and an SVG may have scripts."""


@dataclass(frozen=True)
class _ShownZones:
    """Time zones of a page."""

    reader: tzinfo
    course: tzinfo


_WITHOUT_COURSE = _ShownZones(UTC, UTC)
_SHOWN_ZONES: ContextVar[_ShownZones] = ContextVar("shown zones", default=_WITHOUT_COURSE)
"""Of the page that is rendered: templates' macros have no context."""


@dataclass(frozen=True)
class Place:
    """A page to which the navigation inside a course leads."""

    path: str
    title: str
    current: str
    """Value of `aria-current`; empty if the shown page is elsewhere."""
    waiting: int = 0
    """Number of things that wait there for the staff."""


class FieldError(ValueError):
    """A field of a form has no value that it can have.

    Args:
        field: Name of the field.
        text: Reason, for whoever has to correct it.
    """

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True)
class FormProblem:
    """Reason why a form was not taken."""

    detail: str
    next_step: str
    field: str = ""
    """Field of the form that has to be corrected; empty if it is no single one."""


def form_problem_of_error(error: Exception, next_step: str) -> FormProblem:
    """Returns the problem that an error names, as a sentence."""
    text = str(error)
    field = error.field if isinstance(error, FieldError) else ""
    return FormProblem(f"{text[:1].upper()}{text[1:]}".rstrip(".") + ".", next_step, field)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("benchwright_service.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["time"] = _shown_time
    environment.filters["plain_time"] = _plain_time
    environment.filters["time_field"] = _time_field
    environment.filters["ago"] = _shown_ago
    environment.filters["clock"] = clock_text
    environment.filters["duration"] = duration
    environment.filters["number"] = number
    environment.filters["words_of_reply"] = _reason_of_reply
    environment.filters["percent"] = percent
    environment.filters["points"] = points_without_noun
    environment.filters["moment"] = moment
    environment.filters["change"] = signed_number
    environment.filters["markdown"] = markdown_html
    environment.tests["plain_text"] = is_plain_text
    environment.globals["group_scores"] = group_scores
    environment.globals["form_zone"] = lambda: str(_SHOWN_ZONES.get().reader)
    environment.globals["course_zone"] = lambda: str(_SHOWN_ZONES.get().course)
    environment.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    return environment


def _reason_of_reply(reply: str, *, includes_answer: bool) -> str:
    """The reason in a model's reply, after its answer unless that is beside it; all of a reply of another form."""
    try:
        fields = json.loads(reply)
        words = [
            fields[name] for name in ("answer", "reason") if name in fields and (includes_answer or name == "reason")
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        return reply
    return "\n\n".join(map(str, words)) if any(isinstance(word, str) and word.strip() for word in words) else reply


def render(
    template_name: str, session: BrowserSession | None, status: int = 200, **template_values: Any
) -> TemplatePage:
    """A page.

    Args:
        template_name: Its name.
        session: Session of the person who looks at it; None for nobody.
        status: HTTP status of the response.
        template_values: Values that the template names.
    """
    return TemplatePage(f"{template_name}.html", status, {"places": ()} | template_values | {"session": session})


def picture_response(content: bytes, media_type: MediaType) -> Response:
    """A picture, for a page that shows it."""
    headers = SECURITY | {"Content-Security-Policy": _PICTURE_POLICY}
    return Response(content, media_type=media_type.value, headers=headers)


class TemplatePage(HTMLResponse):
    """Rendered when it is sent, in a thread: a table of a whole course takes longer than others should wait."""

    def __init__(self, template_name: str, status: int, template_values: Mapping[str, Any]) -> None:
        super().__init__("", status, headers=SECURITY)
        self._template = template_name
        self._values = template_values

    @property
    def membership(self) -> Membership | None:
        """The membership in the course or study that the page is in; None if it is in none."""
        membership = self._values.get("member")
        return membership if isinstance(membership, Membership) else None

    def show_places(self, places: Sequence[Sequence[Place]]) -> None:
        """Gives the page its navigation: the places of its course, in groups."""
        self._values = {**self._values, "places": places}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Renders it, and sends it."""
        self.body = await asyncio.to_thread(self._rendered_page)
        self.headers["Content-Length"] = str(len(self.body))
        await super().__call__(scope, receive, send)

    def _rendered_page(self) -> bytes:
        _SHOWN_ZONES.set(_zones_of_page(self._values))
        return _environment().get_template(self._template).render(self._values).encode(self.charset)


def _zones_of_page(values: Mapping[str, Any]) -> _ShownZones:
    """The zones of a page's times: those of a course are its own where nobody knows the reader's."""
    membership, session = values.get("member"), values["session"]
    course_zone = zone_of(membership.zone) if isinstance(membership, Membership) else UTC
    return _ShownZones(zone_of_reader(session, course_zone), course_zone)


def zone_of_reader(session: BrowserSession | None, course_zone: tzinfo) -> tzinfo:
    """The time zone in which a page shows times: where its reader is; the course's where nobody knows that."""
    return zone_of(session.zone) if session is not None and is_zone(session.zone) else course_zone


ASSETS = {
    "live.js": "text/javascript",
    "pages.css": "text/css",
    "replay.css": "text/css",
    "replay.js": "text/javascript",
    "replay-text.js": "text/javascript",
    "picker.js": "text/javascript",
    "question-form.js": "text/javascript",
    "tables.js": "text/javascript",
    "zone.js": "text/javascript",
}
"""Files that pages name, with their media types."""


@cache
def asset_content(asset_name: str) -> bytes:
    """One of them."""
    content = files("benchwright_service.pages").joinpath("static", asset_name).read_bytes()
    return tokens_css().encode() + content if asset_name == "pages.css" else content


def _shown_time(moment: datetime | None) -> str:
    """A time where its reader is, with that of the course in its title."""
    if moment is None:
        return ""
    zones = _SHOWN_ZONES.get()
    titles = [f"{in_zone(moment, zone):%Y-%m-%d %H:%M} in {zone}" for zone in (zones.reader, zones.course)]
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        moment.astimezone(UTC).isoformat(timespec="seconds"),
        "; ".join(dict.fromkeys(titles)),
        _plain_time(moment),
    )


def _plain_time(moment: datetime | None) -> str:
    """The same for where there is no room for a title."""
    return zoned_time_text(moment, _SHOWN_ZONES.get().reader) if moment is not None else ""


def _time_field(moment: datetime | None) -> str:
    """A time as a field of a form has it, where its reader is."""
    return local_time_text(moment, _SHOWN_ZONES.get().reader) if moment is not None else ""


def _shown_ago(moment: datetime | None, current_time: datetime) -> str:
    return f"{elapsed_text(moment, current_time)} ago" if moment is not None else ""
