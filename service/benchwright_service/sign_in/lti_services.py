"""Services of a learning management system for its tools: its roster, and taking grades.

*Names and Role Provisioning Services 2.0* and *Assignment and Grade Services 2.0* of LTI Advantage. Only addresses of
the platform's own hosts are ever asked.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_problems.verdict import Reason
from benchwright_remote.messages import AssignmentView, Role
from benchwright_service.accounts.accounts import Accounts
from benchwright_service.accounts.identified import IdentifiedPerson
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.points.worth import DECIDED
from benchwright_service.runs.queue_rows import GOING
from benchwright_service.sign_in.claims import ids_of_claims
from benchwright_service.sign_in.lti import LtiLaunch, address_if_on_platform, role_of_lti_roles
from benchwright_service.sign_in.shared_secret import existing_or_new_secret
from benchwright_service.sign_in.sign_in_file import LtiSettings
from benchwright_service.storage.tables import (
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    LTI_CONTEXTS,
    LTI_PEOPLE,
    LTI_SCORES,
    MEMBERS,
    RUNS,
)
from benchwright_teaching.lti_progress import ActivityProgress, AssignmentWork, GradingProgress

TIMEOUT_S = 15.0
_ROSTER = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
_LINE_ITEMS = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
_SCORES = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
_MEMBERS_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
_ITEM_TYPE = "application/vnd.ims.lis.v2.lineitem+json"
_ITEMS_TYPE = "application/vnd.ims.lis.v2.lineitemcontainer+json"
_SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_MOST_PAGES = 100
_MOST_BYTES = 16 << 20
_AT_ONCE = 6

_ContextKey = tuple[str, str, str]
"""Issuer, client and context."""


@dataclass(frozen=True)
class RosterAddition:
    """Result of taking a roster."""

    member_count: int
    """Active ones with a role that is known here."""
    new_count: int
    """Of them, those that were not in the course here."""
    left_out: int
    """Inactive, or with no such role."""


@dataclass(frozen=True)
class GradeDelivery:
    """Result of sending scores."""

    sent: int
    unchanged: int
    """As the platform has them already."""
    unknown_count: int
    """Of students who did not come from the platform."""
    refused_count: int
    problems: Sequence[str] = ()
    """Why a platform's course got nothing, while others did."""

    def plus(self, delivery: GradeDelivery) -> GradeDelivery:
        """The sum of both."""
        return GradeDelivery(
            self.sent + delivery.sent,
            self.unchanged + delivery.unchanged,
            self.unknown_count + delivery.unknown_count,
            self.refused_count + delivery.refused_count,
        )


class ToolKey:
    """The key by which the platforms know this service; made once.

    Args:
        file: File in which it is kept, mode 0600.

    Raises:
        BenchServiceError: The key can't be read or made.
    """

    def __init__(self, file: Path) -> None:
        try:
            self.rsa_key = RSAKey.import_key(json.loads(existing_or_new_secret(file, _new_tool_key)))
        except (OSError, ValueError, KeyError) as error:
            raise BenchServiceError(f"the key {file} can't be used: {type(error).__name__}") from error

    @property
    def public_key_set(self) -> Mapping[str, Any]:
        """A JSON Web Key Set, to be published."""
        return {"keys": [{**self.rsa_key.as_dict(private=False), "alg": "RS256", "use": "sig"}]}


def _new_tool_key() -> bytes:
    return json.dumps(RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True)).encode()


