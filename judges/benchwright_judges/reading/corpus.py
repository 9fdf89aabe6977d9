"""Replies with what a person reads in each: a file of JSON Lines.

An object names a question, and the arrays on the lines below it are replies to it: truth, style, text. A truth is a
letter (several to a question that asks for all right ones), `T` or `F`, `right` or `wrong` for blanks and numbers,
`nothing` where nobody would say that an answer was given, or `either` where people disagree; these are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from benchwright_foundation.model import Model
from benchwright_judges.errors import VotesFileError
from benchwright_judges.judgement import Judgement, JudgementStatus
from benchwright_judges.languages import LANGUAGES, find_language
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

_STYLES = {
    "choice": QuestionFormat.MULTIPLE_CHOICE,
    "multi": QuestionFormat.MULTIPLE_RESPONSE,
    "assertion": QuestionFormat.ASSERTION,
}
_DISPUTED, _NOTHING = "either", "nothing"


def _require_known_language(language_code: str) -> str:
    if find_language(language_code) is None:
        raise ValueError(
            f"no language {language_code!r} is known; choose from {', '.join(known.code for known in LANGUAGES)}"
        )
    return language_code


class AskedQuestion(Model):
    """A question of the file."""

    item: str
    format: Literal["choice", "multi", "assertion", "blank", "number"]
    """`multi` is multiple response."""
    language: Annotated[str, AfterValidator(_require_known_language)]
    question: str
    key: str
    """Accepted answers of a blank, separated by ` / `; a number may end with `(tolerance x)`, relative."""
    options: Annotated[tuple[str, ...], Field(max_length=26)] = ()

    @property
    def problem(self) -> Problem:
        """The question as it is scored. Of choices and assertions, the key decides nothing here."""
        key, _, tolerance = self.key.partition(" (tolerance ")
        value, *alternatives = key.split(" / ")
        style = _STYLES.get(self.format, QuestionFormat.FILL_IN_THE_BLANK)
        choices = tuple(Choice(letter=chr(65 + index), text=text) for index, text in enumerate(self.options))
        return Problem(
            id="q",
            kind=ProblemKind.QUESTION,
            title="Q",
            difficulty=Difficulty.EASY,
            provenance=Provenance(source="", license="", version=""),
            public=Public(
                statement=self.question,
                question=Question.model_validate({"format": style, "language": self.language, "choices": choices}),
            ),
            hidden=Hidden(
                answer=Answer(
                    value=value,
                    alternatives=tuple(alternatives),
                    tolerance=float(tolerance.rstrip(")")) if tolerance else None,
                )
            ),
        )


@dataclass(frozen=True)
class LabelledReply:
    """One reply to one question."""

    question: AskedQuestion
    problem: Problem
    truth: str
    style: str
    text: str

    @property
    def states_one_value(self) -> bool:
        """True if a person reads exactly one value in it."""
        return self.truth != _NOTHING

    def truth_read_by(self, judgement: Judgement) -> str | None:
        """Value that a judgement reads in it, as a truth is written; None if nothing."""
        if judgement.status is not JudgementStatus.SCORED:
            return None
        if self.question.format in ("blank", "number"):
            return "right" if judgement.passed else "wrong"
        return {"true": "T", "false": "F"}.get(judgement.label, judgement.label)

    def reading_outcome(self, judgement: Judgement) -> str:
        """Outcome of reading: `read`, `unread`, `misread`, `invented` (no value, or several, were said), or `judge`.

        `judge` is a wrong text for a blank, which only a judge can call wrong.
        """
        value = self.truth_read_by(judgement)
        if not self.states_one_value:
            return "read" if value is None else "invented"
        if value is None:
            return "judge" if (self.question.format, self.truth) == ("blank", "wrong") else "unread"
        return "read" if value == self.truth else "misread"


def read_corpus(corpus_file: Path) -> Sequence[LabelledReply]:
    """The replies of a file on which people agree.

    Raises:
        VotesFileError: The file can't be read, or a line is no question and no reply; the message names line and field.
    """
    try:
        lines = corpus_file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise VotesFileError(f"{corpus_file} can't be read: {reason}") from error
    return [*_read_replies(corpus_file, lines)]


def _read_replies(corpus_file: Path, json_lines: Sequence[str]) -> Iterator[LabelledReply]:
    question, problem = None, None
    for number, line in enumerate(json_lines, start=1):
        if not line.strip():
            continue
        try:
            # The two kinds of lines share no form, so errors are of the one that was meant.
            line_type = AskedQuestion if line.lstrip().startswith("{") else tuple[str, str, str]
            corpus_line = TypeAdapter[AskedQuestion | tuple[str, str, str]](line_type).validate_json(line)
            if isinstance(corpus_line, AskedQuestion):
                question, problem = corpus_line, corpus_line.problem
                continue
        except ValidationError as error:
            first_error = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first_error["loc"])
            raise VotesFileError(
                f"{corpus_file}:{number}: {f'field {field}: ' if field else ''}{first_error['msg']}"
            ) from error
        except ValueError as error:
            raise VotesFileError(f"{corpus_file}:{number}: field key: the tolerance is not a number") from error
        truth, style, text = corpus_line
        if question is None or problem is None:
            raise VotesFileError(f"{corpus_file}:{number}: a reply needs a question on a line above it")
        _require_possible_truth(corpus_file, number, question, truth)
        if truth != _DISPUTED:
            yield LabelledReply(question, problem, truth, style, text)


def _require_possible_truth(corpus_file: Path, line_number: int, question: AskedQuestion, labelled_truth: str) -> None:
    letters = {chr(65 + index) for index in range(len(question.options))}
    allowed = {"assertion": {"T", "F"}, "choice": letters}.get(question.format, {"right", "wrong"})
    if question.format == "multi":
        allowed = (
            {labelled_truth}
            if labelled_truth and set(labelled_truth) <= letters and labelled_truth == "".join(sorted(labelled_truth))
            else letters
        )
    if labelled_truth not in {*allowed, _NOTHING, _DISPUTED}:
        choose = ", ".join(sorted(allowed))
        raise VotesFileError(
            f"{corpus_file}:{line_number}: truth {labelled_truth!r} is none of {choose}, {_NOTHING}, {_DISPUTED}"
        )
