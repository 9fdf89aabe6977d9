"""The modules, interfaces and packages of a whole project, including those that a file has not named yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.ast import Symbol

    from benchwright_verilog.language.explanation.headers import Header
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.project import Project

_MOST_KEPT = 64


@dataclass(frozen=True)
class LibraryUnit:
    """A module, interface, package or the like by name."""

    name: str
    kind: str
    path: Path | None
    """The file that declares it; None for what was analysed together with the file."""


class Library:
    """Finds units by name, and reads the headers of those that other files declare."""

    def __init__(self) -> None:
        self._headers: dict[Path, tuple[bytes, dict[str, Header]]] = {}
        self._members: tuple[FileAnalysis | None, dict[Symbol, list[tuple[str, Symbol]]]] = None, {}
        self._known_headers: tuple[FileAnalysis | None, dict[str, Header | None]] = None, {}

    def named_members(self, analysis: FileAnalysis, scope: Symbol) -> list[tuple[str, Symbol]]:
        """The members of a scope with their names; kept as long as questions are about the same analysis."""
        # Imported late, here and below: slang is not needed to start.
        from benchwright_verilog.language.completion.names_in_scope import named_members_of

        if self._members[0] is not analysis:
            self._members = analysis, {}
        known_members = self._members[1]
        if scope not in known_members:
            known_members[scope] = [(member.name, member) for member in named_members_of(scope)]
        return known_members[scope]

    def _header_in_analysis(self, analysis: FileAnalysis, module_name: str) -> Header | None:
        from benchwright_verilog.language.explanation.headers import header_of_definition

        if self._known_headers[0] is not analysis:
            self._known_headers = analysis, {}
        known_headers = self._known_headers[1]
        if module_name not in known_headers:
            body = analysis.module_body(module_name)
            known_headers[module_name] = (
                header_of_definition(body.definition, analysis.sources) if body is not None else None
            )
        return known_headers[module_name]

    def units(self, project: Project, analysis: FileAnalysis) -> Iterator[LibraryUnit]:
        """Every unit that is declared somewhere in the project; those that the file knows first."""
        seen_names: set[str] = set()
        for definition in analysis.lookup_compilation.getDefinitions():
            seen_names.add(definition.name)
            yield LibraryUnit(definition.name, str(getattr(definition, "getKindString", lambda: "primitive")()), None)
        for package in analysis.lookup_compilation.getPackages():
            if package.name != "std":
                seen_names.add(package.name)
                yield LibraryUnit(package.name, "package", None)
        if project.inventory is None:
            return
        for name, paths in project.inventory.declaring_files_by_unit.items():
            if name in seen_names or not paths or (entry := project.inventory.entries.get(paths[0])) is None:
                continue
            if paths[0] == analysis.path:
                # What is on disk is out of date for a file that is open.
                continue
            kind = next((unit.target_kind.value for unit in entry.units if unit.name == name), "module")
            yield LibraryUnit(name, kind, paths[0])

    def unit_named(self, project: Project, analysis: FileAnalysis, unit_name: str) -> LibraryUnit | None:
        """A unit by its name."""
        return next((unit for unit in self.units(project, analysis) if unit.name == unit_name), None)

    def header(self, project: Project, analysis: FileAnalysis, unit: LibraryUnit) -> Header | None:
        """The header of a module; None if its file can't be read."""
        if unit.path is None:
            return self._header_in_analysis(analysis, unit.name)
        outline = project.outline(unit.path)
        if outline is None:
            return None
        cached = self._headers.pop(unit.path, None)
        if cached is None or cached[0] != outline.data:
            cached = outline.data, _headers_by_module_name(outline.data, unit.path)
        self._headers[unit.path] = cached
        while len(self._headers) > _MOST_KEPT:
            del self._headers[next(iter(self._headers))]
        return cached[1].get(unit.name)


def _headers_by_module_name(data: bytes, path: Path) -> dict[str, Header]:
    import pyslang
    from pyslang.syntax import CompilationUnitSyntax, ModuleDeclarationSyntax, SyntaxKind

    from benchwright_verilog.language.explanation.headers import header_of_syntax
    from benchwright_verilog.semantics.compilation.trees import parse_alone

    sources = pyslang.SourceManager()
    root = parse_alone(data.decode(errors="replace"), sources, path.name).root
    root_members = list(root.members) if isinstance(root, CompilationUnitSyntax) else [root]
    module_nodes = [module for module in root_members if isinstance(module, ModuleDeclarationSyntax)]
    module_headers = (
        header_of_syntax(module, sources) for module in module_nodes if module.kind != SyntaxKind.PackageDeclaration
    )
    return {header.name: header for header in module_headers}