class LtiServices:
    """Asks the platforms that courses are launched from.

    Args:
        database: Database of the service.
        accounts: Enter people.
        platforms: All that are configured.
        tool_key: Key of this tool.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        accounts: Accounts,
        platforms: Sequence[LtiSettings],
        tool_key: ToolKey,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._accounts = accounts
        self._platforms = {(platform.issuer, platform.client_id): platform for platform in platforms}
        self.tool_key = tool_key
        self._now = clock
        self._sending: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """By course."""

    async def keep_launch(self, launch: LtiLaunch, account: str | None) -> None:
        """Keeps where the platform has what belongs to its course, and that a person is in it.

        Args:
            launch: The launch.
            account: Account of the person; None if only the course is known.
        """
        place = {
            "issuer": launch.platform.issuer,
            "client_id": launch.platform.client_id,
            "context": launch.context,
        }
        addresses = {"line_items": launch.line_items, "members": launch.roster_address}
        if launch.identity.role is Role.PARTICIPANT:
            # Some platforms tell these to teachers alone.
            addresses = {name: address for name, address in addresses.items() if address}
        values = {"course": launch.course, "launched": self._now(), **addresses}
        insertion = self._database.insert_into(LTI_CONTEXTS).values(
            **place, **({"line_items": "", "members": ""} | values)
        )
        async with self._database.write_transaction() as connection:
            await connection.execute(insertion.on_conflict_do_update(index_elements=list(place), set_=values))
            if account is not None:
                await self._keep_person(connection, place, account, launch.identity.subject)

    async def _keep_person(
        self, connection: AsyncConnection, place: Mapping[str, str], account: str, subject: str
    ) -> None:
        insertion = self._database.insert_into(LTI_PEOPLE).values(**place, account=account, subject=subject)
        changed_subject = {"subject": subject}
        await connection.execute(
            insertion.on_conflict_do_update(index_elements=[*place, "account"], set_=changed_subject)
        )

    async def platform_name_of(self, course: str) -> str:
        """Returns people's names for the platforms that a course was launched from; empty if from none."""
        names = dict.fromkeys(context.platform.name for context in await self._contexts(course))
        return " and ".join(names)

    async def add_roster_members(self, course: str) -> RosterAddition:
        """Enters everybody whom the platforms have in their courses; nobody is removed.

        Raises:
            BenchServiceError: No platform gives a roster, or one does not answer.
        """
        contexts = await self._known_contexts(course)
        asked = [context for context in contexts if context.members]
        if not asked:
            raise BenchServiceError(
                f"{contexts[0].platform.name} gives this tool no roster; allow it names and roles there"
            )
        query = select(MEMBERS.c.account).where(MEMBERS.c.course == course)
        async with self._database.read_transaction() as connection:
            known_accounts = set((await connection.execute(query)).scalars())
        taken_accounts: set[str] = set()
        left_out = 0
        for context in asked:
            for roster_member in await self._roster_members(context):
                account = await self._enter_roster_member(context, roster_member)
                if account is None:
                    left_out += 1
                else:
                    taken_accounts.add(account)
        return RosterAddition(len(taken_accounts), len(taken_accounts - known_accounts), left_out)

    async def _roster_members(self, context: _Context) -> Sequence[Mapping[str, Any]]:
        roster_members: list[Mapping[str, Any]] = []
        platform = context.platform
        async with self._platform_client(platform, _ROSTER) as client:
            url = context.members
            for _ in range(_MOST_PAGES):
                reply = await _successful_reply(
                    client.get(url, headers={"Accept": _MEMBERS_TYPE}), platform, "its roster"
                )
                roster_members += [
                    candidate
                    for candidate in _json_object(reply, platform).get("members", ())
                    if isinstance(candidate, dict)
                ]
                url = address_if_on_platform(platform, reply.links.get("next", {}).get("url"))
                if not url:
                    break
        return roster_members

    async def _enter_roster_member(self, context: _Context, roster_member: Mapping[str, Any]) -> str | None:
        """The account of a member; None if they are inactive, have no role here, or were disabled."""
        platform, subject = context.platform, roster_member.get("user_id")
        role = role_of_lti_roles(roster_member.get("roles") or ())
        if not isinstance(subject, str) or role is None or roster_member.get("status", "Active") != "Active":
            return None
        name = " ".join(str(roster_member.get("name") or roster_member.get("email") or subject).split())[:200]
        ids = ids_of_claims(roster_member, platform.login_claim, is_email_sure=True)
        identity = IdentifiedPerson(platform.issuer, subject, name, role, ids, is_listed=True, has_come=False)
        account = await self._accounts.find_or_make_enabled_account(identity, context.course)
        if account is not None:
            async with self._database.write_transaction() as connection:
                await self._keep_person(connection, context.key_column_values, account, subject)
        return account

    async def send_grades(self, course: str, read_gradebook: Callable[[], Awaitable[Gradebook]]) -> GradeDelivery:
        """Sends how far students are, and their points, to the courses that they are in, where they have not got it.

        Args:
            course: The course; its grades are sent by one request after the other.
            read_gradebook: Returns its grades as they are then.

        Raises:
            BenchServiceError: No platform takes grades, or none that does answers.
        """
        async with self._sending[course], self._database.turn_among_processes(f"send grades {course}"):
            return await self._send_gradebook(course, await read_gradebook())

    async def _send_gradebook(self, course: str, book: Gradebook) -> GradeDelivery:
        contexts = await self._known_contexts(course)
        asked = [context for context in contexts if context.line_items]
        if not asked:
            raise BenchServiceError(f"{contexts[0].platform.name} takes no grades of this tool; allow it grades there")
        work = await work_by_account_and_assignment(self._database, course, book, self._now())
        people_by_context = await self._subjects_by_context(course)
        known_accounts = {account for context in asked for account in people_by_context[context.key]}
        unknown_count = sum(student.account not in known_accounts for student in book.students) * len(book.assignments)
        delivery = GradeDelivery(0, 0, unknown_count, 0)
        errors: list[BenchServiceError] = []
        for context in asked:
            try:
                context_delivery = await self._send_to_context(context, book, work, people_by_context[context.key])
            except BenchServiceError as error:
                errors.append(error)
            else:
                delivery = delivery.plus(context_delivery)
        if len(errors) == len(asked):
            raise errors[0]
        return replace(delivery, problems=[str(error) for error in errors])

    async def _send_to_context(
        self,
        context: _Context,
        book: Gradebook,
        work: Mapping[tuple[str, str], AssignmentWork],
        subjects: Mapping[str, str],
    ) -> GradeDelivery:
        old_scores = await self._old_scores(context)
        request_slots = asyncio.Semaphore(_AT_ONCE)
        unchanged = 0
        async with self._platform_client(context.platform, f"{_LINE_ITEMS} {_SCORES}") as client:
            line_items: Mapping[str, str] | None = None
            sending = []
            for view, grading_rules in book.assignments:
                most_points = grading_rules.points * len(view.problems)
                for student in book.students:
                    if student.account not in subjects:
                        continue
                    student_work = work[student.account, view.id]
                    has_points = student_work.has_result
                    score = _Score(
                        view.id,
                        student.account,
                        book.grade(student, view).points if has_points else None,
                        most_points,
                        student_work.activity,
                        student_work.grading,
                    )
                    is_nothing = (score.activity, score.grading) == _NOTHING
                    old_score = old_scores.get((view.id, student.account))
                    if score == old_score or (old_score is None and is_nothing):
                        unchanged += 1
                        continue
                    if line_items is None:
                        line_items = await self._line_item_address_by_assignment(client, context)
                    if view.id not in line_items:
                        new_item = await self._make_line_item_and_get_address(client, context, view, most_points)
                        line_items = {**line_items, view.id: new_item}
                    url = line_items[view.id]
                    subject = subjects[student.account]
                    sending.append(self._send_score(client, context, url, subject, score, request_slots))
            outcomes = await asyncio.gather(*sending)
        return GradeDelivery(sum(outcomes), unchanged, 0, len(outcomes) - sum(outcomes))

    async def _old_scores(self, context: _Context) -> Mapping[tuple[str, str], _Score]:
        query = select(LTI_SCORES).where(
            *(LTI_SCORES.c[name] == value for name, value in context.key_column_values.items())
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return {
            (row.assignment, row.account): _Score(
                row.assignment,
                row.account,
                row.points,
                row.most,
                ActivityProgress(row.activity),
                GradingProgress(row.grading),
            )
            for row in rows
        }

    async def _line_item_address_by_assignment(
        self, client: httpx2.AsyncClient, context: _Context
    ) -> Mapping[str, str]:
        """The addresses of the line items that the platform's course has for assignments, by assignment."""
        line_items: dict[str, str] = {}
        platform, url = context.platform, context.line_items
        for _ in range(_MOST_PAGES):
            reply = await _successful_reply(
                client.get(url, headers={"Accept": _ITEMS_TYPE}), platform, "its line items"
            )
            listed = _reply_json(reply, platform)
            for line_item in listed if isinstance(listed, list) else ():
                if isinstance(line_item, dict) and (item_url := address_if_on_platform(platform, line_item.get("id"))):
                    line_items.setdefault(str(line_item.get("resourceId")), item_url)
            url = address_if_on_platform(platform, reply.links.get("next", {}).get("url"))
            if not url:
                break
        return line_items

    async def _make_line_item_and_get_address(
        self, client: httpx2.AsyncClient, context: _Context, view: AssignmentView, most_points: float
    ) -> str:
        platform = context.platform
        body = {"scoreMaximum": most_points, "label": view.title, "resourceId": view.id, "tag": "benchwright"}
        creation = client.post(context.line_items, content=json.dumps(body), headers={"Content-Type": _ITEM_TYPE})
        url = address_if_on_platform(
            platform, _json_object(await _successful_reply(creation, platform, "a new line item"), platform).get("id")
        )
        if not url:
            raise BenchServiceError(f"{platform.name} answered something that is no line item")
        return url

    async def _send_score(
        self,
        client: httpx2.AsyncClient,
        context: _Context,
        line_item_address: str,
        subject: str,
        score: _Score,
        request_slots: asyncio.Semaphore,
    ) -> bool:
        url_parts = urlsplit(line_item_address)
        url = urlunsplit(url_parts._replace(path=f"{url_parts.path.rstrip('/')}/scores"))
        current_time = datetime.fromtimestamp(self._now(), UTC)
        body: dict[str, Any] = {
            "userId": subject,
            "timestamp": current_time.isoformat(timespec="milliseconds"),
            "activityProgress": score.activity.value,
            "gradingProgress": score.grading.value,
        }
        if score.points is not None:
            body |= {"scoreGiven": score.points, "scoreMaximum": score.most_points}
        async with request_slots:
            try:
                await _successful_reply(
                    client.post(url, content=json.dumps(body), headers={"Content-Type": _SCORE_TYPE}),
                    context.platform,
                    "it",
                )
            except BenchServiceError:
                return False
        values = {
            "points": score.points,
            "most": score.most_points,
            "activity": score.activity.value,
            "grading": score.grading.value,
            "sent": self._now(),
        }
        row_key = {"assignment": score.assignment, "account": score.account, **context.key_column_values}
        insertion = self._database.insert_into(LTI_SCORES).values(**row_key, **values)
        async with self._database.write_transaction() as connection:
            await connection.execute(insertion.on_conflict_do_update(index_elements=list(row_key), set_=values))
        return True

    def _platform_client(self, platform: LtiSettings, scope: str) -> _TokenClient:
        return _TokenClient(platform, scope, self.tool_key, self._now)

    async def _contexts(self, course: str) -> Sequence[_Context]:
        """The courses that a course is launched from, those of the newest launch first."""
        query = select(LTI_CONTEXTS).where(LTI_CONTEXTS.c.course == course).order_by(LTI_CONTEXTS.c.launched.desc())
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            _Context(course, self._platforms[row.issuer, row.client_id], row.context, row.line_items, row.members)
            for row in rows
            if (row.issuer, row.client_id) in self._platforms
        ]

    async def _known_contexts(self, course: str) -> Sequence[_Context]:
        contexts = await self._contexts(course)
        if not contexts:
            raise BenchServiceError("nobody has opened this course from a learning management system yet")
        return contexts

    async def _subjects_by_context(self, course: str) -> Mapping[_ContextKey, Mapping[str, str]]:
        """Ids of people at a platform by account, by the platform's course."""
        query = (
            select(LTI_PEOPLE)
            .join(MEMBERS, MEMBERS.c.account == LTI_PEOPLE.c.account)
            .where(MEMBERS.c.course == course)
        )
        subjects: dict[_ContextKey, dict[str, str]] = defaultdict(dict)
        async with self._database.read_transaction() as connection:
            for row in await connection.execute(query):
                subjects[row.issuer, row.client_id, row.context][row.account] = row.subject
        return subjects


