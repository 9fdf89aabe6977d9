"""Which of slang's scopes belongs to a node of its syntax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyslang
from pyslang.ast import (
    Compilation,
    CompilationFlags,
    CompilationOptions,
    GenerateBlockArraySymbol,
    GenericClassDefSymbol,
    MethodPrototypeSymbol,
    SymbolKind,
)
from pyslang.parsing import TokenKind
from pyslang.syntax import SyntaxKind, SyntaxTree

from benchwright_verilog.semantics.slang import AnyNode, AnySymbol

if TYPE_CHECKING:
    from pyslang import SourceLocation, SourceManager
    from pyslang.ast import InstanceBodySymbol

_UNITS = frozenset({SyntaxKind.ModuleDeclaration, SyntaxKind.InterfaceDeclaration, SyntaxKind.ProgramDeclaration})
_NAMED = frozenset(
    {
        SyntaxKind.CheckerDeclaration,
        SyntaxKind.CovergroupDeclaration,
        SyntaxKind.PropertyDeclaration,
        SyntaxKind.SequenceDeclaration,
    }
)
_ROUTINES = frozenset({SyntaxKind.FunctionDeclaration, SyntaxKind.TaskDeclaration})
_BLOCKS = frozenset(
    {
        SyntaxKind.ForLoopStatement,
        SyntaxKind.ForeachLoopStatement,
        SyntaxKind.GenerateBlock,
        SyntaxKind.LoopGenerate,
        SyntaxKind.ParallelBlockStatement,
        SyntaxKind.SequentialBlockStatement,
    }
)
SCOPED = (
    _UNITS
    | _NAMED
    | _ROUTINES
    | _BLOCKS
    | {
        SyntaxKind.BindDirective,
        SyntaxKind.ClassDeclaration,
        SyntaxKind.ClassMethodPrototype,
        SyntaxKind.CompilationUnit,
        SyntaxKind.LetDeclaration,
        SyntaxKind.PackageDeclaration,
    }
)
"""The nodes that may open a scope."""

_HOLDER = "benchwright$interfaces"
_BLOCK_SYMBOLS = frozenset({SymbolKind.GenerateBlock, SymbolKind.GenerateBlockArray, SymbolKind.StatementBlock})


class Scopes:
    """Finds scopes by syntax, each once.

    Args:
        compilation: Whose symbols.
        bodies: An instance's body for every module, interface and program, by name.
    """

    def __init__(self, compilation: Compilation, bodies: Mapping[str, AnySymbol]) -> None:
        self._compilation = compilation
        self.bodies = bodies
        self._known: dict[tuple[SyntaxKind, SourceLocation], AnySymbol | None] = {}
        self._blocks: dict[AnySymbol, dict[SourceLocation, AnySymbol]] = {}
        self._units = list(zip(compilation.getSyntaxTrees(), compilation.getCompilationUnits(), strict=False))

    def around(self, node: AnyNode) -> AnySymbol | None:
        """The innermost scope that a node stands in; the node's own scope does not count."""
        parent = node.parent
        while parent is not None and parent.kind not in SCOPED:
            node, parent = parent, parent.parent
        return self.of(parent) if parent is not None else self._unit(node)

    def of(self, node: AnyNode) -> AnySymbol | None:
        """The scope that a node opens; the one around it where it opens none that slang knows."""
        key = node.kind, node.sourceRange.start
        if key not in self._known:
            self._known[key] = self._open(node)
        return self._known[key]

    def unit_of(self, node: AnyNode) -> AnySymbol | None:
        """The compilation unit that a node belongs to."""
        while node.parent is not None:
            node = node.parent
        return self._unit(node)

    def body(self, name: str, declared: SourceLocation | None = None) -> AnySymbol | None:
        """The body of a module, interface or program, of the one declared there if a place is given."""
        body = self.bodies.get(name)
        if body is not None and declared is not None and body.definition.location != declared:
            return None
        return body

    def _open(self, node: AnyNode) -> AnySymbol | None:
        kind = node.kind
        if kind in _UNITS:
            return self.body(node.header.name.valueText, node.header.name.location)
        if kind == SyntaxKind.CompilationUnit:
            return self._unit(node)
        if kind == SyntaxKind.PackageDeclaration:
            package = self._compilation.getPackage(node.header.name.valueText)
            return package if package is not None and package.location == node.header.name.location else None
        outer = self.around(node)
        if kind == SyntaxKind.BindDirective:
            return self.body(str(node.target).strip())
        if outer is None:
            return None
        if kind in _BLOCKS:
            if isinstance(outer, GenerateBlockArraySymbol):
                return next((entry for entry in outer if entry.kind == SymbolKind.GenerateBlock), outer)
            return self._blocks_of(outer).get(node.sourceRange.start, outer)
        if kind in _ROUTINES or kind == SyntaxKind.ClassMethodPrototype:
            return self._routine(node, outer) or outer
        name = node.identifier if kind == SyntaxKind.LetDeclaration else node.name
        found = outer.find(name.valueText)
        if isinstance(found, GenericClassDefSymbol):
            found = found.invalidSpecialization
        if found is not None and found.kind == SymbolKind.CovergroupType:
            found = found.body
        return found if found is not None and found.isScope else outer

    def _routine(self, node: AnyNode, outer: AnySymbol) -> AnySymbol | None:
        name = node.prototype.name
        if name.kind == SyntaxKind.ScopedName:
            owner = outer.find(str(name.left).strip())
            if isinstance(owner, GenericClassDefSymbol):
                owner = owner.invalidSpecialization
            if owner is None or not owner.isScope:
                return None
            outer, name = owner, name.right
        token = name.getFirstToken()
        found = outer.find("new" if token.kind == TokenKind.NewKeyword else token.valueText)
        if isinstance(found, MethodPrototypeSymbol) and node.kind != SyntaxKind.ClassMethodPrototype:
            found = found.subroutine
        return found if found is not None and found.isScope else None

    def _blocks_of(self, scope: AnySymbol) -> dict[SourceLocation, AnySymbol]:
        if scope not in self._blocks:
            self._blocks[scope] = {
                member.syntax.sourceRange.start: member
                for member in scope
                if member.kind in _BLOCK_SYMBOLS and member.syntax is not None
            }
        return self._blocks[scope]

    def _unit(self, root: AnyNode) -> AnySymbol | None:
        # A file with one declaration and nothing else has no unit in its syntax, but slang has one of it.
        return next((unit for tree, unit in self._units if tree.root == root), None)


