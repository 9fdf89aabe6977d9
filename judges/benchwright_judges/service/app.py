"""The web application: endpoints behind admission control, and what its OpenAPI document says beyond them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import ASGIApp, Scope

from benchwright_foundation.rate import RateLimits
from benchwright_foundation.refusals import Flaw, ProblemDetails, RefusalError, RefusalKind
from benchwright_judges.service.admission import AdmissionControl, refusal_of, refusal_response
from benchwright_judges.service.endpoints import router
from benchwright_judges.service.judging import SubmissionJudging
from benchwright_judges.service.tokens import AccessTokens

_MOST_FLAWS = 20
_LONGEST_POINTER = 200
_ABOUT = """Scores answers to Benchwright's questions where the answer keys are kept; never returns keys or rubrics.

Every request except those for health and this document needs a token: `Authorization: Bearer bwj_…`. Its scopes
determine what it may do: `submit` sends answers, `grade` grades as a person, `admin` may do everything. Refusals are
problem details (RFC 9457) with a `next_step`. Amounts of money are in US dollars.
"""


def make_app(judging: SubmissionJudging, tokens: AccessTokens, rate_limits: RateLimits | None = None) -> ASGIApp:
    """The service as an ASGI application; `judging` runs from its start to its end.

    Args:
        judging: Judges.
        tokens: The valid tokens.
        rate_limits: Count requests of tokens; in this process alone if not given.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        judging.start()
        yield
        await judging.close()

    api = make_api(lifespan)
    admission = AdmissionControl(api, tokens, is_served=partial(is_served, api), rate_limits=rate_limits)
    api.state.judging = judging
    api.state.admission = admission
    return admission


def is_served(application: FastAPI, scope: Scope) -> bool:
    """True if the application has an endpoint for the path and the method."""
    return any(route.matches(scope)[0] is Match.FULL for route in application.routes)


def make_api(lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None) -> FastAPI:
    """The endpoints, with nothing behind them yet."""
    api = FastAPI(
        title="Benchwright judge service",
        version="1",
        description=_ABOUT,
        lifespan=lifespan,
        openapi_url="/v1/openapi.json",
        # The pages that show it load third-party scripts.
        docs_url=None,
        redoc_url=None,
        # Bodies and errors contain answers, so no exporter named in an environment variable may receive them.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        separate_input_output_schemas=False,
        redirect_slashes=False,
    )
    api.include_router(router)
    answer_errors_with_problem_details(api)
    return api


def answer_errors_with_problem_details(api: FastAPI) -> None:
    """Turn every error of the endpoints into problem details, and describe these in the OpenAPI document."""
    for error, handler in (
        (RequestValidationError, _answer_invalid_request),
        (HTTPException, _answer_http_error),
        (Exception, _answer_unexpected_error),
    ):
        api.add_exception_handler(error, handler)
    _add_refusal_schemas(api)


def _add_refusal_schemas(api: FastAPI) -> None:
    """Put the shape of refusals, which no endpoint returns, into the OpenAPI document."""
    make_document = api.openapi
    _, shapes = models_json_schema([(ProblemDetails, "validation")], ref_template="#/components/schemas/{model}")

    def complete() -> dict[str, Any]:
        schema = make_document()
        schema["components"]["schemas"].update(shapes["$defs"])
        return schema

    api.openapi = complete  # type: ignore[method-assign]


async def _answer_unexpected_error(request: Request, error: Exception) -> Response:
    return refusal_response(refusal_of(error))


async def _answer_http_error(request: Request, error: Exception) -> Response:
    match cast(HTTPException, error).status_code:
        case 404:
            refusal = RefusalError(
                RefusalKind.NOT_FOUND, "There is no such path.", "See the service's openapi.json for the paths."
            )
        case 405:
            refusal = RefusalError(RefusalKind.WRONG_METHOD, "The Allow header names the methods.", "Use one of them.")
        case _:
            refusal = RefusalError(
                RefusalKind.MALFORMED, "The body can't be read as JSON.", "Send one JSON object, UTF-8."
            )
    response = refusal_response(refusal)
    response.headers.update(cast(HTTPException, error).headers or {})
    return response


async def _answer_invalid_request(request: Request, error: Exception) -> Response:
    flaws = cast(RequestValidationError, error).errors()
    if any(flaw["type"] == "json_invalid" for flaw in flaws):
        return refusal_response(
            RefusalError(RefusalKind.MALFORMED, "The body is not valid JSON.", "Send one JSON object, UTF-8.")
        )
    return refusal_response(
        RefusalError(
            RefusalKind.INVALID,
            "Parts of the request are not valid; `errors` lists them.",
            "Correct them; the service's openapi.json describes each field.",
            errors=tuple(
                Flaw(pointer=_json_pointer(flaw["loc"]), detail=_printable_text(str(flaw["msg"])))
                for flaw in flaws[:_MOST_FLAWS]
            ),
        )
    )


def _json_pointer(error_location: Sequence[str | int]) -> str:
    source, *path = error_location
    if source != "body":
        return _printable_text(" ".join(map(str, error_location)))
    return _printable_text("".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path))


def _printable_text(input_text: str) -> str:
    """Untrusted text for a response: short, and without unpaired surrogates."""
    return input_text[:_LONGEST_POINTER].encode("utf-8", "replace").decode()