@dataclass(frozen=True)
class _Context:
    """A platform's course that a course is launched from."""

    course: str
    platform: LtiSettings
    context: str
    line_items: str
    members: str

    @property
    def key_column_values(self) -> Mapping[str, str]:
        """Values of the columns that name it."""
        return {"issuer": self.platform.issuer, "client_id": self.platform.client_id, "context": self.context}

    @property
    def key(self) -> _ContextKey:
        """The same as one value."""
        return self.platform.issuer, self.platform.client_id, self.context


@dataclass(frozen=True)
class _Score:
    assignment: str
    account: str
    points: float | None
    most_points: float
    activity: ActivityProgress
    grading: GradingProgress


_NOTHING = (ActivityProgress.INITIALIZED, GradingProgress.NOT_READY)


async def work_by_account_and_assignment(
    database: Database, course: str, book: Gradebook, current_time: float
) -> Mapping[tuple[str, str], AssignmentWork]:
    """What each student has done for each assignment, by account and assignment."""
    query = (
        select(
            ATTEMPTS_HELD.c.account, ATTEMPTS_HELD.c.assignment, ATTEMPTS_HELD.c.problem, RUNS.c.state, RUNS.c.verdict
        )
        .select_from(ATTEMPTS_HELD)
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
        .outerjoin(RUNS, (RUNS.c.attempt == ATTEMPTS_HELD.c.attempt) & RUNS.c.outcome.not_in(DECIDED))
        .where(ASSIGNMENTS.c.course == course)
    )
    async with database.read_transaction() as connection:
        rows = (await connection.execute(query)).all()
    begun = {(row.account, row.assignment) for row in rows}
    going = {(row.account, row.assignment) for row in rows if row.state in GOING}
    waiting: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row.verdict is not None and Reason(json.loads(row.verdict)["reason"]).waits_for_judge:
            waiting[row.account, row.assignment].add(row.problem.partition("/")[2])
    work = {}
    for view, _ in book.assignments:
        for student in book.students:
            key, grade = (student.account, view.id), book.grade(student, view)
            passed_problems = {
                problem for problem, worth in grade.worth.items() if worth.run is not None and worth.run.is_passed
            }
            closing = grade.times.closes
            work[key] = AssignmentWork(
                has_attempt=key in begun,
                has_result=bool(grade.counted_run_by_problem or grade.adjustments),
                is_all_passed=bool(view.problems) and passed_problems.issuperset(view.problems),
                is_closed=closing is not None and closing.timestamp() < current_time,
                has_going_run=key in going,
                has_waiting_answer=bool(waiting[key] - passed_problems),
            )
    return work


