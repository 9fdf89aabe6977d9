from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchwright_attempts.actor import Actor, KnownActor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import AttemptError, UnknownAttemptError
from benchwright_attempts.events.events import (
    Abandoned,
    Answered,
    Event,
    Judged,
    JudgedBy,
    Paused,
    Resumed,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
    TextCause,
    TextSet,
    Tick,
)
from benchwright_attempts.events.file_text import FileText, sha256
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.standing import Standing
from benchwright_attempts.summary.summary import Summary, SummaryFold
from benchwright_problems.verdict import Outcome, Reason
from benchwright_studies.conduct.study_log import StudyLog

if TYPE_CHECKING:
    from tests.unit.baselines.conftest import SetTime

FILE = "rtl/counter.sv"


def run_events(number: int, outcome: Outcome, passed_tests: int = 0) -> list[Event]:
    run = f"run-{number}"
    return [
        RunStarted(run=run, number=number, snapshot={FILE: f"{number:064x}"}),
        RunFinished(
            run=run,
            number=number,
            outcome=outcome,
            reason=outcome.value,
            message=f"{passed_tests} of 5 hidden tests passed.",
            passed=passed_tests,
            total=5,
            wall_s=0.8,
            digests={"problem": "p", "harness": "h"},
        ),
    ]


def judged_event(number: int) -> Judged:
    judged_by = JudgedBy(method="person", status="scored")
    return Judged(number=number, sha256="0" * 64, outcome=Outcome.PASSED, reason="passed", judged_by=judged_by)


def append_events(log: StudyLog, attempt: str, *events: Event) -> None:
    for event in events:
        log.append_blocking(attempt, event)


def summary_of(events: Sequence[RecordedEvent]) -> Summary:
    """The summary that all events together come to."""
    fold = SummaryFold()
    for recorded in events:
        fold.take_event(recorded.seq, recorded.hash, recorded.moment, recorded.event.type, recorded.event)
    return fold.summary()


def test_a_new_attempt_is_open_and_knows_its_files(attempts: Attempts, attempt: str) -> None:
    summary = attempts.summary(attempt)
    assert summary.state is AttemptState.OPEN
    assert summary.files[FILE] == sha256(b"module counter;\r\nendmodule\n")
    assert (summary.verdict_count, summary.next_run_number, summary.verdict, summary.first_pass) == (0, 1, None, None)


def test_the_summary_counts_verdicts_and_keeps_the_first_pass_and_the_newest(
    log: StudyLog, attempts: Attempts, attempt: str, time: SetTime
) -> None:
    append_events(log, attempt, Started())
    for number, (outcome, passed_tests) in enumerate(
        [(Outcome.FAILED, 3), (Outcome.PASSED, 5), (Outcome.PASSED, 5), (Outcome.ERROR, 0)], start=1
    ):
        time.pass_s(10)
        append_events(log, attempt, *run_events(number, outcome, passed_tests))
    summary = attempts.summary(attempt)
    assert summary.verdict_count == 4
    assert summary.first_pass is not None and summary.verdict is not None
    assert (summary.first_pass.number, summary.first_pass.active_s) == (2, 20)
    assert (summary.verdict.number, summary.verdict.outcome) == (4, Outcome.ERROR)
    assert summary.verdict.snapshot == {FILE: f"{4:064x}"}
    assert not summary.has_passed


def test_a_cancelled_run_is_no_verdict(log: StudyLog, attempts: Attempts, attempt: str) -> None:
    run_started, _finished = run_events(1, Outcome.PASSED)
    append_events(log, attempt, Started(), run_started, RunCancelled(run="run-1", number=1, reason="newer_save"))
    summary = attempts.summary(attempt)
    assert (summary.verdict_count, summary.next_run_number, summary.verdict, summary.snapshots) == (0, 1, None, {})


