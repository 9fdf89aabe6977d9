from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from benchwright_attempts.attribution import CLASSIFIER
from benchwright_attempts.errors import ExportError
from benchwright_attempts.events.events import Edit, Paused, Save, Started
from benchwright_attempts.events.file_text import Change, sha256
from benchwright_attempts.log.export import export_lines, read_export, write_export
from benchwright_attempts.log.record import canonical_json
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.study_log import StudyLog

FILE = "rtl/counter.sv"


@pytest.fixture
def export(log: StudyLog, attempt: str, tmp_path: Path) -> Path:
    log.append_blocking(attempt, Started())
    log.append_blocking(attempt, Edit(path=FILE, changes=(Change(text="// é😀\r\n"),)))
    log.append_blocking(attempt, Save(path=FILE, sha256=sha256("// é😀\r\n".encode()), size=12))
    log.append_blocking(attempt, Paused(reason="\ud800"))
    path = tmp_path / "attempt.jsonl"
    write_export(path, *log.stored_attempt(attempt))
    return path


def test_an_export_verifies_and_reads_back_to_the_same_events(log: StudyLog, attempt: str, export: Path) -> None:
    result = verify_attempt(*read_export(export))
    assert result.ok, result.first_fault
    assert (result.chain.events, result.replay.saves) == (5, 1)
    assert result.chain.head == log.events(attempt)[-1].hash
    header, rows = read_export(export)
    assert header == log.header(attempt)
    assert [row.parse() for row in rows] == log.events(attempt)


def test_exporting_twice_also_from_the_export_gives_the_same_bytes(
    log: StudyLog, attempt: str, export: Path, tmp_path: Path
) -> None:
    second_export = tmp_path / "again.jsonl"
    write_export(second_export, *log.stored_attempt(attempt))
    assert second_export.read_bytes() == export.read_bytes()
    write_export(second_export, *read_export(export))
    assert second_export.read_bytes() == export.read_bytes()
    assert export.read_bytes().isascii()


def test_only_the_owner_can_read_an_export(export: Path) -> None:
    assert stat.S_IMODE(export.stat().st_mode) == 0o600


def test_any_byte_changed_in_an_export_is_found_in_its_line(export: Path) -> None:
    """Changes one byte here and there, all over the file."""
    data = export.read_bytes()
    for offset in range(0, len(data), 7):
        byte = b"0" if data[offset : offset + 1] != b"0" else b"1"
        export.write_bytes(data[:offset] + byte + data[offset + 1 :])
        line = data[:offset].count(b"\n") + 1
        try:
            result = verify_attempt(*read_export(export))
        except ExportError as error:
            assert error.line == line
        else:
            # A changed header shows at the first event.
            assert result.chain.bad_seq == max(1, line - 1)


def test_an_export_names_the_classifier_and_one_of_before_still_verifies(export: Path) -> None:
    header, *event_lines = export.read_bytes().splitlines(keepends=True)
    newest = json.loads(header)
    assert (newest["version"], newest.pop("classifier")) == (3, CLASSIFIER)
    export.write_bytes(canonical_json(newest | {"version": 2}).encode() + b"\n" + b"".join(event_lines))
    assert verify_attempt(*read_export(export)).ok


def test_a_missing_line_is_found(export: Path) -> None:
    lines = export.read_bytes().splitlines(keepends=True)
    export.write_bytes(b"".join(lines[:2] + lines[3:]))
    result = verify_attempt(*read_export(export))
    assert result.chain.bad_seq == 2
    assert result.first_fault is not None and result.first_fault.startswith("Event 2")


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "empty"),
        (b'{"format":"other"}\n', 1, "not an exported attempt"),
        (b'{"format":"benchwright-attempt","version":4}\n', 1, "version 4 is not known here: update Benchwright"),
        (b'{"classifier":"0","format":"benchwright-attempt","version":3}\n', 1, "classifier 0 is not known here"),
        (b'{"format":"benchwright-attempt","version":3}\n', 1, "classifier None is not known here"),
        (b'{"format":"benchwright-attempt","version":1,"attempt":{}}\n', 1, "attempt.id"),
        (b"[1]\n", 1, "not an object"),
        (b"{", 1, "cut off"),
        (b"\xff\n", 1, "again"),
    ],
)
def test_what_is_no_export_is_refused_with_its_line(tmp_path: Path, content: bytes, line: int, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(ExportError, match=message) as error:
        read_export(path)
    assert error.value.line == line
    assert str(path) in str(error.value)


def test_an_event_of_a_later_version_is_said_to_be_unknown(log: StudyLog, attempt: str, tmp_path: Path) -> None:
    header, rows = log.stored_attempt(attempt)
    lines = list(export_lines(header, rows))
    value = json.loads(lines[1])
    value.update(seq=2, prev_hash=value.pop("hash"), event={"type": "telepathy"})
    value["hash"] = sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())
    lines.append(json.dumps(value, sort_keys=True, separators=(",", ":")))
    path = tmp_path / "later.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    result = verify_attempt(*read_export(path))
    assert result.chain.bad_seq == 2
    assert result.first_fault is not None and "does not know" in result.first_fault


def test_a_damaged_attempt_can_still_be_exported_and_the_check_names_it(
    log: StudyLog, attempt: str, tmp_path: Path
) -> None:
    log.append_blocking(attempt, Started())
    with closing(sqlite3.connect(log.path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET process = CAST(x'ff' AS TEXT) WHERE seq = 2")
    path = tmp_path / "damaged.jsonl"
    write_export(path, *log.stored_attempt(attempt))
    assert verify_attempt(*read_export(path)).chain.bad_seq == 2
