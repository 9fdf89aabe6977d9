"""Text that lets Yosys read another design than a simulator, wherever it comes from: also from a macro."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright_formal.errors import NotModelledError
from benchwright_formal.yosys_tree import YosysNode

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
"""Operations that do something else to a signed value than to an unsigned one."""
_UNSIZED = 32
"""Bits of a constant without a size."""


def require_simulator_meaning(syntax_tree: YosysNode) -> None:
    """Makes sure that Yosys has no freedom that no simulator has, and reads nothing otherwise than one.

    Args:
        syntax_tree: Tree that Yosys read.

    Raises:
        NotModelledError: Yosys has such a freedom.
    """
    nodes = list(syntax_tree.walk())
    for node in nodes:
        for name in sorted(node.attribute_names):
            if _ATTRIBUTE.fullmatch(name):
                raise NotModelledError(f"`{name}`, or what has its meaning, changes what Yosys reads")
    for reason in (
        *_complaints_about_unknowns(nodes),
        *_complaints_about_constants(nodes),
        *_complaints_about_ranges(nodes),
        *_complaints_about_processes(syntax_tree),
    ):
        raise NotModelledError(reason)


def _complaints_about_unknowns(nodes: Sequence[YosysNode]) -> Iterator[str]:
    if any(_is_unknown_constant(candidate) for candidate in nodes):
        for node in nodes:
            if node.kind in _IDENTITIES and not any(_is_binary_constant(operand) for operand in node.children):
                yield "a comparison asks for unknown values, which only a simulator has"
    if any(
        node.kind in ("COND", "CONDZ") and any("x" in constant.name for constant in _constant_children(node))
        for node in nodes
    ):
        yield "a branch of a case waits for an unknown value, which only a simulator has"


def _complaints_about_constants(nodes: Sequence[YosysNode]) -> Iterator[str]:
    """Values that are known before anything is simulated: Yosys has its own widths and signs for them."""
    ranged = {
        parameter.name
        for parameter in nodes
        if parameter.kind in _GIVEN and any(two.kind == "RANGE" for two in parameter.children)
    }
    routines = {routine_node.name: routine_node for routine_node in nodes if routine_node.kind == "FUNCTION"}
    for node in nodes:
        if node.kind == "DEFPARAM":
            yield "it sets a parameter by `defparam`, which Yosys may overlook"
        if node.kind == "REPEAT" and not (node.children and _is_binary_constant(node.children[0], bits_prefix="0")):
            yield "the number of rounds of a `repeat` may be negative, of which Yosys knows nothing"
        if node.kind not in _GIVEN:
            continue
        descendants = [descendant for child in node.children if child.kind != "RANGE" for descendant in child.walk()]
        is_ranged = node.name in ranged and node.kind != "PARASET"
        if not is_ranged and any(operation.kind in _ARITHMETIC for operation in descendants):
            narrow = any(constant.kind == "CONSTANT" and 0 < len(constant.name) < _UNSIZED for constant in descendants)
            if narrow or any(
                identifier.kind == "IDENTIFIER" and identifier.name in ranged for identifier in descendants
            ):
                name = _without_backslash(node.name)
                yield f"{name} is calculated of values that have a size, for which Yosys has another width"
        for call in descendants:
            routine = routines.get(call.name) if call.kind == "FCALL" else None
            if routine is not None and any(
                routine_part.kind in _SIGNED or _is_ascending_range(routine_part) for routine_part in routine.walk()
            ):
                yield f"{_without_backslash(call.name)} gives a constant by arithmetic for which Yosys has other rules"


def _complaints_about_ranges(nodes: Sequence[YosysNode]) -> Iterator[str]:
    for node in nodes:
        if node.kind in ("STRUCT", "UNION") and any(_is_ascending_range(member) for member in node.walk()):
            yield "a member of a structure has an ascending range, which Yosys reads as descending"
    ascending = {wire.name for wire in nodes if wire.kind == "WIRE" and any(map(_is_ascending_range, wire.children))}
    for node in nodes:
        if node.kind in ("ASSIGN", "ASSIGN_EQ", "ASSIGN_LE") and node.children:
            for assigned_node in _assigned_identifiers(node.children[0]):
                if assigned_node.name in ascending and any(map(_is_variable_part_select, assigned_node.children)):
                    name = _without_backslash(assigned_node.name)
                    yield f"a variable part of {name} is assigned, whose range is ascending"


def _complaints_about_processes(root: YosysNode) -> Iterator[str]:
    for module in root.children:
        assigned_names: dict[str, set[str]] = {"ASSIGN_EQ": set(), "ASSIGN_LE": set()}
        for process in (candidate for candidate in module.walk() if candidate.kind == "ALWAYS"):
            for assignment in process.walk():
                if assignment.kind in assigned_names and assignment.children:
                    assigned_names[assignment.kind] |= {
                        two.name for two in _assigned_identifiers(assignment.children[0])
                    }
        if shared_names := assigned_names["ASSIGN_EQ"] & assigned_names["ASSIGN_LE"]:
            name = _without_backslash(min(shared_names))
            yield f"{name} is assigned at once and at the end of a step, which Yosys does not tell apart"


def _assigned_identifiers(assigned_node: YosysNode) -> Iterator[YosysNode]:
    """The nodes that are assigned, without what their indices read."""
    if assigned_node.kind == "IDENTIFIER":
        yield assigned_node
    elif assigned_node.kind == "CONCAT":
        for child in assigned_node.children:
            yield from _assigned_identifiers(child)


def _is_ascending_range(node: YosysNode) -> bool:
    """True if a range has its lowest index first."""
    if node.kind != "RANGE" or len(node.children) != 2:
        return False
    first_bound, last_bound = node.children
    if not (_is_binary_constant(first_bound) and _is_binary_constant(last_bound)):
        return _is_binary_constant(first_bound) and not int(first_bound.name, 2)
    return int(first_bound.name, 2) < int(last_bound.name, 2)


def _is_variable_part_select(node: YosysNode) -> bool:
    return node.kind == "RANGE" and len(node.children) > 1 and not all(map(_is_binary_constant, node.children))


def _constant_children(node: YosysNode) -> Iterator[YosysNode]:
    return (child for child in node.children if child.kind == "CONSTANT")


def _is_unknown_constant(node: YosysNode) -> bool:
    return node.kind == "CONSTANT" and ("x" in node.name or "z" in node.name)


def _is_binary_constant(node: YosysNode, bits_prefix: str = "") -> bool:
    is_known = node.kind == "CONSTANT" and bool(node.name) and not set(node.name) - {"0", "1"}
    return is_known and node.name.startswith(bits_prefix)


def _without_backslash(yosys_name: str) -> str:
    return yosys_name.removeprefix("\\")
