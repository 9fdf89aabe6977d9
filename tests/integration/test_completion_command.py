"""`benchwright completion` as a user runs it: played, graded, reported, interrupted and continued."""

from __future__ import annotations

import json
import os
import random
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchwright_attempts import log_file
from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Edit, Event, RunFinished, RunStarted, Started, Submitted
from benchwright_attempts.events.evidence import EditReason, Recording
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.log import EventLog
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.closing import close_study
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_studies.plan.study_file import parse_study
from benchwright_subjects.inline.failure import ServerFailure
from benchwright_subjects.inline.record import ModelUse
from benchwright_subjects.inline.run_folder import RunFolder
from benchwright_subjects.inline.server.confinement import can_confine
from benchwright_subjects.inline.sites import SiteKind, SiteSelection, sites_of_problem

from ..support.models.inline_hearing import Hearing
from ..support.service.judge_endpoint import JudgeEndpoint, PlayedReply, content, fails, in_turn

pytestmark = pytest.mark.long

SUPPORT = Path(__file__).parents[1] / "support" / "models"
BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
PROBLEM = "saturating-counter"
RULES = {
    "rules": [
        {"after": ");", "say": "assign at_max = &count;"},
        {"after": "= &count;", "say": "assign at_min = ~|count;"},
        {"after": "~|count;", "say": "always_ff @(posedge clk) begin\n        if (!rst_n) count <= '0;"},
    ]
}


