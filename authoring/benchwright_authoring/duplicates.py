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


class ComparedPart(StrEnum):
    """Part of two problems that is alike."""

    STATEMENT = "statement"
    """With the choices of a question."""
    REFERENCE = "reference"
    """The design files of the reference."""


@dataclass(frozen=True)
class DuplicatePair:
    """Two problems that are nearly the same."""

    first_ref: str
    """PACK/PROBLEM."""
    second_ref: str
    alike_part: ComparedPart
    similarity: float
    """Jaccard index of their runs of tokens, 0 to 1."""


class NearCopyIndex:
    """Texts that were seen, and which of them a new one is nearly the same as.

    Args:
        least_similarity: The least similarity that is reported, above 0 and at most 1.
    """

    def __init__(self, least_similarity: float) -> None:
        from datasketch import MinHashLSH

        self._threshold = least_similarity
        self._index = MinHashLSH(threshold=max(0.1, least_similarity - _MARGIN), num_perm=_HASHES)
        self._runs: dict[str, frozenset[int]] = {}

    def add_text_and_find_copies(self, problem_ref: str, tokens: Sequence[str]) -> list[tuple[str, float]]:
        """Adds a text; returns those that it is nearly the same as, with their similarity. Short ones are left out."""
        from datasketch import MinHash

        own_runs = _token_run_hashes(tokens)
        if len(own_runs) < _FEWEST:
            return []
        hashed = MinHash(num_perm=_HASHES)
        hashed.update_batch([run.to_bytes(8, "big") for run in own_runs])
        compared = {other_name: self._runs[other_name] for other_name in self._index.query(hashed)}
        self._index.insert(problem_ref, hashed)
        self._runs[problem_ref] = own_runs
        similarities = (
            (other_name, len(own_runs & runs) / len(own_runs | runs)) for other_name, runs in compared.items()
        )
        return [(other_name, similarity) for other_name, similarity in similarities if similarity >= self._threshold]


def near_copy_pairs(
    packs: Sequence[Pack],
    least_similarity: float = 0.8,
    on_progress: Callable[[int, int], None] = lambda read_count, total: None,
) -> list[DuplicatePair]:
    """The pairs of problems that are nearly the same, the most similar first.

    Args:
        packs: Packs with hidden parts, for references to be compared.
        least_similarity: The least similarity that is reported, above 0 and at most 1.
        on_progress: Called with how many problems were read, and of how many.
    """
    total = 2 * sum(len(pack.problems) for pack in packs)
    read_count = 0
    copy_pairs: list[DuplicatePair] = []
    for compared_part in ComparedPart:
        copies = NearCopyIndex(least_similarity)
        for ref, problem in _refs_and_problems(packs):
            similar_refs = copies.add_text_and_find_copies(ref, _tokens_of_compared_part(problem, compared_part))
            copy_pairs += [
                DuplicatePair(other_ref, ref, compared_part, similarity) for other_ref, similarity in similar_refs
            ]
            read_count += 1
            on_progress(read_count, total)
    return sorted(copy_pairs, key=lambda copy_pair: (-copy_pair.similarity, copy_pair.first_ref, copy_pair.second_ref))


def lowercase_words(prose: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(prose.lower())


def _refs_and_problems(packs: Sequence[Pack]) -> Iterator[tuple[str, Problem]]:
    for pack in packs:
        for problem in pack.problems:
            yield f"{pack.name}/{problem.id}", problem


def _tokens_of_compared_part(problem: Problem, compared_part: ComparedPart) -> list[str]:
    if compared_part is ComparedPart.STATEMENT:
        question = problem.public.question
        texts = [problem.public.statement, *(choice.text for choice in (question.choices if question else ()))]
        return lowercase_words(" ".join(texts))
    return [
        token for text in _design_sources(problem.hidden.reference) for token in _TOKEN.findall(_COMMENT.sub(" ", text))
    ]


def _design_sources(files: Mapping[str, str]) -> Iterator[str]:
    return (text for path, text in sorted(files.items()) if PurePosixPath(path).suffix in DESIGN_SUFFIXES)


def _token_run_hashes(tokens: Sequence[str]) -> frozenset[int]:
    joined = ("\0".join(tokens[index : index + _RUN]) for index in range(len(tokens) - _RUN + 1))
    return frozenset(
        int.from_bytes(hashlib.blake2b(run.encode(errors="replace"), digest_size=8).digest(), "big") for run in joined
    )
