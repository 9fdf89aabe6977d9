from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchwright_attempts.errors import (
    IllegalTransitionError,
    LogBusyError,
    LogClosedError,
    LogDamagedError,
    LogUnavailableError,
    LogVersionError,
    UnknownAttemptError,
)
from benchwright_attempts.events.events import Abandoned, Edit, Event, Focus, Paused, Resumed, Started, Submitted, Tick
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.chain import check_chain
from benchwright_attempts.log.export import write_export
from benchwright_attempts.log.log import EventLog
from benchwright_studies import open_log

if TYPE_CHECKING:
    from tests.unit.baselines.conftest import SetTime


def typed_edit(text: str, version: int = 1) -> Edit:
    return Edit(path="rtl/counter.sv", version=version, changes=(Change(start=0, end=0, text=text),))


async def test_an_acknowledged_event_is_readable_by_another_connection(log: EventLog, attempt: str) -> None:
    recorded = await log.append(attempt, typed_edit("x"))
    with EventLog(log.path) as second_log:
        assert second_log.events(attempt)[-1] == recorded


async def test_numbers_start_at_one_and_each_event_names_the_hash_before(log: EventLog, attempt: str) -> None:
    for event in (Started(), typed_edit("a"), Submitted()):
        await log.append(attempt, event)
    events = log.events(attempt)
    assert [recorded.seq for recorded in events] == [1, 2, 3, 4]
    assert [recorded.prev_hash for recorded in events[1:]] == [recorded.hash for recorded in events[:-1]]
    assert events[0].prev_hash == log.header(attempt).chain_start_hash()
    assert check_chain(*log.stored_attempt(attempt)).ok


def test_an_event_carries_the_time_it_was_handed_over(log: EventLog, attempt: str, time: SetTime) -> None:
    time.pass_s(1.5)
    recorded = log.append_blocking(attempt, Started())
    assert recorded.moment == log.moment()
    assert log.events(attempt)[-1].moment == recorded.moment


def test_events_handed_over_without_waiting_keep_their_order(log: EventLog, attempt: str) -> None:
    futures = [log.append_nowait(attempt, typed_edit(str(number), number)) for number in range(2000)]
    assert [future.result().seq for future in futures] == list(range(2, 2002))
    versions = [recorded.event.version for recorded in log.events(attempt) if isinstance(recorded.event, Edit)]
    assert versions == list(range(2000))


def test_closing_writes_what_is_waiting_and_refuses_more(path: Path, log: EventLog, attempt: str) -> None:
    futures = [log.append_nowait(attempt, Tick()) for _ in range(300)]
    log.close()
    log.close()
    assert all(future.done() for future in futures)
    with pytest.raises(LogClosedError):
        log.append_blocking(attempt, Tick())
    with EventLog(path) as reopened:
        assert len(reopened.events(attempt)) == 301


def test_ending_the_program_without_closing_writes_what_is_waiting(log: EventLog, attempt: str) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from benchwright_studies import open_log\n"
        "from benchwright_attempts.events.events import Tick\n"
        "log = open_log(Path(sys.argv[1]))\n"
        "for _ in range(1000): log.append_nowait(sys.argv[2], Tick())\n"
    )
    subprocess.run([sys.executable, "-c", program, log.path, attempt], check=True, timeout=300)
    assert len(log.events(attempt)) == 1001


async def test_cancelling_the_wait_does_not_take_the_event_back(log: EventLog, attempt: str) -> None:
    append_task = asyncio.create_task(log.append(attempt, Started()))
    await asyncio.sleep(0)
    append_task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await append_task
    await asyncio.wait_for(log.append(attempt, Tick()), 60)
    assert [recorded.event.type for recorded in log.events(attempt)] == ["opened", "started", "tick"]


def test_lone_surrogates_are_kept(log: EventLog, attempt: str) -> None:
    log.append_blocking(attempt, Started())
    log.append_blocking(attempt, Paused(reason="\ud800 why \udfff"))
    log.append_blocking(attempt, typed_edit("\udc00"))
    *_, paused, edit = (recorded.event for recorded in log.events(attempt))
    assert isinstance(paused, Paused) and paused.reason == "\ud800 why \udfff"
    assert isinstance(edit, Edit) and edit.changes[0].text == "\udc00"
    assert check_chain(*log.stored_attempt(attempt)).ok


