"""The web application: endpoints behind admission control."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from benchwright_judges.service.admission import USUAL_BODY_LIMIT, AdmissionControl, PathRules
from benchwright_judges.service.app import answer_errors_with_problem_details, is_served
from benchwright_service.bench import Bench
from benchwright_service.endpoints import open, solver, studies, teaching, work
from benchwright_service.pages.app import is_page

OPEN = frozenset(
    f"/api/v1/{path}"
    for path in (
        "health/live",
        "health/accepting",
        "health/ready",
        "key",
        "keys",
        "join",
        "devices",
        "devices/state",
        "openapi.json",
    )
)
"""Paths that need no token."""
JUDGES = "/v1/"
"""The prefix of paths of the judge service."""
_LARGE_BODY = 32 << 20
_LARGE = ("/events", "/runs", "/verdict", "/journal")
_ABOUT = """Runs hidden tests, keeps what solvers do and countersigns it, for a lab or a course.

Every request except those for health, keys, joining, signing in and this document needs a token:
`Authorization: Bearer bws_…`. Requests below `/api/v1/courses` need a personal access token for the area that
`x-scope` names; owners and staff make one on the page `/tokens`. Roles that get an answer are in `x-roles`. Refusals
are problem details (RFC 9457) with a `next_step`.
"""


def make_app(bench: Bench) -> ASGIApp:
    """The service as an ASGI application over an open bench."""
    api = make_api()
    api.state.bench = bench
    gate = PathRules(OPEN.__contains__, body_byte_limit)
    return AdmissionControl(
        api, bench.accounts, is_served=partial(is_served, api), path_rules=gate, rate_limits=bench.rates("token")
    )


def combined_app(bench_app: ASGIApp, judging_app: ASGIApp, pages_app: ASGIApp) -> ASGIApp:
    """Both services and the pages at one address, each behind what guards it.

    Args:
        bench_app: Has every path but those of the others; it has no start and no end of its own.
        judging_app: Has the paths below `/v1/`, as where it is alone.
        pages_app: Has the paths of pages; no start and no end either.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope["path"].startswith(JUDGES):
            await judging_app(scope, receive, send)
        else:
            await (pages_app if is_page(scope["path"]) else bench_app)(scope, receive, send)

    return app


def make_api() -> FastAPI:
    """The endpoints, with nothing behind them yet."""
    api = FastAPI(
        title="Benchwright bench service",
        version="1",
        description=_ABOUT,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        separate_input_output_schemas=False,
        redirect_slashes=False,
    )
    for router in (open.router, solver.router, studies.router, teaching.router, work.router):
        api.include_router(router)
    answer_errors_with_problem_details(api)
    return api


def body_byte_limit(path: str) -> int:
    """The largest body of a path, in bytes."""
    return _LARGE_BODY if path.endswith(_LARGE) else USUAL_BODY_LIMIT
