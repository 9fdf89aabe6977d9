"""Logs of every format Benchwright ever wrote: read, verified, brought up, exported; newer ones refused by name."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import inspect

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import IllegalTransitionError, LogVersionError
from benchwright_attempts.events.events import Judged, JudgedBy, Tick
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.log.database import open_database
from benchwright_attempts.log.export import export_lines, read_export, verify_export, write_export
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import canonical
from benchwright_attempts.summary.replay import verify
from benchwright_attempts.summary.summary import summarize
from benchwright_problems.verdict import Outcome

FORMAT1 = Path(__file__).parent / "format1"
ATTEMPT = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database of the first format, as Benchwright wrote it before studies."""
    path = tmp_path / "old" / "log.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FORMAT1 / "log.sql").read_text())
    return path


def test_a_log_of_the_first_format_is_brought_up_and_nothing_of_it_changes(old: Path, tmp_path: Path) -> None:
    with EventLog(old) as log:
        header, rows = log.stored(ATTEMPT)
        result = verify(header, rows)
        assert result.ok, result.problem
        assert result.schemas == {1: 15}
        assert (result.chain.events, result.replay.saves) == (15, 1)
        assert Attempts(log).summary(ATTEMPT).state is AttemptState.SUBMITTED
        assert all(recorded.participant == "human" for recorded in log.events(ATTEMPT))
        export = tmp_path / "again.jsonl"
        write_export(export, header, rows)
    assert export.read_bytes() == (FORMAT1 / "attempt.jsonl").read_bytes()
    with EventLog(old) as log:
        assert log.stored(ATTEMPT) == (header, rows)


def test_an_export_of_the_first_format_still_verifies() -> None:
    result = verify_export(FORMAT1 / "attempt.jsonl")
    assert result.ok, result.problem
    assert result.schemas == {1: 15}


def test_records_of_two_schemas_stand_in_one_chain(old: Path, tmp_path: Path) -> None:
    with EventLog(old) as log:
        judged = Judged(
            number=1,
            sha256="0" * 64,
            outcome=Outcome.PASSED,
            reason="passed",
            judged_by=JudgedBy(method="person", status="scored"),
        )
        log.append_blocking(ATTEMPT, judged)
        with pytest.raises(IllegalTransitionError):
            log.append_blocking(ATTEMPT, Tick())
        result = verify(*log.stored(ATTEMPT))
        assert result.ok, result.problem
        assert result.schemas == {1: 15, 2: 1}
        export = tmp_path / "mixed.jsonl"
        write_export(export, *log.stored(ATTEMPT))
    result = verify_export(export)
    assert (result.ok, result.schemas) == (True, {1: 15, 2: 1})
    header, rows = read_export(export)
    newest = json.loads(rows[-1].as_json_line())
    assert (newest["schema"], newest["participant"], newest["condition"]) == (2, "human", "human")
    rows[1] = replace(rows[1], body=canonical({"type": "resumed"}))
    broken = verify(header, rows)
    assert (broken.ok, broken.chain.bad_seq) == (False, 2)
    assert broken.problem == "Event 2 is faulty: its content does not fit its hash."


def test_an_older_record_behind_a_newer_one_is_refused(log: EventLog, attempt: str) -> None:
    log.append_blocking(attempt, Tick())
    header, rows = log.stored(attempt)
    rows[1] = replace(rows[1], schema=1)
    rows[1] = replace(rows[1], hash=rows[1].computed_hash())
    check = verify(header, rows)
    assert check.problem == ("Event 2 is faulty: its schema 1 is older than 2, that of the event before it.")


def test_a_record_of_a_newer_schema_is_named(log: EventLog, attempt: str) -> None:
    log.append_blocking(attempt, Tick())
    header, rows = log.stored(attempt)
    rows[1] = replace(rows[1], schema=7)
    rows[1] = replace(rows[1], hash=rows[1].computed_hash())
    problem = verify(header, rows).problem
    assert problem is not None and "its schema 7 is newer than this Benchwright" in problem


def test_a_record_that_names_another_participant_is_found(log: EventLog, attempt: str, tmp_path: Path) -> None:
    header, rows = log.stored(attempt)
    rows[0] = replace(rows[0], participant="somebody else")
    rows[0] = replace(rows[0], hash=rows[0].computed_hash())
    path = tmp_path / "forged.jsonl"
    path.write_text("".join(f"{line}\n" for line in export_lines(header, rows)))
    problem = verify_export(path).problem
    assert problem is not None and "another participant" in problem


def test_a_new_database_and_one_brought_up_have_the_same_tables_and_triggers(old: Path, tmp_path: Path) -> None:
    described = []
    for path in (old, tmp_path / "new.sqlite"):
        engine = open_database(path, busy_timeout_s=1)
        look = inspect(engine)
        tables = {
            table: sorted(
                (
                    column["name"],
                    str(column["type"]).replace("BIGINT", "INTEGER"),
                    column["nullable"],
                    column["default"],
                )
                for column in look.get_columns(table)
            )
            for table in look.get_table_names()
        }
        indexes = {
            table: sorted((index["name"], *index["column_names"]) for index in look.get_indexes(table))
            for table in tables
        }
        with engine.connect() as connection:
            made = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = {row.name: row.sql for row in made}
            marks = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
            version = connection.exec_driver_sql("PRAGMA user_version").scalar()
        engine.dispose()
        described.append((tables, indexes, triggers, marks, version))
    assert described[0] == described[1]
    assert described[0][3:] == (["format3"], 3)


def test_without_the_means_to_bring_it_up_an_old_log_is_left_as_it_is(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _dump(old)
    monkeypatch.setitem(sys.modules, "alembic", None)
    with pytest.raises(LogVersionError, match=r"log\.sqlite: has format 1.*benchwright\[baselines\]"):
        EventLog(old)
    assert _dump(old) == before


def test_a_migration_that_breaks_off_leaves_the_old_log(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sha256(_dump(old).encode())
    with monkeypatch.context() as broken:
        broken.setattr("benchwright_attempts.events.triggers.postgresql_statements", lambda: [])
        broken.setattr("benchwright_attempts.events.triggers._SAYS", "' nonsense")
        with pytest.raises(Exception, match="nonsense"):
            EventLog(old)
    assert sha256(_dump(old).encode()) == before
    with EventLog(old) as log:
        assert verify(*log.stored(ATTEMPT)).ok


def _dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump())


def test_bringing_a_log_up_works_out_what_came_of_its_attempts(old: Path) -> None:
    with EventLog(old) as log:
        summary = log.summary(ATTEMPT)
        events = log.events(ATTEMPT)
    with closing(sqlite3.connect(old)) as connection:
        (kept,) = connection.execute("SELECT seq FROM summaries").fetchall()
        # Whoever reads the summary now can't be reading events.
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET body = '' WHERE seq < 15")
        connection.commit()
    assert kept == (15,)
    assert summary == summarize(events)
    assert summary.first_pass is not None
    with EventLog(old) as log:
        assert log.summary(ATTEMPT) == summary
