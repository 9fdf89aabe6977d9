"""Each state that an attempt can be in, on every page: the same word, the same sign, and the run that it is about.

The client's pages have the same test: `client-vscode/test/text/standing.test.ts` plays `standings.json`, checked here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from benchwright_analysis.report.rows.attempts_table import attempts_section
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import exclusion_count_by_words, with_exclusions_marked
from benchwright_analysis.report.rows.reading import LogJob, fold_attempts_and_write_events
from benchwright_analysis.report.sections.main_result import main_result_section
from benchwright_analysis.report.sections.own_numbers import read_own_attempts
from benchwright_analysis.trace.attempt_steps import trace_of_attempt
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import (
    Abandoned,
    Answered,
    Event,
    Regraded,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
)
from benchwright_attempts.events.evidence import TimedOut
from benchwright_attempts.standing import AttemptView, PendingRun, ShownVerdict, Standing, attempt_view, summary_view
from benchwright_attempts.state import CONSENT_WITHDRAWN, AttemptState
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_remote.messages import RunState
from benchwright_server.attempts.attempt_views import replay_view
from benchwright_server.attempts.session import standing_view
from benchwright_server.cli.attempts.attempts import _attempt_json_row as cli_row
from benchwright_server.cli.terminal.output import print_verdict_and_exit
from benchwright_server.features.language.code_lens import lens_title_and_operation
from benchwright_server.protocol.messages import AttemptStatus, VerdictView
from benchwright_service.courses.people_rows import RowChoice
from benchwright_service.courses.progress import (
    CourseStudent,
    ProgressCell,
    ProgressMatrix,
    attempt_view_by_runs,
    run_standing,
)
from benchwright_service.pages.rendering import _environment
from benchwright_studies.conduct.study_log import StudyLog

ROOT = Path(__file__).parents[3]
FILE = "rtl/counter.sv"
SAVED = Save(path=FILE, size=1, sha256="1" * 64)
SAVED_AGAIN = Save(path=FILE, size=1, sha256="2" * 64)
BEGAN = RunStarted(run="r1", number=1, snapshot={FILE: "1" * 64})
BEGAN_AGAIN = RunStarted(run="r2", number=2, snapshot={FILE: "2" * 64})


def run_finished(reason: Reason, passed: int | None = None) -> RunFinished:
    outcome, total = reason.outcome, 5 if passed is not None else None
    counts = {"passed": passed, "total": total}
    return RunFinished(run="r1", number=1, outcome=outcome, reason=reason.value, message="", wall_s=1, **counts)


def service_run(number: int, state: RunState, reason: Reason | None = None, why: str = "") -> Any:
    """A run as the service's database has it."""
    verdict = json.dumps({"reason": reason.value}) if reason is not None and reason.outcome is Outcome.ERROR else None
    outcome = reason.outcome.value if reason is not None else ""
    return SimpleNamespace(
        number=number, state=state.value, why=why, outcome=outcome, regrade="", queued=1.0, verdict=verdict
    )


DONE_FAILED = service_run(1, RunState.DONE, Reason.TESTS_FAILED)
DONE_PASSED = service_run(1, RunState.DONE, Reason.PASSED)


@dataclass(frozen=True)
class State:
    """A state, by what is known where."""

    standing: Standing
    sign: str
    run: int | None
    events: list[Event]
    """After the opening, in the log."""
    service_runs: list[Any] = field(default_factory=list)
    """At a service."""