def compile_for_lookup(
    trees: Sequence[SyntaxTree], sources: SourceManager
) -> tuple[Compilation, dict[str, InstanceBodySymbol]]:
    """Compile so that every module, interface and program has one instance, with its default parameters.

    Returns:
        The compilation, and the body of each by name.
    """
    names: dict[str, SyntaxKind] = {}
    for tree in trees:
        root: AnyNode = tree.root
        for member in root.members if root.kind == SyntaxKind.CompilationUnit else (root,):
            if member.kind in _UNITS and (name := member.header.name.valueText):
                names.setdefault(name, member.kind)
    options = CompilationOptions()
    options.flags = CompilationFlags.AllowInvalidTop | CompilationFlags.AllowTopLevelIfacePorts
    interfaces = [name for name, kind in names.items() if kind == SyntaxKind.InterfaceDeclaration]
    tops = names.keys() - set(interfaces)
    if interfaces:
        tops |= {_HOLDER}
    options.topModules = tops
    compilation = Compilation(pyslang.Bag([options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    if interfaces:
        # slang makes no interface a top, so they get a module to be in.
        instances = "".join(f"\\{name} \\{name} ();" for name in interfaces)
        text = f"module \\{_HOLDER} ;{instances}endmodule"
        compilation.addSyntaxTree(SyntaxTree.fromText(text, sources))
    bodies: dict[str, InstanceBodySymbol] = {}
    for top in compilation.getRoot().topInstances:
        if top.name == _HOLDER:
            bodies |= {inner.name: inner.body for inner in top.body if inner.kind == SymbolKind.Instance}
        else:
            bodies[top.name] = top.body
    return compilation, bodies
