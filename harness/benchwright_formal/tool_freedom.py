"""What lets Yosys read another design than a simulator, wherever in the text it comes from: also from a macro."""

from __future__ import annotations

import re

from benchwright_formal.errors import NotModelledError
from benchwright_formal.yosys_tree import Node

_ATTRIBUTE = re.compile(
    r"full_case|parallel_case|\w*blackbox|\w*whitebox|any(?:const|seq)|all(?:const|seq)|gclk|init|defaultvalue|nosync"
    r"|keep_hierarchy|techmap\w*|extract\w*|top"
)
"""`unique` and `priority` are `full_case` and `parallel_case`: Yosys may leave out what a simulator does when several
branches fit, or none does."""
_IDENTITIES = frozenset({"EQX", "NEX"})


def check_freedom(root: Node) -> None:
    """Makes sure that Yosys has no freedom that no simulator has.

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
    if any("x" in one.name or "z" in one.name for one in nodes if one.kind == "CONSTANT"):
        for node in nodes:
            if node.kind in _IDENTITIES and not any(_is_known(one) for one in node.children):
                raise NotModelledError("a comparison asks for unknown values, which only a simulator has")


def _is_known(node: Node) -> bool:
    return node.kind == "CONSTANT" and bool(node.name) and not set(node.name) - {"0", "1"}
