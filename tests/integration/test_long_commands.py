"""`problems check` and `grade` as a user runs them: on a terminal, into a file, interrupted, with logs."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from ..support.machine.sandbox_run import PATIENCE_S, gone, has_started

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
LONG = "a-problem-whose-name-is-much-longer-than-any-terminal-that-somebody-could-have-open-" + "x" * 30
STARTER = Path(str(files("benchwright_problems") / "packs" / "starter"))
DESIGN = "starter/saturating-counter"
ASKED = "starter/skid-buffer-bug"
"""Its policy shows no log."""
STUDY = f"""
study: near
title: A study
problems: [{ASKED}]
conditions: [{{name: alone, solver: human}}]
participants: [ada]
randomisation: {{seed: 1}}
forecasts: []
self_estimates: []
consent: {{version: "1", text: "You agree to what is written here."}}
data: {{to: "nowhere"}}
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    kept_variables = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    return kept_variables | {"BENCHWRIGHT_HOME": str(tmp_path / "home"), "TERM": "xterm"}


def benchwright(
    environ: Mapping[str, str], *arguments: str | Path, status: int | None = 0
) -> subprocess.CompletedProcess[str]:
    process = subprocess.run(
        [BENCHWRIGHT, *arguments], env=environ, capture_output=True, text=True, timeout=600, check=False
    )
    assert status is None or process.returncode == status, process.stderr
    return process


def imported(environ: Mapping[str, str], folder: Path, problems: Mapping[str, str], image: str = "i") -> None:
    """A pack `mine` of problems by id, each with the script that judges."""
    data_file = folder / "data.jsonl"
    records = [
        {
            "id": name,
            "categories": ["cid003", "easy"],
            "input": {"prompt": "Write an inverter.", "context": {}},
            "output": {"response": "", "context": {"rtl/inv.sv": "module inv; wire solved; endmodule\n"}},
            "harness": {
                "files": {"docker-compose.yml": f"services: {{a: {{image: {image}, command: [sh, -c, {script!r}]}}}}"}
            },
        }
        for name, script in problems.items()
    ]
    data_file.write_text("".join(json.dumps(record) + "\n" for record in records))
    benchwright(environ, "problems", "import", "cvdp", data_file, "--pack", "mine")


def run_folders(pid: int) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"benchwright-run-{pid}-*"))


@contextlib.contextmanager
def running(
    environ: Mapping[str, str], *arguments: str, program: str | Path = BENCHWRIGHT
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [program, *arguments], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=lambda parameter: str(parameter),
)
async def test_a_check_that_is_told_to_end_leaves_nothing_and_says_how_to_go_on(
    number: signal.Signals, status: int, environ: dict[str, str], tmp_path: Path
) -> None:
    # A duration that no other process of this machine has.
    seconds = f"600.{os.getpid()}{number.value}"
    imported(environ, tmp_path, {"slow": f"sleep {seconds}"})
    with running(environ, "problems", "check", "mine") as check:
        assert await has_started(seconds)
        assert run_folders(check.pid)
        check.send_signal(number)
        output, err = check.communicate(timeout=PATIENCE_S)
    assert check.returncode == status, err
    assert "the same command continues where it stopped" in err
    assert "Traceback" not in output + err
    assert await gone(seconds)
    assert run_folders(check.pid) == []


async def test_a_check_that_ignores_ctrl_c_in_the_background_ends_when_told_to(
    environ: dict[str, str], tmp_path: Path
) -> None:
    seconds = f"600.{os.getpid()}99"
    imported(environ, tmp_path, {"slow": f"sleep {seconds}"})
    shell = f"trap '' INT; exec {BENCHWRIGHT} problems check mine"
    with running(environ, "-c", shell, program="/bin/sh") as check:
        assert await has_started(seconds)
        check.terminate()
        _, err = check.communicate(timeout=PATIENCE_S)
    assert check.returncode == 143, err
    assert await gone(seconds)
    assert run_folders(check.pid) == []


async def test_without_a_terminal_a_line_now_and_then_shows_that_it_goes_on(
    environ: dict[str, str], tmp_path: Path
) -> None:
    imported(environ, tmp_path, {"quick": "grep -q solved /code/rtl/inv.sv", "slow": "sleep 600"})
    with running(environ, "problems", "check", "mine", "--jobs", "2") as check:
        assert check.stderr is not None
        line = check.stderr.readline()
        check.send_signal(signal.SIGINT)
        check.communicate(timeout=PATIENCE_S)
    assert re.fullmatch(r"checking: [0-6] of 6 runs after \d+ s(, about .* left)?\n", line), line


def test_a_redirected_table_has_each_problem_in_one_line(environ: dict[str, str], tmp_path: Path) -> None:
    imported(environ, tmp_path, {LONG[:110]: "grep -q solved /code/rtl/inv.sv"})
    for arguments in (("problems", "check", "mine"), ("problems", "list", "mine")):
        (line,) = [line for line in benchwright(environ, *arguments).stdout.splitlines() if LONG[:110] in line]
        assert line.rstrip().endswith(("✓", LONG[:110])), line


