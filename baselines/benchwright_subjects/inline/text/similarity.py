"""Similarity of two pieces of code, without regard to white space."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from benchwright_verilog.syntax.tree import parse

_IDENTIFIER = re.compile(r"(?<![\w$'`])[A-Za-z_][\w$]*")
_PIECE = re.compile(r"[\w$]+|\S")


def squeezed(text: str) -> str:
    """The text with each run of white space as one blank, none at the ends."""
    return " ".join(text.split())


def effort(text: str) -> int:
    """Characters that are not white space: what somebody types, where the editor indents."""
    return len("".join(text.split()))


def edit_similarity(text: str, expected: str) -> float:
    """1 - Levenshtein's distance (1966) / the longer length, both squeezed; 1 if both are empty."""
    squeezed_text, squeezed_expected = squeezed(text), squeezed(expected)
    longer = max(len(squeezed_text), len(squeezed_expected))
    return 1.0 if longer == 0 else 1 - distance(squeezed_text, squeezed_expected) / longer


def distance(text: str, expected: str) -> int:
    """Levenshtein's distance, by Myers' bit vectors in Hyyrö's form (2001): a step for each character of `expected`."""
    if not text:
        return len(expected)
    places: dict[str, int] = {}
    for index, character in enumerate(text):
        places[character] = places.get(character, 0) | 1 << index
    full_mask, last = (1 << len(text)) - 1, 1 << (len(text) - 1)
    positive, negative, edit_count = full_mask, 0, len(text)
    for character in expected:
        equal = places.get(character, 0)
        vertical = equal | negative
        diagonal = (((equal & positive) + positive) ^ positive) | equal
        increments = negative | ~(diagonal | positive)
        decrements = positive & diagonal
        edit_count += bool(increments & last) - bool(decrements & last)
        increments, decrements = increments << 1 | 1, decrements << 1
        positive = (decrements | ~(vertical | increments)) & full_mask
        negative = increments & vertical & full_mask
    return edit_count


def identifier_f1(text: str, expected: str) -> float | None:
    """F1 of the identifiers and keywords as bags; None if neither has any (as CrossCodeEval's, arXiv 2310.11248)."""
    identifiers, expected_identifiers = Counter(_IDENTIFIER.findall(text)), Counter(_IDENTIFIER.findall(expected))
    total = identifiers.total() + expected_identifiers.total()
    return 2 * (identifiers & expected_identifiers).total() / total if total else None


def pieces(text: str) -> Sequence[str]:
    """Words, numbers and signs, in order."""
    return _PIECE.findall(text)


def kept_effort(accepted: Sequence[str], expected: str) -> int:
    """Characters of accepted offers that stay when somebody corrects them to what is expected, in order.

    Args:
        accepted: Accepted offers, in the order in which they are in the document.
        expected: Text that should be there.
    """
    accepted_pieces = pieces("\n".join(accepted))
    blocks = SequenceMatcher(None, accepted_pieces, pieces(expected), autojunk=False).get_matching_blocks()
    return sum(effort("".join(accepted_pieces[block.a : block.a + block.size])) for block in blocks)


def repeats(text: str, following: str) -> bool:
    """True if an offer says nothing but what follows anyway."""
    offered = squeezed(text)
    return bool(offered) and squeezed(following).startswith(offered)


def lines_in(text: str, whole: str, known_text: str) -> tuple[int, int]:
    """The number of lines of an offer that are in a file, and the number of lines that it has.

    Args:
        text: Its lines without words are left out.
        whole: Text in which they are looked for.
        known_text: Lines of this do not count: they were there before.
    """
    offer_lines = [line for line in _lines(text) if re.search(r"\w", line)]
    new_lines = Counter(_lines(whole)) - Counter(_lines(known_text))
    return (Counter(offer_lines) & new_lines).total(), len(offer_lines)


def parses(text: str) -> bool:
    """True if tree-sitter parses a file without an error."""
    return not parse(text.encode("utf-8", "replace")).root_node.has_error


def _lines(text: str) -> Iterable[str]:
    return (squeezed(line) for line in text.splitlines())