@pytest.mark.parametrize(
    ("first_events", "refused_event", "advice"),
    [
        ([], Paused(), "Press Start"),
        ([], Submitted(), "Press Start"),
        ([Started()], Started(), "already running"),
        ([Started()], Resumed(), "already running"),
        ([Started(), Paused()], Paused(), "Resume"),
        ([Started(), Paused()], Started(), "Resume"),
        ([Started(), Submitted()], typed_edit("x"), "submitted"),
        ([Started(), Submitted()], Submitted(), "submitted"),
        ([Abandoned()], Started(), "abandoned"),
    ],
)
def test_steps_that_make_no_sense_are_refused_with_advice(
    log: EventLog, attempt: str, first_events: list[Event], refused_event: Event, advice: str
) -> None:
    for event in first_events:
        log.append_blocking(attempt, event)
    with pytest.raises(IllegalTransitionError, match=advice):
        log.append_blocking(attempt, refused_event)
    assert len(log.events(attempt)) == 1 + len(first_events)


def test_a_refused_event_does_not_hold_back_those_around_it(log: EventLog, attempt: str) -> None:
    futures = [log.append_nowait(attempt, event) for event in (Started(), Started(), Tick())]
    lost = log.append_nowait("nobody", Tick())
    assert futures[0].result().seq == 2
    assert isinstance(futures[1].exception(), IllegalTransitionError)
    assert futures[2].result().seq == 3
    assert isinstance(lost.exception(), UnknownAttemptError)


@pytest.mark.parametrize("unknown_attempt", ["", "nobody", "\ud800", "%"])
def test_an_unknown_attempt_is_named(log: EventLog, attempt: str, unknown_attempt: str) -> None:
    for ask in (
        log.header,
        log.header_with_id_prefix,
        log.stored_attempt,
        lambda name: log.append_blocking(name, Tick()),
    ):
        with pytest.raises(UnknownAttemptError, match="attempts list"):
            ask(unknown_attempt)


