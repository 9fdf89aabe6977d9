"""The scopes of slang that belong to nodes of its syntax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyslang
from pyslang.ast import (
    ClassPropertySymbol,
    Compilation,
    CompilationFlags,
    CompilationOptions,
    CovergroupType,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    GenericClassDefSymbol,
    InstanceArraySymbol,
    InstanceSymbol,
    Lookup,
    MethodPrototypeSymbol,
    StatementBlockSymbol,
    Symbol,
)
from pyslang.parsing import Token, TokenKind
from pyslang.syntax import (
    BindDirectiveSyntax,
    ClassMethodPrototypeSyntax,
    CompilationUnitSyntax,
    DPIImportSyntax,
    FunctionDeclarationSyntax,
    LetDeclarationSyntax,
    ModuleDeclarationSyntax,
    ScopedNameSyntax,
    SyntaxKind,
    SyntaxNode,
    SyntaxTree,
)

from benchwright_verilog.semantics.compilation.instance_paths import InstanceReference, chosen_bodies, instances_on_path
from benchwright_verilog.semantics.compilation.parsing import parse
from benchwright_verilog.semantics.compilation.placeholders import bodies_with_real_types
from benchwright_verilog.semantics.compilation.slang import ScopeSymbol, is_scope
from benchwright_verilog.separate_results import log_failure

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
_BLOCK_SYMBOLS = (GenerateBlockSymbol, GenerateBlockArraySymbol, StatementBlockSymbol)


class Scopes:
    """Finds scopes by syntax, each once.

    Args:
        compilation: Compilation that has the scopes.
        bodies: An instance's body for every module, interface and program, by name.
    """

    def __init__(self, compilation: Compilation, bodies: Mapping[str, InstanceBodySymbol]) -> None:
        self._compilation = compilation
        self.bodies = bodies
        self._known_scopes: dict[tuple[SyntaxKind, SourceLocation], ScopeSymbol | None] = {}
        self._blocks: dict[Symbol, dict[SourceLocation, ScopeSymbol]] = {}
        self._units = list(zip(compilation.getSyntaxTrees(), compilation.getCompilationUnits(), strict=False))

    def scope_around(self, node: SyntaxNode) -> ScopeSymbol | None:
        """The innermost scope around a node; the node's own scope does not count."""
        parent = node.parent
        while parent is not None and (parent.kind not in SCOPED or _is_target_of_bind(node, parent)):
            node, parent = parent, parent.parent
        return self.scope_of(parent) if parent is not None else self._compilation_unit(node)

    def scope_of(self, node: SyntaxNode) -> ScopeSymbol | None:
        """The scope that a node opens; the one around it where it opens none that slang knows."""
        # The outermost first: a scope is found by way of the one around it, and thousands may be nested.
        unknown_nodes: list[SyntaxNode] = []
        inner_node: SyntaxNode | None = node
        while inner_node is not None and _kind_and_start(inner_node) not in self._known_scopes:
            if inner_node is node or inner_node.kind in SCOPED:
                unknown_nodes.append(inner_node)
            inner_node = inner_node.parent
        for scoped in reversed(unknown_nodes):
            try:
                scope = self._find_scope(scoped)
            except RuntimeError as error:
                log_failure(error)
                scope = None
            self._known_scopes[_kind_and_start(scoped)] = scope
        return self._known_scopes[_kind_and_start(node)]

    def compilation_unit_of(self, node: SyntaxNode) -> ScopeSymbol | None:
        """The compilation unit that a node belongs to."""
        while node.parent is not None:
            node = node.parent
        return self._compilation_unit(node)

    def module_body(self, name: str, declared_location: SourceLocation | None = None) -> InstanceBodySymbol | None:
        """The body of a module, interface or program, of the one declared there if a place is given."""
        body = self.bodies.get(name)
        if body is not None and declared_location is not None and body.definition.location != declared_location:
            return None
        return body

    def _find_scope(self, node: SyntaxNode) -> ScopeSymbol | None:
        syntax_kind = node.kind
        if syntax_kind == SyntaxKind.CompilationUnit:
            return self._compilation_unit(node)
        if isinstance(node, ModuleDeclarationSyntax):
            name = node.header.name
            if syntax_kind != SyntaxKind.PackageDeclaration:
                return self.module_body(name.valueText, name.location)
            package = self._compilation.getPackage(name.valueText)
            return package if package is not None and package.location == name.location else None
        if isinstance(node, BindDirectiveSyntax):
            return self._bound_scope(node)
        outer = self.scope_around(node)
        if outer is None:
            return None
        if syntax_kind in _BLOCKS:
            if isinstance(outer, GenerateBlockArraySymbol):
                return next((entry for entry in outer if isinstance(entry, GenerateBlockSymbol)), outer)
            return self._block_scopes_by_location(outer).get(node.sourceRange.start, outer)
        if isinstance(node, (FunctionDeclarationSyntax, ClassMethodPrototypeSyntax, DPIImportSyntax)):
            return self._routine_scope(node, outer) or outer
        return self._named_scope(node, outer) or outer

    def _bound_scope(self, node: BindDirectiveSyntax) -> ScopeSymbol | None:
        """The module that a bind adds to, named by itself or by the path of an instance."""
        first_name, *names = str(node.target).strip().split(".")
        if not names and (body := self.module_body(first_name)) is not None:
            return body
        outer = self.scope_around(node)
        first_symbol = Lookup.unqualified(outer, first_name) if outer is not None else None
        body = first_symbol.body if isinstance(first_symbol, InstanceSymbol) else self.module_body(first_name)
        for name in names:
            symbol: Symbol | None = body.find(name.partition("[")[0].strip()) if body is not None else None
            while isinstance(symbol, InstanceArraySymbol):
                symbol = next((element for element in symbol if isinstance(element, Symbol)), None)
            body = symbol.body if isinstance(symbol, InstanceSymbol) else None
        return self.module_body(body.definition.name) if body is not None else None

    def _named_scope(self, node: SyntaxNode, outer_scope: ScopeSymbol) -> ScopeSymbol | None:
        """The scope of a class, covergroup, property and the like, found by its name in the scope around it."""
        token: Token = node.identifier if isinstance(node, LetDeclarationSyntax) else getattr(node, "name")  # noqa: B009
        symbol = _unspecialised_class(outer_scope.find(token.valueText))
        if isinstance(symbol, ClassPropertySymbol):
            # A covergroup in a class is the type of a property that has its name.
            symbol = symbol.type
        if isinstance(symbol, CovergroupType):
            return symbol.body
        return symbol if symbol is not None and is_scope(symbol) else None

    def _routine_scope(
        self, node: FunctionDeclarationSyntax | ClassMethodPrototypeSyntax | DPIImportSyntax, outer_scope: ScopeSymbol
    ) -> ScopeSymbol | None:
        """The scope of a routine; of `function void C::f();`, a body outside of its class, in the class `C`."""
        name = (node.method if isinstance(node, DPIImportSyntax) else node.prototype).name
        if isinstance(name, ScopedNameSyntax):
            owner_class = _unspecialised_class(outer_scope.find(str(name.left).strip()))
            if owner_class is None or not is_scope(owner_class):
                return None
            outer_scope, name = owner_class, name.right
        token = name.getFirstToken()
        routine = outer_scope.find("new" if token.kind == TokenKind.NewKeyword else token.valueText)
        if isinstance(routine, MethodPrototypeSymbol) and isinstance(node, FunctionDeclarationSyntax):
            routine = routine.subroutine
        return routine if routine is not None and is_scope(routine) else None

    def _block_scopes_by_location(self, scope: ScopeSymbol) -> dict[SourceLocation, ScopeSymbol]:
        if scope not in self._blocks:
            self._blocks[scope] = {
                scope_member.syntax.sourceRange.start: scope_member
                for scope_member in scope
                if isinstance(scope_member, _BLOCK_SYMBOLS) and scope_member.syntax is not None
            }
        return self._blocks[scope]

    def _compilation_unit(self, root: SyntaxNode) -> ScopeSymbol | None:
        # A file with one declaration and nothing else has no unit in its syntax, but slang has one of it.
        return next((unit for tree, unit in self._units if tree.root == root), None)


