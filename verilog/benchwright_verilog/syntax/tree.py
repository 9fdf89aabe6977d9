"""tree-sitter's parse of a document, updated while typing.

tree-sitter knows the structure, also with syntax errors; what names mean is slang's business. Its ERROR nodes
say only that it could not follow, so they never become diagnostics. Offsets of nodes are UTF-8 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

_SMALL = 24 * 1024
"""Up to this many bytes, a document with errors is parsed from its beginning: that takes a few milliseconds.

An incremental parse gives the same as a full one only if there are no errors to recover from.
"""


class ParsedText:
    """The newest tree of one text, from which that of the next version is made."""

    def __init__(self) -> None:
        self._data: bytes | None = None
        self._tree: Tree | None = None

    def tree(self, data: bytes) -> Tree:
        """The tree of a document."""
        if self._tree is None or data != self._data:
            self._tree = parse(data, self._data, self._tree)
            self._data = data
        return self._tree


def parse(data: bytes, old_data: bytes | None = None, old_tree: Tree | None = None) -> Tree:
    """Parse source code.

    Args:
        data: The text.
        old_data: An earlier version of it.
        old_tree: The tree of that.
    """
    if old_tree is None or old_data is None:
        return _parser().parse(data)
    start, old_end, end = differing_start_old_end_new_end(old_data, data)
    edited = old_tree.copy()
    edited.edit(
        start,
        old_end,
        end,
        _row_and_column(data, start),
        _row_and_column(old_data, old_end),
        _row_and_column(data, end),
    )
    tree = _parser().parse(data, edited)
    if tree.root_node.has_error and len(data) <= _SMALL:
        return _parser().parse(data)
    return tree


def differing_start_old_end_new_end(old_data: bytes, new_data: bytes) -> tuple[int, int, int]:
    """Byte at which two versions begin to differ, and the ends of the difference in the old and in the new one."""
    shorter = min(len(old_data), len(new_data))
    start = _longest_fitting(shorter, lambda length: old_data[:length] == new_data[:length])
    shared = _longest_fitting(
        shorter - start, lambda length: old_data[len(old_data) - length :] == new_data[len(new_data) - length :]
    )
    return start, len(old_data) - shared, len(new_data) - shared


def _longest_fitting(max_length: int, fits: Callable[[int], bool]) -> int:
    """The greatest length up to a limit that fits, where all shorter ones do."""
    low, high = 0, max_length
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


@cache
def _parser() -> Parser:
    import tree_sitter_systemverilog  # Imported late: not needed to answer `initialize`.
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_systemverilog.language()))


def _row_and_column(data: bytes, byte: int) -> tuple[int, int]:
    # tree-sitter's rows end at LF alone.
    return data.count(b"\n", 0, byte), byte - data.rfind(b"\n", 0, byte) - 1