def test_an_attempt_is_found_by_the_beginning_of_its_id(log: EventLog, attempt: str) -> None:
    assert log.header_with_id_prefix(attempt[:8]).id == attempt
    with pytest.raises(UnknownAttemptError):
        log.header(attempt[:8])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = '{}' WHERE seq = 1",
        "DELETE FROM events",
        "UPDATE attempts SET solver = 'x'",
        "DELETE FROM attempts",
        "REPLACE INTO events SELECT * FROM events",
        "REPLACE INTO attempts SELECT * FROM attempts",
        "INSERT INTO events SELECT attempt, 9, wall, 0, process, body, prev_hash, hash, state, schema FROM events",
    ],
)
def test_the_database_itself_refuses_to_change_what_was_written(log: EventLog, attempt: str, statement: str) -> None:
    with closing(sqlite3.connect(log.path)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    assert check_chain(*log.stored_attempt(attempt)).ok


def test_only_the_owner_can_read_the_log(path: Path, log: EventLog, attempt: str) -> None:
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    files = list(path.parent.iterdir())
    assert len(files) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_log_that_others_could_read_is_closed_to_them(path: Path, log: EventLog) -> None:
    log.close()
    path.chmod(0o644)
    open_log(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_log_of_a_newer_version_is_refused(path: Path, log: EventLog) -> None:
    log.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(
        LogVersionError, match=r"attempts\.sqlite: was written by a newer .*Install the newest Benchwright"
    ):
        EventLog(path)


def test_another_database_or_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    garbage = tmp_path / "garbage.sqlite"
    garbage.write_bytes(b"not a database at all" * 100)
    garbage_bytes = garbage.read_bytes()
    for file in (foreign, garbage):
        with pytest.raises(LogDamagedError, match=file.name):
            EventLog(file)
    assert garbage.read_bytes() == garbage_bytes


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogUnavailableError, match="permissions"):
        EventLog(tmp_path / "file" / "attempts.sqlite")


def test_a_locked_database_is_an_error_that_loses_nothing_else(path: Path, log: EventLog, attempt: str) -> None:
    with EventLog(path, busy_timeout_s=0.1) as hasty:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            futures = [hasty.append_nowait(attempt, Tick()) for _ in range(3)]
            for future in futures:
                with pytest.raises(LogBusyError, match="Close other"):
                    future.result()
            connection.execute("ROLLBACK")
        assert hasty.append_blocking(attempt, Started()).seq == 2


FULL_DISK = """
import resource, sys
from pathlib import Path
from benchwright_studies import open_log
from benchwright_attempts.errors import LogUnavailableError
from benchwright_attempts.events.events import Focus, TextSet, TextCause, Tick
from benchwright_attempts.events.file_text import FileText

log = open_log(Path(sys.argv[1]))
big = TextSet(path="x", cause=TextCause.OUTSIDE, file=FileText.of_text("x" * 300_000))
log.append_blocking(sys.argv[2], Tick())
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
futures = [log.append_nowait(sys.argv[2], event) for event in (Tick(), big, Tick())]
refused = sum(isinstance(future.exception(), LogUnavailableError) for future in futures)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
log.append_blocking(sys.argv[2], Focus(focused=True))
log.close()
print(refused)
"""


def test_a_full_disk_fails_whole_batches_and_the_log_goes_on_when_there_is_space(log: EventLog, attempt: str) -> None:
    log_process = subprocess.run(
        [sys.executable, "-c", FULL_DISK, log.path, attempt],
        check=True,
        timeout=300,
        stdout=subprocess.PIPE,
        text=True,
    )
    refused_count = int(log_process.stdout)
    assert refused_count >= 1
    events = log.events(attempt)
    assert len(events) == 2 + (3 - refused_count) + 1
    assert isinstance(events[-1].event, Focus)
    assert check_chain(*log.stored_attempt(attempt)).ok


WRITER = """
import sys
from pathlib import Path
from benchwright_studies import open_log
from benchwright_attempts.events.events import Edit
from benchwright_attempts.events.file_text import Change

log = open_log(Path(sys.argv[1]))
sys.stdin.readline()
futures = []
for number in range(400):
    edit = Edit(path=sys.argv[3], version=number, changes=(Change(text=str(number)),))
    futures.append(log.append_nowait(sys.argv[2], edit))
    if number % 7 == 0:
        futures[-1].result()
log.close()
assert all(future.exception() is None for future in futures)
"""


def test_processes_writing_to_one_attempt_lose_nothing_and_keep_one_chain(log: EventLog, attempt: str) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, log.path, attempt, name], stdin=subprocess.PIPE)
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=300)
        assert writer.returncode == 0
    assert check_chain(*log.stored_attempt(attempt)).ok
    edits = [recorded.event for recorded in log.events(attempt) if isinstance(recorded.event, Edit)]
    for name in ("one", "two"):
        assert [edit.version for edit in edits if edit.path == name] == list(range(400))
    assert len({recorded.moment.process for recorded in log.events(attempt)}) == 3


def test_processes_making_the_log_at_the_same_time_share_it(path: Path) -> None:
    opened_logs: list[EventLog] = []
    open_errors: list[Exception] = []

    def make() -> None:
        try:
            opened_logs.append(EventLog(path))
        except Exception as error:
            open_errors.append(error)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in opened_logs:
        log.close()
    assert open_errors == []
    assert len(opened_logs) == 8


