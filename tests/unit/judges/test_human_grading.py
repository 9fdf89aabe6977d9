"""People as judges: who is asked for what, and what their grades come to."""

from __future__ import annotations

import json

import pytest

from benchwright_judges.errors import GradingError
from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod
from benchwright_judges.people.human_grading import HumanGrading
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import GivenAnswer, Records
from benchwright_problems.errors import UnknownProblemError
from benchwright_problems.problem import Problem, QuestionFormat
from benchwright_problems.rubric_points import RubricItem, RubricPoints

from .conftest import make_problem

PROBLEMS = {
    "p/free": make_problem(),
    "p/open": make_problem(QuestionFormat.OPEN_ENDED),
    "p/truth": make_problem(QuestionFormat.ASSERTION, value="true"),
}


def problem_of(ref: str) -> Problem:
    if ref not in PROBLEMS:
        raise UnknownProblemError(ref)
    return PROBLEMS[ref]


async def record_answer(records: Records, text: str, ref: str = "p/free") -> str:
    await judge_and_record(
        PROBLEMS[ref], text, None, records, problem_ref=ref, attempt="the-attempt", try_number=1, answer_id=text
    )
    return text


@pytest.fixture
def grading(records: Records) -> HumanGrading:
    return HumanGrading(records, problem_of)


async def test_two_people_who_agree_decide(records: Records, grading: HumanGrading) -> None:
    item_id = await record_answer(records, "x")
    assert (
        await grading.store_grade_and_judgement_if_decided(item_id, "ana", "partially correct", 2, "half of it") is None
    )
    judgement = await grading.store_grade_and_judgement_if_decided(item_id, "bob", "partially correct", 3)
    assert judgement is not None
    assert (judgement.method, judgement.label, judgement.score, judgement.passed) == (
        ScoringMethod.PERSON,
        "partially correct",
        0.0,
        False,
    )
    assert [vote.reason for vote in judgement.votes] == ["half of it", ""]
    assert await records.unscored_answers() == []
    assert await records.find_judgement(item_id) == judgement
    assert await grading.next_gradable_answer("cleo") is None


async def test_where_two_disagree_a_third_decides_and_sees_nothing_of_them(
    records: Records, grading: HumanGrading
) -> None:
    item_id = await record_answer(records, "x")
    await grading.store_grade_and_judgement_if_decided(item_id, "ana", "correct", 1)
    assert await grading.store_grade_and_judgement_if_decided(item_id, "bob", "incorrect", 5) is None
    assert await grading.next_gradable_answer("ana") is None and await grading.next_gradable_answer("bob") is None
    (disputed,) = await grading.undecided_disputes("cleo")
    assert disputed == await grading.next_gradable_answer("cleo")
    assert await grading.undecided_disputes("ana") == []
    judgement = await grading.store_grade_and_judgement_if_decided(item_id, "cleo", "partially correct", 4)
    assert judgement is not None
    assert (judgement.label, judgement.tie_break, len(judgement.votes)) == ("partially correct", True, 3)


async def test_points_next_to_each_other_are_no_dispute(records: Records, grading: HumanGrading) -> None:
    item_id = await record_answer(records, "x", "p/open")
    await grading.store_grade_and_judgement_if_decided(item_id, "ana", "8", 1)
    judgement = await grading.store_grade_and_judgement_if_decided(item_id, "bob", "7", 1)
    assert judgement is not None and judgement.score == 0.75


async def test_one_person_is_enough_where_one_is_wanted(records: Records) -> None:
    item_id = await record_answer(records, "x", "p/open")
    judgement = await HumanGrading(records, problem_of, graders_per_answer=1).store_grade_and_judgement_if_decided(
        item_id, "ana", "6", 1
    )
    assert judgement is not None and (judgement.score, judgement.passed) == (0.6, False)


async def test_people_read_an_answer_that_nobody_else_could_and_none_that_declines(
    records: Records, grading: HumanGrading
) -> None:
    for text in ("I'd say it holds.", "I don't know.", "True"):
        await record_answer(records, text, "p/truth")
    (item,) = await grading.gradable_answers("ana")
    assert (item.answer, item.rubric.name, await records.unscored_answers()) == ("I'd say it holds.", "selection", [])
    await grading.store_grade_and_judgement_if_decided(item.id, "ana", "1", 1)
    judgement = await grading.store_grade_and_judgement_if_decided(item.id, "bob", "1", 1)
    assert judgement is not None and (judgement.passed, judgement.method) == (True, ScoringMethod.PERSON)
    assert await records.find_judgement(item.id) == judgement
    assert await grading.gradable_answers("cleo") == []


async def test_an_answer_that_gave_way_to_a_newer_one_is_not_graded(records: Records, grading: HumanGrading) -> None:
    await record_answer(records, "older")
    await record_answer(records, "newer")
    assert [item.answer for item in await grading.gradable_answers("ana")] == ["newer"]
    full_grading = HumanGrading(records, problem_of, includes_decided_answers=True)
    assert [item.answer for item in await full_grading.gradable_answers("ana")] == ["newer"]


async def test_an_item_tells_nothing_of_who_answered_or_graded(records: Records, grading: HumanGrading) -> None:
    item_id = await record_answer(records, "x")
    await grading.store_grade_and_judgement_if_decided(item_id, "anastasia", "correct", 1, "GREAT")
    shown_item = await grading.next_gradable_answer("bob")
    assert shown_item is not None
    text = (
        shown_item.problem.model_dump_json()
        + shown_item.answer
        + shown_item.ref
        + json.dumps(shown_item.rubric.model_dump())
    )
    assert not any(word in text for word in ("the-attempt", "anastasia", "GREAT"))


