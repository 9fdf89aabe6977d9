"""`benchwright report --from`: tables of attempts from elsewhere, with known answers."""

from __future__ import annotations

import contextlib
import csv
import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats
from typer.testing import CliRunner

from benchwright_analysis.report.rows.exports import write_attempts_and_codebook
from benchwright_analysis.report.rows.from_table import TableOptions, write_table_report
from benchwright_analysis.report.rows.table_file import TableError, read_table
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
    assert "No column says which attempts passed: all are taken to have." in foreign_table.assumption_sentences


GOOD = "participant,problem,condition,minutes,passed\np,a,x,3,true\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "p,b,x,three,true\n", "t.csv, line 3, column minutes: 'three' is not a number."),
        (GOOD + "p,b,x,-3,true\n", "t.csv, line 3, column minutes: -3 is not a positive number."),
        (GOOD + "p,b,x,nan,true\n", "t.csv, line 3, column minutes: nan is not a positive number."),
        (GOOD + "p,b,x,3,perhaps\n", "t.csv, line 3, column passed: 'perhaps' is no outcome. Write true or false"),
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
    assert "leave out --model-facts, --filtered, --votes, --logs" in output
    assert not (tmp_path / "report" / "report.html").exists()


FLAWED = """participant,problem,condition,minutes,limit_minutes,passed,score,try
p,a,x,3,20,true,85,1
p,a,x,3,20,true,1,1
p,a,x,4,20,true,1,2
q,a,x,1666.65,20,true,1,1
q,b,x,-3,20,maybe,zz,1
q,c,x,21,20,false,0,1
r,b,x,,20,,0.5,1
r,c,x,3
"""


def test_everything_that_is_wrong_with_a_table_is_told_at_once(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(FLAWED)
    with pytest.raises(TableError) as refused:
        read_table(table)
    assert str(refused.value).splitlines() == [
        f"{table}, {finding}"
        for finding in (
            "line 2, column score: 85 is not from 0 to 1. Write shares: of percentages, divide by 100.",
            "line 3, column participant: p at a under x, try 1 is in line 2 already. Remove one of them; if "
            "both happened, "
            "number them in a column `try`.",
            "line 5, column minutes: a pass after 99999 s is beyond the limit of 1200 s. Correct time or "
            "limit; who did "
            "not pass in time has the time limit, and did not pass.",
            "line 6, column minutes: -3 is not a positive number. Write a number with a decimal point and "
            "without a unit, "
            "or leave the cell empty.",
            "line 6, column passed: 'maybe' is no outcome. Write true or false, or give --mapping with "
            "[values.passed].",
            "line 6, column score: 'zz' is not a number. Write a number with a decimal point and without a "
            "unit, or leave "
            "the cell empty.",
            "line 7, column minutes: a time after 1260 s is beyond the limit of 1200 s. Correct time or limit; who did "
            "not pass in time has the time limit, and did not pass.",
            "line 8, column passed: the outcome is missing. Write true or false; what nobody decided does "
            "not belong into "
            "the table.",
            "line 9: 4 cells, and there are 8 columns. Write a cell for each column; a comma inside a cell "
            "needs quotes.",
        )
    ]


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("outcome", "sideways", "column outcome: 'sideways' is none of passed, failed, error"),
        ("censored_by", "bored", "column censored_by: 'bored' is none of gave_up, timed_out"),
        ("censored_by", "gave_up", "column censored_by: it passed, so it can't have ended as gave_up"),
        ("total_tokens", "-1", "column total_tokens: -1 is not from 0 to"),
        ("total_tokens", "9" * 400, "column total_tokens:"),
        ("total_tokens", "1.5", "column total_tokens: '1.5' is not a whole number"),
        ("forecast_difficulty", "6", "column forecast_difficulty: 6 is not from 1 to 5"),
        ("hours", "1", "column hours: the line states its time in minutes as well. Keep one"),
        ("time_source", "guess", "column time_source: 'guess' is none of clock, reported, none"),
        ("time_source", "none", "column time_source: it is none, and there is a time"),
        ("limit_s", "0", "column limit_s: 0 is not from"),
    ],
)
def test_numbers_and_words_that_cant_be_are_refused(column: str, cell: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"participant,problem,condition,minutes,passed,{column}\np,a,x,3,true,{cell}\n")
    with pytest.raises(TableError) as refused:
        read_table(tmp_path / "t.csv")
    assert f"t.csv, line 2, {message}" in str(refused.value), refused.value