def _is_target_of_bind(node: SyntaxNode, parent: SyntaxNode) -> bool:
    """True if a node names what a bind adds to, which is known around the bind and not in its target."""
    return isinstance(parent, BindDirectiveSyntax) and node in (parent.target, parent.targetInstances)


def _kind_and_start(node: SyntaxNode) -> tuple[SyntaxKind, SourceLocation]:
    return node.kind, node.sourceRange.start


def _unspecialised_class(symbol: Symbol | None) -> Symbol | None:
    """Of a class with parameters, the class as it is without knowing them."""
    return symbol.invalidSpecialization if isinstance(symbol, GenericClassDefSymbol) else symbol


def compile_for_lookup(
    trees: Sequence[SyntaxTree],
    sources: SourceManager,
    instances_by_module: Mapping[str, InstanceReference] = MappingProxyType({}),
) -> tuple[Compilation, dict[str, InstanceBodySymbol]]:
    """Compile so that every module, interface and program has one instance, with its default parameters.

    Where a default is a placeholder, another instance with a real type comes first, if there is one.

    Args:
        trees: The files.
        sources: Their text.
        instances_by_module: The instances that stand for modules, by the modules' names.

    Returns:
        The compilation, and the body of each by name.
    """
    kinds_by_name: dict[str, SyntaxKind] = {}
    for tree in trees:
        root = tree.root
        for root_member in root.members if isinstance(root, CompilationUnitSyntax) else (root,):
            if (
                isinstance(root_member, ModuleDeclarationSyntax)
                and root_member.kind in _UNITS
                and (name := root_member.header.name.valueText)
            ):
                kinds_by_name.setdefault(name, root_member.kind)
    compilation_options = CompilationOptions()
    compilation_options.flags = CompilationFlags.AllowInvalidTop | CompilationFlags.AllowTopLevelIfacePorts
    interfaces = [name for name, kind in kinds_by_name.items() if kind == SyntaxKind.InterfaceDeclaration]
    # `bind m` means the top m, if there is one, and adds nothing to the instances of m that a path leads through.
    passed_modules = {
        module for instance_path in instances_by_module.values() for module in instance_path.modules[1:-1]
    }
    hidden_modules = (
        passed_modules & kinds_by_name.keys() & _names_targeted_by_binds(trees) if passed_modules else set()
    )
    tops = kinds_by_name.keys() - set(interfaces) - hidden_modules
    if interfaces:
        tops |= {_HOLDER}
    compilation_options.topModules = tops
    compilation = Compilation(pyslang.Bag([compilation_options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    if interfaces:
        # slang makes no interface a top, so they get a module to be in.
        instances_text = "".join(f"\\{name} \\{name} ();" for name in interfaces)
        text = f"module \\{_HOLDER} ;{instances_text}endmodule"
        compilation.addSyntaxTree(parse(text, sources, _HOLDER, pyslang.Bag()))
    bodies: dict[str, InstanceBodySymbol] = {}
    for top in compilation.getRoot().topInstances:
        if top.name == _HOLDER:
            bodies |= {inner.name: inner.body for inner in top.body if isinstance(inner, InstanceSymbol)}
        else:
            bodies[top.name] = top.body
    for instance_path in instances_by_module.values() if hidden_modules else ():
        first_body = bodies.get(instance_path.modules[0])
        on_path = (
            instances_on_path([first_body.parentInstance], instance_path.path)
            if first_body is not None and first_body.parentInstance
            else []
        )
        for instance in on_path:
            bodies.setdefault(instance.definition.name, instance.body)
    if hidden_modules - bodies.keys():
        # The path leads nowhere any more.
        return compile_for_lookup(trees, sources)
    return compilation, bodies_with_real_types(bodies) | chosen_bodies(bodies, instances_by_module)


def _names_targeted_by_binds(trees: Sequence[SyntaxTree]) -> set[str]:
    """The names that binds in some files add to."""
    targets: set[str] = set()
    for tree in trees:
        root = tree.root
        root_members = root.members if isinstance(root, CompilationUnitSyntax) else (root,)
        for root_member in root_members:
            inner_members = root_member.members if isinstance(root_member, ModuleDeclarationSyntax) else (root_member,)
            targets |= {
                str(directive.target).strip()
                for directive in inner_members
                if isinstance(directive, BindDirectiveSyntax)
            }
    return targets
