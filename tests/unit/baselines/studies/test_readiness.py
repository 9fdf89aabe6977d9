"""Parts that a study file still needs before people take part."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_studies.conduct.readiness import (
    balance_guarantee,
    imbalance_sentences,
    missing_assistants_note,
    refuse_placeholders,
)
from benchwright_studies.plan.assignment import draw_plan
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, parse_study
from benchwright_studies.plan.template import TEMPLATE

TEXT = TEMPLATE.format(name="study.yaml", study="mine", seed=42)
READY = (
    TEXT.replace("<NAME AND INSTITUTION>", "Ada Lovelace")
    .replace("<PURPOSE>", "learn")
    .replace("<CONTACT>", "ada@example.org")
)


def parsed(text: str) -> StudyFile:
    return parse_study(text, Path("study.yaml"))


def imbalance_texts(text: str) -> list[str]:
    file = parsed(text)
    return imbalance_sentences(file.study, draw_plan(file.study, file.sha256, {}))


def test_words_of_the_template_are_refused_with_their_lines() -> None:
    with pytest.raises(StudyFileError) as refused:
        refuse_placeholders(parsed(TEXT))
    lines = TEXT.splitlines()
    assert [lines[flaw.line - 1].strip()[:6] for flaw in refused.value.flaws] == ["<NAME ", "You ma"]
    assert all(flaw.field == "consent.text" for flaw in refused.value.flaws)


def test_marks_of_earlier_templates_are_refused_too() -> None:
    with pytest.raises(StudyFileError, match="WHO asks you"):
        refuse_placeholders(parsed(READY.replace("Ada Lovelace asks you", "WHO asks you")))
    with pytest.raises(StudyFileError, match="write to WHOM"):
        refuse_placeholders(parsed(READY.replace("ada@example.org", "WHOM")))


def test_ones_own_words_are_taken() -> None:
    refuse_placeholders(parsed(READY.replace("Ada Lovelace", "The WHO, in Geneva, and IBM")))


def test_the_default_study_is_balanced_and_asks_for_nothing_that_the_editor_lacks() -> None:
    assert imbalance_texts(READY) == []
    assert missing_assistants_note(parsed(READY).study) == []
    assert "at each place" in balance_guarantee(parsed(READY).study)


def test_a_number_of_people_that_does_not_balance_is_told_with_one_that_does() -> None:
    messages = imbalance_texts(READY.replace("participants: 16", "participants: 9"))
    assert "a multiple of 8 does" in messages[-1]
    assert "not tried equally often under each condition" in messages[0]
    assert imbalance_texts(READY.replace("participants: 16", "participants: 8")) == []
    halves = imbalance_texts(READY.replace("participants: 16", "participants: 12"))
    assert "not equally often at each place" in halves[0], "conditions are balanced, places are not"


def test_each_person_under_one_condition_is_counted_by_people() -> None:
    text = READY.replace("unit: task", "unit: person").replace("order: latin-square", "order: random")
    assert imbalance_texts(text) == []
    assert "9 participants" in imbalance_texts(text.replace("participants: 16", "participants: 9"))[-1]


def test_assistants_that_the_editor_of_run_cant_have_are_named() -> None:
    (message,) = missing_assistants_note(parsed(READY.replace("[benchwright]", "[benchwright, github.copilot]")).study)
    assert "github.copilot" in message and "no gallery" in message
