"""Parts that a study file still needs before people take part."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_studies.conduct.readiness import (
    assistant_requirement_sentences,
    balance_sentences,
    refuse_placeholders,
    refuse_unusable_assistants,
)
from benchwright_studies.plan.assignment import draw_plan
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, parse_study
from benchwright_studies.plan.template import study_template

TEXT = study_template("study.yaml", "mine", 42)
READY = (
    TEXT.replace("<NAME AND INSTITUTION>", "Ada Lovelace")
    .replace("<PURPOSE>", "learn")
    .replace("<CONTACT>", "ada@example.org")
)


def parsed_study_file(text: str) -> StudyFile:
    return parse_study(text, Path("study.yaml"))


def balance_texts(text: str) -> list[str]:
    file = parsed_study_file(text)
    return balance_sentences(file.study, draw_plan(file.study, file.sha256, {}))


def says_even(text: str) -> bool:
    (sentence,) = balance_texts(text)
    return "equally" in sentence and "not" not in sentence


def test_words_of_the_template_are_refused_with_their_lines() -> None:
    with pytest.raises(StudyFileError) as refused:
        refuse_placeholders(parsed_study_file(TEXT))
    lines = TEXT.splitlines()
    places = [(flaw.field, flaw.message.split("'")[1]) for flaw in refused.value.flaws]
    assert places == [
        ("organisers.name", "<NAME AND INSTITUTION>"),
        ("organisers.purpose", "<PURPOSE>"),
        ("organisers.contact", "<CONTACT>"),
    ]
    assert all(mark in lines[flaw.line - 1] for flaw, (_, mark) in zip(refused.value.flaws, places, strict=True))


def test_ones_own_words_are_taken() -> None:
    refuse_placeholders(parsed_study_file(READY.replace("Ada Lovelace", "The WHO, in Geneva, and IBM")))


def test_the_default_study_is_balanced_and_asks_for_nothing_that_the_editor_lacks() -> None:
    assert assistant_requirement_sentences(parsed_study_file(READY).study) == []
    assert balance_texts(READY) == [
        "The plan tries each problem equally often under each condition, puts each problem equally often at each "
        "place, and lets each problem follow each other one equally often."
    ]


def problem_of_kind(kind: ProblemKind = ProblemKind.DESIGN) -> Problem:
    return next(problem for problem in read_built_in("starter").problems if problem.kind is kind)


def refused_assistants(text: str, question: str = "", unusable: str = "") -> list[tuple[str, str]]:
    file = parsed_study_file(text)
    problems = {
        task.problem: problem_of_kind(ProblemKind.QUESTION if task.problem == question else ProblemKind.DESIGN)
        for task in file.study.problems
    }
    try:
        refuse_unusable_assistants(file, problems, {unusable: "it is not set up."} if unusable else {})
    except StudyFileError as error:
        assert {file.text.splitlines()[flaw.line - 1].strip()[:11] for flaw in error.flaws} == {"assistants:"}
        return [(flaw.field, flaw.message) for flaw in error.flaws]
    return []


def test_an_assistant_that_is_not_set_up_is_refused_at_its_condition() -> None:
    assert refused_assistants(READY) == []
    assert refused_assistants(READY, unusable="benchwright") == [
        ("conditions[1].assistants", "benchwright: it is not set up.")
    ]


@pytest.mark.parametrize(
    ("assistants", "appears"),
    [
        ("[benchwright]", False),
        ("[github.copilot]", False),
        ("[benchwright, GitHub.copilot-chat]", True),
        ("[benchwright]\n    aids: [generated]", True),
    ],
)
def test_an_assistant_that_only_completes_is_refused_where_a_question_is_answered_in_a_form(
    assistants: str, appears: bool
) -> None:
    text = READY.replace("[benchwright]", assistants)
    assert refused_assistants(text) == []
    refused_fields = refused_assistants(text, question="starter/skid-buffer-bug")
    if appears:
        assert refused_fields == []
    else:
        ((field, message),) = refused_fields
        assert field == "conditions[1].assistants"
        assert "can't appear in the form that answers starter/skid-buffer-bug (1 of 4 problems" in message


def test_a_number_of_people_that_does_not_balance_is_told_with_one_that_does() -> None:
    messages = balance_texts(READY.replace("participants: 16", "participants: 9"))
    assert not any("The plan" in message for message in messages), "nothing is said to be even beside it"
    assert "a multiple of 8 does" in messages[-1]
    assert "not tried equally often under each condition" in messages[0]
    assert says_even(READY.replace("participants: 16", "participants: 8"))
    halves = balance_texts(READY.replace("participants: 16", "participants: 12"))
    assert "not equally often at each place" in halves[0], "conditions are balanced, places are not"


def test_each_person_under_one_condition_is_counted_by_people() -> None:
    text = READY.replace("unit: task", "unit: person").replace("order: latin-square", "order: random")
    assert balance_texts(text) == ["The plan gives each condition to equally many people."]
    assert "9 participants" in balance_texts(text.replace("participants: 16", "participants: 9"))[-1]


def test_assistants_that_participants_bring_themselves_are_named() -> None:
    (message,) = assistant_requirement_sentences(
        parsed_study_file(READY.replace("[benchwright]", "[benchwright, github.copilot]")).study
    )
    assert message == "Participants need an editor of their own with github.copilot."
