"""Judge an answer and store the judgement: by rule if one decides, else by votes of model judges, else later."""

from __future__ import annotations

import contextlib
import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Sequence

from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod, Vote, storable_text
from benchwright_judges.models.budget import JudgingBudget, OutOfBudgetError
from benchwright_judges.models.panel import Panel, VotingJudge
from benchwright_judges.models.prompt import ANSWER_CHARACTERS
from benchwright_judges.reading.reading import read_answer_by_model
from benchwright_judges.records import ballot
from benchwright_judges.records.records import GivenAnswer, Records
from benchwright_judges.rubric import COMPARABLE, Rubric, is_code_question, load_rubric, rubric_for
from benchwright_judges.rule_judgements import PENDING
from benchwright_judges.scale import Scale
from benchwright_judges.score import score_by_rules
from benchwright_problems.problem import Problem, digest

_TRIES = re.compile(r", \d+ times?\Z")
_NO_MONEY = "This answer is kept and pending: the budget for judges is used up."
_CUT = f"The judges saw the first {ANSWER_CHARACTERS} characters only."


async def judge_and_record(
    problem: Problem,
    answer: str,
    panel: Panel | None,
    records: Records,
    *,
    problem_ref: str = "",
    attempt: str = "",
    try_number: int = 0,
    answer_id: str | None = None,
    budget: JudgingBudget | None = None,
    rule_judgement: Judgement | None = None,
) -> Judgement:
    """Judge an answer and store all votes and the judgement.

    The answer is stored as pending before a model is asked; only a score ends that state.

    Args:
        problem: The problem, with its hidden part.
        answer: The answer; untrusted.
        panel: The model judges; None if no model is configured.
        records: Stores answer, votes and judgement.
        problem_ref: `pack/id`, by which a pending answer is found and scored later.
        attempt: The attempt the answer belongs to, if there is one.
        try_number: Number of the try within the attempt.
        answer_id: Identifies the answer: one that was scored before, by the present question and key, is not judged
            again.
        budget: Limits the cost of the votes; if it runs out, the answer stays pending.
        rule_judgement: What rules say of the answer, where that is known; rules score an answer once.

    Raises:
        StorageError: The database failed; earlier writes are kept.
    """
    if answer_id is not None and attempt:
        answer_id = await _answer_id_for_present_key(records, problem, answer_id)
    if answer_id is not None:
        earlier_judgement, kept_answer = await records.find_judgement(answer_id), await records.find_answer(answer_id)
        if (
            earlier_judgement is not None
            and kept_answer is not None
            and kept_answer.answers_current_version(problem)
            and not _can_be_judged_further(problem, earlier_judgement, panel)
        ):
            return earlier_judgement
    question = problem.public.question
    given_answer = GivenAnswer(
        problem=problem_ref or problem.id,
        problem_digest=problem.public_digest,
        key_digest=problem.harness_digest,
        format=problem.category.value if problem.category else question.format.value if question else "text",
        text=storable_text(answer),
        sha256=hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest(),
        attempt=attempt,
        number=try_number,
        id=answer_id or uuid.uuid4().hex,
    )
    if rule_judgement is None:
        rule_judgement = score_by_rules(problem, answer)
    if not _can_be_judged_further(problem, rule_judgement, panel):
        await records.store_judgement(given_answer, rule_judgement)
        return rule_judgement
    await records.store_pending_answer(
        given_answer, rule_judgement.message if rule_judgement.status is JudgementStatus.PENDING else PENDING.message
    )
    voted = await judge_by_panel(problem, answer, panel, records, rule_judgement, budget=budget or JudgingBudget())
    if voted != rule_judgement:
        await records.store_judgement(given_answer, voted)
    return voted


def _can_be_judged_further(problem: Problem, judgement: Judgement, panel: Panel | None) -> bool:
    """True if a model or a person can still say more than a judgement says."""
    if not judgement.status.is_final:
        return True
    unread = judgement.method is ScoringMethod.DETERMINISTIC and panel is not None
    return unread and panel is not None and panel.model_reader_if_unread(problem, judgement) is not None


async def _answer_id_for_present_key(records: Records, problem: Problem, answer_id: str) -> str:
    """The name of an attempt's answer as it is judged by the present key; what was judged by others stays as it is."""
    numbered_id, changes = answer_id, 0
    while (
        kept_answer := await records.find_answer(numbered_id)
    ) is not None and not kept_answer.answers_current_version(problem):
        changes += 1
        numbered_id = f"{answer_id}.{changes}"
    return numbered_id


async def judge_by_panel(
    problem: Problem,
    answer: str,
    panel: Panel | None,
    records: Records,
    pending_judgement: Judgement,
    *,
    budget: JudgingBudget,
) -> Judgement:
    """Have a panel read and judge an answer that no rule decides; returns `pending_judgement` if it can't."""
    if panel is None or problem.hidden.answer is None:
        return pending_judgement
    try:
        if (reader := panel.model_reader_if_unread(problem, pending_judgement)) is not None:
            pending_judgement = await read_answer_by_model(
                problem, answer, pending_judgement, reader, panel, records, budget
            )
        rubric = rubric_for(problem)
        if pending_judgement.status is not JudgementStatus.PENDING or rubric is None:
            return pending_judgement
        return await _judge_by_models(problem, answer, panel, records, pending_judgement, rubric, budget)
    except OutOfBudgetError:
        return PENDING.model_copy(
            update={"message": _NO_MONEY, "metrics": pending_judgement.metrics, "votes": pending_judgement.votes}
        )


