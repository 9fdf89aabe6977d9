"""The parts of a question that files of learning platforms can hold, and what a file does not hold of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import ValidationError

from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import (
    Answer,
    AnswerKind,
    Choice,
    Difficulty,
    Figure,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
    Skill,
)

LABELS = ("difficulty", "domain", "subdomain", "topic", "tag", "skill", "language", "group", "form", "unit")
"""Labels that a file holds as words beside the question, written `name:value`."""
_DEFAULTS = {"difficulty": Difficulty.MEDIUM.value, "language": "en"}
_TEXTS = ("public.statement", "hidden.answer.explanation", "hidden.answer.value")
_ELSEWHERE = ("provenance", "hidden.dataset_format", "hidden.record", "hidden.sha256", "published")
"""Fields that belong to the pack or to the file that a question was imported from."""

_CATEGORY_ROOTS = frozenset({"top", "$course$", "$module$", "$cat1$", "$system$"})
"""Names that begin the path of a category, and say nothing of it."""


class QuestionFileError(ProblemsError):
    """A file of questions can't be read or written; the message names file, question, field and next step."""


@dataclass(frozen=True)
class QuestionLoss:
    """One thing that a question had and has no more."""

    question: str
    lost: str

    def __str__(self) -> str:
        return f"{self.question}: {self.lost}"


