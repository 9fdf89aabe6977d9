"""Traces: what steps an attempt or a run has, and that nothing of it gets into a page but as text."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from benchwright_analysis.completion.played_runs import PlayedRun
from benchwright_analysis.trace.attempt_steps import trace_of_attempt
from benchwright_analysis.trace.exchanges import Exchange
from benchwright_analysis.trace.page import trace_page
from benchwright_analysis.trace.run_steps import trace_of_run
from benchwright_analysis.trace.step import AttemptTrace, StepKind, TracePart, TraceStep, change_excerpt, whole_excerpt
from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.events import (
    Abandoned,
    Edit,
    Event,
    Opened,
    RunFinished,
    RunStarted,
    Started,
    Submitted,
    TextCause,
    TextSet,
)
from benchwright_attempts.events.evidence import (
    Assigned,
    AssistAccepted,
    AssistShown,
    EditReason,
    EditShape,
    ModelUsage,
    Recording,
    ReplyRead,
)
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.record import AttemptHeader, Moment, RecordedEvent
from benchwright_problems.verdict import Outcome
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.failure import EndedBy, ServerEnd, ServerFailure
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import Efforts, OfferOutcome, SiteRecord, Step, SubjectName, Times
from benchwright_subjects.inline.run_folder import SnapshotVerdict
from benchwright_subjects.inline.sites import SiteKind

from ..inline_settings import settings

PATH = "rtl/m.sv"
START = "module m;\nendmodule\n"
MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
HEADER = AttemptHeader(
    id="a1",
    problem="starter/m",
    problem_digest="d",
    workspace="/w",
    solver="openai/x",
    condition="human+agent",
    created=MORNING,
)
BY_AGENT = HEADER.model_copy(update={"condition": "agent"})
HOSTILE = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\u202ereversed\u2066\u0007&amp;"
OPENED = Opened(files={PATH: FileText.of_text(START)})
PASSED = RunFinished(
    run="r", number=1, outcome=Outcome.PASSED, reason="passed", message="All passed.", passed=3, total=3, wall_s=1
)


def trace_of_events(*timed_events: tuple[float, Event], header: AttemptHeader = HEADER) -> AttemptTrace:
    recorded = [
        RecordedEvent(
            "a1", seq, Moment(MORNING + timedelta(seconds=offset_s), round(offset_s * 1e9), "p"), event, "", ""
        )
        for seq, (offset_s, event) in enumerate(timed_events, 1)
    ]
    return trace_of_attempt(header, recorded)


def step_titles(attempt_trace: AttemptTrace) -> list[tuple[str, str]]:
    return [(step.kind.value, step.title) for part in attempt_trace.trace_parts for step in part.steps]


def typed_events(time_s: float, offset: int, text: str, version: int) -> list[tuple[float, Event]]:
    return [
        (time_s, Edit(path=PATH, version=version, changes=(Change(start=offset, end=offset, text=text),))),
        (time_s, EditReason(path=PATH, version=version, reason="cursor", metadata={"kind": "type"})),
    ]


def test_an_agents_attempt_is_what_was_asked_edited_and_run() -> None:
    file_text = FileText.of_text("module m;\nassign y = a;\nendmodule\n")
    attempt_trace = trace_of_events(
        (0, OPENED),
        (0, Started()),
        (1, ModelUsage(model="openai/x", calls=2, input_tokens=1200, output_tokens=30, cost_usd=0.01)),
        (
            1,
            ReplyRead(
                files=("rtl/m.sv",), block_labels=("block 2",), modules=("m", "h"), ignored=("block 1: m", "x: y")
            ),
        ),
        (2, TextSet(path=PATH, cause=TextCause.WRITTEN, file=file_text)),
        (3, RunStarted(run="r", number=1, snapshot={})),
        (4, PASSED),
        (5, Submitted()),
        header=BY_AGENT,
    )
    assert step_titles(attempt_trace) == [
        ("other", "The problem was opened with 1 file"),
        ("other", "The clock was started"),
        ("turn", "Turn 1: openai/x was asked, +1 \N{MINUS SIGN}0 lines, Run 1 passed, 3 of 3 tests"),
        ("other", "Submitted"),
    ]
    turn = attempt_trace.trace_parts[0].steps[2]
    assert turn.fact_texts == {
        "requests": "2",
        "input tokens": "1,200",
        "output tokens": "30",
        "cost": "0.0100 USD",
        "files": "rtl/m.sv",
        "modules": "m, h",
        "from": "block 2",
        "ignored": "block 1: m; x: y",
    }
    assert [excerpt.caption for excerpt in turn.excerpts] == ["Prompt", "Reply", "Diff of rtl/m.sv", "Tests"]
    assert "Not kept" in turn.excerpts[0].lines[0].text
    excerpt = turn.excerpts[2]
    assert [(line.mark, line.text) for line in excerpt.lines] == [
        (" ", "module m;"),
        ("+", "assign y = a;"),
        (" ", "endmodule"),
    ]


def test_each_request_is_a_turn_with_what_came_of_it() -> None:
    timed_events: list[tuple[float, Event]] = [
        (0.0, OPENED),
        (0.0, Started()),
        (2.0, ModelUsage(model="openai/x", calls=1)),
        (
            3.0,
            TextSet(path=PATH, cause=TextCause.WRITTEN, file=FileText.of_text("module m;\nassign y = a;\nendmodule\n")),
        ),
        (7.0, ModelUsage(model="openai/x", calls=1)),
        (8.0, RunStarted(run="r", number=1, snapshot={})),
        (9.0, PASSED),
        (10.0, Submitted()),
    ]
    recorded = [
        RecordedEvent("a1", seq, Moment(MORNING + timedelta(seconds=at_s), round(at_s * 1e9), "p"), event, "", "")
        for seq, (at_s, event) in enumerate(timed_events, 1)
    ]
    exchanges = [
        Exchange(MORNING + timedelta(seconds=at_s), prompt, reply)
        for at_s, prompt, reply in ((1.0, "Write m.", "write_file()"), (6.0, "Written.", "run"))
    ]
    for known_exchanges in (exchanges, []):
        attempt_trace = trace_of_attempt(BY_AGENT, recorded, known_exchanges)
        assert step_titles(attempt_trace) == [
            ("other", "The problem was opened with 1 file"),
            ("other", "The clock was started"),
            ("turn", "Turn 1: openai/x was asked, +1 \N{MINUS SIGN}0 lines, no tests"),
            ("turn", "Turn 2: openai/x was asked, no change, Run 1 passed, 3 of 3 tests"),
            ("other", "Submitted"),
        ]
    (part,) = trace_of_attempt(BY_AGENT, recorded, exchanges).trace_parts
    turns = [step for step in part.steps if step.kind is StepKind.TURN]
    assert [[line.text for line in excerpt.lines] for turn in turns for excerpt in turn.excerpts[:2]] == [
        ["Write m."],
        ["write_file()"],
        ["Written."],
        ["run"],
    ]


def test_keys_that_follow_each_other_are_one_step_and_edits_of_a_chat_are_not() -> None:
    keystroke_events = [
        timed_event for index in range(3) for timed_event in typed_events(1 + index / 10, 10 + index, "x", index + 1)
    ]
    chat = EditReason(path=PATH, version=9, reason="Chat.applyEdits")
    by_agent = Edit(path=PATH, version=9, changes=(Change(start=0, end=0, text="// a\n"),))
    attempt_trace = trace_of_events(
        (0, OPENED),
        *keystroke_events,
        (1.4, by_agent),
        (1.4, chat),
        *typed_events(60, 5, "y", 11),
        *typed_events(63, 6, "z", 12),
    )
    edit_steps = [step for step in attempt_trace.trace_parts[0].steps if step.kind is StepKind.EDITED]
    assert [(step.title, step.fact_texts) for step in edit_steps] == [
        ("rtl/m.sv: typed", {"edits": "3"}),
        ("rtl/m.sv: written by a chat", {}),
        ("rtl/m.sv: typed", {}),
        ("rtl/m.sv: typed", {}),
    ]


def test_offers_are_shown_and_accepted() -> None:
    attempt_trace = trace_of_events(
        (0, OPENED),
        (1, AssistShown(assist="1", provider="copilot", path=PATH, length=3, text="abc")),
        (2, AssistAccepted(assist="1", provider="copilot", path=PATH, length=3, partial=True)),
    )
    assert step_titles(attempt_trace)[1:] == [
        ("shown", "rtl/m.sv: copilot showed an offer, 3 characters"),
        ("accepted", "rtl/m.sv: a part of an offer of copilot was accepted"),
    ]
    assert list(attempt_trace.trace_parts[0].steps[1].excerpts) == [whole_excerpt("What was offered", "abc")]


def test_a_study_that_shows_no_results_has_none_in_a_trace() -> None:
    assigned = Assigned(
        study="s",
        study_sha256="0" * 64,
        participant="P1",
        condition="alone",
        solver="human",
        position=1,
        recording=Recording.FULL,
        feedback="none",
    )
    page = trace_page(
        trace_of_events(
            (0, OPENED), (0, assigned), (0, Started()), (1, RunStarted(run="r", number=1, snapshot={})), (2, PASSED)
        )
    )
    assert "Run 1: recorded; the study shows no results" in page
    assert "passed" not in page.partition("<main>")[2].partition("<script>")[0]
    assert "All passed." not in page


def test_edits_without_text_say_so() -> None:
    attempt_trace = trace_of_events(
        (0, OPENED), (1, EditShape(path=PATH, changes=())), (5, EditShape(path=PATH, changes=()))
    )
    assert attempt_trace.trace_parts[0].steps[-1].fact_texts["text"] == "not in the log"


def hostile_trace() -> AttemptTrace:
    text = FileText.of_text(f"{START}{HOSTILE}\n")
    return trace_of_events(
        (0, Opened(files={f"{HOSTILE}.sv".replace("/", "-"): FileText.of_text("")})),
        (1, ModelUsage(model=HOSTILE)),
        (1, AssistShown(assist="1", provider=HOSTILE, path=PATH, text=HOSTILE, model=HOSTILE, trigger=HOSTILE)),
        (2, TextSet(path=PATH, cause=TextCause.WRITTEN, file=text)),
        (3, Started()),
        (4, Abandoned(reason=HOSTILE)),
    )


def test_text_of_a_model_stays_text() -> None:
    page = trace_page(hostile_trace())
    assert page.count("<script>") == page.count("</script>") == 1
    assert "<img" not in page
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u0007]", page)
    assert "\\u{202e}reversed\\u{2066}\\u{7}" in page
    assert "&amp;amp;" in page


def test_nothing_runs_in_a_page_but_its_script_and_nothing_is_fetched() -> None:
    page = trace_page(hostile_trace())
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'" in page
    for reaching in ("innerHTML", "insertAdjacent", "document.write", "fetch(", "https://", "http://"):
        assert reaching not in page
    tags = re.findall(r"<[^!/][^>]*>", page.replace(script, ""))
    assert not [tag for tag in tags if re.search(r"\s(on\w+|src|href|style)\s*=", tag)]


def test_long_texts_are_cut() -> None:
    long = AttemptTrace(
        "t",
        {},
        [
            TracePart(
                "", [TraceStep(StepKind.SHOWN, "x" * 9000, None, {}, [whole_excerpt("c", "y" * 5000 + "\nz" * 5000)])]
            )
        ],
    )
    page = trace_page(long)
    assert "4,601 more lines" in page
    assert len(page) < 40_000


def test_a_change_is_shown_with_some_lines_around() -> None:
    lines = [f"line {number}" for number in range(100)]
    old_text, new_text = "\n".join(lines), "\n".join([*lines[:50], "new", *lines[51:]])
    shown_lines = change_excerpt("c", old_text, new_text).lines
    assert [line.mark for line in shown_lines] == ["~", " ", " ", " ", "-", "+", " ", " ", " ", "~"]
    assert (shown_lines[0].text, shown_lines[-1].text) == ("47 lines not shown", "46 lines not shown")


def run_of_steps(policy: AcceptPolicy, *steps: Step) -> PlayedRun:
    record = SiteRecord(
        site="starter/m/rtl/m.sv#empty-body@9-30",
        problem="starter/m",
        problem_digest="d",
        path=PATH,
        kind=SiteKind.EMPTY_BODY,
        unit=None,
        subject=SubjectName(name="s", version="1", configuration="c"),
        dialect="lsp",
        policy=policy,
        mode=RefusalConsequence.ASSISTED,
        seed=1,
        steps=steps,
        cancelled=0,
        failure=None,
        failure_code=None,
        likeness=None,
        efforts=Efforts(expected=1, typed=0, accepted=0, kept=0, deleted=0),
        golf=None,
        snapshots=(),
        times=Times(started=MORNING, wall_s=0, latencies_ms=(12.5,)),
    )
    run_settings = settings(
        command=("server", HOSTILE), kinds=(SiteKind.EMPTY_BODY,), policies=(policy,), mode=RefusalConsequence.ASSISTED
    )
    verdicts = [
        SnapshotVerdict(
            site=record.site,
            policy=policy,
            accepts=accepts,
            is_end=is_end,
            outcome=outcome,
            reason="",
            passed_tests=accepts,
            tests=3,
        )
        for accepts, is_end, outcome in ((1, False, "failed"), (1, True, "passed"))
    ]
    return PlayedRun("s 1", run_settings, [record], {(record.site, policy): verdicts})


def test_the_trace_of_a_site_says_how_the_server_failed_and_who_ended_it() -> None:
    run = run_of_steps(AcceptPolicy.NEVER)
    server_end = ServerEnd(ended_by=EndedBy.SERVER, exit_status=1)
    failed_record = run.records[0].model_copy(update={"failure": ServerFailure.ENDED, "server_end": server_end})
    (part,) = trace_of_run(replace(run, records=[failed_record])).trace_parts
    failure_step = next(step for step in part.steps if step.title.startswith("The server failed"))
    assert failure_step.title == "The server failed: ended"
    assert failure_step.fact_texts == {"end": "The server ended by itself with exit status 1."}


STEPS = (
    Step(
        decision=OfferOutcome.PARTLY_ACCEPTED, offers=2, offer="assign y = a;\nassign z = b;", accepted="assign y = a;"
    ),
    Step(decision=OfferOutcome.REFUSED, offers=1, offer=HOSTILE, typed="assign secret_of_the_reference = 1;\n"),
    Step(decision=OfferOutcome.TIMED_OUT),
    Step(decision=OfferOutcome.NOTHING_OFFERED, typed="always_ff x;"),
)


def test_a_run_is_asked_shown_accepted_typed_and_tested_without_the_reference() -> None:
    run_trace = trace_of_run(run_of_steps(AcceptPolicy.FIRST_LINE, *STEPS))
    assert step_titles(run_trace) == [
        ("asked", "Request 1"),
        ("shown", "An offer was shown"),
        ("accepted", "The policy accepted the beginning of it"),
        ("ran", "Hidden tests after 1 accepted offer: failed, 1 of 3 tests"),
        ("asked", "Request 2"),
        ("shown", "An offer was shown"),
        ("refused", "The policy refused it"),
        ("edited", "The driver typed 32 characters of the reference"),
        ("asked", "Request 3 was given up: no answer in time"),
        ("asked", "Request 4"),
        ("shown", "Nothing was offered"),
        ("edited", "The driver typed 11 characters of the reference"),
        ("ran", "Hidden tests at the end: passed, 1 of 3 tests"),
    ]
    page = trace_page(run_trace)
    assert "12.5 ms" in page
    assert "secret_of_the_reference" not in page
    assert "always_ff" not in page


def test_an_unknown_site_is_answered_with_one_that_there_is() -> None:
    with pytest.raises(EvaluationError, match=r"begins with 'x'. Its first one is starter/m"):
        trace_of_run(run_of_steps(AcceptPolicy.NEVER), "x")