async def _judge_by_models(
    problem: Problem,
    answer: str,
    panel: Panel,
    records: Records,
    pending_judgement: Judgement,
    rubric: Rubric,
    budget: JudgingBudget,
) -> Judgement:
    voting = _Voting(problem, answer, panel, records, budget)
    judgement = await voting.judge_by_votes(rubric)
    if panel.adds_cvdp_vote and is_code_question(problem) and judgement.status is JudgementStatus.SCORED:
        with contextlib.suppress(OutOfBudgetError):
            judgement = await _with_comparison_vote(judgement, voting)
    updated_fields = {
        "metrics": {**pending_judgement.metrics, **judgement.metrics},
        "votes": (*judgement.votes, *pending_judgement.votes),
    }
    return judgement.model_copy(update=updated_fields)


async def _with_comparison_vote(judgement: Judgement, voting: _Voting) -> Judgement:
    """The judgement with an additional vote by CVDP's aspects, requested once as CVDP does."""
    rubric = load_rubric(COMPARABLE)
    aspect_vote = (await voting.request_vote(rubric, 0)).model_copy(update={"rubric": rubric.reference})
    metrics = (
        judgement.metrics if aspect_vote.score is None else {**judgement.metrics, "cvdp_subjective": aspect_vote.score}
    )
    return judgement.model_copy(update={"votes": (*judgement.votes, aspect_vote), "metrics": metrics})


class _Voting:
    """Voting on one answer, which requests its votes."""

    def __init__(self, problem: Problem, answer: str, panel: Panel, records: Records, budget: JudgingBudget) -> None:
        self._problem = problem
        self._answer = answer
        self._panel = panel
        self._records = records
        self._budget = budget

    async def judge_by_votes(self, rubric: Rubric) -> Judgement:
        """Ask for votes until they decide, or all seats and spares are used."""
        panel, scale = self._panel, rubric.scale
        majority = panel.seats // 2 + 1
        counted_votes = await ballot.collect_votes(
            lambda seat: self.request_vote(rubric, seat),
            lambda labels: scale.decide(labels, panel.seats),
            most_votes=panel.seats,
            most_replacements=panel.spares,
        )
        votes, labels = counted_votes.votes, counted_votes.labels
        decision = counted_votes.decision or scale.decide_finally(labels, panel.seats)
        judgement_fields = {
            "method": ScoringMethod.MODEL,
            "rubric": rubric.reference,
            "votes": votes,
            "tie_break": len(labels) > majority,
            "remarks": (_CUT,) if len(self._answer) > ANSWER_CHARACTERS else (),
        }
        if decision is None:
            return Judgement(
                status=JudgementStatus.ERROR, message=_no_decision_message(votes, majority), **judgement_fields
            )
        message = _decision_message(rubric.scale, decision.label, decision.is_passed)
        return Judgement(
            status=JudgementStatus.SCORED,
            score=decision.score,
            passed=decision.is_passed,
            label=decision.label,
            message=message,
            **judgement_fields,
        )

    async def request_vote(self, rubric: Rubric, seat_index: int) -> Vote:
        """The vote of a seat, from the cache or from its judge. A new vote is stored immediately."""
        judge = self._panel.voting_judge_of_seat(seat_index)
        key = vote_key(self._problem, self._answer, rubric, judge, seat_index)
        return await ballot.stored_or_new_vote(
            self._records,
            key,
            judge.name,
            lambda: judge.vote(self._problem, self._answer, rubric, index=seat_index, budget=self._budget),
            is_offline=self._panel.offline,
        )


def vote_key(problem: Problem, answer: str, rubric: Rubric, judge: VotingJudge, seat_index: int) -> str:
    """Digest of everything that determines a vote: the vote is stored under it."""
    return digest(
        {
            "rubric": rubric.digest,
            "judge": judge.identity,
            "problem": problem.public_digest,
            "key": problem.harness_digest,
            "answer": answer,
            "vote": seat_index,
        }
    )


def _no_decision_message(votes: Sequence[Vote], needed_vote_count: int) -> str:
    # How often a judge was asked until its patience was over differs from vote to vote.
    error_by_kind = {_TRIES.sub("", vote.error): vote.error for vote in votes if vote.error}
    counts = Counter(_TRIES.sub("", vote.error) for vote in votes if vote.error)
    if len(votes) - counts.total() < needed_vote_count:
        failures = "; ".join(
            f"{count} of {len(votes)} votes failed: {error_by_kind[kind]}" for kind, count in counts.most_common()
        )
        return (
            f"{failures}. The answer is kept. Check the judges with `benchwright judge"
            " test`, then have it judged with `benchwright judge pending --score`."
        )
    return "The judges reached no majority; the answer is kept for a person to grade."


def _decision_message(scale: Scale, decided_label: str, is_passed: bool) -> str:
    match scale:
        case Scale.TIERS:
            return f"The judges give {decided_label} of 10 points."
        case Scale.SHARE:
            return f"The judges give {decided_label} of 1."
        case Scale.EXAM:
            return f"The judges call the answer {decided_label}."
        case Scale.BLANK:
            return "The answer is correct." if is_passed else "The answer is incorrect."
