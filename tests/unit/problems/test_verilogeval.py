from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright_problems.category import Category
from benchwright_problems.datasets.verilogeval import export_verilogeval, import_verilogeval
from benchwright_problems.errors import BadPackNameError, DatasetError
from benchwright_problems.problem import Pack
from benchwright_problems.storage.store import Store

PROMPT = "Build a wire.\n"
REFERENCE = "module RefModule (input a, output y);\n  assign y = a; // RefModule\nendmodule\n"
TEST = """module tb;
  logic a, ref_y, dut_y;
  RefModule good1 (.a, .y(ref_y));
  TopModule top1 (.a, .y(dut_y));
  final $display("Mismatches: %1d in %1d samples", 0, 1);
endmodule
"""
HEADER = "module TopModule (input a, output y);\n"
FOLDER = {"Prob001_wire_prompt.txt": PROMPT, "Prob001_wire_ref.sv": REFERENCE, "Prob001_wire_test.sv": TEST}
WriteFiles = Callable[[dict[str, str | bytes]], Path]
WriteLines = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFiles:
    def write_files(content_by_path: dict[str, str | bytes]) -> Path:
        root = tmp_path / "data"
        for path, content in content_by_path.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write_files


def imported(root: Path, *files: Path) -> Pack:
    return import_verilogeval([root, *files], "ve")


def test_a_folder_of_specifications_becomes_design_problems(write: WriteFiles) -> None:
    (problem,) = imported(write(dict(FOLDER))).problems
    assert (problem.id, problem.category) == ("Prob001_wire", Category.SPEC_TO_RTL)
    assert problem.public.statement == PROMPT
    assert (problem.public.expected, problem.public.files) == (("rtl/TopModule.sv",), {})
    assert "verilog-eval" in problem.provenance.source
    assert problem.hidden.reference["rtl/TopModule.sv"].startswith("module TopModule (input a")


def test_the_testbench_is_described_with_the_names_it_keeps_to_itself(write: WriteFiles) -> None:
    (problem,) = imported(write(dict(FOLDER))).problems
    described = json.loads(problem.hidden.harness["testbench.json"])
    assert (described["criterion"], described["top"], described["testbench"]) == (
        "verilogeval",
        "tb",
        ["test.sv", "ref.sv"],
    )
    assert {"tb", "RefModule", "good1"} <= set(described["private"])


def test_code_completion_starts_with_the_header(write: WriteFiles) -> None:
    (problem,) = imported(write({**FOLDER, "Prob001_wire_ifc.txt": HEADER})).problems
    assert problem.category is Category.COMPLETION
    assert problem.public.files == {"rtl/TopModule.sv": f"{HEADER.strip()}\n\n\nendmodule\n"}


def test_both_tasks_of_a_checkout_keep_their_problems_apart(write: WriteFiles) -> None:
    root = write(
        {
            **{f"dataset_spec-to-rtl/{name}": text for name, text in FOLDER.items()},
            **{f"dataset_code-complete-iccad2023/{name}": text for name, text in FOLDER.items()},
            "README.md": "nothing",
            ".git/Prob002_no_prompt.txt": "nothing",
        }
    )
    assert {problem.id for problem in imported(root).problems} == {
        "spec-to-rtl.Prob001_wire",
        "code-complete.Prob001_wire",
    }


def task_record(**field_changes: object) -> dict[str, object]:
    header = "module top_module (input a, output y);\n"
    test = TEST.replace("TopModule", "top_module").replace("RefModule", "reference_module")
    body = "  assign y = a;\nendmodule\n"
    return {"task_id": "wire", "prompt": header, "canonical_solution": body, "test": test, **field_changes}


