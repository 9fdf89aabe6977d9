r"""Tree that Yosys dumps of a design as read (`read_verilog -dump_ast1`): macros are expanded, nothing is simplified.

A node in each line, two blanks deeper than its parent:

      AST_ALWAYS <b0/f0.sv:7.1-7.38>
        AST_EDGE <b0/f0.sv:0.0-0.0>
          AST_IDENTIFIER <b0/f0.sv:7.10-7.11> str='\a'
        AST_BLOCK <b0/f0.sv:7.20-7.38>
          ATTR \full_case:
            AST_CONSTANT <b0/f0.sv:0.0-0.0> bits='00000000000000000000000000000001'(32) range=[31:0] int=1
          AST_ASSIGN_EQ <b0/f0.sv:7.27-7.35>
            AST_IDENTIFIER <b0/f0.sv:7.27-7.28> str='\y' in_lvalue
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchwright_formal.errors import NotModelledError

_NODE = re.compile(r"( +)AST_(?!CONSTANT )(\w+) <([^>]*)>(?: str='([\\\w$.:\[\]]*)')?(?: [^']*)?", re.ASCII)
_CONSTANT = re.compile(r"( +)AST_(CONSTANT) <([^>]*)>(?:.* bits='([01xz]*)'\([^']*|.*)", re.ASCII)
_ATTRIBUTE = re.compile(r"( +)(ATTR)() \\?(\S+):")
_BEGIN, _END = "Dumping AST before simplification:", "--- END OF AST DUMP ---"
_REST_OF_TEXT = "' bits="
"""Of a string that ends a line."""


@dataclass
class YosysNode:
    """A node."""

    kind: str
    """As Yosys calls it, without `AST_`."""
    name: str
    """Of what has one; of a constant its bits, empty if they are unknown."""
    children: list[YosysNode] = field(default_factory=list)
    attribute_names: set[str] = field(default_factory=set)
    """Their names."""

    def walk(self) -> Iterator[YosysNode]:
        """The node and those below it, in the order of the text."""
        pending_nodes = [self]
        while pending_nodes:
            node = pending_nodes.pop()
            yield node
            pending_nodes.extend(reversed(node.children))


def parse_yosys_ast(dump_text: str, source_folder: str) -> YosysNode:
    """The tree of a design.

    Args:
        dump_text: Text that Yosys dumped.
        source_folder: Folder of the files; the design knows no such name, so no text in it can look like a node.

    Raises:
        NotModelledError: The tree can't be read.
    """
    root = YosysNode("ROOT", "")
    path, is_inside, previous_kind = [root], False, ""
    for line in dump_text.split("\n"):
        if line in (_BEGIN, _END):
            is_inside = line == _BEGIN
        elif is_inside and not (line.startswith(_REST_OF_TEXT) and previous_kind == "CONSTANT"):
            match = _NODE.fullmatch(line) or _CONSTANT.fullmatch(line) or _ATTRIBUTE.fullmatch(line)
            depth = len(match[1]) // 2 - 1 if match else 0
            # A string of several lines has one at its end that is nothing of these, whatever the others are.
            if (
                match is None
                or not 1 <= depth <= len(path)
                or not match[3].startswith(source_folder if match[3] else "")
            ):
                raise NotModelledError("it sets the names of its lines, escapes a name, or breaks a string into lines")
            node = YosysNode(match[2], match[4] or "")
            previous_kind = node.kind
            del path[depth:]
            if node.kind == "ATTR":
                path[-1].attribute_names.add(node.name)
            else:
                path[-1].children.append(node)
            path.append(node)
        elif line.lstrip().startswith("AST_"):
            raise NotModelledError("it breaks a string into lines")
    return root
