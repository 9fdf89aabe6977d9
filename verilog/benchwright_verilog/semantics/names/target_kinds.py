"""The kind of a declared thing, by slang's symbol or by the syntax of its declaration."""

from __future__ import annotations

from pyslang.ast import (
    DefinitionKind,
    DefinitionSymbol,
    MethodPrototypeSymbol,
    NetSymbol,
    ParameterSymbol,
    SubroutineKind,
    SubroutineSymbol,
    Symbol,
    SymbolKind,
    VariableSymbol,
)
from pyslang.syntax import IdentifierNameSyntax, SyntaxKind

from benchwright_verilog.semantics.names.occurrence import TargetKind

_KINDS = {
    SymbolKind.AssertionPort: TargetKind.ARGUMENT,
    SymbolKind.Checker: TargetKind.CHECKER,
    SymbolKind.CheckerInstance: TargetKind.INSTANCE,
    SymbolKind.ClassProperty: TargetKind.PROPERTY,
    SymbolKind.ClassType: TargetKind.CLASS,
    SymbolKind.ClockVar: TargetKind.VARIABLE,
    SymbolKind.ClockingBlock: TargetKind.CLOCKING,
    SymbolKind.ConfigBlock: TargetKind.CONFIG,
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
DECLARATIONS = {
    SyntaxKind.AssertionItemPort: TargetKind.ARGUMENT,
    SyntaxKind.CheckerDeclaration: TargetKind.CHECKER,
    SyntaxKind.ClassDeclaration: TargetKind.CLASS,
    SyntaxKind.ClockingDeclaration: TargetKind.CLOCKING,
    SyntaxKind.ConfigDeclaration: TargetKind.CONFIG,
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
"""The kinds of thing that nodes of the syntax declare."""


def target_kind_of(symbol: Symbol) -> TargetKind:
    """The kind of the thing that a symbol stands for."""
    if isinstance(symbol, DefinitionSymbol):
        return _DEFINITIONS[symbol.definitionKind]
    if isinstance(symbol, ParameterSymbol):
        # `for (genvar i = 0; …)`: in each block of the loop, `i` is a parameter.
        if isinstance(symbol.syntax, IdentifierNameSyntax):
            return TargetKind.GENVAR
        return TargetKind.LOCALPARAM if symbol.isLocalParam else TargetKind.PARAMETER
    if isinstance(symbol, (SubroutineSymbol, MethodPrototypeSymbol)):
        return TargetKind.TASK if symbol.subroutineKind == SubroutineKind.Task else TargetKind.FUNCTION
    symbol_kind = symbol.kind
    if isinstance(symbol, (NetSymbol, VariableSymbol)) and symbol_kind in (SymbolKind.Net, SymbolKind.Variable):
        if symbol.syntax is None and symbol_kind == SymbolKind.Variable and not symbol.type.isError:
            # `function int f; f = 1;`: inside, the function's name is the variable that it returns.
            return TargetKind.FUNCTION
        scope = symbol.parentScope
        body = scope.containingInstance if scope is not None else None
        if body is not None and body.findPort(symbol.name) is not None:
            # slang's symbols can't be compared with None; an invalid port has no symbol of its own.
            inner_symbol = body.find(symbol.name)
            if inner_symbol is not None and inner_symbol == symbol:
                return TargetKind.PORT
    return _KINDS.get(symbol_kind, TargetKind.OTHER)
