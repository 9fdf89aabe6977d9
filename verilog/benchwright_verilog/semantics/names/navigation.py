"""From a name to other places of the same thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.names.occurrence import NameRole, Occurrence, Target, TargetKind
from benchwright_verilog.semantics.project.index.entry import IndexEntry
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.index.plain_uses import INSTANTIATED, PLAIN_KINDS, PlainName, PlainUse
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.suffixes import HEADERS

if TYPE_CHECKING:
    from pyslang.ast import Symbol
    from pyslang.syntax import SyntaxNode

UNITS = frozenset(
    {
        TargetKind.CHECKER,
        TargetKind.CLASS,
        TargetKind.CONFIG,
        TargetKind.INTERFACE,
        TargetKind.MODULE,
        TargetKind.PACKAGE,
        TargetKind.PRIMITIVE,
        TargetKind.PROGRAM,
    }
)

_FEW = 32
"""Up to this many files are compiled to search them: it takes a few milliseconds."""


def definitions(analysis: FileAnalysis, byte: int) -> list[Target]:
    """The definitions of the thing that is named at a byte; the body of a routine that was declared elsewhere."""
    targets: dict[Target, None] = {}
    for occurrence in analysis.occurrences_at(byte):
        targets[_routine_body_target(analysis, occurrence.target) or occurrence.target] = None
    return list(targets)


def macros_in_other_headers(project: Project, analysis: FileAnalysis, byte: int) -> list[Target]:
    """Definitions of the macro whose use is at a byte, in headers that the file does not include."""
    uses = (macro for macro in analysis.outline.macros if macro.start - 1 <= byte <= macro.end)
    use = next((macro for macro in uses if not macro.is_definition), None)
    return list(header_macros(project, use.name)) if use is not None and not analysis.occurrences_at(byte) else []


def header_macros(project: Project, macro_name: str) -> Iterator[Target]:
    """Yield the first definition of a macro in each header that has one. Blocks on the disk.

    A file of another kind that declares no unit, such as `defines.v`, is a header too.
    """
    for header in project.files_with_word(macro_name):
        outline = project.outline(header)
        is_header = outline is not None and (header.suffix in HEADERS or not outline.units)
        macros = outline.macros if outline is not None and is_header else ()
        macro = next((macro for macro in macros if macro.is_definition and macro.name == macro_name), None)
        if macro is not None:
            yield Target(header, macro.start, macro.end, macro_name, TargetKind.MACRO)


def declarations(project: Project, analysis: FileAnalysis, byte: int) -> list[Occurrence]:
    """Every place that declares what is named at a byte, such as a port in a list and its net in the module."""
    targets = {occurrence.target for occurrence in analysis.occurrences_at(byte)}
    occurrences = []
    for target in targets:
        declaring_analysis = project.analysis_of(target.path)
        if target.target_kind is TargetKind.FILE or declaring_analysis is None:
            occurrences.append(Occurrence(target.path, target.start, target.end, target, NameRole.DECLARATION))
        else:
            occurrences += [
                occurrence
                for occurrence in declaring_analysis.occurrences_of(target.name)
                if occurrence.target == target and _is_declaration(occurrence)
            ]
    return occurrences


def type_definitions(analysis: FileAnalysis, byte: int) -> list[Target]:
    """The definitions of the type of what is named at a byte: a module for an instance."""
    targets: dict[Target, None] = {}
    for occurrence in analysis.occurrences_at(byte):
        target = _type_target(analysis, occurrence.target.symbol)
        if target is not None:
            targets[target] = None
    return list(targets)


def implementations(project: Project, analysis: FileAnalysis, byte: int) -> list[Target]:
    """The modules of instances, the bodies of prototypes, what extends a class, what overrides a method."""
    targets: dict[Target, None] = {}
    for occurrence in analysis.occurrences_at(byte):
        target = occurrence.target
        if (body := _routine_body_target(analysis, target)) is not None:
            targets[body] = None
        if target.target_kind is TargetKind.INSTANCE:
            if (unit := _type_target(analysis, target.symbol)) is not None:
                targets[unit] = None
        elif target.target_kind in (TargetKind.MODULE, TargetKind.INTERFACE, TargetKind.PROGRAM):
            targets[target] = None
        elif target.target_kind in (TargetKind.CLASS, TargetKind.FUNCTION, TargetKind.TASK):
            targets |= dict.fromkeys(_subclasses_and_overrides(project, target))
    return list(targets)


def occurrences_to_highlight(analysis: FileAnalysis, byte: int) -> list[Occurrence]:
    """Every place of the file that names the same thing as a byte."""
    occurrences_here = analysis.occurrences_at(byte)
    targets = {occurrence.target for occurrence in occurrences_here}
    by_span: dict[tuple[int, int], Occurrence] = {}
    for target in targets:
        if target.target_kind is TargetKind.FILE:
            nearby: Iterator[Occurrence] = analysis.macros.occurrences(analysis.path, 0, len(analysis.data))
        else:
            nearby = analysis.file_occurrences_outside_macros(target.name)
        for occurrence in nearby:
            if occurrence.target == target:
                by_span.setdefault((occurrence.start, occurrence.end), occurrence)
    return sorted(by_span.values(), key=lambda highlight: highlight.start)


def references(project: Project, target: Target) -> Iterator[Occurrence]:
    """Every place of the project that names a thing, its declaration included; also where macros do."""
    for file_references in references_by_file(project, target, candidate_files(project, target)):
        yield from file_references.occurrences


@dataclass(frozen=True)
class FileReferences:
    """The places where a file names a thing."""

    path: Path
    occurrences: tuple[Occurrence, ...]
    analysis: FileAnalysis | None = None
    """None if the text alone was enough: then each occurrence is just the name."""
    is_inactive: bool = False
    """True if the present defines leave these places out."""
    other_target_bytes: frozenset[int] = frozenset()
    """Bytes where the file gives another thing that name."""

    @classmethod
    def of_target(cls, analysis: FileAnalysis, target: Target, occurrences: Iterable[Occurrence]) -> FileReferences:
        """The places of a thing among occurrences of its name."""
        own_occurrences = dict.fromkeys(occurrence for occurrence in occurrences if occurrence.target == target)
        other_places = frozenset(occurrence.start for occurrence in occurrences if occurrence.target != target)
        return cls(analysis.path, tuple(own_occurrences), analysis, other_target_bytes=other_places)


ReportProgress = Callable[[int, int], None]
"""Called with how many of how many files have been searched; may raise an exception to end the search."""


def references_by_file(
    project: Project,
    target: Target,
    paths: Sequence[Path],
    report_progress: ReportProgress = lambda searched, number: None,
) -> Iterator[FileReferences]:
    """Every place that names a thing, by file; some files have none.

    Args:
        project: Project to search.
        target: The thing.
        paths: The files that may name it.
        report_progress: Called before each file.
    """
    searched = 0
    plain_uses = _uses_by_file_without_compiling(project, target, paths, report_progress) if len(paths) > _FEW else {}
    is_other_named_so = False
    for analysis in project.lookup_analyses_of([path for path in paths if path not in plain_uses]):
        report_progress(searched, len(paths))
        searched += 1
        if target.target_kind is TargetKind.FILE:
            occurrences = list(analysis.macros.occurrences(analysis.path, 0, len(analysis.data)))
        else:
            occurrences = analysis.occurrences_of(target.name)
        file_references = FileReferences.of_target(analysis, target, occurrences)
        is_other_named_so |= bool(file_references.other_target_bytes)
        yield file_references
    if is_other_named_so:
        for analysis in project.lookup_analyses_of(list(plain_uses)):
            report_progress(searched, len(paths))
            searched += 1
            yield FileReferences.of_target(analysis, target, analysis.occurrences_of(target.name))
        return
    for path, uses in plain_uses.items():
        report_progress(searched, len(paths))
        searched += 1
        yield FileReferences(path, tuple(Occurrence(path, use.start, use.end, target, use.role) for use in uses))


def _uses_by_file_without_compiling(
    project: Project, target: Target, paths: Sequence[Path], report_progress: ReportProgress
) -> dict[Path, list[PlainUse]]:
    """The uses in the files that need not be compiled, if nothing else seems to have the name."""
    plain_name = _plain_name_if_unit_or_package_item(target)
    if plain_name is None or not _is_only_declaration(project, target, plain_name):
        return {}
    if not set(paths).issuperset(project.files_with_word(plain_name.name)):
        # In a file that can't see the package, a class may have the name; one that extends it would inherit that.
        return {}
    uses_by_path: dict[Path, list[PlainUse]] = {}
    generating_headers: dict[tuple[Path, tuple[str, ...]], bool] = {}

    def generates_name(path: Path, outline: Outline) -> bool:
        if b"`define" in outline.data:
            return project.macros_of(path, outline).may_generate_name(plain_name.name)
        # What a file includes is found from its folder.
        header_key = path.parent, tuple(include.name for include in outline.includes)
        if header_key not in generating_headers:
            generating_headers[header_key] = project.macros_of(path, outline).may_generate_name(plain_name.name)
        return generating_headers[header_key]

    for path in paths:
        report_progress(0, len(paths))
        is_own_or_header = path == target.path or path.suffix in HEADERS
        outline = project.outline_for_search(path) if not is_own_or_header else None
        if outline is not None and not generates_name(path, outline):
            uses = plain_name.uses_if_certain(outline)
            if uses is not None:
                uses_by_path[path] = uses
    return uses_by_path


def _plain_name_if_unit_or_package_item(target: Target) -> PlainName | None:
    if target.target_kind not in PLAIN_KINDS or target.is_generated:
        return None
    if target.target_kind in INSTANTIATED or target.target_kind is TargetKind.PACKAGE:
        return PlainName(target.name, target.target_kind)
    package = _package_directly_around(target)
    return PlainName(target.name, target.target_kind, package) if package is not None else None


def _package_directly_around(target: Target) -> str | None:
    """The package that a thing is directly in."""
    symbol = target.symbol
    scope = symbol.parentScope if symbol is not None else None
    if symbol is None or scope is None:
        return None
    # The scope of a symbol is a `Scope` of slang, which has no name.
    name = symbol.hierarchicalPath.partition("::")[0]
    package = scope.compilation.getPackage(name)
    found_symbol = package.find(target.name) if package is not None else None
    return name if found_symbol is not None and found_symbol == symbol else None


def _is_only_declaration(project: Project, target: Target, plain_name: PlainName) -> bool:
    """True if no two units, routines, types or macros have the name, nor two packages that of its package."""
    declared_units = [
        (path, symbol)
        for path, symbols in project.declared_names_by_file()
        for symbol in symbols
        if symbol.name in (plain_name.name, plain_name.package)
    ]
    unit_places = [(path, unit.start) for path, unit in declared_units if unit.name == plain_name.name]
    return unit_places in ([], [(target.path, target.start)]) and len(declared_units) - len(unit_places) == bool(
        plain_name.package
    )


def candidate_files(project: Project, target: Target) -> list[Path]:
    """The files that may name a thing, that which declares it first."""
    if target.target_kind is TargetKind.FILE:
        return project.files_including(target.path)
    module = _enclosing_module_unless_global(target)
    name = target.name
    word_files = list(project.words_by_file())
    package = _package_directly_around(target)
    seeing = _names_of_files_that_may_see(word_files, package) if package is not None else None
    paths = [target.path]
    for path, file_words in word_files:
        if path == target.path or name not in file_words.code_words:
            continue
        if module is not None and path.suffix not in HEADERS and target.path.suffix not in HEADERS:
            # Others can name it behind a dot, or in a binding.
            is_theirs = module in file_words.code_words and (
                name in file_words.connection_words or "bind" in file_words.code_words
            )
            if not is_theirs and name not in file_words.qualified_words:
                continue
        if seeing is not None and path.name not in seeing:
            continue
        paths.append(path)
    return paths


def targets_renamed_with(project: Project, analysis: FileAnalysis, target: Target) -> list[Target]:
    """A thing and what needs the same name: of a virtual method all that it overrides, and all that override it."""
    from pyslang.ast import MethodPrototypeSymbol, SubroutineSymbol

    base_method = target.symbol
    if (
        not isinstance(base_method, (MethodPrototypeSymbol, SubroutineSymbol))
        or not base_method.isVirtual
        or target.name == "new"
    ):
        return [target]
    while isinstance(overridden := base_method.override, (MethodPrototypeSymbol, SubroutineSymbol)):
        base_method = overridden
    base_target = analysis.resolver.target_of(base_method) or target
    return list(dict.fromkeys([target, base_target, *_subclasses_and_overrides(project, base_target)]))


def _names_of_files_that_may_see(word_files: Sequence[tuple[Path, IndexEntry | Outline]], package: str) -> set[str]:
    """The names of the files that may name what a package declares: they have its name, or include such a file."""
    seen_names = {path.name for path, words in word_files if package in words.code_words}
    if any("export" in words.code_words for path, words in word_files if path.name in seen_names):
        # Another package may hand it on.
        return {path.name for path, _ in word_files}
    including = [(path.name, names) for path, words in word_files if (names := _included_base_names(words))]
    while new := {name for name, names in including if name not in seen_names and not seen_names.isdisjoint(names)}:
        seen_names |= new
    return seen_names | {path.name for path, _ in word_files if path.suffix in HEADERS}


def _included_base_names(file_words: IndexEntry | Outline) -> set[str]:
    names = (include if isinstance(include, str) else include.name for include in file_words.includes)
    return {name.rpartition("/")[2] for name in names}


def _enclosing_module_unless_global(target: Target) -> str | None:
    """The module, interface or program that a thing is in; None for one that others see without a dot."""
    symbol = target.symbol
    scope = symbol.parentScope if symbol is not None and target.target_kind not in UNITS else None
    body = scope.containingInstance if scope is not None else None
    return body.definition.name if body is not None else None


def _is_declaration(occurrence: Occurrence) -> bool:
    from_port_list = occurrence.role is NameRole.NAME and occurrence.target.target_kind is TargetKind.PORT
    return occurrence.role is NameRole.DECLARATION or from_port_list


def _routine_body_target(analysis: FileAnalysis, target: Target) -> Target | None:
    """The body of a routine that a prototype declares."""
    from pyslang.ast import MethodPrototypeSymbol

    symbol = target.symbol
    if not isinstance(symbol, MethodPrototypeSymbol):
        return None
    routine = symbol.subroutine
    location = analysis.locations.file_location_of(routine.location) if routine is not None else None
    if location is None or (location.path, location.offset) == (target.path, target.start):
        return None
    end = location.offset + len(target.name.encode())
    return Target(
        location.path,
        location.offset,
        end,
        target.name,
        target.target_kind,
        routine,
        location.is_generated,
        target.kept_alive,
    )


def _type_target(analysis: FileAnalysis, symbol: Symbol | None) -> Target | None:
    """The name of the type of a symbol: `word_t` in `word_t [3:0] x;`, the module of an instance."""
    from pyslang.ast import (
        InstanceArraySymbol,
        InstanceSymbol,
        InterfacePortSymbol,
        SubroutineSymbol,
        Type,
        TypeAliasType,
        ValueSymbol,
        VirtualInterfaceType,
    )

    type_: Type
    match symbol:
        case InstanceSymbol():
            return analysis.resolver.target_of(symbol.definition)
        case InstanceArraySymbol():
            return next((_type_target(analysis, inner) for inner in symbol), None)
        case InterfacePortSymbol():
            return analysis.resolver.target_of(symbol.interfaceDef)
        case TypeAliasType():
            type_ = symbol.targetType.type
        case SubroutineSymbol():
            type_ = symbol.returnType
        case ValueSymbol():
            type_ = symbol.type
        case _:
            return None
    while not isinstance(type_, TypeAliasType) and type_.isArray:
        type_ = type_.arrayElementType
    if isinstance(type_, VirtualInterfaceType):
        return analysis.resolver.target_of(type_.iface.definition)
    return analysis.resolver.target_of(type_)


def _subclasses_and_overrides(project: Project, target: Target) -> Iterator[Target]:
    from pyslang.syntax import SyntaxKind

    for path in project.files_with_word("extends"):
        outline = project.outline(path)
        if outline is None or target.name.encode() not in outline.data:
            continue
        analysis = project.analysis_of(path)
        if analysis is None:
            continue
        classes: list[SyntaxNode] = []
        analysis.tree.root.visit(lookup_table={SyntaxKind.ClassDeclaration: classes.append})
        for declaration in classes:
            scope = analysis.scopes.scope_of(declaration)
            if scope is not None and (extension := _subclass_or_override(analysis, scope, target)) is not None:
                yield extension


def _subclass_or_override(analysis: FileAnalysis, scope: Symbol, target: Target) -> Target | None:
    """The class, if it extends the target, or its method that overrides the target."""
    from pyslang.ast import ClassType

    resolver = analysis.resolver
    base_class = scope.baseClass if isinstance(scope, ClassType) else None
    while isinstance(scope, ClassType) and isinstance(base_class, ClassType):
        if target.target_kind is TargetKind.CLASS:
            if resolver.target_of(base_class) == target:
                return resolver.target_of(scope)
        elif (theirs := base_class.find(target.name)) is not None and resolver.target_of(theirs) == target:
            own_target = resolver.target_of(scope.find(target.name))
            return own_target if own_target != target else None
        base_class = base_class.baseClass
    return None
