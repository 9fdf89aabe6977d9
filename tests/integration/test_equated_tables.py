"""`benchwright attempts equate`: tables of two forms, with the command itself."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import special
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands


def write_form(file: Path, seed: int, problem_numbers: range, mean: float, people: int = 60) -> None:
    """Results of other people at problems whose difficulty is the same in both forms."""
    random = np.random.default_rng(seed)
    difficulties = np.linspace(-1.5, 1.5, 24)[np.random.default_rng(1).permutation(24)]
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["participant", "problem", "condition", "solver", "passed"])
        for person, ability in enumerate(random.normal(mean, 1, people)):
            for problem in problem_numbers:
                solved = random.random() < special.expit(ability - difficulties[problem])
                writer.writerow([f"{file.stem}-{person}", f"p/{problem}", "alone", "human", str(solved).lower()])


def call(*arguments: str) -> tuple[int, str]:
    finished = CliRunner().invoke(app_with_commands(), ["attempts", "equate", *arguments], catch_exceptions=False)
    return finished.exit_code, finished.output


@pytest.fixture
def forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    for name, seed, problem_numbers, mean in (("spring", 2, range(16), 0.0), ("autumn", 3, range(8, 24), 1.0)):
        write_form(tmp_path / f"{name}.csv", seed, problem_numbers, mean)
    return str(tmp_path / "spring.csv"), str(tmp_path / "autumn.csv")


def test_scores_of_two_forms_are_put_on_one_scale(forms: tuple[str, str]) -> None:
    status, output = call(*forms, "--json")
    equated = json.loads(output)
    assert status == 0 and len(equated["common"]) + len(equated["drifted"]) == 8
    assert equated["shift"]["low"] < equated["shift"]["value"] < equated["shift"]["high"]
    assert equated["scores"][0] == 0 and equated["scores"] == sorted(equated["scores"])
    assert "in common tie the second form to the first" in call(*forms)[1]


def test_a_form_of_too_few_people_is_refused_with_what_it_takes(forms: tuple[str, str], tmp_path: Path) -> None:
    write_form(tmp_path / "pilot.csv", 4, range(16), 0.0, people=12)
    status, output = call(forms[0], str(tmp_path / "pilot.csv"))
    assert status != 0 and "pilot.csv has no scale. There are 12 solvers" in output.replace("\n", " ")
