"""The classes that a class extends and implements, and those that extend or implement it, in all files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.names.occurrence import Target, TargetKind
from benchwright_verilog.semantics.project.project import Project

if TYPE_CHECKING:
    from pyslang.syntax import ClassDeclarationSyntax, SyntaxNode


@dataclass(frozen=True)
class ClassNode:
    """A class. Offsets are bytes."""

    name: str
    detail: str
    """Its parameters and what it extends, as written."""
    is_interface: bool
    path: Path
    start: int
    end: int
    name_start: int
    name_end: int


def class_at(project: Project, analysis: FileAnalysis, byte: int) -> ClassNode | None:
    """The class that is named at a byte, or of which the value named there is a handle."""
    for occurrence in analysis.occurrences_at(byte):
        target = _class_target(analysis, occurrence.target)
        if target is not None and (class_node := _class_node_of(project, target)) is not None:
            return class_node
    return None


def supertypes(project: Project, node: ClassNode) -> list[ClassNode]:
    """The classes that a class extends and implements."""
    analysis = project.analysis_of(node.path)
    declaration = _declaration_at(analysis, node.path, node.name_start) if analysis is not None else None
    if analysis is None or declaration is None:
        return []
    nodes = (_class_node_of(project, target) for target in _base_targets(analysis, declaration))
    return [class_node for class_node in nodes if class_node is not None]


def subtypes(project: Project, node: ClassNode) -> list[ClassNode]:
    """The classes that extend or implement a class directly, by name."""
    analysis = project.analysis_of(node.path)
    occurrences = analysis.occurrences_at(node.name_start) if analysis is not None else ()
    target = next(
        (occurrence.target for occurrence in occurrences if occurrence.target.target_kind is TargetKind.CLASS), None
    )
    if target is None:
        return []
    nodes: dict[ClassNode, None] = {}
    for extending_analysis in project.lookup_analyses_of(
        project.files_to_compile_for(_extending_files(project, target))
    ):
        for declaration in _class_declarations(extending_analysis):
            if target in _base_targets(extending_analysis, declaration):
                nodes |= dict.fromkeys(_class_nodes(extending_analysis, declaration))
    return sorted(nodes, key=lambda class_node: (class_node.name, class_node.path, class_node.start))


def _extending_files(project: Project, target: Target) -> list[Path]:
    """The files that may extend a class: by its name, or by that of a type that stands for it."""
    names = {target.name}
    file_words = [(path, file_words.code_words) for path, file_words in project.words_by_file()]
    declared_units = dict(project.declared_names_by_file())
    for path, known_words in file_words:
        if "typedef" in known_words and target.name in known_words:
            names |= {unit.name for unit in declared_units.get(path, ()) if unit.target_kind is TargetKind.TYPE}
    return [
        path
        for path, known_words in file_words
        if any(word in known_words for word in ("extends", "implements")) and any(word in known_words for word in names)
    ]


def _class_declarations(analysis: FileAnalysis) -> list[ClassDeclarationSyntax]:
    """The classes of a file and of what it includes; not those that macros write, which are nowhere."""
    from pyslang.syntax import ClassDeclarationSyntax, SyntaxKind

    declarations: list[ClassDeclarationSyntax] = []

    def look(node: SyntaxNode) -> None:
        if isinstance(node, ClassDeclarationSyntax) and _name_location(analysis, node) is not None:
            declarations.append(node)

    analysis.tree.root.visit(lookup_table={SyntaxKind.ClassDeclaration: look})
    return declarations


def _declaration_at(analysis: FileAnalysis, path: Path, byte: int) -> ClassDeclarationSyntax | None:
    return next(
        (
            declaration
            for declaration in _class_declarations(analysis)
            if _name_location(analysis, declaration) == (path, byte)
        ),
        None,
    )


def _name_location(analysis: FileAnalysis, declaration: ClassDeclarationSyntax) -> tuple[Path, int] | None:
    """The place where the name of a class is written."""
    location = analysis.locations.file_location_of(declaration.name.location)
    return (location.path, location.offset) if location is not None and not location.is_generated else None


def _base_targets(analysis: FileAnalysis, declaration: ClassDeclarationSyntax) -> Iterator[Target]:
    """Yield what a class extends and implements, types that stand for classes resolved."""
    from pyslang.syntax import ScopedNameSyntax

    from benchwright_verilog.semantics.names.lookup import NAME_SYNTAX

    for base_name in _base_name_nodes(declaration):
        last_name = base_name.right if isinstance(base_name, ScopedNameSyntax) else base_name
        if isinstance(last_name, NAME_SYNTAX):
            for meaning in analysis.resolver.meanings(last_name.identifier, last_name):
                base_target = _class_target(analysis, meaning.target)
                if base_target is not None:
                    yield base_target


def _base_name_nodes(declaration: ClassDeclarationSyntax) -> Iterator[object]:
    if declaration.extendsClause is not None:
        yield declaration.extendsClause.baseName
    if declaration.implementsClause is not None:
        yield from declaration.implementsClause.interfaces


def _class_target(analysis: FileAnalysis, target: Target | None) -> Target | None:
    """The class that a thing is, stands for, or is a handle of."""
    from pyslang.ast import ClassType, SubroutineSymbol, Type, ValueSymbol

    if target is None or target.target_kind is TargetKind.CLASS:
        return target
    symbol = target.symbol
    type_: Type | None = None
    if isinstance(symbol, Type):
        type_ = symbol.canonicalType
    elif isinstance(symbol, SubroutineSymbol):
        type_ = symbol.returnType.canonicalType
    elif isinstance(symbol, ValueSymbol):
        type_ = symbol.type.canonicalType
    while type_ is not None and type_.isArray:
        type_ = type_.arrayElementType.canonicalType
    return analysis.resolver.target_of(type_) if isinstance(type_, ClassType) else None


def _class_node_of(project: Project, target: Target) -> ClassNode | None:
    analysis = project.analysis_of(target.path)
    declaration = _declaration_at(analysis, target.path, target.start) if analysis is not None else None
    if analysis is None or declaration is None:
        return None
    return next(_class_nodes(analysis, declaration), None)


def _class_nodes(analysis: FileAnalysis, declaration: ClassDeclarationSyntax) -> Iterator[ClassNode]:
    from pyslang.parsing import TokenKind

    class_place = _name_location(analysis, declaration)
    if class_place is None:
        return
    path, start = class_place
    first_byte = analysis.locations.byte_in_file(declaration.sourceRange.start, path)
    last_byte = analysis.locations.byte_in_file(declaration.sourceRange.end, path)
    size = len(declaration.name.rawText.encode())
    detail_parts = (declaration.parameters, declaration.extendsClause, declaration.implementsClause)
    yield ClassNode(
        name=declaration.name.valueText,
        detail=" ".join(" ".join(str(part).split()) for part in detail_parts if part is not None),
        is_interface=declaration.virtualOrInterface.kind == TokenKind.InterfaceKeyword,
        path=path,
        start=first_byte if first_byte is not None and first_byte <= start else start,
        end=last_byte if last_byte is not None and last_byte >= start + size else start + size,
        name_start=start,
        name_end=start + size,
    )
