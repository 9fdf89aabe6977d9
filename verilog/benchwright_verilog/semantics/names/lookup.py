"""From a name or a path in an expression to slang's symbol of what it leads to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pyslang.ast import (
    ClassPropertySymbol,
    ClassType,
    CovergroupType,
    CoverpointSymbol,
    DefinitionSymbol,
    GenerateBlockArraySymbol,
    GenericClassDefSymbol,
    InstanceArraySymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    InterfacePortSymbol,
    Lookup,
    LookupFlags,
    MethodPrototypeSymbol,
    SubroutineSymbol,
    Symbol,
    SymbolKind,
    Type,
)
from pyslang.parsing import TokenKind
from pyslang.syntax import (
    AssignmentPatternExpressionSyntax,
    AssignmentPatternItemSyntax,
    BinaryExpressionSyntax,
    BindDirectiveSyntax,
    CastExpressionSyntax,
    ClassDeclarationSyntax,
    ClassNameSyntax,
    ConditionalExpressionSyntax,
    CoverCrossSyntax,
    CovergroupDeclarationSyntax,
    DataDeclarationSyntax,
    DeclaratorSyntax,
    ElementSelectExpressionSyntax,
    EqualsValueClauseSyntax,
    FunctionDeclarationSyntax,
    HierarchyInstantiationSyntax,
    IdentifierNameSyntax,
    IdentifierSelectNameSyntax,
    InstanceConfigRuleSyntax,
    InvocationExpressionSyntax,
    MemberAccessExpressionSyntax,
    NamedTypeSyntax,
    NewClassExpressionSyntax,
    ParenthesizedExpressionSyntax,
    ReturnStatementSyntax,
    ScopedNameSyntax,
    SimpleAssignmentPatternSyntax,
    SimplePropertyExprSyntax,
    SimpleSequenceExprSyntax,
    StructUnionMemberSyntax,
    StructUnionTypeSyntax,
    SyntaxKind,
    SyntaxNode,
    TypedefDeclarationSyntax,
)

from benchwright_verilog.semantics.compilation.canonical import canonical_symbol, member_scope_of_type
from benchwright_verilog.semantics.compilation.slang import ScopeSymbol, is_scope
from benchwright_verilog.semantics.names.roles import ASSIGNMENTS
from benchwright_verilog.semantics.names.scopes import Scopes
from benchwright_verilog.semantics.names.with_clauses import with_clause_around

if TYPE_CHECKING:
    from pyslang.ast import Compilation, ValueSymbol

NAME_SYNTAX = (IdentifierNameSyntax, IdentifierSelectNameSyntax, ClassNameSyntax)
"""The nodes that are one name: `a`, `a[3]`, `C #(8)`."""

_TRANSPARENT = (
    ConditionalExpressionSyntax,
    ParenthesizedExpressionSyntax,
    SimplePropertyExprSyntax,
    SimpleSequenceExprSyntax,
)
"""Nodes that have the type of what is in them."""
_ANYWHERE = LookupFlags.AllowDeclaredAfter


class SymbolLookup:
    """Looks up names of one compilation.

    Args:
        compilation: Compilation that has the symbols.
        scopes: Finds the scope in which a name is used.
    """

    def __init__(self, compilation: Compilation, scopes: Scopes) -> None:
        self._compilation = compilation
        self._scopes = scopes

    def symbol_of(self, expression: SyntaxNode | None) -> Symbol | None:
        """The symbol that a name or a path leads to; the type of what is computed.

        In `top.u_fifo.count[3]`, asked for the whole expression, this is `count`; asked for the name `u_fifo` in it,
        the instance. `pkg::T`, `C::get().size`, `this.x` and `$unit::y` are other paths.
        """
        match expression:
            case IdentifierNameSyntax() | IdentifierSelectNameSyntax() | ClassNameSyntax():
                name, parent = expression.identifier.valueText, expression.parent
                if isinstance(parent, ScopedNameSyntax) and parent.right == expression:
                    if parent.left.kind == SyntaxKind.LocalScope:
                        return self._symbol_in_scopes_around(name, expression)
                    return self.member(self.symbol_of(parent.left), name)
                return self.unqualified_symbol(name, expression)
            case ScopedNameSyntax():
                return self.symbol_of(expression.right)
            case MemberAccessExpressionSyntax():
                return self.member(self.symbol_of(expression.left), expression.name.valueText)
            case ElementSelectExpressionSyntax() | InvocationExpressionSyntax() | CastExpressionSyntax():
                return self.symbol_of(expression.left)
            case ParenthesizedExpressionSyntax():
                return self.symbol_of(expression.expression)
            case SimplePropertyExprSyntax() | SimpleSequenceExprSyntax():
                return self.symbol_of(expression.expr)
            case NamedTypeSyntax():
                return self.symbol_of(expression.name)
            case None:
                return None
        syntax_kind = expression.kind
        if syntax_kind in (SyntaxKind.ThisHandle, SyntaxKind.SuperHandle):
            return self._class_of_this_or_super(expression, is_super=syntax_kind == SyntaxKind.SuperHandle)
        if syntax_kind == SyntaxKind.RootScope:
            return self._compilation.getRoot()
        return self._scopes.compilation_unit_of(expression) if syntax_kind == SyntaxKind.UnitScope else None

    def unqualified_symbol(self, name: str, node: SyntaxNode) -> Symbol | None:
        """The symbol that a name without a path means at a node."""
        clause = with_clause_around(node)
        if clause is not None and clause.is_iterator(name):
            # An iterator has the type of the elements.
            return _element_type_if_array(self.symbol_of(clause.receiver))
        if clause is not None and clause.is_randomize and (clause.member_names is None or name in clause.member_names):
            receiver = clause.receiver
            receiver_symbol = (
                self.symbol_of(receiver) if receiver is not None else self._class_of_this_or_super(node, is_super=False)
            )
            if (symbol := self.member(receiver_symbol, name)) is not None:
                return symbol
        return self._symbol_in_scopes_around(name, node)

    def _symbol_in_scopes_around(self, name: str, node: SyntaxNode) -> Symbol | None:
        """The symbol that a name means in the scopes around a node."""
        scope = self._scopes.scope_around(node)
        if scope is None:
            return self._scopes.bodies.get(name)
        symbol = Lookup.unqualified(scope, name, _ANYWHERE)
        if isinstance(symbol, CoverpointSymbol) and (group := self._covergroup_unless_in_cross(node)) is not None:
            # A label hides the signal of its name only in crosses.
            symbol = Lookup.unqualified(group, name, _ANYWHERE)
        if isinstance(symbol, Symbol):
            return symbol
        parent = node.parent
        if isinstance(parent, ScopedNameSyntax) and parent.left == node:
            # A path may begin with a package, as `pkg::item` does, or a module, as `top.u_sub.x`.
            if parent.separator.kind == TokenKind.DoubleColon:
                return self._compilation.getPackage(name)
            return self._scopes.bodies.get(name)
        if isinstance(parent, (NamedTypeSyntax, BindDirectiveSyntax)):
            return self.definition(name, node)
        return None

    def _covergroup_unless_in_cross(self, node: SyntaxNode) -> ScopeSymbol | None:
        ancestor: SyntaxNode | None = node
        while ancestor is not None and not isinstance(ancestor, (CoverCrossSyntax, CovergroupDeclarationSyntax)):
            ancestor = ancestor.parent
        if not isinstance(ancestor, CovergroupDeclarationSyntax):
            return None
        outer = self._scopes.scope_around(ancestor)
        group = outer.find(ancestor.name.valueText) if outer is not None else None
        group_type = group.type if isinstance(group, ClassPropertySymbol) else group
        return group_type if isinstance(group_type, CovergroupType) else None

    def member(self, owner_symbol: Symbol | None, name: str) -> Symbol | None:
        """The symbol that a name means behind `owner.` or `owner::`."""
        scope = self.member_scope(owner_symbol)
        symbol = scope.find(name) if scope is not None else None
        if symbol is None and isinstance(scope, InstanceBodySymbol):
            # A `bind` to a module adds to the instance that stands for it.
            module_body = self._scopes.module_body(scope.definition.name)
            symbol = module_body.find(name) if module_body is not None else None
        return symbol

    def instance_of_config_rule(
        self, config_rule: InstanceConfigRuleSyntax, name_node: SyntaxNode | None
    ) -> Symbol | None:
        """The instance of a rule in a config, down to one of its names; without a name the top."""
        symbol = self.definition(config_rule.topModule.valueText, config_rule)
        for instance_name in config_rule.instanceNames if name_node is not None else ():
            symbol = self.member(symbol, instance_name.name.valueText)
            if instance_name == name_node:
                break
        return symbol

    def config(self, name: str) -> Symbol | None:
        """The config of a name."""
        return self._configs_by_name.get(name)

    def member_scope(self, owner_symbol: Symbol | None) -> ScopeSymbol | None:
        """The scope in which the members of something are: for an instance its module, for a variable its type."""
        if isinstance(owner_symbol, InstanceSymbol):
            return owner_symbol.body
        match owner_symbol := canonical_symbol(owner_symbol):
            case None:
                return None
            case InstanceArraySymbol() | GenerateBlockArraySymbol():
                return self.member_scope(
                    next((entry for entry in owner_symbol if entry.kind != SymbolKind.Genvar), None)
                )
            case DefinitionSymbol():
                return self._scopes.module_body(owner_symbol.name)
            case InterfacePortSymbol():
                definition = owner_symbol.interfaceDef
                return self._scopes.module_body(definition.name) if definition is not None else None
            case GenericClassDefSymbol():
                specialization: Type = owner_symbol.invalidSpecialization
                return specialization if isinstance(specialization, ClassType) else None
            case CovergroupType():
                return owner_symbol.body
            case SubroutineSymbol():
                # `f().x` is a member of what `f` returns, `f.x` a variable of `f`.
                return (
                    owner_symbol
                    if owner_symbol.returnType.isVoid
                    else member_scope_of_type(owner_symbol.returnType) or owner_symbol
                )
            case Type():
                return member_scope_of_type(owner_symbol)
        if owner_symbol.isValue:
            value_symbol: ValueSymbol = owner_symbol  # type: ignore[assignment]
            return member_scope_of_type(value_symbol.type)
        return owner_symbol if is_scope(owner_symbol) else None

    def definition(self, name: str, node: SyntaxNode) -> Symbol | None:
        """The module, interface, program, primitive or checker of a name at a node."""
        body = self._scopes.module_body(name)
        if body is not None:
            return body.definition
        for scope in (self._scopes.scope_around(node), *self._compilation.getCompilationUnits()[:1]):
            if scope is not None:
                symbol = Lookup.unqualified(scope, name, _ANYWHERE)
                if isinstance(symbol, Symbol) and symbol.kind in (SymbolKind.Primitive, SymbolKind.Checker):
                    return symbol
        return self._definitions_by_name.get(name)

    def instantiated_body(self, node: SyntaxNode | None) -> InstanceBodySymbol | None:
        """The body of the module that the instantiation around a node names: of `m` in `m u (.a(x));`."""
        while node is not None and not isinstance(node, HierarchyInstantiationSyntax):
            node = node.parent
        return self._scopes.module_body(node.type.valueText) if node is not None else None

    def formal_argument(self, name: str, call: SyntaxNode) -> Symbol | None:
        """The formal argument that `.name(…)` in a call means."""
        if isinstance(call, NewClassExpressionSyntax):
            return None
        routine = canonical_symbol(self.symbol_of(getattr(call, "left", None)))
        if isinstance(routine, (SubroutineSymbol, MethodPrototypeSymbol)):
            return next((argument for argument in routine.arguments if argument.name == name), None)
        return routine.find(name) if routine is not None and is_scope(routine) else None

    def pattern_field(self, pattern_item: AssignmentPatternItemSyntax, name: str) -> Symbol | None:
        """The field that a key of an assignment pattern names: `x` in `point p = '{x: 1, y: 2};`."""
        return self.member(self._symbol_with_pattern_type(pattern_item), name)

    def declared_field(self, struct_member: StructUnionMemberSyntax, name: str) -> Symbol | None:
        """The field that a member of a structure or union declares, where the structure has a name or a variable."""
        struct = struct_member.parent
        struct_owner = struct.parent if isinstance(struct, StructUnionTypeSyntax) else None
        if isinstance(struct_owner, StructUnionMemberSyntax):
            declared = next(iter(struct_owner.declarators), None)
            return self.member(self.declared_field(struct_owner, declared.name.valueText), name) if declared else None
        if isinstance(struct_owner, TypedefDeclarationSyntax):
            token = struct_owner.name
        elif isinstance(struct_owner, DataDeclarationSyntax) and len(struct_owner.declarators):
            token = struct_owner.declarators[0].name
        else:
            return None
        scope = self._scopes.scope_around(struct_owner)
        return self.member(scope.find(token.valueText), name) if scope is not None else None

    def _symbol_with_pattern_type(self, pattern_item: AssignmentPatternItemSyntax) -> Symbol | None:
        """The symbol that has the type of the pattern that an item is in, as far as the syntax around it shows."""
        return self._symbol_with_type_of_pattern(pattern_item.parent.parent)

    def _symbol_with_type_of_pattern(self, expression: SyntaxNode) -> Symbol | None:
        if isinstance(expression, AssignmentPatternExpressionSyntax) and expression.type is not None:
            return self.symbol_of(expression.type)
        parent = expression.parent
        while isinstance(parent, _TRANSPARENT):
            parent = parent.parent
        if isinstance(parent, BinaryExpressionSyntax) and parent.kind in ASSIGNMENTS:
            return self.symbol_of(parent.left)
        if isinstance(parent, EqualsValueClauseSyntax) and isinstance(parent.parent, DeclaratorSyntax):
            scope = self._scopes.scope_around(parent)
            return scope.find(parent.parent.name.valueText) if scope is not None else None
        if isinstance(parent, AssignmentPatternItemSyntax) and isinstance(parent.key, NAME_SYNTAX):
            return self.pattern_field(parent, parent.key.identifier.valueText)
        if isinstance(parent, SimpleAssignmentPatternSyntax):
            # The elements of an array have the members that the array is asked for.
            outer = self._symbol_with_type_of_pattern(parent.parent)
            return outer if _element_type_if_array(outer) is not None else None
        return self._routine_around(parent) if isinstance(parent, ReturnStatementSyntax) else None

    def _routine_around(self, node: SyntaxNode | None) -> Symbol | None:
        while node is not None and not isinstance(node, FunctionDeclarationSyntax):
            node = node.parent
        return self._scopes.scope_of(node) if node is not None else None

    def _class_of_this_or_super(self, node: SyntaxNode, *, is_super: bool) -> Symbol | None:
        """The class that `this` or `super` means; for `function void C::f();`, a body outside of its class, `C`."""
        ancestor: SyntaxNode | None = node.parent
        class_symbol: Symbol | None = None
        while ancestor is not None:
            if isinstance(ancestor, ClassDeclarationSyntax):
                class_symbol = self._scopes.scope_of(ancestor)
                break
            name = ancestor.prototype.name if isinstance(ancestor, FunctionDeclarationSyntax) else None
            if isinstance(name, ScopedNameSyntax):
                class_symbol = self.symbol_of(name.left)
                break
            ancestor = ancestor.parent
        if isinstance(class_symbol, GenericClassDefSymbol):
            class_symbol = class_symbol.invalidSpecialization
        if not is_super:
            return class_symbol
        return class_symbol.baseClass if isinstance(class_symbol, ClassType) else None

    @cached_property
    def _configs_by_name(self) -> dict[str, Symbol]:
        # slang's own search in a unit finds none.
        units = self._compilation.getCompilationUnits()
        return {member.name: member for unit in units for member in unit if member.kind == SymbolKind.ConfigBlock}

    @cached_property
    def _definitions_by_name(self) -> dict[str, Symbol]:
        return {definition.name: definition for definition in self._compilation.getDefinitions()}


def _element_type_if_array(array: Symbol | None) -> Type | None:
    if array is None or not array.isValue:
        return None
    array_value: ValueSymbol = array  # type: ignore[assignment]
    type_ = array_value.type.canonicalType
    return type_.arrayElementType if type_.isArray else None
