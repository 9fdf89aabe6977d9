from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_problems.category import Category
from benchwright_problems.datasets import FORMATS
from benchwright_problems.datasets.chipbench import FORMAT, export_chipbench, import_chipbench
from benchwright_problems.datasets.dataset_format import recognised_format
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem

TEST = """`define WIDTH 4
module tb;
  logic a, ref_y, dut_y;
  RefModule good1 (.a, .y(ref_y));
  TopModule top1 (.a, .y(dut_y));
endmodule
"""
REFERENCE = "module RefModule (input a, output y);\n  assign y = a;\nendmodule\n"
INVERTER = "module inverter (input a, output y);\n  assign y = ~a;\nendmodule\n"
BUG = "module TopModule (input a, output y);\n  assign y = ~a;\nendmodule\n"
TOP = "rtl/TopModule.sv"


def write_problem(
    root: Path, dataset: str, prompt: str, reference: str = REFERENCE, name: str = "Prob001_wire", test: str = TEST
) -> Path:
    folder = root / ("Verilog Debugging" if dataset.startswith("debug") else "Verilog Gen") / f"dataset_{dataset}"
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in {"prompt.txt": prompt, "ref.sv": reference, "test.sv": test}.items():
        (folder / f"{name}_{part}").write_text(text)
    return root


def only_problem(root: Path) -> Problem:
    (problem,) = import_chipbench([root], "p").problems
    return problem


def test_the_module_with_the_bug_is_what_the_solver_starts_with(tmp_path: Path) -> None:
    prompt = f"Build a wire. The code below has a bug:\n```\n{BUG}```\n"
    problem = only_problem(write_problem(tmp_path, "debug_zero_shot_timing", prompt))
    assert problem.category is Category.BUG_FIX
    assert problem.public.files == {TOP: BUG}
    assert problem.public.statement == prompt
    assert problem.hidden.reference[TOP].startswith("module TopModule (input a")


def test_a_module_of_the_prompt_that_the_reference_needs_is_given_to_all(tmp_path: Path) -> None:
    reference = REFERENCE.replace("assign y = a;", "wire n; inverter u (.a, .y(n)); inverter v (.a(n), .y);")
    prompt = f"Build a wire of these:\n```verilog\n{INVERTER}```\nand no others."
    problem = only_problem(write_problem(tmp_path, "not_self_contain", prompt, reference))
    assert problem.category is Category.SPEC_TO_RTL
    assert problem.public.files == {TOP: INVERTER}
    assert INVERTER in problem.hidden.reference[TOP]
    # The testbench's reference has one of its own, which a design can't change.
    assert problem.hidden.harness["prompt_modules.sv"] == INVERTER
    assert "prompt_modules.sv" in json.loads(problem.hidden.harness["testbench.json"])["testbench"]


def test_a_module_that_the_reference_declares_itself_is_not_taken_from_the_prompt(tmp_path: Path) -> None:
    reference = REFERENCE.replace("assign y = a;", "inverter u (.a, .y);") + INVERTER
    problem = only_problem(write_problem(tmp_path, "not_self_contain", f"```\n{INVERTER}```", reference))
    assert problem.hidden.reference[TOP].count("module inverter") == 1
    assert "prompt_modules.sv" not in problem.hidden.harness


def test_macros_of_the_testbench_that_the_reference_uses_come_with_it(tmp_path: Path) -> None:
    reference = REFERENCE.replace("assign y = a;", "wire [`WIDTH-1:0] w = {`WIDTH{a}}; assign y = w[0];")
    problem = only_problem(write_problem(tmp_path, "cpu_ip", "Build a wire.", reference))
    assert problem.hidden.reference[TOP].startswith("`define WIDTH 4\n")
    own_macro = write_problem(tmp_path / "own", "cpu_ip", "Build a wire.", f"`define WIDTH 2\n{reference}")
    assert only_problem(own_macro).hidden.reference[TOP].count("`define") == 1


def test_problems_of_one_name_are_told_apart_by_their_data_set(tmp_path: Path) -> None:
    for dataset in ("debug_zero_shot_timing", "debug_one_shot_timing"):
        write_problem(tmp_path, dataset, "Build a wire.")
    write_problem(tmp_path, "cpu_ip", "Build a wire.", name="Prob002_other")
    names = {problem.id for problem in import_chipbench([tmp_path], "p").problems}
    assert names == {"debug_zero_shot_timing.Prob001_wire", "debug_one_shot_timing.Prob001_wire", "Prob002_other"}


def test_a_problem_is_exported_as_the_files_that_it_was_read_from(tmp_path: Path) -> None:
    prompt = f"Fix:\n```\n{BUG}```\n"
    problem = only_problem(write_problem(tmp_path, "debug_zero_shot_timing", prompt))
    assert export_chipbench(problem) == {
        "Prob001_wire_prompt.txt": prompt,
        "Prob001_wire_ref.sv": REFERENCE,
        "Prob001_wire_test.sv": TEST,
    }


def test_the_set_is_recognised_by_its_folders_and_an_incomplete_problem_is_refused(tmp_path: Path) -> None:
    root = write_problem(tmp_path, "cpu_ip", "Build a wire.")
    assert recognised_format([root], FORMATS) is FORMAT
    (root / "Verilog Gen" / "dataset_cpu_ip" / "Prob001_wire_ref.sv").unlink()
    with pytest.raises(DatasetError, match=r"Prob001_wire_ref\.sv: is missing"):
        import_chipbench([root], "p")
