"""Cells and notes that plain and composite reports share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright_harness.cvdp_report.counts import DIFFICULTIES, SCORES, totals
from benchwright_harness.cvdp_report.grid import Cell
from benchwright_problems.category import Category


def heading(content: Mapping[str, Any]) -> list[str]:
    """The first lines of a report."""
    metadata = content["metadata"]
    lines = ["", "=== Benchmark Report ===", f"Dataset: {metadata['dataset_path']}"]
    lines += [f"Generated: {metadata['timestamp']}", "", "=== Run Configuration ==="]
    lines += ["Golden Mode: No", "Patches Disabled: No", f"Model/Agent: {metadata['model_agent']}"]
    if metadata.get("composite"):
        n, k = metadata["n_samples"], metadata["k_threshold"]
        lines += ["", "=== Composite Report ===", f"Number of samples: {n}"]
        passes = f"A problem passes if it passes in at least {k} out of {n} samples"
        lines.append(f"Pass@{k}, n={n} threshold: {passes}")
    return [*lines, "=======================", ""]


def by_difficulty(category: Mapping[str, Any], what: str, digits: int) -> list[Cell]:
    """Counts, then rates, of each difficulty."""
    counts: list[Cell] = []
    rates: list[Cell] = []
    for level in DIFFICULTIES:
        passed, _, total = totals([category], what, (level,))
        counts.append(f"{passed}/{total}" if total else "-")
        rates.append(f"{passed / total * 100:.{digits}f}%" if total else "-")
    return [*counts, *rates]


def percent(part: float, whole: float) -> str:
    """A share with two digits."""
    return f"{part / whole * 100 if whole else 0:.2f}%"


def starred(category: str, what: str) -> str:
    """A category's name, marked if its problems are scored."""
    return f"{category}*" if what == "Problems" and Category(category) in SCORES else category


def footnote(categories: Mapping[str, Any]) -> list[str]:
    """What the mark means, if a category has it."""
    note = "* Categories marked with asterisk use score-based scoring (0-1 range) instead of binary pass/fail"
    return [note] if any(Category(name) in SCORES for name in categories) else []
