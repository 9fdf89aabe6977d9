"""Judge an answer and store the judgement: by rule if one decides, else by votes of model judges, else later."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Sequence

from benchwright_judges.budget import JudgingBudget, OutOfBudgetError
from benchwright_judges.judgement import Judgement, Method, Status, Vote
from benchwright_judges.panel import Panel
from benchwright_judges.prompt import ANSWER_CHARACTERS
from benchwright_judges.records import GivenAnswer, Records
from benchwright_judges.rubric import COMPARABLE, Rubric, is_code_question, load_rubric, rubric_for
from benchwright_judges.scale import Scale
from benchwright_judges.score import score
from benchwright_problems.problem import Problem, digest

_TRIES = re.compile(r", \d+ times?\Z")
_CUT = f"The judges saw the first {ANSWER_CHARACTERS} characters only."


async def judge_and_record(
    problem: Problem,
    answer: str,
    panel: Panel | None,
    records: Records,
    *,
    ref: str = "",
    attempt: str = "",
    number: int = 0,
    answer_id: str | None = None,
    budget: JudgingBudget | None = None,
) -> Judgement:
    """Judge an answer and store all votes and the judgement.

    The answer is stored as pending before a model is asked; only a score ends that state.

    Args:
        problem: With its hidden part.
        answer: The answer; untrusted.
        panel: The model judges; None if no model is configured.
        records: Stores answer, votes and judgement.
        ref: `pack/id`, by which a pending answer is found and scored later.
        attempt: The attempt the answer belongs to, if there is one.
        number: Number of the try within the attempt.
        answer_id: Identifies the answer: one that was scored before, by the present question and key, is not judged
            again.
        budget: Limits the cost of the votes; if it runs out, the answer stays pending.

    Raises:
        RecordsError: The database failed; earlier writes are kept.
    """
    if answer_id is not None and attempt:
        answer_id = await _by_this_key(records, problem, answer_id)
    if answer_id is not None:
        earlier, kept = await records.judgement(answer_id), await records.answer(answer_id)
        if earlier is not None and earlier.status.is_final and kept is not None and kept.is_to(problem):
            return earlier
    question = problem.public.question
    given = GivenAnswer(
        problem=ref or problem.id,
        problem_digest=problem.public_digest,
        key_digest=problem.harness_digest,
        format=problem.category.value if problem.category else question.format.value if question else "text",
        text=_storable(answer),
        sha256=hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest(),
        attempt=attempt,
        number=number,
        id=answer_id or uuid.uuid4().hex,
    )
    judgement = score(problem, answer)
    if judgement.status is not Status.PENDING:
        await records.settle(given, judgement)
        return judgement
    await records.receive(given, judgement.message)
    voted = await vote(problem, answer, panel, records, judgement, budget=budget or JudgingBudget())
    if voted != judgement:
        await records.settle(given, voted)
    return voted


async def _by_this_key(records: Records, problem: Problem, name: str) -> str:
    """The name of an attempt's answer as it is judged by the present key; what was judged by others stays as it is."""
    found, changes = name, 0
    while (kept := await records.answer(found)) is not None and not kept.is_to(problem):
        changes += 1
        found = f"{name}.{changes}"
    return found


async def vote(
    problem: Problem, answer: str, panel: Panel | None, records: Records, pending: Judgement, *, budget: JudgingBudget
) -> Judgement:
    """Have a panel vote on an answer that no rule decides; returns `pending` if it can't."""
    rubric = rubric_for(problem)
    if panel is None or rubric is None or problem.hidden.answer is None:
        return pending
    ballot = _Ballot(problem, answer, panel, records, budget)
    judgement = None
    with contextlib.suppress(OutOfBudgetError):
        judgement = await ballot.count(rubric)
    if judgement is None:
        told = "This answer is kept and pending: the budget for judges is used up."
        return pending.model_copy(update={"message": told})
    if panel.comparable and is_code_question(problem) and judgement.status is Status.SCORED:
        with contextlib.suppress(OutOfBudgetError):
            judgement = await _with_comparison(judgement, ballot)
    return judgement.model_copy(update={"metrics": {**pending.metrics, **judgement.metrics}})


