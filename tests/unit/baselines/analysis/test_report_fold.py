"""The quick way from events to a row gives what the modules that define the rules give."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright_analysis.report.fold import AttemptFold, FoldedAttempt
from benchwright_analysis.report.rows.event_columns import EventColumns
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.rows.reading import LogJob, fold_attempts_and_write_events
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.attribution import BY_MODEL, EditOrigin, attributions_of_edits
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.clock.clock import clock_after_events
from benchwright_attempts.clock.timeline import time_line
from benchwright_attempts.errors import AttemptError, IllegalTransitionError, LogDamagedError
from benchwright_attempts.events.events import (
    Abandoned,
    AidUsed,
    Answered,
    Diagnostics,
    Edit,
    Event,
    Focus,
    Interrupted,
    Judged,
    JudgedBy,
    Opened,
    Paused,
    Resumed,
    RunFinished,
    Save,
    Started,
    Submitted,
    TextCause,
    TextSet,
    Tick,
    VoteCast,
)
from benchwright_attempts.events.evidence import (
    AssistAccepted,
    ClockHeld,
    ClockReleased,
    CommandUsed,
    EditReason,
    EditShape,
    Forecast,
    ModelUsage,
    Recording,
    SelfEstimate,
    Suspended,
    TimeExcluded,
)
from benchwright_attempts.events.file_text import Change, FileText, ShapeOfChange, apply_changes, sha256
from benchwright_attempts.log.record import RecordedEvent
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.study_log import StudyLog

from ....support.studies.active_time import active_time
from ..conftest import SetTime

PATH = "rtl/a.sv"
TEXTS = (
    "x",
    "assign q = d;\n",
    "ü",
    "\U0001f600",
    "always_comb begin\nend\n",
    "",
    "\ud83d",
    "\ude00",
    "a longer piece of text\n",
)


def fold(log: StudyLog, attempt: str, **fold_options: object) -> FoldedAttempt:
    header, rows = log.stored_attempt(attempt)
    folding = AttemptFold(header, ProblemFacts(), **fold_options)  # type: ignore[arg-type]
    for row in rows:
        folding.take_event(row.seq, row.wall, row.mono_ns, row.process, row.body)
    return folding.finish()


class Typist:
    """Does what an editor might report, at random, to one file."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.text, self.version = "module a;\nendmodule\n", 1

    def event(self) -> list[Event]:
        random = self.random
        kind = random.choice(
            ("edit",) * 8 + ("focus", "tick", "save", "text", "other", "run", "hold", "pause", "suspend", "exclude")
        )
        match kind:
            case "edit":
                return self.edit()
            case "focus":
                return [Focus(focused=random.random() < 0.5)]
            case "tick":
                return [Tick()]
            case "save":
                return [Save(path=PATH, sha256=sha256(b""), size=1)]
            case "text":
                return self.set_text()
            case "run":
                return [self.run()]
            case "hold":
                hold_events: list[Event] = [ClockHeld(reason="harness"), ClockReleased(reason="harness")]
                return hold_events[: random.choice((1, 2))]
            case "pause":
                return [random.choice((Paused(reason="tea"), Resumed()))]
            case "suspend":
                return [Suspended(wall_s=900.0, mono_s=1.0)]
            case "exclude":
                return [TimeExcluded(excluded_s=random.choice((0.5, 60.0)), reason="provider")]
            case _:
                return [
                    Diagnostics(path=PATH, counts={}),
                    AssistAccepted(assist="q", provider="p", path="b.sv", version=3),
                ]

    def edit(self) -> list[Event]:
        random = self.random
        self.version += 1
        text = random.choice(TEXTS)
        start = random.randint(0, len(self.text))
        end = random.randint(start, min(len(self.text), start + 12))
        change = Change(start=start, end=end, text=text) if random.random() < 0.95 else Change(text=text)
        edit = Edit(path=PATH, version=self.version, changes=(change,))
        self.text = apply_changes(self.text, [change])
        events: list[Event] = [edit]
        draw = random.random()
        if draw < 0.3:
            word = random.choice(
                ("inlineCompletionAccept", "Chat.applyEdits", "cursor", "inlineCompletionPartialAccept")
            )
            method = random.choice(list(AttributionMethod))
            edit_reason = EditReason(
                path=PATH, version=self.version, reason=word, metadata={"kind": "paste"}, method=method
            )
            events.insert(random.randint(0, 1), edit_reason)
        elif draw < 0.45:
            provider = random.choice(("benchwright", "github.copilot"))
            is_partial = random.random() < 0.5
            events.append(
                AssistAccepted(assist="a", provider=provider, path=PATH, version=self.version, partial=is_partial)
            )
        elif draw < 0.6:
            command = random.choice(
                ("editor.action.clipboardPasteAction", "editor.action.inlineSuggest.commit", "undo")
            )
            version = random.choice((None, self.version - 1, self.version - 2))
            events.insert(0, CommandUsed(command=command, path=random.choice((None, PATH)), version=version))
        return events

    def set_text(self) -> list[Event]:
        if self.random.random() < 0.5:
            return [TextSet(path=PATH, cause=TextCause.OPENED, file=FileText.of_text(self.text))]
        self.text = "// from outside\n" * 3
        return [TextSet(path=PATH, cause=TextCause.OUTSIDE, file=FileText.of_text(self.text))]

    def run(self) -> Event:
        has_passed = self.random.random() < 0.1
        return RunFinished(
            run="r",
            number=1,
            outcome=Outcome.PASSED if has_passed else Outcome.FAILED,
            reason="passed" if has_passed else "tests_failed",
            passed=self.random.randint(0, 4),
            total=5,
            wall_s=1.0,
        )


