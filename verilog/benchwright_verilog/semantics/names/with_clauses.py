"""Names after `with` in a call: they mean members of an object, or an iterator, before anything around."""

from __future__ import annotations

from dataclasses import dataclass

from pyslang.parsing import Token
from pyslang.syntax import (
    ArrayOrRandomizeMethodExpressionSyntax,
    IdentifierNameSyntax,
    InvocationExpressionSyntax,
    MemberAccessExpressionSyntax,
    MemberSyntax,
    OrderedArgumentSyntax,
    ScopedNameSyntax,
    SimplePropertyExprSyntax,
    SimpleSequenceExprSyntax,
    StatementSyntax,
    SyntaxNode,
)


@dataclass(frozen=True)
class WithClause:
    """The `with` of a call.

    Attributes:
        receiver: The object of `object.randomize() with {…}`, the array of `array.find(x) with (…)`; None in
            `randomize() with {…}`.
        is_randomize: Whether an object is randomised.
        iterator: What stands for an element, `x` in `array.find(x)`; None for `item`, which is not declared.
        members: The names that are looked up in the object; None for all.
    """

    receiver: SyntaxNode | None
    is_randomize: bool
    iterator: Token | None = None
    member_names: frozenset[str] | None = None

    def is_iterator(self, name: str) -> bool:
        """True if a name stands for an element of an array."""
        return not self.is_randomize and name == (self.iterator.valueText if self.iterator is not None else "item")


def with_clause_around(node: SyntaxNode) -> WithClause | None:
    """The innermost `with` that a name is looked up in; an iterator's declaration belongs to it."""
    child, parent = node, node.parent
    while parent is not None and not isinstance(parent, (StatementSyntax, MemberSyntax)):
        if isinstance(parent, ArrayOrRandomizeMethodExpressionSyntax):
            clause = _with_clause_of_call(parent)
            is_declaration = clause.iterator is not None and node.getFirstToken() == clause.iterator
            if child != parent.method or is_declaration:
                return clause
        child, parent = parent, parent.parent
    return None


def _with_clause_of_call(call: ArrayOrRandomizeMethodExpressionSyntax) -> WithClause:
    method: SyntaxNode = call.method
    argument_list = method.arguments if isinstance(method, InvocationExpressionSyntax) else None
    if isinstance(method, InvocationExpressionSyntax):
        method = method.left
    receiver: SyntaxNode | None = None
    name = method.getLastToken().valueText
    if isinstance(method, (ScopedNameSyntax, MemberAccessExpressionSyntax)):
        receiver = method.left
    if name != "randomize":
        first = next(iter(argument_list.parameters), None) if argument_list is not None else None
        return WithClause(receiver, is_randomize=False, iterator=_identifier_token(first))
    # `std::randomize(x) with {…}` is about variables around it.
    member_names: frozenset[str] | None = frozenset()
    if receiver is None or str(receiver).strip() != "std":
        names = call.args.expressions if call.args is not None else ()
        listed_names = (name.identifier.valueText for name in names if isinstance(name, IdentifierNameSyntax))
        member_names = frozenset(listed_names) if call.args is not None else None
    return WithClause(receiver, is_randomize=True, member_names=member_names)


def _identifier_token(argument: SyntaxNode | None) -> Token | None:
    inner_argument: SyntaxNode | None = argument
    while isinstance(inner_argument, (OrderedArgumentSyntax, SimplePropertyExprSyntax, SimpleSequenceExprSyntax)):
        inner_argument = inner_argument.expr
    return inner_argument.identifier if isinstance(inner_argument, IdentifierNameSyntax) else None
