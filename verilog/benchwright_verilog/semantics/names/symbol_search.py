"""Names of all files, by parts of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchwright_verilog.semantics.names.navigation import Report
from benchwright_verilog.semantics.project.index.outline import DeclaredUnit
from benchwright_verilog.semantics.project.project import Project

_MAX_FOUND = 256


@dataclass(frozen=True)
class Found:
    """A declared name."""

    path: Path
    declared: DeclaredUnit
    container: str


def search(projects: Iterable[Project], query: str, report: Report = lambda searched, number: None) -> list[Found]:
    """The declared names that have the letters of a query in their order, the closest first; all for an empty one."""
    ranked: list[tuple[int, int, str, Found]] = []
    seen: set[Path] = set()
    for project in projects:
        files = list(project.symbols())
        for searched, (path, symbols) in enumerate(files):
            report(searched, len(files))
            if path in seen:
                continue
            seen.add(path)
            for declared in symbols:
                rank = _rank(declared.name, query)
                if rank is not None:
                    found = Found(path, declared, path.name)
                    ranked.append((rank, len(declared.name), declared.name, found))
    ranked.sort(key=lambda one: one[:3])
    return [found for *_, found in ranked[:_MAX_FOUND]]


def _rank(name: str, query: str) -> int | None:
    """How far a name is from a query; None if it does not have all of its letters."""
    lowered, wanted = name.lower(), query.lower()
    if lowered == wanted:
        return 0
    if lowered.startswith(wanted):
        return 1
    if wanted in lowered:
        return 2
    letters = iter(lowered)
    return 3 if all(letter in letters for letter in wanted) else None