class Desk:
    """Runs the command in folders of its own."""

    def __init__(self, folder: Path, hearing: Hearing) -> None:
        self.folder = folder
        self.hearing = hearing
        self.environ = {**os.environ, "BENCHWRIGHT_HOME": str(folder / "home")}
        (folder / "script.json").write_text(json.dumps(RULES))

    def double(self) -> str:
        return shlex.join(
            [sys.executable, str(SUPPORT / "inline_double.py"), str(self.folder / "script.json"), self.socket]
        )

    def plain(self) -> str:
        return shlex.join([sys.executable, str(SUPPORT / "plain_inline_server.py"), "good", self.socket])

    @property
    def socket(self) -> str:
        return str(self.hearing.socket_path)

    def command(self, *arguments: str | Path) -> list[str]:
        return [str(BENCHWRIGHT), "completion", *map(str, arguments)]

    def run(self, *arguments: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
        process = subprocess.run(
            self.command(*arguments), env=self.environ, capture_output=True, text=True, timeout=300, check=False
        )
        assert process.returncode == status, process.stderr + process.stdout
        return process


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Hearing(tmp_path / "socket") as hearing:
        yield Desk(tmp_path, hearing)


def without_times(folder: Path) -> list[dict[str, Any]]:
    site_records = [json.loads(line) for line in (folder / "sites.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "times"} for line in site_records]


def test_a_run_is_played_graded_and_reported(desk: Desk) -> None:
    run_folder = desk.folder / "run"
    options = ("--pack", "starter", "--problem", PROBLEM, "--sites", "empty-body", "--mode", "alone")
    run_process = desk.run(
        "run", "--server", desk.double(), *options, "--policy", "always", "--out", run_folder, "--json"
    )
    sections = json.loads(run_process.stdout)["sections"]
    passed = sections["passed"]["numbers"]
    label = "double 1.2.3, alone | empty-body"
    assert passed[f"{label} | never"]["at_end"]["value"] == 0
    assert passed[f"{label} | always"]["graded"] == 1
    assert sections["funnel"]["numbers"][f"{label} | always"]["requests"] == 4
    assert sections["characters"]["numbers"][f"{label} | never"]["golf"]["value"] == 1
    assert sections["characters"]["numbers"][f"{label} | matches"]["saved"]["value"] > 0.4

    report_folder = desk.folder / "report"
    process = desk.run("report", run_folder, "--out", report_folder)
    assert "Passed, by accepted offers" in process.stdout
    page = (report_folder / "completion.html").read_text()
    assert "Hidden tests passed" in page
    assert "ceiling" in page
    assert json.loads((report_folder / "completion.json").read_text())["format"] == 1


def test_the_same_run_twice_keeps_the_same_but_for_times(desk: Desk) -> None:
    site_kinds = "line,unit,type-through"
    options = ("--pack", "starter", "--problem", PROBLEM, "--sites", site_kinds, "--per-kind", "1", "--longest", "60")
    for name in ("one", "two"):
        desk.run("run", "--server", desk.plain(), *options, "--no-grade", "--out", desk.folder / name)
    assert without_times(desk.folder / "one") == without_times(desk.folder / "two")
    assert len(without_times(desk.folder / "one")) > 8


@pytest.mark.nightly
def test_other_options_do_not_continue_a_run(desk: Desk) -> None:
    run_folder = desk.folder / "run"
    run_options = (
        "--pack",
        "starter",
        "--problem",
        PROBLEM,
        "--sites",
        "line",
        "--no-grade",
        "--no-bounds",
        "--out",
        run_folder,
    )
    desk.run("run", "--server", desk.plain(), *run_options)
    refused_run = desk.run("run", "--server", desk.plain(), *run_options, "--seed", "2", status=2)
    assert "a run with another seed" in refused_run.stderr


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--server", "", "--pack", "starter"), "--server is empty"),
        (("--server", "'", "--pack", "starter"), "quotation mark"),
        (("--server", "no-such-server", "--pack", "starter"), "NOT A FILE"),
        (("--server", "true", "--pack", "starter", "--sites", "lime"), "no sites of kind 'lime'"),
        (("--server", "true", "--pack", "starter", "--problem", "amdahl"), "None of these problems is a design"),
        (("--server", "true", "--pack", "starter", "--dialect", "klingon"), "Choose from: lsp, copilot, tabby"),
        (("--server", "true", "--pack", "nowhere"), "there is no pack 'nowhere'"),
    ],
)
def test_bad_options_are_answered_with_a_sentence(desk: Desk, arguments: tuple[str, ...], message: str) -> None:
    refused_run = desk.run("run", *arguments, "--no-grade", "--out", desk.folder / "run", status=2)
    expected_message = "The server ended before" if message == "NOT A FILE" and can_confine() else message
    assert expected_message in refused_run.stderr or "can't be started" in refused_run.stderr
    assert "Traceback" not in refused_run.stderr


@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")
def test_killed_at_random_a_run_loses_nothing_asks_nothing_twice_and_leaves_no_process(
    desk: Desk, nightly: bool
) -> None:
    kills, per_kind, sites = (50, 60, 200) if nightly else (5, 4, 20)
    run_folder = desk.folder / "run"
    options = ("--pack", "starter", "--sites", "line", "--per-kind", str(per_kind), "--no-grade", "--no-bounds")
    command = desk.command("run", "--server", desk.plain(), *options, "--out", run_folder)
    chance = random.Random(7)
    documents = _documents(per_kind)
    assert len(documents) >= sites
    kept_before: list[tuple[int, set[str]]] = []
    for _ in range(kills):
        count_before = len(desk.hearing.heard_messages)
        run_process = subprocess.Popen(command, env=desk.environ, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        # Not before it plays: a kill while Python loads tells nothing.
        end = time.monotonic() + 60
        while (
            len(desk.hearing.heard_messages) == count_before and run_process.poll() is None and time.monotonic() < end
        ):
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.6))
        run_process.kill()
        run_process.wait()
        _no_process(desk.socket)
        kept_before.append(
            (len(desk.hearing.heard_messages), {record.site for record in RunFolder(run_folder).records()})
        )
    subprocess.run(command, env=desk.environ, check=True, capture_output=True, timeout=600)
    records = RunFolder(run_folder).records()
    assert sorted(record.site for record in records) == sorted(documents)
    heard_messages = desk.hearing.heard_messages
    for heard, kept_sites in kept_before:
        later_texts = {
            message.params["text"] for message in heard_messages[heard:] if message.method == "textDocument/didOpen"
        }
        assert not later_texts & {documents[site] for site in kept_sites}
    assert any(kept_sites for _, kept_sites in kept_before)
    state_folder = desk.folder / "home" / "state" / "completion"
    assert list(state_folder.iterdir()) == []


