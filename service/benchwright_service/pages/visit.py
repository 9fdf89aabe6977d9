"""A request for a page: who asks, and what they may see."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request

from benchwright_judges.service.refusals import Kind, RefusalError
from benchwright_remote.messages import Membership, Role
from benchwright_service.bench import Bench
from benchwright_service.sessions import BrowserSession

STAFF = frozenset({Role.OWNER, Role.STAFF})
"""Who may see students' work and change a course."""
_COOKIE = "benchwright_session"


def cookie_name(*, secure: bool) -> str:
    """The session's cookie; the prefix makes browsers refuse one that another host or plain HTTP has set."""
    return f"__Host-{_COOKIE}" if secure else _COOKIE


@dataclass(frozen=True)
class Visit:
    """One request."""

    bench: Bench
    request: Request
    session: BrowserSession | None
    form: FormData
    secure: bool

    @property
    def account(self) -> str:
        """Who asks; empty for who is not signed in."""
        return self.session.account if self.session is not None else ""

    def field(self, name: str, most: int = 1_000) -> str:
        """A field of the form, without the space around it."""
        value = self.form.get(name)
        return value.strip()[:most] if isinstance(value, str) else ""

    async def membership(self) -> Membership:
        """What the person who asks is in the course of the path.

        Raises:
            RefusalError: Nothing, as where there is no such course. A study's is none: its pages would show who is
                which participant, and outcomes.
        """
        wanted = self.request.path_params["course"]
        me = await self.bench.accounts.me(self.account)
        found = next((one for one in me.courses if one.course == wanted), None)
        if found is None or await self.bench.monitor.is_study(wanted):
            raise _unknown()
        return found

    async def staffed(self) -> Membership:
        """The same, if they are of its staff.

        Raises:
            RefusalError: They are not.
        """
        found = await self.membership()
        if found.role not in STAFF:
            raise _unknown()
        return found


def _unknown() -> RefusalError:
    return RefusalError(Kind.NOT_FOUND, "There is no such page.", "Go to your courses.")