class _TokenClient:
    """A client with a token of the platform (1EdTech Security Framework 1.0, 4.1)."""

    def __init__(self, platform: LtiSettings, scope: str, tool_key: ToolKey, clock: Callable[[], float]) -> None:
        self._platform = platform
        self._scope = scope
        self._key = tool_key
        self._now = clock
        self._client = httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=False)

    async def __aenter__(self) -> httpx2.AsyncClient:
        platform, current_time = self._platform, int(self._now())
        claims = {"iss": platform.client_id, "sub": platform.client_id, "aud": platform.token_url}
        signed = jwt.encode(
            {"alg": "RS256", "kid": str(self._key.rsa_key.kid)},
            {**claims, "iat": current_time, "exp": current_time + 300, "jti": secrets.token_urlsafe(16)},
            self._key.rsa_key,
        )
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": _ASSERTION,
            "client_assertion": signed,
            "scope": self._scope,
        }
        try:
            reply = await _successful_reply(self._client.post(platform.token_url, data=form), platform, "a token")
            token = _json_object(reply, platform).get("access_token")
            if not isinstance(token, str):
                raise BenchServiceError(f"{platform.name} gave no token")
        except BaseException:
            await self._client.aclose()
            raise
        self._client.headers["Authorization"] = f"Bearer {token}"
        return self._client

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()


async def _successful_reply(pending_reply: Any, platform: LtiSettings, wanted_thing: str) -> httpx2.Response:
    try:
        reply: httpx2.Response = await pending_reply
    except httpx2.HTTPError as error:
        raise BenchServiceError(f"{platform.name} does not answer ({type(error).__name__}); try again later") from error
    if not HTTPStatus.OK <= reply.status_code < HTTPStatus.MULTIPLE_CHOICES or len(reply.content) > _MOST_BYTES:
        raise BenchServiceError(
            f"{platform.name} did not give {wanted_thing} (status {reply.status_code});"
            " see what this tool is allowed there"
        )
    return reply


def _reply_json(reply: httpx2.Response, platform: LtiSettings) -> Any:
    try:
        return reply.json()
    except ValueError as error:
        raise BenchServiceError(f"{platform.name} answered something that is no JSON") from error


def _json_object(reply: httpx2.Response, platform: LtiSettings) -> Mapping[str, Any]:
    content = _reply_json(reply, platform)
    if not isinstance(content, dict):
        raise BenchServiceError(f"{platform.name} answered something that is no object")
    return content
