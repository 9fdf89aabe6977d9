"""Fixtures and helpers of the tests of formal exhaustive."""

from __future__ import annotations

from pathlib import Path

from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.datasets.rtllm import import_rtllm
from benchwright_problems.datasets.verilogeval import import_verilogeval
from benchwright_problems.problem import Problem, ProblemKind

from .corpus import ROOT
from .testbench_sets import unpack

SAMPLES = ROOT.parent / "shared" / "data"


def published_designs(folder: Path) -> list[Problem]:
    """The design problems of the samples of published sets."""
    solution_files = sorted((SAMPLES / "cvdp").glob("*code_generation*_with_solutions.jsonl"))
    problems = [*import_cvdp(solution_files, "cvdp").problems]
    for name, importer in (("verilogeval", import_verilogeval), ("rtllm", import_rtllm)):
        problems += importer([unpack(SAMPLES / name / f"{name}_sample.json", folder / name)], name).problems
    return [problem for problem in problems if problem.kind is ProblemKind.DESIGN and problem.hidden.reference]
