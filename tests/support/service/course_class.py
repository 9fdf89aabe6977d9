"""The students of a course: as their school knows them, and as they come to the service and work there."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import httpx2

from benchwright_studies.conduct.study_log import StudyLog

from .bench_service import Course, Service, Solver
from .bench_service_pages import browser, csrf, program_token
from .lti_launch import CLAIM, CONTEXT, LEARNER, SECOND, Platform, School
from .mail_server import MailServer
from .persistent_solver import Acknowledged, PersistentSolver
from .sign_in_by_provider import sign_in

_NAMES = ("Müller, Jürgen", "Łukasiewicz, Zoë", "O'Brien, Ada", "Öztürk, Ömer", "Sørensen, Anaïs", "Groß, Weiß")
LINE_ITEMS = {CONTEXT: "", SECOND: "/second"}
"""Each course of the learning management system → path of its services."""


@dataclass(frozen=True)
class Person:
    """A student as the school knows them."""

    number: int
    name: str
    email: str

    @property
    def sis_id(self) -> str:
        """What never changes."""
        return f"S{self.number:05}"

    @classmethod
    def numbered(cls, number: int) -> Person:
        """One of them; some have the same name."""
        return cls(number, _NAMES[number % len(_NAMES)], f"student{number}@example.org")


def canvas_roster(persons: Sequence[Person]) -> str:
    """A roster as Canvas exports it, with rows that are no people, repeated ones, and capitals."""
    lines = ["\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Week 1 (42)", "    Points Possible,,,,,4"]
    for person in persons:
        row = f'"{person.name}",{7_000 + person.number},{person.sis_id},{person.email},Lab A,'
        lines.append(row.replace(person.email, person.email.upper()) if person.number % 4 == 1 else row)
        if person.number % 5 == 2:
            # Who is in two sections, in another's spelling.
            lines.append(row.replace(person.name, person.name.upper()).replace("Lab A", '"Lab A, Lab B"'))
    lines.append('"Student, Test",9999,,0123456789abcdef,Lab A,')
    return "\r\n".join(lines) + "\r\n"


@dataclass(frozen=True)
class Systems:
    """All that students come by."""

    processes: Sequence[Service]
    course: Course
    platform: Platform
    provider: str
    mails: MailServer


class Student:
    """A student, who works on one problem of the course.

    Args:
        person: As the school knows them.
        invitation: What the course's staff have sent them.
        systems: What they come by.
        acknowledged: Remembers what they are told.
        log: For their attempts.
    """

    def __init__(
        self, person: Person, invitation: str, systems: Systems, acknowledged: Acknowledged, log: StudyLog
    ) -> None:
        self.person = person
        self.invitation = invitation
        self.contexts: set[str] = set()
        """Courses of the learning management system that they have come from."""
        self._systems = systems
        self._acknowledged = acknowledged
        self._processes = itertools.cycle(systems.processes)
        self._solver = Solver(systems.processes[0], systems.course, log)
        self._own_code = ""
        self._stop_event = threading.Event()
        joining = (self.by_invitation, self.by_first_context, self.by_second_context, self.by_provider)
        self._join_by = joining[person.number % 4]
        returning = (self.by_own_code, self.by_mailed_link, self.by_first_context, self.by_provider)
        self._return_by = (*returning, *reversed(returning))[person.number % 8]

    @property
    def account(self) -> str:
        """The account that they always had."""
        return self._acknowledged.accounts[self.person.sis_id]

    def join(self) -> None:
        """Comes for the first time, with the editor."""
        self._come(self._join_by)

    def come_back(self) -> None:
        """Signs out everywhere, and comes back by another way."""
        reply = self._browser.post("/sign-out", data={"csrf": csrf(self._browser)})
        assert reply.headers["location"] == "/sign-in"
        self._come(self._return_by)

    def begin(self, ref: str, files: Mapping[str, str]) -> None:
        """Opens a problem."""
        self.editor = PersistentSolver(self._solver, self._systems.processes, ref, files, self._acknowledged)
        self.editor.stop_event = self._stop_event

    def stop(self) -> None:
        """Gives up what was not heard yet."""
        self._stop_event.set()

    def _come(self, way: Callable[[Service], httpx2.Client]) -> None:
        service = next(self._processes)
        self._browser = way(service)
        if not self._own_code:
            page = self._browser.post("/sign-in/return-code", data={"csrf": csrf(self._browser)}).text
            (self._own_code,) = re.findall(r"<p>(\S{43}) signs you in", page)
        self._solver.token = program_token(service, self._browser)
        with service.client(self._solver.token) as client:
            account = str(client.get("/api/v1/me").raise_for_status().json()["account"])
        self._acknowledged.note_account(self.person.sis_id, account)

    # Ways

    def by_invitation(self, service: Service) -> httpx2.Client:
        """Signs in with what the staff have sent."""
        return self._with_code(service, self.invitation)

    def by_own_code(self, service: Service) -> httpx2.Client:
        """Signs in with the code that the service has made for this person."""
        return self._with_code(service, self._own_code)

    def by_provider(self, service: Service) -> httpx2.Client:
        """Signs in at the university."""
        client, subject = self._new_browser(service), f"idp-{self.person.number}"
        claims = {"name": f"User {self.person.number}", "email": self.person.email, "email_verified": True}
        httpx2.put(f"{self._systems.provider}/users/{subject}", json=claims, trust_env=False).raise_for_status()
        reply = sign_in(client, subject)
        assert reply.status_code == 303, reply.text
        return client

    def by_mailed_link(self, service: Service) -> httpx2.Client:
        """Asks for a link, and follows it."""
        client = self._new_browser(service)
        client.post("/sign-in/link/request", data={"email": self.person.email}).raise_for_status()
        mail = self._systems.mails.wait_for_link_to(self.person.email)
        (code,) = re.findall(r"/sign-in/link\?code=([\w-]+)", mail.get_content())
        reply = client.post("/sign-in/link", data={"code": code})
        assert reply.status_code == 303, reply.text
        return client

    def by_first_context(self, service: Service) -> httpx2.Client:
        """Follows a link of the learning management system, which knows their SIS id."""
        return self._launch(service, CONTEXT, **{f"{CLAIM}lis": {"person_sourcedid": self.person.sis_id}})

    def by_second_context(self, service: Service) -> httpx2.Client:
        """The same in another course there, which does not."""
        return self._launch(service, SECOND)

    def _with_code(self, service: Service, code: str) -> httpx2.Client:
        client = self._new_browser(service)
        reply = client.post("/sign-in", data={"code": code, "name": "a name that counts for nothing"})
        assert reply.status_code == 303, reply.text
        return client

    def _new_browser(self, service: Service) -> httpx2.Client:
        """A browser at an address of its own, as the service's proxy says."""
        client = browser(service)
        client.headers["X-Forwarded-For"] = f"10.0.{self.person.number // 250}.{self.person.number % 250}"
        return client

    def _launch(self, service: Service, context: str, **claims: object) -> httpx2.Client:
        client = self._new_browser(service)
        reply = self.launch(service, client, context, **claims)
        assert reply.status_code == 303, reply.text
        self.contexts.add(context)
        return client

    def launch(self, service: Service, client: httpx2.Client, context: str, **claims: object) -> httpx2.Response:
        """What the service answers to a launch."""
        platform, course = self._systems.platform, self._systems.course
        school = School(service, course, platform, f"{platform.url}{LINE_ITEMS[context]}")
        user = f"lms-{self.person.number}"
        return school.launch(client, user, LEARNER, context_id=context, email=self.person.email.title(), **claims)