def test_importing_the_package_does_not_load_the_database_library() -> None:
    program = (
        "import sys, benchwright_attempts, benchwright_attempts.attempts, benchwright_attempts.summary.replay\n"
        "sys.exit('sqlalchemy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


COLUMNS = ["attempt", "seq", "wall", "mono_ns", "process", "body", "prev_hash", "hash", "state"]


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("seq", [1, 3])
@pytest.mark.parametrize("byte", [b"0", b"\xff", b"\0"])
def test_any_changed_byte_of_an_event_is_found_and_its_number_named(
    log: EventLog, attempt: str, column: str, seq: int, byte: bytes
) -> None:
    for event in (Started(), typed_edit("\\xff0"), Tick(), Paused(reason="0")):
        log.append_blocking(attempt, event)
    tamper_with_column(log.path, column, seq, byte)
    check = check_chain(*log.stored_attempt(attempt))
    assert check.bad_seq == seq
    assert check.events == seq - 1


def tamper_with_column(path: Path | str, column: str, seq: int, byte: bytes) -> None:
    """Changes the middle byte of one stored value, as somebody with the file in hand can."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        condition = f"WHERE seq = {seq}"
        if column in ("seq", "mono_ns"):
            connection.execute(f"UPDATE events SET {column} = {column} + 77 {condition}")
            return
        (old,) = connection.execute(f"SELECT CAST({column} AS BLOB) FROM events {condition}").fetchone()
        middle = len(old) // 2
        byte = b"1" if old[middle : middle + 1] == byte else byte
        new = old[:middle] + byte + old[middle + 1 :]
        connection.execute(f"UPDATE events SET {column} = CAST(? AS TEXT) {condition}", [new])


def test_a_changed_header_is_found_at_the_first_event(log: EventLog, attempt: str) -> None:
    with closing(sqlite3.connect(log.path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER attempts_no_update")
        connection.execute("UPDATE attempts SET solver = 'somebody else'")
    check = check_chain(*log.stored_attempt(attempt))
    assert check.bad_seq == 1
    assert check.reason is not None and "header" in check.reason


def test_a_removed_event_is_found(log: EventLog, attempt: str) -> None:
    for _ in range(4):
        log.append_blocking(attempt, Tick())
    with closing(sqlite3.connect(log.path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE seq = 3")
    assert check_chain(*log.stored_attempt(attempt)).bad_seq == 3


def test_a_damaged_event_is_a_clear_error_and_other_attempts_go_on(log: EventLog, attempt: str) -> None:
    log.append_blocking(attempt, Started())
    tamper_with_column(log.path, "body", 2, b"\xff")
    with pytest.raises(LogDamagedError):
        log.events(attempt)
    tamper_state = "UPDATE events SET state = 'nonsense' WHERE seq = 2"
    with closing(sqlite3.connect(log.path, isolation_level=None)) as connection:
        connection.execute(tamper_state)
    with pytest.raises(LogDamagedError, match="backup"):
        log.attempt_states()
    with pytest.raises(Exception, match="new attempt"):
        log.append_blocking(attempt, Tick())


def test_the_documented_check_needs_no_code_of_ours(log: EventLog, attempt: str, tmp_path: Path) -> None:
    """Runs the program printed in the reference page."""
    page = Path(__file__).parents[4] / "docs/reference/event-log.md"
    program = page.read_text().split("```python\n")[1].split("```")[0]
    assert program.count("\n") <= 16
    log.append_blocking(attempt, Started())
    log.append_blocking(attempt, typed_edit("é😀\ud800"))
    export = tmp_path / "attempt.jsonl"
    write_export(export, *log.stored_attempt(attempt))
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-c", program, export], env=bare, capture_output=True, text=True, timeout=300
        )

    check_process = run()
    assert check_process.returncode == 0, check_process.stderr
    assert log.events(attempt)[-1].hash in check_process.stdout
    lines = export.read_text().splitlines()
    value = json.loads(lines[2])
    value["mono_ns"] += 1
    lines[2] = json.dumps(value)
    export.write_text("\n".join(lines) + "\n")
    check_process = run()
    assert check_process.returncode != 0
    assert "event 2" in check_process.stderr


async def test_whoever_waits_for_the_log_finds_everything_on_disk(log: EventLog, attempt: str) -> None:
    event_count = len(log.events(attempt))
    for number in range(500):
        log.append_nowait(attempt, typed_edit("x", number))
    await log.wait_until_settled()
    assert len(log.events(attempt)) == event_count + 500