def test_a_judged_answer_is_a_verdict(log: StudyLog, attempts: Attempts, attempt: str) -> None:
    answered_event = Answered(number=1, outcome=Outcome.PASSED, reason="passed", snapshot={"answer.md": "0" * 64})
    append_events(log, attempt, Started(), answered_event)
    summary = attempts.summary(attempt)
    assert summary.has_passed
    assert summary.first_pass == summary.verdict
    assert summary.verdict_count == 1


def test_files_follow_saves_and_changes_from_outside(log: StudyLog, attempts: Attempts, attempt: str) -> None:
    append_events(
        log,
        attempt,
        Save(path=FILE, sha256="1" * 64, size=3),
        TextSet(path="a.v", cause=TextCause.CREATED, file=FileText.of_text("a")),
        TextSet(path="b.v", cause=TextCause.CREATED, file=FileText.of_text("b")),
        TextSet(path="b.v", cause=TextCause.DELETED, file=None),
        TextSet(path=FILE, cause=TextCause.RESYNC, file=FileText.of_text("unsaved")),
    )
    assert attempts.summary(attempt).files == {FILE: "1" * 64, "a.v": sha256(b"a")}


def test_what_is_kept_of_an_attempt_is_what_its_events_say(
    log: StudyLog, attempts: Attempts, attempt: str, time: SetTime
) -> None:
    undecided = Answered(number=2, outcome=Outcome.ERROR, reason="judge_down", snapshot={"answer.md": "0" * 64})
    with StudyLog(
        log.path, wall_clock=time.now, monotonic_ns=lambda: time.mono_ns - 100, process="second"
    ) as second_log:
        for number, event in enumerate(
            [
                Started(),
                *run_events(1, Outcome.FAILED, 2),
                undecided,
                Answered(number=3, outcome=Outcome.ERROR, reason="judge_down", message="a \ud800 half", snapshot={}),
                Paused(reason=None),
                Resumed(),
                Tick(),
                *run_events(4, Outcome.PASSED, 5)[:1],
                Submitted(),
                judged_event(2),
            ]
        ):
            time.pass_s(7)
            (log, second_log)[number % 2].append_blocking(attempt, event)
            assert attempts.summary(attempt) == summary_of(log.events(attempt)), event
    assert attempts.summary(attempt).first_pass is not None
    assert set(attempts.summary(attempt).verdicts.undecided) == {3}


def test_a_summary_that_is_behind_or_of_an_older_version_is_worked_out_again(
    log: StudyLog, attempts: Attempts, attempt: str
) -> None:
    append_events(log, attempt, Started(), *run_events(1, Outcome.PASSED, 5))
    expected_summary = attempts.summary(attempt)
    for change in ("seq = 1", "version = 0", "body = '{}'", "body = 'x'"):
        with closing(sqlite3.connect(log.path)) as connection:
            connection.execute(f"UPDATE summaries SET {change}")
            connection.commit()
        assert attempts.summary(attempt) == expected_summary, change
        with closing(sqlite3.connect(log.path)) as connection:
            ((seq,),) = connection.execute("SELECT seq FROM summaries WHERE version > 0 AND length(body) > 2")
        assert seq == expected_summary.seq, "what was worked out is kept"
        append_events(log, attempt, Tick())
        expected_summary = summary_of(log.events(attempt))
        assert attempts.summary(attempt) == expected_summary, change


def test_lists_of_attempts_read_no_events(log: StudyLog, attempts: Attempts, attempt: str) -> None:
    append_events(log, attempt, Started(), *run_events(1, Outcome.PASSED, 5), Submitted())
    summary_rows, packs = attempts.summaries(), attempts.person_records_outside_studies()
    with closing(sqlite3.connect(log.path)) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET body = 'not an event'")
        connection.commit()
    assert (attempts.summaries(), attempts.person_records_outside_studies()) == (summary_rows, packs)


