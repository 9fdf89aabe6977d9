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


def require_complete_sensitivity(syntax_tree: YosysNode) -> None:
    """Makes sure that each process of logic wakes whenever something changes that it reads.

    Args:
        syntax_tree: Tree that Yosys read.

    Raises:
        NotModelledError: A process does not, or it can't be known.
    """
    module_nodes = [node for node in syntax_tree.children if node.kind == "MODULE"]
    everywhere = _constant_names(node for node in syntax_tree.children if node.kind != "MODULE")
    for module in module_nodes:
        _require_sensitivity_of_module(module, everywhere | _constant_names([module]))


def _constant_names(nodes: Iterable[YosysNode]) -> frozenset[str]:
    return frozenset(descendant.name for node in nodes for descendant in node.walk() if descendant.kind in _CONSTANTS)


def _require_sensitivity_of_module(module_node: YosysNode, constant_names: frozenset[str]) -> None:
    outer = {
        node.name: _outer_names_read_in_routine(node, constant_names)
        for node in module_node.walk()
        if node.kind in _ROUTINES
    }
    for process in module_node.walk():
        if process.kind not in ("ALWAYS", "ASSIGN") or any(node.kind in _EDGES for node in process.children):
            continue
        for call in process.walk():
            if call.kind in _CALLS and (unheard := outer.get(call.name)):
                raise NotModelledError(
                    f"{_without_backslash(call.name)} reads {_without_backslash(min(unheard))},"
                    " which wakes no process that calls it"
                )
        if process.kind == "ALWAYS":
            _Process(process, constant_names).require_reads_wake_process()


def _outer_names_read_in_routine(routine_node: YosysNode, constant_names: frozenset[str]) -> set[str]:
    """Names that a function or task reads besides its arguments, its own variables and constants."""
    own_names = {node.name for node in routine_node.walk() if node.kind in ("WIRE", "MEMORY")} | {routine_node.name}
    used_names = {_name_before_dot(node.name) for node in routine_node.walk() if node.kind == "IDENTIFIER"}
    return {name for name in used_names - own_names - constant_names if "::" not in name}


class _Process:
    """A process of logic.

    Args:
        process_node: Its node.
        constant_names: Names that never change.
    """

    def __init__(self, process_node: YosysNode, constant_names: frozenset[str]) -> None:
        edges = [node for node in process_node.children if node.kind == "EDGE"]
        self._body = [node for node in process_node.children if node.kind != "EDGE"]
        self._constant_names = constant_names
        # A part of a vector wakes it only when that part changes.
        whole_signals = {
            sensed_node.name
            for event in edges
            for sensed_node in event.children
            if sensed_node.kind == "IDENTIFIER" and not sensed_node.children
        }
        self._listed_signals_or_none = whole_signals if edges else None
        self._ever_assigned_names = {
            _name_before_dot(node.children[0].name)
            for body_node in self._body
            for node in body_node.walk()
            if node.kind == "ASSIGN_EQ" and node.children
        }
        self._names_assigned_so_far: set[str] = set()

    def require_reads_wake_process(self) -> None:
        """Raises NotModelledError if it reads what does not wake it."""
        for body_node in self._body:
            self._require_reads_in_node_wake_process(body_node)

    def _require_reads_in_node_wake_process(self, node: YosysNode) -> None:
        if node.kind in _ASSIGNMENTS and node.children:
            assigned_node, *value_nodes = node.children
            for child in (*value_nodes, *assigned_node.children):
                self._require_reads_in_node_wake_process(child)
            if node.kind == "ASSIGN_EQ":
                self._names_assigned_so_far.add(_name_before_dot(assigned_node.name))
            return
        if node.kind == "IDENTIFIER":
            self._require_read_wakes_process(_name_before_dot(node.name))
        for child in node.children:
            self._require_reads_in_node_wake_process(child)

    def _require_read_wakes_process(self, signal_name: str) -> None:
        if signal_name in self._names_assigned_so_far or signal_name in self._constant_names or "::" in signal_name:
            return
        if self._listed_signals_or_none is not None and signal_name not in self._listed_signals_or_none:
            raise NotModelledError(
                f"a process reads {_without_backslash(signal_name)}, which is not in its list of events"
            )
        # It does not wait for an event while it writes, so it would read the value of the time before.
        if signal_name in self._ever_assigned_names:
            raise NotModelledError(f"a process reads {_without_backslash(signal_name)} before it assigns it")


def _name_before_dot(name: str) -> str:
    return name.partition(".")[0]


def _without_backslash(yosys_name: str) -> str:
    return yosys_name.removeprefix("\\")
