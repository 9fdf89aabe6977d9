"""Attempts that a plan wants of a model: the same each time, none that it does not have, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import StudyClosedError, StudyError
from benchwright_attempts.events.events import Abandoned, Opened
from benchwright_attempts.log.record import AttemptHeader
from benchwright_studies.conduct.closing import close_study
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.model_condition import ModelCondition, model_condition, model_conditions
from benchwright_studies.plan.study_file import StudyFileError, parse_study

TEXT = """\
study: s
title: S
problems: [p/a, {problem: p/b, time_minutes: 2}]
conditions:
  - {name: gpt, solver: model, model: openai/x, samples: 2}
  - {name: worker, solver: agent, model: openai/x}
randomisation: {seed: 1}
recording: timing
limits: {runs: 3, time_minutes: 10}
"""


@pytest.fixture
def part(log: StudyLog) -> ModelCondition:
    Studies(log, Attempts(log)).register(parse_study(TEXT, Path("s.yaml")), {}, {"p/a": "a" * 64, "p/b": "b" * 64})
    return model_condition(log, "s", "gpt")


def record_ended_attempt(log: StudyLog, model_condition: ModelCondition, problem: str, sample: int) -> None:
    header = AttemptHeader(
        id=model_condition.attempt_id(problem, sample),
        problem=problem,
        problem_digest="d",
        workspace="",
        solver=model_condition.condition.model,
        condition=model_condition.condition.name,
        created=log.moment().wall,
        study="s",
    )
    log.create(header, Opened(files={}))
    log.append_blocking(header.id, model_condition.assigned_terms(problem, sample))
    log.append_blocking(header.id, Abandoned())


def test_terms_come_from_the_study_file_and_text_is_kept(part: ModelCondition) -> None:
    terms = part.assigned_terms("p/b", 2)
    assert (terms.study, terms.participant, terms.condition, terms.solver) == ("s", "openai/x", "gpt", "model")
    assert (terms.position, terms.practice, terms.time_limit_s, terms.runs_allowed) == (2, False, 120, 3)
    assert (terms.recording, terms.forecasts) == ("full", ())


def test_each_sample_has_an_attempt_of_its_own_that_does_not_change(part: ModelCondition, log: StudyLog) -> None:
    ids = [
        model_condition.attempt_id(ref, sample)
        for model_condition in model_conditions(log, "s")
        for ref in model_condition.problems
        for sample in (1, 2)
    ]
    assert len(set(ids)) == 8
    assert ids[:4] == [part.attempt_id(ref, sample) for ref in ("p/a", "p/b") for sample in (1, 2)]


def test_a_problem_is_missing_until_all_its_samples_have_ended(part: ModelCondition, log: StudyLog) -> None:
    assert (part.problems_lacking_samples(log), part.attempt_count) == (["p/a", "p/b"], 4)
    record_ended_attempt(log, part, "p/a", 1)
    assert part.problems_lacking_samples(log) == ["p/a", "p/b"]
    record_ended_attempt(log, part, "p/a", 2)
    assert (part.problems_lacking_samples(log), len(part.problems_and_verdicts_of_ended(log))) == (["p/b"], 2)
    assert model_condition(log, "s", "worker").problems_lacking_samples(log) == ["p/a", "p/b"]


@pytest.mark.parametrize(
    ("problem", "sample", "words"),
    [
        ("p/c", 1, "s.yaml, line 3, problems: the study does not ask p/c"),
        ("p/a", 3, "s.yaml, line 5, conditions[0].samples: each problem is tried 2 times"),
    ],
)
def test_an_attempt_that_the_plan_does_not_have_is_refused(
    problem: str, sample: int, words: str, part: ModelCondition
) -> None:
    with pytest.raises(StudyFileError) as refused:
        part.assigned_terms(problem, sample)
    assert words in str(refused.value)


def test_a_problem_that_has_changed_is_refused_and_one_that_was_not_noted_is_not(part: ModelCondition) -> None:
    part.refuse_changed_problems({"p/a": "a" * 64, "p/b": "b" * 64})
    with pytest.raises(StudyFileError, match=r"s.yaml, line 3, problems\[1\]: p/b is not the version"):
        part.refuse_changed_problems({"p/a": "a" * 64, "p/b": "c" * 64})
    unnoted = ModelCondition(replace(part.registered_study, digests={}), part.condition)
    unnoted.refuse_changed_problems({"p/a": "c" * 64})


def test_a_closed_study_gives_no_terms(part: ModelCondition, log: StudyLog) -> None:
    close_study(log, "s", end_open_attempts=True)
    with pytest.raises(StudyClosedError):
        model_condition(log, "s", part.condition.name).assigned_terms("p/a", 1)


def test_a_condition_that_is_not_there_is_named_with_those_that_are(part: ModelCondition, log: StudyLog) -> None:
    with pytest.raises(StudyError, match=r"no condition 'other' for a model or an agent. It has: gpt, worker"):
        model_condition(log, "s", "other")