def test_the_summary_goes_on_from_where_it_was(log: StudyLog, attempts: Attempts, attempt: str, time: SetTime) -> None:
    append_events(log, attempt, Started())
    attempts.summary(attempt)
    time.pass_s(7)
    append_events(log, attempt, *run_events(1, Outcome.PASSED, 5), Submitted())
    assert attempts.summary(attempt) == Attempts(log).summary(attempt)
    assert attempts.summary(attempt).clock.active_s == 7


def test_an_unfinished_attempt_is_found_by_problem_and_by_workspace(
    log: StudyLog, attempts: Attempts, attempt: str, time: SetTime
) -> None:
    time.pass_s(1)
    newer = attempts.create("starter/counter", "d", Path("/workspaces/counter-2"), {}).id
    unfinished_attempt = attempts.newest_unfinished_attempt_of_person(problem="starter/counter")
    assert unfinished_attempt is not None and unfinished_attempt.id == newer
    append_events(log, newer, Abandoned())
    unfinished_attempt = attempts.newest_unfinished_attempt_of_person(problem="starter/counter")
    assert unfinished_attempt is not None and unfinished_attempt.id == attempt
    assert attempts.newest_unfinished_attempt_of_person(workspace=Path("/workspaces/counter-2")) is None
    assert attempts.newest_unfinished_attempt_of_person(workspace=Path("/workspaces/odd\udcff")) is None
    assert attempts.newest_unfinished_attempt_of_person(problem="starter/other") is None


def standing_count_and_best_s(attempts: Attempts, problem: str) -> tuple[Standing, int, float | None]:
    problem_record = attempts.person_records_outside_studies()[problem]
    return problem_record.view.standing, problem_record.attempts, problem_record.best_active_s


def test_a_problem_is_passed_once_a_run_passed_and_its_best_time_is_that_of_a_submission(
    log: StudyLog, attempts: Attempts, attempt: str, time: SetTime
) -> None:
    problem = "starter/counter"
    assert standing_count_and_best_s(attempts, problem) == (Standing.OPEN, 1, None)
    append_events(
        log, attempt, Save(path=FILE, size=1, sha256=f"{1:064x}"), Started(), *run_events(1, Outcome.PASSED, 5)
    )
    assert standing_count_and_best_s(attempts, problem) == (Standing.PASSED, 1, None)
    time.pass_s(50)
    append_events(log, attempt, Submitted())
    assert standing_count_and_best_s(attempts, problem) == (Standing.PASSED, 1, 50.0)
    for seconds, outcome in [(20, Outcome.PASSED), (5, Outcome.FAILED), (90, Outcome.PASSED)]:
        files = {"rtl/counter.sv": FileText.of_bytes(b"")}
        later_attempt = attempts.create(problem, "d", Path("/workspaces/again"), files).id
        append_events(log, later_attempt, Started(), *run_events(1, outcome))
        time.pass_s(seconds)
        append_events(log, later_attempt, Submitted())
    attempts.create(problem, "d", Path("/workspaces/open"), {})
    assert standing_count_and_best_s(attempts, problem) == (Standing.PASSED, 5, 20.0)


def test_the_best_time_is_of_no_attempt_in_which_an_agent_had_a_part_and_its_pass_is_named(
    log: StudyLog, attempts: Attempts, attempt: str, time: SetTime
) -> None:
    problem, by_agent = "starter/counter", KnownActor(Actor.AGENT, AttributionMethod.CONNECTION)
    append_events(
        log,
        attempt,
        Started().with_actor_if_missing(by_agent),
        *run_events(1, Outcome.PASSED, 5),
        Submitted().with_actor_if_missing(by_agent),
    )
    problem_record = attempts.person_records_outside_studies()[problem]
    assert (problem_record.view.standing, problem_record.has_passed_only_with_agent) == (Standing.PASSED, True)
    assert problem_record.best_active_s is None
    assert attempts.summary(attempt) == Attempts(log).summary(attempt)
    files = {"rtl/counter.sv": FileText.of_bytes(b"")}
    own_attempt = attempts.create(problem, "d", Path("/workspaces/again"), files).id
    append_events(log, own_attempt, Started(), *run_events(1, Outcome.PASSED))
    time.pass_s(20)
    append_events(log, own_attempt, Submitted())
    problem_record = attempts.person_records_outside_studies()[problem]
    assert (problem_record.has_passed_only_with_agent, problem_record.best_active_s) == (False, 20.0)


