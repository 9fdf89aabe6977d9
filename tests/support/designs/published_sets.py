"""Fixtures and helpers of the tests of testbench sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_problems.datasets.rtllm import import_rtllm
from benchwright_problems.datasets.verilogeval import import_verilogeval
from benchwright_problems.problem import Problem

from .testbench_sets import write_rtllm, write_verilogeval


@pytest.fixture
def verilogeval(tmp_path: Path) -> dict[str, Problem]:
    pack = import_verilogeval([write_verilogeval(tmp_path / "verilogeval")], "ve")
    return {problem.id: problem for problem in pack.problems}


def rtllm(tmp_path: Path, **checks: str) -> list[Problem]:
    return list(import_rtllm([write_rtllm(tmp_path / "rtllm", checks)], "rtllm").problems)
