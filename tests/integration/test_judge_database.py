"""The judgements' database on SQLite and on PostgreSQL: the same calls, the same outcome."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from benchwright_foundation.home import Home
from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod, Vote
from benchwright_judges.people.human_grading import HumanGrading
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import Records
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store

from ..support.service.postgres import new_database

FREE = "starter/store-buffering"


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    if request.param == "sqlite":
        return tmp_path / "judges.sqlite"
    return new_database(request.getfixturevalue("postgres"))


@pytest_asyncio.fixture
async def records(where: str | Path) -> AsyncIterator[Records]:
    opened_records = await Records.open(where)
    yield opened_records
    await opened_records.close()


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})).unseal(FREE)


async def test_an_answer_waits_is_graded_and_is_settled(records: Records, problem: Problem) -> None:
    await judge_and_record(
        problem, "an\0answer \ud800", None, records, problem_ref=FREE, attempt="a", try_number=1, answer_id="x"
    )
    (unscored_answer,) = await records.unscored_answers()
    assert (unscored_answer.answer.id, unscored_answer.answer.text, unscored_answer.answer.attempt) == (
        "x",
        "an\ufffdanswer ?",
        "a",
    )
    grading = HumanGrading(records, lambda ref: problem)
    assert await grading.store_grade_and_judgement_if_decided("x", "ana", "incorrect", 1, "no") is None
    await grading.store_grade_and_judgement_if_decided("x", "ana", "correct", 2, "on second thoughts")
    judgement = await grading.store_grade_and_judgement_if_decided("x", "bob", "correct", 3)
    assert judgement is not None and await records.find_judgement("x") == judgement
    assert await records.unscored_answers() == []
    (answer_record,) = await records.answer_records()
    assert [(grade.grader, grade.label, grade.difficulty) for grade in answer_record.grades] == [
        ("ana", "correct", 2),
        ("bob", "correct", 3),
    ]


async def test_an_undecided_judgement_keeps_the_answer_waiting_with_all_its_votes(
    records: Records, problem: Problem
) -> None:
    await judge_and_record(problem, "text", None, records, problem_ref=FREE, answer_id="x")
    answer = await records.find_answer("x")
    assert answer is not None
    model_votes = (Vote(judge="m", error="no JSON", cost_usd=0.25), Vote(judge="m", label="correct", score=1))
    undecided = Judgement(
        status=JudgementStatus.ERROR, message="no majority", method=ScoringMethod.MODEL, votes=model_votes
    )
    await records.store_judgement(answer, undecided)
    assert [waiting.reason for waiting in await records.unscored_answers()] == ["no majority"]
    assert await records.find_judgement("x") == undecided


async def test_a_hundred_answers_at_once_are_all_kept(records: Records, problem: Problem) -> None:
    texts = [f"answer {number}" for number in range(100)]
    await asyncio.gather(
        *(judge_and_record(problem, text, None, records, problem_ref=FREE, answer_id=text) for text in texts)
    )
    assert sorted(waiting.answer.id for waiting in await records.unscored_answers()) == sorted(texts)


async def test_the_first_vote_under_a_key_stays(records: Records) -> None:
    first_vote, second_vote = (Vote(judge="m", label=label, score=1) for label in ("correct", "incorrect"))
    await asyncio.gather(records.cache_votes([("k", first_vote)]), records.cache_votes([("l", second_vote)]))
    await records.cache_votes([("k", second_vote)])
    assert await records.cached_vote("k") == first_vote
    assert await records.cached_vote("none") is None
    assert await records.all_cached_votes() == [("k", first_vote), ("l", second_vote)]


async def test_several_processes_may_open_a_new_database_at_once(where: str | Path) -> None:
    opened_databases = await asyncio.gather(*(Records.open(where) for _ in range(4)))
    for records in opened_databases:
        await records.close()
