"""Role of a name where it is used: whether it is read, written, called or only leads to another name."""

from __future__ import annotations

from pyslang.ast import ArgumentDirection, ModportPortSymbol, MultiPortSymbol, PortSymbol, Symbol
from pyslang.parsing import TokenKind
from pyslang.syntax import (
    BinaryExpressionSyntax,
    ElementSelectExpressionSyntax,
    ExpressionStatementSyntax,
    ExtendsClauseSyntax,
    ImplementsClauseSyntax,
    InvocationExpressionSyntax,
    MemberAccessExpressionSyntax,
    NamedPortConnectionSyntax,
    NamedTypeSyntax,
    ScopedNameSyntax,
    SyntaxKind,
    SyntaxNode,
)

from benchwright_verilog.semantics.names.occurrence import NameRole, TargetKind

ASSIGNMENTS = frozenset(
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
_QUALIFIERS = frozenset(
    {TargetKind.BLOCK, TargetKind.INSTANCE, TargetKind.INTERFACE_PORT, TargetKind.MODULE, TargetKind.PACKAGE}
)


def role_of(name: SyntaxNode) -> NameRole:
    """Return the role of a name by what is done with its value, judged by the syntax around it.

    For the name `a`: `a = b;`, `{a, c} <= b;`, `a.f[3] = b;` and `a++;` write, `b = a;` reads, `a(1);` calls, `a::b`
    leads to `b`, `a b;` is a type.
    """
    expression = name
    while True:
        parent = expression.parent
        if parent is None:
            return NameRole.READ
        is_left = isinstance(parent, _WITH_LEFT) and parent.left == expression
        if is_left and isinstance(parent, ScopedNameSyntax) and parent.separator.kind == TokenKind.DoubleColon:
            return NameRole.NAME
        is_selected = is_left and isinstance(parent, (MemberAccessExpressionSyntax, ElementSelectExpressionSyntax))
        if not (isinstance(parent, ScopedNameSyntax) or is_selected or parent.kind in _TRANSPARENT):
            break
        expression = parent
    syntax_kind = parent.kind
    if (syntax_kind in ASSIGNMENTS and is_left) or syntax_kind in _STEPS:
        return NameRole.WRITE
    if (is_left and isinstance(parent, InvocationExpressionSyntax)) or isinstance(parent, ExpressionStatementSyntax):
        return NameRole.CALL
    if isinstance(parent, (NamedTypeSyntax, ExtendsClauseSyntax, ImplementsClauseSyntax)):
        return NameRole.TYPE
    return NameRole.READ


_WITH_LEFT = (
    BinaryExpressionSyntax,
    ElementSelectExpressionSyntax,
    InvocationExpressionSyntax,
    MemberAccessExpressionSyntax,
    ScopedNameSyntax,
)


def role_given_target_kind(role: NameRole, target_kind: TargetKind) -> NameRole:
    """A role seen from what the name means: reading a function calls it, reading a package leads to what is in it."""
    if role in (NameRole.READ, NameRole.WRITE) and target_kind in _QUALIFIERS:
        return NameRole.NAME
    if role is NameRole.READ and target_kind in (TargetKind.FUNCTION, TargetKind.TASK):
        return NameRole.CALL
    if role is NameRole.READ and target_kind in (TargetKind.TYPE, TargetKind.CLASS):
        return NameRole.TYPE
    return role


def port_connection_of_value(name: SyntaxNode) -> NamedPortConnectionSyntax | None:
    """The connection `.port(name)` that has a name as its value, also as a part of it: `.port({a, name[0]})`."""
    parent = name.parent
    while parent is not None and parent.kind in _PATH_TO_PORT:
        parent = parent.parent
    return parent if isinstance(parent, NamedPortConnectionSyntax) else None


def role_given_by_port(port: Symbol | None) -> NameRole:
    """The role that a port gives the signal that is connected to it."""
    if isinstance(port, (PortSymbol, MultiPortSymbol, ModportPortSymbol)):
        return NameRole.WRITE if port.direction in (ArgumentDirection.Out, ArgumentDirection.InOut) else NameRole.READ
    return NameRole.READ
