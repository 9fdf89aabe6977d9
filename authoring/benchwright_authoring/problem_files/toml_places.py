"""Places of things in a TOML file, also in one that is being typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language, Node, Parser

TomlPath = tuple[str | int, ...]
"""Keys and indices, such as `("hints", 0, "text")`."""

_TABLES = frozenset({"table", "table_array_element"})
_KEYS = frozenset({"bare_key", "quoted_key", "dotted_key"})
_VALUE = re.compile(r"\s*(?P<key>[\w.-]+)\s*=\s*(?P<value>.*)$")
_KEY = re.compile(r"\s*[\w-]*$")
_HEADER = re.compile(r"\s*\[{1,2}(?P<name>[\w.-]*)$")


@dataclass(frozen=True)
class TomlSpan:
    """A part of a text, in code points."""

    start: int
    end: int


@dataclass(frozen=True)
class TomlCursor:
    """Text that is being typed at a place."""

    table: TomlPath
    """The table that the line is in."""
    key: str | None
    """The key whose value is typed; None where a key or the name of a table is."""
    span: TomlSpan
    """Span of the word that has been typed so far."""
    is_header: bool = False
    """True if the name of a table is typed."""


class TomlPlaces:
    """The places of one text.

    Args:
        toml_text: Need not be TOML.
    """

    def __init__(self, toml_text: str) -> None:
        self._text = toml_text
        self._data = toml_text.encode(errors="replace")
        self._keys: dict[TomlPath, TomlSpan] = {}
        self._values: dict[TomlPath, TomlSpan] = {}
        self._tables: list[tuple[int, TomlPath]] = [(0, ())]
        self._comments: list[TomlSpan] = []
        """Those within values."""
        self._collect_spans_of_tree(_toml_parser().parse(self._data).root_node)

    def nearest_span(self, key_path: Sequence[str | int]) -> TomlSpan:
        """Of a value, or of the nearest one around it that is written; the first line if there is none."""
        for length in range(len(key_path), 0, -1):
            path_prefix = tuple(key_path[:length])
            if (nearest_span := self._values.get(path_prefix) or self._keys.get(path_prefix)) is not None:
                return nearest_span
        return TomlSpan(0, len(self._text.partition("\n")[0]))

    def key_or_nearest_span(self, key_path: Sequence[str | int]) -> TomlSpan:
        """Of a key, or what `nearest_span` finds."""
        return self._keys.get(tuple(key_path)) or self.nearest_span(key_path)

    def value_span_if_written(self, key_path: Sequence[str | int]) -> TomlSpan | None:
        """Of exactly this value; None if it is not written, or as a table of its own."""
        return self._values.get(tuple(key_path))

    def entry_spans_at_and_below(self, outer_path: TomlPath) -> list[TomlSpan]:
        """A key with its value, and those below it, in the order of the text; none is in another."""
        spans: list[TomlSpan] = []
        for key_path, key_span in sorted(self._keys.items(), key=lambda key_item: key_item[1].start):
            if key_path[: len(outer_path)] == outer_path and (not spans or key_span.start >= spans[-1].end):
                spans.append(TomlSpan(key_span.start, self._values.get(key_path, key_span).end))
        return spans

    def key_path_of_span(self, span: TomlSpan) -> TomlPath | None:
        """The key that a span is, or whose value it is."""
        spans = (*self._values.items(), *self._keys.items())
        return next((path for path, candidate in spans if candidate == span), None)

    def has_comment(self, value_span: TomlSpan) -> bool:
        """True if a comment is within a value."""
        return any(value_span.start <= comment.start < value_span.end for comment in self._comments)

    def table_end(self, table_path: TomlPath) -> int:
        """The end of the last key of a table with its value, of its header if it has none; 0 if that is missing too."""
        header_end = self._keys.get(table_path, TomlSpan(0, 0)).end
        return max((span.end for path, span in self._values.items() if path[:-1] == table_path), default=header_end)

    def innermost_key_at(self, cursor_code_point: int) -> tuple[TomlPath, TomlSpan] | None:
        """The innermost key around an offset."""
        surrounding_keys = [
            (path, span) for path, span in self._keys.items() if span.start <= cursor_code_point <= span.end
        ]
        return max(surrounding_keys, key=lambda key_span: len(key_span[0]), default=None)

    def keys_in_table(self, table_path: TomlPath) -> set[str]:
        """The keys that a table has already."""
        return {str(path[-1]) for path in self._keys if path[:-1] == table_path}

    def cursor(self, cursor_code_point: int) -> TomlCursor | None:
        """The text that is typed before an offset; None in a comment, and in the middle of a text of several lines."""
        start = self._text.rfind("\n", 0, cursor_code_point) + 1
        text_before = self._text[start:cursor_code_point]
        if self._is_inside_multiline_string(start):
            return None
        if (header := _HEADER.match(text_before)) is not None:
            return TomlCursor((), None, TomlSpan(start + header.start("name"), cursor_code_point), is_header=True)
        table = next(path for begins, path in reversed(self._tables) if begins <= start)
        if (value := _VALUE.match(text_before)) is not None:
            *outer, key = value["key"].split(".")
            return TomlCursor((*table, *outer), key, TomlSpan(start + value.start("value"), cursor_code_point))
        if _KEY.match(text_before):
            return TomlCursor(
                table, None, TomlSpan(start + len(text_before) - len(text_before.lstrip()), cursor_code_point)
            )
        return None

    def _is_inside_multiline_string(self, offset: int) -> bool:
        return any(span.start < offset < span.end for span in self._values.values() if self._is_multiline_string(span))

    def _is_multiline_string(self, span: TomlSpan) -> bool:
        return self._text.startswith(('"""', "'''"), span.start)

    def _collect_spans_of_tree(self, root_node: Node) -> None:
        counts: dict[TomlPath, int] = {}
        for node in root_node.children:
            if node.type in _TABLES:
                self._collect_spans_of_table(node, counts)
            elif node.type == "pair":
                self._collect_spans_of_pair(node, ())

    def _collect_spans_of_table(self, table_node: Node, element_count_by_array: dict[TomlPath, int]) -> None:
        name = next((child for child in table_node.children if child.type in _KEYS), None)
        if name is None:
            return
        path: TomlPath = ()
        for key_part in _dotted_key_parts(name):
            path = (*path, key_part)
            if path in element_count_by_array and path != tuple(_dotted_key_parts(name)):
                path = (*path, element_count_by_array[path])
        self._keys.setdefault(path, self._code_point_span(name))
        if table_node.type == "table_array_element":
            element_count_by_array[path] = element_count_by_array.get(path, -1) + 1
            path = (*path, element_count_by_array[path])
            self._keys[path] = self._code_point_span(name)
        self._tables.append((self._code_point_span(table_node).start, path))
        for child in table_node.children:
            if child.type == "pair":
                self._collect_spans_of_pair(child, path)

    def _collect_spans_of_pair(self, pair_node: Node, table_path: TomlPath) -> None:
        name = pair_node.children[0]
        path = (*table_path, *_dotted_key_parts(name))
        self._keys[path] = self._code_point_span(name)
        if len(pair_node.children) > 2:
            self._collect_spans_of_value(pair_node.children[2], path)

    def _collect_spans_of_value(self, value_node: Node, value_path: TomlPath) -> None:
        self._values[value_path] = self._code_point_span(value_node)
        if value_node.type == "array":
            element_nodes = [child for child in value_node.named_children if child.type != "comment"]
            self._comments += [
                self._code_point_span(child) for child in value_node.named_children if child.type == "comment"
            ]
            for index, element_node in enumerate(element_nodes):
                self._collect_spans_of_value(element_node, (*value_path, index))
        elif value_node.type == "inline_table":
            for child in value_node.named_children:
                if child.type == "pair":
                    self._collect_spans_of_pair(child, value_path)

    def _code_point_span(self, node: Node) -> TomlSpan:
        start, end = (len(self._data[:byte].decode(errors="replace")) for byte in (node.start_byte, node.end_byte))
        return TomlSpan(start, end)


def _dotted_key_parts(key_node: Node) -> Iterator[str]:
    if key_node.type == "dotted_key":
        for child in key_node.named_children:
            yield from _dotted_key_parts(child)
    else:
        yield (key_node.text or b"").decode(errors="replace").strip("\"'")


@cache
def _toml_parser() -> Parser:
    import tree_sitter_toml

    return Parser(Language(tree_sitter_toml.language()))
