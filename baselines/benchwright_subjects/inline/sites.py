"""Sites at which a server is asked: holes in a copy of the reference that never held what is to be written there."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_subjects.inline.text.similarity import non_space_count
from benchwright_subjects.inline.text.syntactic_units import (
    Region,
    SyntacticUnit,
    body_regions,
    trim_region,
    unit_regions,
)
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES

_FEWEST_IN_LINE = 8
"""Characters of a line worth asking for: not `end`, `begin` or a bracket."""
_MOST_LINES = 6
_COMMENT = re.compile(r"//.*|/\*.*")


class SiteKind(StrEnum):
    """Kind of site, by the part that is left out."""

    EMPTY_BODY = "empty-body"
    """All that is between a module's header and its end."""
    LINE = "line"
    LINES = "lines"
    """Two to six lines that follow each other."""
    UNIT = "unit"
    """A port list, an assignment, an always block, a case arm or an assertion."""
    TYPE_THROUGH = "type-through"
    """A module's body, character by character: what is not offered is typed."""
    REPLAY = "replay"
    """The text that somebody wrote next after a pause, in a recorded attempt."""


@dataclass(frozen=True)
class PausePoint:
    """Point in a recorded attempt at which a replay asks."""

    attempt: str
    seq: int
    """Number of the edit before it."""
    gap_ms: float
    """Length of the pause in milliseconds."""


@dataclass(frozen=True)
class Site:
    """One place to ask at."""

    id: str
    """Says where it is, and nothing of what is there."""
    problem: str
    """PACK/ID."""
    path: str
    kind: SiteKind
    text_before: str = field(repr=False)
    """Text left of the cursor that the server sees."""
    text_after: str = field(repr=False)
    """Text right of the cursor that the server sees."""
    expected_text: str = field(repr=False)
    """Text that belongs between them. No server ever gets it."""
    unit: SyntacticUnit | None = None
    final: str | None = field(default=None, repr=False)
    """Of a replay, the file at the end of the attempt."""
    pause: PausePoint | None = None
    """Of a replay."""


@dataclass(frozen=True)
class SiteSelection:
    """Selection of the sites to make."""

    site_kinds: Sequence[SiteKind]
    per_kind: int = 3
    """Most holes of one kind in a file; of syntactic units, of each."""
    longest: int = 600
    """Characters, without white space, that a site of `TYPE_THROUGH` covers."""
    seed: int = 1


def sites_of_problem(ref: str, problem: Problem, cutting: SiteSelection) -> list[Site]:
    """The sites of one problem, the same for the same seed.

    Args:
        ref: PACK/ID.
        problem: The problem with its hidden part.
        cutting: Selection of the sites to make.
    """
    return [
        site
        for path in sorted(problem.hidden.reference)
        if path in problem.public.expected and path.endswith(tuple(DESIGN_SUFFIXES))
        for kind in cutting.site_kinds
        for site in _sites_of_kind(ref, path, problem.hidden.reference[path], kind, cutting)
    ]


def can_be_cut(problem: Problem) -> bool:
    """True if there is a reference to cut holes into."""
    return problem.kind is ProblemKind.DESIGN and problem.public.tree is None and bool(problem.hidden.reference)


def kinds_of_names(names: Sequence[str]) -> list[SiteKind]:
    """The kinds of these names, in the order of the enumeration.

    Raises:
        EvaluationError: A name is no kind of site.
    """
    known_kinds = [kind.value for kind in SiteKind]
    if unknown := next((name for name in names if name not in known_kinds), None):
        raise EvaluationError(f"There are no sites of kind {unknown!r}. Choose from: {', '.join(known_kinds)}.")
    return [kind for kind in SiteKind if kind.value in names]


def _sites_of_kind(ref: str, path: str, text: str, kind: SiteKind, cutting: SiteSelection) -> Iterator[Site]:
    random_source = random.Random(f"{cutting.seed}:{ref}:{path}:{kind}")  # noqa: S311 - a sample, not a secret
    match kind:
        case SiteKind.EMPTY_BODY:
            holes: list[tuple[Region, SyntacticUnit | None]] = [(region, None) for region in body_regions(text)]
        case SiteKind.TYPE_THROUGH:
            longest = max(body_regions(text), key=lambda region: region[1] - region[0], default=None)
            holes = [(longest, None)] if longest else []
        case SiteKind.LINE:
            holes = [
                (region, None) for region in _draw_regions(_code_line_regions(text), cutting.per_kind, random_source)
            ]
        case SiteKind.LINES:
            holes = [
                (region, None)
                for region in _draw_regions(_line_span_regions(text, random_source), cutting.per_kind, random_source)
            ]
        case SiteKind.UNIT:
            holes = [
                (region, unit)
                for unit in SyntacticUnit
                for region in _draw_regions(unit_regions(text, unit), cutting.per_kind, random_source)
            ]
        case SiteKind.REPLAY:
            holes = []
    for (start, end), unit in holes:
        name = f"{ref}/{path}#{kind}{f'-{unit}' if unit else ''}@{start}-{end}"
        expected_text = text[start:end]
        if kind is SiteKind.TYPE_THROUGH:
            expected_text = _first_lines(expected_text, cutting.longest)
        yield Site(name, ref, path, kind, text[:start], text[end:], expected_text, unit)


def _draw_regions(regions: Sequence[Region], sample_size: int, random_source: random.Random) -> list[Region]:
    return sorted(random_source.sample(regions, min(sample_size, len(regions))))


def _code_line_regions(text: str) -> list[Region]:
    """The lines with code, without their indentation."""
    regions = []
    start = 0
    for line in text.splitlines(keepends=True):
        if non_space_count(_COMMENT.sub("", line)) >= _FEWEST_IN_LINE:
            regions.append(trim_region(text, start, start + len(line)))
        start += len(line)
    return regions


def _line_span_regions(text: str, random_source: random.Random) -> list[Region]:
    """Some spans of lines that begin at a line with code."""
    code_lines = _code_line_regions(text)
    spans = []
    for index, (start, _) in enumerate(code_lines):
        last_index = min(len(code_lines) - 1, index + random_source.randint(1, _MOST_LINES - 1))
        if last_index > index:
            spans.append((start, code_lines[last_index][1]))
    return [span for span in spans if text.count("\n", *span) < _MOST_LINES]


def _first_lines(text: str, most_characters: int) -> str:
    """The first lines that have this many characters together, one line at least."""
    first_lines = ""
    for line in text.splitlines(keepends=True):
        if first_lines and non_space_count(first_lines + line) > most_characters:
            break
        first_lines += line
    return first_lines.rstrip()
