"""Data that a page plays an attempt from: chunks that rebuild every text, with where each part of it came from."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.hand_clock import ManualClock
from benchwright_attempts.events.events import Edit, Event, Paused, Resumed, Started, TextCause, TextSet
from benchwright_attempts.events.evidence import EditReason
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.replay import replay
from benchwright_service.courses import playback
from benchwright_service.courses.playback import Playback, PlaybackError, read_playback
from benchwright_verilog.syntax.surrogates import join_surrogates

FILE = "rtl/x.sv"
GIVEN = "module x;\nendmodule\n"
# Both halves of 🙂 are among them, so that halves meet.
LETTERS = st.text(st.sampled_from("ab\n é🙂\ud83d\ude42"), max_size=5)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[EventLog]:
    with EventLog(tmp_path / "log.sqlite", wall_clock=clock.now, monotonic_ns=clock.monotonic_ns) as opened:
        yield opened


def begun(log: EventLog) -> str:
    attempt = Attempts(log).create("p/q", "d", Path("/w"), {FILE: FileText.of_text(GIVEN)}).id
    log.append_blocking(attempt, Started())
    return attempt


def edit(start: int | None, end: int | None, text: str, version: int = 2) -> Edit:
    return Edit(path=FILE, version=version, changes=(Change(start=start, end=end, text=text),))


def chunks(playback_: Playback) -> list[dict[str, Any]]:
    bodies = [playback_.find_chunk(number) for number in range(len(playback_.bounds))]
    assert playback_.find_chunk(len(bodies)) is None
    return [json.loads(gzip.decompress(body)) for body in bodies if body is not None]


def follow(playback_chunks: list[dict[str, Any]]) -> Iterator[tuple[str | None, str]]:
    """Text and marks after each step, worked out as the page does; each chunk begins anew."""
    for playback_chunk in playback_chunks:
        pieces = playback_chunk["files"].get(FILE)
        text = None if pieces is None else "".join(piece for _, piece in pieces)
        marks = "".join(mark * len(piece) for mark, piece in pieces or ())
        for step in playback_chunk["steps"]:
            if FILE in step[5] and step[5][FILE] is None:
                text, marks = None, ""
            for start, end, new, mark in step[5].get(FILE) or ():
                old_text = text or ""
                new = join_surrogates(new)
                start, end = (0, len(old_text)) if start is None else (start, end)
                # Halves of a code point that come together count once.
                text = join_surrogates(old_text[:start] + new + old_text[end:])
                halves = len(old_text) - (end - start) + len(new) - len(text)
                marks = marks[:start] + mark * len(new) + marks[end + halves :]
            yield text, marks


def test_each_step_has_the_text_and_where_it_came_from(log: EventLog, clock: ManualClock) -> None:
    attempt = begun(log)
    for version, (kind, text) in enumerate((("type", "ab"), ("paste", "CD")), 2):
        clock.pass_s(2)
        log.append_blocking(attempt, edit(0, 0, text, version))
        log.append_blocking(attempt, EditReason(path=FILE, version=version, reason="cursor", metadata={"kind": kind}))
    outside_file = FileText.of_text(f"CDab// by a tool\n{GIVEN}")
    log.append_blocking(attempt, TextSet(path=FILE, cause=TextCause.OUTSIDE, file=outside_file))
    replayed = read_playback(log.stored_events(attempt))
    step_texts = list(follow(chunks(replayed)))
    assert step_texts[-1] == (outside_file.text, "pptt" + "o" * 13 + "g" * len(GIVEN))
    assert replayed.inserted == {"typed": 2, "paste": 2}
    assert replayed.changed_files_at_end() == {FILE: outside_file.text}
    (paste,) = replayed.marks
    assert (paste.kind, paste.step, paste.at_s, paste.characters, paste.path) == ("paste", 3, 4.0, 2, FILE)


def test_a_file_that_is_gone_or_unknown_has_no_text(log: EventLog) -> None:
    attempt = begun(log)
    log.append_blocking(attempt, edit(0, 999, "beyond the end"))
    replayed = read_playback(log.stored_events(attempt))
    assert list(follow(chunks(replayed)))[-1] == (None, "")
    log.append_blocking(attempt, TextSet(path=FILE, cause=TextCause.CREATED, file=FileText.of_text("new")))
    log.append_blocking(attempt, TextSet(path=FILE, cause=TextCause.DELETED, file=None))
    replayed = read_playback(log.stored_events(attempt))
    assert [text for text, _ in follow(chunks(replayed))][-2:] == ["new", None]
    assert replayed.changed_files_at_end() == {}


def test_pauses_have_an_end_even_if_it_is_that_of_the_log(log: EventLog, clock: ManualClock) -> None:
    attempt = begun(log)
    events: list[Event] = [Paused(reason="lunch"), Resumed(), Paused()]
    for event in events:
        clock.pass_s(10)
        log.append_blocking(attempt, event)
    clock.pass_s(5)
    log.append_blocking(attempt, edit(0, 0, "x"))
    pauses = [(mark.at_s, mark.until_s, mark.text) for mark in read_playback(log.stored_events(attempt)).marks]
    assert pauses[:2] == [(10.0, 20.0, "lunch"), (30.0, 35.0, "")]


def test_a_run_that_the_log_does_not_have_is_placed_by_the_wall_time(log: EventLog, clock: ManualClock) -> None:
    attempt = begun(log)
    began = clock.now().timestamp()
    clock.pass_s(100)
    log.append_blocking(attempt, edit(0, 0, "x"))
    replayed = read_playback(log.stored_events(attempt))
    assert replayed.step_and_time_at(began - 50) == (0, 0.0)
    step, at_s = replayed.step_and_time_at(began + 40)
    assert step == 0
    assert at_s == pytest.approx(40.0)
    assert replayed.step_and_time_at(began + 4000) == (2, 100.0)


def test_all_beginnings_of_chunks_take_no_more_than_the_changes(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playback, "_CHUNK", 500)
    attempt = begun(log)
    for version in range(2, 200):
        log.append_blocking(attempt, edit(0, 0, "0123456789", version))
    replayed = read_playback(log.stored_events(attempt))
    playback_chunks = chunks(replayed)
    held_characters = sum(len(piece) for part in playback_chunks[1:] for _, piece in part["files"][FILE])
    assert 3 < len(playback_chunks) < 40
    assert held_characters <= 198 * (10 + 48)
    assert sum(len(part["steps"]) for part in playback_chunks) == replayed.steps
    assert [part for _, part in zip(replayed.bounds, playback_chunks, strict=True)] == playback_chunks


@pytest.mark.parametrize(
    "changed_fields",
    [
        {"changes": [{"start": 3, "end": 1, "text": "x"}]},
        {"changes": [{"start": -3, "end": 1, "text": "x"}]},
        {"changes": [{"start": 1 << 70, "end": 1 << 70, "text": "x"}]},
        {"changes": [{"start": 0, "end": None, "text": "x"}]},
        {"changes": [{"start": 0, "end": 0, "text": 7}]},
        {"changes": 7},
        {"path": ["x"]},
        {"version": "two"},
    ],
)
def test_an_event_that_no_editor_writes_is_named(log: EventLog, changed_fields: dict[str, object]) -> None:
    attempt = begun(log)
    log.append_blocking(attempt, edit(0, 0, "x"))
    *first_events, (seq, wall, mono_ns, process, body) = log.stored_events(attempt)
    forged = json.dumps(json.loads(body) | changed_fields, sort_keys=True, separators=(",", ":"))
    with pytest.raises(PlaybackError, match="Event 3 is none that an editor writes"):
        read_playback([*first_events, (seq, wall, mono_ns, process, forged)])


def test_text_is_unknown_from_an_edit_on_whose_text_was_not_recorded(log: EventLog) -> None:
    attempt = begun(log)
    log.append_blocking(attempt, edit(0, 0, "x").without_text())
    assert list(follow(chunks(read_playback(log.stored_events(attempt)))))[-1] == (None, "")


@settings(max_examples=60, deadline=None)
@example([(0, 0, "aaa\ud83d", False), (0, 0, "aaaaa", False), (9, 0, "\ude42", False), (0, 0, "", True)], 60)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), LETTERS, st.booleans()), max_size=25),
    st.sampled_from([60, 200, 100_000]),
)
def test_every_text_is_the_replays(tmp_path_factory: Any, edits: list[tuple[int, int, str, bool]], size: int) -> None:
    clock = ManualClock()
    with (
        pytest.MonkeyPatch.context() as patched,
        EventLog(
            tmp_path_factory.mktemp("log") / "log.sqlite", wall_clock=clock.now, monotonic_ns=clock.monotonic_ns
        ) as log,
    ):
        patched.setattr(playback, "_CHUNK", size)
        attempt = begun(log)
        text = GIVEN
        for version, (offset, length, inserted_text, is_whole) in enumerate(edits, 2):
            start = min(offset, len(text))
            end = min(start + length, len(text))
            event = edit(None, None, inserted_text, version) if is_whole else edit(start, end, inserted_text, version)
            log.append_blocking(attempt, event)
            replayed_text = replay(log.events(attempt)).files[FILE].text
            assert replayed_text is not None
            text = replayed_text
        replayed = read_playback(log.stored_events(attempt))
        step_texts = [(text, marks) for text, marks in follow(chunks(replayed))]
        events = log.events(attempt)
        for position, seq in enumerate(event.seq for event in events):
            shown_text = step_texts[position][0]
            assert shown_text is not None
            assert shown_text == replay(events, last_seq=seq).files[FILE].text
