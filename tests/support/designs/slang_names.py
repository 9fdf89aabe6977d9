"""Meaning of names, and of a design, by slang's own elaboration; shares nothing with the language server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyslang
from pyslang.ast import (
    CallExpression,
    ClassType,
    Compilation,
    CompilationOptions,
    ExplicitImportSymbol,
    Expression,
    ForwardingTypedefSymbol,
    HierarchicalValueExpression,
    InstanceSymbol,
    IteratorSymbol,
    MemberAccessExpression,
    MethodPrototypeSymbol,
    ModportPortSymbol,
    NamedValueExpression,
    StructuredAssignmentPatternExpression,
    SubroutineSymbol,
    Symbol,
    SymbolKind,
    TransparentMemberSymbol,
    Type,
    TypeAliasType,
    ValueSymbol,
    WildcardImportSymbol,
)
from pyslang.parsing import PreprocessorOptions, Token
from pyslang.syntax import (
    ClassDeclarationSyntax,
    ClassNameSyntax,
    CompilationUnitSyntax,
    HierarchyInstantiationSyntax,
    IdentifierNameSyntax,
    IdentifierSelectNameSyntax,
    ModuleDeclarationSyntax,
    NamedArgumentSyntax,
    NamedParamAssignmentSyntax,
    NamedPortConnectionSyntax,
    NamedTypeSyntax,
    ScopedNameSyntax,
    SyntaxKind,
    SyntaxNode,
    SyntaxTree,
)

_NAMES = (IdentifierNameSyntax, IdentifierSelectNameSyntax, ClassNameSyntax)
_WRITTEN_BY_SLANG = frozenset({SymbolKind.CompilationUnit, SymbolKind.Root, SymbolKind.InstanceBody})


class NameLocation(NamedTuple):
    """A name in a file; the offset is in bytes."""

    path: Path
    start: int


@dataclass
class Elaborated:
    """Files as slang elaborates them.

    Attributes:
        errors: What slang reports as errors.
        means: The declarations that a name means; several where it means another thing in another instance, and where
            `.name` stands for a port and what is connected to it.
        values: slang's type of the value that a name means, with its width in bits; one per instance.
        same: The declaration that stands for another of the same thing: the prototype of a routine for its body, the
            arguments of the body for those of the prototype, a class for its forward declarations.
    """

    compilation: Compilation
    sources: pyslang.SourceManager
    errors: list[str] = field(default_factory=list)
    means: dict[NameLocation, set[NameLocation]] = field(default_factory=lambda: defaultdict(set))
    value_widths: dict[NameLocation, set[tuple[str, int]]] = field(default_factory=lambda: defaultdict(set))
    canonical: dict[NameLocation, NameLocation] = field(default_factory=dict)
    _forward: list[ForwardingTypedefSymbol] = field(default_factory=list)
    _no_values: set[NameLocation] = field(default_factory=set)
    _texts: dict[Path, bytes] = field(default_factory=dict)

    def references(self, declaration: NameLocation) -> set[NameLocation]:
        """The places that mean a declaration, itself included."""
        canonical_declaration = self.canonical.get(declaration, declaration)
        return {location for location, means in self.means.items() if canonical_declaration in means}

    def description_lines(self) -> list[str]:
        """Every symbol, statement and expression of the design with its type, value and what it refers to."""
        lines: list[str] = []

        def visit(node: Any) -> None:
            words = [type(node).__name__]
            if isinstance(node, Symbol):
                words += [str(node.kind), node.hierarchicalPath]
                if isinstance(node, ValueSymbol):
                    words.append(str(node.type))
            elif isinstance(node, Expression):
                words += [str(node.kind), str(node.type), str(node.constant)]
                referred = node.getSymbolReference()
                words.append(referred.hierarchicalPath if referred is not None else "")
            lines.append(" ".join(words))

        self.compilation.getRoot().visit(visit)
        return lines

    def name_at(self, location: NameLocation) -> str:
        """The name as it is written at a place, without the backslash of an escaped one; empty if there is none."""
        text = self.text(location.path)
        end = location.start
        if text[end : end + 1] == b"\\":
            return text[end:].split(maxsplit=1)[0][1:].decode()
        while end < len(text) and (text[end : end + 1].isalnum() or text[end] in b"_$"):
            end += 1
        return text[location.start : end].decode(errors="replace")

    def text(self, path: Path) -> bytes:
        """A file's bytes."""
        if path not in self._texts:
            self._texts[path] = path.read_bytes() if path.is_file() else b""
        return self._texts[path]

    # Filling

    def read(self) -> None:
        """Walk the elaborated design."""
        self.compilation.getRoot().visit(self._visit)
        for package in self.compilation.getPackages():
            if package.name != "std":
                package.visit(self._visit)
        for definition in self.compilation.getDefinitions():
            self._means(self._spelled(definition.location), definition)
        for location in [*self.value_widths]:
            if self.means[location] & self._no_values or all(map(self._is_genvar, self.means[location])):
                del self.value_widths[location]
        for forward in self._forward:
            # Its name in its scope is that of the class or type itself.
            scope: Any = forward.parentScope
            declared = scope.find(forward.name) if scope is not None else None
            if declared is not None:
                self._is_same(forward, declared)
        linked = {
            location: {self.canonical.get(declaration, declaration) for declaration in means}
            for location, means in self.means.items()
        }
        self.means = defaultdict(set, linked)

    def _visit(self, node: Any) -> None:
        if isinstance(node, Symbol):
            self._symbol(node)
        elif isinstance(node, Expression):
            self._expression(node)

    def _is_genvar(self, declaration: NameLocation) -> bool:
        return self.text(declaration.path)[: declaration.start].rstrip().endswith(b"genvar")

    def _symbol(self, symbol: Symbol) -> None:
        if symbol.name and symbol.kind not in _WRITTEN_BY_SLANG:
            self._means(self._spelled(symbol.location), symbol)
        match symbol:
            case SubroutineSymbol() | MethodPrototypeSymbol():
                # slang has a variable for what a routine returns.
                self._no_values |= {location for location in [self._spelled(symbol.location)] if location is not None}
        syntax: Any = symbol.syntax
        match symbol:
            case InstanceSymbol():
                self._instance(symbol)
            case WildcardImportSymbol():
                self._token(syntax.package, symbol.package)
            case ExplicitImportSymbol():
                self._token(syntax.package, symbol.package)
                self._token(syntax.item, symbol.importedSymbol)
            case MethodPrototypeSymbol() if symbol.subroutine is not None:
                self._is_same(symbol.subroutine, symbol)
                for prototype_argument, argument in zip(symbol.arguments, symbol.subroutine.arguments, strict=False):
                    self._is_same(prototype_argument, argument)
            case ForwardingTypedefSymbol():
                self._forward.append(symbol)
            case ClassType() if symbol.baseClass is not None and syntax.extendsClause is not None:
                self._token(syntax.extendsClause.baseName.getFirstToken(), symbol.baseClass)
            case TypeAliasType() if symbol.isStruct or symbol.isPackedUnion or symbol.isUnpackedUnion:
                members: Any = symbol.canonicalType
                for member in members:
                    self._symbol(member)
        self._declared_type(symbol)

    def _is_same(self, symbol: Symbol, same_symbol: Symbol) -> None:
        first_location, second_location = self._spelled(symbol.location), self._spelled(same_symbol.location)
        if first_location is not None and second_location is not None and first_location != second_location:
            self.canonical[first_location] = second_location

    def _declared_type(self, symbol: Symbol) -> None:
        declared_type = symbol.declaredType
        type_syntax = declared_type.typeSyntax if declared_type is not None else None
        if not isinstance(type_syntax, NamedTypeSyntax):
            return
        name = type_syntax.name.right if isinstance(type_syntax.name, ScopedNameSyntax) else type_syntax.name
        if not isinstance(name, _NAMES):
            return
        type_: Type | None = declared_type.type
        while type_ is not None and type_.name != name.identifier.valueText:
            type_ = type_.arrayElementType if type_.isArray else None
        if type_ is not None:
            self._token(name.identifier, type_)
            self._package_of(type_syntax.name, type_)

    def _instance(self, instance: InstanceSymbol) -> None:
        syntax: Any = instance.syntax
        owner = syntax.parent if syntax is not None else None
        if not isinstance(owner, HierarchyInstantiationSyntax):
            return
        self._token(owner.type, instance.definition)
        connected_ports = {
            port_connection.port.name: port_connection.port for port_connection in instance.portConnections
        }
        for connection in syntax.connections:
            if isinstance(connection, NamedPortConnectionSyntax):
                self._token(connection.name, connected_ports.get(connection.name.valueText))
        for assignment in owner.parameters.parameters if owner.parameters is not None else ():
            if isinstance(assignment, NamedParamAssignmentSyntax):
                self._token(assignment.name, instance.body.find(assignment.name.valueText))

    def _expression(self, expression: Expression) -> None:
        match expression:
            case NamedValueExpression() | HierarchicalValueExpression():
                self._last(expression, expression.symbol)
                self._package_of(expression.syntax, expression.symbol)
            case MemberAccessExpression():
                self._last(expression, expression.member)
            case CallExpression() if isinstance(expression.subroutine, SubroutineSymbol):
                self._call(expression.syntax, expression.subroutine)
            case StructuredAssignmentPatternExpression():
                setter_members = {setter.member.name: setter.member for setter in expression.memberSetters}
                for item in getattr(getattr(expression.syntax, "pattern", None), "items", ()):
                    key = getattr(item, "key", None)
                    if isinstance(key, IdentifierNameSyntax):
                        self._token(key.identifier, setter_members.get(key.identifier.valueText))

    def _call(self, syntax: SyntaxNode | None, routine: SubroutineSymbol) -> None:
        callee = getattr(syntax, "left", None)
        if callee is None or routine.name == "new":
            return
        self._token(callee.getLastToken(), routine)
        self._package_of(callee, routine)
        arguments = {formal.name: formal for formal in routine.arguments}
        argument_list = getattr(syntax, "arguments", None)
        for argument in argument_list.parameters if argument_list is not None else ():
            if isinstance(argument, NamedArgumentSyntax):
                self._token(argument.name, arguments.get(argument.name.valueText))

    def _package_of(self, path: SyntaxNode | None, symbol: Symbol) -> None:
        """Link the name before `::` to the package or class that a symbol is declared in."""
        if not isinstance(path, ScopedNameSyntax) or not isinstance(path.left, _NAMES):
            return
        outer, name_token = symbol.syntax, path.left.identifier
        while outer is not None:
            name = outer.header.name if isinstance(outer, ModuleDeclarationSyntax) else None
            name = outer.name if isinstance(outer, ClassDeclarationSyntax) else name
            if name is not None and name.valueText == name_token.valueText:
                self._link(self._spelled(name_token.location), self._spelled(name.location), name.valueText)
                return
            outer = outer.parent

    def _last(self, expression: Expression, symbol: Symbol) -> None:
        end = self._spelled(expression.sourceRange.end)
        if end is None:
            return
        length = len(symbol.name.encode())
        text = self.text(end.path)
        start = end.start - length - (text[end.start - length - 1 : end.start - length] == b"\\")
        self._means(NameLocation(end.path, start), symbol)

    def _token(self, token: Token, symbol: Symbol | None) -> None:
        if symbol is not None:
            self._means(self._spelled(token.location), symbol)

    def _means(self, location: NameLocation | None, symbol: Symbol) -> None:
        match symbol:
            case ModportPortSymbol() if symbol.internalSymbol is not None:
                symbol = symbol.internalSymbol
            case TransparentMemberSymbol():
                symbol = symbol.wrapped
        declaration = self._spelled(symbol.location)
        is_value = isinstance(symbol, ValueSymbol) and not isinstance(symbol, IteratorSymbol)
        if self._link(location, declaration, symbol.name) and location is not None and is_value:
            value: Any = symbol
            if not value.type.isError:
                self.value_widths[location].add((str(value.type), value.type.bitWidth))

    def _link(self, location: NameLocation | None, declaration: NameLocation | None, name: str) -> bool:
        if location is None or declaration is None or not self.name_at(location) == name == self.name_at(declaration):
            return False
        if name == "new":
            return False  # A keyword.
        self.means[location].add(declaration)
        return True

    def _spelled(self, location: pyslang.SourceLocation) -> NameLocation | None:
        """Place in a file of what is at a location; None if a macro's body wrote it."""
        if self.sources.isMacroLoc(location):
            if not self.sources.isMacroArgLoc(location):
                return None
            location = self.sources.getFullyOriginalLoc(location)
        if not self.sources.isFileLoc(location):
            return None
        path = Path(self.sources.getFullPath(location.buffer))
        return NameLocation(path, location.offset) if path.is_absolute() else None


