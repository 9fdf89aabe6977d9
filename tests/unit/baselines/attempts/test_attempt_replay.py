from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Edit, Event, Opened, Save, TextCause, TextSet
from benchwright_attempts.events.file_text import Change, FileText, sha256
from benchwright_attempts.log.record import AttemptHeader, Moment, RecordedEvent, StoredRow
from benchwright_attempts.summary.replay import replay, verify_attempt
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_verilog.syntax.surrogates import encode_text, join_surrogates

FILE = "rtl/counter.sv"


def save_event(data: bytes, path: str = FILE) -> Save:
    return Save(path=path, sha256=sha256(data), size=len(data))


def edit_event(start: int | None, end: int | None, text: str) -> Edit:
    return Edit(path=FILE, changes=(Change(start=start, end=end, text=text),))


def recorded_events(log: StudyLog, attempt: str, *events: Event) -> list[RecordedEvent]:
    for event in events:
        log.append_blocking(attempt, event)
    return log.events(attempt)


def test_replay_gives_every_file_at_every_event(log: StudyLog, attempt: str) -> None:
    events = recorded_events(
        log, attempt, edit_event(15, 15, " // 😀\r\n"), edit_event(None, None, "new\r\n"), save_event(b"new\r\n")
    )
    texts = [replay(events, last_seq=seq).files[FILE].text for seq in (1, 2, 3)]
    assert texts == ["module counter;\r\nendmodule\n", "module counter; // 😀\r\n\r\nendmodule\n", "new\r\n"]
    full_replay = replay(events)
    assert (full_replay.seq, full_replay.saves, full_replay.is_intact) == (4, 1, True)
    assert replay(events, last_seq=0).files == {}


def test_a_byte_order_mark_is_kept(log: StudyLog) -> None:
    data = codecs.BOM_UTF8 + b"module m;\r\n"
    attempt = Attempts(log).create("p/q", "d", Path("/w"), {FILE: FileText.of_bytes(data)}).id
    events = recorded_events(log, attempt, edit_event(0, 0, "//"), save_event(codecs.BOM_UTF8 + b"//module m;\r\n"))
    assert replay(events, last_seq=1).files[FILE].data == data
    assert replay(events).is_intact


def test_files_come_and_go(log: StudyLog, attempt: str) -> None:
    events = recorded_events(
        log,
        attempt,
        TextSet(path="a.v", cause=TextCause.CREATED, file=FileText.of_text("a")),
        TextSet(path=FILE, cause=TextCause.DELETED, file=None),
    )
    files = replay(events).files
    assert set(files) == {"a.v"}
    assert files["a.v"].data == b"a"


def test_a_save_that_the_edits_do_not_explain_is_named(log: StudyLog, attempt: str) -> None:
    events = recorded_events(log, attempt, edit_event(0, 6, "macro"), save_event(b"something else"))
    (flaw,) = replay(events).flaws
    assert (flaw.seq, flaw.path) == (3, FILE)
    assert verify_attempt(*log.stored_attempt(attempt)).first_fault == f"Event 3 is faulty: {FILE}: {flaw.reason}."


@pytest.mark.parametrize(
    "flawed", [edit_event(0, 9999, ""), Edit(path="unknown.v", changes=(Change(start=0, end=0, text=""),))]
)
def test_an_edit_that_does_not_fit_is_named_and_the_next_full_text_heals_it(
    log: StudyLog, attempt: str, flawed: Edit
) -> None:
    resync = TextSet(path=flawed.path, cause=TextCause.RESYNC, file=FileText.of_text("known"))
    events = recorded_events(log, attempt, flawed, resync, save_event(b"known", flawed.path))
    flawed_replay = replay(events)
    assert [flaw.seq for flaw in flawed_replay.flaws] == [2]
    assert flawed_replay.saves == 1


def test_a_file_that_is_not_utf8_is_compared_once_its_text_is_known(log: StudyLog) -> None:
    latin = FileText.of_bytes("// é".encode("latin-1"))
    attempt = Attempts(log).create("p/q", "d", Path("/w"), {FILE: latin}).id
    events = recorded_events(
        log, attempt, save_event(b"unchecked"), edit_event(None, None, "// e"), save_event(b"// e")
    )
    latin_replay = replay(events)
    assert (latin_replay.is_intact, latin_replay.saves) == (True, 1)


def test_a_recorded_text_with_a_wrong_digest_is_named(log: StudyLog) -> None:
    wrong_file = FileText(sha256="0" * 64, text="a")
    attempt = Attempts(log).create("p/q", "d", Path("/w"), {FILE: wrong_file}).id
    assert [flaw.seq for flaw in replay(log.events(attempt)).flaws] == [1]


LETTERS = st.one_of(
    st.sampled_from(["\r\n", "\n", "\r", "😀", "\ud83d", "\ude00", "\ufeff", "\u2028", "\f", "é", "\0"]),
    st.text(st.characters(), max_size=5),
)
TEXTS = st.lists(LETTERS, max_size=8).map("".join)


@settings(deadline=None)
@given(
    TEXTS,
    st.booleans(),
    st.lists(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), TEXTS), min_size=1, max_size=3), max_size=12),
)
def test_random_edits_replay_to_the_bytes_an_editor_has(
    first: str, bom: bool, session: list[list[tuple[float, float, str]]]
) -> None:
    """Stores each event as text and reads it back, as the database does."""
    moment = Moment(HEADER.created, 0, "p")
    text = join_surrogates(first)
    events: list[Event] = [Opened(files={FILE: FileText.of_text(first, bom=bom)})]
    for change_steps in session:
        changes = []
        for start_share, end_share, inserted_text in change_steps:
            start, end = sorted((round(start_share * len(text)), round(end_share * len(text))))
            changes.append(Change(start=start, end=end, text=inserted_text))
            text = utf16_joined(text[:start] + inserted_text + text[end:])
        events += [Edit(path=FILE, changes=tuple(changes)), save_event(encode_text(text, bom=bom))]
    rows: list[StoredRow] = []
    for seq, event in enumerate(events, start=1):
        rows.append(
            StoredRow.from_event(HEADER, seq, moment, event, rows[-1].hash if rows else HEADER.chain_start_hash())
        )
    result = verify_attempt(HEADER, rows)
    assert result.ok, result.first_fault
    assert result.replay.saves == len(session)
    assert result.replay.files[FILE].text == text


HEADER = AttemptHeader.model_validate(
    {
        "id": "a",
        "problem": "p/q",
        "problem_digest": "d",
        "workspace": "/w",
        "solver": "human",
        "condition": "human",
        "created": "2026-03-01T09:00:00Z",
    }
)


def utf16_joined(text: str) -> str:
    """The string as it is in an editor that counts in UTF-16."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
