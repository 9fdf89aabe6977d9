"""The modules, interfaces and packages of a whole project, also those that a file has not named yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_verilog.language.heads import Head, head_of_definition, head_of_syntax
from benchwright_verilog.language.visible import members_of

if TYPE_CHECKING:
    from benchwright_verilog.semantics.analysis import Analysis
    from benchwright_verilog.semantics.project import Project

_MOST_KEPT = 64


@dataclass(frozen=True)
class Unit:
    """A module, interface, package or the like by name."""

    name: str
    kind: str
    path: Path | None
    """Where it is declared; none for what was analysed together with the file."""


class Library:
    """Finds units by name, and reads the heads of those that other files declare."""

    def __init__(self) -> None:
        self._heads: dict[Path, tuple[bytes, dict[str, Head]]] = {}
        self._members: tuple[Analysis | None, dict[Any, list[tuple[str, Any]]]] = None, {}
        self._known: tuple[Analysis | None, dict[str, Head | None]] = None, {}

    def members(self, analysis: Analysis, scope: Any) -> list[tuple[str, Any]]:
        """The members of a scope with their names; kept as long as questions are about the same analysis."""
        if self._members[0] is not analysis:
            self._members = analysis, {}
        known = self._members[1]
        if scope not in known:
            known[scope] = [(member.name, member) for member in members_of(scope)]
        return known[scope]

    def _known_head(self, analysis: Analysis, name: str) -> Head | None:
        if self._known[0] is not analysis:
            self._known = analysis, {}
        known = self._known[1]
        if name not in known:
            body = analysis.body(name)
            known[name] = head_of_definition(body.definition, analysis.sources) if body is not None else None
        return known[name]

    def units(self, project: Project, analysis: Analysis) -> Iterator[Unit]:
        """Every unit that is declared somewhere in the project; those that the file knows first."""
        seen: set[str] = set()
        for definition in analysis.compilation.getDefinitions():
            seen.add(definition.name)
            yield Unit(definition.name, str(getattr(definition, "getKindString", lambda: "primitive")()), None)
        for package in analysis.compilation.getPackages():
            if package.name != "std":
                seen.add(package.name)
                yield Unit(package.name, "package", None)
        if project.inventory is None:
            return
        for name, paths in project.inventory.declaring.items():
            if name in seen or not paths or (entry := project.inventory.entries.get(paths[0])) is None:
                continue
            if paths[0] == analysis.path:
                # What is on disk is out of date for a file that is open.
                continue
            kind = next((unit.kind.value for unit in entry.units if unit.name == name), "module")
            yield Unit(name, kind, paths[0])

    def unit(self, project: Project, analysis: Analysis, name: str) -> Unit | None:
        """A unit by its name."""
        return next((unit for unit in self.units(project, analysis) if unit.name == name), None)

    def head(self, project: Project, analysis: Analysis, unit: Unit) -> Head | None:
        """What a module takes; none where its file can't be read."""
        if unit.path is None:
            return self._known_head(analysis, unit.name)
        outline = project.outline(unit.path)
        if outline is None:
            return None
        known = self._heads.pop(unit.path, None)
        if known is None or known[0] != outline.data:
            known = outline.data, _heads_of(outline.data, unit.path)
        self._heads[unit.path] = known
        while len(self._heads) > _MOST_KEPT:
            del self._heads[next(iter(self._heads))]
        return known[1].get(unit.name)


def _heads_of(data: bytes, path: Path) -> dict[str, Head]:
    import pyslang
    from pyslang.syntax import SyntaxKind, SyntaxNode, SyntaxTree

    sources = pyslang.SourceManager()
    tree = SyntaxTree.fromText(data.decode(errors="replace"), sources, path.name)
    wanted = {SyntaxKind.ModuleDeclaration, SyntaxKind.InterfaceDeclaration, SyntaxKind.ProgramDeclaration}
    members: list[SyntaxNode] = [tree.root] if tree.root.kind in wanted else list(getattr(tree.root, "members", ()))
    heads = (head_of_syntax(member, sources) for member in members if member.kind in wanted)
    return {head.name: head for head in heads}
