"""Sizes of a pack's texts, and the number of its problems of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from benchwright_problems.problem import Pack, Problem

TokenCount = Callable[[str], int | None]
"""The number of tokens in a text; None if nothing can count them."""


class ProblemPart(StrEnum):
    """Part of a problem whose text is measured."""

    STATEMENT = "statement"
    """With the choices of a question."""
    FILES = "starting files"
    """All together."""
    REFERENCE = "reference"
    """All files of the reference together, or the answer of a question."""
    HARNESS = "harness"
    """All files together."""


@dataclass(frozen=True)
class PartSize:
    """Size of one part over the problems that have it."""

    part: ProblemPart
    problems: int
    mean_lines: float
    most_lines: int
    mean_tokens: float | None
    """None if nothing can count them."""
    most_tokens: int | None


@dataclass(frozen=True)
class ProblemGroup:
    """Some problems of a pack."""

    name: str
    problems: int
    sizes: tuple[PartSize, ...]
    """Of the parts that any of them has."""


def _category_code_and_label(problem: Problem) -> str:
    return f"{problem.category.value} {problem.category.label}" if problem.category is not None else ""


def _skill_name_or_empty(problem: Problem) -> str:
    question = problem.public.question
    return question.skill.value if question is not None and question.skill is not None else ""


class GroupProperty(StrEnum):
    """A property by which problems can be grouped."""

    CATEGORY = "category"
    KIND = "kind"
    FORM = "form"
    """The form of the data set that a problem was imported from."""
    DIFFICULTY = "difficulty"
    FORMAT = "format"
    DOMAIN = "domain"
    TOPIC = "topic"
    SKILL = "skill"
    LANGUAGE = "language"
    PUBLISHED = "published"


_NAME_OF_GROUP: dict[GroupProperty, Callable[[Problem], str]] = {
    GroupProperty.CATEGORY: _category_code_and_label,
    GroupProperty.KIND: lambda problem: problem.kind.value,
    GroupProperty.FORM: lambda problem: problem.hidden.dataset_format,
    GroupProperty.DIFFICULTY: lambda problem: problem.difficulty.value,
    GroupProperty.FORMAT: lambda problem: problem.public.question.format.value if problem.public.question else "",
    GroupProperty.DOMAIN: lambda problem: problem.public.question.domain if problem.public.question else "",
    GroupProperty.TOPIC: lambda problem: problem.public.question.topic if problem.public.question else "",
    GroupProperty.SKILL: _skill_name_or_empty,
    GroupProperty.LANGUAGE: lambda problem: problem.public.question.language if problem.public.question else "",
    GroupProperty.PUBLISHED: lambda problem: problem.published or "",
}


def group_counts(pack: Pack) -> dict[GroupProperty, Counter[str]]:
    """Property → name of a group, or `none` → number of problems; without properties in which no problems differ."""
    counts = {group_property: Counter(group_names(pack, group_property)) for group_property in GroupProperty}
    return {group_property: counter for group_property, counter in counts.items() if len(counter) > 1}


def problem_groups(pack: Pack, group_property: GroupProperty, count_tokens: TokenCount) -> list[ProblemGroup]:
    """The problems of each group in the order of their names, and all together if there are several.

    Args:
        pack: With its hidden parts, as far as they are known.
        group_property: The property by which they are grouped.
        count_tokens: Called with each text once.
    """
    names = group_names(pack, group_property)
    pack_texts = [_text_by_part(problem) for problem in pack.problems]
    measured_texts = [
        {part: (len(text.splitlines()), count_tokens(text)) for part, text in problem_texts.items()}
        for problem_texts in pack_texts
    ]
    texts_by_group = [
        (name, [measured for group, measured in zip(names, measured_texts, strict=True) if group == name])
        for name in sorted({*names})
    ]
    if len(texts_by_group) > 1:
        texts_by_group.append(("all", measured_texts))
    return [ProblemGroup(name, len(measured), tuple(_sizes_of_parts(measured))) for name, measured in texts_by_group]


def group_names(pack: Pack, group_property: GroupProperty) -> list[str]:
    """The group of each problem of a pack."""
    default = (pack.published or "") if group_property is GroupProperty.PUBLISHED else ""
    return [_NAME_OF_GROUP[group_property](problem) or default or "none" for problem in pack.problems]


def statement_text(problem: Problem) -> str:
    """The statement of a problem, with the choices of a question."""
    choices = problem.public.question.choices if problem.public.question is not None else ()
    return _joined_part_texts([problem.public.statement, *(f"{choice.letter}. {choice.text}" for choice in choices)])


def _text_by_part(problem: Problem) -> dict[ProblemPart, str]:
    public, hidden_part = problem.public, problem.hidden
    answer = hidden_part.answer.value if hidden_part.answer is not None else ""
    texts = {
        ProblemPart.STATEMENT: statement_text(problem),
        ProblemPart.FILES: _joined_part_texts(public.files.values()),
        ProblemPart.REFERENCE: _joined_part_texts(hidden_part.reference.values()) or answer,
        ProblemPart.HARNESS: _joined_part_texts(hidden_part.harness.values()),
    }
    return {part: text for part, text in texts.items() if text}


def _joined_part_texts(part_texts: Iterable[str]) -> str:
    return "\n".join(text for text in part_texts if text)


def _sizes_of_parts(
    lines_and_tokens_by_part: Sequence[Mapping[ProblemPart, tuple[int, int | None]]],
) -> Iterable[PartSize]:
    """The sizes of each part that any problem has, from lines and tokens of each problem's parts."""
    for problem_part in ProblemPart:
        measured_sizes = [
            measured_texts[problem_part]
            for measured_texts in lines_and_tokens_by_part
            if problem_part in measured_texts
        ]
        lines = [line_count for line_count, _ in measured_sizes]
        tokens = [token_count for _, token_count in measured_sizes if token_count is not None]
        if measured_sizes:
            is_counted = len(tokens) == len(measured_sizes)
            yield PartSize(
                problem_part,
                len(measured_sizes),
                fmean(lines),
                max(lines),
                fmean(tokens) if is_counted else None,
                max(tokens) if is_counted else None,
            )
