"""Names of all files, by parts of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchwright_verilog.semantics.names.navigation import ReportProgress
from benchwright_verilog.semantics.project.index.outline import DeclaredName
from benchwright_verilog.semantics.project.project import Project

_MAX_FOUND = 256


@dataclass(frozen=True)
class SymbolMatch:
    """A declared name."""

    path: Path
    declared_name: DeclaredName
    container_name: str


def search_symbols(
    projects: Iterable[Project], query: str, report_progress: ReportProgress = lambda searched, number: None
) -> list[SymbolMatch]:
    """The declared names that have the letters of a query in their order, the closest first; all for an empty one."""
    ranked: list[tuple[int, int, str, SymbolMatch]] = []
    seen_paths: set[Path] = set()
    for project in projects:
        declaring_files = list(project.declared_names_by_file())
        for searched, (path, symbols) in enumerate(declaring_files):
            report_progress(searched, len(declaring_files))
            if path in seen_paths:
                continue
            seen_paths.add(path)
            for declared_unit in symbols:
                rank = _query_distance(declared_unit.name, query)
                if rank is not None:
                    match = SymbolMatch(path, declared_unit, path.name)
                    ranked.append((rank, len(declared_unit.name), declared_unit.name, match))
    ranked.sort(key=lambda ranked_match: ranked_match[:3])
    return [match for *_, match in ranked[:_MAX_FOUND]]


def _query_distance(name: str, query: str) -> int | None:
    """Distance of a name from a query; None if it does not have all of its letters."""
    lowered, lowered_query = name.lower(), query.lower()
    if lowered == lowered_query:
        return 0
    if lowered.startswith(lowered_query):
        return 1
    if lowered_query in lowered:
        return 2
    letters = iter(lowered)
    return 3 if all(letter in letters for letter in lowered_query) else None
