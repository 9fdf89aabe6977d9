"""Votes, ties, replacements, the cache, and what stays pending: a real panel, client and database."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.endpoint import ModelEndpoint
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_judges.models.panel import Panel
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import Records
from benchwright_judges.records.schema import VOTES
from benchwright_judges.rubric import load_rubric
from benchwright_judges.rule_judgements import PENDING
from benchwright_problems.category import Category
from benchwright_problems.problem import Problem, QuestionFormat

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
from .conftest import make_problem

FREE = make_problem()
OPEN = make_problem(QuestionFormat.OPEN_ENDED)
BLANK = make_problem(QuestionFormat.FILL_IN_THE_BLANK, value="write-back")
CODE = make_problem(category=Category.RTL_QUESTION)
NONSENSE = content("I don't know.")


@asynccontextmanager
async def panel_and_endpoints(*plays: Play, **changes: Any) -> AsyncIterator[tuple[Panel, list[JudgeEndpoint]]]:
    """Judges `a`, `b`, …, each behind an endpoint of its own."""
    servers = [JudgeEndpoint(play) for play in plays]
    endpoints = []
    for name, server in zip("abcdef", servers, strict=False):
        server.__enter__()
        model_settings = ModelSettings(name=name, base_url=server.url, model=name, input_usd=1, output_usd=1)
        endpoints.append(ModelEndpoint(model_settings, {}))
    try:
        yield Panel(judges=tuple(ModelJudge(endpoint) for endpoint in endpoints), **changes), servers
    finally:
        for endpoint, server in zip(endpoints, servers, strict=True):
            await endpoint.close()
            server.__exit__(None, None, None)


async def recorded_judgement(records: Records, *plays: Play, problem: Problem = FREE, **changes: Any) -> Judgement:
    async with panel_and_endpoints(*plays, **changes) as (judges, _):
        return await judge_and_record(problem, "an answer", judges, records, problem_ref="p/q")


async def test_two_votes_that_agree_are_enough(records: Records) -> None:
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, (server,)):
        judgement = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
    assert (judgement.status, judgement.label, judgement.score, judgement.passed) == (
        JudgementStatus.SCORED,
        "correct",
        1,
        True,
    )
    assert (len(judgement.votes), len(server.requests), judgement.tie_break) == (2, 2, False)
    assert judgement.method is ScoringMethod.MODEL
    assert judgement.rubric == load_rubric("free-response").reference
    assert judgement.cost_usd > 0
    assert await records.unscored_answers() == []


async def test_a_third_vote_breaks_a_tie_and_all_votes_are_kept(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(says("correct"), says("incorrect"), says("incorrect")))
    assert (judgement.label, judgement.score, judgement.passed, judgement.tie_break) == ("incorrect", 0, False, True)
    async with records.read_transaction() as connection:
        vote_labels = (await connection.execute(select(VOTES.c.label).order_by(VOTES.c.position))).scalars().all()
    assert sorted(vote_labels) == ["correct", "incorrect", "incorrect"]


async def test_three_different_labels_are_not_a_majority_for_correct(records: Records) -> None:
    judgement = await recorded_judgement(
        records, in_turn(says("correct"), says("incorrect"), says("partially correct"))
    )
    assert (judgement.status, judgement.label, judgement.passed) == (JudgementStatus.SCORED, "partially correct", False)
    assert (len(judgement.votes), judgement.tie_break) == (3, True)


async def test_without_a_majority_nothing_is_scored_and_the_answer_waits_for_a_person(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(says(1), says(5), says(10)), problem=OPEN)
    assert (judgement.status, judgement.score, judgement.passed) == (JudgementStatus.ERROR, None, None)
    assert len(judgement.votes) == 3
    (unscored_answer,) = await records.unscored_answers()
    assert (unscored_answer.answer.problem, unscored_answer.answer.text) == ("p/q", "an answer")
    assert "majority" in unscored_answer.reason


async def test_a_vote_that_came_to_nothing_is_replaced_and_kept(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(NONSENSE, says("correct")))
    assert judgement.label == "correct"
    assert sorted(bool(vote.error) for vote in judgement.votes) == [False, False, True]
    assert judgement.tie_break is False


async def test_a_judge_that_never_makes_sense_is_an_error_and_no_zero(records: Records) -> None:
    async with panel_and_endpoints(in_turn(NONSENSE)) as (judges, (server,)):
        judgement = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
    assert (judgement.status, judgement.score) == (JudgementStatus.ERROR, None)
    assert len(server.requests) == len(judgement.votes) == 4, "two seats and two spares"
    assert len(await records.unscored_answers()) == 1


async def test_a_judge_whose_provider_fails_at_a_fifth_of_the_requests_gives_the_scores_of_a_healthy_one(
    records: Records,
) -> None:
    answer_texts = [f"answer {number}." for number in range(30)]
    dice = random.Random(3)
    failing_replies = [fails(401), PlayedReply(b"<html>"), PlayedReply(b"{}"), content(None), NONSENSE]

    def healthy(request: JudgeRequest) -> PlayedReply:
        number = int(request.user.rpartition("answer ")[2].partition(".")[0])
        return says("correct" if number % 3 else "incorrect")

    def failing(request: JudgeRequest) -> PlayedReply:
        return dice.choice(failing_replies) if dice.random() < 0.2 else healthy(request)

    all_scores = []
    for name, play in (("healthy", healthy), ("failing", failing)):
        async with panel_and_endpoints(play, spares=0) as (judges, _):
            scores: dict[str, float | None] = {}
            undecided_counts = []
            while None in scores.values() or not scores:
                for answer in answer_texts:
                    if scores.get(answer) is None:
                        judgement = await judge_and_record(FREE, answer, judges, records, problem_ref=f"{name}/q")
                        assert (judgement.score is None) == (judgement.status is JudgementStatus.ERROR)
                        scores[answer] = judgement.score
                undecided_counts.append(list(scores.values()).count(None))
        all_scores.append(scores)
    assert undecided_counts[0] > 0, "the failing judge left some undecided at first"
    assert all_scores[0] == all_scores[1]


async def test_one_family_stands_in_for_another_that_is_down(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(fails(401)), in_turn(says("correct")), spares=2)
    assert judgement.label == "correct"
    assert {vote.judge for vote in judgement.votes if not vote.error} == {"b"}


async def test_five_votes_of_two_families_need_three(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(says("correct")), in_turn(says("incorrect")), seats=5)
    assert (judgement.label, judgement.tie_break) == ("correct", True)
    assert sorted(vote.judge for vote in judgement.votes) == ["a", "a", "a", "b", "b"]


async def test_points_are_averaged_where_two_votes_lie_together(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(says(8), says(7)), problem=OPEN)
    assert (judgement.label, judgement.score, judgement.passed) == ("7.5", 0.75, True)


async def test_a_right_blank_asks_no_model(records: Records) -> None:
    async with panel_and_endpoints(in_turn(says(0))) as (judges, (server,)):
        judgement = await judge_and_record(BLANK, "Write-back", judges, records, problem_ref="p/q")
    assert (judgement.score, judgement.method, server.requests) == (1.0, ScoringMethod.DETERMINISTIC, [])


async def test_another_wording_of_a_blank_is_for_a_judge(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(says(1)), problem=BLANK)
    assert (judgement.label, judgement.score) == ("1", 1.0)


async def test_questions_about_code_get_both_our_judgement_and_cvdps_number(records: Records) -> None:
    def play(request: JudgeRequest) -> PlayedReply:
        return says(0.85) if "0.0 (no match at all)" in request.system else says(9)

    async with panel_and_endpoints(play) as (judges, (server,)):
        judgement = await judge_and_record(CODE, "an answer", judges, records, problem_ref="p/q")
    assert (judgement.label, judgement.score) == ("9", 0.9)
    assert judgement.metrics["cvdp_subjective"] == 0.85
    assert len(server.requests) == 3
    assert [vote.rubric for vote in judgement.votes][:2] == ["", ""]
    assert judgement.votes[2].rubric.startswith("cvdp-subjective@")
    own_instructions = next(request.system for request in server.requests if "0.0 (no match" not in request.system)
    assert "tyle" in own_instructions and "do not count" in own_instructions


async def test_a_judgement_of_a_part_of_an_answer_says_so(records: Records) -> None:
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, _):
        judgement = await judge_and_record(FREE, "x" * 20_001, judges, records, problem_ref="p/q")
    assert "20000 characters" in judgement.remarks[0]


# Nothing set up


async def test_without_a_judge_the_answer_waits_and_is_scored_later(records: Records) -> None:
    first_judgement = await judge_and_record(
        FREE, "an answer", None, records, problem_ref="p/q", attempt="a1", try_number=2
    )
    assert first_judgement.status is JudgementStatus.PENDING and first_judgement.score is None
    (unscored_answer,) = await records.unscored_answers()
    assert (unscored_answer.answer.attempt, unscored_answer.answer.number, unscored_answer.answer.text) == (
        "a1",
        2,
        "an answer",
    )
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, _):
        later_judgement = await judge_and_record(
            FREE, unscored_answer.answer.text, judges, records, problem_ref="p/q", answer_id=unscored_answer.answer.id
        )
    assert later_judgement.status is JudgementStatus.SCORED
    assert await records.unscored_answers() == []
    assert (await records.find_judgement(unscored_answer.answer.id)) == later_judgement


async def test_a_newer_answer_of_the_same_try_takes_the_place_of_one_that_waits(records: Records) -> None:
    await judge_and_record(FREE, "first", None, records, problem_ref="p/q", attempt="a1", try_number=2)
    await judge_and_record(FREE, "second", None, records, problem_ref="p/q", attempt="a1", try_number=2)
    await judge_and_record(FREE, "other", None, records, problem_ref="p/q", attempt="a1", try_number=3)
    assert sorted(waiting.answer.text for waiting in await records.unscored_answers()) == ["other", "second"]


async def test_an_answer_is_on_disk_before_a_model_is_asked(records: Records) -> None:
    pending_counts: list[int] = []
    asked_once = asyncio.Event()
    loop = asyncio.get_running_loop()

    def play(request: JudgeRequest) -> PlayedReply:
        loop.call_soon_threadsafe(asked_once.set)
        return PlayedReply(delay_s=60)

    async with panel_and_endpoints(play) as (judges, _):
        judging_task = asyncio.create_task(judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q"))
        await asked_once.wait()
        judging_task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await judging_task
    pending_counts = [len(await records.unscored_answers())]
    assert pending_counts == [1]


async def test_an_answer_judged_once_is_not_judged_again(records: Records) -> None:
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, (server,)):
        first_judgement = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q", answer_id="x")
        repeated = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q", answer_id="x")
    assert first_judgement == repeated and len(server.requests) == 2


async def test_a_budget_that_is_used_up_leaves_answers_pending(records: Records) -> None:
    budget = JudgingBudget(0.000_001)
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, (server,)):
        judgement = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q", budget=budget)
    assert judgement.status is JudgementStatus.PENDING and "budget" in judgement.message
    assert server.requests == [] and len(await records.unscored_answers()) == 1


async def test_the_most_a_judgement_can_cost_is_known_before(records: Records) -> None:
    async with panel_and_endpoints(in_turn(NONSENSE)) as (judges, _):
        budget = JudgingBudget()
        highest_cost = judges.maximum_cost_usd(FREE, "an answer", PENDING)
        await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q", budget=budget)
        assert 0 < budget.spent_usd <= highest_cost


# The cache


async def test_the_same_answer_is_not_paid_for_twice(records: Records) -> None:
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, (server,)):
        first_judgement = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
        repeated = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
        await judge_and_record(FREE, "another answer", judges, records, problem_ref="p/q")
    assert len(server.requests) == 4
    assert (repeated.label, repeated.cost_usd) == (first_judgement.label, 0)
    assert all(vote.cached for vote in repeated.votes)


async def test_another_key_rubric_or_model_is_another_vote(records: Records) -> None:
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, (server,)):
        await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
        await judge_and_record(make_problem(value="another key"), "an answer", judges, records, problem_ref="p/q")
        await judge_and_record(make_problem(rubric="another rubric"), "an answer", judges, records, problem_ref="p/q")
        assert len(server.requests) == 6
    async with panel_and_endpoints(in_turn(says("correct"))) as (judges, (server,)):
        await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
        assert len(server.requests) == 2, "another address"


async def test_replies_that_are_no_votes_are_not_cached(records: Records) -> None:
    async with panel_and_endpoints(in_turn(*[NONSENSE] * 4, says("correct"))) as (judges, _):
        assert (
            await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
        ).status is JudgementStatus.ERROR
        assert (
            await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
        ).status is JudgementStatus.SCORED


async def test_a_recorded_cache_replays_without_an_endpoint(records: Records, tmp_path: Path) -> None:
    from benchwright_judges.records.vote_recording import read_recording, write_recording

    async with panel_and_endpoints(in_turn(says("correct"), says("incorrect"), says("correct"))) as (judges, _):
        first_judgement = await judge_and_record(FREE, "an answer", judges, records, problem_ref="p/q")
        write_recording(tmp_path / "votes.jsonl", await records.all_cached_votes())
        other_records = await Records.open(tmp_path / "other.sqlite")
        try:
            await other_records.cache_votes(read_recording(tmp_path / "votes.jsonl"))
            offline = Panel(judges=judges.judges, offline=True)
            replayed = await judge_and_record(FREE, "an answer", offline, other_records, problem_ref="p/q")
            unknown_judgement = await judge_and_record(FREE, "unrecorded", offline, other_records, problem_ref="p/q")
        finally:
            await other_records.close()
    assert (replayed.label, replayed.tie_break) == (first_judgement.label, first_judgement.tie_break)
    assert unknown_judgement.status is JudgementStatus.ERROR


# The database


async def test_the_database_is_its_owners_alone(records: Records) -> None:
    file = Path(str(records.engine.url.database))
    assert file.stat().st_mode & 0o777 == 0o600


async def test_answers_that_come_together_are_all_kept(records: Records) -> None:
    await asyncio.gather(
        *(judge_and_record(FREE, f"answer {n}", None, records, problem_ref="p/q", answer_id=str(n)) for n in range(100))
    )
    assert len(await records.unscored_answers()) == 100


async def test_text_that_a_database_cant_hold_is_kept_as_far_as_it_can(records: Records) -> None:
    await judge_and_record(FREE, "a\0b\ud800c", None, records, problem_ref="p/q")
    (unscored_answer,) = await records.unscored_answers()
    assert unscored_answer.answer.text == "a\ufffdb?c"


async def test_a_failure_of_every_judge_says_what_happened_and_what_to_do(records: Records) -> None:
    judgement = await recorded_judgement(records, in_turn(fails(401)), in_turn(fails(404)))
    assert judgement.status is JudgementStatus.ERROR
    assert "2 of 4 votes failed: the endpoint answered 401: the key is not accepted" in judgement.message
    assert "2 of 4 votes failed: the endpoint answered 404: there is no such model or address" in judgement.message
    assert "benchwright judge test" in judgement.message


@pytest.mark.parametrize("labels", [["correct", "incorrect"] * 4 + ["correct"], ["correct"] * 5])
async def test_nine_seats_decide_by_five_votes(records: Records, labels: list[str]) -> None:
    judgement = await recorded_judgement(records, in_turn(*map(says, labels)), seats=9)
    assert (judgement.label, len(judgement.votes)) == ("correct", len(labels))
