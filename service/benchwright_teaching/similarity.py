"""Similarity of two solutions, by fingerprints of their syntax: evidence to look at, no accusation.

A solution's leaves of the syntax tree, without comments and with all names and all numbers alike, are hashed in groups
of `GROUP`; of each `WINDOW` groups in a row the smallest hash is a fingerprint (winnowing: Schleimer, Wilkerson and
Aiken, *Winnowing: Local Algorithms for Document Fingerprinting*, SIGMOD 2003). So whatever two solutions share over
`GROUP + WINDOW - 1` leaves is found, whatever its names are, wherever it is.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchwright_verilog.syntax.tree import parse

GROUP = 12
WINDOW = 8
_LEAST = 4
"""Fingerprints of its own that a solution needs, or nothing can be said of it."""
_COMMON = 0.3
"""Share of all solutions: what more of them than this have is how everybody writes it, and says nothing."""
_COMMON_FROM = 5
_LONGEST = 2_000_000
"""Bytes of a solution of which fingerprints are taken."""


@dataclass(frozen=True)
class Pair:
    """Two solutions."""

    first: str
    second: str
    share: float
    """Of the fingerprints of the one that has fewer, from 0 to 1."""
    first_lines: Mapping[str, Sequence[tuple[int, int]]]
    """Stretches of lines in common, by file; from 1, the last one included."""
    second_lines: Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class _Mark:
    file: str
    first_line: int
    last_line: int


def pairs(solutions: Mapping[str, Mapping[str, str]], template: Mapping[str, str]) -> list[Pair]:
    """All pairs with something in common, those with the most first.

    Args:
        solutions: Files of each solution, by path.
        template: Files that everybody was given; what is in them is in common without meaning anything.
    """
    template_hashes = {key for text in template.values() for key in _hashes(_leaves_of(text))}
    marks = {
        name: {key: mark for key, mark in _marks(files).items() if key not in template_hashes}
        for name, files in solutions.items()
    }
    counts = Counter(key for own_marks in marks.values() for key in own_marks)
    most_holders = max(_COMMON_FROM, _COMMON * len(solutions))
    marks = {
        name: {key: mark for key, mark in own_marks.items() if counts[key] <= most_holders}
        for name, own_marks in marks.items()
    }
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    holders: dict[int, list[str]] = defaultdict(list)
    for name in sorted(marks):
        for key in marks[name]:
            holders[key].append(name)
    for key, names in holders.items():
        for pair in combinations(names, 2):
            shared[pair].append(key)
    similar_pairs = []
    for (first, second), keys in shared.items():
        fewer = min(len(marks[first]), len(marks[second]))
        if fewer >= _LEAST:
            lines = (_stretches(marks[solution], keys) for solution in (first, second))
            similar_pairs.append(Pair(first, second, len(keys) / fewer, *lines))
    return sorted(similar_pairs, key=lambda pair: (-pair.share, pair.first, pair.second))


def _marks(files: Mapping[str, str]) -> dict[int, _Mark]:
    marks: dict[int, _Mark] = {}
    for path, text in files.items():
        leaves = _leaves_of(text)
        hashes = _hashes(leaves)
        for start in range(max(1, len(hashes) - WINDOW + 1)):
            window = hashes[start : start + WINDOW]
            if window:
                # The last of several smallest ones, as in the paper.
                offset = start + max(index for index, key in enumerate(window) if key == min(window))
                marks.setdefault(hashes[offset], _Mark(path, leaves[offset][1], leaves[offset + GROUP - 1][1]))
    return marks


def _leaves_of(text: str) -> list[tuple[bytes, int]]:
    return list(_leaves(text.encode(errors="replace")[:_LONGEST]))


def _hashes(leaves: Sequence[tuple[bytes, int]]) -> list[int]:
    return [_hash(leaves[offset : offset + GROUP]) for offset in range(len(leaves) - GROUP + 1)]


def _leaves(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Type of each leaf of the tree, and its line."""
    waiting = [parse(data).root_node]
    while waiting:
        node = waiting.pop()
        if "comment" in node.type:
            continue
        if node.child_count:
            waiting.extend(reversed(node.children))
        elif node.start_byte < node.end_byte:
            yield _plain(node.type, data[node.start_byte : node.end_byte]), node.start_point[0] + 1


def _plain(kind: str, text: bytes) -> bytes:
    for leaf_kind in ("identifier", "number", "string"):
        if leaf_kind in kind:
            return leaf_kind.encode()
    return text


def _hash(leaves: Sequence[tuple[bytes, int]]) -> int:
    digest = hashlib.blake2b(b"\0".join(leaf for leaf, _ in leaves), digest_size=8)
    return int.from_bytes(digest.digest())


def _stretches(marks: Mapping[int, _Mark], keys: Sequence[int]) -> dict[str, list[tuple[int, int]]]:
    stretches: dict[str, list[tuple[int, int]]] = {}
    for mark in sorted((marks[key] for key in keys), key=lambda mark: (mark.file, mark.first_line)):
        lines = stretches.setdefault(mark.file, [])
        if lines and mark.first_line <= lines[-1][1] + 1:
            lines[-1] = lines[-1][0], max(lines[-1][1], mark.last_line)
        else:
            lines.append((mark.first_line, mark.last_line))
    return stretches
