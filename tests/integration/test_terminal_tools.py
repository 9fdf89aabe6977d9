"""The toolchain's simulators in a terminal of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.terminal import TOOLS, scripts_folder, write_tool_scripts

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
SKID_BUFFER = Path(str(files("benchwright_problems") / "packs" / "starter" / "skid-buffer-bug"))
BARE = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}


def run(*command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    cache = {name: value for name, value in os.environ.items() if name.startswith("BENCHWRIGHT_")}
    return subprocess.run(
        command, cwd=folder, env=BARE | cache | environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_command_of_a_statement_works_in_a_shell_of_ours_as_it_is_written(tmp_path: Path) -> None:
    shutil.copytree(SKID_BUFFER / "public", tmp_path / "work space")
    match = re.search(r"```sh\n(.+?)\n```", (SKID_BUFFER / "statement.md").read_text(), re.DOTALL)
    assert match is not None
    command = match[1].replace("/tmp/tb", str(tmp_path / "tb"))
    process = run(BENCHWRIGHT, "shell", "sh", "-c", command, folder=tmp_path / "work space")
    assert (process.returncode, process.stderr) == (0, "")
    assert "FAIL: 4 of 20 words were wrong" in process.stdout


def test_tools_are_those_of_the_toolchain_and_not_of_this_machine(tmp_path: Path) -> None:
    versions = Toolchain.find(Home.from_environment().cache).manifest.versions
    write_tool_scripts(Home.from_environment().cache)
    for tool, option in (("iverilog", "-V"), ("vvp", "-V")):
        process = run(str(scripts_folder(Home.from_environment().cache) / tool), option, folder=tmp_path)
        assert versions["icarus-13"].split("-")[0].split("+")[0] in process.stdout + process.stderr
    for tool in set(TOOLS) - {"vvp", "iverilog"}:
        process = run(str(scripts_folder(Home.from_environment().cache) / tool), "--version", folder=tmp_path)
        assert process.returncode == 0, process.stderr


def test_verilator_builds_a_program_that_runs(tmp_path: Path) -> None:
    (tmp_path / "t.sv").write_text('module t; initial begin $display("hello"); $finish; end endmodule\n')
    process = run(BENCHWRIGHT, "shell", "verilator", "--binary", "t.sv", folder=tmp_path)
    assert process.returncode == 0, process.stderr
    assert (tmp_path / "obj_dir" / "Vt").is_file()


def test_the_exit_status_is_that_of_the_command(tmp_path: Path) -> None:
    assert run(BENCHWRIGHT, "shell", "sh", "-c", "exit 7", folder=tmp_path).returncode == 7
    process = run(BENCHWRIGHT, "shell", "no-such-command", folder=tmp_path)
    assert (process.returncode, "no command 'no-such-command'" in process.stderr) == (127, True)


def test_without_a_toolchain_the_next_step_is_told(tmp_path: Path) -> None:
    process = run(BENCHWRIGHT, "shell", "true", folder=tmp_path, BENCHWRIGHT_CACHE=str(tmp_path / "cache"))
    assert process.returncode == 2 and "benchwright toolchain build" in process.stderr


def test_without_bubblewrap_a_tool_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools_folder = write_tool_scripts(Home.from_environment().cache)
    (tmp_path / "bin").mkdir()
    process = run("/bin/sh", str(tools_folder / "iverilog"), "-V", folder=tmp_path, PATH=str(tmp_path / "bin"))
    assert process.returncode == 127 and "bubblewrap is not installed" in process.stderr
