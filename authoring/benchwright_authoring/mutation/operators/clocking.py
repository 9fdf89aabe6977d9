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

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.operators.opposite import negated_condition_text
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource, node_and_descendants

_NAME_OF_RESET = re.compile(r"rst|reset|clr|clear|init", re.IGNORECASE)
_EDGES = {"posedge": "negedge", "negedge": "posedge"}


def _opposite_edge(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, SignalEventExpressionSyntax) and (opposite_edge := _EDGES.get(node.edge.rawText)):
        yield from source.replacement_edits(node.edge, opposite_edge)


def _is_edge_event(node: SyntaxNode) -> bool:
    return isinstance(node, SignalEventExpressionSyntax) and node.edge.rawText in _EDGES


def _first_clocked_statement(procedural_block: SyntaxNode) -> StatementSyntax | None:
    """The statement that a clocked block carries out, without the `begin` around it."""
    if not isinstance(procedural_block, ProceduralBlockSyntax) or not isinstance(
        procedural_block.statement, TimingControlStatementSyntax
    ):
        return None
    if not any(_is_edge_event(event) for event in node_and_descendants(procedural_block.statement.timingControl)):
        return None
    statement = procedural_block.statement.statement
    if isinstance(statement, BlockStatementSyntax):
        statements = [item for item in statement.items if isinstance(item, StatementSyntax)]
        return statements[0] if statements else None
    return statement


def _reset_branch_of_block(source: ReferenceSource, procedural_block: SyntaxNode) -> ConditionalStatementSyntax | None:
    """The `if` of a clocked block that decides whether it is reset."""
    statement = _first_clocked_statement(procedural_block)
    if isinstance(statement, ConditionalStatementSyntax) and source.is_written_in_file(statement.predicate):
        return statement if _NAME_OF_RESET.search(source.source_text(statement.predicate)) else None
    return None


def _make_reset_synchronous(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    reset = _reset_branch_of_block(source, node)
    if reset is None:
        return
    condition_words = set(re.findall(r"\w+", source.source_text(reset.predicate)))
    # What the block waits for comes first.
    for event_node in node_and_descendants(node):
        if isinstance(event_node, BinaryEventExpressionSyntax):
            for event_side, other_event in ((event_node.left, event_node.right), (event_node.right, event_node.left)):
                is_reset = (
                    isinstance(event_side, SignalEventExpressionSyntax)
                    and source.source_text(event_side.expr) in condition_words
                )
                if is_reset and source.is_written_in_file(other_event):
                    yield from source.replacement_edits(event_node, source.source_text(other_event))


def _invert_reset_condition(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if reset := _reset_branch_of_block(source, node):
        yield from source.replacement_edits(reset.predicate, negated_condition_text(source, reset.predicate))


def _disable_reset(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if reset := _reset_branch_of_block(source, node):
        yield from source.replacement_edits(reset.predicate, "1'b0")


def _drop_one_reset_assignment(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    reset = _reset_branch_of_block(source, node)
    if reset is not None:
        for statement in node_and_descendants(reset.statement):
            if isinstance(statement, ExpressionStatementSyntax):
                yield from source.replacement_edits(statement, ";")


KINDS = (
    MutationKind("edge", "the other edge: negedge for posedge", _opposite_edge),
    MutationKind("reset-synchronous", "an asynchronous reset that waits for the clock", _make_reset_synchronous),
    MutationKind("reset-inverted", "a reset of the other polarity", _invert_reset_condition),
    MutationKind("reset-never", "a reset that does nothing", _disable_reset),
    MutationKind("reset-forgotten", "a register that the reset leaves alone", _drop_one_reset_assignment),
)
