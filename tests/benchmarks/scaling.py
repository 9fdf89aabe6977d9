"""Works out docs/explanation/scaling.md from what tests/benchmarks/cluster.py has printed.

    .venv/bin/python tests/benchmarks/cluster.py > measured.txt
    .venv/bin/python tests/benchmarks/scaling.py measured.txt

puts the measured table and what follows from it into the page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "scaling.md"
RUNS = 783 * 5 * 20
"""Problems × samples × models."""
SIZES = {"2 cores": 2, "one node, 32 cores": 32, "50 nodes, 32 cores each": 50 * 32}
GUESSES_S = (3.0, 10.0)
"""Core seconds per run of larger problems, beside what was measured."""

_LOCAL = re.compile(r"^\| local \| [\d.]+ \| (\d+) \|", re.MULTILINE)
_BLOCK = "<!-- {name}: written by tests/benchmarks/scaling.py -->\n"
_END = "<!-- end -->\n"


def core_seconds(measured: str) -> float:
    """Core seconds per run.

    Args:
        measured: Output of the benchmark.
    """
    match = _LOCAL.search(measured)
    if match is None:
        raise ValueError("this is not what tests/benchmarks/cluster.py prints: it has no row of the local executor")
    return 3600 / int(match[1])


def table(seconds: float) -> str:
    """Duration of all runs, by core seconds per run and number of cores; division and nothing else."""
    heads = ["core seconds per run", "core hours", *SIZES]
    rows = [
        [
            f"{run_seconds:.1f}",
            f"{RUNS * run_seconds / 3600:.0f}",
            *(_duration(RUNS * run_seconds / cores) for cores in SIZES.values()),
        ]
        for run_seconds in (seconds, *GUESSES_S)
    ]
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page(text: str, measured: str) -> str:
    """The page with both tables in their places."""
    for name, content in (("measured", measured.strip() + "\n"), ("computed", table(core_seconds(measured)))):
        start_marker = _BLOCK.format(name=name)
        text_before, marker, remainder = text.partition(start_marker)
        _, end_marker, text_after = remainder.partition(_END)
        if not (marker and end_marker):
            raise ValueError(f"{PAGE} has no place for what is {name}")
        text = f"{text_before}{start_marker}\n{content}\n{end_marker}{text_after}"
    return text


def measured_in(text: str) -> str:
    """The measured table that stands in the page."""
    return text.partition(_BLOCK.format(name="measured"))[2].partition(_END)[0]


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86_400 * 2), ("h", 3600 * 2), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / {'days': 86_400, 'h': 3600, 'min': 60}[unit]:.1f} {unit}"
    return f"{seconds:.0f} s"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), Path(sys.argv[1]).read_text(encoding="utf-8")), "utf-8")