def _documents(per_kind: int) -> dict[str, str]:
    """Documents that a server is shown at each site."""
    store = Store(Home.from_environment())
    documents = {}
    for problem in store.public_pack("starter").problems:
        unsealed_problem = store.unseal(f"starter/{problem.id}")
        for site in sites_of_problem(
            f"starter/{problem.id}", unsealed_problem, SiteSelection([SiteKind.LINE], per_kind)
        ):
            documents[site.id] = site.text_before + site.text_after
    return documents


def _no_process(mark: str) -> None:
    end = time.monotonic() + 10
    while alive := [process for process in psutil.process_iter(["cmdline"]) if mark in (process.info["cmdline"] or ())]:
        assert time.monotonic() < end, alive
        time.sleep(0.02)


def test_our_own_server_is_a_subject_too(desk: Desk) -> None:
    with JudgeEndpoint(lambda request: content("assign at_min = ~|count;")) as model:
        settings_file = desk.folder / "settings.json"
        settings_file.write_text(json.dumps({"assistant": {"enabled": True, "url": model.url, "model": "scripted"}}))
        server_options = ("--server", shlex.join([str(BENCHWRIGHT), "lsp"]), "--initialization", settings_file)
        run_folder = desk.folder / "run"
        options = ("--pack", "starter", "--problem", PROBLEM, "--sites", "line", "--per-kind", "4")
        desk.run(
            "run", *server_options, *options, "--no-grade", "--no-bounds", "--policy", "always", "--out", run_folder
        )
        requests_text = json.dumps([request.body for request in model.requests])
    records = RunFolder(run_folder).records()
    assert all("assign at_min" in record.snapshots[-1].text for record in records)
    assert len({record.subject.version for record in records}) == 1
    assert len(model.requests) == len(records)
    assert requests_text.count("<CURSOR>") >= len(records)


def test_the_double_may_ask_a_model_and_no_request_has_what_is_expected(desk: Desk) -> None:
    with JudgeEndpoint(lambda request: content("assign at_max = &count;")) as model:
        (desk.folder / "script.json").write_text(json.dumps({"model": model.url}))
        options = ("--pack", "starter", "--problem", PROBLEM, "--sites", "empty-body", "--mode", "alone", "--no-grade")
        desk.run(
            "run", "--server", desk.double(), *options, "--most-asks", "2", "--no-bounds", "--out", desk.folder / "run"
        )
        requests_text = json.dumps([request.body for request in model.requests])
    assert len(model.requests) == 2
    assert "at_min = ~|count" not in requests_text
    assert "always_ff" not in requests_text


SERVED = "http://127.0.0.1:13131/v1"
"""Address at which a server finds the model of its run."""


@pytest.mark.nightly
@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")
def test_the_runs_model_answers_a_server_and_its_tokens_are_reported_the_same_each_time(desk: Desk) -> None:
    settings_file = desk.folder / "settings.json"
    settings_file.write_text(json.dumps({"assistant": {"enabled": True, "url": SERVED, "model": "any"}}))
    server_options = ("--server", shlex.join([str(BENCHWRIGHT), "lsp"]), "--initialization", settings_file)
    options = ("--pack", "starter", "--problem", PROBLEM, "--sites", "line", "--per-kind", "2", "--policy", "always")
    with JudgeEndpoint(lambda request: content("assign at_min = ~|count;")) as model:
        desk.environ |= {"LOCAL_API_KEY": "secret-7f3a", "LOCAL_BASE_URL": model.url}
        served = ("--model", "openai-api/local/scripted", "--no-grade", "--no-bounds", "--json", "--seed", "5")
        first_run, second_folder = (desk.folder / name for name in ("one", "two"))
        first_process = desk.run("run", *server_options, *options, *served, "--out", first_run)
        desk.run("run", *server_options, *options, *served, "--out", second_folder)
        assert {request.seed for request in model.requests} == {5}
        other_model = ("--model", "openai-api/local/other", *served[2:])
        refused_run = desk.run("run", *server_options, *options, *other_model, "--out", first_run, status=2)
    assert "a run with another model" in refused_run.stderr
    records = RunFolder(first_run).records()
    assert [record.model_use for record in records] == [
        ModelUse(requests=1, answered=1, counted=1, input_tokens=100, output_tokens=20)
    ] * len(records)
    assert without_times(first_run) == without_times(second_folder)
    (tokens,) = json.loads(first_process.stdout)["sections"]["tokens"]["numbers"].values()
    assert (tokens["requests"], tokens["input_tokens"], tokens["output_tokens"]) == (2, 200, 40)
    process = desk.run("report", first_run)
    assert "with openai-api/local/scripted, assisted" in process.stdout


