"""Problems that are nearly the same: in one pack, in several, or a new one and a public set.

Texts are compared as sets of runs of five tokens (Broder, "On the resemblance and containment of documents", 1997).
MinHash with locality-sensitive hashing finds the pairs that may be alike; each is then compared exactly.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from benchwright_problems.problem import Pack, Problem
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES

_RUN = 5
_FEWEST = 10
"""Runs of a text: a shorter one is like many others."""
_HASHES = 128
_MARGIN = 0.1
"""By how much the estimate of a pair may be too low."""
_WORD = re.compile(r"[^\W_]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"[A-Za-z_][\w$]*|\d[\w']*|'[sS]?[bodhBODH]?[\w?]+|[^\s\w]")


class Part(StrEnum):
    """What of two problems is alike."""

    STATEMENT = "statement"
    """With the choices of a question."""
    REFERENCE = "reference"
    """The design files of the reference."""


@dataclass(frozen=True)
class Pair:
    """Two problems that are nearly the same."""

    first: str
    """PACK/PROBLEM."""
    second: str
    part: Part
    similarity: float
    """Jaccard index of their runs of tokens, 0 to 1."""


class NearCopies:
    """Texts that were seen, and which of them a new one is nearly the same as.

    Args:
        threshold: The least similarity that is reported, above 0 and at most 1.
    """

    def __init__(self, threshold: float) -> None:
        from datasketch import MinHashLSH

        self._threshold = threshold
        self._index = MinHashLSH(threshold=max(0.1, threshold - _MARGIN), num_perm=_HASHES)
        self._runs: dict[str, frozenset[int]] = {}

    def add(self, name: str, tokens: Sequence[str]) -> list[tuple[str, float]]:
        """Adds a text; returns those that it is nearly the same as, with their similarity. Short ones are left out."""
        from datasketch import MinHash

        own = _runs(tokens)
        if len(own) < _FEWEST:
            return []
        hashed = MinHash(num_perm=_HASHES)
        hashed.update_batch([one.to_bytes(8, "big") for one in own])
        compared = {other: self._runs[other] for other in self._index.query(hashed)}
        self._index.insert(name, hashed)
        self._runs[name] = own
        alike = ((other, len(own & runs) / len(own | runs)) for other, runs in compared.items())
        return [(other, similarity) for other, similarity in alike if similarity >= self._threshold]


def near_copies(
    packs: Sequence[Pack], threshold: float = 0.8, on_progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Pair]:
    """The pairs of problems that are nearly the same, the most similar first.

    Args:
        packs: With hidden parts, for references to be compared.
        threshold: The least similarity that is reported, above 0 and at most 1.
        on_progress: Called with how many problems were read, and of how many.
    """
    total = 2 * sum(len(pack.problems) for pack in packs)
    done = 0
    found: list[Pair] = []
    for part in Part:
        known = NearCopies(threshold)
        for ref, problem in _problems(packs):
            alike = known.add(ref, _tokens(problem, part))
            found += [Pair(other, ref, part, similarity) for other, similarity in alike]
            done += 1
            on_progress(done, total)
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.lower())


def _problems(packs: Sequence[Pack]) -> Iterator[tuple[str, Problem]]:
    for pack in packs:
        for problem in pack.problems:
            yield f"{pack.name}/{problem.id}", problem


def _tokens(problem: Problem, part: Part) -> list[str]:
    if part is Part.STATEMENT:
        question = problem.public.question
        texts = [problem.public.statement, *(choice.text for choice in (question.choices if question else ()))]
        return words_of(" ".join(texts))
    return [token for text in _sources(problem.hidden.reference) for token in _TOKEN.findall(_COMMENT.sub(" ", text))]


def _sources(files: Mapping[str, str]) -> Iterator[str]:
    return (text for path, text in sorted(files.items()) if PurePosixPath(path).suffix in DESIGN_SUFFIXES)


def _runs(tokens: Sequence[str]) -> frozenset[int]:
    joined = ("\0".join(tokens[at : at + _RUN]) for at in range(len(tokens) - _RUN + 1))
    return frozenset(
        int.from_bytes(hashlib.blake2b(one.encode(errors="replace"), digest_size=8).digest(), "big") for one in joined
    )
