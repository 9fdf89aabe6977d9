"""Data sets: one module reads and writes each format, and one line here registers it."""

from __future__ import annotations

from benchwright_problems.datasets import (
    chipbench,
    csbench,
    cvdp,
    harbor,
    hwebench,
    quarch,
    rtl_benchls,
    rtllm,
    verilogeval,
    verithoughts,
)
from benchwright_problems.datasets.dataset_format import DatasetFormat

FORMATS: tuple[DatasetFormat, ...] = (
    cvdp.FORMAT,
    hwebench.FORMAT,
    harbor.FORMAT,
    chipbench.FORMAT,
    # Their records have a `task_id`, too.
    rtl_benchls.FORMAT,
    verilogeval.FORMAT,
    verithoughts.FORMAT,
    rtllm.FORMAT,
    csbench.FORMAT,
    quarch.FORMAT,
)
"""All formats, in the order of the command's help."""