def inserted_and_left_by_age(
    events: Sequence[RecordedEvent], followed: Mapping[int, int]
) -> dict[float | None, tuple[int, int]]:
    """Age in seconds → code points of followed edits that reached it, and those left then: each by its own owner."""
    at_s = time_line(events).at_s
    owners: list[tuple[int, str]] = []
    owner_states: list[tuple[float, list[int]]] = []
    for recorded in events:
        match recorded.event:
            case Opened() | TextSet() as event:
                (file,) = event.contents().values()
                text = (file.text if file else None) or ""
                if text != "".join(letter for _, letter in owners):
                    owners = [(recorded.seq, letter) for letter in text]
            case Edit(changes=(change,)):
                new_owners = [(recorded.seq, letter) for letter in change.text]
                start, end = (0, len(owners)) if change.start is None else (change.start, change.end)
                excess = owners[:start] + new_owners + owners[end:]
                joined = apply_changes("".join(letter for _, letter in owners), [change])
                del excess[start : start + len(excess) - len(joined)]
                owners = [(seq, letter) for (seq, _), letter in zip(excess, joined, strict=True)]
            case _:
                continue
        owner_states.append((at_s[recorded.seq], [seq for seq, _ in owners]))
    end_s = max(at_s.values())
    counts_by_age: dict[float | None, tuple[int, int]] = {
        None: (0, sum(seq in followed for seq in owner_states[-1][1]))
    }
    for age in (30.0, 120.0):
        due = {seq: at_s[seq] + age for seq in followed if at_s[seq] + age < end_s}
        last_owners = {
            seq: [state for time_s, state in owner_states if time_s <= moment][-1] for seq, moment in due.items()
        }
        counts_by_age[age] = (sum(followed[seq] for seq in due), sum(last_owners[seq].count(seq) for seq in due))
    return counts_by_age


