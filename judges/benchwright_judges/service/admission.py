"""Admission control: token, rate, size and time of a request, before it reaches an endpoint.

It is outside the web framework, because that reads a body before it checks the sender.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import traceback
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchwright_foundation import access_token
from benchwright_foundation.access_token import BearerToken
from benchwright_foundation.rate import RateLimits
from benchwright_foundation.refusals import MEDIA_TYPE, RefusalError, RefusalKind
from benchwright_foundation.storage_failures import storage_failure_name
from benchwright_problems.errors import UnknownProblemError

logger = logging.getLogger(__name__)

OPEN = frozenset({"/v1/health/live", "/v1/health/ready", "/v1/openapi.json"})
"""Paths that need no token."""
BODY_LIMITS = {"/v1/batches": 8 << 20}
"""Largest body in bytes, by path."""
USUAL_BODY_LIMIT = 512 << 10
LARGEST_HEADERS = 16 << 10
"""Bytes of all headers of a request. The server's own limit lets through what arrives at once."""
_OPEN_SHARE = 10
"""A token may have a tenth of its requests a minute open at once: each may wait for a minute."""
_FEWEST_OPEN = 8
BODY_TIME_S = 20.0
"""The longest time that a body may take to arrive, in seconds."""


class TokenSource(Protocol):
    """Finds tokens."""

    @property
    def prefix(self) -> str:
        """The beginning of their strings."""

    async def find_token(self, token_id: str) -> BearerToken | None:
        """The token with this id, also if it is no longer valid."""


@dataclass(frozen=True, slots=True)
class PathRules:
    """The paths that are open, and how much they take."""

    is_open: Callable[[str], bool] = OPEN.__contains__
    """True if a path needs no token."""
    body_limit: Callable[[str], int] = lambda path: BODY_LIMITS.get(path, USUAL_BODY_LIMIT)
    """The largest body of a path, in bytes."""


