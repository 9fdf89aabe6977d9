"""Events that another log recorded are taken as they happen, in order, and only if they follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.adopting import ChainHead, IncomingEvents
from benchwright_attempts.events.events import Edit, Event, Paused, Resumed, Started, Submitted
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.record import AttemptHeader, Moment, StoredRow
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.study_log import StudyLog

FILE = "rtl/counter.sv"


@pytest.fixture
def written(log: StudyLog, attempt: str) -> tuple[AttemptHeader, list[StoredRow]]:
    """Eight events of an attempt in the solver's log."""
    typed = [Edit(path=FILE, version=n, changes=(Change(start=0, end=0, text="x"),)) for n in range(3)]
    events: list[Event] = [Started(), *typed, Paused(), Resumed(), Submitted()]
    for event in events:
        log.append_blocking(attempt, event)
    return log.stored_attempt(attempt)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[StudyLog]:
    with StudyLog(tmp_path / "there" / "attempts.sqlite") as log:
        yield log


def receive(receiving_log: StudyLog, header: AttemptHeader, rows: Sequence[StoredRow]) -> ChainHead:
    (received_head,) = receiving_log.append_received_events([IncomingEvents(header, rows)])
    if isinstance(received_head, AttemptError):
        raise received_head
    return received_head


def without_states(rows: Sequence[StoredRow]) -> list[StoredRow]:
    return [replace(row, state=None) for row in rows]


def test_events_that_come_in_parts_are_the_same_attempt(
    there: StudyLog, log: StudyLog, written: tuple[AttemptHeader, list[StoredRow]]
) -> None:
    header, rows = written
    sent_rows = without_states(rows)
    for start, end in ((0, 1), (1, 4), (2, 6), (2, 6), (6, 8)):
        received_head = receive(there, header, sent_rows[start:end])
        assert (received_head.events, received_head.hash) == (end, rows[end - 1].hash)
    assert there.stored_attempt(header.id) == (header, rows)
    assert verify_attempt(*there.stored_attempt(header.id)).ok
    assert there.summary(header.id) == log.summary(header.id)


def test_nothing_new_says_how_far_the_attempt_is(
    there: StudyLog, written: tuple[AttemptHeader, list[StoredRow]]
) -> None:
    header, rows = written
    assert receive(there, header, []).events == 0
    receive(there, header, without_states(rows[:3]))
    assert receive(there, header, []).hash == rows[2].hash


@pytest.mark.parametrize("row_range", [slice(1, 3), slice(4, 6)])
def test_a_gap_is_refused(there: StudyLog, written: tuple[AttemptHeader, list[StoredRow]], row_range: slice) -> None:
    header, rows = written
    receive(there, header, [])
    if row_range.start > 1:
        receive(there, header, without_states(rows[:3]))
    with pytest.raises(AttemptError, match="missing or renumbered"):
        receive(there, header, without_states(rows[row_range]))


def test_an_event_that_is_here_with_other_content_is_refused(
    there: StudyLog, written: tuple[AttemptHeader, list[StoredRow]]
) -> None:
    header, rows = written
    receive(there, header, without_states(rows[:4]))
    changed_row = replace(rows[1], state=None, hash="0" * 64)
    with pytest.raises(AttemptError, match="with other events"):
        receive(there, header, [changed_row, *without_states(rows[2:6])])
    assert receive(there, header, []).events == 4


@pytest.mark.parametrize(
    ("field", "value"),
    [("body", '{"type":"submitted"}'), ("wall", "2020-01-01T00:00:00.000000Z"), ("attempt", "f" * 32), ("schema", 1)],
)
def test_an_event_that_was_changed_is_refused_with_all_that_came_with_it(
    there: StudyLog, written: tuple[AttemptHeader, list[StoredRow]], field: str, value: object
) -> None:
    header, rows = written
    receive(there, header, without_states(rows[:4]))
    changed_row = replace(rows[5], state=None, **{field: value})  # type: ignore[arg-type]
    with pytest.raises(AttemptError, match="Event 6"):
        receive(there, header, [*without_states(rows[4:5]), changed_row])
    assert receive(there, header, []).events == 4


def test_an_attempt_with_another_header_is_refused(
    there: StudyLog, written: tuple[AttemptHeader, list[StoredRow]]
) -> None:
    header, rows = written
    receive(there, header, without_states(rows[:2]))
    with pytest.raises(AttemptError, match="another header"):
        receive(there, header.model_copy(update={"solver": "somebody"}), without_states(rows[2:]))


def test_a_step_that_the_state_does_not_allow_is_refused(
    there: StudyLog, written: tuple[AttemptHeader, list[StoredRow]]
) -> None:
    header, rows = written
    receive(there, header, without_states(rows))
    second_start = StoredRow.from_event(header, 9, log_moment(rows[-1]), Started(), rows[-1].hash)
    with pytest.raises(AttemptError, match="Event 9"):
        receive(there, header, [replace(second_start, state=None)])


def log_moment(row: StoredRow) -> Moment:
    return row.parse().moment


def test_attempts_come_together_and_one_that_does_not_follow_keeps_no_other_out(
    there: StudyLog, log: StudyLog, written: tuple[AttemptHeader, list[StoredRow]]
) -> None:
    header, rows = written
    headers = [Attempts(log).create(header.problem, "d" * 64, Path("/w"), {}) for _ in range(2)]
    incoming = [IncomingEvents(other_header, without_states(log.rows(other_header.id))) for other_header in headers]
    gap, first_head, second_head = there.append_received_events(
        [IncomingEvents(header, without_states(rows[3:])), incoming[0], incoming[1]]
    )
    assert isinstance(gap, AttemptError)
    assert there.stored_attempt(headers[0].id) == log.stored_attempt(headers[0].id)
    assert [first_head, second_head] == [ChainHead(1, log.rows(other_header.id)[0].hash) for other_header in headers]
    whole_head, repeated_head = there.append_received_events(
        [IncomingEvents(header, without_states(rows)), incoming[0]]
    )
    assert (whole_head, repeated_head) == (ChainHead(8, rows[-1].hash), first_head)
    assert there.summary(header.id) == log.summary(header.id)
