"""A participant is walked through a study, and everything that happens becomes evidence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.clock.clock import clock_after_events
from benchwright_attempts.events.evidence import Forecast
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.state import AttemptState
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_server.protocol.messages import AttemptStatus
from benchwright_studies.conduct.study_log import StudyLog

from ..support.studies.active_time import active_time
from ..support.studies.study import STUDY, ask, begin, benchwright, foresee, open_task, step, task_at_work
from .clocks import Clocks
from .conftest import Editors
from .session import Desk, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _times(status: AttemptStatus) -> tuple[float | None, ...]:
    return status.elapsed_s, status.active_s, status.remaining_s


@pytest.mark.parametrize("clock", ["shown", "remaining", "hidden"])
async def test_a_study_says_what_its_participants_see_of_the_clock(editors: Editors, home: Path, clock: str) -> None:
    text = STUDY.replace("practice: starter/amdahl\n", f"clock: {clock}\nlimits: {{time_minutes: 10}}\n")
    await begin(home, text)
    editor = await editors()
    desk, status = await task_at_work(editor)
    elapsed_s, active_s, left_s = _times(status)
    assert status.time_limit_s == 600
    assert (elapsed_s is None) == (active_s is None) == (clock != "shown")
    assert (left_s is None) == (clock == "hidden")
    assert left_s is None or 590 < left_s <= 600
    ended = await ask(editor, "abandon", uri=desk.uri)
    assert (ended.active_s is None) == (clock != "shown")
    assert (await ask(editor, "selfEstimate", uri=desk.uri, minutes=3, difficulty=1, externalHelp=False)).active_s >= 0


def recorded(desk: Desk) -> list[RecordedEvent]:
    with desk.editor.log() as log:
        return log.events(desk.attempt)


async def test_a_participant_goes_from_consent_to_the_end(editors: Editors, home: Path) -> None:
    await begin(home, STUDY)
    editor = await editors()
    (enrolment,) = (await ask(editor, "studies")).studies
    assert (enrolment.study, enrolment.participant, enrolment.step, enrolment.total) == ("small", "ada", "consent", 2)
    assert "has not agreed" in (await editor.refusal("openTask", study="small"))[1]
    for practised in ({"fresh": True}, {"guided": True}, {}):
        refusal = await editor.refusal("open", problem="starter/saturating-counter", **practised)
        assert "starter/saturating-counter is a problem of the study small" in refusal[1]
    assert "has changed" in (await editor.refusal("giveConsent", study="small", version="1"))[1]
    view = await ask(editor, "giveConsent", study="small", version="2")
    assert (view.step, view.position, view.practice, view.problem) == ("open", 0, True, "starter/amdahl")
    practice = await open_task(editor)
    await ask(editor, "abandon", uri=practice.uri, reason="enough practised")
    # Who never started has nothing to estimate.
    assert (await step(editor)) == ("forecast", None)
    assert "what comes next is forecast" in (await editor.refusal("openTask", study="small"))[1]
    refusal = await editor.refusal("forecast", study="small", problem="starter/saturating-counter", minutesWithAi=3)
    assert "Also say: minutes without ai, difficulty, prior exposure" in refusal[1]
    forecast_views = await foresee(editor)
    # In the order of the study file, and without anything of the assignment.
    assert [view.problem for view in forecast_views] == ["starter/saturating-counter", "starter/skid-buffer-bug"]
    assert {(view.condition, view.solver, view.position, view.workspace) for view in forecast_views} == {(None,) * 4}
    assert forecast_views[0].forecasts == ["minutes_without_ai", "difficulty", "prior_exposure"]
    first = forecast_views[0].to_forecast
    assert (first.number, first.total, "Saturating" in first.statement) == (1, 2, True)
    assert forecast_views[1].to_forecast.files[0].path.endswith(".sv")
    assert (await step(editor)) == ("open", 1)

    desk = await open_task(editor)
    problem = desk.opened_problem.status.problem.partition("/")[2]
    status = desk.opened_problem.status
    assert (status.study, status.recording, status.state) == ("small", "full", "open")
    assert _times(status) == (None, None, None)
    assert (await step(editor)) == ("work", 1)
    extension = {"id": "GitHub.copilot", "version": "1", "active": True, "ai": True}
    environment_facts = {"editor": "Test 1", "extensions": [extension], "aiFeatures": {"github.copilot.enable": True}}
    for _ in range(2):
        editor.client.protocol.notify("benchwright/environment", {"uri": desk.uri, **environment_facts})
    await ask(editor, "start", uri=desk.uri)
    refusal = await editor.refusal(
        "forecast", study="small", problem=desk.opened_problem.status.problem, minutesWithoutAi=1
    )
    assert "what comes next is work" in refusal[1]
    file = desk.open()
    editor.client.protocol.notify("benchwright/commandUsed", {"uri": desk.uri, "command": "x.folder", "version": 1})
    file.type("// x\n")
    used_command = {"uri": file.uri, "command": "editor.action.clipboardPasteAction", "version": file.version}
    editor.client.protocol.notify("benchwright/commandUsed", used_command)
    file.paste(reference(problem))
    reason = {"uri": file.uri, "version": 2, "reason": "cursor", "metadata": {"kind": "type"}}
    editor.client.protocol.notify("benchwright/editReasons", {"edits": [reason]})
    await ask(editor, "pause", uri=desk.uri, reason="tea")
    await ask(editor, "resume", uri=desk.uri)
    file.save()
    submitted = await ask(editor, "submit", uri=desk.uri)
    assert (submitted.status.state, submitted.status.verdict.outcome) == ("submitted", "passed")
    assert submitted.status.verdict.lines is None
    assert (await step(editor)) == ("self_estimate", 1)
    # Nobody can read off the clock how long it took before they have said so.
    assert {_times(status) for status in editor.screen.statuses if status.attempt == desk.attempt} == {(None,) * 3}
    assert (submitted.first_pass_s, submitted.first_pass_run) == (None, 1)
    assert (await ask(editor, "numbers", study="small")).attempts == []
    estimate_view = await ask(editor, "selfEstimate", uri=desk.uri, minutes=3, difficulty=1, externalHelp=False)
    assert estimate_view.active_s > 0 and estimate_view.elapsed_s > 0
    assert [attempt.active_min > 0 for attempt in (await ask(editor, "numbers", study="small")).attempts] == [True]

    events = recorded(desk)
    event_types = [recorded_event.event.type for recorded_event in events]
    assert event_types[:4] == ["opened", "assigned", "consent", "forecast"]
    assert isinstance(events[3].event, Forecast) and events[3].event.blind
    with editor.log() as log:
        chained = [chain_entry.recorded_entry.type for chain_entry in log.journal.entries("small", "ada")]
    assert chained[:6] == ["enrolled", "consent", "task_begun", "task_forecast", "task_forecast", "drawn"]
    assert {recorded_event.participant for recorded_event in events} == {"ada"} and {
        recorded_event.condition for recorded_event in events
    } == {"alone"}
    rules = [recorded_event.event.rule for recorded_event in events if recorded_event.event.type == "violation"]
    assert rules == ["ai_extension", "ai_setting"]
    typed, pasted = attributions_of_edits(events)
    assert (typed.origin, typed.method) == (EditOrigin.TYPED, AttributionMethod.CHANGE_REASON)
    assert (pasted.origin, pasted.method) == (EditOrigin.PASTE, AttributionMethod.WRAPPED_COMMAND)
    # A run that decides what was submitted meanwhile ends the attempt before it would release the clock.
    end = min(event_types.index(name) for name in ("clock_released", "submitted") if name in event_types)
    assert event_types.index("clock_held") < event_types.index("run_started") < end
    run_s = next(
        recorded_event.event.wall_s for recorded_event in events if recorded_event.event.type == "run_finished"
    )
    assert clock_after_events(events).active_s < clock_after_events(events).elapsed_s - run_s
    assert active_time(events).active_s[60.0] <= clock_after_events(events).active_s
    with editor.log() as log:
        assert verify_attempt(*log.stored_attempt(desk.attempt)).ok

    second_desk = await open_task(editor)
    await ask(editor, "start", uri=second_desk.uri)
    await ask(editor, "abandon", uri=second_desk.uri, reason="too hard")
    await ask(editor, "selfEstimate", uri=second_desk.uri, difficulty=5)
    assert "Answer the question" in (await editor.refusal("questionnaire", study="small", answers={"check": "b"}))[1]
    view = await ask(editor, "questionnaire", study="small", answers={"years": 7, "check": "b"})
    assert (view.step, view.done) == ("finished", 2)
    numbers = (await ask(editor, "numbers", study="small")).attempts
    assert [(attempt.view.standing, attempt.passed, attempt.forecast_min) for attempt in numbers] == [
        ("passed", True, 12),
        ("given up", None, 12),
    ]
    replayed = await ask(editor, "replay", attempt=desk.attempt[:10])
    assert replayed.complete and [pause.what for pause in replayed.pauses] == ["tea"]
    assert [run.what for run in replayed.runs] == ["passed"]
    assert [path for path in replayed.paths if not file.uri.endswith(path)] == ["README.md"]
    typed_seq = next(mark.seq for mark in replayed.marks if mark.origin == "typed")
    (replayed_file,) = [
        candidate
        for candidate in (await ask(editor, "replayAt", attempt=desk.attempt, seq=typed_seq)).files
        if candidate.path in file.uri
    ]
    assert replayed_file.text.endswith("// x\n")

    closed = json.loads((await benchwright(home, "study", "close", "small", "--yes", "--json")).stdout)
    assert closed["attempts"] == 3
    study_status = json.loads((await benchwright(home, "study", "status", "small", "--json")).stdout)
    assert (study_status["digest"], study_status["flaws"], study_status["not_begun"]) == (closed["digest"], [], ["bob"])
    assert (await step(editor)) == ("closed", None)
    assert "is closed" in (await editor.refusal("selfEstimate", uri=second_desk.uri, difficulty=1))[1]


LIMITED = STUDY.replace("study: small", "study: limited").replace("practice: starter/amdahl\n", "") + (
    "limits: {time_minutes: 10, runs: 1}\nforecasts: []\nself_estimates: []\nrecording: timing\n"
)


async def test_practice_that_was_opened_before_a_study_was_registered_does_not_go_on(
    editors: Editors, home: Path
) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    await begin(home, STUDY)
    refusal = (await editor.refusal("start", uri=desk.uri))[1]
    assert "starter/saturating-counter is a problem of the study small" in refusal
    assert (await desk.ask("status")).state is AttemptState.OPEN


async def test_a_task_shows_no_more_of_its_runs_than_its_problem_does_and_says_so(editors: Editors, home: Path) -> None:
    problems = "problems: [starter/skid-buffer-bug]"
    study = LIMITED.replace("feedback: verdict", "feedback: messages").replace("order: latin-square", "order: random")
    await begin(home, re.sub("problems: .*", problems, study))
    editor = await editors()
    assert (await ask(editor, "giveConsent", study="limited", version="2")).feedback == "verdict"


async def test_the_limit_of_time_ends_a_task_and_timing_alone_is_recorded(
    editors: Editors, home: Path, clocks: Clocks
) -> None:
    await begin(home, LIMITED.replace("feedback: verdict", "feedback: none"))
    editor = await editors(environment=clocks.environment)
    await ask(editor, "giveConsent", study="limited", version="2")
    desk = await open_task(editor, "limited")
    await ask(editor, "start", uri=desk.uri)
    file = desk.open()
    file.type("// a secret remark\n")
    file.save()
    # Saving runs nothing where runs are counted.
    assert not (await ask(editor, "status", uri=desk.uri)).running
    clocks.pass_time(10 * 60)
    await ask(editor, "status", uri=desk.uri)
    await editor.wait_until(lambda: any(s.state == "timed_out" for s in editor.screen.statuses), "the end of the time")
    event_types = [recorded_event.event.type for recorded_event in recorded(desk)]
    assert "activity" in event_types and not {"edit", "save"} & set(event_types)
    # What was saved last is graded, and that takes none of the solver's time.
    assert [kind for kind in event_types if kind != "activity"][-4:] == [
        *("clock_held", "run_started", "run_finished", "timed_out")
    ]
    second_desk = await open_task(editor, "limited")
    await ask(editor, "start", uri=second_desk.uri)
    run_answer = await ask(editor, "run", uri=second_desk.uri)
    assert (run_answer.verdict.outcome, run_answer.verdict.tests) == ("recorded", None)
    assert "used" in (await editor.refusal("run", uri=second_desk.uri))[1]
    await editor.quit()
    folder = home / "data" / "attempts"
    assert not any(b"secret remark" in path.read_bytes() for path in folder.iterdir() if path.is_file())


async def test_who_withdraws_and_wants_it_leaves_nothing_but_a_tombstone(editors: Editors, home: Path) -> None:
    await begin(home, STUDY.replace("practice: starter/amdahl\n", ""))
    editor = await editors()
    await ask(editor, "giveConsent", study="small", version="2")
    await foresee(editor)
    desk = await open_task(editor)
    file = desk.open()
    file.type("// a remark to forget\n")
    view = await ask(editor, "withdrawConsent", study="small", delete=True)
    assert (view.step, desk.folder.exists()) == ("withdrawn", False)
    assert (await ask(editor, "studies")).studies == []
    await editor.quit()
    with StudyLog(home / "data" / "attempts" / "log.sqlite") as log:
        assert log.headers() == []
        assert sorted((stone.kind, stone.events) for stone in log.journal.tombstones("small")) == [
            ("attempt", 6),
            ("participant", 7),
        ]
    leftovers = [path for path in home.rglob("*") if path.is_file() and b"remark to forget" in path.read_bytes()]
    assert leftovers == []
    refused_process = await benchwright(home, "study", "run", str(home.parent / "study.yaml"), "--participant", "ada")
    assert (refused_process.returncode, "were deleted" in refused_process.stderr) == (2, True)


async def test_a_participants_file_opens_by_the_labs_code_and_its_records_go_to_the_lab_as_they_grow(
    editors: Editors, home: Path, tmp_path: Path
) -> None:
    file, lab, share = tmp_path / "study.yaml", tmp_path / "lab", tmp_path / "share"
    text = STUDY.replace("practice: starter/amdahl\n", "") + f"analysis: {{primary: time}}\ndata: {{to: {share}}}\n"
    file.write_text(text)
    process = await benchwright(lab, "study", "register", str(file), "--out", str(tmp_path / "out"), "--codes-at-lab")
    assert process.returncode == 0, process.stderr
    participant_file = tmp_path / "out" / "participants" / "ada.json"
    process = await benchwright(home, "study", "run", str(participant_file))
    assert process.returncode == 0, process.stderr
    editor = await editors()
    await ask(editor, "giveConsent", study="small", version="2")
    await foresee(editor)
    view = await ask(editor, "study", study="small")
    assert (view.step, view.condition, len(view.receipt)) == ("unlock", None, 14)
    assert "does not open" in (await editor.refusal("unlock", study="small", code="AAAA-AAAA-AAAA"))[1]
    assert "what comes next is unlock" in (await editor.refusal("openTask", study="small"))[1]
    codes = dict(line.split(",") for line in (tmp_path / "out" / "codes.csv").read_text().splitlines())
    view = await ask(editor, "unlock", study="small", code=codes["ada"])
    assert (view.step, view.condition, view.receipt) == ("open", "alone", None)
    await editor.quit()

    # What was delivered when consent was given holds no task yet; the next start delivers what has happened since.
    second_editor = await editors()
    await ask(second_editor, "study", study="small")
    journal = share / "ada" / "journal.jsonl"
    await second_editor.wait_until(lambda: journal.exists() and "drawn" in journal.read_text(), "the draw")
    progress = json.loads((await benchwright(lab, "study", "progress", str(share), "--json")).stdout)
    assert progress[0]["conditions"] == {
        "alone": {"drawn": 2, "waiting": 2, "under_way": 0, "finished": 0, "dropped_out": 0}
    }
    collected = await benchwright(lab, "study", "collect", str(share))
    assert collected.returncode == 0, collected.stderr
