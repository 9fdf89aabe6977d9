"""Finds the statement of a testbench that printed a line: of `$display`, unlike `$error`, simulators name no place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_STATEMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"'
    r'|\$(?:display|write|strobe|monitor|info|warning)[bho]?\s*\(\s*"(?P<format>(?:[^"\\]|\\.)*)"(?P<end>\s*\))?',
    re.DOTALL,
)
_INTEGER = r" *[\dA-Fa-fxXzZ_]+"
_PATTERN_BY_CONVERSION = {"d": r" *-?[\dxXzZ]+", "t": r" *[\d.]+ *\w*", **dict.fromkeys("bhox", _INTEGER)}
_FORMAT_PART = re.compile(r"(%-?\d*(?:\.\d+)?[a-zA-Z%]|\\.)", re.DOTALL)
_LITERAL_BY_ESCAPE = {"%%": "%", r"\t": "\t", r"\"": '"', r"\\": "\\"}


def place_of_printing_statement(
    texts_by_path: Mapping[str, str], printed_line: str, decisive_word: re.Pattern[str]
) -> tuple[str, int] | None:
    """The file and the line, from 1, of the statement that printed a line; None if several may have, or none.

    Args:
        texts_by_path: The sources.
        printed_line: The line, with the space around it.
        decisive_word: Word that the statement itself has, and not the values that it prints.
    """
    places_by_literal_length: dict[int, list[tuple[str, int]]] = {}
    for path, text in texts_by_path.items():
        for statement_match in _STATEMENT.finditer(text):
            for literal_length in _literal_lengths_of_matches(statement_match, printed_line, decisive_word):
                path_and_line = path, text.count("\n", 0, statement_match.start()) + 1
                places_by_literal_length.setdefault(literal_length, []).append(path_and_line)
    # The statement with most of the line in it: `FAIL: %s` may have printed any line that `FAIL: q is %d` prints.
    likeliest_places = places_by_literal_length[max(places_by_literal_length)] if places_by_literal_length else []
    return likeliest_places[0] if len(likeliest_places) == 1 else None


def _literal_lengths_of_matches(
    statement_match: re.Match[str], printed_line: str, decisive_word: re.Pattern[str]
) -> Iterator[int]:
    """For each line of a statement's format that may have printed a line, the number of its characters but values."""
    for format_line in (statement_match["format"] or "").split(r"\n"):
        pattern, literal, is_after_words = "", "", False
        for part in filter(None, _FORMAT_PART.split(format_line)):
            text = _LITERAL_BY_ESCAPE.get(part, part)
            is_value = part.startswith("%") and part not in _LITERAL_BY_ESCAPE
            value_pattern = _PATTERN_BY_CONVERSION.get(part[-1].lower()) if is_value else re.escape(text)
            if value_pattern is not None:
                # Words go on to the first place where the rest fits: to try every other would take long.
                pattern += f"(?>.*?{value_pattern})" if is_after_words else value_pattern
            is_after_words = value_pattern is None
            literal += " " if is_value else text
        # What the format prints may be followed by further arguments.
        end = ".*" if is_after_words or not statement_match["end"] else ""
        if decisive_word.search(literal) and re.fullmatch(pattern + end, printed_line):
            yield len(literal)