FAILED = run_finished(Reason.TESTS_FAILED, 0)
STATES = [
    State(Standing.OPEN, "…", None, [Started()]),
    State(Standing.RUNNING, "…", 1, [Started(), SAVED, BEGAN], [service_run(1, RunState.RUNNING)]),
    State(
        Standing.RUNNING,
        "…",
        2,
        [Started(), SAVED, BEGAN, FAILED, SAVED_AGAIN, BEGAN_AGAIN],
        [DONE_FAILED, service_run(2, RunState.RUNNING)],
    ),
    State(Standing.FAILED, "✗", 1, [Started(), SAVED, BEGAN, FAILED], [DONE_FAILED]),
    State(
        Standing.FAILED,
        "✗",
        1,
        [
            Started(),
            SAVED,
            BEGAN,
            FAILED,
            BEGAN_AGAIN.model_copy(update={"snapshot": BEGAN.snapshot}),
            RunCancelled(run="r2", number=2, reason="solver"),
            Submitted(),
        ],
        [DONE_FAILED, service_run(2, RunState.CANCELLED, why="solver")],
    ),
    State(Standing.PASSED, "✓", 1, [Started(), SAVED, BEGAN, run_finished(Reason.PASSED, 5)], [DONE_PASSED]),
    State(
        Standing.PASSED, "✓", 1, [Started(), SAVED, BEGAN, run_finished(Reason.PASSED, 5), Submitted()], [DONE_PASSED]
    ),
    State(
        Standing.WAITING,
        "…",
        1,
        [
            Started(),
            SAVED,
            Answered(number=1, outcome=Outcome.ERROR, reason="judge_unavailable", snapshot={FILE: "1" * 64}),
            Submitted(),
        ],
        [service_run(1, RunState.DONE, Reason.JUDGE_UNAVAILABLE)],
    ),
    State(
        Standing.UNDECIDED,
        "?",
        1,
        [Started(), SAVED, BEGAN, run_finished(Reason.MACHINE_BUSY), Submitted()],
        [service_run(1, RunState.DONE, Reason.MACHINE_BUSY)],
    ),
    State(
        Standing.PASSED,
        "✓",
        1,
        [
            *(Started(), SAVED, BEGAN, run_finished(Reason.MACHINE_BUSY), Submitted()),
            Regraded(number=1, outcome=Outcome.PASSED, reason="passed", message="", passed=5, total=5, wall_s=1),
        ],
        [DONE_PASSED],
    ),
    State(Standing.STALE, "…", 1, [Started(), SAVED, BEGAN, FAILED, SAVED_AGAIN], [DONE_FAILED]),
    State(Standing.GIVEN_UP, "–", 1, [Started(), SAVED, BEGAN, FAILED, Abandoned()], [DONE_FAILED]),
    State(Standing.TIMED_OUT, "✗", 1, [Started(), SAVED, BEGAN, FAILED, TimedOut(reason="time_limit")], [DONE_FAILED]),
    State(
        Standing.WITHDRAWN,
        "–",
        1,
        [Started(), SAVED, BEGAN, FAILED, Abandoned(reason=CONSENT_WITHDRAWN)],
        [DONE_FAILED],
    ),
]


def progress_cell(view: AttemptView) -> str:
    """What the teacher's page says of a student, in the cell of one problem."""
    student = CourseStudent("a1", "Ada", "")
    assignment: Any = SimpleNamespace(pack="starter", id="as1", title="Counters", problems=("counter",))
    place = ("a1", "as1", "counter")
    cells = {place: ProgressCell(view, 1, datetime(2026, 3, 1, tzinfo=UTC))} if view.standing != "not begun" else {}
    checks: Any = SimpleNamespace(
        found=False, waiting=0, disallowed_character_count=lambda *_: 0, has_unreported_text=lambda *_: False
    )
    page = (
        _environment()
        .get_template("progress.html")
        .render(
            session=None,
            places=(),
            member=SimpleNamespace(course="c", title="C"),
            titles={},
            matrix=ProgressMatrix([student], [(assignment, "counter")], cells),
            assignments=[assignment],
            people=SimpleNamespace(sections=(), total=1, page_count=1),
            columns=SimpleNamespace(page=1, page_count=1),
            choice=RowChoice(),
            passed={},
            heads=[],
            problem_count=1,
            checks=checks,
        )
    )
    return re.sub(r"<[^>]+>", "", re.findall(r"<td>(.*?)</td>", page, re.DOTALL)[-1]).strip()


