"""How alike two pieces of code are, without regard to white space."""

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
    one, other = squeezed(text), squeezed(expected)
    longer = max(len(one), len(other))
    return 1.0 if longer == 0 else 1 - distance(one, other) / longer


def distance(text: str, other: str) -> int:
    """Levenshtein's distance, by Myers' bit vectors in Hyyrö's form (2001): a step for each character of `other`."""
    if not text:
        return len(other)
    places: dict[str, int] = {}
    for place, one in enumerate(text):
        places[one] = places.get(one, 0) | 1 << place
    everything, last = (1 << len(text)) - 1, 1 << (len(text) - 1)
    more, less, found = everything, 0, len(text)
    for one in other:
        equal = places.get(one, 0)
        vertical = equal | less
        diagonal = (((equal & more) + more) ^ more) | equal
        up = less | ~(diagonal | more)
        down = more & diagonal
        found += bool(up & last) - bool(down & last)
        up, down = up << 1 | 1, down << 1
        more = (down | ~(vertical | up)) & everything
        less = up & vertical & everything
    return found


def identifier_f1(text: str, expected: str) -> float | None:
    """F1 of the identifiers and keywords as bags; None if neither has any (as CrossCodeEval's, arXiv 2310.11248)."""
    one, other = Counter(_IDENTIFIER.findall(text)), Counter(_IDENTIFIER.findall(expected))
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else None


def pieces(text: str) -> Sequence[str]:
    """Words, numbers and signs, in order."""
    return _PIECE.findall(text)


def kept_effort(accepted: Sequence[str], expected: str) -> int:
    """Characters of accepted offers that stay when somebody corrects them to what is expected, in order.

    Args:
        accepted: What was accepted, in the order in which they are in the document.
        expected: What should be there.
    """
    own = pieces("\n".join(accepted))
    blocks = SequenceMatcher(None, own, pieces(expected), autojunk=False).get_matching_blocks()
    return sum(effort("".join(own[block.a : block.a + block.size])) for block in blocks)


def repeats(text: str, following: str) -> bool:
    """Whether an offer says nothing but what follows anyway."""
    offered = squeezed(text)
    return bool(offered) and squeezed(following).startswith(offered)


def lines_in(text: str, whole: str, known: str) -> tuple[int, int]:
    """How many lines of an offer are in a file, and how many lines it has.

    Args:
        text: Its lines without words are left out.
        whole: Where they are looked for.
        known: Lines of this do not count: they were there before.
    """
    own = [line for line in _lines(text) if re.search(r"\w", line)]
    there = Counter(_lines(whole)) - Counter(_lines(known))
    return (Counter(own) & there).total(), len(own)


def parses(text: str) -> bool:
    """Whether tree-sitter parses a file without an error."""
    return not parse(text.encode("utf-8", "replace")).root_node.has_error


def _lines(text: str) -> Iterable[str]:
    return (squeezed(line) for line in text.splitlines())
