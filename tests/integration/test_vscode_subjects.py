"""VS Code extensions as subjects: a real code-server in a real Chromium, with an extension that is packed here."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchwright_foundation.home import Home
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.dialects.vscode import VSCodeDialect
from benchwright_subjects.inline.failure import ServerFailure
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import OfferOutcome
from benchwright_subjects.inline.run_folder import RunFolder
from benchwright_subjects.inline.server.confinement import can_confine
from benchwright_subjects.inline.server.server_process import ServerLaunch
from benchwright_subjects.inline.site_run import InlineSubject, PlayedSite, PlayRules, play_site
from benchwright_subjects.inline.vscode.editor_launch import DISPLAY, driver_command, write_probe_extension
from benchwright_subjects.inline.vscode.vsix import read_vsix, vsix_of_folder

from ..support.models.inline_site import CANARY, SITE
from ..support.models.vscode_subjects import EXTENSION, programs
from ..support.service.judge_endpoint import JudgeEndpoint, content

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")


pytestmark = [
    pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here"),
    pytest.mark.long,
]


@pytest.fixture
def vsix(tmp_path: Path) -> Path:
    programs()
    file = tmp_path / "subject.vsix"
    file.write_bytes(vsix_of_folder(EXTENSION))
    return file


async def played(
    vsix: Path, subject_script: dict[str, Any], policy: AcceptPolicy, rules: PlayRules, secrets: tuple[Path, ...] = ()
) -> PlayedSite:
    command = driver_command(programs(), [read_vsix(vsix)], write_probe_extension(vsix.parent / "probe"))
    dialect = VSCodeDialect({"subject.script": subject_script})
    places_folder = vsix.parent / "places"
    subject = InlineSubject(
        ServerLaunch(command, secrets=(*secrets, places_folder)), dialect, os.environ, places_folder
    )
    return await play_site(SITE, {"docs/notes.md": "Notes."}, subject, policy, rules)


def processes(*words: str) -> list[str]:
    """Command lines of running processes that name one of these."""
    lines = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if any(word in line for word in words) and process.pid != os.getpid():
            lines.append(line)
    return lines


def gone(*words: str) -> bool:
    deadline = time.monotonic() + 10
    while processes(*words) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not processes(*words)


async def test_lines_of_ghost_text_are_taken_by_the_editors_own_commands(vsix: Path) -> None:
    script = {
        "rules": [
            {"after": ");", "say": "assign y = a & b;\n    assign z = a ^ b;"},
            {"after": "a & b;", "say": "assign z = a | b;"},
        ]
    }
    site_record = await played(vsix, script, AcceptPolicy.FIRST_LINE, PlayRules())
    assert site_record.failure is None
    assert [(step.decision, step.accepted.strip()) for step in site_record.steps] == [
        (OfferOutcome.PARTLY_ACCEPTED, "assign y = a & b;"),
        (OfferOutcome.ACCEPTED, "assign z = a | b;"),
    ]
    assert site_record.steps[0].offer == "assign y = a & b;\n    assign z = a ^ b;"
    assert (site_record.server_name.name, site_record.server_name.version[:12]) == ("tests.subject", "2.0.1 (vsix ")
    assert len(site_record.latencies_ms) == len(site_record.drawn_ms) == 2
    assert None not in site_record.drawn_ms
    assert not list((vsix.parent / "places").iterdir())
    assert gone(str(vsix.parent))


async def test_a_hostile_extension_sees_and_leaves_nothing_and_its_silence_has_a_name(
    vsix: Path, tmp_path: Path
) -> None:
    hidden_folder = tmp_path / "hidden"
    hidden_folder.mkdir()
    (hidden_folder / "reference.sv").write_text(CANARY)
    prowling_script = {
        "mode": "prowls",
        "looks": [str(hidden_folder / "reference.sv")],
        "writes": str(tmp_path / "left"),
    }
    # The first answer has to arrive within this time on a busy machine too.
    site_record = await played(
        vsix, prowling_script, AcceptPolicy.NEVER, PlayRules(RefusalConsequence.ASSISTED, timeout_s=6), (hidden_folder,)
    )
    assert site_record.failure is None
    assert [step.decision for step in site_record.steps] == [OfferOutcome.REFUSED, OfferOutcome.TIMED_OUT]
    assert site_record.steps[0].offer == "ENOENT EROFS"
    assert site_record.latencies_ms[1] is None
    assert not (tmp_path / "left").exists()
    assert gone(str(tmp_path))


@pytest.mark.nightly
async def test_an_extension_that_edits_by_itself_ends_its_site(vsix: Path) -> None:
    script = {"mode": "edits", "rules": [{"after": ");", "say": "assign y = a & b;"}]}
    site_record = await played(vsix, script, AcceptPolicy.ALWAYS, PlayRules())
    assert site_record.failure is not None
    assert site_record.failure.failure is ServerFailure.CHANGED_FILES


@pytest.mark.nightly
async def test_next_edits_are_made_by_the_policy_undone_if_refused_and_the_same_again(vsix: Path) -> None:
    refused_text = "endmodule : m\n// the end"
    script = {
        "rules": [
            {"after": ");", "say": "assign y = a & b;"},
            {"after": "a & b;", "say": "assign z = a | b;", "unless": refused_text, "invoked": True},
        ],
        "edits": [
            {"find": "output y, z);", "say": "output wire y, z );"},
            {"find": "input a", "say": "input wire a"},
            {"find": "\nendmodule\n", "say": f"\n{refused_text}\n"},
        ],
    }
    rules = PlayRules(RefusalConsequence.ALONE, next_edits=True)
    first_record, second_record = [await played(vsix, script, AcceptPolicy.FIRST_LINE, rules) for _ in range(2)]
    assert first_record.failure is None
    assert [(step.next_edits, step.next_edits_taken) for step in first_record.steps] == [(3, 2), (1, 0)]
    assert first_record.document.text.startswith("module m(input wire a, b, output wire y, z );\n")
    assert "assign z = a | b;" in first_record.document.text
    assert refused_text not in first_record.document.text
    assert (first_record.steps, first_record.snapshots, first_record.document.text) == (
        second_record.steps,
        second_record.snapshots,
        second_record.document.text,
    )


@pytest.fixture
def model() -> Iterator[JudgeEndpoint]:
    with JudgeEndpoint(lambda request: content("assign at_max = &count;")) as endpoint:
        yield endpoint


@pytest.mark.nightly
def test_killed_and_run_again_an_extension_asks_the_runs_model_and_is_reported(
    vsix: Path, tmp_path: Path, model: JudgeEndpoint
) -> None:
    settings_file = tmp_path / "settings.json"
    script = {"vendor": "benchwright", "rules": [{"after": "", "say": ""}]}
    of_model = {"benchwright.model.url": "http://127.0.0.1:13131/v1", "benchwright.model.model": "any"}
    settings_file.write_text(json.dumps({"subject.script": script, **of_model}))
    environ = {**os.environ, "BENCHWRIGHT_HOME": str(tmp_path / "home")}
    environ |= {
        "BENCHWRIGHT_CACHE": str(Home.from_environment().cache),
        "LOCAL_API_KEY": "none",
        "LOCAL_BASE_URL": model.url,
    }
    run = tmp_path / "run"
    command: list[str | Path] = [
        BENCHWRIGHT,
        "completion",
        "run",
        "--dialect",
        "vscode",
        "--extension",
        vsix,
        "--initialization",
        settings_file,
        "--model",
        "openai-api/local/scripted",
    ]
    command += ["--pack", "starter", "--problem", "saturating-counter", "--sites", "empty-body", "--mode", "alone"]
    command += ["--policy", "first-line", "--no-bounds", "--most-asks", "1", "--no-grade", "--json", "--out", run]

    run_process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        state_folder = str(tmp_path / "home" / "state" / "completion")
        deadline = time.monotonic() + 60
        while not any("--type=" in line for line in processes(state_folder)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert processes(state_folder)
    finally:
        run_process.kill()
        run_process.wait()
    assert gone(state_folder)
    assert not (run / "sites.jsonl").exists()

    stdout = ended(command, environ)
    (record,) = RunFolder(run).records()
    assert record.failure is None
    assert record.steps[0].offer == "assign at_max = &count;"
    assert "module sat_counter" in model.requests[0].body["messages"][0]["content"]
    assert record.model_use is not None
    assert record.model_use.input_tokens == 100 * record.model_use.counted > 0
    latency = json.loads(stdout)["sections"]["latency"]["numbers"]
    assert {label.rpartition(", ")[2] for label in latency} == {"alone", "drawn"}


@pytest.mark.nightly
def test_an_extension_that_was_signed_in_by_a_window_is_signed_in_on_the_bench(vsix: Path, tmp_path: Path) -> None:
    installed_programs = programs()
    # As a display would, without one.
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nexec {shlex.quote(installed_programs.chromium)} --headless=new "$@"\n')
    browser.chmod(0o755)
    environ = {
        **os.environ,
        "BENCHWRIGHT_HOME": str(tmp_path / "home"),
        "BENCHWRIGHT_CACHE": str(Home.from_environment().cache),
    }
    state_folder, profile, run = tmp_path / "home" / "state" / "completion", tmp_path / "profile", tmp_path / "run"
    extension: list[str | Path] = ["--dialect", "vscode", "--extension", vsix]
    signing_in = [BENCHWRIGHT, "completion", "sign-in", *extension, "--profile", profile]
    signing_in += ["--initialization", settings(tmp_path, "signs-in")]
    headless_environ = {name: value for name, value in environ.items() if name not in DISPLAY}
    sign_in_process = subprocess.run(
        signing_in, env=headless_environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert (sign_in_process.returncode, profile.exists()) == (2, False)
    assert "There is no display for a window." in sign_in_process.stderr

    environ |= {"CHROMIUM": str(browser), "DISPLAY": ":none"}
    with subprocess.Popen(
        signing_in, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as begun:
        try:
            # The browser writes what is stored some seconds later.
            wait_until(lambda: any(b"secrets.provider" in content for content in stored(state_folder)))
            close_window(str(state_folder))
            output, _ = begun.communicate(timeout=120)
        finally:
            begun.kill()
    assert begun.returncode == 0, output
    assert f"--profile {profile}" in output
    assert profile.stat().st_mode & 0o077 == 0
    profile_files = contents(profile)
    assert not [name for name in profile_files if "/extensions/" in name or "Cache/" in name or "/Singleton" in name]

    options = ["--pack", "starter", "--problem", "saturating-counter", "--sites", "empty-body", "--mode", "alone"]
    options += ["--policy", "never", "--no-bounds", "--most-asks", "1", "--no-grade", "--json"]
    run_command = [BENCHWRIGHT, "completion", "run", *extension, *options]
    run_command += ["--initialization", settings(tmp_path, "signed-in")]
    del environ["CHROMIUM"]
    stdout = ended([*run_command, "--profile", profile, "--out", run], environ)
    (record,) = RunFolder(run).records()
    assert record.failure is None
    assert record.steps[0].offer.strip() == "// Ada has a token of 18 characters"
    assert contents(profile) == profile_files, "nothing is written back"
    secret_bytes = b"kept-by-the-editor"
    assert secret_bytes not in stdout.encode() + b"".join(contents(run).values())
    assert not any(secret_bytes in content for content in contents(tmp_path / "home").values())

    ended([*run_command, "--out", tmp_path / "other"], environ)
    (record,) = RunFolder(tmp_path / "other").records()
    assert record.steps[0].offer.strip() == "// undefined has a token of undefined characters"


def settings(folder: Path, mode: str) -> Path:
    file = folder / f"{mode}.json"
    file.write_text(json.dumps({"subject.script": {"mode": mode}}))
    return file


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and not file.is_symlink()
    }


def stored(browsers_folder: Path) -> list[bytes]:
    """Data that browsers below a folder keep for pages."""
    return [file.read_bytes() for file in browsers_folder.glob("*/home/chromium/Default/Local Storage/leveldb/*.log")]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 180
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def close_window(folder: str) -> None:
    """Ends the browser whose profile is there, as its user does."""
    for process in psutil.process_iter(["cmdline"]):
        command_words = process.info["cmdline"] or ()
        if any(word.startswith(f"--user-data-dir={folder}") for word in command_words) and not any(
            word.startswith("--type=") for word in command_words
        ):
            process.terminate()


def ended(command: Sequence[str | Path], environ: dict[str, str]) -> str:
    process = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == 0, process.stderr + process.stdout
    return process.stdout
