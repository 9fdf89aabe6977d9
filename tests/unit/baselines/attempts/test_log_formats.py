"""Records of both schemas are read, verified and exported; logs of older formats brought up, unknown ones refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from benchwright_attempts import migrations
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import IllegalTransitionError, LogVersionError
from benchwright_attempts.events.events import Judged, JudgedBy, Tick
from benchwright_attempts.log.database import SCHEMA_VERSION, open_database
from benchwright_attempts.log.export import export_lines, read_export, write_export
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import canonical_json
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_problems.verdict import Outcome

from ....support.studies.forged_row import forge_row

SCHEMA1 = Path(__file__).parent / "schema1"
ATTEMPT = "0123456789abcdef0123456789abcdef"
_NEXT_STEP = """
import sqlalchemy as sa
from alembic import op

revision = "format4"
down_revision = "format3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tombstones", sa.Column("room", sa.Text(), nullable=False, server_default=""))
    op.execute({last!r})
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A log with records of the first schema."""
    path = tmp_path / "old" / "log.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SCHEMA1 / "log.sql").read_text())
    return path


def test_records_of_the_first_schema_are_read_and_nothing_of_them_changes(old: Path, tmp_path: Path) -> None:
    with EventLog(old) as log:
        header, rows = log.stored_attempt(ATTEMPT)
        result = verify_attempt(header, rows)
        assert result.ok, result.first_fault
        assert result.record_counts_by_schema == {1: 15}
        assert (result.chain.events, result.replay.saves) == (15, 1)
        assert Attempts(log).summary(ATTEMPT).state is AttemptState.SUBMITTED
        assert all(recorded.participant == "human" for recorded in log.events(ATTEMPT))
        export = tmp_path / "again.jsonl"
        write_export(export, header, rows)
    assert export.read_bytes() == (SCHEMA1 / "attempt.jsonl").read_bytes()
    with EventLog(old) as log:
        assert log.stored_attempt(ATTEMPT) == (header, rows)


def test_an_export_of_the_first_schema_still_verifies() -> None:
    result = verify_attempt(*read_export(SCHEMA1 / "attempt.jsonl"))
    assert result.ok, result.first_fault
    assert result.record_counts_by_schema == {1: 15}


def test_records_of_two_schemas_stand_in_one_chain(old: Path, tmp_path: Path) -> None:
    with EventLog(old) as log:
        judged_event = Judged(
            number=1,
            sha256="0" * 64,
            outcome=Outcome.PASSED,
            reason="passed",
            judged_by=JudgedBy(method="person", status="scored"),
        )
        log.append_blocking(ATTEMPT, judged_event)
        with pytest.raises(IllegalTransitionError):
            log.append_blocking(ATTEMPT, Tick())
        result = verify_attempt(*log.stored_attempt(ATTEMPT))
        assert result.ok, result.first_fault
        assert result.record_counts_by_schema == {1: 15, 2: 1}
        export = tmp_path / "mixed.jsonl"
        write_export(export, *log.stored_attempt(ATTEMPT))
    result = verify_attempt(*read_export(export))
    assert (result.ok, result.record_counts_by_schema) == (True, {1: 15, 2: 1})
    header, rows = read_export(export)
    newest = json.loads(rows[-1].as_json_line())
    assert (newest["schema"], newest["participant"], newest["condition"]) == (2, "human", "human")
    rows[1] = replace(rows[1], body=canonical_json({"type": "resumed"}))
    broken_check = verify_attempt(header, rows)
    assert (broken_check.ok, broken_check.chain.bad_seq) == (False, 2)
    assert broken_check.first_fault == "Event 2 is faulty: its content does not fit its hash."


def test_an_older_record_behind_a_newer_one_is_refused(log: EventLog, attempt: str) -> None:
    log.append_blocking(attempt, Tick())
    header, rows = log.stored_attempt(attempt)
    rows[1] = forge_row(rows[1], schema=1)
    verification = verify_attempt(header, rows)
    assert verification.first_fault == ("Event 2 is faulty: its schema 1 is older than 2, that of the event before it.")


def test_a_record_of_a_newer_schema_is_named(log: EventLog, attempt: str) -> None:
    log.append_blocking(attempt, Tick())
    header, rows = log.stored_attempt(attempt)
    rows[1] = forge_row(rows[1], schema=7)
    problem = verify_attempt(header, rows).first_fault
    assert problem is not None and "its schema 7 is newer than this Benchwright" in problem


def test_a_record_that_names_another_participant_is_found(log: EventLog, attempt: str, tmp_path: Path) -> None:
    header, rows = log.stored_attempt(attempt)
    rows[0] = forge_row(rows[0], participant="somebody else")
    path = tmp_path / "forged.jsonl"
    path.write_text("".join(f"{line}\n" for line in export_lines(header, rows)))
    problem = verify_attempt(*read_export(path)).first_fault
    assert problem is not None and "another participant" in problem


def test_a_new_log_is_what_its_migration_makes(tmp_path: Path) -> None:
    open_database(tmp_path / "new.sqlite", busy_timeout_s=1).dispose()
    engine = create_engine(f"sqlite:///{tmp_path / 'migrated.sqlite'}")
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__path__[0])))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    engine.dispose()
    described = []
    for name in ("new", "migrated"):
        with closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as connection:
            tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            look = {
                (table, pragma): sorted(connection.execute(f"PRAGMA {pragma}({table})"))
                for table in tables
                for pragma in ("table_info", "foreign_key_list")
            }
            schema_rows = connection.execute(
                "SELECT type, name, sql FROM sqlite_master WHERE type != 'table' AND sql IS NOT NULL"
            )
            marks = connection.execute("SELECT version_num FROM alembic_version").fetchall()
            described.append((sorted(tables), look, sorted(schema_rows), marks))
    new_database, migrated = described
    # Alembic declares the column of its own table otherwise.
    for described_ in described:
        described_[1].pop(("alembic_version", "table_info"))
    assert new_database == migrated
    assert new_database[3] == [(f"format{SCHEMA_VERSION}",)]


def next_format(folder: Path, monkeypatch: pytest.MonkeyPatch, last_statement: str) -> None:
    """The program as it is once there is another format, whose step ends with this statement."""
    migration_folder = folder / "migrations"
    shutil.copytree(Path(migrations.__path__[0]), migration_folder)
    (migration_folder / "versions" / "format4.py").write_text(_NEXT_STEP.format(last=last_statement))
    monkeypatch.setattr("benchwright_attempts.log.database._MIGRATIONS", migration_folder)
    monkeypatch.setattr("benchwright_attempts.log.database.SCHEMA_VERSION", 4)


def test_an_older_log_is_brought_up_and_nothing_that_was_written_changes(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EventLog(old) as log:
        stored_attempt = log.stored_attempt(ATTEMPT)
    next_format(tmp_path, monkeypatch, "SELECT 1")
    with EventLog(old) as log:
        assert log.stored_attempt(ATTEMPT) == stored_attempt
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT room FROM tombstones").fetchall() == []
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("format4",)]
        assert connection.execute("PRAGMA user_version").fetchall() == [(4,)]


def test_without_the_means_to_bring_it_up_an_old_log_is_left_as_it_is(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_dump = _dump(old)
    next_format(tmp_path, monkeypatch, "SELECT 1")
    monkeypatch.setitem(sys.modules, "alembic", None)
    with pytest.raises(LogVersionError, match=r"log\.sqlite: has format 3.*benchwright\[baselines\]"):
        EventLog(old)
    assert _dump(old) == old_dump


def test_a_migration_that_breaks_off_leaves_the_old_log(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_dump = _dump(old)
    with monkeypatch.context() as broken:
        next_format(tmp_path, broken, "nonsense")
        with pytest.raises(Exception, match="nonsense"):
            EventLog(old)
    assert _dump(old) == old_dump
    with EventLog(old) as log:
        assert verify_attempt(*log.stored_attempt(ATTEMPT)).ok


@pytest.mark.parametrize("version", [1, 2, 99])
def test_a_log_of_a_format_that_is_not_known_is_refused_by_name_and_left_alone(old: Path, version: int) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    old_dump = _dump(old)
    with pytest.raises(LogVersionError, match=rf"log\.sqlite: .*format {version}.*3.* Install the"):
        EventLog(old)
    assert _dump(old) == old_dump


def _dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump())
