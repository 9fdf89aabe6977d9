from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Event, Focus, TextSet
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.summary.replay import Replay, replay
from benchwright_server.attempts.recorder import FileRecorder
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_verilog.syntax.documents import Replacement

from ...support.machine.waiting import wait_until

PATH = "rtl/a.sv"


class Recording:
    """A recorder over a real log, with one file that is `one` at first."""

    def __init__(self, log: StudyLog) -> None:
        self.log = log
        self.attempt = Attempts(log).create("p/q", "0" * 64, Path("/w"), {PATH: FileText.of_text("one")}).id
        self.failures: list[BaseException] = []
        self.recorder = FileRecorder(log, self.attempt, self.replayed().files, self.failures.append)

    def replayed(self) -> Replay:
        return replay(self.log.events(self.attempt))

    async def settled(self) -> list[Event]:
        """Everything but the opening, once it is on disk."""
        await self.log.append(self.attempt, Focus(focused=True))
        return [recorded.event for recorded in self.log.events(self.attempt)][1:-1]

    def text(self) -> str | None:
        replayed = self.replayed()
        assert replayed.is_intact, replayed.flaws
        return replayed.files[PATH].text


@pytest.fixture
async def recording(tmp_path: Path) -> AsyncIterator[Recording]:
    with StudyLog(tmp_path / "log.sqlite") as log:
        yield Recording(log)


async def test_an_edit_that_fits_is_recorded_as_itself(recording: Recording) -> None:
    recording.recorder.record_opened(PATH, "one")
    recording.recorder.record_changed(PATH, 2, [Replacement(3, 3, " two")], "one two")
    assert [event.type for event in await recording.settled()] == ["edit"]
    assert recording.text() == "one two"


async def test_an_edit_that_does_not_fit_is_recorded_as_the_whole_text(recording: Recording) -> None:
    recording.recorder.record_changed(PATH, 2, [Replacement(9, 9, "!")], "something else!")
    (event,) = await recording.settled()
    assert (event.type, getattr(event, "cause", None)) == ("text", "resync")
    assert recording.text() == "something else!"


async def test_an_edit_to_what_the_disk_already_had_is_not_applied_twice(recording: Recording) -> None:
    # Saved, edited and saved again before the first save was read back from disk.
    await recording.recorder.record_saved(PATH, b"one two")
    recording.recorder.record_changed(PATH, 2, [Replacement(3, 3, " two")], "one two")
    await recording.settled()
    assert recording.text() == "one two"


async def test_only_the_byte_order_mark_of_a_save_differs(recording: Recording) -> None:
    recording.recorder.record_opened(PATH, "one")
    for content in (b"\xef\xbb\xbfone", b"one", b"one"):
        await recording.recorder.record_saved(PATH, content)
        assert recording.replayed().files[PATH].data == content
    assert [event.type for event in await recording.settled()] == ["text", "save", "text", "save", "save"]
    assert recording.text() == "one"


async def test_bytes_that_are_no_text_are_recorded_by_digest(recording: Recording) -> None:
    await recording.recorder.record_saved(PATH, b"\xff")
    await recording.recorder.record_saved(PATH, b"\xfe")
    assert recording.text() is None
    recording.recorder.record_changed(PATH, 2, [Replacement(0, 0, "x")], "x")
    await recording.recorder.record_saved(PATH, b"x")
    assert recording.text() == "x"


async def test_a_file_that_was_never_there_is_not_recorded_as_deleted(recording: Recording) -> None:
    recording.recorder.record_read_by_run("rtl/b.sv", None)
    recording.recorder.record_read_by_run(PATH, None)
    recording.recorder.record_read_by_run(PATH, None)
    events = await recording.settled()
    assert [(event.type, getattr(event, "path", None)) for event in events] == [("text", PATH)]


async def test_an_open_file_is_what_the_editor_has_not_the_disk(recording: Recording) -> None:
    recording.recorder.record_opened(PATH, "one, unsaved")
    recording.recorder.record_read_by_run(PATH, b"one")
    assert [getattr(event, "cause", None) for event in await recording.settled()] == ["opened"]
    recording.recorder.record_closed(PATH, b"one")
    await recording.settled()
    assert recording.text() == "one"


async def test_an_event_that_is_lost_is_told_and_the_next_one_carries_everything(recording: Recording) -> None:
    log = recording.log
    attempt, recording.recorder._attempt = recording.recorder._attempt, "nothing"
    recording.recorder.record_changed(PATH, 2, [Replacement(3, 3, "!")], "one!")
    await wait_until(lambda: bool(recording.failures))
    assert [type(error).__name__ for error in recording.failures] == ["UnknownAttemptError"]
    recording.recorder._attempt = attempt
    recording.recorder.record_changed(PATH, 3, [Replacement(4, 4, "!")], "one!!")
    assert [getattr(event, "cause", None) for event in await recording.settled()] == ["resync"]
    assert recording.text() == "one!!"
    assert log.header(attempt).id == attempt


async def test_a_file_of_a_repository_is_recorded_as_given_before_the_change_of_it(recording: Recording) -> None:
    given_contents = {"rtl/b.sv": b"module b;\nendmodule\n", "rtl/c.sv": b"module c;\nendmodule\n"}
    recorder = FileRecorder(
        recording.log,
        recording.attempt,
        recording.replayed().files,
        recording.failures.append,
        given_content=given_contents.get,
    )
    recorder.record_opened("rtl/b.sv", "module b;\nendmodule\n")
    # Another program changes one, and deletes another.
    recorder.record_closed("rtl/b.sv", given_contents["rtl/b.sv"])
    for _ in range(2):
        recorder.record_read_by_run("rtl/b.sv", b"module b; // x\nendmodule\n")
        recorder.record_read_by_run("rtl/c.sv", None)
    texts = [event for event in await recording.settled() if isinstance(event, TextSet)]
    assert [(event.path, event.cause, event.put_in) for event in texts] == [
        ("rtl/b.sv", "resync", 17),
        ("rtl/b.sv", "outside", 3),
        ("rtl/c.sv", "resync", 17),
        ("rtl/c.sv", "deleted", None),
    ]
