"""`benchwright` as a person or a script calls it: a process of its own, with a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

STARTER = Path(str(files("benchwright_problems") / "packs" / "starter"))
DESIGN = "starter/saturating-counter"
REFERENCE = STARTER / "saturating-counter" / "hidden" / "reference"
STARTING = STARTER / "saturating-counter" / "public"
DIGESTS = {"problem", "harness", "toolchain", "sandbox"}


@dataclass(frozen=True)
class CommandOutput:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value it has to be."""
        return json.loads(self.out)


Benchwright = Callable[..., CommandOutput]


@pytest.fixture
def benchwright(tmp_path: Path) -> Benchwright:
    def call(*arguments: str | Path, **environ: str) -> CommandOutput:
        process = subprocess.run(
            [Path(sys.executable).with_name("benchwright"), *arguments],
            env=os.environ | {"BENCHWRIGHT_HOME": str(tmp_path / "home"), "COLUMNS": "200"} | environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        return CommandOutput(process.returncode, process.stdout, process.stderr)

    return call


@pytest.fixture
def benchwright_in_process(tmp_path: Path) -> Benchwright:
    """The same, for many small calls: without the time that a process takes to start."""

    def call(*arguments: str | Path) -> CommandOutput:
        environ = {"BENCHWRIGHT_HOME": str(tmp_path / "home"), "COLUMNS": "200"}
        cli_run = CliRunner().invoke(app_with_commands(), [str(argument) for argument in arguments], env=environ)
        return CommandOutput(cli_run.exit_code, cli_run.stdout, cli_run.stderr)

    return call


@pytest.fixture
def record() -> dict[str, Any]:
    return {
        "id": "inverter",
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {}},
        "output": {"response": "", "context": {"rtl/inv.sv": "module inv; endmodule // CANARY-77\n"}},
        "harness": {
            "files": {"docker-compose.yml": "services: {a: {image: i, command: [sh, -c, exit 0]}} # CANARY-77"}
        },
    }


def is_one_sentence(output: CommandOutput) -> bool:
    text = output.err.strip()
    return text.startswith("error: ") and "Traceback" not in text and "\n" not in text and len(text) < 400


