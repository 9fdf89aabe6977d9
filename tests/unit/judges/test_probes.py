"""Probes of judges: a scripted judge with a planted bias behind real HTTP, and one without any."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from benchwright_judges.agreement.probes import Probe, ProbedAnswer, ProbeResult, choose_probed_answers, probe_judges
from benchwright_judges.models.budget import JudgingBudget, OutOfBudgetError
from benchwright_judges.models.endpoint import ModelEndpoint
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_judges.models.panel import Panel
from benchwright_judges.records.records import Records
from benchwright_problems.problem import QuestionFormat

from ...support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, fails, says
from .conftest import make_problem

PROBLEMS = 15
WRONG, RIGHT = "It makes the clock faster.", "Stores need not wait."


def right_and_wrong_answers(problems: int = PROBLEMS) -> list[ProbedAnswer]:
    """A right and a wrong answer to each problem."""
    return [
        ProbedAnswer(f"p/{number}", make_problem(statement=f"Question {number}: why a write buffer?"), text, right)
        for number in range(problems)
        for text, right in ((RIGHT, True), (WRONG, False))
    ]


def answer_in(request: JudgeRequest) -> str:
    answer_match = re.search(r"BEGIN ANSWER \w+\n(.*)\nEND ANSWER", request.user, re.DOTALL)
    assert answer_match is not None
    return answer_match.group(1)


def question_number_in(request: JudgeRequest) -> int:
    number = re.search(r"Question (\d+)", request.user)
    assert number is not None
    return int(number.group(1))


def reply_with_bias(is_moved: Callable[[str], bool]) -> Callable[[JudgeRequest], PlayedReply]:
    """A judge that accepts wrong answers to every third question if a bias moves it."""

    def play(request: JudgeRequest) -> PlayedReply:
        text = answer_in(request)
        favours = question_number_in(request) % 3 == 0 and is_moved(text)
        return says("correct" if WRONG not in text or favours else "incorrect")

    return play


@asynccontextmanager
async def panel_of_one_judge(play: Callable[[JudgeRequest], PlayedReply]) -> AsyncIterator[tuple[Panel, JudgeEndpoint]]:
    with JudgeEndpoint(play) as server:
        endpoint = ModelEndpoint(
            ModelSettings(name="ada", base_url=server.url, model="m", input_usd=1, output_usd=1), {}
        )
        try:
            yield Panel(judges=(ModelJudge(endpoint),)), server
        finally:
            await endpoint.close()


async def result_by_probe(records: Records, play: Callable[[JudgeRequest], PlayedReply]) -> dict[Probe, ProbeResult]:
    async with panel_of_one_judge(play) as (panel, _):
        results = await probe_judges(right_and_wrong_answers(), panel, {"ada": "Lovelace"}, records, JudgingBudget())
    return {result.probe: result for result in results}


async def test_a_judge_without_a_bias_is_not_moved_and_its_interval_says_by_how_much_it_could_be(
    records: Records,
) -> None:
    results = await result_by_probe(records, reply_with_bias(lambda _text: False))
    assert [*results] == [Probe.LENGTH, Probe.POSITION, Probe.FAMILY]
    for result in results.values():
        assert (result.shift.value, result.raised, result.lowered, result.failed) == (0, 0, 0, 0)
        assert result.shift.low == pytest.approx(-(result.shift.high or 0)) and 0.05 < (result.shift.high or 0) < 0.25
    assert results[Probe.LENGTH].answers == 30 and results[Probe.POSITION].answers == 15, "only wrong ones have a place"


@pytest.mark.parametrize(
    ("probe", "is_moved", "planted"),
    [
        # Of 30 answers, half are wrong, and a third of these is accepted for the bias.
        (Probe.LENGTH, lambda text: text.count(WRONG) > 1, 1 / 6),
        (Probe.POSITION, lambda text: text.startswith("It hides"), 1 / 3),
        (Probe.FAMILY, lambda text: "Lovelace" in text, 1 / 6),
        pytest.param(Probe.FAMILY, lambda text: "another maker" in text, -1 / 6, marks=pytest.mark.nightly),
    ],
)
async def test_a_planted_bias_comes_back_in_its_size_and_in_no_other_probe(
    probe: Probe, is_moved: Callable[[str], bool], planted: float, records: Records
) -> None:
    results = await result_by_probe(records, reply_with_bias(is_moved))
    shift = results.pop(probe).shift
    assert shift.value == pytest.approx(planted)
    assert (
        shift.low is not None
        and shift.high is not None
        and shift.low < planted < shift.high
        and shift.low * shift.high > 0
    )
    for other_result in results.values():
        assert other_result.shift.value == 0


async def test_the_same_probe_again_asks_nobody(records: Records) -> None:
    async with panel_of_one_judge(reply_with_bias(lambda _text: False)) as (panel, server):
        for _ in range(2):
            await probe_judges(right_and_wrong_answers(6), panel, {"ada": "Lovelace"}, records, JudgingBudget())
        # Of each answer alone, longer, and signed twice; and of each wrong one with the key on either side.
        assert len(server.requests) == 12 * 4 + 6 * 2


async def test_votes_that_fail_are_counted_and_not_taken_for_scores(records: Records) -> None:
    def play(request: JudgeRequest) -> PlayedReply:
        return fails(400, "no") if "Lovelace" in answer_in(request) else says("correct")

    async with panel_of_one_judge(play) as (panel, _):
        results = await probe_judges(right_and_wrong_answers(6), panel, {"ada": "Lovelace"}, records, JudgingBudget())
    family_result = next(result for result in results if result.probe is Probe.FAMILY)
    assert (family_result.answers, family_result.failed, family_result.shift.value) == (0, 12, None)


async def test_a_budget_that_does_not_suffice_keeps_what_was_paid_for(records: Records) -> None:
    async with panel_of_one_judge(reply_with_bias(lambda _text: False)) as (panel, server):
        with pytest.raises(OutOfBudgetError):
            await probe_judges(right_and_wrong_answers(6), panel, {"ada": "Lovelace"}, records, JudgingBudget(0.02))
        assert server.requests


def test_answers_are_drawn_from_as_many_problems_as_there_are_and_only_what_models_judge() -> None:
    many = [ProbedAnswer("p/0", make_problem(), f"{RIGHT} {number}", True) for number in range(50)]
    by_rule = ProbedAnswer("p/choice", make_problem(QuestionFormat.ASSERTION, value="T"), "T", True)
    drawn_answers = choose_probed_answers([*many, by_rule, *right_and_wrong_answers(10)], 11, seed=2)
    assert len({answer.problem_ref for answer in drawn_answers}) == 10 and by_rule not in drawn_answers
    assert choose_probed_answers([*many], 5, seed=1) == choose_probed_answers([*many], 5, seed=1)


async def test_few_problems_have_a_mean_and_no_interval(records: Records) -> None:
    async with panel_of_one_judge(reply_with_bias(lambda _text: False)) as (panel, _):
        results = await probe_judges(right_and_wrong_answers(3), panel, {"ada": "Lovelace"}, records, JudgingBudget())
    assert results[0].shift.value == 0 and results[0].shift.low is None
