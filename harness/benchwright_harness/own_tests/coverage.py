"""Line and toggle coverage of a design, read from what Verilator writes.

The format is SystemPerl's: `C 'key value pairs' count`, with control character 1 before a key and 2 before its value. A
module with several instances has each point several times; they are added.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright_harness.own_tests.simulation import CODE

_POINT = re.compile(r"^C '(.*)' (\d+)$")
_BRANCHES = frozenset({"if", "else", "elsif", "case", "cond_then", "cond_else"})


@dataclass(frozen=True)
class Branch:
    """One way that a condition can go."""

    name: str
    """As Verilator calls it: `if`, `else`, `case`."""
    line: int
    column: int
    """Both from 1."""
    count: int


@dataclass(frozen=True)
class Toggle:
    """A bit of a signal that goes up or down."""

    signal: str
    """Such as `q[3]:0->1`."""
    line: int
    """Of its declaration, from 1."""
    count: int


@dataclass(frozen=True)
class FileCoverage:
    """The coverage of one file."""

    path: str
    lines: dict[int, int]
    """Line from 1 → how often it was executed."""
    branches: tuple[Branch, ...]
    toggles: tuple[Toggle, ...]


def coverage_of_files(coverage_data: bytes, design_paths: frozenset[str]) -> tuple[FileCoverage, ...]:
    """The coverage of files, by path.

    Args:
        coverage_data: Coverage data that Verilator wrote.
        design_paths: Relative paths of the files of interest: the design, without testbenches.
    """
    lines: dict[str, dict[int, int]] = defaultdict(dict)
    branches: dict[str, dict[tuple[str, int, int], int]] = defaultdict(lambda: defaultdict(int))
    toggles: dict[str, dict[tuple[str, int], int]] = defaultdict(lambda: defaultdict(int))
    for keys, count in _points_and_counts(coverage_data.decode("utf-8", "replace")):
        path = keys.get("f", "").removeprefix(f"{CODE}/")
        if path not in design_paths:
            continue
        kind = keys.get("page", "").removeprefix("v_").partition("/")[0]
        line, column, name = _int_or_zero(keys.get("l")), _int_or_zero(keys.get("n")), keys.get("o", "")
        if kind == "toggle":
            toggles[path][name, line] += count
        elif kind in ("line", "branch"):
            line_counts = lines[path]
            for number in _covered_lines(keys.get("S", ""), line):
                line_counts[number] = max(line_counts.get(number, 0), count)
            if kind == "branch" or name in _BRANCHES:
                branches[path][name, line, column] += count
    return tuple(
        FileCoverage(
            path,
            dict(sorted(lines[path].items())),
            tuple(
                Branch(*branch_key, count)
                for branch_key, count in sorted(branches[path].items(), key=lambda branch_count: branch_count[0][1:])
            ),
            tuple(
                Toggle(*toggle_key, count)
                for toggle_key, count in sorted(toggles[path].items(), key=lambda toggle_count: toggle_count[0][1])
            ),
        )
        for path in sorted(lines.keys() | toggles.keys())
    )


def _points_and_counts(coverage_text: str) -> Iterator[tuple[dict[str, str], int]]:
    for line in coverage_text.splitlines():
        match = _POINT.match(line)
        if match:
            yield dict(pair.partition("\2")[::2] for pair in match[1].split("\1") if pair), int(match[2])


def _covered_lines(line_ranges: str, fallback_line: int) -> Iterator[int]:
    """The lines of a point: `12-14,16`."""
    for line_range in filter(None, line_ranges.split(",")):
        first_line, _, last_line = line_range.partition("-")
        yield from range(
            _int_or_zero(first_line), min(_int_or_zero(last_line or first_line), _int_or_zero(first_line) + 10_000) + 1
        )
    if not line_ranges:
        yield fallback_line


def _int_or_zero(digits: str | None) -> int:
    return int(digits) if digits and digits.isdecimal() else 0
