r"""Processes that a simulator wakes less often than the logic that Yosys makes of them changes.

Of what Yosys dumps of a design as it was read (`read_verilog -dump_ast1`), a node in each line, two blanks deeper than
its parent:

      AST_ALWAYS <b0/f0.sv:7.1-7.38>
        AST_EDGE <b0/f0.sv:0.0-0.0>
          AST_IDENTIFIER <b0/f0.sv:7.10-7.11> str='\a'
        AST_BLOCK <b0/f0.sv:7.20-7.38>
          AST_ASSIGN_EQ <b0/f0.sv:7.27-7.35>
            AST_IDENTIFIER <b0/f0.sv:7.27-7.28> str='\y' in_lvalue
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchwright_formal.errors import NotModelledError

_NODE = re.compile(r"( +)AST_(?!CONSTANT )(\w+) <([^>]*)>(?: str='([\\\w$.:\[\]]*)')?(?: [^']*)?", re.ASCII)
_CONSTANT = re.compile(r"( +)AST_(CONSTANT) <([^>]*)>.*()", re.ASCII)
_ATTRIBUTE = re.compile(r"( +)(ATTR)() (\S+):")
_BEGIN, _END = "Dumping AST before simplification:", "--- END OF AST DUMP ---"
_REST_OF_TEXT = "' bits="
"""Of a string that ends a line."""
_CONSTANTS = frozenset({"PARAMETER", "LOCALPARAM", "GENVAR", "ENUM_ITEM"})
_ROUTINES = frozenset({"FUNCTION", "TASK"})
_EDGES = frozenset({"POSEDGE", "NEGEDGE"})
_CALLS = frozenset({"FCALL", "TCALL"})
_ASSIGNMENTS = frozenset({"ASSIGN_EQ", "ASSIGN_LE"})


@dataclass
class _Node:
    kind: str
    name: str
    children: list[_Node] = field(default_factory=list)

    def all(self) -> Iterator[_Node]:
        """The node and those below it, in the order of the text."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(reversed(one.children))


def check_sensitivity(dumped: str, folder: str) -> None:
    """Makes sure that each process of logic wakes whenever something changes that it reads.

    Args:
        dumped: What Yosys dumped of the design.
        folder: Where its files are; it knows no such name, so no text in it can look like a node.

    Raises:
        NotModelledError: One does not, or it can't be known.
    """
    root = _tree(dumped, folder)
    modules = [one for one in root.children if one.kind == "MODULE"]
    everywhere = _constants(one for one in root.children if one.kind != "MODULE")
    for module in modules:
        _check_module(module, everywhere | _constants([module]))


def _tree(dumped: str, folder: str) -> _Node:
    root = _Node("ROOT", "")
    path, is_inside, previous = [root], False, ""
    for line in dumped.split("\n"):
        if line in (_BEGIN, _END):
            is_inside = line == _BEGIN
        elif is_inside and not (line.startswith(_REST_OF_TEXT) and previous == "CONSTANT"):
            found = _NODE.fullmatch(line) or _CONSTANT.fullmatch(line) or _ATTRIBUTE.fullmatch(line)
            depth = len(found[1]) // 2 - 1 if found else 0
            # A string of several lines has one at its end that is nothing of these, whatever the others are.
            if found is None or not 1 <= depth <= len(path) or not found[3].startswith(folder if found[3] else ""):
                raise NotModelledError("it sets the names of its lines, escapes a name, or breaks a string into lines")
            node = _Node(found[2], found[4] or "")
            previous = node.kind
            del path[depth:]
            if node.kind != "ATTR":
                path[-1].children.append(node)
            path.append(node)
        elif line.lstrip().startswith("AST_"):
            raise NotModelledError("it breaks a string into lines")
    return root


def _constants(nodes: Iterable[_Node]) -> frozenset[str]:
    return frozenset(one.name for node in nodes for one in node.all() if one.kind in _CONSTANTS)


def _check_module(module: _Node, constants: frozenset[str]) -> None:
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


def _outer_reads(routine: _Node, constants: frozenset[str]) -> set[str]:
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

    def __init__(self, process: _Node, constants: frozenset[str]) -> None:
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

    def _follow(self, node: _Node) -> None:
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
