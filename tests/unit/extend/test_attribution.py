"""A toy method of attribution, registered as `docs/how-to/extend.md` describes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchwright_analysis.report.fold import AttemptFold
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.attribution import (
    METHODS,
    EditFacts,
    EditOrigin,
    EventsAboutEdit,
    OriginFinding,
    attributions_of_edits,
)
from benchwright_attempts.attribution.method import origin_finding
from benchwright_attempts.events.events import Edit, Event, Started
from benchwright_attempts.events.evidence import EditReason
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import Moment, RecordedEvent


def by_indentation(edit: EditFacts, known_facts: EventsAboutEdit) -> OriginFinding | None:
    """An edit of four code points that nothing is known of is a tab key's."""
    return origin_finding(EditOrigin.FORMAT, "indentation") if list(edit.inserted) == [4] and not known_facts else None


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright_attempts.attribution.attributor.METHODS", [by_indentation, *METHODS])


def edit_event(version: int) -> Edit:
    return Edit(path="a.sv", version=version, changes=(Change(start=0, end=0, text="    "),))


def test_a_new_method_labels_edits_in_replay_and_report(tmp_path: Path) -> None:
    reported = EditReason(path="a.sv", version=3, reason="cursor", metadata={"kind": "paste"})
    events: list[Event] = [Started(), edit_event(2), edit_event(3), reported]
    start_time = datetime(2026, 3, 1, tzinfo=UTC)
    recorded = [
        RecordedEvent("a", seq, Moment(start_time + timedelta(seconds=seq), seq * 10**9, "p"), event, "", "")
        for seq, event in enumerate(events, start=1)
    ]
    assert [(attribution.origin, attribution.method) for attribution in attributions_of_edits(recorded)] == [
        (EditOrigin.FORMAT, "indentation"),
        (EditOrigin.PASTE, "change_reason"),
    ]

    with EventLog(tmp_path / "log.sqlite") as log:
        attempt = Attempts(log).create("p/q", "d", tmp_path, {"a.sv": FileText.of_text("")}).id
        for event in events:
            log.append_blocking(attempt, event)
        header, rows = log.stored_attempt(attempt)
    fold = AttemptFold(header, ProblemFacts())
    for row in rows:
        fold.take_event(row.seq, row.wall, row.mono_ns, row.process, row.body)
    observation = fold.finish().observation
    assert (observation.inserted_tool, observation.inserted_paste) == (4, 4)
