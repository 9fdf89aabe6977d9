"""`problems check` over a whole pack: what it remembers, keeps and tells."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from ..support.designs.testbench_sets import STRICT, WEAK, write_rtllm

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")


def record(number: int, script: str) -> dict[str, Any]:
    compose = f"services: {{a: {{image: i, command: [sh, -c, {script!r}]}}}}"
    return {
        "id": f"slow-{number}",
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {}},
        "output": {"response": "", "context": {"rtl/inv.sv": f"module inv; endmodule // {number}\n"}},
        "harness": {"files": {"docker-compose.yml": compose}},
    }


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"BENCHWRIGHT_HOME": str(tmp_path / "home"), "COLUMNS": "200"}


def benchwright(environ: dict[str, str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BENCHWRIGHT, *arguments], env=environ, capture_output=True, text=True, timeout=1200, check=False
    )


def verdict_times(tmp_path: Path) -> dict[str, int]:
    """The verdicts that are kept, with the time each was written."""
    folder = tmp_path / "home" / "data" / "sealed" / "@verdicts"
    return {file.name: file.stat().st_mtime_ns for file in folder.rglob("*.verdict.json")}


def test_a_check_that_was_killed_goes_on_where_it_was(environ: dict[str, str], tmp_path: Path) -> None:
    data_file = tmp_path / "data_v9.jsonl"
    script = "grep -q module /code/rtl/inv.sv && sleep 0.4"
    data_file.write_text("".join(json.dumps(record(number, script)) + "\n" for number in range(6)))
    assert benchwright(environ, "problems", "import", "cvdp", data_file, "--pack", "slow").returncode == 0
    check_command = [str(BENCHWRIGHT), "problems", "check", "slow", "--jobs", "1"]
    check_process = subprocess.Popen(check_command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 600
        while len(verdict_times(tmp_path)) < 4:
            assert check_process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        os.kill(check_process.pid, signal.SIGKILL)
        check_process.wait()
    first_times = verdict_times(tmp_path)
    second_run = benchwright(environ, "problems", "check", "slow", "--jobs", "1", "--json")
    assert len(json.loads(second_run.stdout)["problems"]) == 6
    second_times = verdict_times(tmp_path)
    assert len(first_times) < len(second_times)
    assert {name: second_times[name] for name in first_times} == first_times
    benchwright(environ, "problems", "check", "slow", "--json")
    assert verdict_times(tmp_path) == second_times
    benchwright(environ, "problems", "check", "slow", "--json", "--fresh")
    assert all(verdict_times(tmp_path)[name] > written_ns for name, written_ns in second_times.items())


def names_in(archive: Path) -> list[str]:
    with tarfile.open(archive) as opened:
        return opened.getnames()


def test_the_report_tells_what_each_problem_needed_and_took(environ: dict[str, str], tmp_path: Path) -> None:
    root = write_rtllm(tmp_path / "rtllm", {"gate": STRICT, "weak": WEAK})
    assert benchwright(environ, "problems", "import", "rtllm", root, "--pack", "mine").returncode == 0
    report, runs_folder = tmp_path / "report.json", tmp_path / "runs"
    process = benchwright(environ, "problems", "check", "mine", "--report", report, "--keep-runs", runs_folder)
    assert process.returncode == 1, process.stderr
    reports_by_id = {row["id"]: row for row in json.loads(report.read_text())["problems"]}
    assert (reports_by_id["gate"]["ok"], reports_by_id["weak"]["ok"]) == (True, False)
    assert reports_by_id["weak"]["weak"] is True
    assert reports_by_id["gate"]["tools"] == ["iverilog"]
    assert reports_by_id["gate"]["selection"]["reason"]
    assert reports_by_id["gate"]["versions"]["icarus"].startswith("12")
    took = reports_by_id["gate"]["sides"]["reference"]
    assert took["folder_bytes"] > 0
    assert 1_000_000 < took["memory_bytes"] < 500_000_000
    assert 0 < took["cpu_s"] < 30
    assert reports_by_id["gate"]["sides"]["empty"]["outcome"] == "failed"
    table = (tmp_path / "report.md").read_text()
    assert "# mine: 1 of 2 proved from both sides" in table
    assert "an empty module passes: the tests prove nothing" in table
    archives = sorted(runs_folder.iterdir())
    assert len(archives) == 6
    assert all(archive.stat().st_mode & 0o777 == 0o600 for archive in archives)
    names = [name for archive in archives for name in names_in(archive)]
    # A design that is not there leaves nothing.
    assert any(name.startswith("rundir/") for name in names)


def test_what_an_editor_remarks_on_the_files_stands_below_the_table(environ: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "my-pack"
    assert benchwright(environ, "problems", "new", folder, "holds").returncode == 0
    statement = folder / "holds" / "statement.md"
    statement.write_text(statement.read_text().replace("| `en` |", "| `enable` |"))
    process = benchwright(environ, "problems", "check", folder)
    assert process.returncode == 0, process.stdout
    (line,) = (line for line in process.stdout.splitlines() if "statement.md" in line)
    assert re.fullmatch(r"holds/statement\.md:\d+: .*has no port enable.*", line)
    (row,) = json.loads(benchwright(environ, "problems", "check", folder, "--json").stdout)["problems"]
    assert row["file_remarks"] == [line]


def test_a_twin_of_a_question_is_made_and_proves_itself(environ: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "quiz"
    assert benchwright(environ, "problems", "new", folder, "stalls", "--form", "multiple-choice").returncode == 0
    process = benchwright(environ, "problems", "twin", folder, "stalls")
    assert "stalls-free is there" in process.stdout
    report = json.loads(benchwright(environ, "problems", "check", folder, "--json").stdout)
    proofs = {row["id"]: row["proof"] for row in report["problems"]}
    assert proofs == {"stalls": "proved", "stalls-free": "proved"}
    second_process = benchwright(environ, "problems", "twin", folder, "stalls")
    assert second_process.returncode == 2
    assert "is there already" in second_process.stderr


def test_answers_of_others_are_graded_with_reports(environ: dict[str, str], tmp_path: Path) -> None:
    root = write_rtllm(tmp_path / "rtllm", {"gate": STRICT})
    assert benchwright(environ, "problems", "import", "rtllm", root, "--pack", "mine").returncode == 0
    right_answer = "```verilog\nmodule gate(input a, input b, output y);\nassign y = a & b;\nendmodule\n```"
    answers = tmp_path / "answers.jsonl"
    lines = [{"id": "gate", "completion": text} for text in (right_answer, right_answer.replace("&", "|"))]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out_folder = tmp_path / "out"
    process = benchwright(
        environ, "grade", "mine", "--responses", answers, "--out", out_folder, "--solver", "somebody", "--quality"
    )
    assert process.returncode == 0, process.stderr
    assert "right answers among the 2 that are judged" in process.stdout
    verdict_rows = [json.loads(line) for line in (out_folder / "verdicts.jsonl").read_text().splitlines()]
    assert [(verdict["problem"], verdict["sample"], verdict["verdict"]) for verdict in verdict_rows] == [
        ("gate", 1, "passed"),
        ("gate", 2, "failed"),
    ]
    passed, failed = verdict_rows
    assert passed["quality"]["solution"] == passed["quality"]["reference"]
    assert passed["quality"]["solution"]["gates"] == 1
    assert "quality" not in failed
    for sample, result in (("sample_1", 0), ("sample_2", 1)):
        raw = json.loads((out_folder / sample / "raw_result.json").read_text())
        assert raw["gate"]["tests"][0]["result"] == result
        assert "=== Benchmark Report ===" in (out_folder / sample / "report.txt").read_text()
    composite = json.loads((out_folder / "composite_report.json").read_text())
    assert composite["metadata"]["n_samples"] == 2
    assert "Overall Pass@1, n=2 probability: 50.00%" in (out_folder / "composite_report.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("starter",), "Give the folder with the files"),
        (("starter", "o", "--responses", "x"), "no folder to judge"),
        (("starter", "--responses", "/nowhere"), "can't be read"),
        (("none", "--responses", "x"), "there is no pack 'none'"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], words: str, environ: dict[str, str]) -> None:
    process = benchwright(environ, "grade", *arguments)
    assert process.returncode == 2
    assert words in process.stderr
    assert process.stderr.startswith("error: ")
    assert "Traceback" not in process.stderr
