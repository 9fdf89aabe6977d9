"""Check of answers against a study's questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_attempts.errors import StudyError
from benchwright_studies.plan.study_question import StudyQuestion
from benchwright_studies.plan.vocabulary import QuestionKind

Answer = str | int | float | bool


def validated_answers(questions: Sequence[StudyQuestion], answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """The answers, if each fits its question.

    Raises:
        StudyError: An answer is missing, unknown or of the wrong kind.
    """
    by_id = {question.id: question for question in questions}
    unknown_id = next((name for name in answers if name not in by_id), None)
    if unknown_id is not None:
        raise StudyError(f"There is no question {unknown_id!r} in this study.")
    for question in questions:
        given_answer = answers.get(question.id)
        if given_answer is None or given_answer == "":
            if question.required:
                raise StudyError(f"Answer the question {question.ask!r}.")
        elif not _is_valid_answer(question, given_answer):
            raise StudyError(f"The answer to {question.ask!r} does not fit: {_WANTED[question.kind]}.")
    return {name: given_answer for name, given_answer in answers.items() if given_answer != ""}


def _is_valid_answer(question: StudyQuestion, given_answer: Answer) -> bool:
    match question.kind:
        case QuestionKind.TEXT:
            return isinstance(given_answer, str)
        case QuestionKind.NUMBER:
            return isinstance(given_answer, int | float) and not isinstance(given_answer, bool)
        case QuestionKind.CHOICE:
            return given_answer in question.choices
        case QuestionKind.SCALE:
            return given_answer in (1, 2, 3, 4, 5) and not isinstance(given_answer, bool)
        case QuestionKind.YES_NO:
            return isinstance(given_answer, bool)


_WANTED: Mapping[QuestionKind, str] = {
    QuestionKind.TEXT: "write a text",
    QuestionKind.NUMBER: "write a number",
    QuestionKind.CHOICE: "choose one of those shown",
    QuestionKind.SCALE: "choose a number from 1 to 5",
    QuestionKind.YES_NO: "choose yes or no",
}
