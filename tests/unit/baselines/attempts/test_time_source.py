"""Where an attempt's time comes from: what the log shows of it, also what earlier versions wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.rows.reading import LogJob, fold_attempts_and_write_events
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_attempts.events.events import (
    Answered,
    Event,
    Given,
    Interrupted,
    Opened,
    Save,
    Started,
    Submitted,
    TextCause,
    TextSet,
)
from benchwright_attempts.events.evidence import ClockHeld, ModelUsage
from benchwright_attempts.events.file_text import FileText, sha256
from benchwright_attempts.log.record import AttemptHeader
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.study_log import StudyLog

from ..conftest import SetTime

ANSWER = FileText.of_bytes(b"B")
WRITTEN = (
    TextSet(path="answer.md", cause=TextCause.WRITTEN, file=ANSWER),
    Save(path="answer.md", sha256=ANSWER.sha256, size=1),
)
RIGHT = Answered(number=1, outcome=Outcome.PASSED, reason="passed", snapshot={"answer.md": sha256(b"B")})
USED = ModelUsage(model="lab/m", output_tokens=3, total_tokens=3)


def played_attempt(
    log: StudyLog, time: SetTime, condition: str, *steps: Event | float, **files: FileText
) -> FoldedAttempt:
    """An attempt of these events, and of the seconds between them."""
    header = AttemptHeader(
        id="a", problem="p/q", problem_digest="d", workspace="", solver="s", condition=condition, created=time.now()
    )
    log.create(header, Opened(files=files))
    for step in steps:
        if isinstance(step, float):
            time.pass_s(step)
        else:
            log.append_blocking("a", step)
    (folded,), _ = fold_attempts_and_write_events(
        LogJob(log.path, [header], {"p/q": ProblemFacts()}, {}), expected_event_count=0
    )
    # What lists show and what the report counts is one rule.
    summary = Attempts(log).summary("a")
    assert summary.time_source == folded.observation.time_source
    return folded


def seconds_by_column(folded: FoldedAttempt) -> dict[str, float]:
    """The cells of times that are not empty."""
    cells = folded.observation.model_dump()
    return {name: cells[name] for name in cells if name.endswith("_s") and cells[name] is not None}


def test_an_answer_from_a_file_has_no_time(log: StudyLog, time: SetTime) -> None:
    folded = played_attempt(log, time, "human", 9.0, Given(), *WRITTEN, 13.0, RIGHT, Submitted())
    assert (folded.observation.time_source, seconds_by_column(folded), folded.trace) == (TimeSource.NONE, {}, ())
    assert folded.observation.passed and folded.observation.state == "submitted"
    assert Attempts(log).summary("a").clock.active_s == 0


def test_a_time_that_a_file_states_is_reported_and_nothing_else(log: StudyLog, time: SetTime) -> None:
    folded = played_attempt(log, time, "human", Given(reported_s=300), *WRITTEN, 13.0, RIGHT, Submitted())
    assert folded.observation.time_source == TimeSource.REPORTED
    assert seconds_by_column(folded) == {"time_s": 300, "first_pass_s": 300}


@pytest.mark.parametrize("condition", ["human", "model"])
def test_what_earlier_versions_wrote_of_a_file_has_no_time(log: StudyLog, time: SetTime, condition: str) -> None:
    facts = (USED,) if condition == "model" else ()
    folded = played_attempt(log, time, condition, *facts, Started(), 0.013, *WRITTEN, Interrupted(), RIGHT, Submitted())
    assert (folded.observation.time_source, seconds_by_column(folded)) == (TimeSource.NONE, {})


def test_a_time_that_is_told_later_is_added(log: StudyLog, time: SetTime) -> None:
    folded = played_attempt(log, time, "human", Started(), 0.013, *WRITTEN, RIGHT, Submitted(), Given(reported_s=60))
    assert (folded.observation.time_source, folded.observation.time_s) == (TimeSource.REPORTED, 60)


def test_an_attempt_that_was_only_opened_has_no_time(log: StudyLog, time: SetTime) -> None:
    assert seconds_by_column(played_attempt(log, time, "human", 9.0, **{"answer.md": ANSWER})) == {}


def test_a_person_and_a_model_that_work_here_are_on_the_clock(log: StudyLog, time: SetTime) -> None:
    folded = played_attempt(
        log, time, "model", Started(), 7.0, *WRITTEN, RIGHT, Submitted(), **{"answer.md": FileText.of_bytes(b"")}
    )
    assert (folded.observation.time_source, folded.observation.time_s) == (TimeSource.CLOCK, 7)
    assert folded.trace == ((7, 1.0),)


def test_a_sample_without_starting_files_is_on_the_clock(log: StudyLog, time: SetTime) -> None:
    folded = played_attempt(
        log, time, "model", Started(), 7.0, *WRITTEN, ClockHeld(reason="harness"), 3.0, RIGHT, Submitted()
    )
    assert (folded.observation.time_source, folded.observation.time_s) == (TimeSource.CLOCK, 7)


def test_the_time_of_a_sample_that_is_tried_again_is_that_of_the_last_try(log: StudyLog, time: SetTime) -> None:
    start = {"answer.md": FileText.of_bytes(b"")}
    folded = played_attempt(
        log, time, "model", Started(), 50.0, Interrupted(), 7.0, *WRITTEN, RIGHT, Submitted(), **start
    )
    assert {name: seconds_by_column(folded)[name] for name in ("time_s", "active_s", "first_pass_s", "clock_s")} == {
        "time_s": 7,
        "active_s": 7,
        "first_pass_s": 7,
        "clock_s": 57,
    }


def test_a_kept_summary_of_an_earlier_version_is_worked_out_again(
    log: StudyLog, time: SetTime, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("benchwright_attempts.summary.kept_summary.VERSION", 2)
        played_attempt(log, time, "human", Given(reported_s=60), *WRITTEN, RIGHT, Submitted())
    assert [summary.time_source for _, summary in log.summaries()] == [TimeSource.REPORTED]
