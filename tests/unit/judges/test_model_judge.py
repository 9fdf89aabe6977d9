"""A model judge against a scripted endpoint: real HTTP, the real client."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from benchwright_judges.errors import ConfigurationError
from benchwright_judges.judgement import Vote
from benchwright_judges.models.budget import JudgingBudget, OutOfBudgetError
from benchwright_judges.models.endpoint import ModelEndpoint
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_judges.rubric import load_rubric
from benchwright_problems.figure import MediaType
from benchwright_problems.problem import Figure, QuestionFormat

from ...support.service.judge_endpoint import (
    JudgeEndpoint,
    JudgeRequest,
    Play,
    PlayedReply,
    content,
    fails,
    in_turn,
    says,
)
from .conftest import KEY, make_problem

EXAM = load_rubric("free-response")
TIERS = load_rubric("open-ended")
FREE = make_problem()
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

# What patience leaves of a time-out depends on how soon the first request goes out.
GIVEN_UP = re.compile(r"there was no reply within 0\.\d+ s, 1 time")


def settings_of_model(url: str, **changes: Any) -> ModelSettings:
    return ModelSettings(**({"name": "m", "base_url": url, "model": "scripted"} | changes))


@dataclass
class Clock:
    """Clock by which patience is measured."""

    now_s: float = 1.0

    def monotonic(self) -> float:
        return self.now_s

    def takes(self, seconds: float, played_reply: PlayedReply) -> Play:
        """An endpoint that needs so long for a reply."""

        def play(request: JudgeRequest) -> PlayedReply:
            self.now_s += seconds
            return played_reply

        return play


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake_clock = Clock()
    monkeypatch.setattr("benchwright_judges.models.endpoint.time", fake_clock)
    return fake_clock


@asynccontextmanager
async def judging(play: Play, **changes: Any) -> AsyncIterator[tuple[ModelJudge, JudgeEndpoint]]:
    with JudgeEndpoint(play) as server:
        endpoint = ModelEndpoint(settings_of_model(server.url, **changes), {"KEY": "sk-hidden"})
        try:
            yield ModelJudge(endpoint), server
        finally:
            await endpoint.close()


async def ask_for_vote(
    play: Play, *, budget: JudgingBudget | None = None, **changes: Any
) -> tuple[Vote, JudgeEndpoint]:
    async with judging(play, **changes) as (judge, server):
        vote = await judge.vote(FREE, "an answer", EXAM, budget=budget or JudgingBudget())
    return vote, server


async def test_a_good_judge_gives_a_vote_with_its_cost() -> None:
    vote, server = await ask_for_vote(in_turn(says("correct", "It names the latency.")), input_usd=10, output_usd=50)
    assert (vote.label, vote.score, vote.error, vote.reason) == ("correct", 1.0, "", "It names the latency.")
    assert (vote.input_tokens, vote.output_tokens) == (100, 20)
    assert vote.cost_usd == pytest.approx((100 * 10 + 20 * 50) / 1e6)
    assert vote.judge == "m" and vote.seconds > 0
    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.0, 2000, 1)
    form = body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["additionalProperties"] is False
    assert form["schema"]["properties"]["verdict"]["enum"] == ["incorrect", "partially correct", "correct"]


async def test_each_vote_has_its_own_seed() -> None:
    async with judging(in_turn(says("correct"))) as (judge, server):
        for index in range(3):
            await judge.vote(FREE, "an answer", EXAM, index=index, budget=JudgingBudget())
    assert [request.seed for request in server.requests] == [1, 2, 3]


async def test_the_key_of_the_account_goes_into_the_header_and_nowhere_else() -> None:
    vote, server = await ask_for_vote(in_turn(says("correct")), api_key_env="KEY")
    assert server.requests[0].headers["authorization"] == "Bearer sk-hidden"
    assert "sk-hidden" not in vote.model_dump_json() + json.dumps(server.requests[0].body)


def test_a_missing_key_names_the_variable() -> None:
    with pytest.raises(ConfigurationError, match="NO_SUCH_KEY"):
        ModelEndpoint(settings_of_model("http://127.0.0.1:1/v1", api_key_env="NO_SUCH_KEY"), {})


async def test_figures_are_sent_as_pictures_in_order() -> None:
    figure = Figure(path="bus.png", media_type=MediaType.PNG, data=PIXEL, alt="a bus")
    problem = make_problem(figures=(figure,))
    async with judging(in_turn(says("correct"))) as (judge, server):
        await judge.vote(problem, "an answer", EXAM, budget=JudgingBudget())
    parts = server.requests[0].body["messages"][1]["content"]
    assert [part["type"] for part in parts] == ["text", "text", "image_url", "text", "text"]
    assert parts[2]["image_url"]["url"] == f"data:image/png;base64,{PIXEL}"
    assert "bus.png" in parts[1]["text"] and "a bus" in parts[1]["text"]
    assert "BEGIN ANSWER" in parts[-1]["text"]


async def test_a_drawing_that_no_endpoint_takes_as_a_picture_is_sent_as_its_source() -> None:
    drawing = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><title>bus</title></svg>"
    encoded_drawing = base64.b64encode(drawing.encode()).decode()
    figure = Figure(path="bus.svg", media_type=MediaType.SVG, data=encoded_drawing)
    async with judging(in_turn(says("correct"))) as (judge, server):
        await judge.vote(make_problem(figures=(figure,)), "an answer", EXAM, budget=JudgingBudget())
    assert drawing in server.requests[0].user


# What passes is tried again


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
async def test_what_passes_is_tried_again(status: int) -> None:
    vote, server = await ask_for_vote(
        in_turn(fails(status, Retry_After="0"), fails(status, Retry_After="0"), says("correct"))
    )
    assert vote.label == "correct"
    assert len(server.requests) == 3


async def test_the_wait_that_an_endpoint_asks_for_is_kept() -> None:
    start = time.monotonic()
    vote, _ = await ask_for_vote(in_turn(fails(429, Retry_After="0.4"), says("correct")))
    assert vote.label == "correct"
    assert time.monotonic() - start >= 0.4
    assert vote.seconds >= 0.4


async def test_a_wait_until_a_date_is_kept_too() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    vote, server = await ask_for_vote(in_turn(fails(503, Retry_After=soon), says("correct")))
    assert vote.label == "correct" and len(server.requests) == 2


async def test_nobody_waits_longer_than_patience_allows() -> None:
    start = time.monotonic()
    vote, server = await ask_for_vote(in_turn(fails(429, Retry_After="3600")))
    advice = ": it asks to wait 3600 s; go on after that, or raise patience_s"
    assert vote.error == f"the endpoint answered 429, 1 time{advice}" and vote.score is None
    assert time.monotonic() - start < 60, "patience itself is longer"
    assert len(server.requests) == 1


async def test_patience_ends_for_a_judge_that_stays_broken(clock: Clock) -> None:
    vote, server = await ask_for_vote(clock.takes(100, fails(500)), patience_s=150)
    assert vote.error == "the endpoint answered 500, 2 times" and vote.label == ""
    assert len(server.requests) == 2


async def test_a_judge_that_is_always_asked_too_often_says_what_to_change(clock: Clock) -> None:
    vote, _ = await ask_for_vote(clock.takes(100, fails(429)), patience_s=150)
    advice = ": too many requests; lower at_once, or raise patience_s"
    assert vote.error == f"the endpoint answered 429, 2 times{advice}" and vote.score is None


async def test_a_slow_judge_is_given_up() -> None:
    start = time.monotonic()
    vote, _ = await ask_for_vote(in_turn(PlayedReply(delay_s=60)), timeout_s=0.2, patience_s=0.3)
    assert GIVEN_UP.fullmatch(vote.error)
    assert time.monotonic() - start < 60


async def test_a_judge_that_trickles_for_ever_is_given_up() -> None:
    vote, _ = await ask_for_vote(in_turn(PlayedReply(b" ", endless=True, pause_s=0.02)), timeout_s=0.3, patience_s=0.3)
    assert GIVEN_UP.fullmatch(vote.error)


async def test_a_judge_that_is_not_there_is_an_error() -> None:
    endpoint = ModelEndpoint(settings_of_model("http://127.0.0.1:9/v1", patience_s=0.3), {})
    vote = await ModelJudge(endpoint).vote(FREE, "an answer", EXAM, budget=JudgingBudget())
    await endpoint.close()
    assert vote.error.startswith("the endpoint could not be reached")
    assert vote.cost_usd == 0


@pytest.mark.parametrize(("status", "word"), [(401, "key"), (403, "key"), (404, "model"), (418, "418")])
async def test_what_does_not_pass_is_told_at_once(status: int, word: str) -> None:
    vote, server = await ask_for_vote(in_turn(fails(status)))
    assert word in vote.error and len(server.requests) == 1


@pytest.mark.parametrize("cut_at", [-1, 60])
async def test_a_connection_that_is_dropped_is_an_error_and_no_score(clock: Clock, cut_at: int) -> None:
    dropped = replace(says("correct"), cut_at=cut_at)
    vote, server = await ask_for_vote(clock.takes(100, dropped), patience_s=150)
    assert vote.error == "the endpoint closed the connection before it replied, 2 times"
    assert (vote.label, vote.score, len(server.requests)) == ("", None, 2)


async def test_an_account_without_money_is_not_asked_again() -> None:
    body = b'{"error": {"message": "", "type": "x", "code": "insufficient_quota"}}'
    vote, server = await ask_for_vote(in_turn(PlayedReply(body, 429, {"Content-Type": "application/json"})))
    assert vote.error == "the endpoint answered 429: the account is out of money" and len(server.requests) == 1


# An endpoint that can do less


def play_without(*names: str) -> Play:
    def play(request: JudgeRequest) -> PlayedReply:
        for name in names:
            if name in request.body:
                return fails(400, f"Unsupported parameter: {name}")
        return says("correct")

    return play


async def test_structured_output_is_given_up_where_it_is_refused_and_that_is_remembered() -> None:
    async with judging(play_without("response_format")) as (judge, server):
        votes = [await judge.vote(FREE, "an answer", EXAM, budget=JudgingBudget()) for _ in range(2)]
    assert [vote.label for vote in votes] == ["correct", "correct"]
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]
    assert '"verdict"' in server.requests[-1].system


async def test_votes_sent_together_give_it_up_together() -> None:
    async with judging(play_without("response_format", "seed")) as (judge, _):
        parallel_votes = (
            judge.vote(FREE, "an answer", EXAM, index=index, budget=JudgingBudget()) for index in range(4)
        )
        votes = await asyncio.gather(*parallel_votes)
    assert [vote.label or vote.error for vote in votes] == ["correct"] * 4


@pytest.mark.parametrize(
    ("played_verdict", "label"),
    [("8", "8"), (8.0, "8"), (" 8 ", "8"), ("8.0", "8"), (8.5, ""), ("eight", ""), (True, ""), (11, "")],
)
async def test_a_number_is_read_however_it_is_written(played_verdict: object, label: str) -> None:
    reply = content(json.dumps({"reason": "r", "verdict": played_verdict}))
    async with judging(in_turn(reply)) as (judge, _):
        vote = await judge.vote(make_problem(QuestionFormat.OPEN_ENDED), "an answer", TIERS, budget=JudgingBudget())
    assert vote.label == label


async def test_what_a_provider_works_on_is_charged_though_nobody_read_it(clock: Clock) -> None:
    prices = {"input_usd": 1000, "output_usd": 1000, "patience_s": 0.5}
    for play in (clock.takes(1, PlayedReply(b"x" * 65_536, endless=True)), clock.takes(1, PlayedReply(b"", delay_s=5))):
        async with judging(play, timeout_s=0.2, **prices) as (judge, _):
            budget = JudgingBudget()
            vote = await judge.vote(FREE, "an answer", EXAM, budget=budget)
            assert vote.error
            assert (
                vote.cost_usd
                == budget.spent_usd
                == pytest.approx(judge.maximum_cost_usd(FREE, "an answer", EXAM), rel=0.01)
            )
    async with judging(in_turn(fails(429)), **prices) as (judge, _):
        budget = JudgingBudget()
        await judge.vote(FREE, "an answer", EXAM, budget=budget)
    assert budget.spent_usd == 0


async def test_other_parameters_are_given_up_too() -> None:
    vote, server = await ask_for_vote(play_without("temperature", "seed", "max_tokens"))
    assert vote.label == "correct"
    last_body = server.requests[-1].body
    assert last_body["max_completion_tokens"] == 2000
    assert not {"temperature", "seed", "max_tokens"} & set(last_body)


async def test_another_refusal_is_an_error() -> None:
    vote, server = await ask_for_vote(in_turn(fails(400, "context length exceeded")))
    assert vote.error == "the endpoint answered 400" and len(server.requests) == 1


# Replies that are none

FENCED = '```json\n{"reason": "r", "verdict": "correct"}\n```'
NO_VOTE = {
    "no JSON at all": "The answer is correct.",
    "half of it": '{"reason": "r", "verd',
    "no verdict": '{"reason": "r"}',
    "no reason": '{"verdict": "correct"}',
    "another field": '{"reason": "r", "verdict": "correct", "score": 10}',
    "another word": '{"reason": "r", "verdict": "right"}',
    "a number": '{"reason": "r", "verdict": 10}',
    "null": '{"reason": "r", "verdict": null}',
    "a list": '{"reason": "r", "verdict": ["correct"]}',
    "a list around": '[{"reason": "r", "verdict": "correct"}, {"reason": "r", "verdict": "incorrect"}]',
    "two objects": '{"reason": "r", "verdict": "incorrect"} {"reason": "r", "verdict": "correct"}',
    "an object before": '{"verdict": "correct"}\n{"reason": "r", "verdict": "incorrect"}',
    "a field twice": '{"reason": "r", "verdict": "incorrect", "verdict": "correct"}',
    "a reason that is none": '{"reason": 1, "verdict": "correct"}',
    "not a number": '{"reason": "r", "verdict": NaN}',
    "deep": "{" + '"a":{' * 5000,
    "nothing": "   ",
    "long": '{"reason": "' + "r" * 30_000 + '", "verdict": "correct"}',
}


@pytest.mark.parametrize("text", NO_VOTE.values(), ids=NO_VOTE)
async def test_an_unreadable_reply_is_an_error_and_never_a_score(text: str) -> None:
    vote, _ = await ask_for_vote(in_turn(content(text)))
    assert vote.error and vote.score is None and vote.label == ""
    assert vote.input_tokens == 100, "it was paid for all the same"


@pytest.mark.parametrize(
    "text",
    [
        FENCED,
        'I think so.\n{"reason": "r", "verdict": "correct"}\n',
        '<think>Is it {"reason": "", "verdict": "incorrect"}? No.</think>{"reason": "r", "verdict": "correct"}',
        '<think>So: {"reason": "r", "verdict": "correct"}</think>\n',
        '{"reason": "r", "verdict": " Correct"}',
    ],
)
async def test_an_object_in_words_is_read(text: str) -> None:
    vote, _ = await ask_for_vote(in_turn(content(text)))
    assert vote.label == "correct"


NO_COMPLETION = {
    "not JSON": PlayedReply(b"<html>oops</html>"),
    "no choices": PlayedReply(b'{"choices": []}'),
    "no message": PlayedReply(b'{"choices": [{}]}'),
    "a text": PlayedReply(b'"correct"'),
    "a list as content": PlayedReply(b'{"choices": [{"message": {"content": ["x"]}}]}'),
    "negative usage": PlayedReply(
        b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": -5, "completion_tokens": 1}}'
    ),
    "not UTF-8": PlayedReply(b"\xff\xfe\x00"),
    "a bomb of brackets": PlayedReply(b"[" * 100_000),
}


@pytest.mark.parametrize("played_reply", NO_COMPLETION.values(), ids=NO_COMPLETION)
async def test_what_is_no_completion_is_an_error(played_reply: PlayedReply) -> None:
    vote, _ = await ask_for_vote(in_turn(played_reply))
    assert vote.error == "the reply is not a chat completion"


async def test_a_refusal_an_empty_and_a_cut_reply_are_errors() -> None:
    refused_vote, _ = await ask_for_vote(in_turn(content(None, refusal="I can't help with that.")))
    empty, _ = await ask_for_vote(in_turn(content(None)))
    cut, _ = await ask_for_vote(in_turn(content('{"reason": "r", "verdict": "correct"}', finish_reason="length")))
    assert [vote.error for vote in (refused_vote, empty, cut)] == [
        "the model refused to grade",
        "the reply is empty",
        "the reply was cut off at 2000 tokens",
    ]


@pytest.mark.parametrize("status", [200, 500])
async def test_a_huge_reply_is_not_read_to_its_end(status: int) -> None:
    vote, _ = await ask_for_vote(in_turn(PlayedReply(b"x" * 65_536, status, endless=True)))
    assert vote.error == "the reply is longer than 1048576 bytes"


async def test_a_compressed_bomb_is_not_unpacked() -> None:
    import gzip

    bomb = gzip.compress(b" " * (64 << 20))
    vote, _ = await ask_for_vote(in_turn(PlayedReply(bomb, headers={"Content-Encoding": "gzip"})))
    assert vote.error == "the reply is not a chat completion"


async def test_no_error_and_no_log_holds_the_key(caplog: pytest.LogCaptureFixture) -> None:
    def echo(request: JudgeRequest) -> PlayedReply:
        return fails(400, request.user)

    with caplog.at_level(logging.DEBUG):
        for play in (
            echo,
            lambda request: fails(500, request.user, Retry_After="3600"),
            lambda request: content(request.user),
        ):
            vote, server = await ask_for_vote(play)
            assert KEY in server.requests[0].user
            assert vote.error and KEY not in vote.error
    assert KEY not in caplog.text


# Money


async def test_a_budget_is_never_exceeded() -> None:
    async with judging(in_turn(says("correct")), input_usd=1000, output_usd=1000) as (judge, server):
        highest_cost = judge.maximum_cost_usd(FREE, "an answer", EXAM)
        budget = JudgingBudget(highest_cost + 0.1)
        await judge.vote(FREE, "an answer", EXAM, budget=budget)
        assert 0 < budget.spent_usd < highest_cost
        with pytest.raises(OutOfBudgetError, match="raise the budget"):
            await judge.vote(FREE, "an answer", EXAM, budget=budget)
    assert len(server.requests) == 1


async def test_votes_at_once_share_a_budget() -> None:
    async with judging(in_turn(says("correct")), output_usd=1000) as (judge, server):
        budget = JudgingBudget(2.5 * judge.maximum_cost_usd(FREE, "an answer", EXAM))
        votes = await asyncio.gather(
            *(judge.vote(FREE, "an answer", EXAM, budget=budget) for _ in range(5)), return_exceptions=True
        )
    assert sum(isinstance(vote, Vote) for vote in votes) == 2
    assert len(server.requests) == 2


async def test_a_reply_without_usage_is_paid_at_its_most() -> None:
    async with judging(in_turn(content('{"reason": "r", "verdict": "correct"}', token_counts=None)), output_usd=1) as (
        judge,
        _,
    ):
        budget = JudgingBudget()
        vote = await judge.vote(FREE, "an answer", EXAM, budget=budget)
        assert (
            vote.cost_usd
            == budget.spent_usd
            == pytest.approx(judge.maximum_cost_usd(FREE, "an answer", EXAM), rel=0.01)
        )


async def test_no_more_requests_at_once_than_allowed() -> None:
    good = says("correct")
    slow = PlayedReply(good.body, headers=good.headers, delay_s=0.1)
    async with judging(in_turn(slow), at_once=2) as (judge, server):
        start = time.monotonic()
        await asyncio.gather(*(judge.vote(FREE, "an answer", EXAM, budget=JudgingBudget()) for _ in range(6)))
    assert time.monotonic() - start >= 0.3
    assert len(server.requests) == 6


async def test_waiting_for_a_turn_costs_no_patience(clock: Clock) -> None:
    async with judging(clock.takes(100, says("correct")), at_once=1, patience_s=150) as (judge, _):
        votes = await asyncio.gather(*(judge.vote(FREE, "an answer", EXAM, budget=JudgingBudget()) for _ in range(6)))
    assert [vote.error for vote in votes] == [""] * 6
