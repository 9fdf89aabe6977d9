"""A question as its author writes it in a form, and a pack of such questions."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator

from benchwright_authoring.answers_of_models import is_right_by_rule
from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
from benchwright_authoring.problem_files.question_rules import question_remarks
from benchwright_authoring.problem_files.toml_places import TomlPlaces
from benchwright_authoring.twin_key import free_response_key
from benchwright_foundation.model import Model
from benchwright_foundation.toml_text import toml_table_text
from benchwright_problems.errors import ProblemsError
from benchwright_problems.figure import MediaType
from benchwright_problems.problem import (
    Answer,
    AnswerKind,
    Choice,
    Difficulty,
    Pack,
    Problem,
    ProblemKind,
    Question,
    QuestionFormat,
    Skill,
)
from benchwright_problems.rubric_points import RubricPoints
from benchwright_problems.storage.pack_files_schema import PackToml, ProblemToml
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder

LETTERS = ("A", "B", "C", "D")
CHOOSABLE: Mapping[QuestionFormat, Sequence[str]] = {
    style: LETTERS if style.answered_by.has_choices else style.fixed_keys
    for style in QuestionFormat
    if style.answered_by.has_choices or style.fixed_keys
}
"""Answers that can be chosen from, by format."""
MOST_CHARACTERS = 10_000
"""Of a statement, a model answer or an explanation."""
MOST_OPTION_CHARACTERS = 1_000
MOST_ALTERNATIVES = 8
MOST_FIGURES = 3


def _text_constraints(max_length: int, min_length: int = 1) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=min_length, max_length=max_length)


Option = Annotated[str, _text_constraints(MOST_OPTION_CHARACTERS)]


def _answer_kind_of_format(info: ValidationInfo) -> AnswerKind | None:
    """The way in which the question that is being checked is answered; None if its format is none."""
    style: QuestionFormat | None = info.data.get("format")
    return style.answered_by if style is not None else None


class WrittenFigure(Model):
    """A picture that the question shows before its text."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Of its bytes, which are kept elsewhere."""
    media_type: Literal[MediaType.PNG, MediaType.JPEG]
    # A bracket or backslash would end the Markdown that shows it.
    alt: Annotated[str, _text_constraints(300), Field(pattern=r"^[^\[\]\\\n\r]*$")]
    """Description of what the figure shows, in words."""

    @property
    def suffix(self) -> str:
        """Of a file with it."""
        return ".png" if self.media_type is MediaType.PNG else ".jpg"