def test_a_problems_human_minutes_agree_in_all_its_rows(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("participant,problem,condition,passed,human_minutes\np,a,x,true,3\nq,a,x,true,4\n")
    with pytest.raises(TableError, match="line 3, column human_minutes: a has 3 minutes in line 2, and 4 here"):
        read_table(tmp_path / "t.csv")


def test_times_of_a_table_are_reported_unless_it_says_that_a_clock_ran(tmp_path: Path) -> None:
    (tmp_path / "said.csv").write_text(
        "participant,problem,condition,minutes,passed,time_source\n"
        "p,a,x,3,true,clock\nq,a,x,5,true,reported\nr,a,x,,true,none\n"
    )
    (tmp_path / "t.csv").write_text("participant,problem,condition,minutes,passed\np,a,x,3,true\nr,a,x,,true\n")
    assert [row.time_source for row in read_table(tmp_path / "said.csv").rows] == ["clock", "reported", "none"]
    unsaid = read_table(tmp_path / "t.csv")
    assert [row.time_source for row in unsaid.rows] == ["reported", "none"]
    assert "No column says where times come from: they are taken as reported." in unsaid.assumption_sentences
    run("--from", tmp_path / "said.csv", "--out", tmp_path / "out")
    times = json.loads((tmp_path / "out" / "report.json").read_text())["sections"]["time"]["numbers"]
    assert times["restricted_means"]["x"]["value"] == pytest.approx(3)
    assert times["reported"]["restricted_means"]["x"]["value"] == pytest.approx(5)


def test_an_export_of_an_earlier_version_has_times_where_it_shows_work(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "participant,problem,condition,time_s,clock_s,passed,edits,calls\n"
        "p,a,human,300,310,true,7,0\nq,a,human,0.013,0.013,true,0,0\n"
    )
    old_export = read_table(tmp_path / "t.csv")
    assert [(row.time_source, row.time_s) for row in old_export.rows] == [("clock", 300), ("none", None)]
    assert any("1 of 2 attempts show neither an edit nor a call" in note for note in old_export.assumption_sentences)


_CELLS = (
    *(
        "",
        "0",
        "1",
        "-1",
        "85",
        "nan",
        "inf",
        "1e308",
        "true",
        "maybe",
        "three",
        "=1+1",
        "human",
        "model",
        "none",
        "clock",
    ),
    *("passed", "error", "timed_out", "\x00", '"', "a\nb", "9" * 400, "0.5", "99999"),
)
_FUZZED = (
    *(
        "minutes",
        "hours",
        "time_s",
        "passed",
        "solver",
        "score",
        "limit_s",
        "human_minutes",
        "try",
        "attempt",
        "family",
    ),
    *("forecast_blind_minutes", "censored_by", "outcome", "final", "time_source", "clock_s", "edits"),
    *("self_success", "total_tokens", "practice", "excluded_by", "category", "shots", "steps", "foo", ""),
)


@pytest.mark.parametrize("seed", range(30))
def test_no_table_is_a_traceback(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    columns = ["participant", "problem", "condition", *random.sample(_FUZZED, random.randint(1, 6))]
    share = random.choice((0.0, 0.02, 0.3))
    usual = {"participant": "pqr", "problem": "abcd", "condition": "xy", "minutes": "345", "passed": ("true", "false")}
    rows = [
        {
            column: random.choice(_CELLS) if random.random() < share else random.choice(usual.get(column, ("",)))
            for column in columns
        }
        for _ in range(random.randint(1, 12))
    ]
    table = write_table(tmp_path / "t.csv", rows)
    parquet = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_pylist(rows), parquet)
    for file in (table, parquet):
        with contextlib.suppress(TableError):
            write_table_report(TableOptions(file, tmp_path / "out"))


@pytest.mark.parametrize(
    "content",
    [
        {"participant": [b"\xff"], "problem": ["a"], "condition": ["x"], "passed": [True]},
        {"participant": [["p"]], "problem": [{"a": 1}], "condition": ["x"], "minutes": [3.0]},
        {"participant": [1], "problem": [2], "condition": [3], "minutes": [math.nan], "passed": [True]},
        {"participant": ["p"], "problem": ["a"], "condition": ["x"], "minutes": [datetime(2026, 1, 1, tzinfo=UTC)]},
        {"participant": [None], "problem": [None], "condition": [None], "passed": [None]},
    ],
)
def test_no_table_of_parquet_is_a_traceback(content: dict[str, Any], tmp_path: Path) -> None:
    pq.write_table(pa.table(content), tmp_path / "t.parquet")
    with contextlib.suppress(TableError):
        write_table_report(TableOptions(tmp_path / "t.parquet", tmp_path / "out"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.yaml", "[" * 5000),
        ("m.yaml", "constants: {started: 2026-13-45}"),
        ("m.yaml", "- 1"),
        ("m.toml", "a = [[" * 900),
    ],
)
def test_no_mapping_is_a_traceback(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "t.csv").write_text(GOOD)
    with pytest.raises(TableError):
        read_table(tmp_path / "t.csv", tmp_path / name)


def test_attempts_that_do_not_count_are_named_with_the_reason(tmp_path: Path) -> None:
    table_rows = [
        {
            "attempt": f"a{number}",
            "participant": "ada",
            "problem": f"p{number}",
            "condition": "alone",
            "solver": "human",
            "passed": True,
            "minutes": 5.0,
            "excluded_by": "slept at the desk",
        }
        for number in range(5)
    ]
    output = run("--from", write_table(tmp_path / "trial.csv", table_rows), "--out", tmp_path / "out")
    assert "0 of 5 attempts count; left out: 5 slept at the desk" in output
