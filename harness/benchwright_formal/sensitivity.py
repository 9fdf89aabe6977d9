"""Processes that a simulator wakes less often than the logic that Yosys makes of them changes."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright_formal.errors import NotModelledError
from benchwright_formal.yosys_tree import Node

_CONSTANTS = frozenset({"PARAMETER", "LOCALPARAM", "GENVAR", "ENUM_ITEM"})
_ROUTINES = frozenset({"FUNCTION", "TASK"})
_EDGES = frozenset({"POSEDGE", "NEGEDGE"})
_CALLS = frozenset({"FCALL", "TCALL"})
_ASSIGNMENTS = frozenset({"ASSIGN_EQ", "ASSIGN_LE"})


def check_sensitivity(root: Node) -> None:
    """Makes sure that each process of logic wakes whenever something changes that it reads.

    Args:
        root: What Yosys read.

    Raises:
        NotModelledError: One does not, or it can't be known.
    """
    modules = [one for one in root.children if one.kind == "MODULE"]
    everywhere = _constants(one for one in root.children if one.kind != "MODULE")
    for module in modules:
        _check_module(module, everywhere | _constants([module]))


def _constants(nodes: Iterable[Node]) -> frozenset[str]:
    return frozenset(one.name for node in nodes for one in node.all() if one.kind in _CONSTANTS)


def _check_module(module: Node, constants: frozenset[str]) -> None:
    outer = {one.name: _outer_reads(one, constants) for one in module.all() if one.kind in _ROUTINES}
    for process in module.all():
        if process.kind not in ("ALWAYS", "ASSIGN") or any(one.kind in _EDGES for one in process.children):
            continue
        for call in process.all():
            if call.kind in _CALLS and (unheard := outer.get(call.name)):
                raise NotModelledError(
                    f"{_plain(call.name)} reads {_plain(min(unheard))}, which wakes no process that calls it"
                )
        if process.kind == "ALWAYS":
            _Process(process, constants).check()


def _outer_reads(routine: Node, constants: frozenset[str]) -> set[str]:
    """What a function or task names besides its arguments, its own variables and constants."""
    own = {one.name for one in routine.all() if one.kind in ("WIRE", "MEMORY")} | {routine.name}
    named = {_base(one.name) for one in routine.all() if one.kind == "IDENTIFIER"}
    return {one for one in named - own - constants if "::" not in one}


class _Process:
    """A process of logic.

    Args:
        process: Its node.
        constants: What never changes.
    """

    def __init__(self, process: Node, constants: frozenset[str]) -> None:
        events = [one for one in process.children if one.kind == "EDGE"]
        self._body = [one for one in process.children if one.kind != "EDGE"]
        self._constants = constants
        # A part of a vector wakes it only when that part changes.
        whole = {
            one.name for event in events for one in event.children if one.kind == "IDENTIFIER" and not one.children
        }
        self._listed = whole if events else None
        self._assigned = {
            _base(one.children[0].name)
            for part in self._body
            for one in part.all()
            if one.kind == "ASSIGN_EQ" and one.children
        }
        self._written: set[str] = set()

    def check(self) -> None:
        """Raises NotModelledError if it reads what does not wake it."""
        for part in self._body:
            self._follow(part)

    def _follow(self, node: Node) -> None:
        if node.kind in _ASSIGNMENTS and node.children:
            target, *values = node.children
            for one in (*values, *target.children):
                self._follow(one)
            if node.kind == "ASSIGN_EQ":
                self._written.add(_base(target.name))
            return
        if node.kind == "IDENTIFIER":
            self._check_read(_base(node.name))
        for one in node.children:
            self._follow(one)

    def _check_read(self, name: str) -> None:
        if name in self._written or name in self._constants or "::" in name:
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
