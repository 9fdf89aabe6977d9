"""Texts of a study's author beside what the file sets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_studies import open_log
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.plan.claims import false_claims_about_limits, refuse_contradicted_claims
from benchwright_studies.plan.information import TEMPLATES, participant_information
from benchwright_studies.plan.registration import register_study
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, parse_study
from benchwright_studies.plan.template import study_template

VERSION = '  version: "1" '
TEXT = study_template("study.yaml", "mine", 42).replace(VERSION, f"  text: |\n    You may stop at any time.\n{VERSION}")
FOLDER = ("to: nowhere #", "to: /srv/lab #")
TIMING = ("recording: full #", "recording: timing #")


def parsed_study_file(sentence: str = "", *changes: tuple[str, str]) -> StudyFile:
    """The template with a sentence in its consent text, and other changes."""
    text = TEXT.replace("    You may stop", f"    {sentence}\n\n    You may stop") if sentence else TEXT
    for old_text, new_text in changes:
        assert text.count(old_text) == 1, old_text
        text = text.replace(old_text, new_text)
    return parse_study(text, Path("study.yaml"))


@pytest.mark.parametrize(
    ("sentence", "changes", "message"),
    [
        ("The data stay on this machine.", [FOLDER], "data.to is /srv/lab"),
        ("The data never leave your computer.", [FOLDER], "data.to is /srv/lab"),
        ("Nothing is sent anywhere.", [FOLDER], "data.to is /srv/lab"),
        ("Your records are sent to our server.", [], "data.to is nowhere"),
        ("You solve 6 tasks or none.", [], "problems has 4"),
        ("You solve seven short problems.", [], "problems has 4"),
        ("There are three conditions.", [], "conditions has 2"),
        ("With you, 20 participants work on this.", [], "participants has 16"),
        ("There are 5 questions at the end.", [], "questionnaire has 2"),
        ("You have 10 runs of the hidden tests.", [], "limits.runs has 20"),
        ("You have 45 minutes per task.", [], "limits of 20, 30 minutes"),
        ("Each task takes at most two hours.", [], "limits of 20, 30 minutes"),
        ("There is a time limit of 25 minutes.", [], "limits of 20, 30 minutes"),
        ("It takes at most 2 hours in total.", [], "all time limits together are 140 minutes"),
        ("It takes at most 2 hours in total.", [("  time_minutes: 30\n", "")], "there is no time limit for every task"),
        ("All is deleted after 10 years.", [("  # kept_months: 120", "  kept_months: 12")], "data.kept_months is 12"),
        ("None of the text you write is kept.", [], "recording is full"),
        ("We record everything you type.", [TIMING], "recording is timing"),
        ("We record times and every change to the files.", [TIMING], "recording is timing"),
    ],
)
def test_a_text_that_the_file_contradicts_is_refused(
    sentence: str, changes: list[tuple[str, str]], message: str
) -> None:
    file = parsed_study_file(sentence, *changes)
    with pytest.raises(StudyFileError, match=message) as refused:
        refuse_contradicted_claims(file)
    (flaw,) = refused.value.flaws[:1]
    assert flaw.field == "consent.text"
    assert file.text.splitlines()[flaw.line - 1].strip() == sentence
    assert flaw.message.endswith(".") and "says" in flaw.message


@pytest.mark.parametrize(
    ("sentence", "changes"),
    [
        ("", []),
        ("The data stay on this machine.", []),
        ("Your records are sent to our server.", [FOLDER]),
        ("You solve four tasks: two tasks with an assistant, two problems without, and one practice task.", []),
        ("With practice these are 5 tasks.", []),
        ("You have 30 minutes per task, and 20 minutes for the last one.", []),
        ("It takes at most 3 hours in total, and one problem after the other is shown.", []),
        ("A pause of 2 minutes does not matter; about two hours are usual.", []),
        ("All is deleted after 10 years.", []),
        ("We record everything you type.", []),
    ],
)
def test_a_text_that_agrees_or_claims_nothing_of_the_file_is_taken(
    sentence: str, changes: list[tuple[str, str]]
) -> None:
    refuse_contradicted_claims(parsed_study_file(sentence, *changes))


def test_a_claim_that_spans_lines_is_told_at_the_line_where_it_begins() -> None:
    file = parsed_study_file("One two three. The data stay\n    on this machine.", FOLDER)
    with pytest.raises(StudyFileError) as refused:
        refuse_contradicted_claims(file)
    assert "The data stay" in file.text.splitlines()[refused.value.flaws[0].line - 1]


def test_a_new_study_is_refused_for_its_sentences_and_one_that_has_begun_is_not(tmp_path: Path) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    file = parsed_study_file("The data stay on this machine.", FOLDER)
    log = open_log(tmp_path / "log.sqlite")
    try:
        with pytest.raises(StudyFileError, match=r"data\.to is /srv/lab"):
            register_study(log, Store(home), file)
        Studies(log, Attempts(log)).register(file, {})
        assert register_study(log, Store(home), file).sha256 == file.sha256
    finally:
        log.close()


def information_texts(*changes: tuple[str, str]) -> list[str]:
    return [sentence.text for sentence in participant_information(parsed_study_file("", *changes).study)]


def test_participants_are_told_what_the_file_sets_and_nothing_else() -> None:
    assert information_texts() == [
        "Your data stays on this machine until you or the organisers of the study export it.",
        "Number of tasks: 4.",
        "You work for at most 2 h 20 min; pauses and forms are not counted.",
    ]
    told = information_texts(FOLDER, ("  # kept_months: 120", "  kept_months: 12"), ("  # seen_by", "  seen_by"))
    assert "written to /srv/lab" in told[0]
    assert told[1:3] == [
        "Records are kept for at most 12 months after the end of the study.",
        "Your records are seen by: the researchers of Example Lab.",
    ]
    assert (
        information_texts(("  time_minutes: 30\n", ""))[-1]
        == "Not every task has a time limit, so the study does not say how long it takes."
    )


def study() -> Study:
    return parsed_study_file().study


def test_a_statement_with_another_time_limit_is_told() -> None:
    assert false_claims_about_limits(study(), "starter/uart-parity", "You have 20 minutes for this task.") == []
    assert false_claims_about_limits(study(), "starter/uart-parity", "The clock runs 20 minutes per frame.") == []
    (message,) = false_claims_about_limits(study(), "starter/uart-parity", "You have 30 minutes for this task.")
    assert "time limit of 20 minutes" in message


def test_a_client_that_translates_the_information_has_each_sentence() -> None:
    text = (Path(__file__).parents[4] / "client-vscode/src/studies/studyText.ts").read_text()
    words = re.sub(r'"\s*\+\s*"', "", text)
    for kind, template in TEMPLATES.items():
        assert f'case "{kind.value}":' in words and f'"{template}"' in words, kind
