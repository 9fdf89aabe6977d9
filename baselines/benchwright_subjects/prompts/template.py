"""A prompt of the user's own, sent for every problem: a template with placeholders such as `{{statement}}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.problem import Problem
from benchwright_subjects.prompts.prompt import (
    ModelPrompt,
    full_statement,
    given_files_text,
    parts_with_figures,
    reply_form_instruction,
)

_PLACE = re.compile(r"\{\{\s*([A-Za-z_]+)\s*\}\}")


def _question_field_reader(field_name: str) -> Callable[[Problem], str]:
    return lambda problem: str(getattr(problem.public.question, field_name)) if problem.public.question else ""


PLACES: Mapping[str, Callable[[Problem], str]] = {
    "id": lambda problem: problem.id,
    "title": lambda problem: problem.title,
    "kind": lambda problem: problem.kind.value,
    "category": lambda problem: problem.category.label if problem.category else "",
    "difficulty": lambda problem: problem.difficulty.value,
    "statement": full_statement,
    "files": given_files_text,
    "expected": lambda problem: "\n".join(problem.public.expected),
    "reply": reply_form_instruction,
    "format": _question_field_reader("format"),
    "language": _question_field_reader("language"),
    "domain": _question_field_reader("domain"),
    "topic": _question_field_reader("topic"),
}
"""Places that a template can contain."""


class PromptTemplate:
    """A template whose places are all known.

    Args:
        text: The template.
        name_in_errors: Name of the template in error messages.

    Raises:
        EvaluationError: Names the line and the place that is not known.
    """

    def __init__(self, text: str, name_in_errors: str = "the template") -> None:
        for number, line in enumerate(text.splitlines(), 1):
            for match in _PLACE.finditer(line):
                if match[1] not in PLACES:
                    known_names = ", ".join(f"{{{{{name_of_place}}}}}" for name_of_place in PLACES)
                    raise EvaluationError(
                        f"{name_in_errors}:{number}: there is no {match[0]}; known are {known_names}."
                    )
        if not any(placeholder[1] in ("statement", "files") for placeholder in _PLACE.finditer(text)):
            raise EvaluationError(
                f"{name_in_errors}: the problem is nowhere in it; put {{{{statement}}}} where it belongs."
            )
        self._text = text

    @classmethod
    def read_template(cls, file: Path) -> PromptTemplate:
        """Read a template.

        Raises:
            EvaluationError: The file can't be read, or has a place that is not known.
        """
        try:
            return cls(file.read_text(encoding="utf-8"), str(file))
        except OSError as error:
            raise EvaluationError(f"{file} can't be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise EvaluationError(f"{file} is not UTF-8 text.") from error

    def make_prompt(self, problem: Problem) -> ModelPrompt:
        """The template as a request about one problem."""
        text = _PLACE.sub(lambda match: PLACES[match[1]](problem), self._text)
        return ModelPrompt("", parts_with_figures(text, problem.public.figures))
