"""Clocks and resets: the other edge, a reset that is synchronous, inverted, or does nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyslang.syntax import (
    BinaryEventExpressionSyntax,
    BlockStatementSyntax,
    ConditionalStatementSyntax,
    ExpressionStatementSyntax,
    ProceduralBlockSyntax,
    SignalEventExpressionSyntax,
    StatementSyntax,
    SyntaxNode,
    TimingControlStatementSyntax,
)

from benchwright_authoring.mutation.kind import Kind
from benchwright_authoring.mutation.operators.opposite import opposite
from benchwright_authoring.mutation.source import Edit, Source, descendants

_NAME_OF_RESET = re.compile(r"rst|reset|clr|clear|init", re.IGNORECASE)
_EDGES = {"posedge": "negedge", "negedge": "posedge"}


def _edge(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, SignalEventExpressionSyntax) and (opposite_edge := _EDGES.get(node.edge.rawText)):
        yield from source.replaced(node.edge, opposite_edge)


def _has_edge(node: SyntaxNode) -> bool:
    return isinstance(node, SignalEventExpressionSyntax) and node.edge.rawText in _EDGES


def _first_statement(block: SyntaxNode) -> StatementSyntax | None:
    """The statement that a clocked block carries out, without the `begin` around it."""
    if not isinstance(block, ProceduralBlockSyntax) or not isinstance(block.statement, TimingControlStatementSyntax):
        return None
    if not any(_has_edge(event) for event in descendants(block.statement.timingControl)):
        return None
    statement = block.statement.statement
    if isinstance(statement, BlockStatementSyntax):
        inside = [item for item in statement.items if isinstance(item, StatementSyntax)]
        return inside[0] if inside else None
    return statement


def _reset_of(source: Source, block: SyntaxNode) -> ConditionalStatementSyntax | None:
    """The `if` of a clocked block that decides whether it is reset."""
    statement = _first_statement(block)
    if isinstance(statement, ConditionalStatementSyntax) and source.has_place(statement.predicate):
        return statement if _NAME_OF_RESET.search(source.text(statement.predicate)) else None
    return None


def _synchronous(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    reset = _reset_of(source, node)
    if reset is None:
        return
    words = set(re.findall(r"\w+", source.text(reset.predicate)))
    # What the block waits for comes first.
    for event in descendants(node):
        if isinstance(event, BinaryEventExpressionSyntax):
            for side, other_event in ((event.left, event.right), (event.right, event.left)):
                is_reset = isinstance(side, SignalEventExpressionSyntax) and source.text(side.expr) in words
                if is_reset and source.has_place(other_event):
                    yield from source.replaced(event, source.text(other_event))


def _inverted(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if reset := _reset_of(source, node):
        yield from source.replaced(reset.predicate, opposite(source, reset.predicate))


def _never(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if reset := _reset_of(source, node):
        yield from source.replaced(reset.predicate, "1'b0")


def _forgotten(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    reset = _reset_of(source, node)
    if reset is not None:
        for statement in descendants(reset.statement):
            if isinstance(statement, ExpressionStatementSyntax):
                yield from source.replaced(statement, ";")


KINDS = (
    Kind("edge", "the other edge: negedge for posedge", _edge),
    Kind("reset-synchronous", "an asynchronous reset that waits for the clock", _synchronous),
    Kind("reset-inverted", "a reset of the other polarity", _inverted),
    Kind("reset-never", "a reset that does nothing", _never),
    Kind("reset-forgotten", "a register that the reset leaves alone", _forgotten),
)