@pytest.mark.parametrize("seed", range(20))
def test_a_row_has_the_numbers_of_the_clock_the_time_line_the_attribution_and_the_survival(
    seed: int, path: Path, time: SetTime
) -> None:
    random = Random(seed)
    with (
        StudyLog(path, wall_clock=time.now, monotonic_ns=time.monotonic_ns, process="first") as first,
        StudyLog(path, wall_clock=time.now, monotonic_ns=lambda: time.mono_ns // 2 + 77, process="second") as second,
    ):
        typist = Typist(random)
        files = {PATH: FileText.of_text(typist.text)}
        attempt = Attempts(first).create("starter/counter", "d" * 64, Path("/w"), files).id
        first.append_blocking(attempt, Started())
        for step in range(60):
            log = second if 30 < step < 45 else first
            for event in [*([Interrupted()] if step == 31 else []), *typist.event()]:
                time.pass_s(random.choice((0.0, 0.2, 1.0, 40.0, 90.0, 200.0, 400.0)))
                try:
                    log.append_blocking(attempt, event)
                except IllegalTransitionError:
                    assert event.type in ("paused", "resumed", "clock_held", "clock_released", "interrupted")
        time.pass_s(33)
        if random.random() < 0.8:
            first.append_blocking(attempt, random.choice((Submitted(), Abandoned())))
            time.pass_s(100)
            first.append_blocking(attempt, SelfEstimate(minutes=1))
        events = first.events(attempt)
        row = fold(first, attempt).observation

    clock, active_times, attributions = clock_after_events(events), active_time(events), attributions_of_edits(events)
    assert row.clock_s == pytest.approx(clock.active_s, abs=1e-9)
    assert row.elapsed_s == pytest.approx(clock.elapsed_s, abs=1e-6)
    assert row.state == clock.state
    assert [row.active_60_s, row.active_120_s, row.active_300_s] == pytest.approx(
        [active_times.active_s[threshold] for threshold in (60.0, 120.0, 300.0)], abs=1e-6
    )
    assert row.unfocused_s == pytest.approx(active_times.unfocused_s, abs=1e-6)
    by_origin = {
        origin: sum(attribution.inserted for attribution in attributions if attribution.origin is origin)
        for origin in EditOrigin
    }
    assert row.edits == len(attributions)
    assert row.inserted_typed == by_origin[EditOrigin.TYPED]
    assert row.inserted_paste == by_origin[EditOrigin.PASTE]
    assert row.inserted_completion == by_origin[EditOrigin.COMPLETION] + by_origin[EditOrigin.COMPLETION_PART]
    assert row.inserted_own_completion == by_origin[EditOrigin.OWN_COMPLETION]
    assert row.inserted_chat == by_origin[EditOrigin.CHAT] + by_origin[EditOrigin.AGENT]
    assert row.inserted == sum(by_origin.values())
    followed = {attribution.seq: attribution.inserted for attribution in attributions if attribution.origin in BY_MODEL}
    assert row.accepted == sum(followed.values())
    counts_left = inserted_and_left_by_age(events, followed)
    assert (row.reached_30s, row.survived_30s) == counts_left[30.0]
    assert (row.reached_120s, row.survived_120s) == counts_left[120.0]
    assert row.survived_end == counts_left[None][1]


def test_the_time_of_a_pass_leaves_long_gaps_out(log: StudyLog, attempt: str, time: SetTime) -> None:
    log.append_blocking(attempt, Forecast(minutes=5, success=0.5))
    log.append_blocking(attempt, Started())
    time.pass_s(100)  # 100 s count
    log.append_blocking(attempt, Edit(path="rtl/counter.sv", version=1, changes=(Change(start=0, end=0, text="abc"),)))
    time.pass_s(1000)  # 120 s of these
    log.append_blocking(
        attempt,
        RunFinished(run="r", number=1, outcome=Outcome.PASSED, reason="passed", wall_s=1, passed=2, total=2),
    )
    time.pass_s(50)
    log.append_blocking(attempt, Submitted())
    row = fold(log, attempt).observation
    assert (row.time_s, row.first_pass_s, row.first_pass_clock_s, row.clock_s) == (220, 220, 1100, 1150)
    assert (row.active_60_s, row.active_120_s, row.active_300_s) == (120, 220, 400)
    assert (row.passed, row.censored_by, row.score, row.submissions, row.forecast_minutes) == (True, "", 1.0, 1, 5)


def test_an_answer_that_is_judged_later_passed_when_it_was_given(log: StudyLog, attempt: str, time: SetTime) -> None:
    log.append_blocking(attempt, Started())
    time.pass_s(30)
    log.append_blocking(attempt, Answered(number=1, outcome=Outcome.ERROR, reason="judge_unavailable", snapshot={}))
    time.pass_s(30)
    log.append_blocking(attempt, Submitted())
    assert fold(log, attempt).observation.censored_by == "not_decided"
    time.pass_s(5000)
    judge_votes = (VoteCast(judge="m", label="9"), VoteCast(judge="n", label="8"))
    judgement = JudgedBy(method="model", status="scored", score=0.8, votes=judge_votes, cost_usd=0.25)
    log.append_blocking(
        attempt, Judged(number=1, sha256="0" * 64, outcome=Outcome.PASSED, reason="passed", judged_by=judgement)
    )
    folded = fold(log, attempt)
    row = folded.observation
    assert (row.passed, row.first_pass_s, row.score, row.censored_by) == (True, 30, 0.8, "")
    assert (row.judge_method, row.judge_votes, row.judge_cost_usd) == ("model", "m=9; n=8", 0.25)
    assert folded.trace == ((30.0, 0.8),)


@pytest.mark.parametrize(
    ("end_event", "censored"), [(Abandoned(), "gave_up"), (Submitted(), "handed_in_unsolved"), (Tick(), "still_open")]
)
def test_an_attempt_without_a_pass_says_why_it_ended(
    end_event: Event, censored: str, log: StudyLog, attempt: str
) -> None:
    log.append_blocking(attempt, Started())
    failed_run = RunFinished(
        run="r", number=1, outcome=Outcome.FAILED, reason="tests_failed", wall_s=1, passed=1, total=4
    )
    log.append_blocking(attempt, failed_run)
    log.append_blocking(attempt, end_event)
    row = fold(log, attempt).observation
    assert (row.passed, row.censored_by, row.score, row.outcome) == (False, censored, 0.25, "failed")


def test_tokens_and_cost_of_several_calls_add_up(log: StudyLog, attempt: str) -> None:
    for cost in (0.5, None, 0.25):
        log.append_blocking(
            attempt, ModelUsage(model="m", calls=1, input_tokens=3, output_tokens=2, total_tokens=5, cost_usd=cost)
        )
    row = fold(log, attempt).observation
    assert (row.calls, row.input_tokens, row.total_tokens, row.cost_usd, row.model) == (3, 9, 15, 0.75, "m")


def test_without_text_the_shapes_of_edits_are_counted(path: Path, time: SetTime) -> None:
    with StudyLog(path, wall_clock=time.now, monotonic_ns=time.monotonic_ns) as log:
        files = {PATH: FileText.of_text("")}
        header = Attempts(log).create("p/q", "d", Path("/w"), files, recording=Recording.EDITS)
        log.append_blocking(header.id, Edit(path=PATH, version=1, changes=(Change(start=0, end=0, text="x" * 50),)))
        shape = ShapeOfChange(start=0, end=0, length=1, lines=0)
        log.append_blocking(header.id, EditShape(path=PATH, version=2, changes=(shape,)))
        row = fold(log, header.id).observation
    assert (row.inserted, row.inserted_paste, row.inserted_typed, row.survived_end) == (51, 50, 1, None)


def test_a_row_of_each_event_tells_no_text(log: StudyLog, attempt: str) -> None:
    log.append_blocking(
        attempt, Edit(path="rtl/counter.sv", version=1, changes=(Change(start=0, end=3, text="SECRET"),))
    )
    event_columns = EventColumns()
    fold(log, attempt, event_columns=event_columns)
    rows = event_columns.table().to_pylist()
    assert list(rows[1].values())[5:12] == ["edit", "open", "rtl/counter.sv", 6, 3, "unknown", "heuristic"]
    assert "SECRET" not in repr(rows)


def test_several_processes_write_the_rows_that_one_writes(
    log: StudyLog, attempts: Attempts, path: Path, tmp_path: Path, time: SetTime
) -> None:
    headers = []
    for seed in range(3):
        typist = Typist(Random(seed))
        header = attempts.create("starter/counter", "d" * 64, Path("/w"), {PATH: FileText.of_text(typist.text)})
        for event in [Started(), *typist.edit(), *typist.edit(), typist.run(), Submitted()]:
            time.pass_s(7)
            log.append_blocking(header.id, event)
        headers.append(header)
    single_folds, single_parts = fold_attempts_and_write_events(
        LogJob(path, headers, {}, {}, tmp_path / "one.parquet"), expected_event_count=1
    )
    shared, several_parts = fold_attempts_and_write_events(
        LogJob(path, headers, {}, {}, tmp_path / "several.parquet"), expected_event_count=1_000_000
    )
    assert shared == single_folds
    rows, shared_rows = (
        sorted(
            pa.concat_tables([pq.read_table(part) for part in part_files]).to_pylist(),
            key=lambda row: (row["attempt"], row["seq"]),
        )
        for part_files in (single_parts, several_parts)
    )
    assert rows == shared_rows
    for header in headers:
        attempt_rows = [row for row in rows if row["attempt"] == header.id]
        assert [row["seq"] for row in attempt_rows] == list(range(1, len(attempt_rows) + 1))
        assert [row["wall"] for row in attempt_rows] == [row.wall for row in log.stored_attempt(header.id)[1]]
        assert [row["at_s"] for row in attempt_rows] == [7.0 * index for index in range(len(attempt_rows))]
        assert [row["clock_s"] for row in attempt_rows] == [
            0.0,
            *(7.0 * index for index in range(len(attempt_rows) - 1)),
        ]
        assert [row["state"] for row in attempt_rows] == ["open", *["running"] * (len(attempt_rows) - 2), "submitted"]
        assert [row["tests_total"] for row in attempt_rows] == [
            5 if row["type"] == "run_finished" else None for row in attempt_rows
        ]


@pytest.mark.parametrize("events", [2, 1_000_000], ids=["here", "beside"])
@pytest.mark.parametrize("change", ["replace(body, 'started', 'resumed')", "'{'"])
def test_a_broken_chain_is_named_with_its_attempt_and_event(
    log: StudyLog, attempt: str, path: Path, events: int, change: str
) -> None:
    log.append_blocking(attempt, Started())
    header = log.header(attempt)
    _execute_past_triggers(path, f"UPDATE events SET body = {change} WHERE seq = 2")
    with pytest.raises(AttemptError, match=rf"event 2 of attempt {attempt} .*does not fit its hash.*--without"):
        fold_attempts_and_write_events(LogJob(path, [header], {}, {}), expected_event_count=events)


def test_a_chain_that_is_checked_beside_gives_the_same_rows(log: StudyLog, attempt: str, path: Path) -> None:
    log.append_blocking(attempt, Started())
    log.append_blocking(attempt, Submitted())
    job = LogJob(path, [log.header(attempt)], {}, {})
    assert fold_attempts_and_write_events(job, expected_event_count=1_000_000) == fold_attempts_and_write_events(
        job, expected_event_count=3
    )


def test_a_damaged_event_is_named_where_rows_are_written_too(
    log: StudyLog, attempt: str, path: Path, tmp_path: Path
) -> None:
    log.append_blocking(attempt, Started())
    judgement = JudgedBy(method="model", status="scored", score=0.5)
    log.append_blocking(
        attempt,
        Answered(number=1, outcome=Outcome.ERROR, reason="judge_unavailable", snapshot={}, judged_by=judgement),
    )
    _execute_past_triggers(path, """UPDATE events SET body = replace(body, '"cost_usd":0', '"cost_usd":"x"')""")
    job = LogJob(path, [log.header(attempt)], {}, {}, tmp_path / "events.parquet", check=False)
    with pytest.raises(LogDamagedError, match=f"event 3 of attempt {attempt} "):
        fold_attempts_and_write_events(job, expected_event_count=3)


def _execute_past_triggers(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f'DROP TRIGGER "{trigger}"')
        assert database.execute(statement).rowcount
        database.commit()


def test_times_are_those_of_the_wall(log: StudyLog, attempt: str, time: SetTime) -> None:
    log.append_blocking(attempt, Started())
    assert datetime.fromisoformat(fold(log, attempt).observation.started) == time.wall


def test_hints_are_counted_with_what_they_cost_and_other_aids_are_not(log: StudyLog, attempt: str) -> None:
    for event in (
        Started(),
        AidUsed(aid="hints", feature="hint", detail="1"),
        AidUsed(aid="design_views", feature="schematic", detail="a"),
        AidUsed(aid="hints", feature="hint", detail="2", cost=0.25),
    ):
        log.append_blocking(attempt, event)
    row = fold(log, attempt).observation
    assert (row.hints, row.hints_cost) == (2, 0.25)
