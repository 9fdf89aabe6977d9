"""Verilator's coverage of each instance, in Xcelium's metrics.

The file's format is SystemPerl's, which Verilator writes: `C 'key value pairs' count`, where control characters 1 and
2 stand before a key and before its value.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xcelium.simulate import ASSERTIONS, DATA

METRICS = ("Block", "Expression", "Toggle", "Assertion")
_KINDS = {"line": "Block", "branch": "Block", "expr": "Expression", "toggle": "Toggle"}
_TRIGGER = re.compile(r"trigger_[0-9a-f]{12}_")
"""In the names of what `triggers.py` puts in."""
_POINT = re.compile(r"^C '(.*)' (\d+)$", re.DOTALL)


@dataclass(frozen=True)
class CoveredItems:
    """Number of items of one kind that were covered."""

    covered: int = 0
    total: int = 0

    def __add__(self, other: "CoveredItems") -> "CoveredItems":
        return CoveredItems(self.covered + other.covered, self.total + other.total)

    @property
    def percent(self) -> float | None:
        """The share; none of nothing."""
        return 100 * self.covered / self.total if self.total else None


@dataclass
class Instance:
    """One instance of the hierarchy."""

    path: tuple[str, ...]
    own_items: dict[str, CoveredItems] = field(default_factory=dict)
    """Metric → items of the instance itself."""
    children: list["Instance"] = field(default_factory=list)
    untriggered: list[str] = field(default_factory=list)
    """Its assertions of which nobody has seen that they were ever triggered and held."""
    failed_silently: list[str] = field(default_factory=list)
    """Its assertions that failed, and whose action blocks made no error of it."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path[-1]

    def items(self, metric: str) -> CoveredItems:
        """Of the instance and everything below it."""
        total = self.own_items.get(metric, CoveredItems())
        for child in self.children:
            total += child.items(metric)
        return total

    @property
    def average(self) -> float | None:
        """Mean of the metrics that have items."""
        found = [percent for metric in METRICS if (percent := self.items(metric).percent) is not None]
        return sum(found) / len(found) if found else None

    @property
    def covered(self) -> CoveredItems:
        """All metrics together."""
        total = CoveredItems()
        for metric in METRICS:
            total += self.items(metric)
        return total


@dataclass(frozen=True)
class CoveragePoint:
    """One point of Verilator's."""

    kind: str
    module: str
    hierarchy: str
    lines: frozenset[int]
    count: int
    label: str = ""
    """Of a cover."""


def load_hierarchy(folder: Path) -> list[Instance]:
    """The tops of the hierarchy that a simulation left in `folder`.

    Raises:
        OSError: The folder has no coverage data.
        ValueError: The coverage data can't be read.
    """
    points = list(_parsed_points((folder / DATA).read_text(encoding="utf-8", errors="replace")))
    kept = json.loads((folder / ASSERTIONS).read_text(encoding="utf-8"))
    modules: dict[str, str] = {}
    items: dict[tuple[str, str], CoveredItems] = {}
    untriggered: dict[str, list[str]] = {}
    failed_silently: dict[str, list[str]] = {}
    for point in points:
        if metric := _KINDS.get(point.kind):
            modules[point.hierarchy] = point.module
            key = (point.hierarchy, metric)
            items[key] = items.get(key, CoveredItems()) + CoveredItems(point.count > 0, 1)
    for hierarchy, module in modules.items():
        here = [point for point in points if point.hierarchy.startswith(hierarchy)]
        failed = {name.removeprefix(hierarchy + ".") for name in kept["failed"] if name.startswith(hierarchy)}
        for assertion in kept["assertions"]:
            # `fifo__W8` and `fifo__pi1` are made of `fifo`.
            if module == assertion["module"] or module.startswith(f"{assertion['module']}__"):
                key = (hierarchy, "Assertion")
                items[key] = items.get(key, CoveredItems()) + CoveredItems(
                    _assertion_holds(assertion, here, hierarchy, failed), 1
                )
                name = f"{hierarchy}.{assertion['name']}" if assertion["name"] else hierarchy
                place = f"{name} ({assertion['file']}:{assertion['line']})"
                if assertion["marks"] is not None and _is_hit(here, assertion["marks"]["failures"]):
                    if name not in kept["failed"]:
                        failed_silently.setdefault(hierarchy, []).append(place)
                elif not _is_triggered(assertion, here):
                    untriggered.setdefault(hierarchy, []).append(place)
    tops, instances = _instance_tree(modules, items)
    for hierarchy, instance in instances.items():
        instance.untriggered = untriggered.get(hierarchy, [])
        instance.failed_silently = failed_silently.get(hierarchy, [])
    return tops


