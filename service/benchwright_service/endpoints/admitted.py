"""Arguments of an endpoint: the asker, as admission control has found out, and its area of the service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar, cast

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import Role
from benchwright_service.accounts.accounts import Accounts, AccountTokenKind, ServiceToken
from benchwright_service.bench import Bench, Coursework, SignIn, StudyArea
from benchwright_service.courses.courses import Courses
from benchwright_service.evidence.audit import AuditLog
from benchwright_service.evidence.evidence import EvidenceWriter
from benchwright_service.runs.runs import RunQueue

Area = TypeVar("Area")
# Dependencies are coroutines, though they wait for nothing: others run in threads.
_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="`bws_…`, as `benchwright login` gets it.")


async def _admitted_token(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)] = None
) -> ServiceToken:
    # Admission control has put it there.
    return cast(ServiceToken, request.state.token)


AdmittedToken = Annotated[ServiceToken, Depends(_admitted_token)]
"""The token that came with the request; it is valid."""


async def _admitted_account(token: AdmittedToken) -> str:
    if token.kind is not AccountTokenKind.PERSON or token.account is None:
        raise RefusalError(RefusalKind.WRONG_SCOPE, "This is for people.", "Sign in with `benchwright login`.")
    return token.account


async def _admitted_worker(token: AdmittedToken) -> str:
    if token.kind is not AccountTokenKind.WORKER:
        raise RefusalError(
            RefusalKind.WRONG_SCOPE, "This is for workers.", "Use the token of `benchwright worker-token`."
        )
    return token.name


ROLES = "x-roles"
"""Name in the OpenAPI document of the roles of an endpoint that is for some alone."""

SCOPE = "x-scope"
"""Name in the OpenAPI document of the area that the personal token for an endpoint has to name."""


def openapi_extra_of_roles(*roles: Role) -> dict[str, list[str]]:
    """For an endpoint's `openapi_extra`: it answers to these roles in the course or study of its path.

    Everybody else gets the answer to what does not exist. The endpoint sees to that; a test compares.
    """
    return {ROLES: [role.value for role in roles]}


def _area_dependency(area_of: Callable[[Bench], Area]) -> Callable[[Request], Awaitable[Area]]:
    async def find(request: Request) -> Area:
        return area_of(cast(Bench, request.app.state.bench))

    return find


TheBench = Annotated[Bench, Depends(_area_dependency(lambda bench: bench))]
"""For what is about the service as a whole; other endpoints take their area."""
TheAccounts = Annotated[Accounts, Depends(_area_dependency(lambda bench: bench.accounts))]
TheSignIn = Annotated[SignIn, Depends(_area_dependency(lambda bench: bench.sign_in))]
TheCourses = Annotated[Courses, Depends(_area_dependency(lambda bench: bench.courses))]
TheCoursework = Annotated[Coursework, Depends(_area_dependency(lambda bench: bench.coursework))]
TheEvidence = Annotated[EvidenceWriter, Depends(_area_dependency(lambda bench: bench.evidence))]
TheRuns = Annotated[RunQueue, Depends(_area_dependency(lambda bench: bench.runs))]
TheStudies = Annotated[StudyArea, Depends(_area_dependency(lambda bench: bench.studies))]
TheAudit = Annotated[AuditLog, Depends(_area_dependency(lambda bench: bench.audit))]
Account = Annotated[str, Depends(_admitted_account)]
"""The id of the account that asks."""
Worker = Annotated[str, Depends(_admitted_worker)]
"""The name of the worker that asks."""
