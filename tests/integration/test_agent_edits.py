"""Changes of a program to its files and its sandbox: each change is an event, each way to end has a name."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
from benchwright_attempts.events.events import Abandoned, Edit, TextCause, TextSet
from benchwright_attempts.events.evidence import TimedOut, Violation
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import replay
from benchwright_subjects.evaluation.evaluation import summary_of_run

from ..support.models.agent_model import FILE
from ..support.models.eval import COUNTER, Desk, desk, run, says

__all__ = ("desk",)

STEP = "import os, sys, time\nfile = 'rtl/sat_counter.sv'\nwait = lambda: time.sleep(0.15)\n"


def program(desk: Desk, text: str, **options: Any) -> tuple[Any, list[RecordedEvent]]:
    """Result and events of an agent that is a Python program."""
    command = f"python3 -c {shlex.quote(STEP + text)}"
    log = run(desk, says("done"), "agent", problems="saturating-counter", command=command, **options)
    (attempt,) = desk.attempts()
    return log, desk.events(attempt.id)


def texts(events: list[RecordedEvent]) -> list[str | None]:
    """Texts of the file after each change to it, None where it was not there."""
    change_indexes = [index for index, recorded in enumerate(events) if isinstance(recorded.event, Edit | TextSet)]
    file_texts = []
    for index in change_indexes:
        replayed_file = replay(events[: index + 1]).files.get(FILE)
        file_texts.append(None if replayed_file is None else replayed_file.text)
    return file_texts


def test_each_change_is_an_event_of_its_own_with_its_difference(desk: Desk) -> None:
    contents = COUNTER.replace("endmodule", "// 1\nendmodule"), COUNTER.replace("endmodule", "// 2\nendmodule")
    log, events = program(
        desk,
        f"for text in {contents!r}:\n"
        "    open(file, 'w').write(text)\n"
        "    wait()\n"
        f"open('new', 'w').write({COUNTER!r})\n"
        "os.rename('new', file); wait()\n"
        "os.remove(file); wait()\n"
        "os.rename('rtl', 'old'); os.mkdir('rtl')\n"
        f"open(file, 'w').write({contents[1]!r}); wait()\n"
        "with open(file, 'a') as held:\n"
        "    held.write('// half'); held.flush(); wait()\n"
        "    held.write('\\n'); held.flush(); wait()\n",
    )
    assert summary_of_run(log)["passed"] == 1
    first_text, second_text = contents
    assert texts(events) == [
        first_text,
        second_text,
        COUNTER,
        None,
        second_text,
        f"{second_text}// half",
        f"{second_text}// half\n",
    ]
    edits = [recorded.event for recorded in events if isinstance(recorded.event, Edit)]
    assert [[change.text for change in edit.changes] for edit in edits[1:3]] == [["2"], [""]]
    assert {attribution.origin for attribution in attributions_of_edits(events)} == {EditOrigin.AGENT}
    assert len({recorded.moment.mono_ns for recorded in events}) > len(edits)
    assert desk.are_whole()


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("os.remove(file); os.symlink('/etc/passwd', file)", "not a plain file"),
        ("os.remove(file); os.symlink('../docs/x', file)", "not a plain file"),
        ("os.remove(file); os.mkdir(file)", "not a plain file"),
        ("os.remove(file); os.mkfifo(file)", "not a plain file"),
        ("os.rename('rtl', 'r'); os.symlink('r', 'rtl')", "not a plain file"),
        ("os.truncate(file, 300 << 20)", "too large"),
    ],
)
def test_a_file_that_can_not_be_read_counts_as_none_and_is_named(desk: Desk, text: str, detail: str) -> None:
    log, events = program(desk, text)
    assert (summary_of_run(log)["failed"], summary_of_run(log)["error"]) == (1, 0), summary_of_run(log)["why"]
    assert [recorded.event.detail for recorded in events if isinstance(recorded.event, Violation)] == [
        f"{FILE}: {detail}"
    ]
    assert FILE not in replay(events).files
    assert "root:" not in desk.exports()


def test_bytes_that_are_no_text_are_recorded_by_their_digest(desk: Desk) -> None:
    _, events = program(desk, "open(file, 'wb').write(b'\\xff\\x00'); wait(); open(file, 'w').write('x')")
    sets = [recorded.event for recorded in events if isinstance(recorded.event, TextSet)]
    assert [(text_set.cause, text_set.file and text_set.file.text) for text_set in sets] == [
        (TextCause.WRITTEN, None),
        (TextCause.WRITTEN, "x"),
    ]
    assert desk.are_whole()


def ending(events: list[RecordedEvent]) -> str:
    (reason,) = [recorded.event.reason for recorded in events if isinstance(recorded.event, Abandoned | TimedOut)]
    return str(reason)


def test_a_flood_of_output_does_not_stop_an_agent_and_its_end_is_told(desk: Desk) -> None:
    _, events = program(desk, "sys.stderr.write('x' * (40 << 20) + 'last words'); print('y' * (40 << 20)); sys.exit(4)")
    assert ending(events).startswith("its command ended with 4: xxx")
    assert ending(events).endswith("last words")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("os.kill(os.getppid(), 9); wait(); os.kill(os.getppid(), 9); wait()", "ended with -9"),
        (
            "[os.kill(int(p), 9) for p in os.listdir('/proc') if p.isdigit() and 1 < int(p) < os.getppid()]; wait()",
            "it ended the program that had started it",
        ),
        ("os.kill(os.getpid(), 15)", "ended with 143"),
    ],
)
def test_an_agent_that_kills_what_it_can_has_failed(desk: Desk, text: str, reason: str) -> None:
    log, events = program(desk, text)
    assert (summary_of_run(log)["failed"], summary_of_run(log)["error"]) == (1, 0), summary_of_run(log)["why"]
    assert reason in ending(events), ending(events)


def test_an_agent_that_never_ends_is_ended_by_the_attempts_limit_with_all_it_started(desk: Desk) -> None:
    text = f"open(file, 'w').write({COUNTER!r})\nos.fork()\ntime.sleep(999)"
    log, events = program(desk, text, limit_s=2.0)
    assert (summary_of_run(log)["passed"], ending(events)) == (1, "time_limit")


def test_an_agents_home_is_its_own_and_in_memory(desk: Desk) -> None:
    text = (
        "home = os.environ['HOME']\n"
        "assert os.listdir(home) == [], os.listdir(home)\n"
        "open(home + '/x', 'w').close()\n"
        "kinds = [line.split()[2] for line in open('/proc/mounts') if line.split()[1] == '/rundir']\n"
        "assert kinds == ['tmpfs'], kinds\n"
        "assert not [name for name in os.environ if 'BENCHWRIGHT_HOME' in name]\n"
        "for place in ('/bench/x', '/bench/bridge', '/bench/launch.json', '/usr/x'):\n"
        "    try:\n"
        "        open(place, 'w')\n"
        "    except OSError:\n"
        "        continue\n"
        "    sys.exit(place)\n"
    )
    log, _ = program(desk, text)
    assert summary_of_run(log)["error"] == 0
    assert not [recorded for recorded in desk.events(desk.attempts()[0].id) if isinstance(recorded.event, Abandoned)]
