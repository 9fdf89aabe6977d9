"""Survivors in an author's folder: in which file they are shown, when no longer, and what becomes of one as a test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchwright_authoring.mutation.author_folder import REPORT, ReferenceFile
from benchwright_authoring.mutation.findings import (
    Counterexample,
    MutantFinding,
    MutantStatus,
    PackFindings,
    ProblemFindings,
)
from benchwright_authoring.mutation.mutant import Mutant
from benchwright_authoring.mutation.stimulus import cocotb_stimulus_test_text
from benchwright_problems.storage.pack_folder import read_pack_folder

TEXT = "module m (input logic clk, d, output logic q);\n  always_ff @(posedge clk) q <= d;\nendmodule\n"
EXAMPLE = Counterexample(cycle=1, stimulus=({"d": 1}, {"d": 0}))


def mutant_finding(status: MutantStatus = MutantStatus.SURVIVED, is_scored: bool = True) -> MutantFinding:
    start = TEXT.index("posedge")
    mutant = Mutant.of("rtl/m.sv", TEXT.encode(), kind_name="edge", byte_span=(start, start + 7), new_text="negedge")
    return MutantFinding(mutant=mutant, is_scored=is_scored, status=status, counterexample=EXAMPLE)


def write_report(*findings: MutantFinding, problem: str = "p") -> str:
    return PackFindings(
        pack="mine",
        version="1",
        seed=0,
        limit=None,
        toolchain="t",
        sandbox="bwrap",
        proofs=True,
        problems=(ProblemFindings(id=problem, findings=findings),),
    ).model_dump_json()


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    files = {
        "pack.toml": 'name = "mine"\ntitle = "Mine"\nversion = "1"\nlicense = "MIT"\nsource = "me"\norder = ["p"]\n',
        "p/problem.toml": 'id = "p"\nkind = "design"\ndifficulty = "easy"\nexpected = ["rtl/m.sv"]\n',
        "p/statement.md": "# A register\n",
        "p/hidden/reference/rtl/m.sv": TEXT,
        "p/hidden/harness/docker-compose.yml": "services: {a: {image: i}}\n",
        "p/hidden/harness/src/test_runner.py": "import pytest\n",
        "p/hidden/harness/src/test_m.py": "import cocotb\n\n\n@cocotb.test()\nasync def works(dut):\n    pass\n",
        REPORT: write_report(mutant_finding()),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def reference(pack: Path) -> ReferenceFile:
    reference_file = ReferenceFile.from_path(pack / "p/hidden/reference/rtl/m.sv")
    assert reference_file is not None
    return reference_file


def test_survivors_of_the_report_beside_the_pack_are_found(pack: Path) -> None:
    assert reference(pack).current_survivors(TEXT.encode()) == [mutant_finding()]


def test_once_the_reference_is_another_its_survivors_are_gone(pack: Path) -> None:
    assert reference(pack).current_survivors(TEXT.replace("q <= d", "q <= !d").encode()) == []


@pytest.mark.parametrize(
    "text",
    [
        write_report(mutant_finding(MutantStatus.KILLED)),
        write_report(mutant_finding(MutantStatus.EQUIVALENT)),
        write_report(mutant_finding(is_scored=False)),
        write_report(mutant_finding(), problem="other"),
        "{",
        "[]",
        '{"problems": null}',
    ],
)
def test_nothing_else_is_shown(pack: Path, text: str) -> None:
    (pack / REPORT).write_text(text)
    assert reference(pack).current_survivors(TEXT.encode()) == []


def test_without_a_report_nothing_is_shown(pack: Path) -> None:
    (pack / REPORT).unlink()
    assert reference(pack).current_survivors(TEXT.encode()) == []


@pytest.mark.parametrize("name", ["p/hidden/wrong/a/rtl/m.sv", "p/public/rtl/m.sv", "hidden/reference/rtl/m.sv"])
def test_only_references_of_packs_have_survivors(pack: Path, name: str) -> None:
    assert ReferenceFile.from_path(pack / name) is None


def test_the_report_is_not_taken_into_the_pack(pack: Path) -> None:
    (pack / "p" / REPORT).write_text("secret")
    assert "secret" not in read_pack_folder(pack).model_dump_json()
    assert "mutant" not in read_pack_folder(pack).model_dump_json()


def test_tests_are_added_to_the_file_that_holds_tests(pack: Path) -> None:
    assert reference(pack).first_cocotb_file == pack / "p/hidden/harness/src/test_m.py"


def test_a_test_drives_the_counterexample_and_fails_until_it_is_finished() -> None:
    text = cocotb_stimulus_test_text(mutant_finding(), EXAMPLE, TEXT)
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.AsyncFunctionDef)
    assert isinstance(function.body[-1], ast.Raise)
    assert "{'d': 1}" in text
    assert "Clock(dut.clk, 10" in text


def test_without_a_clock_a_test_waits_for_time() -> None:
    text = cocotb_stimulus_test_text(mutant_finding(), EXAMPLE, "module m (input a, output y); assign y = a; endmodule")
    ast.parse(text)
    assert "Clock" not in text
    assert 'Timer(1, unit="ns")' in text
