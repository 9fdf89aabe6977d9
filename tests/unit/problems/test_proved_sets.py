"""Data sets whose solutions a proof compares with a reference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_problems.datasets import FORMATS
from benchwright_problems.datasets.dataset_format import recognised_format
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.rtl_benchls import import_rtl_benchls
from benchwright_problems.datasets.verithoughts import export_verithoughts, import_verithoughts
from benchwright_problems.errors import DatasetError

from .test_irregular_records import MASKED, Record

INVERTERS = (
    "module inverter(input a, output y); assign y = ~a; endmodule\n"
    "module inverters(input [1:0] a, output [1:0] y);\n"
    "inverter low(a[0], y[0]), high(a[1], y[1]);\nendmodule\n"
)
ROW: Record = {"question": "Write `inverters` with two inverters.", "ground_truth": INVERTERS, "verified": True}


def write_rows(folder: Path, *rows: Record) -> Path:
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_a_verified_row_becomes_a_problem_about_its_top_module(tmp_path: Path) -> None:
    (problem,) = import_verithoughts([write_rows(tmp_path, ROW)], "p").problems
    assert (problem.id, problem.public.statement) == ("row-1", ROW["question"])
    assert problem.public.expected == ("rtl/inverters.v",)
    assert problem.hidden.harness == {"proof.json": '{"top": "inverters"}\n'}
    assert problem.hidden.reference == {"rtl/inverters.v": INVERTERS}
    assert export_verithoughts(problem) == ROW


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"verified": False}, r"field verified: is false"),
        ({"ground_truth": "nothing"}, r"field ground_truth: has no module, where a proof needs one"),
        (
            {"ground_truth": "module a; endmodule\nmodule b; endmodule\n"},
            r"field ground_truth: has the top modules a, b, where a proof needs one",
        ),
        ({"verified": "yes"}, r"field verified: .*bool"),
    ],
)
def test_a_row_that_no_proof_can_decide_is_refused_with_its_line(tmp_path: Path, change: Record, reason: str) -> None:
    file = write_rows(tmp_path, ROW, ROW | change)
    with pytest.raises(DatasetError, match=rf"rows.jsonl:2: {reason}"):
        import_verithoughts([file], "p")
    pack = import_verithoughts([file], "p", invalid=InvalidRecords(skip=True))
    assert [problem.id for problem in pack.problems] == ["row-1"]


def test_a_masked_design_starts_with_its_gap_and_its_library(tmp_path: Path) -> None:
    files = MASKED["files"]
    assert isinstance(files, dict)
    record = MASKED | {"files": files | {"lib.v": "module cell_of_library(input a); endmodule\n"}}
    (problem,) = import_rtl_benchls([write_rows(tmp_path, record)], "p").problems
    assert set(problem.public.files) == {"rtl/mg_00001.v", "rtl/lib.v"}
    assert "[MASKED]" in problem.public.files["rtl/mg_00001.v"]
    assert problem.hidden.reference == {"rtl/mg_00001.v": files["mg_00001.v"]}
    assert "~a" not in problem.public.model_dump_json()


def test_each_set_is_recognised_by_its_first_record(tmp_path: Path) -> None:
    for record, name in ((ROW, "verithoughts"), (MASKED, "rtl-benchls")):
        dataset_format = recognised_format([write_rows(tmp_path, record)], FORMATS)
        assert dataset_format is not None
        assert dataset_format.name == name