class WrittenQuestion(Model):
    """Question as an author writes it."""

    format: QuestionFormat = QuestionFormat.MULTIPLE_CHOICE
    title: Annotated[str, _text_constraints(120), Field(pattern=r"^[^\n\r]*$")]
    statement: Annotated[str, _text_constraints(MOST_CHARACTERS)]
    """Markdown, without a title and without figures."""
    choices: Annotated[tuple[Option, ...], Field(validate_default=True)] = ()
    """The wording of options A to D; none in formats without options."""
    answer: Annotated[str, _text_constraints(MOST_CHARACTERS)]
    """Letter of the right option, or letters as in `AC`; `true` or `false`; what fills the blank; or a model answer."""
    alternatives: Annotated[tuple[Option, ...], Field(max_length=MOST_ALTERNATIVES)] = ()
    """Other texts that may fill the blank."""
    rubric: Annotated[RubricPoints | None, Field(validate_default=True)] = None
    """Points of the rubric for an answer in words."""
    explanation: Annotated[str, _text_constraints(MOST_CHARACTERS)]
    """Explanation of why the answer is right, and others are not."""
    topic: Annotated[str, _text_constraints(120, 0)] = ""
    skill: Skill | None = None
    figures: Annotated[tuple[WrittenFigure, ...], Field(max_length=MOST_FIGURES)] = ()

    @field_validator("statement", "explanation")
    @classmethod
    def _require_no_picture(cls, field_text: str) -> str:
        if "![" in field_text:
            raise ValueError("pictures can't stand in the text; send them by the fields for figures")
        return field_text

    @field_validator("choices")
    @classmethod
    def _require_fitting_choices(cls, choices: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        answered_by = _answer_kind_of_format(info)
        expected_count = len(LETTERS) if answered_by is not None and answered_by.has_choices else 0
        if len(choices) != expected_count:
            raise ValueError(f"a question of this format has {expected_count} options, not {len(choices)}")
        return choices

    @field_validator("answer")
    @classmethod
    def _require_fitting_answer(cls, answer: str, info: ValidationInfo) -> str:
        style: QuestionFormat | None = info.data.get("format")
        if style is not None and (expected := style.unmet_key_rule_in_words(answer, LETTERS)):
            raise ValueError(f"it has to be {expected}")
        if _answer_kind_of_format(info) is AnswerKind.BLANK and len(answer) > MOST_OPTION_CHARACTERS:
            raise ValueError(f"what fills a blank has at most {MOST_OPTION_CHARACTERS} characters")
        return answer

    @field_validator("alternatives")
    @classmethod
    def _require_fitting_alternatives(cls, alternatives: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if alternatives and _answer_kind_of_format(info) is not AnswerKind.BLANK:
            raise ValueError("only a blank can be filled in other ways")
        return alternatives

    @field_validator("rubric")
    @classmethod
    def _require_fitting_rubric(cls, rubric: RubricPoints | None, info: ValidationInfo) -> RubricPoints | None:
        if (rubric is not None) != (_answer_kind_of_format(info) is AnswerKind.WORDS):
            raise ValueError("answers in words, and no others, need points that people grade by")
        return rubric

    @field_validator("figures")
    @classmethod
    def _require_each_figure_once(cls, figures: tuple[WrittenFigure, ...]) -> tuple[WrittenFigure, ...]:
        if len({figure.sha256 for figure in figures}) < len(figures):
            raise ValueError("a picture is there twice")
        return figures

    @property
    def key(self) -> Answer:
        """The key that decides, or helps those who decide."""
        return Answer(
            value=self.answer,
            alternatives=self.alternatives,
            # A blank is filled by what the author names, and a model has no say.
            closed=self.format.answered_by is AnswerKind.BLANK,
            points=self.rubric,
            explanation=self.explanation,
        )

    @property
    def public_question(self) -> Question:
        """The public side without its text."""
        choices = zip(LETTERS, self.choices, strict=False)
        return Question(
            format=self.format,
            choices=tuple(Choice(letter=letter, text=text) for letter, text in choices),
            topic=self.topic,
            skill=self.skill,
        )

    def is_right_by_rule(self, given_answer: str) -> bool | None:
        """True if an answer is the key, by rule; None for answers in words, and where nothing fills the blank.

        Args:
            given_answer: A letter or letters, `true` or `false`, or words.
        """
        return is_right_by_rule(self.public_question, self.statement, self.key, given_answer)

    def free_response_twin(self, own_problem_id: str) -> Self:
        """The same question without its options, as free response.

        Args:
            own_problem_id: Id of this question.

        Raises:
            ValueError: The question is not multiple-choice, or its explanation is too long for a sentence more.
        """
        if self.format.answered_by is not AnswerKind.CHOICE:
            raise ValueError("only a multiple-choice question has a twin without options")
        key = free_response_key(self.choices[LETTERS.index(self.answer)], self.explanation, own_problem_id)
        if len(key.explanation) > MOST_CHARACTERS:
            raise ValueError("the explanation is too long for the sentence that names the other question; shorten it")
        return self.model_copy(
            update={
                "format": QuestionFormat.FREE_RESPONSE,
                "choices": (),
                "answer": key.value,
                "rubric": key.points,
                "explanation": key.explanation,
            }
        )

    def as_problem(self, pictures_by_sha256: Mapping[str, bytes]) -> Problem:
        """The question as solvers get it, with its key.

        Args:
            pictures_by_sha256: Pictures of the figures.

        Raises:
            ProblemsError: The question can't be a problem.
        """
        head = PackToml(name="draft", title="Draft", version="0", license="", source="", order=["question"])
        return build_pack(head, {"question": self}, pictures_by_sha256).problems[0]

    def remarks(self) -> Sequence[str]:
        """Remarks on what makes it hard to score or easy to guess, by the rules for a pack folder's questions."""
        text = _problem_toml_text("question", self)
        spec = ProblemToml.model_validate(_problem_fields("question", self))
        rule_remarks = question_remarks(spec, _statement_markdown(self), TomlPlaces(text))
        return [remark.message for remark in rule_remarks]


def build_pack(
    pack_toml: PackToml, questions_by_id: Mapping[str, WrittenQuestion], pictures_by_sha256: Mapping[str, bytes]
) -> Pack:
    """A pack of questions; it is read as one that was written to a folder.

    Args:
        pack_toml: Contents of `pack.toml`.
        questions_by_id: Questions by their ids, which are in `head.order`.
        pictures_by_sha256: Those of all questions.

    Raises:
        ProblemsError: The questions can't be a pack.
    """
    with tempfile.TemporaryDirectory(prefix="benchwright-questions-") as temporary:
        folder = Path(temporary)
        (folder / PACK_FILE).write_text(
            toml_table_text(pack_toml.model_dump(mode="json", exclude_none=True)), encoding="utf-8"
        )
        for name, question in questions_by_id.items():
            write_question(folder, name, question, pictures_by_sha256)
        try:
            return read_pack_folder(folder)
        except ProblemsError as error:
            raise ProblemsError(str(error).replace(f"{folder}/", "")) from error


def write_question(
    pack_folder: Path, problem_id: str, question: WrittenQuestion, pictures_by_sha256: Mapping[str, bytes]
) -> None:
    """Writes a question into the folder of its pack.

    Args:
        pack_folder: The pack's.
        problem_id: The question's id.
        question: Question to write.
        pictures_by_sha256: Those of its figures.

    Raises:
        OSError: The question can't be written.
    """
    (pack_folder / problem_id).mkdir()
    (pack_folder / problem_id / PROBLEM_FILE).write_text(_problem_toml_text(problem_id, question), encoding="utf-8")
    (pack_folder / problem_id / STATEMENT).write_text(_statement_markdown(question), encoding="utf-8")
    for path, figure in _paths_and_figures(question):
        (pack_folder / problem_id / path).parent.mkdir(exist_ok=True)
        (pack_folder / problem_id / path).write_bytes(pictures_by_sha256[figure.sha256])


def _problem_toml_text(problem_id: str, question: WrittenQuestion) -> str:
    return toml_table_text(_problem_fields(problem_id, question))


def _problem_fields(problem_id: str, question: WrittenQuestion) -> dict[str, object]:
    question_table: dict[str, object] = {"format": question.format.value}
    question_table |= {"topic": question.topic} if question.topic else {}
    question_table |= {"skill": question.skill.value} if question.skill is not None else {}
    question_table |= {"choices": dict(zip(LETTERS, question.choices, strict=True))} if question.choices else {}
    return {
        "id": problem_id,
        "kind": ProblemKind.QUESTION.value,
        "difficulty": Difficulty.MEDIUM.value,
        "question": question_table,
        "answer": question.key.model_dump(mode="json", exclude_defaults=True),
    }


def _paths_and_figures(question: WrittenQuestion) -> Sequence[tuple[str, WrittenFigure]]:
    return [(f"figures/figure-{number}{figure.suffix}", figure) for number, figure in enumerate(question.figures, 1)]


def _statement_markdown(question: WrittenQuestion) -> str:
    # Before the text: no code block or comment that is left open there can hide them.
    pictures = [f"![{figure.alt}]({path})" for path, figure in _paths_and_figures(question)]
    return "\n\n".join((f"# {question.title}", *pictures, f"{question.statement}\n"))
