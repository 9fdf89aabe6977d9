"""Programs that conditions of a study name: what may be written, and what is compared with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_studies.plan.study_file import StudyFileError, parse_study
from benchwright_studies.plan.subject import RunningSubject, Subject

FILE = Path("study.yaml")
TEXT = """\
study: s
title: S
problems: [a/one, a/two]
conditions:
  - name: it
    {condition}
randomisation: {{seed: 1}}
"""
INLINE = "solver: agent\n    subject: {name: x, command: x, inline: {policy: always}}"


def parsed_subject(condition: str) -> Subject | None:
    return parse_study(TEXT.format(condition=condition), FILE).study.conditions[0].subject


def test_an_inline_server_needs_no_model() -> None:
    subject = parsed_subject(INLINE)
    assert subject is not None
    assert subject.inline is not None
    assert (subject.inline.start, subject.inline.dialect, subject.unfixed_fields) == (
        "starting-files",
        "lsp",
        ("version", "configuration"),
    )


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("solver: model\n    model: m/1\n    subject: {name: x}", "a subject does not go with solver model"),
        ("solver: human\n    subject: {name: x}", "a subject does not go with solver human"),
        ("solver: agent\n    subject: {name: x}", "model is missing"),
        (
            "solver: human+copilot\n    assistants: [a.b]\n    subject: {name: c.d}",
            "subject.name c.d is none of the assistants a.b",
        ),
        (
            "solver: human+copilot\n    assistants: [a.b]\n    subject: {name: a.b, command: x}",
            "subject.command does not go with human+copilot",
        ),
        (INLINE.replace("always", "matches"), "policy matches compares with the reference"),
        (INLINE.replace("always", "hidden-tests"), "'hidden-tests' is not"),
        (INLINE.replace("name: x", "name: x, version: 1.10"), "version: 1.1 is not text. Put it between quotation"),
        (INLINE.replace("name: x", "name: x, configuration: abc"), "conditions[0].subject.configuration"),
        (f"{INLINE}\n    problems: [a/three]", "it has a/three, which is none of the study's problems"),
    ],
)
def test_what_can_not_be_is_refused_with_a_sentence(condition: str, message: str) -> None:
    with pytest.raises(StudyFileError) as refused:
        parsed_subject(condition)
    assert message in str(refused.value)


def test_a_condition_can_have_fewer_problems_than_the_study() -> None:
    study = parse_study(TEXT.format(condition=f"{INLINE}\n    problems: [a/two]"), FILE).study
    assert study.problems_of(study.conditions[0]) == ("a/two",)


def test_what_runs_is_compared_field_by_field() -> None:
    registered = Subject(name="x", version="1", configuration="a" * 64)
    same_program = RunningSubject(name="x", version="1", configuration="a" * 64)
    assert same_program.differences(registered) == []
    assert same_program.differences(Subject(name="x")) == []
    other_program = RunningSubject(name="x", version="2")
    assert other_program.differences(registered) == [
        ("version", "the study registers 1; here is 2."),
        ("configuration", f"the study registers {'a' * 64}; here is none that can be told."),
    ]