def on_terminal(environ: Mapping[str, str], *arguments: str) -> str:
    """Output on a terminal of 80 columns."""
    master_end, slave_end = pty.openpty()
    shell = ["/bin/sh", "-c", 'stty cols 80; exec "$0" "$@"', str(BENCHWRIGHT), *arguments]
    process = subprocess.Popen(
        shell, env=environ, stdin=slave_end, stdout=slave_end, stderr=slave_end, start_new_session=True
    )
    os.close(slave_end)
    screen = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(master_end, 1 << 16):
            screen += chunk
    os.close(master_end)
    assert process.wait(timeout=PATIENCE_S) == 0, screen
    return screen.decode()


def test_a_terminal_has_a_bar_and_whole_names(environ: dict[str, str], tmp_path: Path) -> None:
    imported(environ, tmp_path, {LONG[:110]: "grep -q solved /code/rtl/inv.sv"})
    screen = on_terminal(environ, "problems", "check", "mine")
    assert re.search(r"checking .*[0-3]/3", screen)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen).splitlines()
    assert LONG[:110] in [line.strip() for line in lines]


def test_the_owner_gets_every_log_with_the_compilers_words(environ: dict[str, str], tmp_path: Path) -> None:
    script = "cat /code/rtl/inv.sv && grep -q solved /code/rtl/inv.sv"
    imported(environ, tmp_path, {"inv": script})
    benchwright(environ, "problems", "check", "mine")
    logs = tmp_path / "logs"
    benchwright(environ, "problems", "check", "mine", "--logs", logs)
    assert sorted(file.name for file in logs.iterdir()) == ["inv.empty.log", "inv.reference.log", "inv.starting.log"]
    assert "wire solved" in (logs / "inv.reference.log").read_text()
    assert "No such file" in (logs / "inv.starting.log").read_text()
    assert {stat.S_IMODE(file.stat().st_mode) for file in logs.iterdir()} == {0o600}
    assert stat.S_IMODE(logs.stat().st_mode) == 0o700
    process = benchwright(environ, "problems", "check", "mine", "--logs", logs, "--cluster", "local", status=2)
    assert "keeps no raw logs" in process.stderr


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    work_folder = tmp_path / "work"
    (work_folder / "rtl").mkdir(parents=True)
    (work_folder / "rtl" / "sat_counter.sv").write_text("module sat_counter(input nonsense nonsense;\n")
    return work_folder


def test_a_graded_folders_log_has_the_compilers_words(environ: dict[str, str], broken: Path, tmp_path: Path) -> None:
    log = tmp_path / "raw.log"
    for options, is_known in (((), False), ((), True), (("--fresh",), False)):
        benchwright(environ, "grade", DESIGN, broken, "--log", log, *options, status=1)
        assert "sat_counter.sv:1: syntax error" in log.read_text()
        assert ("judged before" in log.read_text()) == is_known
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    process = benchwright(environ, "grade", DESIGN, broken, "--log", tmp_path / "no" / "raw.log", status=2)
    assert "can't be written" in process.stderr


def test_a_participant_gets_no_log_of_the_studys_problems(
    environ: dict[str, str], broken: Path, tmp_path: Path
) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(STUDY)
    benchwright(environ, "study", "run", study, "--participant", "ada")
    log = tmp_path / "raw.log"
    process = benchwright(environ, "grade", ASKED, broken, "--log", log, status=2)
    assert "its raw log stays sealed" in process.stderr
    assert not log.exists()
    benchwright(environ, "grade", DESIGN, broken, "--log", log, status=1)
    assert log.exists()


def test_remarks_are_shown_in_text_and_json(environ: dict[str, str], tmp_path: Path) -> None:
    imported(environ, tmp_path, {"inv": "grep -q solved /code/rtl/inv.sv"}, image="__VERIF_EDA_IMAGE__")
    remark = "open-source coverage, target calibrated to another simulator"
    work_folder = tmp_path / "solved"
    (work_folder / "rtl").mkdir(parents=True)
    (work_folder / "rtl" / "inv.sv").write_text("module inv; wire solved; endmodule")
    assert f"Remark: {remark}" in benchwright(environ, "grade", "mine/inv", work_folder).stdout
    verdict: dict[str, Any] = json.loads(benchwright(environ, "grade", "mine/inv", work_folder, "--json").stdout)
    assert verdict["remarks"] == [remark]
    assert f"Remark on inv: {remark}" in benchwright(environ, "problems", "check", "mine").stdout
    checked = json.loads(benchwright(environ, "problems", "check", "mine", "--json").stdout)
    assert checked["problems"][0]["remarks"] == [remark]