@dataclass
class QuestionParts:
    """One question, without what only a pack knows."""

    id: str
    title: str
    statement: str
    """Markdown."""
    format: QuestionFormat
    choices: dict[str, str] = field(default_factory=dict)
    """Letter → Markdown."""
    key: str = ""
    alternatives: tuple[str, ...] = ()
    tolerance: float | None = None
    explanation: str = ""
    """Markdown."""
    figures: tuple[Figure, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def right_letters(self) -> str:
        """Letters of the right choices."""
        return self.key if self.choices else ""

    def as_problem(self, provenance: Provenance) -> Problem:
        """The question as a problem.

        Raises:
            QuestionFileError: It is none, such as one without a key.
        """
        if not self.key.strip():
            raise QuestionFileError(f"question {self.id}, answer: is missing; a question needs a key.")
        if reason := self.format.unmet_key_rule_in_words(self.key, [*self.choices]):
            raise QuestionFileError(f"question {self.id}, answer: is {self.key!r}; it has to be {reason}.")
        labels = _DEFAULTS | self.labels
        question_labels = {name: labels.get(name, "") for name in ("domain", "subdomain", "topic", "tag", "group")}
        try:
            return Problem(
                id=self.id,
                kind=ProblemKind.QUESTION,
                title=self.title,
                difficulty=Difficulty(labels["difficulty"]),
                provenance=provenance,
                public=Public(
                    statement=self.statement,
                    figures=self.figures,
                    question=Question(
                        format=self.format,
                        choices=tuple(Choice(letter=letter, text=text) for letter, text in self.choices.items()),
                        skill=Skill(labels["skill"]) if "skill" in labels else None,
                        language=labels["language"],
                        **question_labels,
                    ),
                ),
                hidden=Hidden(
                    answer=Answer(
                        value=self.key,
                        alternatives=self.alternatives,
                        closed=self.format.answered_by is not AnswerKind.WORDS,
                        tolerance=self.tolerance,
                        unit=labels.get("unit", ""),
                        explanation=self.explanation,
                    )
                ),
            )
        except (ValidationError, ValueError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise QuestionFileError(f"question {self.id}: {reason}.") from error


def parts_of_problem(problem: Problem) -> QuestionParts:
    """The parts of a problem that files can hold.

    Raises:
        QuestionFileError: It is no question with a key.
    """
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None:
        raise QuestionFileError(f"{problem.id} is no question with a key; only questions can be written.")
    values = {name: str(getattr(question, name) or "") for name in ("domain", "subdomain", "topic", "tag", "group")}
    values |= {"difficulty": problem.difficulty.value, "language": question.language, "unit": key.unit}
    values |= {"skill": question.skill.value if question.skill is not None else ""}
    if question.format.answered_by is AnswerKind.WORDS:
        values["form"] = question.format.value
    return QuestionParts(
        id=problem.id,
        title=problem.title,
        statement=problem.public.statement,
        format=question.format,
        choices={choice.letter: choice.text for choice in question.choices},
        key=key.value,
        alternatives=key.alternatives,
        tolerance=key.tolerance,
        explanation=key.explanation,
        figures=problem.public.figures,
        labels={name: value for name, value in values.items() if value and value != _DEFAULTS.get(name)},
    )


def pop_format_of_words_question(question_labels: dict[str, str]) -> QuestionFormat:
    """The format of a question that is answered in words: as its label says, else free response."""
    form = question_labels.pop("form", "")
    return QuestionFormat.OPEN_ENDED if form == QuestionFormat.OPEN_ENDED.value else QuestionFormat.FREE_RESPONSE


def losses_after_reading_back(written_problem: Problem, problem_read_back: Problem | None) -> Iterator[QuestionLoss]:
    """What a file does not hold of a question: every field that is another one once the file has been read again.

    Texts are the same if they look the same, rendered_xhtml.
    """
    if problem_read_back is None:
        yield QuestionLoss(written_problem.id, "the whole question: the format has no such questions")
        return
    written_fields, returned_fields = (
        dict(_leaf_fields(problem.model_dump(mode="json"))) for problem in (written_problem, problem_read_back)
    )
    for path in sorted(written_fields.keys() | returned_fields.keys()):
        if path.startswith(_ELSEWHERE) or written_fields.get(path) == returned_fields.get(path):
            continue
        is_text = path in _TEXTS or path.endswith(".text")
        if is_text and rendered_xhtml(str(written_fields.get(path, ""))) == rendered_xhtml(
            str(returned_fields.get(path, ""))
        ):
            continue
        yield QuestionLoss(written_problem.id, path)


def _leaf_fields(json_value: Any, dotted_path: str = "") -> Iterator[tuple[str, Any]]:
    """Path → value of each field that holds no others; empty ones are left out."""
    if isinstance(json_value, dict):
        for name, member in json_value.items():
            yield from _leaf_fields(member, f"{dotted_path}.{name}" if dotted_path else name)
    elif isinstance(json_value, list):
        for index, member in enumerate(json_value):
            yield from _leaf_fields(member, f"{dotted_path}.{index}")
    elif json_value not in (None, ""):
        yield dotted_path, json_value


def rendered_xhtml(markdown: str) -> str:
    """Markdown as XHTML; tags in it are text."""
    xhtml: str = _renderer().render(markdown)
    return xhtml


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).enable("table")


def markdown_of_html(html: str) -> str:
    """HTML as Markdown, without scripts and styles."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(html, "html.parser")
    for element in soup(["script", "style"]):
        element.decompose()
    converter = MarkdownConverter(heading_style="ATX", bullets="-", escape_misc=True)
    return "\n".join(line.rstrip() for line in str(converter.convert_soup(soup)).strip().splitlines())


def first_letters(choice_count: int) -> str:
    """The letters of so many choices.

    Raises:
        QuestionFileError: There are more than letters.
    """
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if choice_count > len(letters):
        raise QuestionFileError(f"a question has {choice_count} choices; {len(letters)} are the most.")
    return letters[:choice_count]


def labels_and_other_words(tag_words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Labels among the words beside a question, and the words that are none."""
    labels: dict[str, str] = {}
    plain_words = []
    for word in tag_words:
        name, colon, value = word.partition(":")
        if colon and value and name in LABELS and name not in labels:
            labels[name] = value
        else:
            plain_words.append(word)
    return labels, plain_words


def category_and_wider_names(category_path: str) -> tuple[str, list[str]]:
    """The last name of a category's path, and those before it, without those that every path begins with."""
    *wider_names, category = category_path.strip().split("/")
    return category, [name for name in wider_names if name and name not in _CATEGORY_ROOTS]