async def test_everybody_has_an_order_of_their_own_that_stays(records: Records, grading: HumanGrading) -> None:
    for number in range(12):
        await judge_and_record(PROBLEMS["p/free"], f"answer {number}", None, records, problem_ref="p/free")
    orders = {name: [item.id for item in await grading.gradable_answers(name)] for name in ("ana", "bob")}
    assert sorted(orders["ana"]) == sorted(orders["bob"]) and orders["ana"] != orders["bob"]
    first_item = await grading.next_gradable_answer("ana")
    assert first_item is not None and first_item.id == orders["ana"][0]
    await grading.store_grade_and_judgement_if_decided(first_item.id, "ana", "correct", 1)
    assert [item.id for item in await grading.gradable_answers("ana")] == orders["ana"][1:]


async def test_a_person_can_change_their_mind_until_it_is_decided(records: Records, grading: HumanGrading) -> None:
    item_id = await record_answer(records, "x")
    await grading.store_grade_and_judgement_if_decided(item_id, "ana", "correct", 1)
    await grading.store_grade_and_judgement_if_decided(item_id, "ana", "incorrect", 2)
    judgement = await grading.store_grade_and_judgement_if_decided(item_id, "bob", "incorrect", 1)
    assert judgement is not None and judgement.label == "incorrect"
    with pytest.raises(GradingError, match="no more grades"):
        await grading.store_grade_and_judgement_if_decided(item_id, "cleo", "correct", 1)


async def test_what_a_model_judged_is_graded_for_comparison_only(records: Records) -> None:
    answer = GivenAnswer("p/free", PROBLEMS["p/free"].public_digest, PROBLEMS["p/free"].harness_digest, "f", "t", "s")
    by_model = Judgement(
        status=JudgementStatus.SCORED, score=1, passed=True, label="correct", message="", method=ScoringMethod.MODEL
    )
    await records.store_judgement(answer, by_model)
    assert await HumanGrading(records, problem_of).next_gradable_answer("ana") is None
    grading = HumanGrading(records, problem_of, includes_decided_answers=True)
    for name in ("ana", "bob"):
        await grading.store_grade_and_judgement_if_decided(answer.id, name, "incorrect", 1)
    assert await records.find_judgement(answer.id) == by_model


async def test_an_answer_to_a_problem_that_changed_or_went_is_not_graded(
    records: Records, grading: HumanGrading
) -> None:
    item_id = await record_answer(records, "x")
    PROBLEMS["p/free"], old_problem = make_problem(value="another key"), PROBLEMS["p/free"]
    try:
        assert await grading.next_gradable_answer("ana") is None
        with pytest.raises(GradingError, match="changed or removed"):
            await grading.store_grade_and_judgement_if_decided(item_id, "ana", "correct", 1)
    finally:
        PROBLEMS["p/free"] = old_problem


@pytest.mark.parametrize(
    ("item_id", "grader", "label", "difficulty", "message"),
    [
        ("none", "ana", "correct", 1, "there is no answer"),
        ("x", "", "correct", 1, "pseudonym"),
        ("x", "a\nb", "correct", 1, "pseudonym"),
        ("x", "ana", "7", 1, "not on the scale"),
        ("x", "ana", "correct", 0, "from 1"),
        ("x", "ana", "correct", 6, "from 1"),
    ],
)
async def test_a_grade_that_is_none_is_refused(
    records: Records, grading: HumanGrading, item_id: str, grader: str, label: str, difficulty: int, message: str
) -> None:
    await record_answer(records, "x")
    with pytest.raises(GradingError, match=message):
        await grading.store_grade_and_judgement_if_decided(item_id, grader, label, difficulty)


async def test_points_of_a_rubric_decide_as_labels_do(records: Records) -> None:
    problem = make_problem(QuestionFormat.OPEN_ENDED)
    assert problem.hidden.answer is not None
    rubric = RubricPoints(items=(RubricItem(text="a", points=2), RubricItem(text="b")), enough=2)
    key = problem.hidden.answer.model_copy(update={"points": rubric})
    problem = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"answer": key})})
    grading = HumanGrading(records, lambda ref: problem)
    await judge_and_record(problem, "x", None, records, problem_ref="p/open", attempt="a", try_number=1, answer_id="x")
    for wrong_points in ((2.5, 0.0), (1.0,), (-1.0, 1.0), (float("nan"), 1.0)):
        with pytest.raises(GradingError):
            await grading.store_grade_and_judgement_if_decided("x", "ana", "", 1, points_by_criterion=wrong_points)
    (graded_item,) = await grading.gradable_answers("ana")
    assert await grading.store_grade_and_judgement_if_decided("x", "ana", "", 1, points_by_criterion=(2.0, 1.0)) is None
    assert await grading.find_dispute(graded_item) is None
    assert await grading.store_grade_and_judgement_if_decided("x", "bob", "", 1, points_by_criterion=(0.0, 1.0)) is None
    dispute = await grading.find_dispute(graded_item)
    assert dispute is not None
    assert (dispute.points, list(dispute.labels)) == ([(0.0, 2.0), (1.0, 1.0)], ["4", "10"])
    judgement = await grading.store_grade_and_judgement_if_decided("x", "cleo", "", 1, points_by_criterion=(2.0, 1.0))
    assert judgement is not None
    assert (judgement.label, judgement.passed) == ("10", True)
    answer_record = await records.find_try_record("a", 1)
    assert answer_record is not None
    assert [grade.points for grade in answer_record.grades] == [(2.0, 1.0), (0.0, 1.0), (2.0, 1.0)]
    assert await records.find_try_record("a", 2) is None
    await records.delete_answers_of_attempts(["a"])
    assert await records.find_try_record("a", 1) is None
