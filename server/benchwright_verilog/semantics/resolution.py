"""What a name means: from a token of slang's syntax to the thing that it was declared as."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pyslang.ast import (
    ArgumentDirection,
    DefinitionKind,
    Lookup,
    LookupFlags,
    SubroutineKind,
    SymbolKind,
)
from pyslang.parsing import Token, TokenKind
from pyslang.syntax import SyntaxKind

from benchwright_verilog.semantics.occurrence import Role, Target, TargetKind
from benchwright_verilog.semantics.places import Place, Places
from benchwright_verilog.semantics.scopes import Scopes
from benchwright_verilog.semantics.slang import AnyNode, AnySymbol

if TYPE_CHECKING:
    from pyslang.ast import Compilation

_NAME_NODES = frozenset({SyntaxKind.IdentifierName, SyntaxKind.IdentifierSelectName, SyntaxKind.ClassName})
_ASSIGNMENTS = frozenset(
    SyntaxKind[f"{operation}AssignmentExpression"]
    for operation in (
        "",
        "Add",
        "And",
        "ArithmeticLeftShift",
        "ArithmeticRightShift",
        "Divide",
        "LogicalLeftShift",
        "LogicalRightShift",
        "Mod",
        "Multiply",
        "Nonblocking",
        "Or",
        "Subtract",
        "Xor",
    )
)
_STEPS = frozenset(
    {
        SyntaxKind.PostdecrementExpression,
        SyntaxKind.PostincrementExpression,
        SyntaxKind.UnaryPredecrementExpression,
        SyntaxKind.UnaryPreincrementExpression,
    }
)
_TRANSPARENT = frozenset(
    {
        SyntaxKind.ConcatenationExpression,
        SyntaxKind.ParenthesizedExpression,
        SyntaxKind.StreamExpression,
        SyntaxKind.StreamingConcatenationExpression,
    }
)
_PATH_TO_PORT = _TRANSPARENT | {
    SyntaxKind.ElementSelectExpression,
    SyntaxKind.MemberAccessExpression,
    SyntaxKind.ScopedName,
    SyntaxKind.SimplePropertyExpr,
    SyntaxKind.SimpleSequenceExpr,
}
_INSTANTIATIONS = frozenset({SyntaxKind.HierarchyInstantiation, SyntaxKind.PrimitiveInstantiation})
_KINDS = {
    SymbolKind.AssertionPort: TargetKind.ARGUMENT,
    SymbolKind.Checker: TargetKind.CHECKER,
    SymbolKind.CheckerInstance: TargetKind.INSTANCE,
    SymbolKind.ClassProperty: TargetKind.PROPERTY,
    SymbolKind.ClassType: TargetKind.CLASS,
    SymbolKind.ClockVar: TargetKind.VARIABLE,
    SymbolKind.ClockingBlock: TargetKind.CLOCKING,
    SymbolKind.ConstraintBlock: TargetKind.CONSTRAINT,
    SymbolKind.CoverCross: TargetKind.COVERAGE,
    SymbolKind.CoverageBin: TargetKind.COVERAGE,
    SymbolKind.CovergroupType: TargetKind.COVERAGE,
    SymbolKind.Coverpoint: TargetKind.COVERAGE,
    SymbolKind.EnumValue: TargetKind.ENUM_VALUE,
    SymbolKind.Field: TargetKind.FIELD,
    SymbolKind.FormalArgument: TargetKind.ARGUMENT,
    SymbolKind.ForwardingTypedef: TargetKind.TYPE,
    SymbolKind.GenerateBlock: TargetKind.BLOCK,
    SymbolKind.GenerateBlockArray: TargetKind.BLOCK,
    SymbolKind.GenericClassDef: TargetKind.CLASS,
    SymbolKind.Genvar: TargetKind.GENVAR,
    SymbolKind.Instance: TargetKind.INSTANCE,
    SymbolKind.InstanceArray: TargetKind.INSTANCE,
    SymbolKind.InterfacePort: TargetKind.INTERFACE_PORT,
    SymbolKind.Iterator: TargetKind.VARIABLE,
    SymbolKind.LetDecl: TargetKind.ASSERTION,
    SymbolKind.LocalAssertionVar: TargetKind.VARIABLE,
    SymbolKind.Modport: TargetKind.MODPORT,
    SymbolKind.Net: TargetKind.NET,
    SymbolKind.NetType: TargetKind.TYPE,
    SymbolKind.Package: TargetKind.PACKAGE,
    SymbolKind.PatternVar: TargetKind.VARIABLE,
    SymbolKind.Port: TargetKind.PORT,
    SymbolKind.Primitive: TargetKind.PRIMITIVE,
    SymbolKind.PrimitiveInstance: TargetKind.INSTANCE,
    SymbolKind.Property: TargetKind.ASSERTION,
    SymbolKind.Sequence: TargetKind.ASSERTION,
    SymbolKind.Specparam: TargetKind.PARAMETER,
    SymbolKind.StatementBlock: TargetKind.BLOCK,
    SymbolKind.TypeAlias: TargetKind.TYPE,
    SymbolKind.TypeParameter: TargetKind.TYPE_PARAMETER,
    SymbolKind.UninstantiatedDef: TargetKind.INSTANCE,
    SymbolKind.Variable: TargetKind.VARIABLE,
}
_DEFINITIONS = {
    DefinitionKind.Interface: TargetKind.INTERFACE,
    DefinitionKind.Module: TargetKind.MODULE,
    DefinitionKind.Program: TargetKind.PROGRAM,
}
_DECLARED = {
    SyntaxKind.AssertionItemPort: TargetKind.ARGUMENT,
    SyntaxKind.CheckerDeclaration: TargetKind.CHECKER,
    SyntaxKind.ClassDeclaration: TargetKind.CLASS,
    SyntaxKind.ClockingDeclaration: TargetKind.CLOCKING,
    SyntaxKind.CoverageBins: TargetKind.COVERAGE,
    SyntaxKind.CovergroupDeclaration: TargetKind.COVERAGE,
    SyntaxKind.Declarator: TargetKind.VARIABLE,
    SyntaxKind.ExplicitAnsiPort: TargetKind.PORT,
    SyntaxKind.ExplicitNonAnsiPort: TargetKind.PORT,
    SyntaxKind.ForwardTypedefDeclaration: TargetKind.TYPE,
    SyntaxKind.InstanceName: TargetKind.INSTANCE,
    SyntaxKind.InterfaceHeader: TargetKind.INTERFACE,
    SyntaxKind.LetDeclaration: TargetKind.ASSERTION,
    SyntaxKind.ModportItem: TargetKind.MODPORT,
    SyntaxKind.ModportExplicitPort: TargetKind.PORT,
    SyntaxKind.ModuleHeader: TargetKind.MODULE,
    SyntaxKind.NamedLabel: TargetKind.BLOCK,
    SyntaxKind.NetTypeDeclaration: TargetKind.TYPE,
    SyntaxKind.PackageHeader: TargetKind.PACKAGE,
    SyntaxKind.ProgramHeader: TargetKind.PROGRAM,
    SyntaxKind.PropertyDeclaration: TargetKind.ASSERTION,
    SyntaxKind.SequenceDeclaration: TargetKind.ASSERTION,
    SyntaxKind.SpecparamDeclarator: TargetKind.PARAMETER,
    SyntaxKind.TypeAssignment: TargetKind.TYPE_PARAMETER,
    SyntaxKind.TypedefDeclaration: TargetKind.TYPE,
    SyntaxKind.UdpDeclaration: TargetKind.PRIMITIVE,
    SyntaxKind.VariablePattern: TargetKind.VARIABLE,
}
_HEADERS = frozenset({SyntaxKind.InterfaceHeader, SyntaxKind.ModuleHeader, SyntaxKind.ProgramHeader})
_STEPS_ON_THE_WAY = frozenset(
    {TargetKind.BLOCK, TargetKind.INSTANCE, TargetKind.INTERFACE_PORT, TargetKind.MODULE, TargetKind.PACKAGE}
)
_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_ANYWHERE = LookupFlags.AllowDeclaredAfter


@dataclass(frozen=True)
class Meaning:
    """One thing that a name means where it stands."""

    target: Target
    role: Role
    shorthand: bool = False


class Resolver:
    """Resolves names of one compilation.

    Args:
        compilation: Whose symbols.
        scopes: Finds them by syntax.
        places: Finds the files of locations.
    """

    def __init__(self, compilation: Compilation, scopes: Scopes, places: Places) -> None:
        self._compilation = compilation
        self._scopes = scopes
        self._places = places
        self._targets: dict[AnySymbol, Target | None] = {}

    def meanings(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        """What a name means; more than one thing where `.name` stands for `.name(name)`.

        Args:
            token: The name.
            node: The node that holds it.
        """
        kind = node.kind
        if kind in _NAME_NODES:
            yield from self._named(token, node)
        elif kind in _DECLARED:
            yield from self._declaration(token, node)
        elif kind == SyntaxKind.NamedBlockClause:
            yield from self._label(token, node)
        elif kind == SyntaxKind.NamedPortConnection:
            yield from self._port_connection(token, node)
        elif kind in _INSTANTIATIONS:
            yield from self._meaning(self._definition(token.valueText, node), Role.INSTANTIATION)
        else:
            yield from self._other(token, node)

    def members(self, owner: AnySymbol | None) -> list[AnySymbol]:
        """What may stand after `.` or `::` behind something."""
        scope = self._inside(owner)
        if scope is None:
            return []
        found: dict[str, AnySymbol] = {}
        for member in scope:
            canonical = _canonical(member)
            if canonical is not None and canonical.name:
                found.setdefault(canonical.name, canonical)
        return list(found.values())

    def target(self, symbol: AnySymbol | None) -> Target | None:
        """The declared thing that a symbol stands for."""
        symbol = _canonical(symbol)
        if symbol is None:
            return None
        if symbol not in self._targets:
            self._targets[symbol] = self._make_target(symbol)
        return self._targets[symbol]

    # Names in expressions, types and hierarchical paths

    def _named(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        parent = node.parent
        if parent.kind == SyntaxKind.FunctionPrototype or (
            parent.kind == SyntaxKind.ScopedName and _top(node).parent.kind == SyntaxKind.FunctionPrototype
        ):
            yield from self._routine_name(token, node)
            return
        if parent.kind == SyntaxKind.AssignmentPatternItem and parent.key == node:
            field = self._member(self._pattern_type(parent.parent), token.valueText)
            if field is not None:
                yield from self._meaning(field, Role.NAME)
                return
        if parent.kind == SyntaxKind.GenvarDeclaration or (
            parent.kind == SyntaxKind.ForeachLoopList and parent.arrayName != node
        ):
            yield from self._declared(token, node, TargetKind.GENVAR)
            return
        role = _role(node)
        yield from self._meaning(self.symbol_of(node), self._through_port(node) if role is Role.READ else role)

    def _through_port(self, node: AnyNode) -> Role:
        """What a port does with the name that it is connected to; reading where it is connected to none."""
        parent = node.parent
        while parent.kind in _PATH_TO_PORT:
            parent = parent.parent
        if parent.kind != SyntaxKind.NamedPortConnection:
            return Role.READ
        body = self._instantiated(parent)
        return _flow(body.findPort(parent.name.valueText) if body is not None else None)

    def symbol_of(self, expression: AnyNode | None) -> AnySymbol | None:
        """The symbol that a name or the path of a member leads to; a type for what is computed."""
        if expression is None:
            return None
        kind = expression.kind
        if kind in _NAME_NODES:
            token = expression.identifier
            parent = expression.parent
            if parent is not None and parent.kind == SyntaxKind.ScopedName and parent.right == expression:
                return self._member(self.symbol_of(parent.left), token.valueText)
            return self._unqualified(token.valueText, expression)
        if kind == SyntaxKind.ScopedName:
            return self.symbol_of(expression.right)
        if kind == SyntaxKind.MemberAccessExpression:
            return self._member(self.symbol_of(expression.left), expression.name.valueText)
        if kind in (SyntaxKind.ElementSelectExpression, SyntaxKind.InvocationExpression, SyntaxKind.CastExpression):
            return self.symbol_of(expression.left)
        if kind == SyntaxKind.ParenthesizedExpression:
            return self.symbol_of(expression.expression)
        if kind in (SyntaxKind.SimplePropertyExpr, SyntaxKind.SimpleSequenceExpr):
            return self.symbol_of(expression.expr)
        if kind in (SyntaxKind.NamedType,):
            return self.symbol_of(expression.name)
        if kind in (SyntaxKind.ThisHandle, SyntaxKind.SuperHandle):
            return self._class_around(expression, is_super=kind == SyntaxKind.SuperHandle)
        if kind == SyntaxKind.RootScope:
            return self._compilation.getRoot()
        if kind == SyntaxKind.UnitScope:
            return self._scopes.unit_of(expression)
        return None

    def _unqualified(self, name: str, node: AnyNode) -> AnySymbol | None:
        scope = self._scopes.around(node)
        if scope is None:
            return self._scopes.bodies.get(name)
        found = Lookup.unqualified(scope, name, _ANYWHERE)
        if found is not None:
            return found
        parent = node.parent
        if parent.kind == SyntaxKind.ScopedName and parent.left == node:
            # What a hierarchical name begins with may be a package or a module.
            if parent.separator.kind == TokenKind.DoubleColon:
                return self._compilation.getPackage(name)
            return self._scopes.bodies.get(name)
        if parent.kind in (SyntaxKind.NamedType, SyntaxKind.BindDirective):
            return self._definition(name, node)
        return None

    def _member(self, owner: AnySymbol | None, name: str) -> AnySymbol | None:
        scope = self._inside(owner)
        return scope.find(name) if scope is not None else None

    def _inside(self, owner: AnySymbol | None) -> AnySymbol | None:
        """The scope in which the members of something are."""
        if owner is not None and owner.kind == SymbolKind.Instance:
            return owner.body
        owner = _canonical(owner)
        if owner is None:
            return None
        kind = owner.kind
        if kind == SymbolKind.InstanceArray or kind == SymbolKind.GenerateBlockArray:
            return self._inside(next((entry for entry in owner if entry.kind != SymbolKind.Genvar), None))
        if kind == SymbolKind.Definition:
            return self._scopes.body(owner.name)
        if kind == SymbolKind.InterfacePort:
            definition = owner.interfaceDef
            return self._scopes.body(definition.name) if definition is not None else None
        if kind == SymbolKind.GenericClassDef:
            return owner.invalidSpecialization
        if kind == SymbolKind.CovergroupType:
            return owner.body
        if kind == SymbolKind.Subroutine and owner.returnType.isVoid:
            return owner
        if kind == SymbolKind.Subroutine:
            return _type_scope(owner.returnType) or owner
        if owner.isType:
            return _type_scope(owner)
        if owner.isValue:
            return _type_scope(owner.type)
        return owner if owner.isScope else None

    def _class_around(self, node: AnyNode, *, is_super: bool) -> AnySymbol | None:
        ancestor = node.parent
        while ancestor is not None and ancestor.kind != SyntaxKind.ClassDeclaration:
            if (
                ancestor.kind == SyntaxKind.FunctionDeclaration
                and ancestor.prototype.name.kind == SyntaxKind.ScopedName
            ):
                found = self.symbol_of(ancestor.prototype.name.left)
                return found.baseClass if is_super and found is not None else found
            ancestor = ancestor.parent
        found = self._scopes.of(ancestor) if ancestor is not None else None
        return found.baseClass if is_super and found is not None and found.kind == SymbolKind.ClassType else found

    def _pattern_type(self, pattern: AnyNode) -> AnySymbol | None:
        """The type that an assignment pattern is a value of, as far as the text around it tells."""
        expression = pattern.parent
        if expression.kind == SyntaxKind.AssignmentPatternExpression and expression.type is not None:
            return self.symbol_of(expression.type)
        parent = expression.parent
        while parent is not None and parent.kind in (SyntaxKind.SimplePropertyExpr, SyntaxKind.SimpleSequenceExpr):
            parent = parent.parent
        if parent is None:
            return None
        if parent.kind in _ASSIGNMENTS:
            return self.symbol_of(parent.left)
        if parent.kind == SyntaxKind.EqualsValueClause and parent.parent.kind == SyntaxKind.Declarator:
            scope = self._scopes.around(parent)
            return scope.find(parent.parent.name.valueText) if scope is not None else None
        if parent.kind == SyntaxKind.AssignmentPatternItem and parent.key.kind in _NAME_NODES:
            return self._member(self._pattern_type(parent.parent), parent.key.identifier.valueText)
        if parent.kind == SyntaxKind.ReturnStatement:
            return self._routine_around(parent)
        return None

    def _routine_around(self, node: AnyNode) -> AnySymbol | None:
        while node is not None and node.kind != SyntaxKind.FunctionDeclaration:
            node = node.parent
        return self._scopes.of(node) if node is not None else None

    # Declarations

    def _declaration(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        kind = node.kind
        if kind in _HEADERS:
            definition = self._scopes.body(token.valueText, token.location)
            yield from self._own(token, _DECLARED[kind], definition.definition if definition is not None else None)
        elif kind == SyntaxKind.PackageHeader:
            package = self._compilation.getPackage(token.valueText)
            is_it = package is not None and package.location == token.location
            yield from self._own(token, TargetKind.PACKAGE, package if is_it else None)
        elif kind == SyntaxKind.Declarator and node.parent.kind == SyntaxKind.StructUnionMember:
            yield from self._own(token, TargetKind.FIELD, None)
        elif kind == SyntaxKind.Declarator and node.parent.kind == SyntaxKind.ClockingItem:
            yield from self._declared(token, node, TargetKind.VARIABLE)
            if node.initializer is None:
                signal = self._unqualified(token.valueText, node)
                yield from self._meaning(signal, Role.READ, shorthand=True)
        elif kind == SyntaxKind.Declarator and node.parent.kind == SyntaxKind.EnumType:
            yield from self._declared(token, node, TargetKind.ENUM_VALUE)
        else:
            yield from self._declared(token, node, _DECLARED[kind])

    def _declared(self, token: Token, node: AnyNode, kind: TargetKind) -> Iterator[Meaning]:
        """A declaration of which the same scope may have others, such as a port's and its net's."""
        scope = self._scopes.around(node)
        # A class, routine and the like opens a scope itself, but is declared around it.
        found = _canonical(scope.find(token.valueText)) if scope is not None else None
        if found is None and scope is not None and scope.kind == SymbolKind.GenerateBlockArray:
            found = Lookup.unqualified(scope, token.valueText, _ANYWHERE)
        target = self.target(found) if found is not None else None
        place = self._places.of(token.location)
        if found is not None and target is not None and place is not None:
            is_other_file = target.path != place.path
            is_forward = node.kind == SyntaxKind.ForwardTypedefDeclaration
            is_port = found.kind in (SymbolKind.Net, SymbolKind.Variable, SymbolKind.FormalArgument)
            if (target.start == place.offset and not is_other_file) or is_forward or is_port:
                yield Meaning(target, Role.DECLARATION)
                return
        yield from self._own(token, kind, None)

    def _own(self, token: Token, kind: TargetKind, symbol: AnySymbol | None) -> Iterator[Meaning]:
        place = self._places.of(token.location)
        if place is not None:
            yield Meaning(self._at(place, token.valueText, kind, symbol), Role.DECLARATION)

    def _routine_name(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        top = _top(node)
        if top != node and top.right != node:
            yield from self._meaning(self.symbol_of(node), Role.NAME)
            return
        declaration = top.parent.parent
        kind = TargetKind.TASK if declaration.kind == SyntaxKind.TaskDeclaration else TargetKind.FUNCTION
        opened = declaration.parent if declaration.kind == SyntaxKind.ClassMethodPrototype else declaration
        routine = self._scopes.of(declaration) if opened.kind != SyntaxKind.ModportSubroutinePort else None
        if routine is not None and routine.kind in (SymbolKind.Subroutine, SymbolKind.MethodPrototype):
            target = self.target(routine)
            if target is not None and target.name == token.valueText:
                yield Meaning(target, Role.DECLARATION)
                return
        yield from self._declared(token, top, kind)

    def _label(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        owner = node.parent
        begins = getattr(owner, "beginName", None) or (
            owner.blockName
            if owner.kind in (SyntaxKind.SequentialBlockStatement, SyntaxKind.ParallelBlockStatement)
            else None
        )
        if begins == node:
            opened = self._scopes.of(owner)
            if opened is not None and opened.name == token.valueText:
                yield from self._meaning(opened, Role.DECLARATION)
            elif (
                opened is not None
                and (array := _canonical(self._scopes.around(owner))) is not None
                and (array.kind == SymbolKind.GenerateBlockArray and array.name == token.valueText)
            ):
                yield from self._meaning(array, Role.DECLARATION)
            else:
                yield from self._own(token, TargetKind.BLOCK, None)
            return
        for name in _declaring_names(owner):
            if name.valueText == token.valueText:
                holder = begins if begins is not None else getattr(owner, "header", owner)
                if owner.kind in (SyntaxKind.FunctionDeclaration, SyntaxKind.TaskDeclaration):
                    holder = owner.prototype.name
                    holder = holder.right if holder.kind == SyntaxKind.ScopedName else holder
                for meaning in self.meanings(name, holder):
                    yield Meaning(meaning.target, Role.END)
                return

    # Connections

    def _port_connection(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        body = self._instantiated(node)
        port = body.findPort(token.valueText) if body is not None else None
        yield from self._meaning(port, Role.CONNECTION)
        if not node.openParen:
            yield from self._meaning(self._unqualified(token.valueText, node), _flow(port), shorthand=True)

    def _instantiated(self, node: AnyNode) -> AnySymbol | None:
        while node is not None and node.kind != SyntaxKind.HierarchyInstantiation:
            node = node.parent
        return self._scopes.body(node.type.valueText) if node is not None else None

    def _other(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        kind, name = node.kind, token.valueText
        if kind == SyntaxKind.NamedParamAssignment:
            owner = node.parent.parent
            if owner.kind == SyntaxKind.HierarchyInstantiation:
                body = self._scopes.body(owner.type.valueText)
                yield from self._meaning(body.find(name) if body is not None else None, Role.CONNECTION)
            else:
                yield from self._meaning(self._member(self.symbol_of(owner), name), Role.CONNECTION)
        elif kind == SyntaxKind.NamedArgument:
            yield from self._meaning(self._argument(name, node), Role.CONNECTION)
        elif kind == SyntaxKind.PackageImportItem:
            package = self._compilation.getPackage(node.package.valueText)
            if token == node.package:
                yield from self._meaning(package, Role.IMPORT)
            elif package is not None:
                yield from self._meaning(package.find(name), Role.IMPORT)
        elif kind == SyntaxKind.InterfacePortHeader or kind == SyntaxKind.VirtualInterfaceType:
            yield from self._meaning(self._definition(name, node), Role.TYPE)
        elif kind == SyntaxKind.DotMemberClause:
            owner = node.parent
            of = owner.nameOrKeyword if owner.kind == SyntaxKind.InterfacePortHeader else getattr(owner, "name", None)
            body = self._scopes.body(of.valueText) if of is not None else None
            yield from self._meaning(body.find(name) if body is not None else None, Role.TYPE)
        elif kind == SyntaxKind.MemberAccessExpression:
            yield from self._meaning(self.symbol_of(node), _role(node))
        elif kind == SyntaxKind.LoopGenerate:
            yield from self._loop_variable(token, node)
        elif kind in (SyntaxKind.ModportNamedPort, SyntaxKind.ModportClockingPort, SyntaxKind.PortReference):
            scope = self._scopes.around(node)
            yield from self._meaning(scope.find(name) if scope is not None else None, Role.NAME)
        elif kind in (SyntaxKind.UserDefinedNetDeclaration, SyntaxKind.DefaultClockingReference, SyntaxKind.DPIExport):
            yield from self._meaning(self._unqualified(name, node), Role.TYPE)

    def _loop_variable(self, token: Token, node: AnyNode) -> Iterator[Meaning]:
        array = self._scopes.of(node)
        inner = array.find(token.valueText) if array is not None else None
        if node.genvar:
            target = self.target(inner)
            if target is not None:
                yield Meaning(target, Role.DECLARATION)
            else:
                yield from self._own(token, TargetKind.GENVAR, None)
        else:
            yield from self._meaning(self._unqualified(token.valueText, node), Role.WRITE)

    def _argument(self, name: str, node: AnyNode) -> AnySymbol | None:
        call = node.parent.parent
        if call.kind == SyntaxKind.NewClassExpression:
            return None
        routine = _canonical(self.symbol_of(getattr(call, "left", None)))
        if routine is None:
            return None
        if routine.kind in (SymbolKind.Subroutine, SymbolKind.MethodPrototype):
            return next((argument for argument in routine.arguments if argument.name == name), None)
        return routine.find(name) if routine.isScope else None

    def _definition(self, name: str, node: AnyNode) -> AnySymbol | None:
        body = self._scopes.body(name)
        if body is not None:
            return body.definition
        for scope in (self._scopes.around(node), *self._compilation.getCompilationUnits()[:1]):
            if scope is not None:
                found: AnySymbol = Lookup.unqualified(scope, name, _ANYWHERE)
                if found is not None and found.kind in (SymbolKind.Primitive, SymbolKind.Checker):
                    return found
        return self._others.get(name)

    @cached_property
    def _others(self) -> dict[str, AnySymbol]:
        return {found.name: found for found in self._compilation.getDefinitions()}

    # From symbols to targets

    def _meaning(self, symbol: AnySymbol | None, role: Role, *, shorthand: bool = False) -> Iterator[Meaning]:
        target = self.target(symbol)
        if target is not None:
            if role in (Role.READ, Role.WRITE) and target.kind in _STEPS_ON_THE_WAY:
                role = Role.NAME
            is_call = role is Role.READ and target.kind in (TargetKind.FUNCTION, TargetKind.TASK)
            is_type = role is Role.READ and target.kind in (TargetKind.TYPE, TargetKind.CLASS, TargetKind.PACKAGE)
            yield Meaning(target, Role.CALL if is_call else Role.TYPE if is_type else role, shorthand)

    def _make_target(self, symbol: AnySymbol) -> Target | None:
        place = self._places.of(symbol.location)
        if place is None or not symbol.name:
            return None
        return self._at(place, symbol.name, _kind(symbol), symbol)

    def _at(self, place: Place, name: str, kind: TargetKind, symbol: AnySymbol | None) -> Target:
        # An escaped name begins with a backslash, which is no part of it.
        end = place.offset + len(name.encode()) + (not _SIMPLE.fullmatch(name))
        return Target(place.path, place.offset, end, name, kind, symbol, place.generated)


def _canonical(symbol: AnySymbol | None) -> AnySymbol | None:
    """The one symbol out of all those that slang has for one declared thing."""
    while symbol is not None:
        kind = symbol.kind
        if kind == SymbolKind.TransparentMember:
            symbol = symbol.wrapped
        elif kind == SymbolKind.ExplicitImport:
            symbol = symbol.importedSymbol
        elif kind in (SymbolKind.Port, SymbolKind.ModportPort):
            inner = symbol.internalSymbol
            # A port whose inside is called otherwise is a name of its own.
            if inner is None or inner.name != symbol.name:
                return symbol
            symbol = inner
        elif kind == SymbolKind.InstanceBody:
            symbol = symbol.definition
        elif kind == SymbolKind.Subroutine and symbol.prototype is not None:
            symbol = symbol.prototype
        elif kind == SymbolKind.Instance and symbol.location == symbol.definition.location:
            # A top has the name and the place of its module.
            symbol = symbol.definition
        else:
            return symbol
    return None


def _kind(symbol: AnySymbol) -> TargetKind:
    kind = symbol.kind
    if kind == SymbolKind.Definition:
        return _DEFINITIONS[symbol.definitionKind]
    if kind == SymbolKind.Parameter:
        if symbol.syntax is not None and symbol.syntax.kind == SyntaxKind.IdentifierName:
            return TargetKind.GENVAR
        return TargetKind.LOCALPARAM if symbol.isLocalParam else TargetKind.PARAMETER
    if kind in (SymbolKind.Subroutine, SymbolKind.MethodPrototype):
        return TargetKind.TASK if symbol.subroutineKind == SubroutineKind.Task else TargetKind.FUNCTION
    if kind in (SymbolKind.Net, SymbolKind.Variable):
        if symbol.syntax is None and kind == SymbolKind.Variable and not symbol.type.isError:
            # A function's name inside of it is the variable that it returns.
            return TargetKind.FUNCTION
        scope = symbol.parentScope
        body = scope.containingInstance if scope is not None else None
        if body is not None and body.findPort(symbol.name) is not None and body.find(symbol.name) == symbol:
            return TargetKind.PORT
    return _KINDS.get(kind, TargetKind.OTHER)


def _type_scope(type_: AnySymbol) -> AnySymbol | None:
    type_ = type_.canonicalType
    while type_.isArray:
        type_ = type_.elementType.canonicalType
    if type_.kind == SymbolKind.VirtualInterfaceType:
        return type_.iface.body
    return type_ if type_.isScope else None


def _top(name: AnyNode) -> AnyNode:
    """The whole of the scoped name that a name is a part of."""
    while name.parent is not None and name.parent.kind == SyntaxKind.ScopedName:
        name = name.parent
    return name


def _role(name: AnyNode) -> Role:
    """What is done with the value of a name, by what stands around it."""
    expression = name
    while True:
        parent = expression.parent
        if parent is None:
            return Role.READ
        kind = parent.kind
        if (
            kind == SyntaxKind.ScopedName
            and parent.left == expression
            and parent.separator.kind == TokenKind.DoubleColon
        ):
            return Role.NAME
        is_base = (
            kind == SyntaxKind.ScopedName
            or (kind == SyntaxKind.MemberAccessExpression and parent.left == expression)
            or (kind == SyntaxKind.ElementSelectExpression and parent.left == expression)
            or kind in _TRANSPARENT
        )
        if not is_base:
            break
        expression = parent
    if kind in _ASSIGNMENTS and parent.left == expression:
        return Role.WRITE
    if kind in _STEPS:
        return Role.WRITE
    if kind == SyntaxKind.InvocationExpression and parent.left == expression:
        return Role.CALL
    if kind == SyntaxKind.ExpressionStatement:
        return Role.CALL
    if kind in (SyntaxKind.NamedType, SyntaxKind.ExtendsClause, SyntaxKind.ImplementsClause):
        return Role.TYPE
    return Role.READ


def _flow(port: AnySymbol | None) -> Role:
    direction = getattr(port, "direction", None)
    return Role.WRITE if direction in (ArgumentDirection.Out, ArgumentDirection.InOut) else Role.READ


def _declaring_names(owner: AnyNode) -> Iterator[Token]:
    """The names at the beginning of what may repeat its name at its end."""
    begin = getattr(owner, "beginName", None)
    if begin is None and owner.kind in (SyntaxKind.SequentialBlockStatement, SyntaxKind.ParallelBlockStatement):
        begin = owner.blockName
    if begin is not None:
        yield begin.name
    elif hasattr(owner, "header"):
        yield owner.header.name
    elif hasattr(owner, "prototype"):
        yield owner.prototype.name.getLastToken()
    elif owner.kind == SyntaxKind.ClockingDeclaration:
        yield owner.blockName
    elif isinstance(name := getattr(owner, "name", None), Token):
        yield name