@pytest.mark.parametrize("state", STATES, ids=lambda state: f"{state.standing.value}-{state.run}")
def test_every_page_has_the_same_word_and_sign_and_names_the_same_run(
    log: StudyLog, attempts: Attempts, attempt: str, tmp_path: Path, state: State
) -> None:
    for event in state.events:
        log.append_blocking(attempt, event)
    header, summary = log.header(attempt), attempts.summary(attempt)
    view = summary_view(summary)
    assert (view.standing, view.sign, view.run) == (state.standing, state.sign, state.run)

    seen = {"problem list": attempts.person_records_outside_studies()[header.problem].view}
    (own_attempt,) = read_own_attempts(log, Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})))
    seen |= {"my numbers": own_attempt.view, "course": attempt_view_by_runs(summary, state.service_runs)}
    for page, other in seen.items():
        assert (other.standing, other.sign, other.run) == (state.standing, state.sign, state.run), page

    cli = cli_row(header, summary)
    assert (cli["standing"], cli["sign"], cli["run"]) == (state.standing, state.sign, state.run)
    (folded,), _ = fold_attempts_and_write_events(
        LogJob(log.path, [header], {}, {}, check=False), expected_event_count=1
    )
    assert folded.observation.standing == state.standing, "the report's exports"
    (table, *_) = attempts_section(Dataset([folded], {})).tables
    assert str(table.rows[0][6]).startswith(f"{state.sign} {state.standing.value}"), "the report's page"

    run_words = f", run {state.run}" if state.run is not None else ""
    assert progress_cell(seen["course"]) == f"{state.sign} 1 run, {state.standing.value}{run_words}"

    verdict = summary.verdict
    shown = VerdictView(
        outcome="failed", reason="", message="", reveal="", policy_sentence="", wall_s=1, number=1, finished_at=""
    )
    status = AttemptStatus(
        attempt=attempt,
        problem=header.problem,
        title="",
        kind="design",
        workspace="",
        state=summary.state,
        elapsed_s=0,
        active_s=0,
        runs=1,
        running=state.standing is Standing.RUNNING,
        view=standing_view(view),
        verdict=shown if verdict is not None else None,
    )
    title, _ = lens_title_and_operation(status)
    if state.run is not None:
        assert view.short in title or view.headline in title
        assert state.sign in title or status.running, "the lens"


def test_what_was_not_begun_is_so_in_every_list() -> None:
    view = attempt_view(None)
    assert (view.standing, view.sign, view.run) == (Standing.NOT_BEGUN, "", None)
    assert ProgressCell().view == view
    assert progress_cell(view) == ""


def test_a_run_that_is_queued_is_so_in_the_editor_and_at_the_service(
    log: StudyLog, attempts: Attempts, attempt: str
) -> None:
    for event in (Started(), SAVED, BEGAN, FAILED, SAVED_AGAIN, BEGAN_AGAIN):
        log.append_blocking(attempt, event)
    live = attempt_view(
        AttemptState.RUNNING,
        newest_verdict=ShownVerdict(1, "failed", "tests_failed", 0, 5),
        pending_run=PendingRun(2, is_queued=True),
    )
    course = attempt_view_by_runs(attempts.summary(attempt), [DONE_FAILED, service_run(2, RunState.QUEUED)])
    for view in (live, attempts.person_records_outside_studies({attempt: live})["starter/counter"].view, course):
        assert (view.standing, view.sign, view.run, view.newer_run) == (Standing.QUEUED, "…", 2, None)
    assert progress_cell(course) == "… 1 run, queued, run 2", "and not the failure of run 1"


