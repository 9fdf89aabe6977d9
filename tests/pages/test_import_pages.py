"""The pages about data sets and their harnesses, on small sets of our own in the published layouts."""

from __future__ import annotations

import json
import shutil

import pytest

from ..support.designs.testbench_sets import STRICT, write_rtllm, write_verilogeval
from ..support.packs.csbench_set import write_layout
from ..support.packs.exam_papers import papers
from ..support.packs.import_pages import CVDP, FREE
from ..unit.problems.test_irregular_records import MASKED
from ..unit.problems.test_proved_sets import ROW
from .walk import Reader, Walk

CHOICE = {
    "question_id": 17,
    "question": "Which misses does higher associativity reduce?",
    "options": ["compulsory", "capacity", "conflict", "coherence"],
}


def _csbench(page_reader: Reader) -> None:
    names = write_layout(page_reader.folder / "Dataset", 4)
    page_reader.words["en-2184"] = names[0]
    answer_records = [{"id": name, "response": "The answer is (B)."} for name in names]
    page_reader.write("answers.jsonl", "".join(json.dumps(answer) + "\n" for answer in answer_records))


def _cvdp(page_reader: Reader) -> None:
    page_reader.write("cvdp_v1_nonagentic_with_solutions.jsonl", json.dumps(CVDP) + "\n")


def _quarch(page_reader: Reader) -> None:
    page_reader.write("test_questions.jsonl", json.dumps(CHOICE) + "\n")
    page_reader.write("test_answers.jsonl", json.dumps({"question_id": 17, "answer": "C"}) + "\n")
    page_reader.write("frqs/exam/1.json", json.dumps([FREE]))


def _rtllm(page_reader: Reader) -> None:
    write_rtllm(page_reader.folder / "RTLLM", {"gate": STRICT})
    page_reader.words["RTLLM/Arithmetic/Adder/adder_8bit"] = "RTLLM/Area/Kind/gate"
    page_reader.words["adder_8bit"] = "gate"


def _verilogeval(page_reader: Reader) -> None:
    write_verilogeval(page_reader.folder / "verilog-eval")
    test = (page_reader.folder / "verilog-eval/dataset_spec-to-rtl/Prob001_and_test.sv").read_text(encoding="utf-8")
    human = {
        "task_id": "and",
        "prompt": "module top_module(input a, input b, output y);",
        "canonical_solution": "  assign y = a & b;\nendmodule\n",
        "test": test.replace("TopModule", "top_module"),
    }
    page_reader.write("VerilogEval_Human.jsonl", json.dumps(human) + "\n")
    described = {"task_id": "and", "detail_description": "Build an AND gate.", "simple_description": ""}
    page_reader.write("VerilogDescription_Human.jsonl", json.dumps(described) + "\n")


def _verithoughts(page_reader: Reader) -> None:
    page_reader.write("verified_benchmark.jsonl", f"{json.dumps(ROW)}\n{json.dumps(ROW | {'verified': False})}\n")


def _rtl_benchls(page_reader: Reader) -> None:
    page_reader.write("masked_designs.jsonl", json.dumps(MASKED) + "\n")


def _chipbench(page_reader: Reader) -> None:
    for part, name in (("Gen", "cpu_ip"), ("Debugging", "debug_zero_shot_timing")):
        folder = page_reader.folder / "ChipBench" / f"Verilog {part}"
        write_verilogeval(folder)
        (folder / "dataset_spec-to-rtl").rename(folder / f"dataset_{name}")
        for other_folder in folder.glob("dataset_code-complete*"):
            shutil.rmtree(other_folder)


def _platform(page_reader: Reader) -> None:
    write_layout(page_reader.folder / "Dataset", 4)
    page_reader.run("benchwright problems import csbench Dataset --pack mine")
    page_reader.run("benchwright questions export mine quiz.xml")


def _exam(page_reader: Reader) -> None:
    (paper,) = (paper for paper in papers() if paper.name == "typeset")
    (page_reader.folder / "midterm.pdf").write_bytes(paper.pdf)


def _reviewed(page_reader: Reader) -> None:
    for review_form in (page_reader.folder / "midterm" / "items").glob("*/review.toml"):
        review_form.write_text(
            review_form.read_text(encoding="utf-8").replace('"open"', '"accepted"'), encoding="utf-8"
        )
        (review_form.parent / "solution" / "solution.md").write_text("Because.\n", encoding="utf-8")
    exam_file = page_reader.folder / "midterm" / "exam.toml"
    exam_file.write_text(
        exam_file.read_text(encoding="utf-8").replace('license = ""', 'license = "CC-BY-4.0"'), encoding="utf-8"
    )


WALKS = {
    "docs/how-to/architecture-labs.md": Walk(
        not_run={"course assign-weeks": "tests/integration/test_architecture_labs.py assigns a term to a course"}
    ),
    "docs/how-to/find-weak-tests.md": Walk(_rtllm),
    "docs/how-to/questions-from-an-exam.md": Walk(
        _exam,
        steps_before={"make-pack": _reviewed},
        not_run={"--model": "tests/unit/exams/test_models.py asks a model of its own"},
    ),
    "docs/how-to/questions-and-learning-platforms.md": Walk(_platform),
    "docs/how-to/import-chipbench.md": Walk(_chipbench),
    "docs/how-to/import-csbench.md": Walk(_csbench),
    "docs/how-to/import-cvdp.md": Walk(_cvdp),
    "docs/how-to/import-quarch.md": Walk(_quarch),
    "docs/how-to/import-rtl-benchls.md": Walk(_rtl_benchls),
    "docs/how-to/import-rtllm.md": Walk(_rtllm),
    "docs/how-to/import-verilogeval.md": Walk(_verilogeval),
    "docs/how-to/import-verithoughts.md": Walk(_verithoughts),
}


@pytest.mark.sampled
@pytest.mark.parametrize("page", WALKS)
def test_page(page: str, reader: Reader) -> None:
    WALKS[page].go(page, reader)
