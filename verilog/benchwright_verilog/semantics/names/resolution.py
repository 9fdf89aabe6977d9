"""Meaning of a name: from a token of slang's syntax to the thing that it was declared as."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyslang.ast import (
    GenerateBlockArraySymbol,
    Lookup,
    LookupFlags,
    MethodPrototypeSymbol,
    ParameterSymbol,
    SubroutineSymbol,
    Symbol,
    SymbolKind,
)
from pyslang.parsing import Token
from pyslang.syntax import (
    AssignmentPatternItemSyntax,
    AttributeSpecSyntax,
    BlockStatementSyntax,
    ClassMethodPrototypeSyntax,
    ClockingDeclarationSyntax,
    ClockingItemSyntax,
    ConfigCellIdentifierSyntax,
    ConfigInstanceIdentifierSyntax,
    ConfigUseClauseSyntax,
    DeclaratorSyntax,
    DotMemberClauseSyntax,
    EnumTypeSyntax,
    ForeachLoopListSyntax,
    FunctionDeclarationSyntax,
    FunctionPrototypeSyntax,
    GenvarDeclarationSyntax,
    HierarchyInstantiationSyntax,
    IdentifierNameSyntax,
    InstanceConfigRuleSyntax,
    InterfacePortHeaderSyntax,
    LoopGenerateSyntax,
    MemberAccessExpressionSyntax,
    ModportSubroutinePortSyntax,
    NamedArgumentSyntax,
    NamedBlockClauseSyntax,
    NamedParamAssignmentSyntax,
    NamedPortConnectionSyntax,
    PackageImportItemSyntax,
    ScopedNameSyntax,
    StructUnionMemberSyntax,
    SyntaxKind,
    SyntaxNode,
)

from benchwright_verilog.semantics.compilation.canonical import canonical_symbol
from benchwright_verilog.semantics.names.lookup import NAME_SYNTAX, SymbolLookup
from benchwright_verilog.semantics.names.occurrence import NameRole, Target, TargetKind
from benchwright_verilog.semantics.names.roles import (
    port_connection_of_value,
    role_given_by_port,
    role_given_target_kind,
    role_of,
)
from benchwright_verilog.semantics.names.scopes import Scopes
from benchwright_verilog.semantics.names.target_kinds import DECLARATIONS, target_kind_of
from benchwright_verilog.semantics.names.with_clauses import with_clause_around
from benchwright_verilog.semantics.project.file_locations import FileLocation, FileLocations

if TYPE_CHECKING:
    from pyslang.ast import Compilation

_INSTANTIATIONS = frozenset({SyntaxKind.HierarchyInstantiation, SyntaxKind.PrimitiveInstantiation})
_HEADERS = frozenset({SyntaxKind.InterfaceHeader, SyntaxKind.ModuleHeader, SyntaxKind.ProgramHeader})
_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_ANYWHERE = LookupFlags.AllowDeclaredAfter


@dataclass(frozen=True)
class Meaning:
    """One thing that a name means where it is used."""

    target: Target
    role: NameRole
    is_shorthand: bool = False


class Resolver:
    """Resolves names of one compilation.

    Args:
        compilation: Compilation that has the names.
        scopes: Finds them by syntax.
        locations: Finds the files of slang's locations.
    """

    def __init__(self, compilation: Compilation, scopes: Scopes, locations: FileLocations) -> None:
        self._compilation = compilation
        self._scopes = scopes
        self._locations = locations
        self._lookup = SymbolLookup(compilation, scopes)
        self._targets: dict[Symbol, Target | None] = {}

    def meanings(self, token: Token, node: SyntaxNode) -> Iterator[Meaning]:
        """Yield what a name means: two things in `m u (.clk);`, the port `clk` of `m` and the signal connected to it.

        Args:
            token: The name.
            node: The node that holds it.
        """
        syntax_kind = node.kind
        if isinstance(node, NAME_SYNTAX):
            yield from self._meanings_of_used_name(token, node)
        elif syntax_kind in DECLARATIONS:
            yield from self._declaration_meanings(token, node)
        elif isinstance(node, NamedBlockClauseSyntax):
            yield from self._label_meanings(token, node)
        elif isinstance(node, NamedPortConnectionSyntax):
            yield from self._port_connection_meanings(token, node)
        elif isinstance(node, AttributeSpecSyntax):
            yield from self._clock_variable_meanings(token, node)
        elif syntax_kind in _INSTANTIATIONS:
            yield from self._meaning_of_symbol(self._lookup.definition(token.valueText, node), NameRole.INSTANTIATION)
        else:
            yield from self._other_meanings(token, node)

    def target_of(self, symbol: Symbol | None) -> Target | None:
        """The declared thing that a symbol stands for."""
        symbol = canonical_symbol(symbol)
        if symbol is None:
            return None
        if symbol not in self._targets:
            self._targets[symbol] = self._new_target(symbol)
        return self._targets[symbol]

    # Names in expressions, types and hierarchical paths

    def _meanings_of_used_name(self, token: Token, node: SyntaxNode) -> Iterator[Meaning]:
        parent = node.parent
        if isinstance(_whole_scoped_name(node).parent, FunctionPrototypeSyntax):
            yield from self._routine_name_meanings(token, node)
            return
        if isinstance(parent, AssignmentPatternItemSyntax) and parent.key == node:
            field = self._lookup.pattern_field(parent, token.valueText)
            if field is not None:
                yield from self._meaning_of_symbol(field, NameRole.NAME)
                return
        if isinstance(parent, GenvarDeclarationSyntax) or (
            isinstance(parent, ForeachLoopListSyntax) and parent.arrayName != node
        ):
            yield from self._meanings_of_repeatable_declaration(token, node, TargetKind.GENVAR)
            return
        clause = with_clause_around(node)
        if clause is not None and clause.is_iterator(token.valueText) and not _is_after_scope_separator(node):
            if clause.iterator is not None:
                for meaning in self._meaning_of_declaration_at_token(clause.iterator, TargetKind.VARIABLE, None):
                    is_declared = clause.iterator == token
                    yield Meaning(meaning.target, NameRole.DECLARATION if is_declared else NameRole.READ)
            return
        role = role_of(node)
        if role is NameRole.READ and (connection := port_connection_of_value(node)) is not None:
            body = self._lookup.instantiated_body(connection)
            role = role_given_by_port(body.findPort(connection.name.valueText) if body is not None else None)
        symbol = self._lookup.symbol_of(node)
        genvar_target = self.target_of(self._genvar_declared_outside(symbol, node))
        if genvar_target is not None:
            # The block's parameter has the value.
            yield Meaning(replace(genvar_target, symbol=symbol), role)
            return
        yield from self._meaning_of_symbol(symbol, role)

    def _genvar_declared_outside(self, symbol: Symbol | None, node: SyntaxNode) -> Symbol | None:
        """The genvar of `genvar i; for (i = 0; …)` at a node in the loop, where each block has a parameter `i`."""
        if not isinstance(symbol, ParameterSymbol) or not isinstance(symbol.syntax, IdentifierNameSyntax):
            return None
        loop = node.parent
        while loop is not None:
            if isinstance(loop, LoopGenerateSyntax) and loop.identifier.valueText == symbol.name:
                return None if loop.genvar else self._lookup.unqualified_symbol(symbol.name, loop)
            loop = loop.parent
        return None

    # Declarations

    def _declaration_meanings(self, token: Token, node: SyntaxNode) -> Iterator[Meaning]:
        syntax_kind, parent = node.kind, node.parent
        if syntax_kind in _HEADERS:
            body = self._scopes.module_body(token.valueText, token.location)
            yield from self._meaning_of_declaration_at_token(
                token, DECLARATIONS[syntax_kind], body.definition if body is not None else None
            )
        elif syntax_kind == SyntaxKind.PackageHeader:
            package = self._compilation.getPackage(token.valueText)
            is_it = package is not None and package.location == token.location
            yield from self._meaning_of_declaration_at_token(token, TargetKind.PACKAGE, package if is_it else None)
        elif isinstance(node, DeclaratorSyntax) and isinstance(parent, StructUnionMemberSyntax):
            yield from self._meaning_of_declaration_at_token(
                token, TargetKind.FIELD, self._lookup.declared_field(parent, token.valueText)
            )
        elif isinstance(node, DeclaratorSyntax) and isinstance(parent, EnumTypeSyntax):
            yield from self._meanings_of_repeatable_declaration(token, node, TargetKind.ENUM_VALUE)
        else:
            yield from self._meanings_of_repeatable_declaration(token, node, DECLARATIONS[syntax_kind])

    def _clock_variable_meanings(self, token: Token, node: AttributeSpecSyntax) -> Iterator[Meaning]:
        """`ready` in `input ready;` of a clocking block, which slang reads like an attribute."""
        if not isinstance(node.parent, ClockingItemSyntax):
            return
        scope, block = self._scopes.scope_around(node), node.parent.parent
        if scope is None or not isinstance(block, ClockingDeclarationSyntax):
            return
        variable = self._lookup.member(scope.find(block.blockName.valueText), token.valueText)
        yield from self._meaning_of_declaration_at_token(token, TargetKind.VARIABLE, variable)
        # `input ready;` samples the signal `ready`, `input ready = other;` another one.
        if node.value is None:
            yield from self._meaning_of_symbol(scope.lookupName(token.valueText), NameRole.READ, is_shorthand=True)

    def _meanings_of_repeatable_declaration(
        self, token: Token, node: SyntaxNode, declared_kind: TargetKind
    ) -> Iterator[Meaning]:
        """A declaration of which the same scope may have others: `module m (a); input a; wire a;` has three."""
        scope = self._scopes.scope_around(node)
        # A class, routine and the like opens a scope itself, but is declared around it.
        symbol = canonical_symbol(scope.find(token.valueText)) if scope is not None else None
        if symbol is None and isinstance(scope, GenerateBlockArraySymbol):
            outside = Lookup.unqualified(scope, token.valueText, _ANYWHERE)
            symbol = outside if isinstance(outside, Symbol) else None
        target = self.target_of(symbol) if symbol is not None else None
        location = self._locations.file_location_of(token.location)
        if symbol is not None and target is not None and location is not None:
            is_other_file = target.path != location.path
            is_forward = node.kind == SyntaxKind.ForwardTypedefDeclaration
            is_port = symbol.kind in (SymbolKind.Net, SymbolKind.Variable, SymbolKind.FormalArgument)
            if (target.start == location.offset and not is_other_file) or is_forward or is_port:
                yield Meaning(target, NameRole.DECLARATION)
                return
        yield from self._meaning_of_declaration_at_token(token, declared_kind, None)

    def _meaning_of_declaration_at_token(
        self, token: Token, target_kind: TargetKind, symbol: Symbol | None
    ) -> Iterator[Meaning]:
        location = self._locations.file_location_of(token.location)
        if location is not None:
            yield Meaning(self._target_at(location, token.valueText, target_kind, symbol), NameRole.DECLARATION)

    def _routine_name_meanings(self, token: Token, node: SyntaxNode) -> Iterator[Meaning]:
        """The name in the head of a routine: `f` in `function int f();`, `C` and `f` in `function int C::f();`."""
        whole_name = _whole_scoped_name(node)
        if isinstance(whole_name, ScopedNameSyntax) and whole_name.right != node:
            yield from self._meaning_of_symbol(self._lookup.symbol_of(node), NameRole.NAME)
            return
        declaration = whole_name.parent.parent
        target_kind = TargetKind.TASK if declaration.kind == SyntaxKind.TaskDeclaration else TargetKind.FUNCTION
        routine_node = declaration.parent if isinstance(declaration, ClassMethodPrototypeSyntax) else declaration
        routine = (
            self._scopes.scope_of(declaration) if not isinstance(routine_node, ModportSubroutinePortSyntax) else None
        )
        if isinstance(routine, (SubroutineSymbol, MethodPrototypeSymbol)):
            target = self.target_of(routine)
            if target is not None and target.name == token.valueText:
                yield Meaning(target, NameRole.DECLARATION)
                return
        yield from self._meanings_of_repeatable_declaration(token, whole_name, target_kind)

    def _label_meanings(self, token: Token, node: NamedBlockClauseSyntax) -> Iterator[Meaning]:
        """The name after a colon: of `begin : name` a declaration, of `endmodule : name` the module's again."""
        labelled_node = node.parent
        begin_label = _begin_label(labelled_node)
        if begin_label == node:
            yield from self._block_label_meanings(token, labelled_node)
            return
        for name, holder in _names_repeatable_at_end(labelled_node, begin_label):
            if name.valueText == token.valueText:
                for meaning in self.meanings(name, holder):
                    yield Meaning(meaning.target, NameRole.END)
                return

    def _block_label_meanings(self, token: Token, block: SyntaxNode) -> Iterator[Meaning]:
        opened_scope = self._scopes.scope_of(block)
        if opened_scope is not None and opened_scope.name == token.valueText:
            yield from self._meaning_of_symbol(opened_scope, NameRole.DECLARATION)
            return
        # `for (genvar i …) begin : g`: the label names all blocks of the loop.
        array = canonical_symbol(self._scopes.scope_around(block)) if opened_scope is not None else None
        if isinstance(array, GenerateBlockArraySymbol) and array.name == token.valueText:
            yield from self._meaning_of_symbol(array, NameRole.DECLARATION)
        else:
            yield from self._meaning_of_declaration_at_token(token, TargetKind.BLOCK, None)

    # Connections and what names something of another scope

    def _port_connection_meanings(self, token: Token, node: NamedPortConnectionSyntax) -> Iterator[Meaning]:
        body = self._lookup.instantiated_body(node)
        port = body.findPort(token.valueText) if body is not None else None
        yield from self._meaning_of_symbol(port, NameRole.CONNECTION)
        if not node.openParen:
            yield from self._meaning_of_symbol(
                self._lookup.unqualified_symbol(token.valueText, node), role_given_by_port(port), is_shorthand=True
            )

    def _other_meanings(self, token: Token, node: SyntaxNode) -> Iterator[Meaning]:
        name = token.valueText
        match node:
            case NamedParamAssignmentSyntax():
                yield from self._meaning_of_symbol(self._assigned_parameter(name, node), NameRole.CONNECTION)
            case NamedArgumentSyntax():
                yield from self._meaning_of_symbol(
                    self._lookup.formal_argument(name, node.parent.parent), NameRole.CONNECTION
                )
            case PackageImportItemSyntax():
                package = self._compilation.getPackage(node.package.valueText)
                is_package = token == node.package or package is None
                yield from self._meaning_of_symbol(package if is_package else package.find(name), NameRole.IMPORT)
            case DotMemberClauseSyntax():
                yield from self._meaning_of_symbol(self._named_modport(name, node), NameRole.TYPE)
            case MemberAccessExpressionSyntax():
                yield from self._meaning_of_symbol(self._lookup.symbol_of(node), role_of(node))
            case LoopGenerateSyntax():
                yield from self._loop_variable_meanings(token, node)
            case ConfigCellIdentifierSyntax():
                is_config = isinstance(node.parent, ConfigUseClauseSyntax) and bool(node.parent.config)
                cell = self._lookup.config(name) if is_config else self._lookup.definition(name, node)
                yield from self._meaning_of_symbol(cell or self._lookup.config(name), NameRole.NAME)
            case InstanceConfigRuleSyntax():
                yield from self._meaning_of_symbol(self._lookup.instance_of_config_rule(node, None), NameRole.NAME)
            case ConfigInstanceIdentifierSyntax() if isinstance(node.parent, InstanceConfigRuleSyntax):
                yield from self._meaning_of_symbol(
                    self._lookup.instance_of_config_rule(node.parent, node), NameRole.NAME
                )
        syntax_kind = node.kind
        if syntax_kind in (SyntaxKind.InterfacePortHeader, SyntaxKind.VirtualInterfaceType):
            yield from self._meaning_of_symbol(self._lookup.definition(name, node), NameRole.TYPE)
        elif syntax_kind in (SyntaxKind.ModportNamedPort, SyntaxKind.ModportClockingPort, SyntaxKind.PortReference):
            scope = self._scopes.scope_around(node)
            yield from self._meaning_of_symbol(scope.find(name) if scope is not None else None, NameRole.NAME)
        elif syntax_kind in (
            SyntaxKind.UserDefinedNetDeclaration,
            SyntaxKind.DefaultClockingReference,
            SyntaxKind.DPIExport,
        ):
            yield from self._meaning_of_symbol(self._lookup.unqualified_symbol(name, node), NameRole.TYPE)

    def _assigned_parameter(self, name: str, node: NamedParamAssignmentSyntax) -> Symbol | None:
        """The parameter of a module in `m #(.N(8)) u ();`, of a class in `C #(.N(8)) c;`."""
        parameter_owner = node.parent.parent
        if isinstance(parameter_owner, HierarchyInstantiationSyntax):
            body = self._scopes.module_body(parameter_owner.type.valueText)
            return body.find(name) if body is not None else None
        return self._lookup.member(self._lookup.symbol_of(parameter_owner), name)

    def _named_modport(self, name: str, node: DotMemberClauseSyntax) -> Symbol | None:
        """The modport in `bus.master port` or `virtual bus.master v`."""
        interface_type = node.parent
        interface: Token | None = getattr(interface_type, "name", None)
        if isinstance(interface_type, InterfacePortHeaderSyntax):
            interface = interface_type.nameOrKeyword
        body = self._scopes.module_body(interface.valueText) if interface is not None else None
        return body.find(name) if body is not None else None

    def _loop_variable_meanings(self, token: Token, node: LoopGenerateSyntax) -> Iterator[Meaning]:
        """`i` in `for (genvar i = 0; …)`, which declares it, or in `for (i = 0; …)`, which does not."""
        if not node.genvar:
            yield from self._meaning_of_symbol(self._lookup.unqualified_symbol(token.valueText, node), NameRole.WRITE)
            return
        array = self._scopes.scope_of(node)
        target = self.target_of(array.find(token.valueText) if array is not None else None)
        if target is not None:
            yield Meaning(target, NameRole.DECLARATION)
        else:
            yield from self._meaning_of_declaration_at_token(token, TargetKind.GENVAR, None)

    # From symbols to targets

    def _meaning_of_symbol(
        self, symbol: Symbol | None, role: NameRole, *, is_shorthand: bool = False
    ) -> Iterator[Meaning]:
        target = self.target_of(symbol)
        if target is not None:
            yield Meaning(target, role_given_target_kind(role, target.target_kind), is_shorthand)

    def _new_target(self, symbol: Symbol) -> Target | None:
        location = self._locations.file_location_of(symbol.location)
        if location is None or not symbol.name:
            return None
        return self._target_at(location, symbol.name, target_kind_of(symbol), symbol)

    def _target_at(self, location: FileLocation, name: str, target_kind: TargetKind, symbol: Symbol | None) -> Target:
        # An escaped name, `\a+b `, begins with a backslash, which is no part of it.
        end = location.offset + len(name.encode()) + (not _SIMPLE_NAME.fullmatch(name))
        return Target(
            location.path, location.offset, end, name, target_kind, symbol, location.is_generated, self._compilation
        )


