from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
from benchwright_authoring.problem_files.question_rules import question_remarks
from benchwright_authoring.problem_files.toml_places import TomlPlaces
from benchwright_problems.storage.pack_files_schema import ProblemToml

STARTER = Path(str(files("benchwright_problems") / "packs" / "starter"))
ASKED = "# Hazards\n\nWhat does a pipeline do when a loaded value is needed at once?\n"
FOUR = {
    "A": "it waits a cycle",
    "B": "it raises an exception",
    "C": "it uses an old value",
    "D": "it flushes the cache",
}
PROBLEM = """\
id = "hazards"
kind = "question"
difficulty = "easy"

[question]
format = "{format}"
{choices}
[answer]
value = "A"
rubric = ""
explanation = "{explanation}"
"""


def remark_texts(
    statement: str = ASKED,
    choices: dict[str, str] | None = None,
    explanation: str = "The value comes from memory late.",
    style: str = "multiple-choice",
) -> list[tuple[str, str, str]]:
    """Of each remark its file, the text that it is about, and what it says."""
    options = ", ".join(f'{letter} = "{text}"' for letter, text in (FOUR if choices is None else choices).items())
    table = f"choices = {{ {options} }}" if options else ""
    kind = style if options else "open-ended"
    text = PROBLEM.format(format=kind, choices=table, explanation=explanation)
    texts = {PROBLEM_FILE: text, STATEMENT: statement}
    remarks = question_remarks(ProblemToml.model_validate(tomllib.loads(text)), statement, TomlPlaces(text))
    return [
        (remark.file, texts[remark.file][remark.span.start : remark.span.end], remark.message) for remark in remarks
    ]


def test_a_good_question_has_no_remarks() -> None:
    assert remark_texts() == []
    assert remark_texts(choices={}) == []


@pytest.mark.parametrize(
    "option",
    [
        *("All of the above", "none of these.", "None of the above are correct", "both A and B", "A and C"),
        *("All three of the above belong to it.", "All four statements are correct.", "None are suitable"),
        *("alle der genannten", "Keine der obigen", "aucune de ces réponses", "以上都不对"),
    ],
)
def test_an_option_about_others_is_marked(option: str) -> None:
    ((file, text, message),) = remark_texts(choices=FOUR | {"D": option})
    assert remark_texts(choices=FOUR | {"D": option}, style="multiple-response") == [(file, text, message)]
    assert (file, text) == (PROBLEM_FILE, f'"{option}"')
    assert "Option D is about other options" in message


@pytest.mark.parametrize(
    "option",
    [
        "all processes share a page table",
        "none of the processes waits",
        "both operands are signed",
        "Both are signed",
        "A",
        "a and b",
    ],
)
def test_an_option_that_begins_alike_is_not(option: str) -> None:
    assert remark_texts(choices=FOUR | {"D": option}) == []


def test_letters_that_the_question_itself_uses_are_no_options() -> None:
    assert remark_texts(f"{ASKED}\nThe inputs are A and C.\n", FOUR | {"D": "A and C"}) == []


def test_options_that_say_the_same_are_marked() -> None:
    ((_, text, message),) = remark_texts(choices=FOUR | {"D": "It raises  an exception."})
    assert text == '"It raises  an exception."'
    assert message == "Option D says the same as B."
    assert remark_texts(choices=FOUR | {"C": "480 b/s", "D": "480 B/s"}) == []


def test_four_options_are_wanted() -> None:
    ((_, text, message),) = remark_texts(choices={"A": "yes", "B": "no"})
    assert text == "choices"
    assert message.startswith("There are 2 options.")


def test_a_right_option_that_is_much_longer_is_marked() -> None:
    long = "it waits until the memory has answered and then takes the value by forwarding from its end"
    ((_, text, message),) = remark_texts(choices=FOUR | {"A": long})
    assert text == f'"{long}"'
    assert "twice as long" in message
    assert remark_texts(choices=FOUR | {"B": long}) == []


def test_a_question_with_the_words_of_the_right_option_alone_is_marked() -> None:
    statement = ASKED.replace("needed at once?", "needed at once, so that it waits a cycle?")
    ((_, text, message),) = remark_texts(statement)
    assert text == '"it waits a cycle"'
    assert "words of the right option" in message
    assert remark_texts(statement + "\nOr is it that it raises an exception?\n") == []


def test_an_answer_without_an_explanation_is_marked() -> None:
    ((_, text, message),) = remark_texts(explanation=" ")
    assert text == '" "'
    assert message.startswith("No explanation")


@pytest.mark.parametrize(
    ("added_sentence", "marked_text"),
    [
        ("The figure below has five stages.", "The figure below"),
        ("See Table 3.", "Table 3"),
        ("Siehe die folgende Tabelle.", "folgende Tabelle"),
        ("如下图所示。", "下图"),
        ("Use the pipeline from the previous lecture.", "from the previous lecture"),
        ("Take the cache of the previous question.", "previous question"),
    ],
)
def test_what_the_question_does_not_hold_is_marked(added_sentence: str, marked_text: str) -> None:
    ((file, text, message),) = remark_texts(f"{ASKED}\n{added_sentence}\n")
    assert (file, text) == (STATEMENT, marked_text)
    assert message.startswith("The question refers to")


def test_a_figure_that_is_there_may_be_referred_to() -> None:
    assert remark_texts(f"{ASKED}\nSee the figure below.\n\n![Five stages.](figures/stages.svg)\n") == []


def test_questions_of_the_starter_pack_have_no_remarks() -> None:
    question_count = 0
    for file in sorted(STARTER.glob("*/problem.toml")):
        spec = ProblemToml.model_validate(tomllib.loads(file.read_text()))
        if spec.question is not None:
            question_count += 1
            statement = (file.parent / "statement.md").read_text()
            assert list(question_remarks(spec, statement, TomlPlaces(file.read_text()))) == [], file
    assert question_count > 5


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which of the following stalls a pipeline?", "Which of the following"),
        ("Welche der folgenden Einheiten wartet?", "Welche der folgenden"),
        ("下列哪一项会使流水线停顿？", "下列哪"),
        ("Which of the following is a hazard?\n\n- RAW\n- WAR", ""),
        ("The following program runs. Which unit waits?", ""),
    ],
)
def test_a_question_without_options_does_not_speak_of_them(question: str, words: str) -> None:
    remarks = remark_texts(f"# Hazards\n\n{question}\n", choices={})
    assert [text for _, text, message in remarks if "speaks of options" in message] == ([words] if words else [])


def test_a_question_with_options_may_speak_of_them() -> None:
    assert remark_texts("# Hazards\n\nWhich of the following stalls?\n") == []
