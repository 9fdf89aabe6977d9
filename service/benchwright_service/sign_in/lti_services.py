"""Services of a learning management system for its tools: its roster, and taking grades.

*Names and Role Provisioning Services 2.0* and *Assignment and Grade Services 2.0* of LTI Advantage. Only addresses of
the platform's own hosts are ever asked.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import Row, select

from benchwright_foundation.database import Database
from benchwright_remote.messages import AssignmentView
from benchwright_service.accounts.accounts import Accounts
from benchwright_service.accounts.identified import Identified
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.sign_in.claims import ids_of_claims
from benchwright_service.sign_in.lti import LtiLaunch, address_if_on_platform, role_of_lti_roles
from benchwright_service.sign_in.shared_secret import existing_or_new_secret
from benchwright_service.sign_in.sign_in_file import LtiSettings
from benchwright_service.storage.tables import IDENTITIES, LTI_COURSES, LTI_SCORES, MEMBERS

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

    async def keep_platform_addresses(self, launch: LtiLaunch) -> None:
        """Keeps where the platform has what belongs to a course."""
        values = {
            "issuer": launch.platform.issuer,
            "client_id": launch.platform.client_id,
            "line_items": launch.line_items,
            "members": launch.roster_address,
            "launched": self._now(),
        }
        insertion = self._database.insert_into(LTI_COURSES).values(course=launch.course, **values)
        async with self._database.write_transaction() as connection:
            await connection.execute(insertion.on_conflict_do_update(index_elements=["course"], set_=values))

    async def platform_name_of(self, course: str) -> str:
        """Returns people's name for the platform that a course was launched from; empty if from none."""
        row = await self._link_row(course)
        platform = self._platforms.get((row.issuer, row.client_id)) if row is not None else None
        return platform.name if platform is not None else ""

    async def add_roster_members(self, course: str) -> RosterAddition:
        """Enters everybody whom the platform has in its course; nobody is removed.

        Raises:
            BenchServiceError: The platform gives no roster.
        """
        row, platform = await self._link_row_and_platform(course)
        if not row.members:
            raise BenchServiceError(f"{platform.name} gives this tool no roster; allow it names and roles there")
        roster_members: list[Mapping[str, Any]] = []
        async with self._platform_client(platform, _ROSTER) as client:
            url = row.members
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
        query = select(IDENTITIES.c.subject).join(MEMBERS, MEMBERS.c.account == IDENTITIES.c.account)
        query = query.where(MEMBERS.c.course == course, IDENTITIES.c.issuer == platform.issuer)
        async with self._database.read_transaction() as connection:
            known_subjects = {identity.subject for identity in await connection.execute(query)}
        taken_count = new_count = 0
        for roster_member in roster_members:
            subject = roster_member.get("user_id")
            role = role_of_lti_roles(roster_member.get("roles") or ())
            if not isinstance(subject, str) or role is None or roster_member.get("status", "Active") != "Active":
                continue
            name = " ".join(str(roster_member.get("name") or roster_member.get("email") or subject).split())[:200]
            ids = ids_of_claims(roster_member, platform.login_claim, is_email_sure=True)
            identity = Identified(platform.issuer, subject, name, role, ids, is_listed=True, has_come=False)
            if await self._accounts.find_or_make_enabled_account(identity, course) is not None:
                taken_count += 1
                new_count += subject not in known_subjects
        return RosterAddition(taken_count, new_count, len(roster_members) - taken_count)

    async def send_grades(self, course: str, book: Gradebook) -> GradeDelivery:
        """Sends the points that the platform does not have yet.

        Raises:
            BenchServiceError: The platform takes no grades.
        """
        row, platform = await self._link_row_and_platform(course)
        if not row.line_items:
            raise BenchServiceError(f"{platform.name} takes no grades of this tool; allow it grades there")
        query = select(IDENTITIES.c.account, IDENTITIES.c.subject).where(IDENTITIES.c.issuer == platform.issuer)
        async with self._database.read_transaction() as connection:
            subjects = {identity.account: identity.subject for identity in await connection.execute(query)}
            scores = {
                (old_score.assignment, old_score.account): old_score
                for old_score in await connection.execute(select(LTI_SCORES))
            }
        request_slots = asyncio.Semaphore(_AT_ONCE)
        unchanged = unknown_count = 0
        async with self._platform_client(platform, f"{_LINE_ITEMS} {_SCORES}") as client:
            sending = []
            for view, grading_rules in book.assignments:
                most_points = grading_rules.points * len(view.problems)
                line_item = ""
                for student in book.students:
                    points, old_score_row = book.grade(student, view).points, scores.get((view.id, student.account))
                    if student.account not in subjects:
                        unknown_count += 1
                    elif (
                        old_score_row is not None
                        and (old_score_row.points, old_score_row.most) == (points, most_points)
                    ) or (old_score_row is None and not book.grade(student, view).worth and not points):
                        unchanged += 1
                    else:
                        line_item = line_item or await self._find_or_make_line_item(
                            client, platform, row.line_items, view, most_points
                        )
                        score = _Score(view.id, student.account, subjects[student.account], points, most_points)
                        sending.append(self._send_score(client, platform, line_item, score, request_slots))
            outcomes = await asyncio.gather(*sending)
        return GradeDelivery(sum(outcomes), unchanged, unknown_count, len(outcomes) - sum(outcomes))

    async def _find_or_make_line_item(
        self,
        client: httpx2.AsyncClient,
        platform: LtiSettings,
        line_items_url: str,
        view: AssignmentView,
        most_points: float,
    ) -> str:
        """The platform's line item of an assignment, made if there is none."""
        reply = await _successful_reply(
            client.get(line_items_url, headers={"Accept": _ITEMS_TYPE}), platform, "its line items"
        )
        listed = _reply_json(reply, platform)
        for line_item in listed if isinstance(listed, list) else ():
            if isinstance(line_item, dict) and line_item.get("resourceId") == view.id:
                return address_if_on_platform(platform, line_item.get("id"))
        body = {"scoreMaximum": most_points, "label": view.title, "resourceId": view.id, "tag": "benchwright"}
        creation = client.post(line_items_url, content=json.dumps(body), headers={"Content-Type": _ITEM_TYPE})
        url = address_if_on_platform(
            platform, _json_object(await _successful_reply(creation, platform, "a new line item"), platform).get("id")
        )
        if not url:
            raise BenchServiceError(f"{platform.name} answered something that is no line item")
        return url

    async def _send_score(
        self,
        client: httpx2.AsyncClient,
        platform: LtiSettings,
        line_item: str,
        score: _Score,
        request_slots: asyncio.Semaphore,
    ) -> bool:
        url_parts = urlsplit(line_item)
        url = urlunsplit(url_parts._replace(path=f"{url_parts.path.rstrip('/')}/scores"))
        current_time = datetime.fromtimestamp(self._now(), UTC)
        body = {
            "userId": score.subject,
            "scoreGiven": score.points,
            "scoreMaximum": score.most_points,
            "timestamp": current_time.isoformat(timespec="milliseconds"),
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
        }
        async with request_slots:
            try:
                await _successful_reply(
                    client.post(url, content=json.dumps(body), headers={"Content-Type": _SCORE_TYPE}), platform, "it"
                )
            except BenchServiceError:
                return False
        values = {"points": score.points, "most": score.most_points, "sent": self._now()}
        insertion = self._database.insert_into(LTI_SCORES).values(
            assignment=score.assignment, account=score.account, **values
        )
        async with self._database.write_transaction() as connection:
            await connection.execute(
                insertion.on_conflict_do_update(index_elements=["assignment", "account"], set_=values)
            )
        return True

    def _platform_client(self, platform: LtiSettings, scope: str) -> _TokenClient:
        return _TokenClient(platform, scope, self.tool_key, self._now)

    async def _link_row(self, course: str) -> Row[Any] | None:
        async with self._database.read_transaction() as connection:
            return (await connection.execute(select(LTI_COURSES).where(LTI_COURSES.c.course == course))).one_or_none()

    async def _link_row_and_platform(self, course: str) -> tuple[Row[Any], LtiSettings]:
        row = await self._link_row(course)
        platform = self._platforms.get((row.issuer, row.client_id)) if row is not None else None
        if row is None or platform is None:
            raise BenchServiceError("nobody has opened this course from a learning management system yet")
        return row, platform


@dataclass(frozen=True)
class _Score:
    assignment: str
    account: str
    subject: str
    points: float
    most_points: float


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
