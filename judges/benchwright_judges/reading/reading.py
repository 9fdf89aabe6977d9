"""Reading an answer in which rules find no value: votes of a reader, and what they come to."""

from __future__ import annotations

from benchwright_judges.judgement import REFUSAL, Judgement, JudgementStatus, ScoringMethod
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.panel import Panel
from benchwright_judges.reading.model_reader import NONE, READINGS, STATED, ModelReader, instructions_and_reference
from benchwright_judges.reading.statements import ExtractionOutcome
from benchwright_judges.records import ballot
from benchwright_judges.records.records import Records
from benchwright_judges.score import score_value
from benchwright_problems.problem import Problem


async def read_answer_by_model(
    problem: Problem,
    answer: str,
    rule_judgement: Judgement,
    model_reader: ModelReader,
    panel: Panel,
    records: Records,
    budget: JudgingBudget,
) -> Judgement:
    """Have a model say which value an answer states, and score that value by rule.

    Args:
        problem: Problem with its hidden part; the reader is not shown the key.
        answer: Hostile text.
        rule_judgement: Judgement by rules: unreadable, or pending.
        model_reader: The model.
        panel: Says how many unusable replies are replaced.
        records: The cache of votes.
        budget: Pays.

    Returns:
        The score of the value that both readings find; else `rule_judgement` with the votes; of an unreadable answer an
        error if too few replies could be used.

    Raises:
        OutOfBudgetError: The budget does not hold what a vote may cost; votes that were given are stored.
    """
    counted_votes = await ballot.collect_votes(
        lambda seat: ballot.stored_or_new_vote(
            records,
            model_reader.vote_key(problem, answer, seat),
            model_reader.name,
            lambda: model_reader.vote(problem, answer, reading_index=seat, budget=budget),
            is_offline=panel.offline,
        ),
        lambda vote_labels: vote_labels[0] if len({*vote_labels}) == 1 else None,
        most_votes=READINGS,
        most_replacements=panel.spares,
    )
    judgement_fields = {
        "method": ScoringMethod.READER,
        "rubric": instructions_and_reference()[1],
        "votes": counted_votes.votes,
    }
    if counted_votes.decision is not None and counted_votes.decision.startswith(STATED):
        scored = score_value(problem, counted_votes.decision.removeprefix(STATED))
        if scored.status is JudgementStatus.SCORED:
            return scored.model_copy(update=judgement_fields)
    if rule_judgement.status is JudgementStatus.PENDING:
        return rule_judgement.model_copy(update={"votes": counted_votes.votes})
    if len(counted_votes.labels) < READINGS:
        reason = next((vote.error for vote in reversed(counted_votes.votes) if vote.error), "no votes")
        message = (
            f"The reader {model_reader.name} could not be used: {reason}. The answer is kept. Check the model with "
            "`benchwright judge test`, then have the answer read with `benchwright judge pending --score`."
        )
        return Judgement(status=JudgementStatus.ERROR, message=message, **judgement_fields)
    return rule_judgement.model_copy(
        update={**judgement_fields, "label": _label_of_reading(rule_judgement.label, counted_votes.decision)}
    )


def _label_of_reading(label_by_rules: str, label_by_models: str | None) -> str:
    if label_by_models == NONE:
        return REFUSAL if label_by_rules == REFUSAL else ExtractionOutcome.NOTHING.value
    return ExtractionOutcome.AMBIGUOUS.value
