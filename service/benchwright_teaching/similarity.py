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
class Passage:
    """Lines of a file that follow each other; from 1, the last one included."""

    file: str
    first_line: int
    last_line: int


@dataclass(frozen=True)
class SimilarPair:
    """Two solutions."""

    first: str
    second: str
    share: float
    """Of the fingerprints of the one that has fewer, from 0 to 1."""
    passages: Sequence[tuple[Passage, Passage]]
    """What is in common, as it is in the first solution and in the second, in the order of the first."""

    @property
    def first_lines(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Stretches of lines in common, by file of the first solution."""
        return _line_ranges_by_file([first for first, _ in self.passages])

    @property
    def second_lines(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Stretches of lines in common, by file of the second solution."""
        return _line_ranges_by_file([second for _, second in self.passages])


def pairs_with_common_text(
    files_by_student: Mapping[str, Mapping[str, str]], given_files: Mapping[str, str]
) -> list[SimilarPair]:
    """All pairs with something in common, those with the most first.

    Args:
        files_by_student: Files of each solution, by path.
        given_files: Files that everybody was given; what is in them is in common without meaning anything.
    """
    template_hashes = {key for text in given_files.values() for key in _hashes(_text_leaves(text))}
    marks_by_student = {
        name: {key: mark for key, mark in _passage_by_fingerprint(files).items() if key not in template_hashes}
        for name, files in files_by_student.items()
    }
    counts = Counter(key for own_marks in marks_by_student.values() for key in own_marks)
    most_holders = max(_COMMON_FROM, _COMMON * len(files_by_student))
    marks_by_student = {
        name: {key: mark for key, mark in own_marks.items() if counts[key] <= most_holders}
        for name, own_marks in marks_by_student.items()
    }
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    holders: dict[int, list[str]] = defaultdict(list)
    for name in sorted(marks_by_student):
        for mark_hash in marks_by_student[name]:
            holders[mark_hash].append(name)
    for mark_hash, names in holders.items():
        for solution_pair in combinations(names, 2):
            shared[solution_pair].append(mark_hash)
    similar_pairs = []
    for (first_name, second_name), keys in shared.items():
        fewer = min(len(marks_by_student[first_name]), len(marks_by_student[second_name]))
        if fewer >= _LEAST:
            common_marks = [(marks_by_student[first_name][key], marks_by_student[second_name][key]) for key in keys]
            passages = _joined_passages(common_marks)
            similar_pairs.append(SimilarPair(first_name, second_name, len(keys) / fewer, passages))
    return sorted(
        similar_pairs, key=lambda similar_pair: (-similar_pair.share, similar_pair.first, similar_pair.second)
    )


def _passage_by_fingerprint(files: Mapping[str, str]) -> dict[int, Passage]:
    passages_by_hash: dict[int, Passage] = {}
    for path, text in files.items():
        leaves = _text_leaves(text)
        hashes = _hashes(leaves)
        for start in range(max(1, len(hashes) - WINDOW + 1)):
            window = hashes[start : start + WINDOW]
            if window:
                # The last of several smallest ones, as in the paper.
                offset = start + max(index for index, key in enumerate(window) if key == min(window))
                passages_by_hash.setdefault(
                    hashes[offset], Passage(path, leaves[offset][1], leaves[offset + GROUP - 1][1])
                )
    return passages_by_hash


def _text_leaves(text: str) -> list[tuple[bytes, int]]:
    return list(_leaf_types_and_lines(text.encode(errors="replace")[:_LONGEST]))


def _hashes(leaves: Sequence[tuple[bytes, int]]) -> list[int]:
    return [_hash_of_leaves(leaves[offset : offset + GROUP]) for offset in range(len(leaves) - GROUP + 1)]


def _leaf_types_and_lines(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Type of each leaf of the tree, and its line."""
    open_nodes = [parse(data).root_node]
    while open_nodes:
        node = open_nodes.pop()
        if "comment" in node.type:
            continue
        if node.child_count:
            open_nodes.extend(reversed(node.children))
        elif node.start_byte < node.end_byte:
            yield _normalised_token(node.type, data[node.start_byte : node.end_byte]), node.start_point[0] + 1


def _normalised_token(kind: str, text: bytes) -> bytes:
    for leaf_kind in ("identifier", "number", "string"):
        if leaf_kind in kind:
            return leaf_kind.encode()
    return text


def _hash_of_leaves(leaves: Sequence[tuple[bytes, int]]) -> int:
    digest = hashlib.blake2b(b"\0".join(leaf for leaf, _ in leaves), digest_size=8)
    return int.from_bytes(digest.digest())


def _joined_passages(common_marks: Sequence[tuple[Passage, Passage]]) -> list[tuple[Passage, Passage]]:
    """Fingerprints that follow each other in both solutions, as one passage each."""
    passages: list[tuple[Passage, Passage]] = []
    for common_pair in sorted(common_marks, key=lambda common_mark: _passage_begin_key(common_mark[0])):
        last_pair = passages[-1] if passages else None
        if last_pair is not None and all(map(_follows, last_pair, common_pair)):
            passages[-1] = _joined_passage(last_pair[0], common_pair[0]), _joined_passage(last_pair[1], common_pair[1])
        else:
            passages.append(common_pair)
    return passages


def _passage_begin_key(passage: Passage) -> tuple[str, int]:
    return passage.file, passage.first_line


def _follows(earlier: Passage, later: Passage) -> bool:
    """True if the later passage begins in the earlier one, or in the line after it."""
    return earlier.file == later.file and earlier.first_line <= later.first_line <= earlier.last_line + 1


def _joined_passage(earlier: Passage, later: Passage) -> Passage:
    return Passage(earlier.file, earlier.first_line, max(earlier.last_line, later.last_line))


def _line_ranges_by_file(passages: Sequence[Passage]) -> dict[str, list[tuple[int, int]]]:
    stretches: dict[str, list[tuple[int, int]]] = {}
    for passage in sorted(passages, key=_passage_begin_key):
        file_stretches = stretches.setdefault(passage.file, [])
        if file_stretches and passage.first_line <= file_stretches[-1][1] + 1:
            file_stretches[-1] = file_stretches[-1][0], max(file_stretches[-1][1], passage.last_line)
        else:
            file_stretches.append((passage.first_line, passage.last_line))
    return stretches
