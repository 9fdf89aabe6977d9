"""Refusals as problem details (RFC 9457): what is wrong, and the next step."""

from __future__ import annotations

import math
from enum import Enum
from http import HTTPStatus
from typing import Any

from pydantic import Field

from benchwright_foundation.model import Message

MEDIA_TYPE = "application/problem+json"
_URN = "urn:benchwright:judge:"


class RefusalKind(Enum):
    """Every kind of refusal: name, HTTP status, title."""

    MALFORMED = ("malformed", HTTPStatus.BAD_REQUEST, "The body is not JSON.")
    UNAUTHORIZED = ("unauthorized", HTTPStatus.UNAUTHORIZED, "A valid token is needed.")
    BUDGET_USED_UP = ("budget-used-up", HTTPStatus.PAYMENT_REQUIRED, "The token's budget is used up.")
    WRONG_SCOPE = ("wrong-scope", HTTPStatus.FORBIDDEN, "The token may not do this.")
    NOT_FOUND = ("not-found", HTTPStatus.NOT_FOUND, "Not found.")
    WRONG_METHOD = ("wrong-method", HTTPStatus.METHOD_NOT_ALLOWED, "This path does not accept this method.")
    TOO_SLOW = ("too-slow", HTTPStatus.REQUEST_TIMEOUT, "The body did not arrive in time.")
    CONFLICT = ("conflict", HTTPStatus.CONFLICT, "This has already been decided.")
    KEY_REUSED = ("key-reused", HTTPStatus.CONFLICT, "The Idempotency-Key belongs to another request.")
    TOO_LARGE = ("too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large.")
    HEADERS_TOO_LARGE = (
        "headers-too-large",
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "The headers are too large.",
    )
    WRONG_MEDIA_TYPE = ("wrong-media-type", HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must be JSON.")
    INVALID = ("invalid", HTTPStatus.UNPROCESSABLE_ENTITY, "The request is not valid.")
    RATE_LIMITED = ("rate-limited", HTTPStatus.TOO_MANY_REQUESTS, "Too many requests.")
    BUDGET_RESERVED = ("budget-reserved", HTTPStatus.TOO_MANY_REQUESTS, "The rest of the budget is reserved.")
    QUEUE_FULL = ("queue-full", HTTPStatus.TOO_MANY_REQUESTS, "Too many answers of this token are waiting.")
    QUOTA_USED_UP = ("quota-used-up", HTTPStatus.TOO_MANY_REQUESTS, "A quota of the account is used up.")
    STORAGE_USED_UP = (
        "storage-used-up",
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "The account's room for files is used up.",
    )
    UNEXPECTED = ("unexpected", HTTPStatus.INTERNAL_SERVER_ERROR, "Unexpected error.")
    UNAVAILABLE = ("unavailable", HTTPStatus.SERVICE_UNAVAILABLE, "The service is unavailable.")

    def __init__(self, slug: str, status: HTTPStatus, title: str) -> None:
        self.slug = slug
        self.status = status
        self.title = title

    @property
    def uri(self) -> str:
        """The `type` member of RFC 9457."""
        return _URN + self.slug


class Flaw(Message):
    """One invalid part of a request, and where it is."""

    pointer: str = Field(examples=["/items/3/answer"])
    """JSON Pointer into the body; for headers and parameters their name."""
    detail: str = Field(examples=["String should have at most 65536 characters"])


class ProblemDetails(Message):
    """A refusal in the form of RFC 9457, with the next step."""

    type: str
    title: str
    status: int
    detail: str
    """Description of what happened, in one sentence."""
    next_step: str
    """Advice on what to do about it."""
    errors: tuple[Flaw, ...] = ()


class RefusalError(Exception):
    """A request is rejected.

    Args:
        refusal_kind: Kind of refusal.
        detail: Description of what happened, in one sentence that quotes nothing of the body.
        next_step: Advice on what to do about it.
        retry_after_s: Seconds after which the same request may succeed.
        errors: Parts that are not valid.
    """

    def __init__(
        self,
        refusal_kind: RefusalKind,
        detail: str,
        next_step: str,
        *,
        retry_after_s: float | None = None,
        errors: tuple[Flaw, ...] = (),
    ) -> None:
        super().__init__(detail)
        self.refusal_kind = refusal_kind
        self.retry_after_s = retry_after_s
        self.details = ProblemDetails(
            type=refusal_kind.uri,
            title=refusal_kind.title,
            status=refusal_kind.status.value,
            detail=detail,
            next_step=next_step,
            errors=errors,
        )

    @property
    def headers(self) -> dict[str, str]:
        """Headers that go with the status."""
        headers = {}
        if self.retry_after_s is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after_s)))
        if self.refusal_kind is RefusalKind.UNAUTHORIZED:
            headers["WWW-Authenticate"] = 'Bearer realm="benchwright judge"'
        return headers


BODY_REFUSAL_KINDS = (RefusalKind.MALFORMED, RefusalKind.TOO_SLOW, RefusalKind.TOO_LARGE, RefusalKind.WRONG_MEDIA_TYPE)
"""Refusals of requests with a body."""


def openapi_responses_with_common_refusals(*refusal_kinds: RefusalKind) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's responses for these refusals and for those that every endpoint behind admission control has."""
    common_kinds = (
        RefusalKind.UNAUTHORIZED,
        RefusalKind.WRONG_SCOPE,
        RefusalKind.INVALID,
        RefusalKind.RATE_LIMITED,
        RefusalKind.UNEXPECTED,
        RefusalKind.UNAVAILABLE,
    )
    return openapi_responses_of_refusals(*refusal_kinds, *common_kinds)


def openapi_responses_of_refusals(*refusal_kinds: RefusalKind) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's responses for these refusals."""
    responses: dict[int | str, dict[str, Any]] = {}
    for refusal_kind in sorted(refusal_kinds, key=lambda refusal_kind: refusal_kind.status):
        response = responses.setdefault(
            refusal_kind.status.value,
            {
                "description": "",
                "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}, "examples": {}}},
            },
        )
        response["description"] = " ".join(filter(None, (response["description"], refusal_kind.title)))
        response["content"][MEDIA_TYPE]["examples"][refusal_kind.slug] = {"value": _example_details(refusal_kind)}
        if refusal_kind is RefusalKind.UNAUTHORIZED:
            response["headers"] = {"WWW-Authenticate": {"schema": {"type": "string"}, "required": True}}
        if refusal_kind.status.value in (429, 503):
            response["headers"] = {"Retry-After": {"schema": {"type": "string", "pattern": "^[0-9]+$"}}}
    return responses


def _example_details(refusal_kind: RefusalKind) -> dict[str, Any]:
    return RefusalError(refusal_kind, "What happened.", "What to do about it.").details.model_dump(mode="json")