def test_a_superseded_run_is_so_wherever_runs_are_listed(log: StudyLog, attempt: str) -> None:
    events: list[Event] = [
        *(Started(), SAVED, BEGAN, RunCancelled(run="r1", number=1, reason="newer_save")),
        *(BEGAN_AGAIN, RunFinished(run="r2", number=2, outcome=Outcome.FAILED, reason="tests_failed", wall_s=1)),
    ]
    for event in events:
        log.append_blocking(attempt, event)
    assert [(span.run, span.what) for span in replay_view(log, attempt).runs] == [(1, "superseded"), (2, "failed")]
    (part,) = trace_of_attempt(log.header(attempt), log.events(attempt)).trace_parts
    titles = [step.title for step in part.steps]
    assert {"Run 1: superseded (newer_save)", "Run 2 failed"} <= {*titles}
    assert run_standing(service_run(1, RunState.CANCELLED, why="superseded")) is Standing.SUPERSEDED


def test_the_client_plays_the_states_of_this_version() -> None:
    kept = json.loads((ROOT / "client-vscode" / "test" / "text" / "standings.json").read_text(encoding="utf-8"))
    assert kept == client_views(), "write what `client_views` returns into standings.json"


def client_views() -> list[dict[str, Any]]:
    """Each state as the client hears of it."""
    failed, passed = ShownVerdict(3, "failed", "tests_failed", 3, 5), ShownVerdict(3, "passed", "passed", 5, 5)
    at_work = AttemptState.RUNNING
    views = [
        attempt_view(None),
        attempt_view(AttemptState.OPEN),
        attempt_view(at_work, newest_verdict=failed, pending_run=PendingRun(4)),
        attempt_view(at_work, newest_verdict=failed, pending_run=PendingRun(4, is_queued=True)),
        attempt_view(at_work, newest_verdict=failed),
        attempt_view(at_work, newest_verdict=passed, first_passed_run=3),
        attempt_view(AttemptState.SUBMITTED, newest_verdict=ShownVerdict(3, "error", "judge_unavailable")),
        attempt_view(AttemptState.SUBMITTED, newest_verdict=ShownVerdict(3, "error", "machine_busy")),
        attempt_view(at_work, newest_verdict=failed, has_changed_files=True),
        attempt_view(AttemptState.ABANDONED, newest_verdict=failed),
        attempt_view(AttemptState.TIMED_OUT, newest_verdict=failed),
        attempt_view(AttemptState.ABANDONED, newest_verdict=failed, is_withdrawn=True),
        attempt_view(at_work, newest_verdict=ShownVerdict(3, "recorded", "recorded")),
    ]
    return [standing_view(view).model_dump(mode="json", by_alias=True) for view in views]


def test_a_problem_that_was_only_opened_is_in_no_numbers_and_a_report_says_why_it_does_not_count(
    log: StudyLog, attempt: str, tmp_path: Path
) -> None:
    store = Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)}))
    assert read_own_attempts(log, store) == []
    (folded,), _ = fold_attempts_and_write_events(
        LogJob(log.path, [log.header(attempt)], {}, {}, check=False), expected_event_count=1
    )
    marked = with_exclusions_marked([folded.observation], None, None)
    assert exclusion_count_by_words(marked) == {"not ended yet": 1}
    (section,) = [main_result_section(Dataset([replace(folded, observation=marked[0])], {}))]
    assert section.empty_reason == (
        "No attempt that counts has a verdict, so there is no answer yet. Left out: 1 not ended yet."
    )
    log.append_blocking(attempt, Started())
    assert [own_attempt.view.standing for own_attempt in read_own_attempts(log, store)] == [Standing.OPEN]


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        (Reason.PASSED, "passed"),
        (Reason.MACHINE_BUSY, "undecided"),
        (Reason.JUDGE_UNAVAILABLE, "waiting for a judge"),
    ],
)
def test_a_graded_file_is_called_so_on_the_terminal(
    reason: Reason, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit):
        print_verdict_and_exit("p/q", Verdict(reason=reason, detail="So it is."), json_output=False)
    assert capsys.readouterr().out.startswith(f"{word}: ")