def _whole_scoped_name(name: SyntaxNode) -> SyntaxNode:
    """The whole path that a name is a part of: `a::b::c` for `b`."""
    while isinstance(name.parent, ScopedNameSyntax):
        name = name.parent
    return name


def _is_after_scope_separator(name: SyntaxNode) -> bool:
    """True if a name follows another and a dot or `::`."""
    return isinstance(name.parent, ScopedNameSyntax) and name.parent.right == name


def _begin_label(labelled_node: SyntaxNode) -> NamedBlockClauseSyntax | None:
    """The `: name` after a `begin` or `fork`."""
    begin_label: NamedBlockClauseSyntax | None = getattr(labelled_node, "beginName", None)
    return (
        labelled_node.blockName
        if begin_label is None and isinstance(labelled_node, BlockStatementSyntax)
        else begin_label
    )


def _names_repeatable_at_end(
    labelled_node: SyntaxNode, begin_label: NamedBlockClauseSyntax | None
) -> Iterator[tuple[Token, SyntaxNode]]:
    """The name at the beginning of what may repeat it at its end, with the node that holds it."""
    if begin_label is not None:
        yield begin_label.name, begin_label
    elif isinstance(labelled_node, FunctionDeclarationSyntax):
        path = labelled_node.prototype.name
        yield path.getLastToken(), path.right if isinstance(path, ScopedNameSyntax) else path
    elif (header := getattr(labelled_node, "header", None)) is not None:
        yield header.name, header
    elif isinstance(labelled_node, ClockingDeclarationSyntax):
        yield labelled_node.blockName, labelled_node
    elif isinstance(name := getattr(labelled_node, "name", None), Token):
        yield name, labelled_node
