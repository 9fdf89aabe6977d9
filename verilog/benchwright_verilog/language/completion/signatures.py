"""Calls that are being written, and which of their arguments it is the turn of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_verilog.language.completion.calls import CallKind, OpenCall
from benchwright_verilog.language.explanation.headers import Formal, Header


@dataclass(frozen=True)
class Signature:
    """A header on one line, with the places of its formals in it."""

    label: str
    formals_with_label_ranges: tuple[tuple[int, int, Formal], ...]
    """Begin and end of each in the label, in code points, and the formal itself."""
    documentation: str
    active_formal_index: int | None
    """Number of the formal that is being written; None if none is."""


def call_signature(header: Header, call: OpenCall) -> Signature | None:
    """The signature of what is called; None if it takes no arguments."""
    formals = header.parameters if call.call_kind is CallKind.PARAMETERS else header.formals
    if not formals:
        return None
    label = _label_beginning(header, call)
    placed = []
    for index, formal in enumerate(formals):
        label += ", " if index else ""
        placed.append((len(label), len(label) + len(formal.declaration_text), formal))
        label += formal.declaration_text
    return Signature(label + ")", tuple(placed), header.documentation, _active_formal_index(formals, call))


def _label_beginning(header: Header, call: OpenCall) -> str:
    if call.call_kind is CallKind.PARAMETERS:
        return f"{header.name} #("
    if call.call_kind is CallKind.PORTS:
        return f"{header.name} {call.instance_name or 'instance'}("
    return f"{header.result_type} {header.name}(" if header.result_type else f"{header.name}("


def _active_formal_index(formals: Sequence[Formal], call: OpenCall) -> int | None:
    if call.argument_name is not None:
        return next((index for index, formal in enumerate(formals) if formal.name == call.argument_name), None)
    if call.taken_names:
        # After a named connection comes another named one: the next that is open.
        return next((index for index, formal in enumerate(formals) if formal.name not in call.taken_names), None)
    if call.argument_index < len(formals):
        return call.argument_index
    return len(formals) - 1 if formals[-1].declaration_text.rstrip("]").endswith("…") else None