@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")
def test_a_server_with_the_runs_model_reaches_nothing_else_and_never_sees_its_key(desk: Desk) -> None:
    options = ("--pack", "starter", "--problem", PROBLEM, "--sites", "empty-body", "--mode", "alone", "--no-grade")
    with JudgeEndpoint(lambda request: content("assign at_max = &count;", token_counts=None)) as model:
        desk.environ |= {"LOCAL_API_KEY": "secret-7f3a", "LOCAL_BASE_URL": model.url}
        served = ("--model", "openai-api/local/scripted", "--most-asks", "1", "--no-bounds")
        for name, address, status in (("through", SERVED, 0), ("around", model.url, 1)):
            (desk.folder / "script.json").write_text(json.dumps({"model": address}))
            run_folder = desk.folder / name
            desk.run("run", "--server", desk.double(), *options, *served, "--out", run_folder, status=status)
    through_record, around_record = (RunFolder(desk.folder / name).records()[0] for name in ("through", "around"))
    assert through_record.steps[0].offer == "assign at_max = &count;"
    assert through_record.model_use == ModelUse(requests=1, answered=1, counted=0, input_tokens=0, output_tokens=0)
    assert (around_record.failure, around_record.model_use) == (
        ServerFailure.ERROR_ANSWER,
        ModelUse(requests=0, answered=0, counted=0, input_tokens=0, output_tokens=0),
    )
    environment = desk.hearing.params_of("initialized")[0]["environment"]
    assert environment["OPENAI_BASE_URL"] == SERVED
    assert "secret-7f3a" not in json.dumps(environment)
    assert "unknown" in desk.run("report", desk.folder / "through").stdout


@pytest.mark.nightly
@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")
def test_a_model_that_can_not_be_asked_is_told_apart_from_a_server_that_offers_nothing(desk: Desk) -> None:
    options = ("--pack", "starter", "--problem", PROBLEM, "--sites", "empty-body", "--mode", "alone", "--no-grade")
    (desk.folder / "script.json").write_text(json.dumps({"model": SERVED}))
    with JudgeEndpoint(lambda request: PlayedReply(b"{}", 400)) as model:
        desk.environ |= {"LOCAL_API_KEY": "none", "LOCAL_BASE_URL": model.url}
        served = (
            "--model",
            "openai-api/local/scripted",
            "--most-asks",
            "1",
            "--no-bounds",
            "--out",
            desk.folder / "run",
        )
        run_process = desk.run("run", "--server", desk.double(), *options, *served, status=1)
    assert "1 of 1 requests to the model were given up or failed." in run_process.stderr
    refused_run = desk.run("run", "--server", desk.double(), *options, "--model", "no/such", "--out", "x", status=2)
    assert "Write PROVIDER/MODEL" in refused_run.stderr


@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")
def test_a_site_at_which_the_models_provider_failed_is_played_again(desk: Desk) -> None:
    options = ("--pack", "starter", "--problem", PROBLEM, "--sites", "empty-body", "--mode", "alone", "--no-grade")
    (desk.folder / "script.json").write_text(json.dumps({"model": SERVED}))
    replies = [fails(401), content("assign at_max = &count;")]
    with JudgeEndpoint(in_turn(*replies)) as model:
        desk.environ |= {"LOCAL_API_KEY": "none", "LOCAL_BASE_URL": model.url}
        served = ("--model", "openai-api/local/scripted", "--most-asks", "1", "--no-bounds")
        arguments = ("run", "--server", desk.double(), *options, *served, "--out", desk.folder / "run")
        first_process = desk.run(*arguments, status=1)
        first_records = RunFolder(desk.folder / "run").records()
        desk.run(*arguments)
    assert "1 of 1 sites have no result, because the model's provider failed." in first_process.stderr
    assert list(first_records) == []
    (record,) = RunFolder(desk.folder / "run").records()
    assert (record.failure, record.steps[0].offer) == (None, "assign at_max = &count;")


