"""The judge service's endpoints, with a real database and real model clients, without the socket."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from sqlalchemy import func, select

from benchwright_foundation.rate import RateLimits
from benchwright_judges.judgement import Judgement
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.schema import ANSWERS
from benchwright_judges.service import judging as judging_module
from benchwright_judges.service.admission import USUAL_BODY_LIMIT, AdmissionControl
from benchwright_judges.service.judging import JudgingPace
from benchwright_judges.service.submission import RequestKey
from benchwright_judges.service.submissions import SubmissionQueue
from benchwright_judges.service.tables import SUBMISSIONS
from benchwright_judges.service.token import TokenScope
from benchwright_judges.service.views import LONGEST_ANSWER

from ...support.machine.waiting import wait_until
from ...support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, fails, says
from ...support.service.judge_service import CANARY, CHOOSES, EXPLAINS, FILLS, Served, judge_at, serve_judges

JSON = {"Content-Type": "application/json"}


@pytest_asyncio.fixture
async def service(tmp_path: Path) -> AsyncIterator[Served]:
    async with serve_judges(tmp_path) as served:
        yield served


async def post_submission(
    client: httpx2.AsyncClient, problem: str, answer: str, key: str = "", **query: Any
) -> httpx2.Response:
    headers = {"Idempotency-Key": key} if key else {}
    return await client.post(
        "/v1/submissions", json={"problem": problem, "answer": answer}, headers=headers, params=query
    )


def problem_details_of_refusal(response: httpx2.Response, status: int, slug: str) -> dict[str, Any]:
    """The problem details of a refusal."""
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    details: dict[str, Any] = response.json()
    assert details["type"] == f"urn:benchwright:judge:{slug}"
    assert details["status"] == status
    assert details["title"]
    assert details["detail"]
    assert details["next_step"]
    return details


async def row_count(service: Served, table: Any) -> int:
    async with service.records.read_transaction() as connection:
        return await connection.scalar(select(func.count()).select_from(table)) or 0


# Scoring


@pytest.mark.parametrize(
    ("problem", "answer", "status", "expected_pass"),
    [
        (CHOOSES, "The answer is (B).", "scored", True),
        (CHOOSES, "C", "scored", False),
        (CHOOSES, "A or B", "unreadable", None),
        (CHOOSES, "  ", "empty", None),
        (FILLS, "something else", "pending", None),
        (EXPLAINS, "It depends.", "pending", None),
    ],
)
async def test_an_answer_is_scored(
    service: Served, problem: str, answer: str, status: str, expected_pass: bool
) -> None:
    client = await service.client()
    response = await post_submission(client, problem, answer)
    assert response.status_code == 200
    submission = response.json()
    assert (submission["state"], submission["problem"]) == ("done", problem)
    assert (submission["judgement"]["status"], submission["judgement"]["passed"]) == (status, expected_pass)
    assert (await client.get(f"/v1/submissions/{submission['id']}")).json() == submission


async def test_models_vote_and_their_cost_is_settled(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: says("correct", f"The key says {CANARY}.")) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url, input_usd=10, output_usd=10)]) as service:
            judgement = (await post_submission(await service.client(), EXPLAINS, "Because.")).json()["judgement"]
            assert (judgement["status"], judgement["label"], judgement["passed"]) == ("scored", "correct", True)
            assert [(vote["judge"], vote["label"], vote["usage"]) for vote in judgement["votes"]] == [
                ("scripted", "correct", None)
            ] * 2
            assert judgement["rubric"].startswith("free-response@")
            (token,) = await service.tokens.list_tokens()
            assert token.spent_usd == pytest.approx(2 * 120 * 10 / 1e6)
            assert token.reserved_usd == pytest.approx(0)


async def test_an_administrator_sees_more_of_a_vote_and_nobody_its_reason(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: says("correct", f"The key says {CANARY}.")) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url)]) as service:
            submission = (await post_submission(await service.client(), EXPLAINS, "Because.")).json()
            admin = await service.client(TokenScope.ADMIN)
            whole = (await admin.get(f"/v1/submissions/{submission['id']}")).json()
            assert whole["judgement"]["votes"][0]["usage"]["input_tokens"] == 100
            assert CANARY not in json.dumps(whole)


async def test_a_slow_judgement_is_answered_later(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: PlayedReply(says("correct").body, headers=JSON, delay_s=0.4)) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url)]) as service:
            client = await service.client()
            first_response = await post_submission(client, EXPLAINS, "Because.", "one", wait_s=0.05)
            assert (first_response.status_code, first_response.json()["state"], first_response.json()["judgement"]) == (
                202,
                "running",
                None,
            )
            assert (await client.get(first_response.headers["Location"])).json()["id"] == first_response.json()["id"]
            repeated = await post_submission(client, EXPLAINS, "Because.", "one")
            assert (repeated.status_code, repeated.json()["judgement"]["label"]) == (200, "correct")
            assert repeated.json()["id"] == first_response.json()["id"]
            assert len(endpoint.requests) == 2


async def test_what_is_judged_later_is_shown_as_judged(service: Served) -> None:
    client = await service.client()
    submission = (await post_submission(client, EXPLAINS, "Because.")).json()
    assert submission["judgement"]["status"] == "pending"
    answer = await service.records.find_answer(submission["id"])
    assert answer is not None
    later_judgement = (
        await judge_and_record(service.judging.problem_for_judge(CHOOSES), "B", None, service.records)
    ).model_copy(update={"label": "correct"})
    await service.records.store_judgement(answer, later_judgement)
    now = (await client.get(f"/v1/submissions/{submission['id']}")).json()["judgement"]
    assert (now["status"], now["label"]) == ("scored", "correct")


# Who is let in


async def test_tokens_that_are_not_valid_are_refused(service: Served) -> None:
    expired, expired_text = await service.tokens.create_with_bearer_string(
        "bob", [TokenScope.SUBMIT], expires=time.time() - 1
    )
    revoked, revoked_text = await service.tokens.create_with_bearer_string("eve", [TokenScope.SUBMIT])
    assert await service.tokens.revoke(revoked.id)
    _, good = await service.tokens.create_with_bearer_string("ann", [TokenScope.SUBMIT])
    forged = good[:-1] + ("A" if good[-1] != "A" else "B")
    for text, detail in (
        (expired_text, "expired"),
        (revoked_text, "revoked"),
        (forged, "unknown"),
        ("bwj_000000000000_" + "A" * 43, "unknown"),
        ("x", "unknown"),
    ):
        refused_response = await post_submission(await service.client(text=text), CHOOSES, "B")
        assert detail in problem_details_of_refusal(refused_response, 401, "unauthorized")["detail"]
        assert refused_response.headers["WWW-Authenticate"].startswith("Bearer")
    for headers in ({}, {"Authorization": "Basic YTpi"}, {"Authorization": "Bearer"}):
        bare = httpx2.AsyncClient(transport=httpx2.ASGITransport(service.app), base_url="http://judge")
        async with bare:
            problem_details_of_refusal(await bare.get(f"/v1/batches/{'0' * 32}", headers=headers), 401, "unauthorized")
    assert await row_count(service, SUBMISSIONS) == 0
    assert expired.digest not in (expired_text, revoked_text)


async def test_a_revoked_token_is_refused_from_the_next_request_on(service: Served) -> None:
    client = await service.client()
    assert (await post_submission(client, CHOOSES, "B")).status_code == 200
    (token,) = await service.tokens.list_tokens()
    await service.tokens.revoke(token.id)
    problem_details_of_refusal(await post_submission(client, CHOOSES, "B"), 401, "unauthorized")
    assert not await service.tokens.revoke(token.id)


async def test_a_scope_covers_what_it_names(service: Served) -> None:
    grader = await service.client(TokenScope.GRADE)
    refusal = problem_details_of_refusal(await post_submission(grader, CHOOSES, "B"), 403, "wrong-scope")
    assert "submit" in refusal["detail"]
    assert (await post_submission(await service.client(TokenScope.ADMIN), CHOOSES, "B")).status_code == 200


async def test_only_its_own_token_finds_a_submission(service: Served) -> None:
    ann, bob = await service.client(), await service.client()
    submission = (await post_submission(ann, CHOOSES, "B")).json()["id"]
    batch = (await ann.post("/v1/batches", json={"items": [{"problem": CHOOSES, "answer": "B"}]})).json()["id"]
    for path in (
        f"/v1/submissions/{submission}",
        *(f"/v1/batches/{batch}{end}" for end in ("", "/results", "/events")),
    ):
        problem_details_of_refusal(await bob.get(path), 404, "not-found")
        assert (await (await service.client(TokenScope.ADMIN)).get(path)).status_code == 200


async def test_the_store_of_tokens_holds_no_secret(service: Served, tmp_path: Path) -> None:
    _, text = await service.tokens.create_with_bearer_string("ann", [TokenScope.SUBMIT])
    secret = text.split("_", 2)[2]
    files = [file for file in tmp_path.glob("judges.sqlite*") if secret.encode() in file.read_bytes()]
    assert files == []


# What is taken


async def test_bodies_that_do_not_fit_are_refused_with_the_place(service: Served) -> None:
    client = await service.client(per_minute=100_000)
    for body, pointer in (
        ({"problem": CHOOSES}, "/answer"),
        ({"problem": CHOOSES, "answer": 7}, "/answer"),
        ({"problem": CHOOSES, "answer": "x" * (LONGEST_ANSWER + 1)}, "/answer"),
        ({"problem": CHOOSES, "answer": "a\0b"}, "/answer"),
        ({"problem": "../etc", "answer": ""}, "/problem"),
        ({"problem": CHOOSES, "answer": "", "a/b": 1}, "/a~1b"),
    ):
        details = problem_details_of_refusal(await client.post("/v1/submissions", json=body), 422, "invalid")
        assert [flaw["pointer"] for flaw in details["errors"]] == [pointer]
    details = problem_details_of_refusal(await client.post("/v1/batches", json={"items": []}), 422, "invalid")
    assert details["errors"][0]["pointer"] == "/items"
    details = problem_details_of_refusal(
        await client.post("/v1/batches", json={"items": [{"problem": CHOOSES, "answer": "B"}] * 1001}), 422, "invalid"
    )
    problem_details_of_refusal(await post_submission(client, CHOOSES, "B", "k" * 129), 422, "invalid")
    problem_details_of_refusal(await post_submission(client, CHOOSES, "B", wait_s=1e9), 422, "invalid")
    problem_details_of_refusal(await post_submission(client, "leaky/none", "B"), 404, "not-found")
    problem_details_of_refusal(await post_submission(client, "starter/sync-fifo", "B"), 404, "not-found")
    assert await row_count(service, SUBMISSIONS) == 0


@pytest.mark.parametrize(
    ("body", "status", "slug"),
    [
        (b"", 422, "invalid"),
        (b"{", 400, "malformed"),
        (b"[" * 200_000, 400, "malformed"),
        (b"\xff\xfe", 400, "malformed"),
        (b"[1, 2]", 422, "invalid"),
        (b'{"problem": NaN, "answer": 1e999}', 400, "malformed"),
        (b'{"problem": "leaky/chooses", "answer": "\\ud800"}', 400, "malformed"),
        (b'{"\\ud800": 1}', 400, "malformed"),
        (b"1" * 5_000, 400, "malformed"),
    ],
)
async def test_hostile_bodies_are_refused(service: Served, body: bytes, status: int, slug: str) -> None:
    problem_details_of_refusal(
        await (await service.client()).post("/v1/submissions", content=body, headers=JSON), status, slug
    )


async def test_only_json_is_taken(service: Served) -> None:
    client = await service.client()
    problem_details_of_refusal(await client.post("/v1/submissions", content=b"{}"), 415, "wrong-media-type")
    problem_details_of_refusal(await client.post("/v1/submissions", data={"problem": CHOOSES}), 415, "wrong-media-type")


async def test_a_body_that_is_too_large_is_refused_however_it_comes(service: Served) -> None:
    client = await service.client()
    sent_bytes = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal sent_bytes
        while True:
            sent_bytes += 65_536
            yield b" " * 65_536

    whole_response = await client.post("/v1/submissions", content=b" " * (USUAL_BODY_LIMIT + 1), headers=JSON)
    problem_details_of_refusal(whole_response, 413, "too-large")
    problem_details_of_refusal(await client.post("/v1/submissions", content=chunks(), headers=JSON), 413, "too-large")
    assert sent_bytes <= USUAL_BODY_LIMIT + 2 * 65_536


async def test_headers_that_are_too_large_are_refused_wherever_they_go(service: Served) -> None:
    client = await service.client()
    for path in ("/v1/submissions", "/v1/health/live"):
        large_headers = {f"X-{number}": "x" * 1_000 for number in range(17)}
        problem_details_of_refusal(await client.get(path, headers=large_headers), 431, "headers-too-large")
        assert (await client.get(path, headers={"X": "x" * 15_000})).status_code != 431


async def test_a_client_that_sends_too_slowly_is_refused(service: Served) -> None:
    service.app._body_time_s = 0.1
    client = await service.client()

    async def drips() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(0.3)
        yield b"}"

    problem_details_of_refusal(await client.post("/v1/submissions", content=drips(), headers=JSON), 408, "too-slow")


async def test_unknown_addresses_and_methods_are_refused(service: Served) -> None:
    client = await service.client()
    problem_details_of_refusal(await client.get("/v1/nothing"), 404, "not-found")
    wrong_response = await client.delete("/v1/submissions")
    problem_details_of_refusal(wrong_response, 405, "wrong-method")
    assert wrong_response.headers["Allow"] == "POST"


# Rate and money


def test_a_bucket_holds_a_minute_and_fills_evenly() -> None:
    clock_s = 0.0
    rate_limits = RateLimits(lambda: clock_s)
    assert [rate_limits.admit_or_retry_after_s("a", 60) for _ in range(60)] == [0] * 60
    assert rate_limits.admit_or_retry_after_s("a", 60) == 1
    assert rate_limits.admit_or_retry_after_s("b", 60) == 0
    clock_s = 1.0
    assert (rate_limits.admit_or_retry_after_s("a", 60), rate_limits.admit_or_retry_after_s("a", 60)) == (0, 1)
    clock_s = 1e6
    assert [rate_limits.admit_or_retry_after_s("a", 60) for _ in range(61)].count(0) == 60


async def test_too_many_requests_are_told_when_to_come_again(service: Served) -> None:
    client = await service.client(per_minute=2)
    responses = await asyncio.gather(*(post_submission(client, CHOOSES, "B") for _ in range(20)))
    assert [response.status_code for response in responses].count(200) == 2
    refused_response = next(response for response in responses if response.status_code != 200)
    problem_details_of_refusal(refused_response, 429, "rate-limited")
    assert 1 <= int(refused_response.headers["Retry-After"]) <= 30


async def test_concurrent_requests_do_not_overspend(tmp_path: Path) -> None:
    dear = content(json.dumps({"reason": "", "verdict": "correct"}), token_counts=(2000, 100))
    with JudgeEndpoint(lambda request: PlayedReply(dear.body, headers=JSON, delay_s=0.05)) as endpoint:
        # Two votes cost 0.042 USD; what is set aside for an answer is far more.
        settings = judge_at(endpoint.url, input_usd=10, output_usd=10, max_tokens=100)
        async with serve_judges(tmp_path, judges=[settings]) as service:
            budget = 0.5
            client = await service.client(budget_usd=budget)
            responses = await asyncio.gather(*(post_submission(client, EXPLAINS, f"Because {n}.") for n in range(30)))
            by_status = {status: [r for r in responses if r.status_code == status] for status in (200, 402, 429)}
            assert sum(map(len, by_status.values())) == 30
            assert by_status[200]
            problem_details_of_refusal(by_status[429][0], 429, "budget-reserved")
            statuses: list[int] = []
            while 402 not in statuses:
                statuses.append((await post_submission(client, EXPLAINS, f"And {len(statuses)}.")).status_code)
            assert len(statuses) > 1
            (token,) = await service.tokens.list_tokens()
            assert token.spent_usd == pytest.approx(len(endpoint.requests) * 2100 * 10 / 1e6)
            assert token.spent_usd <= budget
            assert token.reserved_usd == pytest.approx(0, abs=1e-9)
            assert (await post_submission(client, CHOOSES, "B")).status_code == 200
            # What was accepted in a batch is kept.
            items = [{"problem": EXPLAINS, "answer": "Too late."}]
            batch = (await client.post("/v1/batches", json={"items": items})).json()["id"]
            await await_finished_batch(client, batch)
            (result,) = (await client.get(f"/v1/batches/{batch}/results")).json()["results"]
            assert result["judgement"]["status"] == "pending"


# Repetitions


async def test_a_repetition_gets_what_the_first_request_got(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: PlayedReply(says("correct").body, headers=JSON, delay_s=0.1)) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url)]) as service:
            client = await service.client()
            responses = await asyncio.gather(
                *(post_submission(client, EXPLAINS, "Because.", "same") for _ in range(25))
            )
            assert {response.text for response in responses} == {responses[0].text}
            assert await row_count(service, SUBMISSIONS) == await row_count(service, ANSWERS) == 1
            assert len(endpoint.requests) == 2
            problem_details_of_refusal(await post_submission(client, EXPLAINS, "Otherwise.", "same"), 409, "key-reused")
            other_response = await post_submission(await service.client(), EXPLAINS, "Because.", "same")
            assert other_response.json()["id"] != responses[0].json()["id"]


async def test_a_repeated_batch_is_one_batch(service: Served) -> None:
    client = await service.client()
    batch_body = {"items": [{"problem": CHOOSES, "answer": "B"}] * 3}
    responses = await asyncio.gather(
        *(client.post("/v1/batches", json=batch_body, headers={"Idempotency-Key": "x"}) for _ in range(10))
    )
    assert len({response.json()["id"] for response in responses}) == 1
    assert await row_count(service, SUBMISSIONS) == 3
    refused_response = await client.post(
        "/v1/batches", json={"items": batch_body["items"][:1]}, headers={"Idempotency-Key": "x"}
    )
    problem_details_of_refusal(refused_response, 409, "key-reused")


# Batches


async def batch_events(
    client: httpx2.AsyncClient, batch: str, last_event: int | None = None, event_limit: int = 10_000
) -> list[Any]:
    """Events as (id, name, data)."""
    received_events = []
    headers = {"Last-Event-ID": str(last_event)} if last_event is not None else {}
    async with client.stream("GET", f"/v1/batches/{batch}/events", headers=headers) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        fields: dict[str, str] = {}
        async for line in response.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "event" in fields:
                received_events.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
                fields = {}
                if len(received_events) == event_limit:
                    break
    return received_events


async def await_finished_batch(client: httpx2.AsyncClient, batch: str) -> None:
    assert (await batch_events(client, batch))[-1][1] == "finished"


async def test_progress_is_followed_and_resumed(service: Served) -> None:
    client = await service.client()
    items = [{"problem": CHOOSES, "answer": "ABCD"[number % 4]} for number in range(40)]
    accepted_response = await client.post("/v1/batches", json={"items": items})
    assert accepted_response.status_code == 202
    batch = accepted_response.json()["id"]
    assert accepted_response.headers["Location"] == f"/v1/batches/{batch}"
    progress_events = await batch_events(client, batch)
    assert [(number, name) for number, name, _ in progress_events] == [(n, "judged") for n in range(1, 41)] + [
        (40, "finished")
    ]
    assert sorted(data["submission"]["position"] for _, name, data in progress_events if name == "judged") == list(
        range(40)
    )
    assert progress_events[16][2]["done"] == 17
    assert progress_events[16][2]["total"] == 40
    assert await batch_events(client, batch, last_event=17) == progress_events[17:]
    assert [name for _, name, _ in await batch_events(client, batch, last_event=40)] == ["finished"]
    batch_state = (await client.get(f"/v1/batches/{batch}")).json()
    assert (batch_state["total"], batch_state["done"], batch_state["finished"]) == (40, 40, True)
    first = (await client.get(f"/v1/batches/{batch}/results?limit=30")).json()
    second_page = (await client.get(f"/v1/batches/{batch}/results?after={first['next_after']}")).json()
    results = first["results"] + second_page["results"]
    assert [result["position"] for result in results] == list(range(40))
    assert [result["judgement"]["passed"] for result in results] == [item["answer"] == "B" for item in items]
    assert second_page["next_after"] is None


async def test_a_watcher_goes_when_the_service_ends(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: PlayedReply(delay_s=60)) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url)]) as service:
            client = await service.client()
            items = [{"problem": EXPLAINS, "answer": "Because."}]
            batch = (await client.post("/v1/batches", json={"items": items})).json()["id"]
            watching = asyncio.create_task(batch_events(client, batch))
            await wait_until(lambda: batch in service.judging.notifications._subscribers)
            service.judging.refuse_new_work()
            assert await asyncio.wait_for(watching, 30) == []
            problem_details_of_refusal(await client.get("/v1/health/ready"), 503, "unavailable")
            assert (await client.get("/v1/health/live")).status_code == 200


async def test_too_many_waiting_answers_are_refused(service: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright_judges.service.endpoints.MOST_WAITING", 2)
    client = await service.client()
    refused_response = await client.post("/v1/batches", json={"items": [{"problem": CHOOSES, "answer": "B"}] * 3})
    problem_details_of_refusal(refused_response, 429, "queue-full")
    assert int(refused_response.headers["Retry-After"]) > 0


async def await_judgement(service: Served, submission: str) -> Judgement:
    """Judgement of a submission."""
    deadline = time.monotonic() + 60
    while (
        submitted := await service.judging.submissions.find_submission(submission)
    ) is None or submitted.judgement is None:
        assert time.monotonic() < deadline, "it was not judged"
        await asyncio.sleep(0.05)
    return submitted.judgement


async def test_what_a_dead_process_left_is_taken_over_once(tmp_path: Path) -> None:
    async with serve_judges(tmp_path) as service:
        client = await service.client()
        (token,) = await service.tokens.list_tokens()
    async with serve_judges(tmp_path, pace=JudgingPace(lease_s=0.3, poll_s=0.05)) as service:
        # Another process accepted this, and is never heard of again.
        dead_submissions = SubmissionQueue(service.records, process_name="dead", lease_s=0.3)
        key = RequestKey(None, "")
        lost, _ = await dead_submissions.add_claimed_or_find(token.id, key, CHOOSES, "B", reserved_usd=0)
        judgement = await await_judgement(service, lost.id)
        assert judgement.passed
        assert await dead_submissions.finish_unless_claimed(lost, judgement) is None
        client = await service.client(TokenScope.ADMIN)
        assert (await client.get(f"/v1/submissions/{lost.id}")).json()["state"] == "done"


async def test_an_answer_that_brings_processes_down_is_given_up(tmp_path: Path) -> None:
    async with serve_judges(tmp_path, pace=JudgingPace(lease_s=0.2, poll_s=0.05)) as service:
        token, _ = await service.tokens.create_with_bearer_string("ann", [TokenScope.SUBMIT])
        service.judging.refuse_new_work()
        taking, _ = service.judging._loops
        await taking
        dying = SubmissionQueue(service.records, process_name="dying", lease_s=-1)
        lost, _ = await dying.add_claimed_or_find(token.id, RequestKey(None, ""), CHOOSES, "B", reserved_usd=0)
        for _ in range(3):
            assert [claimed.id for claimed in await dying.claim_waiting(5)] == [lost.id]
    async with serve_judges(tmp_path, pace=JudgingPace(lease_s=0.2, poll_s=0.05)) as service:
        assert (await await_judgement(service, lost.id)).status == "error"


async def test_a_token_with_many_answers_does_not_keep_others_waiting(service: Served) -> None:
    service.judging.refuse_new_work()
    await asyncio.gather(*service.judging._loops[:1])
    ann, bob = [
        (await service.tokens.create_with_bearer_string(name, [TokenScope.SUBMIT]))[0].id for name in ("ann", "bob")
    ]
    key = RequestKey(None, "")
    for token, count_of_answers in ((ann, 50), (bob, 2)):
        answers = [(CHOOSES, "B")] * count_of_answers
        await service.judging.submissions.add_or_find_batch(token, key, answers, most_waiting_submissions=100)
    claimed = await service.judging.submissions.claim_waiting(6)
    assert sorted(submission.token for submission in claimed) == sorted([ann] * 4 + [bob] * 2)


# People


async def post_grade(client: httpx2.AsyncClient, item_id: str, label: str, difficulty: int = 2) -> httpx2.Response:
    return await client.put(f"/v1/pending/{item_id}/grade", json={"label": label, "difficulty": difficulty})


async def test_two_people_grade_what_waits_and_a_third_decides(service: Served) -> None:
    solver = await service.client()
    grader_clients = [await service.named_client(name) for name in ("ann", "bob", "eve")]
    agreed, disputed = [(await post_submission(solver, EXPLAINS, text)).json()["id"] for text in ("Yes.", "Perhaps.")]
    queue = (await grader_clients[0].get("/v1/pending")).json()
    assert queue["total"] == 2
    assert {item["id"] for item in queue["items"]} == {agreed, disputed}
    next_pending = (await grader_clients[0].get("/v1/pending/next")).json()
    assert next_pending["labels"] == ["incorrect", "partially correct", "correct"]
    assert next_pending["public"]["statement"] == "Why?"
    assert CANARY not in json.dumps(queue)
    assert [(await post_grade(person, agreed, "correct")).json()["decided"] for person in grader_clients[:2]] == [
        False,
        True,
    ]
    assert [(await post_grade(grader_clients[0], disputed, "correct")).json()["decided"]] == [False]
    assert [(await post_grade(grader_clients[1], disputed, "incorrect")).json()["decided"]] == [False]
    assert (await grader_clients[0].get("/v1/pending/next")).status_code == 204
    assert (await grader_clients[2].get("/v1/pending/next")).json()["id"] == disputed
    assert (await post_grade(grader_clients[2], disputed, "incorrect")).json()["decided"]
    for item, has_passed in ((agreed, True), (disputed, False)):
        judgement = (await solver.get(f"/v1/submissions/{item}")).json()["judgement"]
        assert (judgement["status"], judgement["method"], judgement["passed"]) == ("scored", "person", has_passed)
        assert {vote["judge"] for vote in judgement["votes"]} == {"person"}
    # The same again changes nothing; another word is refused.
    assert (await post_grade(grader_clients[0], agreed, "correct")).status_code == 200
    problem_details_of_refusal(await post_grade(grader_clients[0], agreed, "incorrect"), 409, "conflict")


async def test_grades_that_do_not_fit_are_refused(service: Served) -> None:
    solver, grader = await service.client(), await service.client(TokenScope.GRADE)
    item = (await post_submission(solver, EXPLAINS, "Yes.")).json()["id"]
    details = problem_details_of_refusal(await post_grade(grader, item, "splendid"), 422, "invalid")
    assert details["errors"][0]["pointer"] == "/label"
    assert "partially correct" in details["next_step"]
    problem_details_of_refusal(await post_grade(grader, item, "correct", 6), 422, "invalid")
    problem_details_of_refusal(await post_grade(grader, "0" * 32, "correct"), 404, "not-found")
    problem_details_of_refusal(await post_grade(solver, item, "correct"), 403, "wrong-scope")
    problem_details_of_refusal(await solver.get("/v1/pending"), 403, "wrong-scope")


async def test_agreement_is_for_administrators(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: says("correct")) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url)]) as service:
            await post_submission(await service.client(), EXPLAINS, "Because.")
            problem_details_of_refusal(
                await (await service.client(TokenScope.GRADE)).get("/v1/agreement"), 403, "wrong-scope"
            )
            response = await (await service.client(TokenScope.ADMIN)).get("/v1/agreement?resamples=100")
            assert (response.status_code, response.json()) == (200, [])


# Nothing hidden comes out


async def test_no_response_and_no_log_holds_anything_hidden(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    responses: list[str] = []

    def hostile(request: JudgeRequest) -> PlayedReply:
        number = len(endpoint.requests) % 5
        quoted = f"{CANARY} {request.user} {request.system}"
        return [
            says("correct", quoted),
            says(quoted, quoted),
            content(quoted),
            fails(400, quoted),
            PlayedReply(quoted.encode()),
        ][number]

    with JudgeEndpoint(hostile) as endpoint:
        async with serve_judges(tmp_path, judges=[judge_at(endpoint.url)]) as service:
            clients = [await service.client(scope, per_minute=10_000) for scope in TokenScope]
            ids = []
            for client in clients:
                for problem in (CHOOSES, FILLS, EXPLAINS, "leaky/none", "leaky/../leaky/fills"):
                    for answer in ("", "B", "words"):
                        response = await post_submission(client, problem, answer)
                        responses.append(response.text)
                        if response.status_code == 200:
                            ids.append(response.json()["id"])
                items = [{"problem": problem, "answer": "x"} for problem in (CHOOSES, FILLS, EXPLAINS)]
                response = await client.post("/v1/batches", json={"items": items})
                responses.append(response.text)
                if response.status_code == 202:
                    batch = response.json()["id"]
                    responses.append(json.dumps(await batch_events(client, batch)))
            assert len(ids) >= 15
            monkeypatch.setattr(judging_module, "judge_and_record", _fails_with_canary)
            responses.append((await post_submission(clients[0], CHOOSES, "B")).text)
            assert "failed" in responses[-1]
            monkeypatch.setattr(service.judging.submissions, "find_submission", _fails_with_canary)
            monkeypatch.setattr(service.judging.submissions, "add_claimed_or_find", _fails_with_canary)
            failed_response = await post_submission(clients[0], CHOOSES, "B")
            responses.append(failed_response.text)
            problem_details_of_refusal(failed_response, 500, "unexpected")
            monkeypatch.undo()
            document = (await clients[0].get("/v1/openapi.json")).json()
            responses.append(json.dumps(document))
            for client in clients:
                for path in document["paths"]:
                    for name in (ids[-1], batch):
                        for method, body in (("GET", {}), ("POST", {}), ("PUT", {"label": "?", "difficulty": 1})):
                            url = re.sub(r"\{\w+\}", name, path)
                            responses.append((await client.request(method, url, json=body)).text)
    assert len(responses) > 80
    assert [text for text in responses if CANARY in text] == []
    assert CANARY not in caplog.text
    assert CANARY.encode() in b"".join(file.read_bytes() for file in tmp_path.glob("judges.sqlite*"))


async def _fails_with_canary(*arguments: Any, **options: Any) -> Any:
    raise ValueError(f"{CANARY} in an error")


async def test_a_database_that_is_away_is_said_so(service: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    client = await service.client()
    await service.records.engine.dispose()

    def gone(*arguments: Any) -> Any:
        raise OSError("no such database at postgresql://secret@host")

    monkeypatch.setattr(service.records, "write_transaction", gone)
    response = await post_submission(client, CHOOSES, "B")
    details = problem_details_of_refusal(response, 503, "unavailable")
    assert "secret" not in json.dumps(details)
    assert response.headers["Retry-After"]


def test_the_gate_is_outermost(tmp_path: Path) -> None:
    async def look() -> None:
        async with serve_judges(tmp_path) as served:
            assert isinstance(served.app, AdmissionControl)

    asyncio.run(look())
