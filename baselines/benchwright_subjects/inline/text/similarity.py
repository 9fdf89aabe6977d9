"""Similarity of two pieces of code, without regard to white space."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from benchwright_verilog.syntax.tree import parse

_IDENTIFIER = re.compile(r"(?<![\w$'`])[A-Za-z_][\w$]*")
_PIECE = re.compile(r"[\w$]+|\S")


def squeeze_spaces(text: str) -> str:
    """The text with each run of white space as one blank, none at the ends."""
    return " ".join(text.split())


def non_space_count(text: str) -> int:
    """Characters that are not white space: what somebody types, where the editor indents."""
    return len("".join(text.split()))


def edit_similarity(text: str, expected_text: str) -> float:
    """1 - Levenshtein's distance (1966) / the longer length, both squeezed; 1 if both are empty."""
    squeezed_text, squeezed_expected = squeeze_spaces(text), squeeze_spaces(expected_text)
    longer = max(len(squeezed_text), len(squeezed_expected))
    return 1.0 if longer == 0 else 1 - edit_distance(squeezed_text, squeezed_expected) / longer


def edit_distance(text: str, expected_text: str) -> int:
    """Levenshtein's distance, by Myers' bit vectors in Hyyrö's form (2001), a step for each expected character."""
    if not text:
        return len(expected_text)
    character_masks: dict[str, int] = {}
    for index, character in enumerate(text):
        character_masks[character] = character_masks.get(character, 0) | 1 << index
    full_mask, last_bit = (1 << len(text)) - 1, 1 << (len(text) - 1)
    positive, negative, edit_count = full_mask, 0, len(text)
    for character in expected_text:
        equal = character_masks.get(character, 0)
        vertical = equal | negative
        diagonal = (((equal & positive) + positive) ^ positive) | equal
        increments = negative | ~(diagonal | positive)
        decrements = positive & diagonal
        edit_count += bool(increments & last_bit) - bool(decrements & last_bit)
        increments, decrements = increments << 1 | 1, decrements << 1
        positive = (decrements | ~(vertical | increments)) & full_mask
        negative = increments & vertical & full_mask
    return edit_count


def identifier_f1(text: str, expected_text: str) -> float | None:
    """F1 of the identifiers and keywords as bags; None if neither has any (as CrossCodeEval's, arXiv 2310.11248)."""
    identifiers, expected_identifiers = Counter(_IDENTIFIER.findall(text)), Counter(_IDENTIFIER.findall(expected_text))
    total = identifiers.total() + expected_identifiers.total()
    return 2 * (identifiers & expected_identifiers).total() / total if total else None


def code_words(text: str) -> Sequence[str]:
    """Words, numbers and signs, in order."""
    return _PIECE.findall(text)


def kept_non_space_count(accepted_texts: Sequence[str], expected_text: str) -> int:
    """Characters of accepted offers that stay when somebody corrects them to what is expected, in order.

    Args:
        accepted_texts: Accepted offers, in the order in which they are in the document.
        expected_text: Text that should be there.
    """
    accepted_pieces = code_words("\n".join(accepted_texts))
    blocks = SequenceMatcher(None, accepted_pieces, code_words(expected_text), autojunk=False).get_matching_blocks()
    return sum(non_space_count("".join(accepted_pieces[block.a : block.a + block.size])) for block in blocks)


def is_repetition(offer_text: str, text_after: str) -> bool:
    """True if an offer says nothing but what follows anyway."""
    squeezed_offer = squeeze_spaces(offer_text)
    return bool(squeezed_offer) and squeeze_spaces(text_after).startswith(squeezed_offer)


def lines_found_and_total(offer_text: str, file_text: str, known_text: str) -> tuple[int, int]:
    """The number of lines of an offer that are in a file, and the number of lines that it has.

    Args:
        offer_text: Its lines without words are left out.
        file_text: Text in which they are looked for.
        known_text: Lines of this do not count: they were there before.
    """
    offer_lines = [line for line in _squeezed_lines(offer_text) if re.search(r"\w", line)]
    new_lines = Counter(_squeezed_lines(file_text)) - Counter(_squeezed_lines(known_text))
    return (Counter(offer_lines) & new_lines).total(), len(offer_lines)


def parses_without_error(text: str) -> bool:
    """True if tree-sitter parses a file without an error."""
    return not parse(text.encode("utf-8", "replace")).root_node.has_error


def _squeezed_lines(text: str) -> Iterable[str]:
    return (squeeze_spaces(line) for line in text.splitlines())
