"""Work to be handed in is remembered, whatever becomes of the note of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.events import Abandoned, Started, Submitted, Tick
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_studies.conduct.archive import import_archive, write_archive_and_count_attempts
from benchwright_studies.conduct.delivery import Deliveries
from benchwright_studies.conduct.monitoring import delivered_progress
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.study_file import parse_study


@pytest.fixture
def deliveries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deliveries:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    return Deliveries(Home.from_environment())


def test_what_is_owed_waits_until_it_is_dropped(deliveries: Deliveries) -> None:
    assert deliveries.waiting_deliveries() == []
    deliveries.add_delivery_if_missing("a.b", "P01")
    deliveries.add_delivery_if_missing("a", "b.P01")
    assert [(delivery.study, delivery.participant, delivery.tries) for delivery in deliveries.waiting_deliveries()] == [
        ("a.b", "P01", 0),
        ("a", "b.P01", 0),
    ]
    deliveries.drop_delivery("a.b", "P01")
    deliveries.drop_delivery("a.b", "P01")
    assert [delivery.study for delivery in deliveries.waiting_deliveries()] == ["a"]


@pytest.mark.parametrize("content", [b"", b"{", b'{"tries": "many"}'])
def test_a_damaged_note_still_says_what_has_to_be_handed_in(
    deliveries: Deliveries, tmp_path: Path, content: bytes
) -> None:
    deliveries.add_delivery_if_missing("s", "ada")
    (note,) = tmp_path.rglob("s@ada.json")
    note.write_bytes(content)
    assert [(delivery.study, delivery.participant, delivery.tries) for delivery in deliveries.waiting_deliveries()] == [
        ("s", "ada", 0)
    ]


STUDY = """
study: far
title: A study of a lab far away
problems: [p/a, p/b]
conditions: [{name: alone, solver: human}, {name: copilot, solver: human+copilot, assistants: [x.y]}]
participants: [ada, bob]
randomisation: {seed: 1}
forecasts: []
self_estimates: []
consent: {version: "1", text: "You agree to what is written here."}
data: {to: "WHERE"}
"""


def begin_study(log: StudyLog, folder: Path, participant: str = "ada") -> Studies:
    studies = Studies(log, Attempts(log))
    studies.register(parse_study(STUDY.replace("WHERE", str(folder)), Path("far.yaml")), {})
    studies.enroll("far", participant)
    studies.give_consent("far", participant, "1")
    return studies


def open_task(log: StudyLog, studies: Studies, participant: str = "ada") -> str:
    assigned, agreed, problem = studies.next_task("far", participant)
    header = Attempts(log).create(
        *(problem, "d", Path("/w"), {"a.sv": FileText.of_text("")}),
        solver=participant,
        condition=assigned.condition,
        study="far",
    )
    for event in (assigned, agreed, Started()):
        log.append_blocking(header.id, event)
    studies.record_task_begun(assigned, problem, header.id)
    return header.id


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[StudyLog]:
    with StudyLog(tmp_path / "lab" / "log.sqlite") as log:
        studies = Studies(log, Attempts(log))
        studies.register(parse_study(STUDY.replace("WHERE", str(tmp_path / "share")), Path("far.yaml")), {})
        yield log


def test_records_go_as_they_grow_and_are_counted_once(
    deliveries: Deliveries, log: StudyLog, lab: StudyLog, tmp_path: Path
) -> None:
    share = tmp_path / "share"
    studies = begin_study(log, share)
    deliveries.add_delivery_if_missing("far", "ada")
    attempt = open_task(log, studies)
    assert deliveries.deliver_waiting(log) == ([], [])
    (delivery,) = deliveries.waiting_deliveries()
    assert delivery.delivered is not None
    assert (import_archive(lab, share).attempts, import_archive(lab, share).attempts) == (1, 0)
    condition_counts = delivered_progress(lab, "far").conditions.values()
    assert sorted(
        (condition.drawn, condition.waiting, condition.under_way, condition.finished) for condition in condition_counts
    ) == [
        (1, 0, 1, 0),
        (1, 1, 0, 0),
    ]

    old_copy = tmp_path / "old"
    shutil.copytree(share, old_copy)
    log.append_blocking(attempt, Submitted())
    deliveries.deliver_waiting(log)
    grown = import_archive(lab, share)
    assert (grown.attempts, grown.longer) == (0, 1)
    # A copy from before changes nothing.
    recollected = import_archive(lab, old_copy)
    assert (recollected.attempts, recollected.longer) == (0, 0)
    assert verify_attempt(*lab.stored_attempt(attempt)).ok
    assert lab.stored_attempt(attempt) == log.stored_attempt(attempt)
    assert Attempts(lab).summary(attempt) == Attempts(log).summary(attempt)

    log.append_blocking(open_task(log, studies), Submitted())
    arrived, remaining_deliveries = deliveries.deliver_waiting(log)
    assert ([arrival.participant for arrival in arrived], remaining_deliveries, deliveries.waiting_deliveries()) == (
        ["ada"],
        [],
        [],
    )
    import_archive(lab, share)
    assert sum(condition.finished for condition in delivered_progress(lab, "far").conditions.values()) == 2


def test_what_is_unchanged_is_not_written_again(deliveries: Deliveries, log: StudyLog, tmp_path: Path) -> None:
    studies = begin_study(log, tmp_path / "share")
    deliveries.add_delivery_if_missing("far", "ada")
    attempt = open_task(log, studies)
    deliveries.deliver_waiting(log)
    file = tmp_path / "share" / "ada" / f"{attempt}.jsonl"
    inode = file.stat().st_ino
    deliveries.deliver_waiting(log)
    assert file.stat().st_ino == inode
    log.append_blocking(attempt, Tick())
    deliveries.deliver_waiting(log)
    assert file.stat().st_ino != inode


def test_an_attempt_with_other_events_is_refused(log: StudyLog, lab: StudyLog, tmp_path: Path) -> None:
    studies = begin_study(log, tmp_path / "share")
    attempt = open_task(log, studies)
    write_archive_and_count_attempts(log, "far", tmp_path / "share")
    import_archive(lab, tmp_path / "share")
    header, rows = log.stored_attempt(attempt)
    changed_rows = [*rows[:-1], replace(rows[-1], hash="0" * 64)]
    with pytest.raises(AttemptError, match="is here with other events"):
        lab.adopt_attempt(header, changed_rows)


def test_the_lab_learns_of_a_withdrawal_and_counts_a_dropout_but_gets_no_further_event(
    deliveries: Deliveries, log: StudyLog, lab: StudyLog, tmp_path: Path
) -> None:
    share = tmp_path / "share"
    studies = begin_study(log, share)
    deliveries.add_delivery_if_missing("far", "ada")
    attempt = open_task(log, studies)
    deliveries.deliver_waiting(log)
    events = len(log.events(attempt))
    log.append_blocking(attempt, Abandoned(reason="consent was taken back"))
    studies.take_consent_back("far", "ada", delete=True)
    deliveries.deliver_waiting(log)
    assert deliveries.waiting_deliveries() == []
    import_archive(lab, share)
    far_progress = delivered_progress(lab, "far")
    assert far_progress.participants["ada"].has_withdrawn and far_progress.participants["ada"].asks_for_deletion
    assert sum(condition.dropped_out for condition in far_progress.conditions.values()) == 2
    assert len((share / "ada" / f"{attempt}.jsonl").read_text().splitlines()) == events + 1


KILLED = """
import sys
from pathlib import Path
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Tick
from benchwright_foundation.home import Home
from benchwright_studies.conduct.delivery import Deliveries
from benchwright_studies.conduct.study_log import StudyLog

