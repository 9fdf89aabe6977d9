"""Forks of a loaded `benchwright` are started, seen and waited for as new processes are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ...support.machine.preloaded import PROGRAM, PreloadedProgram

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are handed over on Linux alone")


@pytest.fixture(scope="module", autouse=True)
def program() -> Iterator[PreloadedProgram]:
    execute_before = subprocess.Popen._execute_child  # type: ignore[attr-defined]
    preloaded_program = PreloadedProgram()
    preloaded_program.install()
    preloaded_program.is_used = True
    yield preloaded_program
    subprocess.Popen._execute_child = execute_before  # type: ignore[attr-defined]


def run(*arguments: str, **run_options: object) -> tuple[int, str, str]:
    process = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, **run_options)  # type: ignore[call-overload]
    return process.returncode, process.stdout, process.stderr


def test_it_says_and_returns_the_same_as_a_process_that_starts_for_itself(program: PreloadedProgram) -> None:
    for arguments in (["--version"], ["nonsense"], ["open"], ["attempts", "list", "--json"]):
        forked = run(*arguments)
        program.is_used = False
        assert run(*arguments) == forked
        program.is_used = True


def test_folder_and_environment_are_its_own(tmp_path: Path) -> None:
    variables = {"BENCHWRIGHT_HOME": "home", "PATH": os.environ["PATH"]}
    (tmp_path / "answers.jsonl").write_text("{}\n")
    status, _, complaint = run("answer", "starter", "--responses", "answers.jsonl", cwd=tmp_path, env=variables)
    assert (status, "answers.jsonl" in complaint) == (2, True)


def test_a_signal_ends_it_and_nothing_of_it_stays(tmp_path: Path) -> None:
    with subprocess.Popen([PROGRAM, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert psutil.Process(process.pid).ppid() == os.getpid()
        assert psutil.Process(process.pid).name() == "benchwright"
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    assert not psutil.pid_exists(process.pid)


def test_a_variable_that_python_reads_while_it_starts_has_it_start_for_itself(tmp_path: Path) -> None:
    customization = tmp_path / "sitecustomize.py"
    customization.write_text("import sys; sys.stderr.write('site')\n")
    assert run("--version", env=os.environ | {"PYTHONPATH": str(tmp_path)})[2] == "site"
