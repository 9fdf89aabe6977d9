"""Scoring an answer without a model, if rules suffice.

`docs/reference/scoring.md` lists every rule and its source.
"""

from __future__ import annotations

from benchwright_judges.formats import rules_of
from benchwright_judges.formats.question_rules import AnswerToScore
from benchwright_judges.formats.selection import score_selection
from benchwright_judges.judgement import Judgement, JudgementStatus
from benchwright_judges.reading.statements import Extraction, ExtractionOutcome
from benchwright_judges.rule_judgements import EMPTY, NO_KEY, RULES
from benchwright_judges.text_metrics import THRESHOLD, text_metrics
from benchwright_problems.problem import Answer, Problem, ProblemKind, Question


def score_by_rules(problem: Problem, answer: str) -> Judgement:
    """Score an answer to a question or text problem.

    Questions by the rules of their format, text problems by CVDP's BLEU and ROUGE. Others are pending.

    Args:
        problem: The problem, with its hidden part.
        answer: The content of `answer.md`.
    """
    if not answer.strip():
        return EMPTY
    key = problem.hidden.answer
    if key is None:
        return NO_KEY
    question = problem.public.question
    if question is None:
        return _judge_by_bleu_and_rouge(answer, key) if problem.kind is ProblemKind.TEXT else NO_KEY
    judgement = rules_of(question.format).score(AnswerToScore(question, problem.public.statement, answer, key))
    return judgement.model_copy(update={"rubric": RULES}) if judgement.status.is_final else judgement


def judge_key_and_empty_answer(problem: Problem) -> tuple[Judgement, Judgement]:
    """The two-sided proof of a question: the judgements of the answer key itself and of an empty answer."""
    key = problem.hidden.answer
    return score_by_rules(problem, key.value) if key is not None else NO_KEY, score_by_rules(problem, "")


def score_value(problem: Problem, read_value: str) -> Judgement:
    """Score the value that a reader found in an answer: a selectable one as it is, another like an answer.

    Args:
        problem: The problem, with its hidden part.
        read_value: One of the selectable values, or words.
    """
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None or not (values := selectable_values(question)):
        return score_by_rules(problem, read_value)
    return score_selection(Extraction(read_value, ExtractionOutcome.READ), values, key)


def selectable_values(question: Question) -> tuple[str, ...]:
    """The values that can be selected: the letters, `true` and `false`, or none for questions answered in words."""
    return rules_of(question.format).selectable_values(question)


def read_selection(question: Question, answer_text: str) -> str | None:
    """The selectable value that an answer names; None for questions answered in words."""
    return rules_of(question.format).extract(question, answer_text).value


def _judge_by_bleu_and_rouge(answer_text: str, key: Answer) -> Judgement:
    metrics = text_metrics(answer_text, key.value)
    # A reference of one word has no bigram to match, so not even an identical answer would pass.
    is_passed = min(metrics["bleu"], metrics["rouge"]) > THRESHOLD or answer_text.split() == key.value.split()
    return Judgement(
        status=JudgementStatus.SCORED,
        score=metrics["bleu"],
        passed=is_passed,
        label="right" if is_passed else "wrong",
        message="The text is close enough to the reference."
        if is_passed
        else "The text is too far from the reference.",
        metrics=metrics,
    )
