"""Studies carried out: consent first, rules that stay, deletion, closing, and collecting from other machines."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import (
    ConsentMissingError,
    ExportError,
    LogDamagedError,
    StudyClosedError,
    StudyError,
)
from benchwright_attempts.events.events import Abandoned, Started, Submitted, Tick
from benchwright_attempts.events.evidence import Exposure, Forecast, SelfEstimate
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.archive import import_archive, write_archive_and_count_attempts
from benchwright_studies.conduct.closing import check_seal, close_study
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.study_file import parse_study
from benchwright_studies.plan.vocabulary import ParticipantStep

TEXT = """
study: s
title: S
problems: [p/a, p/b]
conditions: [{name: alone, solver: human}, {name: gpt, solver: model, model: openai/x}]
participants: [ada, bob]
randomisation: {seed: 1}
questionnaire: [{id: q, ask: "Ready?", kind: yes-no}]
consent: {version: "1", text: "You agree to what is written here."}
"""


@pytest.fixture
def studies(log: StudyLog) -> Studies:
    return begin_study(log)


def begin_study(log: StudyLog, text: str = TEXT) -> Studies:
    studies = Studies(log, Attempts(log))
    studies.register(parse_study(text, Path("s.yaml")), {})
    return studies


SAID = Forecast(minutes_without_ai=3, difficulty=2, prior_exposure=Exposure.NONE)


def open_task(log: StudyLog, studies: Studies, participant: str) -> str:
    assigned, agreed, problem = studies.next_task("s", participant)
    created = Attempts(log).create(
        problem,
        "d",
        Path("/w"),
        {"a.sv": FileText.of_text(f"by {participant}")},
        solver=participant,
        condition=assigned.condition,
        study="s",
    )
    log.append_blocking(created.id, assigned)
    log.append_blocking(created.id, agreed)
    studies.record_task_begun(assigned, problem, created.id)
    return created.id


def work_through_tasks(log: StudyLog, studies: Studies, participant: str) -> list[str]:
    """Everything from enrolment to the end."""
    studies.enroll("s", participant)
    studies.give_consent("s", participant, "1")
    for problem in ("p/a", "p/b"):
        studies.record_next_forecast("s", participant, problem, SAID)
    attempts = []
    for _ in range(2):
        attempt = open_task(log, studies, participant)
        for event in (Started(), Submitted(), SelfEstimate(difficulty=2)):
            log.append_blocking(attempt, event)
        attempts.append(attempt)
    studies.answer_questionnaire("s", participant, {"q": True})
    studies.record_finish_if_finished("s", participant)
    return attempts


def test_each_step_follows_from_what_was_recorded(log: StudyLog, studies: Studies) -> None:
    def step() -> ParticipantStep:
        return studies.progress("s", "ada").step

    studies.enroll("s", "ada")
    assert step() is ParticipantStep.CONSENT
    with pytest.raises(ConsentMissingError, match="agree to it first"):
        studies.next_task("s", "ada")
    studies.give_consent("s", "ada", "1")
    assert step() is ParticipantStep.FORECAST
    with pytest.raises(StudyError, match="what comes next is forecast"):
        studies.next_task("s", "ada")
    with pytest.raises(StudyError, match=r"what comes next is a forecast of p/a\."):
        studies.record_next_forecast("s", "ada", "p/b", SAID)
    with pytest.raises(StudyError, match="Also say: minutes without ai, difficulty"):
        studies.record_next_forecast("s", "ada", "p/a", Forecast(minutes_with_ai=1, prior_exposure=Exposure.NONE))
    for problem in ("p/a", "p/b"):
        assert studies.progress("s", "ada").condition is None
        studies.record_next_forecast("s", "ada", problem, SAID)
    assert step() is ParticipantStep.UNLOCK and studies.draw_assignment_if_next("s", "ada")
    assert step() is ParticipantStep.OPEN
    attempt = open_task(log, studies, "ada")
    assert step() is ParticipantStep.WORK
    log.append_blocking(attempt, Started())
    assert step() is ParticipantStep.WORK
    log.append_blocking(attempt, Submitted())
    assert step() is ParticipantStep.SELF_ESTIMATE
    log.append_blocking(attempt, SelfEstimate(minutes=1))
    assert (step(), studies.progress("s", "ada").done) == (ParticipantStep.OPEN, 1)
    log.append_blocking(open_task(log, studies, "ada"), Abandoned())
    assert (step(), studies.progress("s", "ada").done) == (ParticipantStep.QUESTIONNAIRE, 2)
    with pytest.raises(StudyError, match="choose yes or no"):
        studies.answer_questionnaire("s", "ada", {"q": "maybe"})
    studies.answer_questionnaire("s", "ada", {"q": True})
    assert step() is ParticipantStep.FINISHED
    studies.record_finish_if_finished("s", "ada")
    studies.record_finish_if_finished("s", "ada")
    assert [entry.type for entry in studies.entries("s", "ada")].count("finished") == 1


def test_nothing_of_a_person_is_recorded_before_they_agree_nor_after_they_take_it_back(
    log: StudyLog, studies: Studies
) -> None:
    def create(participant: str, condition: str) -> str:
        return Attempts(log).create("p/a", "d", Path("/w"), {}, solver=participant, condition=condition, study="s").id

    with pytest.raises(ConsentMissingError):
        create("ada", "alone")
    assert log.headers() == []
    studies.enroll("s", "ada")
    with pytest.raises(ConsentMissingError):
        create("ada", "alone")
    studies.give_consent("s", "ada", "1")
    attempt = create("ada", "alone")
    studies.take_consent_back("s", "ada")
    with pytest.raises(ConsentMissingError):
        log.append_blocking(attempt, Tick())
    assert studies.progress("s", "ada").step is ParticipantStep.WITHDRAWN
    with pytest.raises(StudyError, match="withdrew your consent"):
        studies.give_consent("s", "ada", "1")
    # Models are not asked.
    create("openai/x", "gpt")
    with pytest.raises(StudyError, match="has begun with other content"):
        begin_study(log, TEXT.replace("title: S", "title: T"))
    begin_study(log)


def test_who_is_no_participant_is_told_who_is(studies: Studies) -> None:
    with pytest.raises(StudyError, match=r"not a participant of s\. Its participants are ada, bob"):
        studies.enroll("s", "eve")
    with pytest.raises(StudyError, match="There are: s"):
        studies.study("t")


def test_deleting_one_participant_leaves_everybody_elses_chains_whole(
    log: StudyLog, studies: Studies, path: Path
) -> None:
    deleted_attempts, kept_attempts = work_through_tasks(log, studies, "ada"), work_through_tasks(log, studies, "bob")
    assert sorted(log.delete_participant("s", "ada", "asked")) == sorted(deleted_attempts)
    for attempt in kept_attempts:
        assert verify_attempt(*log.stored_attempt(attempt)).ok
    assert [header.solver for header in log.headers()] == ["bob", "bob"]
    assert studies.progress("s", "bob").step is ParticipantStep.FINISHED
    assert log.journal.participants("s") == ["bob"]
    stones = log.journal.tombstones("s")
    assert sorted((stone.kind, stone.events, stone.reason) for stone in stones) == [
        *[("attempt", 6, "asked")] * 2,
        ("participant", 9, "asked"),
    ]
    with pytest.raises(StudyError, match="There is nothing of ada"):
        log.delete_participant("s", "ada", "asked")
    with pytest.raises(StudyError, match="were deleted"):
        studies.enroll("s", "ada")
    log.close()
    assert not any(b"by ada" in file.read_bytes() for file in path.parent.iterdir())
    assert any(b"by bob" in file.read_bytes() for file in path.parent.iterdir())


def test_what_has_no_tombstone_cannot_be_deleted(log: StudyLog, studies: Studies, path: Path) -> None:
    work_through_tasks(log, studies, "ada")
    for table in ("events", "attempts", "journal", "tombstones"):
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET study = 'x'"):
            with closing(sqlite3.connect(path)) as connection:
                empty = connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
                if empty or (table == "events" and "UPDATE" in statement):
                    continue
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    connection.execute(statement)


def test_closing_freezes_everything_under_a_digest(log: StudyLog, studies: Studies, path: Path) -> None:
    attempts = work_through_tasks(log, studies, "ada")
    closed = close_study(log, "s")
    assert check_seal(log, "s").ok
    for refused_change in (
        lambda: log.append_blocking(attempts[0], SelfEstimate(difficulty=5)),
        lambda: Attempts(log).create("p/a", "d", Path("/w"), {}, solver="ada", condition="alone", study="s"),
        lambda: studies.enroll("s", "bob"),
        lambda: close_study(log, "s"),
    ):
        with pytest.raises(StudyClosedError, match="closed"):
            refused_change()
    assert studies.progress("s", "ada").step is ParticipantStep.CLOSED
    # A right that no closing ends.
    studies.take_consent_back("s", "ada")
    assert check_seal(log, "s").ok
    log.delete_participant("s", "ada", "asked")
    check = check_seal(log, "s")
    assert (check.ok, check.attempts, check.deleted, check.digest) == (True, 2, 2, closed.digest)


def test_what_was_changed_after_the_closing_is_found(log: StudyLog, studies: Studies, path: Path) -> None:
    attempts = work_through_tasks(log, studies, "ada")
    close_study(log, "s")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE attempt = ? AND seq = 6", [attempts[1]])
    (flaw,) = check_seal(log, "s").flaws
    assert flaw == f"Attempt {attempts[1]} of ada is not as it was sealed."
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM events WHERE attempt = ?", [attempts[0]])
        connection.execute("DROP TRIGGER attempts_no_delete")
        connection.execute("DELETE FROM attempts WHERE id = ?", [attempts[0]])
    assert any("no tombstone" in flaw for flaw in check_seal(log, "s").flaws)


def test_attempts_that_go_on_keep_a_study_open_unless_they_are_ended(log: StudyLog, studies: Studies) -> None:
    studies.enroll("s", "ada")
    studies.give_consent("s", "ada", "1")
    for problem in ("p/a", "p/b"):
        studies.record_next_forecast("s", "ada", problem, SAID)
    attempt = open_task(log, studies, "ada")
    log.append_blocking(attempt, Started())
    with pytest.raises(StudyError, match=r"1 attempts of s are still going on: ada"):
        close_study(log, "s")
    close_study(log, "s", end_open_attempts=True)
    assert Attempts(log).summary(attempt).state == "timed_out"
    assert check_seal(log, "s").ok


def test_a_study_without_attempts_is_closed_only_if_that_is_said(log: StudyLog, studies: Studies) -> None:
    studies.enroll("s", "ada")
    with pytest.raises(StudyError, match=r"no attempt of s here. Bring the records together first"):
        close_study(log, "s")
    close_study(log, "s", end_open_attempts=True)
    assert check_seal(log, "s").ok


def test_a_journal_that_somebody_changed_is_refused_by_name(log: StudyLog, studies: Studies, path: Path) -> None:
    work_through_tasks(log, studies, "ada")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER journal_no_update")
        connection.execute(
            "UPDATE journal SET body = replace(body, '\"given\":true', '\"given\":false') WHERE participant = 'ada'"
        )
    with pytest.raises(LogDamagedError, match="entry 2 of ada in the journal of the study s"):
        studies.progress("s", "ada")


def test_what_participants_machines_recorded_is_collected_once_and_checked(
    log: StudyLog, studies: Studies, tmp_path: Path
) -> None:
    archives = []
    for participant in ("ada", "bob"):
        with StudyLog(tmp_path / participant / "log.sqlite") as far_log:
            work_through_tasks(far_log, begin_study(far_log), participant)
            archives.append(tmp_path / f"of-{participant}")
            assert write_archive_and_count_attempts(far_log, "s", archives[-1]) == 2
    for _ in range(2):
        collections = [import_archive(log, archive) for archive in archives]
    assert [(collected.participants, collected.attempts) for collected in collections] == [(1, 0), (1, 0)]
    assert sorted(header.solver for header in log.headers()) == ["ada", "ada", "bob", "bob"]
    for header in log.headers():
        assert verify_attempt(*log.stored_attempt(header.id)).ok
        assert Attempts(log).summary(header.id).state == "submitted"
    assert [studies.progress("s", name).step for name in ("ada", "bob")] == [ParticipantStep.FINISHED] * 2
    second_archive = tmp_path / "again"
    write_archive_and_count_attempts(log, "s", second_archive, ["ada"])
    for file in (archives[0] / "ada").iterdir():
        assert (second_archive / "ada" / file.name).read_bytes() == file.read_bytes()
    assert not (second_archive / "bob").exists()


def test_a_damaged_archive_is_named_and_nothing_of_the_file_taken(
    log: StudyLog, studies: Studies, tmp_path: Path
) -> None:
    with StudyLog(tmp_path / "ada" / "log.sqlite") as far_log:
        work_through_tasks(far_log, begin_study(far_log), "ada")
        write_archive_and_count_attempts(far_log, "s", tmp_path / "archive")
    journal = tmp_path / "archive" / "ada" / "journal.jsonl"
    journal_text = journal.read_text()
    journal.write_text(journal_text.replace('"given":true', '"given":false'))
    with pytest.raises(ExportError, match=r"journal\.jsonl, line 2"):
        import_archive(log, tmp_path / "archive")
    assert log.journal.participants("s") == [] and log.headers() == []
    journal.write_text(journal_text)
    (tmp_path / "archive" / "study.yaml").unlink()
    study = tmp_path / "archive" / "study.jsonl"
    journal_entries = [json.loads(line) for line in study.read_text().splitlines()]
    journal_entries[0]["entry"]["study_sha256"] = "0" * 64
    study.write_text("".join(json.dumps(line) + "\n" for line in journal_entries))
    with pytest.raises(StudyError, match="another study file"):
        import_archive(log, tmp_path / "archive")


def test_the_attempts_of_those_who_took_their_consent_back_are_not_collected(
    log: StudyLog, studies: Studies, tmp_path: Path
) -> None:
    with StudyLog(tmp_path / "ada" / "log.sqlite") as far_log:
        far_studies = begin_study(far_log)
        work_through_tasks(far_log, far_studies, "ada")
        far_studies.take_consent_back("s", "ada")
        write_archive_and_count_attempts(far_log, "s", tmp_path / "archive")
    collected = import_archive(log, tmp_path / "archive")
    assert (collected.attempts, collected.withheld) == (0, 2)
    assert log.headers() == []
