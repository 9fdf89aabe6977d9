"""Client of a judge service."""

from __future__ import annotations

import asyncio
import os
import random
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from pydantic import ValidationError

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.refusals import ProblemDetails
from benchwright_judges.errors import ConfigurationError
from benchwright_judges.judgement import Judgement, JudgementStatus, Vote, storable_text
from benchwright_judges.models.configuration import settings_file
from benchwright_judges.service.views import JudgementView, SubmissionView

if TYPE_CHECKING:
    import httpx2

_TOKEN = "BENCHWRIGHT_JUDGE_TOKEN"  # noqa: S105 - the variable's name
_LONGEST_WAIT_S = 25.0
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 8.0
_TRIES = 4
"""Number of tries to reach a service that does not answer, kept low because a person is waiting."""
_AGAIN = frozenset({408, 429, 502, 503, 504})
"""Statuses after which the same request may succeed."""


def find_service_token(environ: Mapping[str, str] = os.environ) -> str:
    """The token for a judge service: `BENCHWRIGHT_JUDGE_TOKEN`, or the file `judge-token` beside `judges.toml`.

    It is not an editor setting, because settings are synchronised and committed.

    Raises:
        ConfigurationError: No token is found, or others can read the file.
    """
    if token := environ.get(_TOKEN, "").strip():
        return token
    file = settings_file(environ).with_name("judge-token")
    try:
        if file.stat().st_mode & 0o077:
            raise ConfigurationError(f"other users can read {file}; restrict it with chmod 600")
        return file.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"there is no token for the judge service; write it to {file}, or set the environment variable {_TOKEN}"
        ) from error


class RemoteJudge:
    """A judge service, reached over HTTP.

    If judging fails for any reason, the answer stays pending, with the reason and the next step: nothing is
    lost, and nothing is raised.

    Args:
        service_url: URL of the service, such as `https://judge.example.org`.
        token: An access token with the scope `submit`.
        patience_s: Time to wait for one judgement in all, in seconds.
        transport: Replaces the network in tests.

    Raises:
        ConfigurationError: The URL is not valid.
    """

    def __init__(
        self,
        service_url: str,
        token: str,
        *,
        patience_s: float = 90.0,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        with explain_missing_extra("A judge service", "judges"):
            import httpx2

        split_url = urlsplit(service_url)
        if split_url.scheme not in ("http", "https") or not split_url.hostname or split_url.username or split_url.query:
            raise ConfigurationError(
                f"{service_url!r} is not the address of a judge service; write https://HOST or http://HOST:PORT"
            )
        self._name = split_url.netloc
        self._patience_s = patience_s
        self._client = httpx2.AsyncClient(
            base_url=service_url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx2.Timeout(_LONGEST_WAIT_S + 10, connect=5.0),
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, error_class: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    async def request_judgement(self, problem_ref: str, answer: str) -> Judgement:
        """The service's judgement of an answer to the problem `pack/id`, or one that is pending."""
        import httpx2

        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience_s
        # One key for all repetitions: an answer that arrived is not judged again.
        key = uuid.uuid4().hex
        pause_s = _FIRST_PAUSE_S
        failures = 0
        judgement = _pending_judgement(
            f"The judge service {self._name} has not judged this answer yet.", "Run again later."
        )
        while (left := deadline - loop.time()) > 0:
            wait_s = pause_s * random.uniform(0.5, 1.0)  # noqa: S311
            try:
                response = await self._client.post(
                    "/v1/submissions",
                    params={"wait_s": round(min(left, _LONGEST_WAIT_S), 3)},
                    headers={"Idempotency-Key": key},
                    json={"problem": problem_ref, "answer": storable_text(answer)},
                )
            except httpx2.TransportError as error:
                judgement = self._judgement_if_unreachable(error)
                failures += 1
                if failures == _TRIES:
                    break
            except httpx2.HTTPError as error:
                return self._judgement_if_unreachable(error)
            else:
                if response.status_code == 202:
                    # It was accepted and waited for already.
                    continue
                if response.status_code == 200:
                    return self._read_judgement(response.content)
                judgement = self._judgement_of_refusal(response)
                if response.status_code not in _AGAIN:
                    return judgement
                wait_s = max(wait_s, _seconds_or_0(response.headers.get("Retry-After")))
            if loop.time() + wait_s >= deadline:
                break
            await asyncio.sleep(wait_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return judgement

    def _read_judgement(self, response_body: bytes) -> Judgement:
        try:
            # A newer service may send more fields.
            judgement = SubmissionView.model_validate_json(response_body, extra="ignore").judgement
        except ValidationError:
            judgement = None
        return _judgement_of_view(judgement) if judgement is not None else self._judgement_of_foreign_reply()

    def _judgement_of_refusal(self, response: httpx2.Response) -> Judgement:
        try:
            details = ProblemDetails.model_validate_json(response.content, extra="ignore")
        except ValidationError:
            return self._judgement_of_foreign_reply()
        subject = "refused its token" if response.status_code in (401, 403) else "did not accept the answer"
        return _pending_judgement(f"The judge service {self._name} {subject}: {details.detail}", details.next_step)

    def _judgement_if_unreachable(self, connection_error: Exception) -> Judgement:
        return _pending_judgement(
            f"The judge service {self._name} can't be reached ({type(connection_error).__name__}).",
            "Check its address and the network, then run again.",
        )

    def _judgement_of_foreign_reply(self) -> Judgement:
        return _pending_judgement(
            f"{self._name} does not answer like a judge service of this version.", "Check the address of the service."
        )


def _judgement_of_view(view: JudgementView) -> Judgement:
    votes = tuple(
        Vote(
            judge=vote.judge,
            label=vote.label,
            score=vote.score,
            error="its reply could not be used" if vote.failed else "",
            cost_usd=vote.cost_usd,
        )
        for vote in view.votes
    )
    return Judgement(
        status=view.status,
        score=view.score,
        passed=view.passed,
        label=view.label,
        message=view.message,
        method=view.method,
        rubric=view.rubric,
        votes=votes,
        tie_break=view.tie_break,
    )


def _pending_judgement(problem_sentence: str, next_step: str) -> Judgement:
    return Judgement(
        status=JudgementStatus.PENDING, message=f"{problem_sentence} The answer is kept and pending. {next_step}"
    )


def _seconds_or_0(retry_after_header: str | None) -> float:
    return float(retry_after_header) if retry_after_header is not None and retry_after_header.isdecimal() else 0.0
