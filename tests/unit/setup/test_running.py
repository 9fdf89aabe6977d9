"""Run of the stages by `./test`: one pool of Python tests, commands beside it, results by stage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import running
from running import PythonTestSelection, StageRun
from stages import Stage

TESTS = """\
import pathlib

def test_passes(): ...

def test_passes_at_the_second_try():
    marker = pathlib.Path({marker!r})
    tried = marker.exists()
    marker.touch()
    assert tried
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tests, as the root of a run."""
    monkeypatch.setattr(running, "ROOT", tmp_path)
    # Plugins of the libraries take seconds to load in each of the pool's processes.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist")
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    (tmp_path / "tests" / "lsp").mkdir()
    return tmp_path


async def test_a_failure_belongs_to_the_stage_whose_folder_has_the_test(checkout: Path) -> None:
    (checkout / "tests" / "unit" / "test_a.py").write_text("def test_a(): ...\n")
    (checkout / "tests" / "lsp" / "test_b.py").write_text("def test_b(): assert False\n")
    stages = [Stage("unit", "", tests_folder="tests/unit"), Stage("lsp", "", tests_folder="tests/lsp")]
    unit, lsp = await StageRun(stages, PythonTestSelection(), 300).run()
    assert (unit.problems, unit.at_second_try) == ([], False)
    assert (len(lsp.problems), lsp.at_second_try) == (1, True)


WORKER = "import os, pathlib\nWORKERS = pathlib.Path({workers!r})\n"
WRITES_ITS_WORKER = "def test_{number}(): (WORKERS / os.environ['PYTEST_XDIST_WORKER']).touch()\n"


async def test_the_tests_of_a_file_run_in_one_process(checkout: Path) -> None:
    workers = checkout / "workers"
    workers.mkdir()
    test_text = "".join(WRITES_ITS_WORKER.format(number=number) for number in range(12))
    (checkout / "tests" / "unit" / "test_a.py").write_text(WORKER.format(workers=str(workers)) + test_text)
    (unit,) = await StageRun([Stage("unit", "", tests_folder="tests/unit")], PythonTestSelection(), 300).run()
    assert unit.problems == []
    assert len(list(workers.iterdir())) == 1


async def test_only_files_with_such_tests_are_read_for_what_runs_alone(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (checkout / "tests" / "unit" / "test_a.py").write_text("def test_a(): ...\n")
    test_text = "import pytest\n@pytest.mark.alone\ndef test_b(): ...\n"
    (checkout / "tests" / "lsp" / "test_b.py").write_text(test_text)
    stages = [Stage("unit", "", tests_folder="tests/unit"), Stage("lsp", "", tests_folder="tests/lsp")]
    assert [outcome.problems for outcome in await StageRun(stages, PythonTestSelection(), 300).run()] == [[], []]
    assert "pytest -m alone tests/lsp/test_b.py" in capfd.readouterr().out


async def test_what_passes_at_the_second_try_passes_and_is_marked(checkout: Path) -> None:
    (checkout / "tests" / "unit" / "test_a.py").write_text(TESTS.format(marker=str(checkout / "marker")))
    (unit,) = await StageRun([Stage("unit", "", tests_folder="tests/unit")], PythonTestSelection(), 300).run()
    assert (unit.problems, unit.at_second_try) == ([], True)


async def test_the_first_failure_ends_a_chain_and_no_other_stage(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (checkout / "tests" / "unit" / "test_a.py").write_text("def test_a(): ...\n")
    never = ("touch", "never")
    chained = Stage("client", "", (("false",), never), chained=True)
    stages = [chained, Stage("lint", "", (("echo", "checked"),)), Stage("unit", "", tests_folder="tests/unit")]
    client_outcome, lint, unit = await StageRun(stages, PythonTestSelection(), 300).run()
    assert client_outcome.problems == ["status 1: false"]
    assert (lint.problems, unit.problems) == ([], [])
    assert not (checkout / "never").exists()
    assert "checked" in capfd.readouterr().out


async def test_a_command_over_its_time_is_ended_and_named(checkout: Path) -> None:
    (lint,) = await StageRun([Stage("lint", "", (("sleep", "60"),))], PythonTestSelection(), 0.2).run()
    assert lint.problems == ["over the time limit of a stage: sleep 60"]
    assert lint.wall_s < 50


async def test_the_costs_of_all_processes_are_added_up(checkout: Path, tmp_path: Path) -> None:
    run = StageRun([Stage("unit", "", tests_folder="tests/unit")], PythonTestSelection(), 300)
    cost = {"passed": 1, "failed": 0, "skipped": 2, "wall_s": 1.5, "processor_s": 1.0}
    folder = tmp_path / "costs"
    folder.mkdir()
    for process in ("1", "2"):
        (folder / f"{process}.json").write_text(json.dumps({"tests/unit/test_a.py": cost}))
    run.add_up_costs(folder)
    assert run.costs["tests/unit/test_a.py"] == {name: 2 * value for name, value in cost.items()}
