"""What lets Yosys read another design than a simulator, wherever in the text it comes from: also from a macro."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright_formal.errors import NotModelledError
from benchwright_formal.yosys_tree import Node

_ATTRIBUTE = re.compile(
    r"full_case|parallel_case|\w*blackbox|\w*whitebox|any(?:const|seq)|all(?:const|seq)|gclk|init|defaultvalue|nosync"
    r"|keep_hierarchy|techmap\w*|extract\w*|top"
)
"""`unique` and `priority` are `full_case` and `parallel_case`: Yosys may leave out what a simulator does when several
branches fit, or none does."""
_IDENTITIES = frozenset({"EQX", "NEX"})
_GIVEN = frozenset({"PARAMETER", "LOCALPARAM", "PARASET"})
_ARITHMETIC = frozenset(
    {"ADD", "SUB", "MUL", "DIV", "MOD", "POW", "NEG", "BIT_NOT"}
    | {"SHIFT_LEFT", "SHIFT_RIGHT", "SHIFT_SLEFT", "SHIFT_SRIGHT"}
)
_SIGNED = frozenset({"DIV", "MOD", "SHIFT_SRIGHT"})
"""What of a signed value is something else than of an unsigned one."""
_UNSIZED = 32
"""Bits of a constant without a size."""


def check_freedom(root: Node) -> None:
    """Makes sure that Yosys has no freedom that no simulator has, and reads nothing otherwise than one.

    Args:
        root: What Yosys read.

    Raises:
        NotModelledError: It has some.
    """
    nodes = list(root.all())
    for node in nodes:
        for name in sorted(node.attributes):
            if _ATTRIBUTE.fullmatch(name):
                raise NotModelledError(f"`{name}`, or what has its meaning, changes what Yosys reads")
    for why in (*_unknowns(nodes), *_constants(nodes), *_ranges(nodes), *_processes(root)):
        raise NotModelledError(why)


def _unknowns(nodes: Sequence[Node]) -> Iterator[str]:
    if any(_is_unknown(one) for one in nodes):
        for node in nodes:
            if node.kind in _IDENTITIES and not any(_is_known(one) for one in node.children):
                yield "a comparison asks for unknown values, which only a simulator has"
    if any(node.kind in ("COND", "CONDZ") and any("x" in one.name for one in _constants_of(node)) for node in nodes):
        yield "a branch of a case waits for an unknown value, which only a simulator has"


def _constants(nodes: Sequence[Node]) -> Iterator[str]:
    """Values that are known before anything is simulated: Yosys has its own widths and signs for them."""
    ranged = {one.name for one in nodes if one.kind in _GIVEN and any(two.kind == "RANGE" for two in one.children)}
    routines = {one.name: one for one in nodes if one.kind == "FUNCTION"}
    for node in nodes:
        if node.kind == "DEFPARAM":
            yield "it sets a parameter by `defparam`, which Yosys may overlook"
        if node.kind == "REPEAT" and not (node.children and _is_known(node.children[0], first="0")):
            yield "the number of rounds of a `repeat` may be negative, of which Yosys knows nothing"
        if node.kind not in _GIVEN:
            continue
        inner = [one for child in node.children if child.kind != "RANGE" for one in child.all()]
        is_ranged = node.name in ranged and node.kind != "PARASET"
        if not is_ranged and any(one.kind in _ARITHMETIC for one in inner):
            narrow = any(one.kind == "CONSTANT" and 0 < len(one.name) < _UNSIZED for one in inner)
            if narrow or any(one.kind == "IDENTIFIER" and one.name in ranged for one in inner):
                yield f"{_plain(node.name)} is calculated of values that have a size, for which Yosys has another width"
        for call in inner:
            routine = routines.get(call.name) if call.kind == "FCALL" else None
            if routine is not None and any(one.kind in _SIGNED or _ascends(one) for one in routine.all()):
                yield f"{_plain(call.name)} gives a constant by arithmetic for which Yosys has other rules"


def _ranges(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if node.kind in ("STRUCT", "UNION") and any(_ascends(one) for one in node.all()):
            yield "a member of a structure has an ascending range, which Yosys reads as descending"
    ascending = {one.name for one in nodes if one.kind == "WIRE" and any(map(_ascends, one.children))}
    for node in nodes:
        if node.kind in ("ASSIGN", "ASSIGN_EQ", "ASSIGN_LE") and node.children:
            for one in _targets(node.children[0]):
                if one.name in ascending and any(map(_is_variable_part, one.children)):
                    yield f"a variable part of {_plain(one.name)} is assigned, whose range is ascending"


def _processes(root: Node) -> Iterator[str]:
    for module in root.children:
        written: dict[str, set[str]] = {"ASSIGN_EQ": set(), "ASSIGN_LE": set()}
        for process in (one for one in module.all() if one.kind == "ALWAYS"):
            for one in process.all():
                if one.kind in written and one.children:
                    written[one.kind] |= {two.name for two in _targets(one.children[0])}
        if both := written["ASSIGN_EQ"] & written["ASSIGN_LE"]:
            yield f"{_plain(min(both))} is assigned at once and at the end of a step, which Yosys does not tell apart"


def _targets(node: Node) -> Iterator[Node]:
    """What is assigned, without what its indices read."""
    if node.kind == "IDENTIFIER":
        yield node
    elif node.kind == "CONCAT":
        for one in node.children:
            yield from _targets(one)


def _ascends(node: Node) -> bool:
    """Whether a range has its lowest index first."""
    if node.kind != "RANGE" or len(node.children) != 2:
        return False
    first, last = node.children
    if not (_is_known(first) and _is_known(last)):
        return _is_known(first) and not int(first.name, 2)
    return int(first.name, 2) < int(last.name, 2)


def _is_variable_part(node: Node) -> bool:
    return node.kind == "RANGE" and len(node.children) > 1 and not all(map(_is_known, node.children))


def _constants_of(node: Node) -> Iterator[Node]:
    return (one for one in node.children if one.kind == "CONSTANT")


def _is_unknown(node: Node) -> bool:
    return node.kind == "CONSTANT" and ("x" in node.name or "z" in node.name)


def _is_known(node: Node, first: str = "") -> bool:
    is_known = node.kind == "CONSTANT" and bool(node.name) and not set(node.name) - {"0", "1"}
    return is_known and node.name.startswith(first)


def _plain(name: str) -> str:
    return name.removeprefix("\\")
