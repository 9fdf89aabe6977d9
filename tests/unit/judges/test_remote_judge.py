"""The client of the judge service: against the service itself, and against what else may answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_judges.errors import ConfigurationError
from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod
from benchwright_judges.service.client import RemoteJudge, find_service_token
from benchwright_judges.service.token import TokenScope

from ...support.service.judge_endpoint import JudgeEndpoint, PlayedReply, says
from ...support.service.judge_service import CHOOSES, EXPLAINS, judge_at, serve_judges

Answer = Callable[[httpx2.Request], httpx2.Response]


async def judgement_of_service(respond: Answer, patience_s: float = 60.0, text: str = "B") -> Judgement:
    transport = httpx2.MockTransport(respond)
    async with RemoteJudge("http://judge", "t", patience_s=patience_s, transport=transport) as judge:
        return await judge.request_judgement(CHOOSES, text)


def refusal_response(refusal_kind: RefusalKind, **headers: str) -> httpx2.Response:
    details = RefusalError(refusal_kind, "What happened.", "What to do.").details
    return httpx2.Response(refusal_kind.status.value, json=details.model_dump(mode="json"), headers=headers)


async def test_it_says_what_the_service_says(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: says("incorrect")) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url, input_usd=1)]) as service:
            _, token = await service.tokens.create_with_bearer_string("ann", [TokenScope.SUBMIT])
            transport = httpx2.ASGITransport(service.app)
            async with RemoteJudge("http://judge", token, transport=transport) as judge:
                right_judgement = await judge.request_judgement(CHOOSES, "B")
                assert (right_judgement.status, right_judgement.passed, right_judgement.label) == (
                    JudgementStatus.SCORED,
                    True,
                    "B",
                )
                voted = await judge.request_judgement(EXPLAINS, "Because \0 \ud800.")
                assert (voted.method, voted.label, voted.passed) == (ScoringMethod.MODEL, "incorrect", False)
                assert voted.rubric.startswith("free-response@")
                assert [vote.judge for vote in voted.votes] == ["scripted"] * 2
                assert voted.cost_usd == pytest.approx(2 * 100 / 1e6)
                unknown_judgement = await judge.request_judgement("leaky/none", "B")
                assert unknown_judgement.status is JudgementStatus.PENDING
                assert "no problem leaky/none" in unknown_judgement.message


async def test_a_slow_judge_is_waited_for_without_being_asked_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright_judges.service.client._LONGEST_WAIT_S", 0.05)
    slow = PlayedReply(says("correct").body, headers={"Content-Type": "application/json"}, delay_s=0.3)
    with JudgeEndpoint(lambda request: slow) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url)]) as service:
            _, token = await service.tokens.create_with_bearer_string("ann", [TokenScope.SUBMIT])
            transport = httpx2.ASGITransport(service.app)
            async with RemoteJudge("http://judge", token, transport=transport) as judge:
                assert (await judge.request_judgement(EXPLAINS, "Because.")).label == "correct"
            assert len(endpoint.requests) == 2
            async with RemoteJudge("http://judge", token, transport=transport, patience_s=0.1) as judge:
                late_judgement = await judge.request_judgement(EXPLAINS, "Why not?")
                assert late_judgement.status is JudgementStatus.PENDING
                assert "has not judged this answer yet" in late_judgement.message
    assert len(endpoint.requests) <= 4


@pytest.mark.parametrize(
    "refusal_kind",
    [RefusalKind.RATE_LIMITED, RefusalKind.UNAVAILABLE, RefusalKind.BUDGET_RESERVED, RefusalKind.TOO_SLOW],
)
async def test_what_passes_is_waited_out_with_one_key(refusal_kind: RefusalKind) -> None:
    keys: list[str] = []

    def answer(http_request: httpx2.Request) -> httpx2.Response:
        keys.append(http_request.headers["Idempotency-Key"])
        return (
            refusal_response(refusal_kind, **{"Retry-After": "1"})
            if len(keys) < 3
            else refusal_response(RefusalKind.WRONG_SCOPE)
        )

    start_s = time.monotonic()
    judgement = await judgement_of_service(answer)
    assert time.monotonic() - start_s >= 2
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert "refused its token: What happened." in judgement.message


async def test_it_does_not_wait_longer_than_it_may() -> None:
    start_s = time.monotonic()
    judgement = await judgement_of_service(
        lambda http_request: refusal_response(RefusalKind.RATE_LIMITED, **{"Retry-After": "3600"})
    )
    assert time.monotonic() - start_s < 60, "patience itself is longer"
    assert judgement.status is JudgementStatus.PENDING
    assert "What to do." in judgement.message


@pytest.mark.parametrize(
    ("refusal_kind", "message"),
    [
        (RefusalKind.UNAUTHORIZED, "refused its token"),
        (RefusalKind.WRONG_SCOPE, "refused its token"),
        (RefusalKind.BUDGET_USED_UP, "did not accept the answer"),
        (RefusalKind.NOT_FOUND, "did not accept the answer"),
        (RefusalKind.TOO_LARGE, "did not accept the answer"),
    ],
)
async def test_a_refusal_leaves_the_answer_pending_and_says_why(refusal_kind: RefusalKind, message: str) -> None:
    judgement = await judgement_of_service(lambda http_request: refusal_response(refusal_kind))
    assert judgement.status is JudgementStatus.PENDING
    assert message in judgement.message
    assert "kept and pending. What to do." in judgement.message


@pytest.mark.parametrize(
    "response",
    [
        httpx2.Response(200, text="<html>A router</html>"),
        httpx2.Response(200, json={"state": "done"}),
        httpx2.Response(404, text="nothing"),
        httpx2.Response(302, headers={"Location": "http://elsewhere"}),
        httpx2.Response(200, content=b"[" * 100_000),
    ],
)
async def test_what_is_no_judge_service_is_said_so(response: httpx2.Response) -> None:
    judgement = await judgement_of_service(lambda http_request: response)
    assert judgement.status is JudgementStatus.PENDING
    assert "does not answer like a judge service" in judgement.message


async def test_nobody_there_leaves_the_answer_pending() -> None:
    server = await asyncio.start_server(lambda stream_reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    async with RemoteJudge(f"http://127.0.0.1:{port}", "t", patience_s=0.5) as judge:
        judgement = await judge.request_judgement(CHOOSES, "B")
    assert judgement.status is JudgementStatus.PENDING
    assert "can't be reached" in judgement.message


@pytest.mark.parametrize("url", ["judge", "ftp://judge", "http://", "http://user:secret@judge", "http://judge?x=1", ""])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="not the address"):
        RemoteJudge(url, "t")


def test_the_token_comes_from_the_environment_or_a_private_file(tmp_path: Path) -> None:
    home = {"BENCHWRIGHT_HOME": str(tmp_path)}
    with pytest.raises(ConfigurationError, match="BENCHWRIGHT_JUDGE_TOKEN"):
        find_service_token(home)
    file = tmp_path / "config" / "judge-token"
    file.parent.mkdir()
    file.write_text("from-file\n")
    file.chmod(0o644)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        find_service_token(home)
    file.chmod(0o600)
    assert find_service_token(home) == "from-file"
    assert find_service_token(home | {"BENCHWRIGHT_JUDGE_TOKEN": "from-environment"}) == "from-environment"