def test_sign_in_shows_the_code_and_keeps_the_home_that_holds_the_sign_in(desk: Desk) -> None:
    profile = desk.folder / "profile"
    sign_in_process = desk.run("sign-in", "--server", desk.double(), "--profile", profile)
    assert "Open https://x.test/device and enter the code ABCD-1234." in sign_in_process.stdout
    assert "Signed in as somebody." in sign_in_process.stdout
    assert (profile / "token").read_text() == "signed in"
    assert profile.stat().st_mode & 0o077 == 0
    second_process = desk.run("sign-in", "--server", desk.double(), "--profile", profile, status=2)
    assert "is not empty" in second_process.stderr


def test_nobody_who_signs_in_leaves_no_profile(desk: Desk) -> None:
    (desk.folder / "script.json").write_text(json.dumps({"rules": [], "status": "NotSignedIn"}))
    sign_in_process = desk.run("sign-in", "--server", desk.double(), "--profile", desk.folder / "profile", status=2)
    assert "Nobody signed in" in sign_in_process.stderr
    assert not (desk.folder / "profile").exists()


def test_a_recorded_attempt_is_replayed(desk: Desk) -> None:
    """Somebody wrote `assign `, paused, and wrote what the server offers."""
    ref = f"starter/{PROBLEM}"
    start = Store(Home.from_environment()).problem(ref).public.files
    path = next(name for name in start if name.endswith(".sv"))
    offset = len(start[path])
    clock_ticks = iter(range(0, 10**12, 5 * 10**9))
    file = log_file(Home.from_environment(desk.environ))
    with EventLog(file, monotonic_ns=lambda: next(clock_ticks), process="p") as log:
        contents = {path: FileText.of_bytes(start[path].encode())}
        attempt = Attempts(log).create(ref, "d" * 64, Path("/w"), contents).id
        for text in ("// more\n", "assign guess = 1'b0;"):
            change = Change(start=offset, end=offset, text=text)
            offset += len(text)
            log.append_blocking(attempt, Edit(path=path, changes=(change,)))
    options = ("--pack", "starter", "--sites", "replay", "--attempt", attempt[:8], "--no-grade")
    desk.run("run", "--server", desk.plain(), *options, "--out", desk.folder / "run")
    (record,) = RunFolder(desk.folder / "run").records()
    assert record.policy is AcceptPolicy.NEVER
    assert record.likeness is not None
    assert (record.likeness.exact, record.likeness.lines_kept, record.likeness.lines) == (True, 1, 1)
    assert record.snapshots == ()
    other_options = ("--pack", "starter", "--problem", "sync-fifo", "--sites", "replay", "--attempt", attempt[:8])
    refused_run = desk.run("run", "--server", desk.plain(), *other_options, "--out", desk.folder / "other", status=2)
    assert "which this run leaves out" in refused_run.stderr


STUDY = """
study: s
title: S
problems: [starter/saturating-counter]
conditions: [{{name: alone, solver: human}}]
participants: [ada, bob]
randomisation: {{seed: 1}}
recording: {level}
forecasts: []
consent: {{version: "1", text: "You agree to what is written here."}}
"""