class AdmissionControl:
    """Passes admitted requests on to `app`, and turns every error into problem details.

    Args:
        app: The application.
        token_source: The valid tokens.
        is_served: True if the application has an endpoint for the path and the method.
        path_rules: Open paths, and how much they take.
        body_arrival_limit_s: The longest time that a body may take to arrive, in seconds.
        clock: Seconds since 1970.
        rate_limits: Count requests of tokens; in this process alone if not given.
    """

    def __init__(
        self,
        app: ASGIApp,
        token_source: TokenSource,
        *,
        is_served: Callable[[Scope], bool],
        path_rules: PathRules = PathRules(),
        body_arrival_limit_s: float = BODY_TIME_S,
        clock: Callable[[], float] = time.time,
        rate_limits: RateLimits | None = None,
    ) -> None:
        self._app = app
        self._tokens = token_source
        self._is_served = is_served
        self._gate = path_rules
        self._rates = rate_limits if rate_limits is not None else RateLimits()
        self._open_requests: Counter[str] = Counter()
        self._body_time_s = body_arrival_limit_s
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the server's start and end."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def watched(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            token = await self._admitted_token(scope)
            with self._count_open_request(token):
                await self._app(scope, await self._body_receiver(scope, receive), watched)
        except Exception as error:
            # Once a response has begun, the client can't be sent another.
            refusal = refusal_of(error)
            if not has_started:
                await refusal_response(refusal)(scope, receive, send)

    async def _admitted_token(self, scope: Scope) -> BearerToken | None:
        """The token of a request that may be served; None for a path that needs none."""
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
            raise RefusalError(
                RefusalKind.HEADERS_TOO_LARGE,
                f"The headers have more than {LARGEST_HEADERS:,} bytes.",
                "Send the token and the headers that the documentation names, and no others.",
            )
        headers = Headers(scope=scope)
        if self._gate.is_open(scope["path"]):
            return None
        token = await self.valid_token(headers.get("authorization"))
        wait_s = self._rates.admit_or_retry_after_s(token.id, token.per_minute)
        if wait_s:
            raise RefusalError(
                RefusalKind.RATE_LIMITED,
                f"This token may make {token.per_minute} requests a minute.",
                "Wait for the number of seconds in Retry-After, then repeat the request.",
                retry_after_s=wait_s,
            )
        scope.setdefault("state", {})["token"] = token
        return token

    @contextlib.contextmanager
    def _count_open_request(self, admitted_token: BearerToken | None) -> Iterator[None]:
        """Counts a request until its answer has ended: those that wait take connections from all others.

        Raises:
            RefusalError: The token has too many.
        """
        if admitted_token is None:
            yield
            return
        limit = max(admitted_token.per_minute // _OPEN_SHARE, _FEWEST_OPEN)
        if self._open_requests[admitted_token.id] >= limit:
            raise RefusalError(
                RefusalKind.RATE_LIMITED,
                f"This token may have {limit} requests open at once.",
                "Wait until some of them have been answered.",
                retry_after_s=1,
            )
        self._open_requests[admitted_token.id] += 1
        try:
            yield
        finally:
            self._open_requests[admitted_token.id] -= 1
            if not self._open_requests[admitted_token.id]:
                del self._open_requests[admitted_token.id]

    async def _body_receiver(self, scope: Scope, receive: Receive) -> Receive:
        headers = Headers(scope=scope)
        # What no endpoint takes is answered without reading its body.
        if scope["method"] not in {"POST", "PUT", "PATCH"} or not self._is_served(scope):
            return receive
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RefusalError(
                RefusalKind.WRONG_MEDIA_TYPE,
                "The Content-Type of the body is not application/json.",
                "Send JSON with Content-Type: application/json.",
            )
        return await self._receiver_of_whole_body(scope["path"], headers, receive)

    async def valid_token(self, authorization_header: str | None) -> BearerToken:
        """The token of an Authorization header.

        Raises:
            RefusalError: No token was given, or it is not valid.
        """
        scheme, _, text = (authorization_header or "").partition(" ")
        if scheme.lower() != "bearer" or not text:
            raise _unauthorized_refusal(
                "The request has no access token.", "Send Authorization: Bearer followed by the token."
            )
        token_parts = access_token.id_and_secret_of_token(text.strip(), self._tokens.prefix)
        token = await self._tokens.find_token(token_parts[0]) if token_parts else None
        if token_parts is None or token is None or not token.has_secret(token_parts[1]):
            raise _unauthorized_refusal("The token is unknown.", "Check that it was copied whole.")
        if token.revoked is not None:
            raise _unauthorized_refusal("The token was revoked.", "Ask the service's administrator for a new one.")
        if token.expires is not None and token.expires <= self._clock():
            raise _unauthorized_refusal("The token has expired.", "Ask the service's administrator for a new one.")
        return token

    async def _receiver_of_whole_body(self, path: str, headers: Headers, receive: Receive) -> Receive:
        limit = self._gate.body_limit(path)
        # The server has checked that it is a number; without one the body comes in chunks.
        if int(headers.get("content-length", 0)) > limit:
            raise _too_large_refusal(limit)
        request_body = bytearray()
        try:
            async with asyncio.timeout(self._body_time_s):
                has_more = True
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    request_body += message.get("body", b"")
                    if len(request_body) > limit:
                        raise _too_large_refusal(limit)
                    has_more = message.get("more_body", False)
        except TimeoutError:
            raise RefusalError(
                RefusalKind.TOO_SLOW,
                f"The body did not arrive within {self._body_time_s:g} s.",
                "Repeat the request with a better connection, or send less at a time.",
            ) from None
        unread: list[Message] = [{"type": "http.request", "body": bytes(request_body), "more_body": False}]

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        return replay


def refusal_of(request_error: Exception) -> RefusalError:
    """The refusal that a client gets for an error; the message of an unforeseen one may quote hidden parts."""
    if isinstance(request_error, RefusalError):
        return request_error
    if isinstance(request_error, UnknownProblemError):
        return RefusalError(
            RefusalKind.NOT_FOUND,
            "The problem is no longer in the service's packs.",
            "Ask who runs the service to install its pack again.",
        )
    failure = storage_failure_name(request_error)
    if failure is not None:
        # One line: while a disk is full, this is so of every request.
        logger.error("%s (%s) in %s", type(request_error).__name__, failure, _innermost_own_function(request_error))
        return RefusalError(
            RefusalKind.UNAVAILABLE,
            "The service's database is unreachable or too busy.",
            "Repeat the request later; with its Idempotency-Key nothing is counted twice.",
            retry_after_s=5,
        )
    name = uuid.uuid4().hex
    _log_traceback(request_error, name)
    return RefusalError(
        RefusalKind.UNEXPECTED,
        f"The service failed on this request ({name}).",
        "Repeat it with its Idempotency-Key, and give the service's administrator the ID in parentheses.",
    )


def refusal_response(refusal: RefusalError) -> Response:
    """A refusal as a response."""
    return JSONResponse(
        refusal.details.model_dump(mode="json"),
        refusal.refusal_kind.status.value,
        headers=refusal.headers,
        media_type=MEDIA_TYPE,
    )


def _innermost_own_function(caught_error: BaseException) -> str:
    """The last of our own functions that an error came through."""
    frames = traceback.extract_tb(caught_error.__traceback__)
    own_frames = [frame for frame in frames if "benchwright_" in frame.filename] or frames
    return own_frames[-1].name if own_frames else "an unknown place"


def _log_traceback(error: BaseException, error_id: str) -> None:
    trace = "".join(traceback.format_tb(error.__traceback__))
    logger.error("%s %s\n%s", type(error).__name__, error_id, trace)


def _unauthorized_refusal(detail: str, next_step: str) -> RefusalError:
    return RefusalError(RefusalKind.UNAUTHORIZED, detail, next_step)


def _too_large_refusal(most_bytes: int) -> RefusalError:
    return RefusalError(
        RefusalKind.TOO_LARGE,
        f"The body may have at most {most_bytes:,} bytes.".replace(",", " "),
        "Send shorter answers, or fewer at a time.",
    )