async def _with_comparison(judgement: Judgement, ballot: _Ballot) -> Judgement:
    """The judgement with an additional vote by CVDP's aspects, requested once as CVDP does."""
    rubric = load_rubric(COMPARABLE)
    said = (await ballot.ask(rubric, 0)).model_copy(update={"rubric": rubric.reference})
    metrics = judgement.metrics if said.score is None else {**judgement.metrics, "cvdp_subjective": said.score}
    return judgement.model_copy(update={"votes": (*judgement.votes, said), "metrics": metrics})


class _Ballot:
    """The votes on one answer."""

    def __init__(self, problem: Problem, answer: str, panel: Panel, records: Records, budget: JudgingBudget) -> None:
        self._problem = problem
        self._answer = answer
        self._panel = panel
        self._records = records
        self._budget = budget

    async def count(self, rubric: Rubric) -> Judgement:
        """Ask for votes until they decide, or all seats and spares are used."""
        panel = self._panel
        majority = panel.seats // 2 + 1
        votes: list[Vote] = []
        labels: list[str] = []
        decision = None
        wanted = majority
        while decision is None and wanted <= panel.seats:
            more = min(wanted - len(labels), wanted + panel.spares - len(votes))
            if more <= 0:
                break
            votes += await self._ask_together(rubric, range(len(votes), len(votes) + more))
            labels = [vote.label for vote in votes if not vote.error]
            if len(labels) == wanted:
                decision = rubric.scale.settle(labels, panel.seats)
                wanted += 1
        decision = decision or rubric.scale.settle_finally(labels, panel.seats)
        told = {
            "method": Method.MODEL,
            "rubric": rubric.reference,
            "votes": tuple(votes),
            "tie_break": len(labels) > majority,
            "remarks": (_CUT,) if len(self._answer) > ANSWER_CHARACTERS else (),
        }
        if decision is None:
            return Judgement(status=Status.ERROR, message=_no_decision(votes, majority), **told)
        message = _message(rubric.scale, decision.label, decision.passed)
        return Judgement(
            status=Status.SCORED,
            score=decision.score,
            passed=decision.passed,
            label=decision.label,
            message=message,
            **told,
        )

    async def _ask_together(self, rubric: Rubric, seats: Sequence[int]) -> list[Vote]:
        # Votes that were paid for are kept, so the failure of one does not cancel the others.
        votes = await asyncio.gather(*(self.ask(rubric, seat) for seat in seats), return_exceptions=True)
        for said in votes:
            if isinstance(said, BaseException):
                raise said
        return [said for said in votes if isinstance(said, Vote)]

    async def ask(self, rubric: Rubric, seat: int) -> Vote:
        """The vote of a seat, from the cache or from its judge. A new vote is stored immediately."""
        judge = self._panel.judge_of(seat)
        key = digest(
            {
                "rubric": rubric.digest,
                "judge": judge.identity,
                "problem": self._problem.public_digest,
                "key": self._problem.harness_digest,
                "answer": self._answer,
                "vote": seat,
            }
        )
        known = await self._records.cached(key)
        if known is not None:
            return known.model_copy(update={"cached": True, "cost_usd": 0.0, "seconds": 0.0})
        if self._panel.offline:
            return Vote(judge=judge.name, error="there is no recorded vote, and judges are offline")
        said = await judge.vote(self._problem, self._answer, rubric, index=seat, budget=self._budget)
        if not said.error:
            await self._records.remember([(key, said)])
        return said


def _no_decision(votes: Sequence[Vote], majority: int) -> str:
    # How often a judge was asked until its patience was over differs from vote to vote.
    failed = {_TRIES.sub("", vote.error): vote.error for vote in votes if vote.error}
    counts = Counter(_TRIES.sub("", vote.error) for vote in votes if vote.error)
    if len(votes) - counts.total() < majority:
        why = "; ".join(f"{count} of {len(votes)} votes failed: {failed[kind]}" for kind, count in counts.most_common())
        return (
            f"{why}. The answer is kept. Check the judges with `benchwright judge"
            " test`, then have it judged with `benchwright judge pending --score`."
        )
    return "The judges reached no majority; the answer is kept for a person to grade."


def _message(scale: Scale, label: str, passed: bool) -> str:
    match scale:
        case Scale.TIERS:
            return f"The judges give {label} of 10 points."
        case Scale.SHARE:
            return f"The judges give {label} of 1."
        case Scale.EXAM:
            return f"The judges call the answer {label}."
        case Scale.BLANK:
            return "The answer is correct." if passed else "The answer is incorrect."


def _storable(text: str) -> str:
    # PostgreSQL rejects NUL, and both databases reject lone surrogates.
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
