"""Asks a bench service, as a solver."""

from __future__ import annotations

import base64
import ssl
import uuid
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.log.published_keys import PublishedKey, PublishedKeys
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_foundation.refusals import ProblemDetails
from benchwright_problems.problem import Pack
from benchwright_remote.errors import RefusedError, RetryLaterError, UnreachableError
from benchwright_remote.hint_text import HintText
from benchwright_remote.messages import (
    AssignmentView,
    Device,
    DeviceAsk,
    DeviceProgress,
    EnrolledStudy,
    EventsTaken,
    Join,
    JoinAnother,
    Joined,
    JournalTaken,
    Me,
    MissingFiles,
    NewDevice,
    NewEvents,
    NewJournal,
    NewRun,
    PublicPack,
    RunView,
)

if TYPE_CHECKING:
    # A tenth of a second to import: only who has signed in somewhere pays.
    import httpx2

TIMEOUT_S = 30.0
_USUAL_WAIT_S = 30.0
"""Time to wait in seconds, where a service does not say how long."""
_ANSWERS_LATER = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
Answer = TypeVar("Answer", bound=BaseModel)


class ServiceClient:
    """One service, for one account.

    Args:
        url: Its address.
        token: Token of the account; empty to join.
    """

    def __init__(self, url: str, token: str = "") -> None:
        import httpx2

        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self.url = url
        self._sent_digests: set[str] = set()
        """Digests of contents that the service was given by this client."""
        self._http = httpx2.AsyncClient(
            base_url=url, headers=headers, timeout=TIMEOUT_S, verify=_trusted_certificates()
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends its connections."""
        await self._http.aclose()

    async def join(self, invitation_code: str, new_account_name: str) -> Joined:
        """Joins a course by an invitation; the answer has a token.

        Raises:
            ServiceError: The service refuses, or does not answer; so do all others.
        """
        return await self._request_and_parse(Joined, "POST", "/join", Join(code=invitation_code, name=new_account_name))

    async def keys(self) -> Sequence[PublishedKey]:
        """The keys that it signs receipts with, also those before the present one."""
        return (await self._request_and_parse(PublishedKeys, "GET", "/keys")).keys

    async def begin_browser_sign_in(self, device_name: str) -> Device:
        """A code that a person confirms in a browser, for this program."""
        return await self._request_and_parse(Device, "POST", "/devices", NewDevice(name=device_name))

    async def poll_browser_sign_in(self, device_secret: str) -> DeviceProgress:
        """State of the sign-in, with the token once a person has confirmed it."""
        return await self._request_and_parse(DeviceProgress, "POST", "/devices/state", DeviceAsk(secret=device_secret))

    async def join_another_course(self, invitation_code: str) -> Me:
        """Joins one more course by an invitation, with this account."""
        return await self._request_and_parse(Me, "POST", "/me/courses", JoinAnother(code=invitation_code))

    async def me(self) -> Me:
        """The account to which the token belongs."""
        return await self._request_and_parse(Me, "GET", "/me")

    async def assignments(self) -> Sequence[AssignmentView]:
        """Assignments that there are to do."""
        reply = await self._request_or_raise("GET", "/assignments")
        return _parse_reply(TypeAdapter(tuple[AssignmentView, ...]), reply, self.url)

    async def fetch_pack(self, pack_name: str) -> Pack:
        """The public part of a pack."""
        return (await self._request_and_parse(PublicPack, "GET", f"/packs/{pack_name}")).pack

    async def fetch_tree(self, pack_name: str, tree_id: str) -> bytes:
        """The files of a repository problem, packed."""
        return (await self._request_or_raise("GET", f"/packs/{pack_name}/trees/{tree_id}")).content

    async def enrol_and_list_studies(self) -> Sequence[EnrolledStudy]:
        """The studies that the account takes part in; gives it a place in those that it has none in."""
        reply = await self._request_or_raise("POST", "/studies")
        return _parse_reply(TypeAdapter(tuple[EnrolledStudy, ...]), reply, self.url)

    async def hand_in_journal(self, study: str, lines: Sequence[Mapping[str, JsonValue]]) -> JournalTaken:
        """A participant's whole journal of a study."""
        return await self._request_and_parse(
            JournalTaken, "POST", f"/studies/{study}/journal", NewJournal(lines=tuple(lines))
        )

    async def deliver_events_or_ask_position(
        self, header: AttemptHeader, assignment: str, rows: Sequence[StoredRow]
    ) -> EventsTaken:
        """Events that follow from those that the service has; without any, only how far it is."""
        lines = tuple(row.as_json_line() for row in rows)
        body = NewEvents(header=header, assignment=assignment, lines=lines, now=datetime.now(UTC))
        return await self._request_and_parse(EventsTaken, "POST", f"/attempts/{header.id}/events", body)

    async def request_run(self, run_id: str, attempt: str, run_number: int, files: Mapping[str, bytes]) -> RunView:
        """Asks for a run; the service gets the contents that it lacks.

        Args:
            run_id: Its id, made here; the same one again is the same run.
            attempt: Must be known to the service.
            run_number: Rank in the attempt.
            files: Content by path.
        """
        digests = {path: sha256(content) for path, content in files.items()}
        texts = {digests[name]: content for name, content in files.items()}
        path = f"/attempts/{attempt}/runs"
        body = NewRun(id=run_id, number=run_number, files=digests)

        def with_contents(wanted_digests: Iterable[str]) -> NewRun:
            return body.model_copy(
                update={"contents": {digest: _compressed_base64(texts[digest]) for digest in wanted_digests}}
            )

        # What was not sent before is most likely missing: that saves asking.
        first_request = with_contents(texts.keys() - self._sent_digests)
        reply = await self._request_or_raise("POST", path, first_request, accepted_status=HTTPStatus.FAILED_DEPENDENCY)
        if reply.status_code == HTTPStatus.FAILED_DEPENDENCY:
            missing = _parse_reply(TypeAdapter(MissingFiles), reply, self.url).missing
            reply = await self._request_or_raise("POST", path, with_contents(set(missing) & texts.keys()))
        self._sent_digests |= texts.keys()
        return _parse_reply(TypeAdapter(RunView), reply, self.url)

    async def take_hint(self, attempt: str, hint_number: int) -> HintText:
        """Takes a hint of an attempt's problem, or reads one again that was taken."""
        return await self._request_and_parse(HintText, "POST", f"/attempts/{attempt}/hints/{hint_number}")

    async def wait_for_run(self, run_id: str, known_revision: int, wait_s: float) -> RunView:
        """A run, once it is at another revision or some seconds have passed."""
        return await self._request_and_parse(RunView, "GET", f"/runs/{run_id}?seen={known_revision}&wait_s={wait_s:g}")

    async def cancel_run(self, run_id: str) -> None:
        """Cancels a run, unless it has ended."""
        await self._request_or_raise("DELETE", f"/runs/{run_id}")

    async def _request_and_parse(
        self, reply_type: type[Answer], http_method: str, api_path: str, request_body: BaseModel | None = None
    ) -> Answer:
        return _parse_reply(
            TypeAdapter(reply_type), await self._request_or_raise(http_method, api_path, request_body), self.url
        )

    async def _request_or_raise(
        self,
        http_method: str,
        api_path: str,
        request_body: BaseModel | None = None,
        *,
        accepted_status: HTTPStatus | None = None,
    ) -> httpx2.Response:
        import httpx2

        content = request_body.model_dump_json() if request_body is not None else None
        try:
            reply = await self._http.request(http_method, f"/api/v1{api_path}", content=content)
        except httpx2.HTTPError as error:
            raise UnreachableError(f"{self.url} does not answer ({type(error).__name__}).") from error
        if reply.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            raise _too_many_requests_error(reply)
        if reply.status_code in _ANSWERS_LATER:
            raise UnreachableError(f"{self.url} can't answer now (status {reply.status_code}).")
        if reply.is_success or reply.status_code == accepted_status:
            return reply
        try:
            details = ProblemDetails.model_validate_json(reply.content)
        except ValidationError:
            message = f"{self.url} answered with the status {reply.status_code}."
            raise RefusedError(
                reply.status_code, message, "Check that the address is that of a bench service."
            ) from None
        raise RefusedError(reply.status_code, details.detail, details.next_step)


@cache
def _trusted_certificates() -> ssl.SSLContext:
    # Reading the authorities' certificates takes 30 ms.
    import httpx2

    return httpx2.create_ssl_context()


def new_run_id() -> str:
    """An id for a run."""
    return uuid.uuid4().hex


def _too_many_requests_error(reply: httpx2.Response) -> RetryLaterError:
    try:
        detail = ProblemDetails.model_validate_json(reply.content).detail
    except ValidationError:
        detail = "It takes no more requests for now."
    wait = reply.headers.get("Retry-After", "")
    return RetryLaterError(detail, float(wait) if wait.isdecimal() else _USUAL_WAIT_S)


def _compressed_base64(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


T = TypeVar("T")


def _parse_reply(reply_adapter: TypeAdapter[T], reply: httpx2.Response, service_url: str) -> T:
    try:
        return reply_adapter.validate_json(reply.content)
    except ValidationError as error:
        flaw = error.errors()[0]
        field_path = ".".join(map(str, flaw["loc"])) or "the answer"
        message = f"{service_url} answered something that this version can't read ({field_path})."
        raise RefusedError(
            reply.status_code, message, "Install the version of Benchwright that the service names."
        ) from None
