"""Scoring an answer without a model, as far as that can be done.

`docs/reference/scoring.md` lists every rule and its source.
"""

from __future__ import annotations

from benchwright_judges.answer_extraction import Extraction
from benchwright_judges.assertion_answers import read_truth
from benchwright_judges.choice_answers import read_choice
from benchwright_judges.judgement import Judgement, Status
from benchwright_judges.numeric_answers import Comparison, asks_for_unit, compare, read_quantity
from benchwright_judges.short_answers import same_text, unwrap
from benchwright_judges.text_metrics import THRESHOLD, text_metrics
from benchwright_problems.problem import Answer, Kind, Problem, Question, QuestionFormat

INSTANT = frozenset({QuestionFormat.MULTIPLE_CHOICE, QuestionFormat.ASSERTION, QuestionFormat.FILL_IN_THE_BLANK})
"""Formats that are worth scoring at every save: as a rule no judge is needed."""

_RIGHT = Judgement(status=Status.SCORED, score=1.0, passed=True, label="right", message="The answer is right.")
_WRONG = Judgement(status=Status.SCORED, score=0.0, passed=False, label="wrong", message="The answer is not right.")
_EMPTY = Judgement(status=Status.EMPTY, message="There is no answer yet: write it into answer.md.")
NO_KEY = Judgement(status=Status.PENDING, message="The pack has no answer to compare with; this one is pending.")
_PENDING = Judgement(status=Status.PENDING, message="This answer is kept; it needs a judge and is pending.")


def score(problem: Problem, text: str) -> Judgement:
    """Score an answer to a question or text problem.

    Choices and assertions by what the text says, text problems by CVDP's BLEU and ROUGE. A text equal to an
    accepted one but for its writing, or the same number, is right. Another number is wrong, and so is another
    text where the key says that it is `closed`. All else needs a judge and is pending.

    Args:
        problem: With its hidden part.
        text: The content of `answer.md`.
    """
    if not text.strip():
        return _EMPTY
    key = problem.hidden.answer
    if key is None:
        return NO_KEY
    question = problem.public.question
    if question is None:
        return _compared(text, key) if problem.kind is Kind.TEXT else NO_KEY
    if selectable(question):
        return _chosen(question, text, key)
    return _short(question, problem.public.statement, text, key)


def selectable(question: Question) -> tuple[str, ...]:
    """What can be chosen: the letters, `true` and `false`, or nothing for questions in free text."""
    if question.format is QuestionFormat.ASSERTION:
        return ("true", "false")
    return tuple(choice.letter for choice in question.choices)


def read_selection(question: Question, text: str) -> str | None:
    """Which of the selectable values a text names; none for questions in free text."""
    return read(question, text).value


def read(question: Question, text: str) -> Extraction:
    """What a text says in answer to a question with something to choose."""
    if question.format is QuestionFormat.MULTIPLE_CHOICE:
        texts = {choice.letter: choice.text for choice in question.choices}
        return read_choice(text, texts, question.language)
    if question.format is QuestionFormat.ASSERTION:
        return read_truth(text)
    return Extraction()


def _chosen(question: Question, text: str, key: Answer) -> Judgement:
    reading = read(question, text)
    if reading.value is None:
        names = selectable(question)
        wanted = " or ".join((", ".join(names[:-1]), names[-1]))
        return Judgement(
            status=Status.UNREADABLE,
            label=reading.outcome.value,
            message=f"The answer must say {wanted}, and only one of them.",
        )
    right = reading.value.casefold() == key.value.strip().casefold()
    return (_RIGHT if right else _WRONG).model_copy(update={"label": reading.value})


def _compared(text: str, key: Answer) -> Judgement:
    metrics = text_metrics(text, key.value)
    # A reference of one word has no bigram to be matched, and would not even pass itself.
    passed = min(metrics["bleu"], metrics["rouge"]) > THRESHOLD or text.split() == key.value.split()
    return Judgement(
        status=Status.SCORED,
        score=metrics["bleu"],
        passed=passed,
        label="right" if passed else "wrong",
        message="The text is close enough to the reference." if passed else "The text is too far from the reference.",
        metrics=metrics,
    )


def _short(question: Question, statement: str, text: str, key: Answer) -> Judgement:
    verdicts = [_one(question.language, statement, text, accepted, key) for accepted in (key.value, *key.alternatives)]
    if True in verdicts:
        return _RIGHT
    blank = question.format is QuestionFormat.FILL_IN_THE_BLANK
    # A number beside accepted texts that are none may be another way of saying them.
    return _WRONG if key.closed or (blank and set(verdicts) == {False}) else _PENDING


def _one(language: str, statement: str, text: str, accepted: str, key: Answer) -> bool | None:
    """Whether a text is an accepted one; none where only a judge can tell."""
    given, wanted = read_quantity(unwrap(text), language), read_quantity(unwrap(accepted), language)
    if given is None or wanted is None:
        return True if same_text(text, accepted, language, statement) else None
    # Numbers are never compared as texts: 8 Gb is not 8 GB.
    match compare(given, wanted, key.tolerance, key.unit):
        case Comparison.SAME:
            return True
        case Comparison.UNIT_MISSING:
            with_unit = given if given.dimension else wanted
            return True if asks_for_unit(statement, with_unit) else None
        case _:
            return False
