"""`benchwright attempts compare` on recorded attempts, and the report of what it finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from benchwright_attempts import log_file
from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Event, RunFinished, RunStarted, Save, Started, Submitted
from benchwright_attempts.events.file_text import FileText, sha256
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.grading.second_opinions import SecondOpinions
from benchwright_attempts.log.record import AttemptHeader
from benchwright_authoring.new_problem import DesignForm, write_new_problem
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_server.cli.app import app_with_commands
from benchwright_studies import open_log

PATH = "rtl/hold.sv"


@pytest.fixture
def problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toolchain: Toolchain) -> Problem:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    write_new_problem(tmp_path / "mine", "hold", DesignForm.TESTBENCH)
    Store(Home.from_environment()).add(read_pack_folder(tmp_path / "mine"))
    return Store(Home.from_environment()).unseal("mine/hold")


def attempt(
    problem: Problem, text: str, outcome: Outcome = Outcome.PASSED, *, is_ended: bool = True, **digests: str
) -> str:
    """Records that a design was judged so."""
    log = open_log(log_file(Home.from_environment()))
    try:
        header = Attempts(log).create(
            "mine/hold", problem.public_digest, Path("/w"), {PATH: FileText.of_text(text)}, solver="ada"
        )
        judged_digests = {"problem": problem.public_digest, "harness": problem.harness_digest} | digests
        snapshot = {PATH: sha256(text.encode())}
        run_end = RunFinished(
            run="r1", number=1, outcome=outcome, reason="", wall_s=1, passed=None, total=None, digests=judged_digests
        )
        events: list[Event] = [Started(actor=Actor.PERSON), Save(path=PATH, sha256=snapshot[PATH], size=len(text))]
        events += [RunStarted(run="r1", number=1, snapshot=snapshot), run_end]
        for event in [*events, *([Submitted()] if is_ended else [])]:
            log.append_blocking(header.id, event)
    finally:
        log.close()
    return header.id


def ran(*arguments: str) -> Any:
    command_run = CliRunner().invoke(app_with_commands(), [*arguments, "--json"])
    assert command_run.exit_code == 0, command_run.output
    return json.loads(command_run.stdout)


def test_designs_that_passed_are_compared_once_and_reported_as_escapes(problem: Problem, tmp_path: Path) -> None:
    reference = reference_solution_files(problem)[PATH].decode()
    same_attempt = attempt(problem, reference)
    wrong_attempt = attempt(problem, reference.replace("else if (en)", "else if (en && d != 8'hEE)"))
    attempt(problem, reference, Outcome.FAILED)
    attempt(problem, reference, is_ended=False)
    attempt(problem, reference, harness="0" * 64)
    assert ran("attempts", "compare") == {"compared": 2, "known": 0, "differs": 1, "equivalent": 1}
    assert ran("attempts", "compare") == {"compared": 0, "known": 2}
    assert ran("attempts", "compare", "--fresh", same_attempt) == {"compared": 1, "known": 0, "equivalent": 1}
    opinion = SecondOpinions(Home.from_environment()).find_opinion(wrong_attempt)
    assert opinion is not None
    assert any(inputs.get("d") == 0xEE for inputs in opinion.found.opinion.stimulus)

    ran("report", "--out", str(tmp_path / "report"))
    section = json.loads((tmp_path / "report" / "report.json").read_text())["sections"]["escapes"]
    assert section["numbers"]["results"] == {"equivalent": 1, "differs": 1, "bounded": 0, "unknown": 0}
    (row,) = section["tables"][2]["rows"]
    assert row[:6] == ["mine/hold", 2, 1, 1, 0, 0]
    # Enable and reset are in its flip-flops: the reference has no gates.
    assert row[7:] == ["–", "1.00", "–", "0.00"]
    page = (tmp_path / "report" / "report.html").read_text()
    assert "Passed, and equivalent?" in page
    assert "stimulus" not in page


def test_without_an_opinion_the_report_has_no_such_section(problem: Problem, tmp_path: Path) -> None:
    attempt(problem, reference_solution_files(problem)[PATH].decode())
    ran("report", "--out", str(tmp_path / "report"))
    assert "escapes" not in json.loads((tmp_path / "report" / "report.json").read_text())["sections"]


def test_what_was_compared_with_another_version_is_compared_again_and_not_reported(
    problem: Problem, tmp_path: Path
) -> None:
    reference = reference_solution_files(problem)[PATH].decode()
    attempt_id = attempt(problem, reference.replace("else if (en)", "else if (en && d != 8'hEE)"))
    assert ran("attempts", "compare")["differs"] == 1
    file = tmp_path / "mine" / "hold" / "problem.toml"
    file.write_text(f'{file.read_text()}\n[dont_care]\nalways = ["q"]\n')
    Store(Home.from_environment()).add(read_pack_folder(tmp_path / "mine"), replace=True)
    ran("report", "--out", str(tmp_path / "report"))
    assert "escapes" not in json.loads((tmp_path / "report" / "report.json").read_text())["sections"]
    # Now it has no output that counts.
    assert ran("attempts", "compare") == {"compared": 1, "known": 0, "unknown": 1}
    assert ran("attempts", "compare") == {"compared": 0, "known": 1}
    assert ran("attempts", "compare", "--limit", "30") == {"compared": 1, "known": 0, "unknown": 1}
    RunRecords(Home.from_environment(), attempt_id).delete()
    assert SecondOpinions(Home.from_environment()).find_opinion(attempt_id) is None


def test_an_escape_with_other_parameters_is_reported_with_them(problem: Problem, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "hold"
    file = folder / "hidden" / "reference" / PATH
    reference = file.read_text().replace("module hold (", "module hold #(parameter int W = 8) (")
    reference = reference.replace("[7:0]", "[W-1:0]")
    file.write_text(reference)
    problem_file = folder / "problem.toml"
    problem_file.write_text(f"{problem_file.read_text()}\n[proof]\nparameters = [{{ W = 3 }}, {{ W = 5 }}]\n")
    Store(Home.from_environment()).add(read_pack_folder(tmp_path / "mine"), replace=True)
    unsealed_problem = Store(Home.from_environment()).unseal("mine/hold")
    # One that differs, and one that has no such parameter.
    attempt(unsealed_problem, reference.replace("else if (en)", "else if (en || W == 5)"))
    attempt(unsealed_problem, reference.replace("parameter int W", "localparam int W"))
    assert ran("attempts", "compare") == {"compared": 2, "known": 0, "differs": 1, "unknown": 1}
    ran("report", "--out", str(tmp_path / "report"))
    section = json.loads((tmp_path / "report" / "report.json").read_text())["sections"]["escapes"]
    parameters = sorted(row[-1].partition("(")[2] for row in section["tables"][3]["rows"])
    assert parameters == ["W = 3)", "W = 5)"]
    assert "the design is not modelled (W = 3)" in (tmp_path / "report" / "report.html").read_text()


def test_an_attempt_of_another_machine_names_no_file_elsewhere(problem: Problem) -> None:
    header_fields = {"id": "../../packs/mine", "problem": "mine/hold", "problem_digest": "d", "workspace": "/w"}
    header_fields |= {"solver": "ada", "condition": "human", "created": "2026-11-20T09:30:00Z"}
    with pytest.raises(ValidationError, match="other characters"):
        AttemptHeader.model_validate(header_fields)
