"""`benchwright report --from`: tables of attempts from elsewhere, with known answers."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats
from typer.testing import CliRunner

from benchwright_analysis.report.rows.exports import write_attempts_and_codebook
from benchwright_analysis.report.rows.table_file import read_table
from benchwright_server.cli.app import app_with_commands

PEOPLE, PROBLEMS = 10, 6


def run(*arguments: str | Path) -> str:
    """Output of the command, its messages on one line."""
    report_command = CliRunner().invoke(app_with_commands(), ["report", *map(str, arguments)])
    return " ".join((report_command.output + report_command.stderr).split())


def study() -> list[dict[str, Any]]:
    """Ten people at six problems, half of them with AI, which takes a fifth of the time away; one gives up."""
    random = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for person in range(PEOPLE):
        for problem_number in range(PROBLEMS):
            ai = (person + problem_number) % 2
            minutes = math.exp(2.5 + 0.1 * person + 0.2 * problem_number + math.log(0.8) * ai + random.normal(0, 0.1))
            row = {
                "dev": f"d{person}",
                "issue": f"i{problem_number}",
                "ai_allowed": ai,
                "took": round(minutes, 3),
                "done": "yes",
            }
            rows.append(row | {"guess": round(minutes * random.lognormal(0, 0.3) / (0.8 if ai else 1), 1)})
    rows[7]["done"] = "no"
    return rows


def write_table(file: Path, rows: Sequence[dict[str, Any]]) -> Path:
    with file.open("w", newline="") as lines:
        table_writer = csv.DictWriter(lines, list(rows[0]))
        table_writer.writeheader()
        table_writer.writerows(rows)
    return file


MAPPING = """
baseline = "alone"
[columns]
participant = "dev"
problem = "issue"
condition = "ai_allowed"
minutes = "took"
passed = "done"
forecast_blind_minutes = "guess"
[values.condition]
0 = "alone"
1 = "with AI"
[values.passed]
yes = "true"
no = "false"
"""


def test_a_trial_of_another_lab_is_recomputed(tmp_path: Path) -> None:
    rows = study()
    table, mapping = write_table(tmp_path / "trial.csv", rows), tmp_path / "trial.toml"
    mapping.write_text(MAPPING)
    output = run("--from", table, "--mapping", mapping, "--out", tmp_path / "out")
    assert "60 of 60 attempts count" in output
    sections = json.loads((tmp_path / "out" / "report.json").read_text())["sections"]

    (effect,) = sections["regression"]["numbers"]["model"]["effects"]
    x = np.column_stack([np.ones(60), [row["ai_allowed"] for row in rows], np.log([row["guess"] for row in rows])])
    y = np.log([row["took"] for row in rows])
    bread = np.linalg.inv(x.T @ x)
    b = bread @ x.T @ y
    e = (y - x @ b) / (1 - np.sum(x @ bread * x, axis=1))
    error = math.sqrt((bread @ (x.T * e**2) @ x @ bread)[1, 1])
    assert effect["percent"] == pytest.approx(100 * math.expm1(b[1]))
    assert effect["hc3"]["standard_error"] == pytest.approx(error)
    assert (effect["hc3"]["degrees_of_freedom"], effect["clustered"]["degrees_of_freedom"]) == (57, 9)
    page = (tmp_path / "out" / "report.html").read_text()
    low, high = (100 * math.expm1(b[1] + sign * stats.norm.ppf(0.975) * error) for sign in (-1, 1))
    assert f"{low:.1f} to \N{MINUS SIGN}{-high:.1f}".replace("-", "\N{MINUS SIGN}") in page
    assert all(words in page for words in ("t, 57 degrees of freedom", "t, 9 degrees of freedom", ">z<"))

    change = sections["time"]["numbers"]["comparisons"]["with AI"]["change"]
    assert change["within"] and change["low"] < -0.2 < change["high"]
    answer = sections["support"]["numbers"]["answers"]["rows"]
    assert [row["group"] for row in answer] == ["alone", "with AI"]
    assert [row["solved"]["value"] for row in answer] == [29 / 30, 1]


def test_horizons_are_weighted_and_unweighted(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    rows: list[dict[str, Any]] = []
    for task_number in range(16):
        minutes = 2.0 ** (task_number / 2)
        for run_number in range(1 + task_number % 5):
            has_passed = random.random() < 1 / (1 + math.exp(minutes / 16 - 2))
            name = {
                "attempt": f"{task_number}-{run_number}",
                "participant": "lab/m",
                "problem": f"t{task_number}",
                "condition": "m",
            }
            rows.append(
                name
                | {"family": f"f{task_number // 6}", "solver": "model", "passed": has_passed, "human_minutes": minutes}
            )
    table = tmp_path / "runs.parquet"
    pq.write_table(pa.Table.from_pylist(rows), table)
    assert f"{len(rows)} of {len(rows)} attempts count" in run("--from", table, "--out", tmp_path / "out")
    fits = json.loads((tmp_path / "out" / "report.json").read_text())["sections"]["horizon"]["numbers"]
    assert set(fits) == {"m, attempts", "m, metr"}
    assert fits["m, metr"]["weights"] == "metr"
    assert fits["m, metr"]["slope"] != pytest.approx(fits["m, attempts"]["slope"], rel=1e-3)
    assert 8 < fits["m, attempts"]["horizons"][0]["minutes"] < 128


def test_our_own_table_comes_back_as_it_was(tmp_path: Path) -> None:
    table, mapping = write_table(tmp_path / "trial.csv", study()), tmp_path / "trial.toml"
    mapping.write_text(MAPPING)
    rows = read_table(table, mapping).rows
    for name in ("attempts.csv", "attempts.parquet"):
        write_attempts_and_codebook(tmp_path, rows)
        assert read_table(tmp_path / name).rows == rows


def test_a_mapping_may_be_yaml(tmp_path: Path) -> None:
    table, mapping = write_table(tmp_path / "trial.csv", study()), tmp_path / "trial.yaml"
    mapping.write_text(
        "columns: {participant: dev, problem: issue, minutes: took}\nconstants: {condition: alone, solver: human}\n"
    )
    foreign_table = read_table(table, mapping)
    assert {row.condition for row in foreign_table.rows} == {"alone"} and foreign_table.ignored == (
        "ai_allowed",
        "done",
        "guess",
    )
    assert "No column says which attempts passed: all are taken to have." in foreign_table.assumed


GOOD = "participant,problem,condition,minutes,passed\np,a,x,3,true\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "p,b,x,three,true\n", "t.csv, line 3, column minutes: 'three' is not a number."),
        (GOOD + "p,b,x,-3,true\n", "t.csv, line 3, column minutes: -3 is not a positive number."),
        (GOOD + "p,b,x,nan,true\n", "t.csv, line 3, column minutes: nan is not a positive number."),
        (GOOD + "p,b,x,3,perhaps\n", "t.csv, line 3, column passed: 'perhaps': Input should be a valid boolean"),
        (GOOD + "p,b,x,3\n", "t.csv, line 3: 4 cells, and there are 5 columns."),
        (GOOD + ",b,x,3,true\n", "t.csv, line 3, column participant: the participant is missing."),
        (GOOD + 'p,"b\nb",x,3,true\np,c,x,no,true\n', "t.csv, line 5, column minutes: 'no' is not a number."),
        ("participant,problem,minutes\np,a,3\n", "t.csv, line 1: no column says the condition. Name one 'condition'"),
        ("participant,problem,condition\np,a,x\n", "t.csv, line 1: neither a time (`time_s`, `minutes`, `hours`)"),
        ("participant,participant\n", "t.csv, line 1: two columns are called 'participant'."),
        (GOOD.splitlines()[0] + "\n", "t.csv: there are no attempts below the line of column names."),
        (
            GOOD.replace("\n", ",solver\n", 1).replace("true\n", "true,robot\n"),
            "line 2, column solver: 'robot' is none of",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    output = run("--from", tmp_path / "t.csv", "--out", tmp_path / "out")
    assert message in output, output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[columns]\nparticipant = "who"\n', "line 1: there is no column 'who', which"),
        ('[columns]\ncolour = "who"\n', "m.toml: there is no column 'colour'"),
        ('[colums]\nparticipant = "p"\n', "m.toml, colums: Extra inputs are not permitted."),
        ("[columns\n", "m.toml: Expected"),
        ('[values.condition]\ny = "z"\n[columns]\ncondition = "condition"\nparticipant = "participant"\n'
         'problem = "problem"\nminutes = "minutes"\n', "line 2, column condition: 'x' is none of y."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_mapping_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(GOOD)
    (tmp_path / "m.toml").write_text(text)
    assert message in run("--from", tmp_path / "t.csv", "--mapping", tmp_path / "m.toml", "--out", tmp_path / "out")


def test_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(GOOD)
    output = run("--from", tmp_path / "t.csv", "--study", "s", "--out", tmp_path / "out")
    assert "--from reports on a table alone" in output
    assert "give the table with --from" in run("--mapping", tmp_path / "t.csv", "--out", tmp_path / "out")
    assert "There is no" in run("--from", tmp_path / "none.csv", "--out", tmp_path / "out")


def test_where_a_table_has_no_last_verdict_the_first_pass_counts_as_the_end(tmp_path: Path) -> None:
    table, mapping = write_table(tmp_path / "trial.csv", study()), tmp_path / "trial.toml"
    mapping.write_text(MAPPING)
    rows = read_table(table, mapping).rows
    assert [row.final == "passed" for row in rows] == [row.passed for row in rows]


@pytest.mark.parametrize("option", ["--model-facts", "--votes", "--logs"])
def test_what_a_table_has_no_use_for_is_refused(tmp_path: Path, option: str) -> None:
    csv_file = tmp_path / "given.csv"
    csv_file.write_text("model\nm\n")
    output = run("--from", csv_file, "--out", tmp_path / "report", option, csv_file)
    assert "leave out --model-facts, --votes, --logs" in output
    assert not (tmp_path / "report" / "report.html").exists()
