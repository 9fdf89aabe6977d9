"""The event log on SQLite and on PostgreSQL: the same calls, the same outcome."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DatabaseError

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import LogUnavailableError, StudyError, UnknownAttemptError
from benchwright_attempts.events.events import Edit, Paused, Started, Submitted
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.archive import deliver_records
from benchwright_studies.conduct.closing import check_seal, close_study
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.study_file import parse_study

from ..support.service.postgres import new_database

FILE = "rtl/a.sv"


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    if request.param == "sqlite":
        return tmp_path / "log" / "attempts.sqlite"
    return new_database(request.getfixturevalue("postgres"))


def begin(log: StudyLog) -> str:
    return Attempts(log).create("p/q", "d", Path("/w"), {FILE: FileText.of_text("")}).id


def test_an_attempt_is_recorded_replayed_and_verified(where: str | Path) -> None:
    with StudyLog(where) as log:
        attempt = begin(log)
        log.append_blocking(attempt, Started())
        futures = [
            log.append_nowait(
                attempt, Edit(path=FILE, version=number, changes=(Change(start=0, end=0, text="\0é\ud800"),))
            )
            for number in range(300)
        ]
        assert [future.result().seq for future in futures] == list(range(3, 303))
        log.append_blocking(attempt, Paused(reason="\udfff"))
        log.append_blocking(attempt, Submitted())
        events = log.events(attempt)
    with StudyLog(where) as log:
        assert log.events(attempt) == events
        result = verify_attempt(*log.stored_attempt(attempt))
        assert result.ok, result.first_fault
        assert Attempts(log).summary(attempt).clock.state == "submitted"
        for unknown_id in ("nobody", "\0", "\ud800"):
            with pytest.raises(UnknownAttemptError):
                log.header(unknown_id)


def test_writers_with_a_log_each_keep_one_chain(where: str | Path) -> None:
    with StudyLog(where) as log:
        attempts = [begin(log), begin(log)]
    failures: list[BaseException] = []

    def write(name: str, order: list[str]) -> None:
        with StudyLog(where) as own_log:
            futures = [
                own_log.append_nowait(order[number % 2], Edit(path=name, version=number, changes=(Change(text="x"),)))
                for number in range(600)
            ]
            failures.extend(error for future in futures if (error := future.exception()) is not None)

    names = ("one", "two", "three")
    orders = (attempts, attempts[::-1], attempts)
    writers = [threading.Thread(target=write, args=pair) for pair in zip(names, orders, strict=True)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(600)
    assert failures == []
    with StudyLog(where) as log:
        for attempt in attempts:
            assert verify_attempt(*log.stored_attempt(attempt)).chain.ok
            assert len(log.events(attempt)) == 1 + 3 * 300


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = '{}'",
        "DELETE FROM events",
        "UPDATE attempts SET solver = 'x'",
        "DELETE FROM attempts",
        "INSERT INTO events SELECT attempt, 9, wall, 0, process, body, prev_hash, hash, state, schema FROM events",
    ],
)
def test_the_database_itself_refuses_to_change_what_was_written(where: str | Path, statement: str) -> None:
    with StudyLog(where) as log:
        attempt = begin(log)
        url = f"sqlite:///{where}" if isinstance(where, Path) else where.replace("postgresql:", "postgresql+psycopg:")
        engine = create_engine(url)
        with pytest.raises(DatabaseError, match="append-only"), engine.begin() as connection:
            connection.execute(text(statement))
        engine.dispose()
        assert verify_attempt(*log.stored_attempt(attempt)).ok


STUDY = """
study: s
title: S
problems: [p/a]
conditions: [{name: alone, solver: human}]
participants: [ada, bob]
randomisation: {seed: 1}
forecasts: []
self_estimates: []
consent: {version: "1", text: "You agree to what is written here."}
data: {to: "WHERE"}
"""


def test_a_studys_records_go_where_it_says_and_can_be_closed_and_deleted_there(postgres: Path, tmp_path: Path) -> None:
    database_url = new_database(postgres)
    file = parse_study(STUDY.replace("WHERE", database_url), Path("s.yaml"))
    for participant in ("ada", "bob"):
        with StudyLog(tmp_path / participant / "log.sqlite") as log:
            studies = Studies(log, Attempts(log))
            studies.register(file, {})
            studies.enroll("s", participant)
            studies.give_consent("s", participant, "1")
            assigned, agreed, problem = studies.next_task("s", participant)
            attempt = (
                Attempts(log)
                .create(
                    problem,
                    "d",
                    Path("/w"),
                    {FILE: FileText.of_text("")},
                    solver=participant,
                    condition="alone",
                    study="s",
                )
                .id
            )
            studies.record_task_begun(assigned, problem, attempt)
            for event in (assigned, agreed, Started(), Submitted()):
                log.append_blocking(attempt, event)
            assert studies.record_finish_if_finished("s", participant)
            deliver_records(log, "s", participant)
    with StudyLog(database_url) as log:
        assert sorted(header.solver for header in log.headers()) == ["ada", "bob"]
        closed = close_study(log, "s")
        assert log.delete_participant("s", "ada", "asked")
        check = check_seal(log, "s")
        assert (check.ok, check.deleted, check.digest) == (True, 1, closed.digest)
        (remaining_header,) = log.headers()
        assert verify_attempt(*log.stored_attempt(remaining_header.id)).ok


def test_a_place_that_cannot_be_reached_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with StudyLog(tmp_path / "log.sqlite") as log:
        studies = Studies(log, Attempts(log))
        studies.register(parse_study(STUDY.replace("WHERE", f"{tmp_path}/file/x"), Path("s.yaml")), {})
        studies.enroll("s", "ada")
        with pytest.raises(StudyError, match=r"They are kept on this machine, and Benchwright will try again.*/file/x"):
            deliver_records(log, "s", "ada")
        assert log.journal.participants("s") == ["ada"]


def test_a_database_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(LogUnavailableError, match=r"\*\*\*.*can't be reached") as error:
        StudyLog("postgresql://ada:secret@127.0.0.1:9/none", busy_timeout_s=2)
    assert "secret" not in str(error.value)
    with pytest.raises(LogUnavailableError, match="postgresql://"):
        StudyLog("mysql://ada:secret@h/x")
