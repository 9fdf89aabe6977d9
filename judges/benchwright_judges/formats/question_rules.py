"""The rules of question formats: how each is asked, read and scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchwright_judges.judgement import Judgement
from benchwright_judges.languages.language import LanguageWording
from benchwright_judges.reading.statements import Extraction
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Answer, Question


@dataclass(frozen=True)
class AnswerToScore:
    """An answer to a question, and the key it is scored against."""

    question: Question
    statement: str
    text: str
    """The answer; not blank."""
    key: Answer


def _no_values(question: Question) -> tuple[str, ...]:
    return ()


def _no_selection(question: Question, answer_text: str) -> Extraction:
    return Extraction()


def _key_value(wording: LanguageWording, key: Answer) -> str:
    return key.value


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionRules:
    """One question format."""

    score: Callable[[AnswerToScore], Judgement]
    """Scores an answer by rule; pending if it needs a judge."""
    scale: Scale
    """The scale on which people and model judges grade."""
    rubric: str = ""
    """The judges' rubric: a file in `rubrics/`. Of a value, only people grade by it what nobody else could read."""
    is_instant: bool = False
    """True if answers are scored at every save, because they rarely need a judge."""
    task: Callable[[LanguageWording], str]
    """Request for the reply."""
    json_answer_description: str = "your whole answer."
    """The description of the field `answer`, for a model that replies with a JSON object."""
    show_key: Callable[[LanguageWording, Answer], str] = _key_value
    """The key as a solver would write it."""
    is_single_value: bool = False
    """True if an answer is one value, which prompts ask for in a line of its own."""
    selectable_values: Callable[[Question], tuple[str, ...]] = _no_values
    """The values that can be selected; none for open text."""
    extract: Callable[[Question, str], Extraction] = _no_selection
    """Extraction of the value that an answer names, of these."""
