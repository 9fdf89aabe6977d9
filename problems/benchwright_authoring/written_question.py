"""A multiple-choice question as its author writes it in a form, and a pack of such questions."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
from benchwright_authoring.problem_files.question_rules import question_remarks
from benchwright_authoring.problem_files.toml_places import TomlPlaces
from benchwright_problems.errors import ProblemsError
from benchwright_problems.pack_files_schema import PackFile, ProblemFile
from benchwright_problems.pack_folder import PACK_FILE, read_pack_folder
from benchwright_problems.problem import Difficulty, Kind, Model, Pack, Problem, QuestionFormat, Skill
from benchwright_problems.toml_text import as_toml

LETTERS = ("A", "B", "C", "D")
MOST_CHARACTERS = 10_000
"""Of a statement or an explanation."""
MOST_OPTION_CHARACTERS = 1_000


def _text(most: int, least: int = 1) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


Option = Annotated[str, _text(MOST_OPTION_CHARACTERS)]


class WrittenQuestion(Model):
    """What an author writes."""

    title: Annotated[str, _text(120), Field(pattern=r"^[^\n\r]*$")]
    statement: Annotated[str, _text(MOST_CHARACTERS)]
    """Markdown, without a title and without figures."""
    choices: Annotated[tuple[Option, ...], Field(min_length=len(LETTERS), max_length=len(LETTERS))]
    """The wording of options A to D."""
    answer: Literal["A", "B", "C", "D"]
    """Letter of the right one."""
    explanation: Annotated[str, _text(MOST_CHARACTERS)]
    """Why it is right, and the others are not."""
    topic: Annotated[str, _text(120, 0)] = ""
    skill: Skill | None = None

    @field_validator("statement", "explanation")
    @classmethod
    def _has_no_picture(cls, text: str) -> str:
        if "![" in text:
            raise ValueError("pictures can't be sent by a form; describe what they show, or write a pack folder")
        return text

    def problem(self) -> Problem:
        """The question as solvers get it, with its key.

        Raises:
            ProblemsError: It can't be one.
        """
        head = PackFile(name="draft", title="Draft", version="0", license="", source="", order=["question"])
        return pack_of(head, {"question": self}).problems[0]

    def remarks(self) -> Sequence[str]:
        """What makes the question hard to score or easy to guess, by the rules for questions of a pack folder."""
        text = _problem_file("question", self)
        spec = ProblemFile.model_validate(_values("question", self))
        found = question_remarks(spec, _statement(self), TomlPlaces(text))
        return [remark.message for remark in found]


def pack_of(head: PackFile, questions: Mapping[str, WrittenQuestion]) -> Pack:
    """A pack of questions; it is read as one that was written to a folder.

    Args:
        head: What `pack.toml` says.
        questions: By their ids, which are in `head.order`.

    Raises:
        ProblemsError: It can't be one.
    """
    with tempfile.TemporaryDirectory(prefix="benchwright-questions-") as temporary:
        folder = Path(temporary)
        (folder / PACK_FILE).write_text(as_toml(head.model_dump(mode="json", exclude_none=True)), encoding="utf-8")
        for name, question in questions.items():
            write_question(folder, name, question)
        try:
            return read_pack_folder(folder)
        except ProblemsError as error:
            raise ProblemsError(str(error).replace(f"{folder}/", "")) from error


def write_question(folder: Path, name: str, question: WrittenQuestion) -> None:
    """Writes a question into the folder of its pack.

    Raises:
        OSError: It can't be written.
    """
    (folder / name).mkdir()
    (folder / name / PROBLEM_FILE).write_text(_problem_file(name, question), encoding="utf-8")
    (folder / name / STATEMENT).write_text(_statement(question), encoding="utf-8")


def _problem_file(name: str, question: WrittenQuestion) -> str:
    return as_toml(_values(name, question))


def _values(name: str, question: WrittenQuestion) -> dict[str, object]:
    table: dict[str, object] = {"format": QuestionFormat.MULTIPLE_CHOICE.value}
    table |= {"topic": question.topic} if question.topic else {}
    table |= {"skill": question.skill.value} if question.skill is not None else {}
    return {
        "id": name,
        "kind": Kind.QUESTION.value,
        "difficulty": Difficulty.MEDIUM.value,
        "question": table | {"choices": dict(zip(LETTERS, question.choices, strict=True))},
        "answer": {"value": question.answer, "explanation": question.explanation},
    }


def _statement(question: WrittenQuestion) -> str:
    return f"# {question.title}\n\n{question.statement}\n"
