"""Processes that a simulator wakes less often than the logic that Yosys makes of them changes."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright_formal.errors import NotModelledError
from benchwright_formal.yosys_tree import YosysNode

_CONSTANTS = frozenset({"PARAMETER", "LOCALPARAM", "GENVAR", "ENUM_ITEM"})
_ROUTINES = frozenset({"FUNCTION", "TASK"})
_EDGES = frozenset({"POSEDGE", "NEGEDGE"})
_CALLS = frozenset({"FCALL", "TCALL"})
_ASSIGNMENTS = frozenset({"ASSIGN_EQ", "ASSIGN_LE"})


def check_sensitivity(root: YosysNode) -> None:
    """Makes sure that each process of logic wakes whenever something changes that it reads.

    Args:
        root: Tree that Yosys read.

    Raises:
        NotModelledError: A process does not, or it can't be known.
    """
    module_nodes = [node for node in root.children if node.kind == "MODULE"]
    everywhere = _constants(node for node in root.children if node.kind != "MODULE")
    for module in module_nodes:
        _check_module(module, everywhere | _constants([module]))


def _constants(nodes: Iterable[YosysNode]) -> frozenset[str]:
    return frozenset(descendant.name for node in nodes for descendant in node.walk() if descendant.kind in _CONSTANTS)


def _check_module(module: YosysNode, constants: frozenset[str]) -> None:
    outer = {node.name: _outer_reads(node, constants) for node in module.walk() if node.kind in _ROUTINES}
    for process in module.walk():
        if process.kind not in ("ALWAYS", "ASSIGN") or any(node.kind in _EDGES for node in process.children):
            continue
        for call in process.walk():
            if call.kind in _CALLS and (unheard := outer.get(call.name)):
                raise NotModelledError(
                    f"{_plain(call.name)} reads {_plain(min(unheard))}, which wakes no process that calls it"
                )
        if process.kind == "ALWAYS":
            _Process(process, constants).check_reads()


def _outer_reads(routine: YosysNode, constants: frozenset[str]) -> set[str]:
    """Names that a function or task reads besides its arguments, its own variables and constants."""
    own_names = {node.name for node in routine.walk() if node.kind in ("WIRE", "MEMORY")} | {routine.name}
    used_names = {_base(node.name) for node in routine.walk() if node.kind == "IDENTIFIER"}
    return {name for name in used_names - own_names - constants if "::" not in name}


class _Process:
    """A process of logic.

    Args:
        process: Its node.
        constants: Names that never change.
    """

    def __init__(self, process: YosysNode, constants: frozenset[str]) -> None:
        edges = [node for node in process.children if node.kind == "EDGE"]
        self._body = [node for node in process.children if node.kind != "EDGE"]
        self._constants = constants
        # A part of a vector wakes it only when that part changes.
        whole_signals = {
            sensed_node.name
            for event in edges
            for sensed_node in event.children
            if sensed_node.kind == "IDENTIFIER" and not sensed_node.children
        }
        self._listed = whole_signals if edges else None
        self._assigned = {
            _base(node.children[0].name)
            for body_node in self._body
            for node in body_node.walk()
            if node.kind == "ASSIGN_EQ" and node.children
        }
        self._assigned_names: set[str] = set()

    def check_reads(self) -> None:
        """Raises NotModelledError if it reads what does not wake it."""
        for body_node in self._body:
            self._follow(body_node)

    def _follow(self, node: YosysNode) -> None:
        if node.kind in _ASSIGNMENTS and node.children:
            assigned_node, *value_nodes = node.children
            for child in (*value_nodes, *assigned_node.children):
                self._follow(child)
            if node.kind == "ASSIGN_EQ":
                self._assigned_names.add(_base(assigned_node.name))
            return
        if node.kind == "IDENTIFIER":
            self._check_read(_base(node.name))
        for child in node.children:
            self._follow(child)

    def _check_read(self, name: str) -> None:
        if name in self._assigned_names or name in self._constants or "::" in name:
            return
        if self._listed is not None and name not in self._listed:
            raise NotModelledError(f"a process reads {_plain(name)}, which is not in its list of events")
        # It does not wait for an event while it writes, so it would read the value of the time before.
        if name in self._assigned:
            raise NotModelledError(f"a process reads {_plain(name)} before it assigns it")


def _base(name: str) -> str:
    return name.partition(".")[0]


def _plain(name: str) -> str:
    return name.removeprefix("\\")