def test_importing_tells_the_problems(benchwright: Benchwright, record: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(json.dumps(record))
    output = benchwright("problems", "import", "cvdp", file, "--pack", "mine", "--json")
    expected_report = {"pack": "mine", "problems": ["inverter"], "left_out": 0, "unprovable": []}
    assert (output.status, output.json) == (0, expected_report)
    listed = benchwright("problems", "list", "mine", "--json").json
    assert listed == [
        {
            "problem": "mine/inverter",
            "title": "inverter",
            "kind": "design",
            "category": "cid003",
            "difficulty": "easy",
            "labels": {},
        }
    ]


def test_importing_twice_needs_a_word(benchwright: Benchwright, record: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(json.dumps(record))
    import_arguments = ("problems", "import", "cvdp", file, "--pack", "mine")
    assert benchwright(*import_arguments).status == 0
    refusal = benchwright(*import_arguments)
    assert refusal.status == 2
    assert is_one_sentence(refusal)
    assert "--replace" in refusal.err
    assert benchwright(*import_arguments, "--replace").status == 0


def test_exporting_gives_the_records_back(benchwright: Benchwright, record: dict[str, Any], tmp_path: Path) -> None:
    file, copy = tmp_path / "data.jsonl", tmp_path / "copy.jsonl"
    file.write_text(json.dumps(record))
    benchwright("problems", "import", "cvdp", file, "--pack", "mine")
    assert benchwright("problems", "export", "mine", copy).status == 0
    assert json.loads(copy.read_text()) == record
    assert copy.stat().st_mode & 0o777 == 0o600


def test_showing_a_problem_shows_nothing_hidden(
    benchwright: Benchwright, record: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(json.dumps(record))
    benchwright("problems", "import", "cvdp", file, "--pack", "mine")
    plain_output, as_json = (
        benchwright("problems", "show", "mine/inverter"),
        benchwright("problems", "show", "mine/inverter", "--json"),
    )
    assert "Write an inverter." in plain_output.out
    assert as_json.json["public"]["expected"] == ["rtl/inv.sv"]
    assert "CANARY-77" not in plain_output.out + as_json.out + benchwright("problems", "list").out


def test_a_bad_file_is_refused_in_one_sentence_and_imports_nothing(benchwright: Benchwright, tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text('{"id": "a"}\n')
    output = benchwright("problems", "import", "cvdp", file, "--pack", "mine")
    assert output.status == 2
    assert is_one_sentence(output)
    assert f"{file}:1: field " in output.err
    assert benchwright("problems", "list", "mine").status == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("problems", "show", "starter/none"), "has no problem 'none'"),
        (("problems", "show", "none/none"), "there is no pack 'none'"),
        (("problems", "show", "none"), "PACK/PROBLEM"),
        (("problems", "list", "none"), "there is no pack 'none'"),
        (("problems", "check", "none"), "there is no pack 'none'"),
        (("problems", "check", "starter", "--sandbox", "none"), "no sandbox 'none'"),
        (("problems", "export", "starter", "/nowhere/x"), "only packs imported from a data set"),
        (("problems", "import", "none", "x", "--pack", "p"), "no importer for 'none'"),
        (("problems", "import", "cvdp", "/nowhere/x", "--pack", "p"), "can't be read"),
        (("problems", "import", "cvdp", "/nowhere/x", "--pack", "P P"), "can't name a pack"),
        (("problems", "import", "cvdp", "/nowhere/x", "--pack", "starter"), "/nowhere/x"),
        (("grade", "starter/none", "."), "has no problem 'none'"),
        (("grade", DESIGN, "/nowhere"), "/nowhere is not a folder"),
        (("grade", DESIGN, ".", "--sandbox", "none"), "no sandbox 'none'"),
        (("answer", "starter/vipt-synonyms", "/nowhere"), "can't be read"),
        (("answer", DESIGN, "x"), "is not a question"),
        (("open", "starter/none"), "has no problem 'none'"),
        (("attempts", "show", "none"), "none"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], words: str, benchwright_in_process: Benchwright) -> None:
    output = benchwright_in_process(*arguments)
    assert output.status == 2
    assert is_one_sentence(output), output.err
    assert words in output.err
    assert output.out == ""


def test_grading_the_reference_passes(benchwright: Benchwright) -> None:
    output = benchwright("grade", DESIGN, REFERENCE, "--json")
    graded = output.json
    assert output.status == 0
    assert set(graded) == {"problem", "verdict", "reason", "tests", "compiler", "wall_s", "remarks", "digests"}
    assert (graded["problem"], graded["verdict"]) == (DESIGN, "passed")
    assert set(graded["tests"]) == {"passed", "total"}
    assert graded["tests"]["passed"] == graded["tests"]["total"] > 0
    assert graded["wall_s"] > 0
    assert set(graded["digests"]) == DIGESTS
    assert all(len(digest) == 64 for digest in graded["digests"].values())


def test_grading_the_starting_files_fails(benchwright: Benchwright) -> None:
    output = benchwright("grade", DESIGN, STARTING, "--json")
    assert (output.status, output.json["verdict"]) == (1, "failed")
    plain_output = benchwright("grade", DESIGN, STARTING)
    assert plain_output.status == 1
    assert plain_output.out.startswith("failed: ")


def test_grading_without_a_toolchain_is_an_error_with_the_next_step(benchwright: Benchwright, tmp_path: Path) -> None:
    output = benchwright("grade", DESIGN, STARTING, "--json", BENCHWRIGHT_CACHE=str(tmp_path / "cache"))
    assert (output.status, output.json["verdict"]) == (2, "error")
    plain_output = benchwright("grade", DESIGN, STARTING, BENCHWRIGHT_CACHE=str(tmp_path / "cache"))
    assert "benchwright toolchain build" in plain_output.out


def test_a_link_in_the_folder_is_not_followed(benchwright: Benchwright, tmp_path: Path) -> None:
    (tmp_path / "work" / "rtl").mkdir(parents=True)
    (tmp_path / "work" / "rtl" / "sat_counter.sv").symlink_to(REFERENCE / "rtl" / "sat_counter.sv")
    output = benchwright("grade", DESIGN, tmp_path / "work")
    assert output.status == 2
    assert is_one_sentence(output)


@pytest.mark.parametrize(("text", "status"), [("true", 0), ("false", 0), ("maybe", 1), ("", 1)])
def test_answers_are_scored(text: str, status: int, benchwright: Benchwright, tmp_path: Path) -> None:
    (question,) = [
        row["problem"]
        for row in benchwright("problems", "list", "starter", "--json").json
        if row["problem"] == "starter/vipt-synonyms"
    ]
    file = tmp_path / "answer.md"
    file.write_text(text)
    output = benchwright("answer", question, file, "--json")
    if status:
        assert output.status == status
    else:
        assert output.status in {0, 1}
    assert set(output.json) == {"problem", "verdict", "reason", "tests", "compiler", "wall_s", "remarks", "digests"}
    assert output.json["verdict"] == {0: "passed", 1: "failed"}[output.status]


def test_exactly_one_of_true_and_false_is_right(benchwright: Benchwright, tmp_path: Path) -> None:
    statuses = []
    for text in ("True", "False"):
        (tmp_path / "answer.md").write_text(text)
        statuses.append(benchwright("answer", "starter/vipt-synonyms", tmp_path / "answer.md").status)
    assert sorted(statuses) == [0, 1]


def test_checking_the_published_examples(benchwright: Benchwright, cvdp_files: list[Path]) -> None:
    solved_files = [file for file in cvdp_files if file.name.endswith("_with_solutions.jsonl")]
    imported = benchwright("problems", "import", "cvdp", *solved_files, "--pack", "cvdp-examples")
    assert imported.status == 0, imported.err
    output = benchwright("problems", "check", "cvdp-examples", "--json")
    report = output.json
    assert set(report) == {"pack", "total", "ok", "counts", "problems"}
    assert (report["pack"], report["total"]) == ("cvdp-examples", 5)
    fields = {"id", "category", "reference", "starting", "ok", "proof", "reason", "tests_ran", "wall_s", "remarks"}
    fields |= {"file_remarks"}
    assert all(set(row) == fields for row in report["problems"])
    report_rows = {row["id"]: row for row in report["problems"]}
    outcomes_by_problem = {
        name: (row["reference"], row["starting"], row["reason"]) for name, row in report_rows.items()
    }
    assert outcomes_by_problem == dict.fromkeys(report_rows, ("passed", "failed", ""))
    assert report["ok"] == sum(row["ok"] for row in report["problems"]) == 5
    assert output.status == 0


def test_checking_tells_a_problem_whose_tests_prove_nothing(
    benchwright: Benchwright, record: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(json.dumps(record))
    benchwright("problems", "import", "cvdp", file, "--pack", "mine")
    output = benchwright("problems", "check", "mine", "--json")
    (row,) = output.json["problems"]
    assert (row["reference"], row["starting"], row["ok"]) == ("passed", "passed", False)
    assert row["reason"] == "the starting files pass: the tests prove nothing"
    assert output.status == 1


def test_doctor_tells_every_item(benchwright: Benchwright) -> None:
    output = benchwright("doctor", "--json")
    report = output.json
    assert output.status == (0 if report["ok"] else 1)
    names = {item["name"] for item in report["items"]}
    assert {"Python", "Toolchain", "Verilator", "Sandbox", "Judges"} <= names
    assert {item["status"] for item in report["items"]} <= {"ok", "missing", "warning"}
    assert all(item.get("hint") for item in report["items"] if item["status"] == "missing")


def test_doctor_names_what_is_missing_and_the_next_step(benchwright: Benchwright, tmp_path: Path) -> None:
    output = benchwright("doctor", "--json", BENCHWRIGHT_CACHE=str(tmp_path / "cache"), PATH="/nowhere")
    missing = {item["name"]: item["hint"] for item in output.json["items"] if item["status"] == "missing"}
    assert output.status == 1
    assert {"Toolchain", "Sandbox"} <= set(missing)
    assert "benchwright toolchain build" in missing["Toolchain"]


def test_opening_makes_a_workspace_without_hidden_text(benchwright: Benchwright) -> None:
    output = benchwright("open", DESIGN, "--json")
    assert output.status == 0
    folder = Path(urlsplit(output.json["status"]["workspace"]).path)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {"README.md", "rtl/sat_counter.sv", ".benchwright.json"} <= names
    assert not any("hidden" in name or "test_" in name for name in names)


@pytest.mark.parametrize("command", [(), ("problems",), ("attempts",), ("lsp",), ("grade",), ("doctor",)])
def test_every_command_has_help(command: tuple[str, ...], benchwright_in_process: Benchwright) -> None:
    output = benchwright_in_process(*command, "--help")
    assert output.status == 0
    assert "usage" in output.out.lower()