def test_records_of_version_1_become_the_same(write_lines: WriteLines) -> None:
    task_file = write_lines(task_record(), name="VerilogEval_Human.jsonl")
    descriptions = write_lines(
        {"task_id": "wire", "detail_description": "Wire."}, name="VerilogDescription_Human.jsonl"
    )
    (problem,) = imported(task_file, descriptions).problems
    assert problem.id == "wire"
    assert problem.public.statement.startswith("Wire.\n\n```verilog\nmodule top_module (input a")
    assert problem.hidden.reference == {
        "rtl/top_module.sv": "module top_module (input a, output y);\n  assign y = a;\nendmodule\n"
    }
    assert list(problem.hidden.harness) == ["testbench.json", "test.sv"]
    assert export_verilogeval(problem) == {**task_record(), "detail_description": "Wire."}


def test_people_and_models_described_the_same_tasks(write_lines: WriteLines) -> None:
    files = [
        write_lines(task_record(), name="VerilogEval_Human.jsonl"),
        write_lines(task_record(), name="VerilogEval_Machine.jsonl"),
        write_lines({"task_id": "wire", "detail_description": "By hand."}, name="VerilogDescription_Human.jsonl"),
        write_lines({"task_id": "wire", "detail_description": "By machine."}, name="VerilogDescription_Machine.jsonl"),
    ]
    descriptions = {problem.id: problem.public.statement.partition("\n")[0] for problem in imported(*files).problems}
    assert descriptions == {"human.wire": "By hand.", "machine.wire": "By machine."}


def test_files_come_back_as_they_were(write: WriteFiles, store: Store) -> None:
    completion_files: dict[str, str | bytes] = {**FOLDER, "Prob001_wire_ifc.txt": HEADER}
    store.add(imported(write(completion_files)))
    assert export_verilogeval(store.unseal("ve/Prob001_wire")) == completion_files


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Prob001_wire_ref.sv": None}, "Prob001_wire_ref.sv: is missing"),
        ({"Prob001_wire_test.sv": None}, "Prob001_wire_test.sv: is missing"),
        ({"Prob001_wire_ref.sv": "module Other; endmodule"}, "declares no module RefModule"),
        ({"Prob001_wire_test.sv": "module tb; endmodule"}, "has no instance of TopModule"),
        ({"Prob001_wire_prompt.txt": b"\xff"}, "byte 1 is not UTF-8"),
        (dict.fromkeys(FOLDER), "holds no problem"),
    ],
)
def test_a_folder_with_a_flaw_is_refused_by_its_file(
    change: dict[str, str | bytes | None], words: str, write: WriteFiles
) -> None:
    changed_files: dict[str, str | bytes] = {
        name: text for name, text in {**FOLDER, **change}.items() if text is not None
    }
    with pytest.raises(DatasetError, match=words):
        imported(write(changed_files or {"nothing": ""}))


@pytest.mark.parametrize(
    ("field_change", "words"),
    [
        ({"test": 1}, "1: field test:"),
        ({"canonical_solution": None}, "1: field canonical_solution:"),
        ({"test": "module tb; endmodule"}, "1: field test: has no instance of top_module"),
        ({"task_id": "../x"}, "1: field id:"),
    ],
)
def test_a_record_with_a_flaw_is_refused_by_line_and_field(
    field_change: dict[str, object], words: str, write_lines: WriteLines
) -> None:
    with pytest.raises(DatasetError, match=words):
        imported(write_lines(task_record(**field_change)))


def test_links_are_not_followed(write: WriteFiles, tmp_path: Path) -> None:
    root = write(dict(FOLDER))
    (root / "Prob001_wire_ref.sv").unlink()
    (root / "Prob001_wire_ref.sv").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DatasetError, match="is a link"):
        imported(root)
    (root / "Prob001_wire_ref.sv").unlink()
    (root / "more").symlink_to(tmp_path)
    with pytest.raises(DatasetError, match="is a link to a folder"):
        imported(root)


def test_a_pipe_does_not_hold_the_import_up(write: WriteFiles) -> None:
    import os

    root = write(dict(FOLDER))
    (root / "Prob001_wire_ref.sv").unlink()
    os.mkfifo(root / "Prob001_wire_ref.sv")
    with pytest.raises(DatasetError, match="is not a plain file"):
        imported(root)


def test_a_bad_pack_name_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(BadPackNameError):
        import_verilogeval([tmp_path], "No Name")