def elaborated(
    files: Sequence[Path],
    include: Iterable[Path] = (),
    defines: Sequence[str] = (),
    tops: Iterable[str] = (),
    *,
    with_defaults: bool = False,
) -> Elaborated:
    """Files as slang elaborates them together.

    Args:
        files: Paths in the order of compilation.
        include: Folders of included files.
        defines: Macros, `NAME=VALUE`.
        tops: The modules to elaborate; by default those that no other instantiates.
        with_defaults: True to elaborate one instance of every module and interface instead, with the defaults of
            its parameters and without connections.
    """
    sources = pyslang.SourceManager()
    for folder in include:
        sources.addUserDirectories(str(folder))
    preprocessing = PreprocessorOptions()
    preprocessing.predefines = list(defines)
    compilation_options = CompilationOptions()
    trees = [SyntaxTree.fromFile(str(path), sources, pyslang.Bag([preprocessing])) for path in files]
    if with_defaults:
        unit_names = dict.fromkeys(unit for tree in trees for unit in _units(tree))
        text = "".join(f"\\{name} \\{name} ();" for name in unit_names)
        trees.append(SyntaxTree.fromText(f"module every$unit;{text}endmodule", sources))
        tops = ["every$unit"]
    compilation_options.topModules = set(tops)
    compilation = Compilation(pyslang.Bag([compilation_options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    elaboration = Elaborated(compilation, sources)
    # Walking the design elaborates more, which can add errors: they are those without it.
    elaboration.errors = [
        str(diagnostic.code) for diagnostic in compilation.getAllDiagnostics() if diagnostic.isError()
    ]
    elaboration.read()
    return elaboration


def _units(tree: SyntaxTree) -> Iterator[str]:
    root: Any = tree.root
    for member in root.members if isinstance(root, CompilationUnitSyntax) else (root,):
        if member.kind in (SyntaxKind.ModuleDeclaration, SyntaxKind.InterfaceDeclaration):
            yield member.header.name.valueText
