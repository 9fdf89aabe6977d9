"""Reports: a tiny study whose every number was worked out by hand, the made-up one, and what must never be in any."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_analysis.report.report import NothingToReportError, ReportOptions, write_report
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Abandoned, Edit, Event, Paused, Resumed, RunFinished, Started, Submitted
from benchwright_attempts.events.evidence import EditReason, Forecast, ModelUsage, SelfEstimate, TimedOut, Violation
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_foundation.home import Home
from benchwright_problems.problem import Hidden, Pack, Problem
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.study_file import parse_study

CANARY = "CANARY-9f31"
HOSTILE = "<script>alert(1)</script>"
STUDY = """\
study: tiny
title: Tiny study
problems: [tiny/one, tiny/two, tiny/three]
conditions:
  - {name: alone, solver: human}
  - {name: copilot, solver: human+copilot, assistants: [github.copilot]}
participants: 2
randomisation: {unit: task, order: latin-square, seed: 1}
limits: {time_minutes: 30}
forecasts: [minutes]
self_estimates: [minutes, external_help]
show_distribution: true
exclusions:
  - when: external_help
consent: {version: "1", text: A consent text that is long enough to be one.}
"""


@dataclass
class Clock:
    wall: datetime = datetime(2026, 3, 2, 9, tzinfo=UTC)
    mono_ns: int = 0

    def pass_min(self, minutes: float) -> None:
        self.wall += timedelta(minutes=minutes)
        self.mono_ns += round(minutes * 60e9)


@dataclass(frozen=True)
class Lab:
    log: StudyLog
    store: Store
    clock: Clock
    home: Home

    def tell(self, attempt: str, *events: Event) -> None:
        for event in events:
            self.log.append_blocking(attempt, event)

    def verdict(self, attempt: str, number: int, passed_count: int, total: int = 4) -> None:
        outcome = Outcome.PASSED if passed_count == total else Outcome.FAILED
        self.tell(
            attempt,
            RunFinished(
                run=f"r{number}",
                number=number,
                outcome=outcome,
                reason="passed" if passed_count == total else "tests_failed",
                message=HOSTILE,
                passed=passed_count,
                total=total,
                wall_s=1,
            ),
        )

    def work(self, attempt: str, minutes: float) -> None:
        """Types a letter a minute, so that all of the time is active; the last stretch is what is left."""
        while minutes > 0:
            step = min(1.0, minutes)
            self.clock.pass_min(step)
            minutes -= step
            self.type(attempt, "x")

    def type(self, attempt: str, text: str, reason: str = "cursor") -> None:
        version = self.log.events(attempt)[-1].seq
        self.tell(attempt, EditReason(path="rtl/a.sv", version=version, reason=reason, metadata={"kind": "type"}))
        change = Change(start=0, end=0, text=text)
        self.tell(attempt, Edit(path="rtl/a.sv", version=version, changes=(change,)))


def pack() -> Pack:
    """Three small problems; the hidden parts hold the canary."""
    counter = next(candidate for candidate in read_built_in("starter").problems if candidate.id == "saturating-counter")
    hidden_part = Hidden(harness={"src/test.py": CANARY}, reference={"rtl/a.sv": CANARY}, sha256=CANARY)

    def problem(name: str, difficulty: str, category: str) -> Problem:
        changes = {"id": name, "title": f"{name} {HOSTILE}", "difficulty": difficulty, "category": category}
        return Problem.model_validate(counter.model_copy(update={"hidden": hidden_part}).model_dump() | changes)

    return Pack(
        name="tiny",
        title="Tiny",
        version="1",
        license="MIT",
        source="here",
        problems=(
            problem("one", "easy", "cid003"),
            problem("two", "medium", "cid003"),
            problem("three", "hard", "cid016"),
        ),
    )


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    clock, home = Clock(), Home.from_environment()
    store = Store(home)
    store.add(pack())
    path = home.data / "attempts" / "log.sqlite"
    with StudyLog(path, wall_clock=lambda: clock.wall, monotonic_ns=lambda: clock.mono_ns, process="p") as log:
        yield Lab(log, store, clock, home)


def carry_out(lab: Lab, study: str = STUDY) -> None:
    """Two people, three problems, two conditions.

    By the plan of seed 1 each problem is tried once under each condition. What happens depends on the problem and
    the condition only, so that it does not matter who has which:

    | problem | alone                           | copilot                          |
    | one     | passes at 10 min, first run 2/4 | passes at 4 min                  |
    | two     | passes at 20 min                | passes at 16 min                 |
    | three   | gives up at 6 min, run 1/4      | times out at 30 min, run 3/4     |
    """
    studies = Studies(lab.log, Attempts(lab.log))
    registered_study = studies.register(parse_study(study, Path("tiny.yaml")), {})
    for participant in ("P01", "P02"):
        studies.enroll("tiny", participant)
        studies.give_consent("tiny", participant, "1")
        for task in registered_study.study.problems:
            forecast = Forecast(minutes_without_ai=8, minutes_with_ai=8)
            studies.record_next_forecast("tiny", participant, task.problem, forecast)
        for _ in range(3):
            assigned, consent, problem = studies.next_task("tiny", participant)
            header = Attempts(lab.log).create(
                *(problem, lab.store.problem(problem).public_digest, Path("/w"), {"rtl/a.sv": FileText.of_text("")}),
                solver=participant,
                condition=assigned.solver,
                study="tiny",
            )
            studies.record_task_begun(assigned, problem, header.id)
            forecast = studies.find_forecast("tiny", participant, problem) or Forecast()
            lab.tell(header.id, assigned, consent, forecast, Started())
            _attempt(lab, header.id, problem.removeprefix("tiny/"), assigned.condition)
            lab.tell(header.id, SelfEstimate(minutes=10, external_help=False))
            lab.clock.pass_min(5)
        studies.record_finish_if_finished("tiny", participant)
    assert registered_study.plan.assignment_of("P01") is not None


def _attempt(lab: Lab, attempt: str, problem: str, condition: str) -> None:
    match problem, condition:
        case "one", "alone":
            lab.work(attempt, 5)
            lab.verdict(attempt, 1, 2)
            lab.tell(attempt, Paused(reason="tea"))
            lab.clock.pass_min(45)  # does not count
            lab.tell(attempt, Resumed())
            lab.work(attempt, 5)
            lab.verdict(attempt, 2, 4)
            lab.tell(attempt, Submitted())
        case "one", _:
            lab.type(attempt, "0123456789", "inlineCompletionAccept")
            lab.work(attempt, 4)
            lab.verdict(attempt, 1, 4)
            lab.tell(attempt, Submitted())
        case "two", "alone":
            lab.work(attempt, 20)
            lab.verdict(attempt, 1, 4)
            lab.tell(attempt, Submitted())
        case "two", _:
            lab.work(attempt, 16)
            lab.verdict(attempt, 1, 4)
            lab.tell(attempt, Submitted())
        case "three", "alone":
            lab.work(attempt, 6)
            lab.verdict(attempt, 1, 1)
            lab.tell(attempt, Violation(rule="assist_accepted"), Abandoned(reason=HOSTILE))
        case _:
            lab.work(attempt, 30)
            lab.verdict(attempt, 1, 3)
            lab.tell(attempt, TimedOut(reason="time_limit", limit=1800))


def add_models(lab: Lab) -> None:
    """Of model m: problem one passes 2 of 2, two 1 of 2, three 0 of 2; 100 tokens and 0.01 $ each."""
    for problem, sample_passed_counts in (("one", (4, 4)), ("two", (4, 0)), ("three", (0, 0))):
        for passed_count in sample_passed_counts:
            ref = f"tiny/{problem}"
            files = {"rtl/a.sv": FileText.of_text("")}
            digest = lab.store.problem(ref).public_digest
            header = Attempts(lab.log).create(ref, digest, Path("/w"), files, solver="lab/m", condition="model")
            lab.tell(header.id, Started())
            lab.clock.pass_min(0.5)
            usage = ModelUsage(
                model="lab/m", calls=1, input_tokens=60, output_tokens=40, total_tokens=100, cost_usd=0.01
            )
            lab.tell(header.id, usage)
            lab.verdict(header.id, 1, passed_count)
            lab.tell(header.id, Submitted())


def numbers(folder: Path) -> dict[str, Any]:
    content = json.loads((folder / "report.json").read_text())
    return {name: section["numbers"] for name, section in content["sections"].items()}


def test_every_number_of_a_tiny_study_is_the_one_worked_out_by_hand(lab: Lab, tmp_path: Path) -> None:
    carry_out(lab)
    add_models(lab)
    report_files = write_report(lab.log, lab.store, ReportOptions(tmp_path / "out", study="tiny"))
    assert (report_files.attempts, report_files.counted_attempts) == (12, 12)
    sections = numbers(tmp_path / "out")
    approx = pytest.approx

    support = sections["support"]
    assert (support["participants"], support["problems"], support["models"]) == (2, 3, ["lab/m"])
    assert (support["left_out"], support["chains_checked"]) == ({}, True)
    assert support["deviations"] == ["Violations of a condition were flagged: assist accepted in 1 attempt."]
    # 10 + 20 + 6 + 4 + 16 + 30 minutes, no gap longer than one.
    rows_by_threshold = {row["threshold_s"]: row for row in support["active_time"]["thresholds"]}
    assert [rows_by_threshold[threshold]["total_s"] for threshold in (60, 120, 300)] == approx([86 * 60] * 3)
    assert rows_by_threshold[120]["median_s"] == approx(13 * 60)

    overall = sections["success"]["overall"]
    success_shares = {group: share["value"] for group, share in overall.items()}
    assert success_shares == {"alone": approx(2 / 3), "copilot": approx(2 / 3), "model: lab/m": approx(0.5)}
    # Two people at three problems show neither how much people differ nor problems.
    assert (overall["alone"]["low"], overall["alone"]["high"]) == (None, None)
    # Best scores: 1, 1, 1/4; with copilot 1, 1, 3/4; of the model 1, 1, 1, 0, 0, 0.
    success_scores = {group: score["value"] for group, score in sections["success"]["score"].items()}
    assert success_scores == {"alone": approx(0.75), "copilot": approx(2.75 / 3), "model: lab/m": approx(0.5)}
    # Two of cid003 passed, none of cid016: (1 + 0) / 2; of the model (3/4 + 0) / 2.
    macros = {group: macro["value"] for group, macro in sections["success"]["macro"].items()}
    assert macros == {"alone": approx(0.5), "copilot": approx(0.5), "model: lab/m": approx(0.375)}
    categories = {row["label"]: row["passed"] for row in sections["success"]["category"]["alone"]}
    assert {name: (share["value"], share["attempts"]) for name, share in categories.items()} == {
        "cid003": (1, 2),
        "cid016": (0, 1),
    }

    curves = sections["time"]["curves"]
    # Alone: 6 censored of 3 at risk, then 1 - 1/2 at 10 and 0 at 20.
    assert curves["alone"]["times"] == approx([6, 10, 20])
    assert curves["alone"]["unsolved"] == approx([1, 0.5, 0])
    assert curves["alone"]["censored"] == [1, 0, 0]
    assert curves["copilot"]["times"] == approx([4, 16, 30])
    assert curves["copilot"]["unsolved"] == approx([2 / 3, 1 / 3, 1 / 3])
    assert curves["copilot"]["median"]["value"] == approx(16)
    # Areas up to 30 minutes: 10 + 10/2 alone; 4 + 12 * 2/3 + 14/3 with copilot.
    means = {group: mean["value"] for group, mean in sections["time"]["restricted_means"].items()}
    assert means == {"alone": approx(15), "copilot": approx(4 + 8 + 14 / 3)}
    difference = sections["time"]["comparisons"]["copilot"]["difference"]
    # Pseudo-values alone: 3 * 15 - 2 * (15, 10, 20) without the first, the last and the one between: 15, 25, 5; with
    # copilot 4, 16, 30. By problem -1, -9 and 15; one person has copilot in the second problem, the other elsewhere:
    # what people differ by cancels in the mean of -9 and of (-1 + 15) / 2.
    assert (difference["value"], difference["low"], difference["within"]) == (approx(-1), None, True)
    only = sections["time"]["secondary_successes_only"]
    assert only["alone"]["geometric_mean"] == approx(200**0.5)
    assert only["copilot"]["geometric_mean"] == approx(8)

    model = sections["models"]["model: lab/m"]
    assert model["pass@1"]["estimate"]["unbiased"]["value"] == approx(0.5)
    # Of two samples: 1, 1 and 0 unbiased; plug-in 1, 1 - 1/4, 0.
    assert model["pass@2"]["estimate"]["unbiased"]["value"] == approx(2 / 3)
    assert model["pass@2"]["estimate"]["cvdp_plug_in"]["value"] == approx((1 + 0.75) / 3)
    assert model["usage"] == {
        "calls": 6,
        "input_tokens": 360,
        "output_tokens": 240,
        "total_tokens": 600,
        "cost_usd": approx(0.06),
    }
    # Problem three was solved by nobody alone, so it has no human time.
    assert sections["horizon"]["human_minutes"] == {"tiny/one": approx(10), "tiny/two": approx(20)}

    forecasts = sections["estimates"]
    # 10/8 and 20/8; 4/8 and 16/8: geometric means.
    assert forecasts["forecast_minutes, alone"]["ratio"]["value"] == approx((1.25 * 2.5) ** 0.5)
    assert forecasts["forecast_minutes, copilot"]["ratio"]["value"] == approx(1)
    assert forecasts["self_minutes, alone"]["ratio"]["value"] == approx(2**0.5)

    origins = sections["origins"]["by_condition"]
    alone_characters = {origin["source"]: origin["characters"] for origin in origins["alone"]["sources"]}
    copilot = {origin["source"]: origin["characters"] for origin in origins["copilot"]["sources"]}
    assert (alone_characters["typed"], alone_characters["completion"]) == (36, 0)
    assert (copilot["typed"], copilot["completion"]) == (50, 10)
    survival_by_moment = {row["moment"]: (row["accepted"], row["surviving"]) for row in origins["copilot"]["survival"]}
    assert survival_by_moment == {"30 s": (10, 10), "2 min": (10, 10), "the end": (10, 10)}

    rows = _csv(tmp_path / "out" / "attempts.csv")
    paused = next(row for row in rows if row["problem"] == "tiny/one" and row["condition"] == "alone")
    assert (float(paused["clock_s"]), float(paused["elapsed_s"]), paused["pauses"]) == (600, 3300, "1")
    assert (paused["runs"], paused["submissions"], paused["score"]) == ("2", "1", "1")


def _csv(file: Path) -> list[dict[str, str]]:
    import csv

    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_conditions_are_compared_with_the_one_that_the_study_names(lab: Lab, tmp_path: Path) -> None:
    carry_out(lab, f"{STUDY}\nanalysis: {{primary: time, baseline: copilot}}\n")
    write_report(lab.log, lab.store, ReportOptions(tmp_path / "out", study="tiny"))
    sections = numbers(tmp_path / "out")
    assert [condition["group"] for condition in sections["answer"]["conditions"]] == ["copilot", "alone"]
    # The difference of the test above, the other way round.
    assert sections["time"]["comparisons"]["alone"]["difference"]["value"] == pytest.approx(1)
    assert list(sections["success"]["comparisons"]) == ["alone against copilot"]


def test_other_readers_find_their_files(lab: Lab, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from benchwright_analysis.report.rows.codebook import TABLES

    carry_out(lab)
    add_models(lab)
    out_folder = tmp_path / "out"
    report_files = write_report(lab.log, lab.store, ReportOptions(out_folder, study="tiny"))
    for name, model in TABLES.items():
        assert pq.read_schema(out_folder / f"{name}.parquet").names == list(model.model_fields)
        assert list(_csv(out_folder / f"{name}.csv")[0]) == list(model.model_fields)
    assert (
        pq.read_metadata(out_folder / "events.parquet").num_rows
        == len(_csv(out_folder / "events.csv"))
        == report_files.events
    )
    alone = json.loads((out_folder / "cvdp" / "alone" / "report.json").read_text())
    assert alone["cid003"]["easy"]["Passed Problems"] == 1
    assert alone["cid016"]["hard"]["Failed Problems"] == 1
    samples = json.loads((out_folder / "cvdp" / "model-lab-m" / "composite_report.json").read_text())
    assert samples["metadata"]["n_samples"] == 2
    assert (out_folder / "cvdp" / "model-lab-m" / "sample_2" / "raw_result.json").exists()
    assert "=== Benchmark Report ===" in (out_folder / "cvdp" / "alone" / "report.txt").read_text()


def test_nothing_hidden_and_nothing_unescaped_is_in_any_file(lab: Lab, tmp_path: Path) -> None:
    carry_out(lab)
    add_models(lab)
    out_folder = tmp_path / "out"
    write_report(lab.log, lab.store, ReportOptions(out_folder, study="tiny"))
    for file in out_folder.rglob("*"):
        if file.is_file():
            assert CANARY.encode() not in file.read_bytes(), file
    page = (out_folder / "report.html").read_text()
    assert page.count("<script>") == 1
    assert "&lt;script&gt;alert(1)" in page
    # The font that the page brings along is no address.
    markup = re.sub(r"url\(data:font/ttf;base64,[A-Za-z0-9+/=]+\)", "", page.split("<script>")[0])
    assert not re.search(r"https?://|//[a-z]|@import|url\((?!#)", markup)


def test_a_rule_of_the_study_leaves_attempts_out_and_says_so(lab: Lab, tmp_path: Path) -> None:
    carry_out(lab)
    helped = lab.log.headers()[0]
    lab.tell(helped.id, SelfEstimate(external_help=True))
    report_files = write_report(lab.log, lab.store, ReportOptions(tmp_path / "out", study="tiny"))
    assert (report_files.attempts, report_files.counted_attempts) == (6, 5)
    assert numbers(tmp_path / "out")["support"]["left_out"] == {"external help": 1}


def test_participants_see_their_own_numbers_and_no_others_while_there_are_few(lab: Lab) -> None:
    from benchwright_analysis.report.sections.own_numbers import read_own_attempts

    carry_out(lab)
    own_attempts = read_own_attempts(lab.log, lab.store, "tiny", "P01")
    assert [attempt.view.is_passed for attempt in own_attempts].count(True) == 2
    assert len(own_attempts) == 3 and all(attempt.others is None for attempt in own_attempts)
    own_attempt = next(own_attempt for own_attempt in own_attempts if own_attempt.problem == "tiny/one")
    assert own_attempt.first_pass_min in (pytest.approx(10), pytest.approx(4))
    assert own_attempt.forecast_ratio == pytest.approx((own_attempt.first_pass_min or 0) / 8)


SHOWN = """\
study: shown
title: Everybody sees how the others did
problems: [tiny/one]
conditions: [{name: alone, solver: human}]
participants: 6
randomisation: {seed: 1}
forecasts: []
self_estimates: []
show_distribution: SHOWN
feedback: FEEDBACK
consent: {version: "1", text: A consent text that is long enough to be one.}
"""


@pytest.mark.parametrize(("visibility", "feedback"), [("true", "full"), ("false", "full"), ("true", "none")])
def test_participants_see_how_five_others_did_where_the_study_shows_it(
    lab: Lab, visibility: str, feedback: str
) -> None:
    """The others pass at 4, 6, 8 and 12 minutes, and one gives up at 10: a quarter of five is the second to pass.

    Solved by 4: 1/5. By 6: 2/5. By 8: 3/5. By 12, when the one who gave up is not at risk any more: all that are left.
    """
    from benchwright_analysis.report.sections.own_numbers import read_own_attempts

    studies = Studies(lab.log, Attempts(lab.log))
    studies.register(parse_study(SHOWN.replace("SHOWN", visibility).replace("FEEDBACK", feedback), Path("s.yaml")), {})
    for participant, minutes in zip(("P01", "P02", "P03", "P04", "P05", "P06"), (5, 4, 6, 8, 10, 12), strict=True):
        studies.enroll("shown", participant)
        studies.give_consent("shown", participant, "1")
        assigned, consent, problem = studies.next_task("shown", participant)
        header = Attempts(lab.log).create(
            *(problem, lab.store.problem(problem).public_digest, Path("/w"), {"rtl/a.sv": FileText.of_text("")}),
            solver=participant,
            condition="alone",
            study="shown",
        )
        studies.record_task_begun(assigned, problem, header.id)
        lab.tell(header.id, assigned, consent, Started())
        lab.work(header.id, minutes)
        if participant == "P05":
            lab.tell(header.id, Abandoned(reason="enough"))
        else:
            lab.verdict(header.id, 1, 4)
            lab.tell(header.id, Submitted())
    (own_attempt,) = read_own_attempts(lab.log, lab.store, "shown", "P01")
    assert own_attempt.active_min == pytest.approx(5)
    assert (own_attempt.view.is_passed, own_attempt.score) == ((True, 1) if feedback == "full" else (None, None))
    peers = own_attempt.others
    if (visibility, feedback) != ("true", "full"):
        assert peers is None
    else:
        assert peers is not None
        assert (peers.attempts, peers.solved) == (5, 4)
        assert (peers.quarter_min, peers.half_min, peers.three_quarters_min) == (6, 8, 12)


def test_a_damaged_log_is_refused_with_the_attempt_named(lab: Lab, tmp_path: Path) -> None:
    carry_out(lab)
    victim = lab.log.headers()[0].id
    path = lab.home.data / "attempts" / "log.sqlite"
    with sqlite3.connect(path) as database:
        for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f'DROP TRIGGER "{trigger}"')
        database.execute(
            "UPDATE events SET wall = '2026-03-02T09:00:00.000000Z' WHERE attempt = ? AND seq = 5", (victim,)
        )
    refused_report = CliRunner().invoke(
        app_with_commands(), ["report", "--study", "tiny", "--out", str(tmp_path / "out")]
    )
    assert refused_report.exit_code == 2
    message = " ".join(refused_report.stderr.split())
    assert f"event 5 of attempt {victim}" in message
    assert f"--without {victim[:8]}" in message
    report_run = CliRunner().invoke(
        app_with_commands(),
        ["report", "--study", "tiny", "--without", victim[:8], "--out", str(tmp_path / "out"), "--json"],
    )
    assert json.loads(report_run.stdout)["attempts"] == 5


def test_without_attempts_the_next_step_is_told(lab: Lab, tmp_path: Path) -> None:
    with pytest.raises(NothingToReportError, match="--demo"):
        write_report(lab.log, lab.store, ReportOptions(tmp_path / "out"))


@pytest.mark.nightly
def test_one_command_makes_up_a_study_lets_a_model_run_and_writes_the_full_report(tmp_path: Path) -> None:
    out_folder = tmp_path / "out"
    demo_run = CliRunner().invoke(
        app_with_commands(), ["report", "--demo", "--people", "8", "--out", str(out_folder), "--json"]
    )
    assert demo_run.exit_code == 0, demo_run.output
    content = json.loads((out_folder / "report.json").read_text())
    empty_sections = [name for name, section in content["sections"].items() if section["without"]]
    assert empty_sections == []
    picture_ids = {picture["id"] for section in content["sections"].values() for picture in section["pictures"]}
    assert picture_ids >= {
        *("success-by-category", "survival", "score-over-time", "horizon", "topic-radar", "topic-dots"),
        *("forecasts", "origins", "judge-agreement", "solved-side-by-side"),
    }
    assert "model: mockllm/model" in content["groups"]
    assert list((out_folder / "inspect").glob("*.eval"))
    assert not list(out_folder.glob(".events-*"))
