"""Two solutions beside each other: each line with the passage that the other solution has too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_teaching.similarity import Passage, SimilarPair


@dataclass(frozen=True)
class ComparedLine:
    """A line of a solution."""

    number: int
    text: str
    passage: int | None
    """Number of the passage in common that it is part of, from 1; None if it is in none."""
    passage_starts: Sequence[int]
    """Numbers of the passages that begin at the line."""


@dataclass(frozen=True)
class ComparedSolution:
    """A solution of a pair."""

    account: str
    lines_by_path: Mapping[str, Sequence[ComparedLine]]


def lines_side_by_side(
    pair: SimilarPair, texts_by_account: Mapping[str, Mapping[str, str]]
) -> tuple[ComparedSolution, ComparedSolution]:
    """Both solutions of a pair, line by line.

    Args:
        pair: What they have in common.
        texts_by_account: By account, the texts of its files by path.
    """
    passages = _distinct_passages(pair.passages)
    first_solution, second_solution = (
        ComparedSolution(
            account,
            {
                path: _compared_lines(path, text, [both_sides[side] for both_sides in passages])
                for path, text in sorted(texts_by_account.get(account, {}).items())
            },
        )
        for side, account in enumerate((pair.first, pair.second))
    )
    return first_solution, second_solution


def _distinct_passages(passages: Sequence[tuple[Passage, Passage]]) -> list[tuple[Passage, Passage]]:
    """Passages without those whose lines are on both sides in longer ones, which go with other lines."""
    distinct: list[tuple[Passage, Passage]] = []
    for both_sides in sorted(passages, key=lambda passage_pair: passage_pair[0].first_line - passage_pair[0].last_line):
        if not all(
            any(_covers(longer[side], passage) for longer in distinct) for side, passage in enumerate(both_sides)
        ):
            distinct.append(both_sides)
    return sorted(distinct, key=lambda passage_pair: (passage_pair[0].file, passage_pair[0].first_line))


def _covers(covering_passage: Passage, passage: Passage) -> bool:
    return (
        covering_passage.file == passage.file
        and covering_passage.first_line <= passage.first_line
        and passage.last_line <= covering_passage.last_line
    )


def _compared_lines(path: str, text: str, passages: Sequence[Passage]) -> list[ComparedLine]:
    passage_by_line: dict[int, int] = {}
    begun_by_line: dict[int, list[int]] = {}
    for number, passage in enumerate(passages, 1):
        if passage.file == path:
            begun_by_line.setdefault(passage.first_line, []).append(number)
            for line in range(passage.first_line, passage.last_line + 1):
                passage_by_line.setdefault(line, number)
    lines = text.removesuffix("\n").split("\n")
    return [
        ComparedLine(number, line.removesuffix("\r"), passage_by_line.get(number), begun_by_line.get(number, ()))
        for number, line in enumerate(lines, 1)
    ]