def _assertion_holds(
    assertion: dict[str, Any], points: list[CoveragePoint], hierarchy: str, failed_assertions: set[str]
) -> bool:
    """True if a statement was attempted, held and never failed; a cover must have been hit."""
    name, marks = assertion["name"], assertion["marks"]
    if not _is_triggered(assertion, points) or _is_hit(points, marks["failures"]):
        return False
    if assertion["kind"] == "cover":
        own = [point for point in points if point.kind == "user" and not _TRIGGER.search(point.label)]
        # Of two on one line each has hits of its own.
        return any(
            point.count
            for point in own
            if assertion["line"] in point.lines and (not name or name == point.label.rpartition("__DOT__")[2])
        )
    if name in failed_assertions or (not name and hierarchy in failed_assertions):
        return False
    if assertion["concurrent"] or marks["hits"]:
        return True
    around = [point.count for point in points if point.hierarchy == hierarchy and assertion["line"] in point.lines]
    # A branch on the same line has a point of its own.
    return all(around)


def _is_triggered(assertion: dict[str, Any], points: list[CoveragePoint]) -> bool:
    """True if all was seen of a statement that had to be seen for it to have checked anything."""
    marks = assertion["marks"]
    return marks is not None and all(_is_hit(points, [label]) for label in marks["hits"])


def _is_hit(points: list[CoveragePoint], accepted_labels: Collection[str]) -> bool:
    return any(point.count for point in points if point.label.rpartition("__DOT__")[2] in accepted_labels)


def _parsed_points(coverage_text: str) -> Iterator[CoveragePoint]:
    for line in coverage_text.splitlines():
        found = _POINT.match(line)
        if not found:
            continue
        keys = dict(pair.partition("\2")[::2] for pair in found[1].split("\1") if pair)
        kind, _, module = keys.get("page", "").removeprefix("v_").partition("/")
        if kind != "user" and _TRIGGER.match(keys.get("f", "")):
            continue
        hierarchy = keys.get("h", "")
        label = ""
        if kind == "user":
            hierarchy, _, label = hierarchy.rpartition(".")
        lines = frozenset(_line_numbers(keys.get("S", ""))) | {int(keys.get("l", "0"))}
        yield CoveragePoint(kind, module, hierarchy.removeprefix("TOP."), lines, int(found[2]), label)


def _line_numbers(line_ranges: str) -> Iterator[int]:
    for part in filter(None, line_ranges.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _instance_tree(
    module_by_hierarchy: dict[str, str], items_by_hierarchy_and_metric: dict[tuple[str, str], CoveredItems]
) -> tuple[list[Instance], dict[str, Instance]]:
    """The instances that have none above them, and all by their hierarchy."""
    known: dict[tuple[str, ...], Instance] = {}
    tops: list[Instance] = []
    for hierarchy in sorted(module_by_hierarchy):
        parts = tuple(hierarchy.split("."))
        instance = Instance(
            parts,
            {
                metric: items_by_hierarchy_and_metric[hierarchy, metric]
                for metric in METRICS
                if (hierarchy, metric) in items_by_hierarchy_and_metric
            },
        )
        known[parts] = instance
        above = next((known[parts[:end]] for end in range(len(parts) - 1, 0, -1) if parts[:end] in known), None)
        (tops if above is None else above.children).append(instance)
    return tops, {".".join(parts): instance for parts, instance in known.items()}
