"""Permissions: one answer for each endpoint of the OpenAPI document and each kind of asker.

Run as `python -m benchwright_service.courses.permissions > docs/reference/permissions.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum

from pydantic import JsonValue

from benchwright_remote.messages import Role
from benchwright_remote.teaching_messages import Scope
from benchwright_service.app import OPEN, make_api
from benchwright_service.endpoints.admitted import ROLES, SCOPE

_JOBS = "/api/v1/jobs"


class Asker(StrEnum):
    """Kind of asker, about a course or a study."""

    NOBODY = "nobody"
    """Without a token that the service knows."""
    STRANGER = "stranger"
    """A person who is not in the course."""
    PARTICIPANT = Role.PARTICIPANT.value
    GRADER = Role.GRADER.value
    MONITOR = Role.MONITOR.value
    STAFF = Role.STAFF.value
    OWNER = Role.OWNER.value
    WORKER = "worker"


class Permission(StrEnum):
    """Answer that the asker gets."""

    YES = "yes"
    OWN = "own"
    """Their own data only; the rest is answered like what does not exist."""
    UNAUTHORIZED = "401"
    FORBIDDEN = "403"
    ABSENT = "404"
    """As if it did not exist."""


def permissions_by_request() -> Mapping[tuple[str, str], Mapping[Asker, Permission]]:
    """The answers, by method and path."""
    return {
        (method.upper(), path): {asker: _permission(path, operation, asker) for asker in Asker}
        for path, operations in make_api().openapi()["paths"].items()
        for method, operation in operations.items()
    }


def scopes_by_request() -> Mapping[tuple[str, str], Scope]:
    """The areas of personal tokens, by method and path; without endpoints that take other tokens."""
    return {
        (method.upper(), path): Scope(operation[SCOPE])
        for path, operations in make_api().openapi()["paths"].items()
        for method, operation in operations.items()
        if SCOPE in operation
    }


def _permission(path: str, operation: Mapping[str, JsonValue], asker: Asker) -> Permission:
    if path in OPEN:
        return Permission.YES
    if asker is Asker.NOBODY:
        return Permission.UNAUTHORIZED
    if path.startswith(_JOBS):
        return Permission.YES if asker is Asker.WORKER else Permission.FORBIDDEN
    if asker is Asker.WORKER:
        return Permission.FORBIDDEN
    roles = operation.get(ROLES)
    if isinstance(roles, list):
        return Permission.YES if asker.value in roles else Permission.ABSENT
    return Permission.OWN if "{" in path else Permission.YES


def permissions_markdown() -> str:
    """The whole page, Markdown."""
    return "\n".join(_page_lines())


_HEAD = """\
# Who may ask what of the bench service

Every endpoint of the [bench service](bench-service.md), and what each asker gets. Generated from its OpenAPI document
by `python -m benchwright_service.courses.permissions`; do not edit. A test asks each endpoint as each asker over HTTP
and compares.

| answer | meaning |
| --- | --- |
| yes | it is answered |
| own | what is the asker's own; everything else is answered like what does not exist |
| 401 | no token that the service knows |
| 403 | the token is of the wrong kind: a person's for workers' work, or a worker's for people's |
| 404 | answered like what does not exist, to the byte |

Roles are those in the course or study that the path names; a *stranger* has no role in it. Tokens of the judge service
get what *nobody* gets, and the judge service takes none of these.

The teacher's API, below `/api/v1/courses`, is asked with a personal access token for the area of the endpoint, as the
second table has it. A token without that area gets 403, and so does every other kind of token. A personal token gets
403 everywhere else.
"""


def _page_lines() -> Iterator[str]:
    yield _HEAD
    yield f"| request | {' | '.join(Asker)} |"
    yield f"| --- |{' --- |' * len(Asker)}"
    for (method, path), answers_by_asker in permissions_by_request().items():
        yield f"| `{method} {path}` | {' | '.join(answers_by_asker[asker] for asker in Asker)} |"
    yield "\n| request | area |"
    yield "| --- | --- |"
    for (method, path), token_scope in scopes_by_request().items():
        yield f"| `{method} {path}` | `{token_scope}` |"


if __name__ == "__main__":
    print(permissions_markdown(), file=sys.stdout)  # noqa: T201 - it is what the module is for