log, attempt = StudyLog(Path(sys.argv[1])), sys.argv[2]
deliveries = Deliveries(Home.from_environment())
print("ready", flush=True)
while True:
    for _ in range(5):
        log.append_blocking(attempt, Tick())
    deliveries.deliver_waiting(log)
"""


@pytest.mark.parametrize("wait_s", [0.0, 0.05, 0.11, 0.17])
def test_a_kill_while_records_are_delivered_loses_nothing_and_counts_nothing_twice(
    deliveries: Deliveries, log: StudyLog, lab: StudyLog, path: Path, tmp_path: Path, wait_s: float
) -> None:
    share = tmp_path / "share"
    studies = begin_study(log, share)
    deliveries.add_delivery_if_missing("far", "ada")
    attempt = open_task(log, studies)
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path), attempt], stdout=subprocess.PIPE, env={**os.environ}
        )
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(wait_s)
        process.kill()
        process.wait()
        process.stdout.close()
        if (share / "study.jsonl").exists():
            import_archive(lab, share)
    assert len(deliveries.waiting_deliveries()) == 1
    deliveries.deliver_waiting(log)
    import_archive(lab, share)
    assert lab.stored_attempt(attempt) == log.stored_attempt(attempt)
    assert [header.id for header in lab.headers()] == [attempt]