def conducted(desk: Desk, level: Recording, *, is_closed: bool = True) -> None:
    """A study in which two people write what the server would have said, and something else, with pauses between."""
    ref = f"starter/{PROBLEM}"
    start = Store(Home.from_environment()).problem(ref).public.files
    path = next(name for name in start if name.endswith(".sv"))
    clock_ns = [0]
    with StudyLog(log_file(Home.from_environment(desk.environ)), monotonic_ns=lambda: clock_ns[0], process="p") as log:
        studies = Studies(log, Attempts(log))
        studies.register(parse_study(STUDY.format(level=level), Path("s.yaml")), {})
        for person in ("ada", "bob"):
            studies.enroll("s", person)
            studies.give_consent("s", person, "1")
            assigned, agreed, problem = studies.next_task("s", person)
            contents = {path: FileText.of_bytes(start[path].encode())}
            solver_fields = {"solver": person, "condition": assigned.condition, "study": "s"}
            attempt = Attempts(log).create(problem, "d" * 64, Path("/w"), contents, recording=level, **solver_fields).id
            version, offset = 0, start[path].index(");") + 2

            def add(event: Event, attempt: str = attempt) -> None:
                log.append_blocking(attempt, event)

            for event in (assigned, agreed, Started(actor=Actor.PERSON)):
                add(event)
            for text in ("\n", "assign at_max = &count;", "\nassign at_min = (count == 0);\n", "// that is all\n"):
                clock_ns[0] += 20 * 10**9
                for character in text:
                    clock_ns[0] += 10**8
                    version += 1
                    change = Change(start=offset, end=offset, text=character)
                    offset += 1
                    add(Edit(path=path, version=version, changes=(change,)))
                    add(EditReason(path=path, version=version, reason="cursor", metadata={"kind": "type"}))
            add(RunStarted(run="r", number=1, snapshot={}))
            add(RunFinished(run="r", number=1, outcome=Outcome.PASSED, reason="passed", wall_s=1))
            add(Submitted())
            studies.record_task_begun(assigned, problem, attempt)
        if is_closed:
            close_study(log, "s", end_open_attempts=True)


@pytest.mark.nightly
def test_all_attempts_of_a_closed_study_are_replayed_and_the_report_says_who_would_have_helped(desk: Desk) -> None:
    conducted(desk, Recording.FULL)
    run_folder = desk.folder / "run"
    replay_options = ("--server", desk.double(), "--study", "s", "--pause-ms", "300", "--out", run_folder)
    first_process = desk.run("run", *replay_options, "--json")
    numbers = json.loads(first_process.stdout)["sections"]["beside-people"]["numbers"]
    (label,) = {name.partition(" | ")[0] for name in numbers}
    label_numbers = numbers[f"{label} | 1000 ms"]
    assert (label_numbers["participants"], label_numbers["attempts"], label_numbers["passed"]) == (2, 2, 2)
    # At the third pause the first offer comes again, for a line that ends alike.
    assert label_numbers["whole"]["right"]["value"] == pytest.approx(1 / 3)
    # The offer came a third of a minute before the author went on, and 2.3 s of typing before they were done.
    assert label_numbers["whole"]["minutes_earlier"]["value"] == pytest.approx((20 + 2.3 - 0.3) / 60, abs=0.01)
    assert label_numbers["wrong"]["share"]["value"] == pytest.approx(2 / 3)
    assert label_numbers["wrong"]["tested"] == 4
    assert "not time saved" in first_process.stdout
    message_count = len(desk.hearing.heard_messages)
    second_process = desk.run("run", *replay_options, "--json")
    assert json.loads(second_process.stdout)["sections"]["beside-people"]["numbers"] == numbers
    assert len(desk.hearing.heard_messages) == message_count
    hidden_part = Store(Home.from_environment()).unseal(f"starter/{PROBLEM}").hidden
    record_text = (run_folder / "hindsight.jsonl").read_text() + json.dumps(
        [message.params for message in desk.hearing.heard_messages]
    )
    for text in hidden_part.reference.values():
        assert not [line for line in text.splitlines() if "always_ff" in line and line in record_text]


def test_a_study_without_texts_is_refused(desk: Desk) -> None:
    conducted(desk, Recording.EDITS)
    server_options = ("--server", desk.double(), "--out", desk.folder / "run")
    refused_run = desk.run("run", *server_options, "--study", "s", status=2)
    assert "recorded no text (its level is `edits`)" in refused_run.stderr
    assert "no-such" in desk.run("run", *server_options, "--study", "no-such", status=2).stderr
    assert "leave out --pack" in desk.run("run", *server_options, "--study", "s", "--pack", "starter", status=2).stderr
    assert "Give --pack PACK, or --study ID" in desk.run("run", *server_options, status=2).stderr
    assert not (desk.folder / "run").exists()


def test_a_study_that_goes_on_is_not_replayed(desk: Desk) -> None:
    conducted(desk, Recording.FULL, is_closed=False)
    refused_run = desk.run(
        "run", "--server", desk.double(), "--study", "s", "--out", desk.folder / "run", "--no-grade", status=2
    )
    assert "is not closed yet. Close it with `benchwright study close s`" in refused_run.stderr