def answer_event(reason: Reason) -> Answered:
    return Answered(
        number=1, outcome=reason.outcome, reason=reason.value, message="", wall_s=0.1, digests={}, snapshot={}
    )


@pytest.mark.parametrize(
    ("event", "standing"),
    [
        (answer_event(Reason.JUDGE_UNAVAILABLE), Standing.WAITING),
        (answer_event(Reason.JUDGE_ERROR), Standing.WAITING),
        (answer_event(Reason.WRONG_ANSWER), Standing.FAILED),
        (answer_event(Reason.TOOL_MISSING), Standing.UNDECIDED),
        (answer_event(Reason.PASSED), Standing.PASSED),
    ],
)
def test_a_submitted_answer_is_in_the_list_as_what_became_of_it(
    log: StudyLog, attempts: Attempts, attempt: str, event: Answered, standing: Standing
) -> None:
    append_events(log, attempt, Started(), event, Submitted())
    assert attempts.person_records_outside_studies()["starter/counter"].view.standing is standing


def test_the_newest_attempt_decides_unless_one_passed(
    log: StudyLog, attempts: Attempts, attempt: str, time: SetTime
) -> None:
    append_events(log, attempt, Started(), answer_event(Reason.WRONG_ANSWER), Submitted())
    time.pass_s(1)
    attempts.create("starter/counter", "d", Path("/workspaces/again"), {})
    assert attempts.person_records_outside_studies()["starter/counter"].view.standing is Standing.OPEN


def test_a_problem_only_given_up_is_called_so(log: StudyLog, attempts: Attempts, attempt: str) -> None:
    append_events(log, attempt, Abandoned())
    assert standing_count_and_best_s(attempts, "starter/counter") == (Standing.GIVEN_UP, 1, None)


def test_taking_over_a_running_attempt_leaves_the_gap_out(
    log: StudyLog, attempts: Attempts, attempt: str, time: SetTime
) -> None:
    append_events(log, attempt, Started())
    time.pass_s(30)
    append_events(log, attempt, Tick())
    time.pass_s(3600)
    with StudyLog(log.path, wall_clock=time.now, monotonic_ns=lambda: time.mono_ns - 10**13, process="second") as later:
        resumed = Attempts(later)
        assert resumed.take_over_if_left_running(attempt)
        assert not resumed.take_over_if_left_running(attempt)
        time.pass_s(5)
        append_events(later, attempt, Submitted())
        assert resumed.summary(attempt).clock.active_s == 35
        assert resumed.summary(attempt).clock.elapsed_s == 3635


def test_there_is_nothing_to_take_over_from_a_paused_attempt(log: StudyLog, attempts: Attempts, attempt: str) -> None:
    append_events(log, attempt, Started(), Paused())
    with StudyLog(log.path, process="second") as later:
        assert not Attempts(later).take_over_if_left_running(attempt)


def test_an_unknown_attempt_is_named(attempts: Attempts) -> None:
    with pytest.raises(UnknownAttemptError, match="'nobody'"):
        attempts.summary("nobody")


@pytest.mark.parametrize(
    ("workspace", "files"),
    [(Path("/workspaces/odd\udcff"), {}), (Path("/workspaces/x"), {"../up.v": FileText.of_text("")})],
)
def test_names_that_cannot_be_recorded_are_refused_with_the_next_step(
    attempts: Attempts, workspace: Path, files: dict[str, FileText]
) -> None:
    with pytest.raises(AttemptError, match="Rename"):
        attempts.create("starter/counter", "d", workspace, files)
    assert attempts.person_records_outside_studies() == {}
