"""Questions as a form has them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from benchwright_authoring.written_question import WrittenQuestion, build_pack
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import QuestionFormat, Skill
from benchwright_problems.storage.pack_files_schema import PackToml

FIELDS: dict[str, Any] = {
    "title": "Write-back caches",
    "statement": "A write-back cache evicts a *dirty* line. What has to happen first?",
    "choices": ("The line is written to memory", "The line is read again", "The tag is cleared", "The core is reset"),
    "answer": "A",
    "explanation": "Memory has an old copy; the others would lose the newer one.",
    "topic": "caches",
    "skill": Skill.RECALL,
}


def written_question(**changed_fields: Any) -> WrittenQuestion:
    return WrittenQuestion.model_validate(FIELDS | changed_fields)


def test_a_question_is_what_a_pack_folder_with_its_files_would_have() -> None:
    problem = written_question().as_problem({})
    question, key = problem.public.question, problem.hidden.answer
    assert question is not None
    assert key is not None
    assert problem.title == "Write-back caches"
    assert "dirty" in problem.public.statement
    assert question.format is QuestionFormat.MULTIPLE_CHOICE
    assert tuple(choice.text for choice in question.choices) == FIELDS["choices"]
    assert (question.topic, question.skill, key.value) == ("caches", Skill.RECALL, "A")
    assert key.explanation == FIELDS["explanation"]


@pytest.mark.parametrize("text", ['"quoted" \\ and\n[answer]\nvalue = "B"', "'''", "\x7f\x85", "𝄞 ünïcode"])
def test_hostile_text_stays_text(text: str) -> None:
    problem = written_question(statement=text, explanation=text, choices=(f"{text}1", f"{text}2", "c", "d")).as_problem(
        {}
    )
    assert problem.hidden.answer is not None
    assert problem.hidden.answer.value == "A"
    assert problem.hidden.answer.explanation == text.strip()
    assert problem.public.statement.endswith(f"\n\n{text.strip()}\n")


@pytest.mark.parametrize(
    ("changed_fields", "field"),
    [
        ({"title": " "}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"statement": "x" * 10_001}, "statement"),
        ({"statement": "See ![it](figures/../../etc/passwd)"}, "statement"),
        ({"choices": ("a", "b", "c")}, "choices"),
        ({"choices": ("a", "b", "c", "")}, "choices"),
        ({"answer": "E"}, "answer"),
        *(({"format": "multiple-response", "answer": answer}, "answer") for answer in ("CA", "AA", "AZ", "A, C")),
        ({"format": "multiple-response", "answer": "AC", "choices": ()}, "choices"),
        ({"explanation": ""}, "explanation"),
    ],
)
def test_what_can_be_no_question_is_refused_with_its_field(changed_fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        written_question(**changed_fields)
    assert refused.value.errors()[0]["loc"][0] == field


def test_several_options_may_be_right() -> None:
    question = written_question(format="multiple-response", answer="AC")
    problem = question.as_problem({})
    assert problem.public.question is not None
    assert problem.hidden.answer is not None
    assert (len(problem.public.question.choices), problem.hidden.answer.value) == (4, "AC")
    assert [question.is_right_by_rule(answer) for answer in ("AC", "A", "ACD", "BD")] == [True, False, False, False]
    assert question.remarks() == []
    with pytest.raises(ValueError, match="only a multiple-choice question"):
        question.free_response_twin("caches")


def test_it_has_the_remarks_of_the_rules_for_pack_folders() -> None:
    assert written_question().remarks() == []
    (remark,) = written_question(choices=("a", "b", "c", "None of the above")).remarks()
    assert "Option D is about other options" in remark


def test_a_pack_has_the_questions_in_the_order_of_its_head() -> None:
    head = PackToml(name="p", title="P", version="3", license="CC0-1.0", source="us", order=["two", "one"])
    pack = build_pack(head, {"one": written_question(), "two": written_question(answer="B")}, {})
    assert [problem.id for problem in pack.problems] == ["two", "one"]
    assert (pack.version, pack.problems[0].provenance.license) == ("3", "CC0-1.0")
    with pytest.raises(ProblemsError) as refused:
        build_pack(head, {"one": written_question()}, {})
    assert "/tmp" not in str(refused.value)
