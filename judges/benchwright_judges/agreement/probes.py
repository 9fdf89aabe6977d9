"""Probes of judges: how much a score moves with what should not matter. Imports NumPy and SciPy."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchwright_foundation.model import Model
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate, wilson_share
from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.panel import Panel, VotingJudge
from benchwright_judges.records import ballot
from benchwright_judges.records.recorded_judging import vote_key
from benchwright_judges.records.records import Records
from benchwright_judges.rubric import Rubric, rubric_for
from benchwright_judges.score import score_by_rules
from benchwright_problems.problem import Problem, digest

FEWEST_PROBLEMS = 5
"""Problems with answers, below which a probe has no interval."""
_AT_ONCE = 8


class Probe(StrEnum):
    """What is changed about an answer, of which nothing should follow."""

    LENGTH = "length"
    """The answer behind the question's own words and twice, against the answer alone: longer, and nothing new."""
    POSITION = "position"
    """The key before a wrong answer, against the key behind it."""
    FAMILY = "family"
    """The answer signed with the judge's own family, against the answer signed with a foreign one."""


class ProbeResult(Model):
    """How much a judge's score moves with a probe."""

    judge: str
    probe: Probe
    answers: int
    """Answers of which both votes could be used."""
    problems: int
    failed: int
    """Answers of which a vote could not be used."""
    shift: Estimate
    """Mean difference of the score from 0 to 1, for other problems; above 0 the judge favours what is longer, what \
comes first, or its own family."""
    raised: int
    """Answers whose score is higher with the probe."""
    lowered: int


@dataclass(frozen=True)
class ProbedAnswer:
    """An answer with its problem."""

    problem_ref: str
    problem: Problem
    text: str
    is_right: bool | None
    """As it was judged before; None if it was not."""


@dataclass(frozen=True)
class _ProbePair:
    """Two strings that should have the same score."""

    probed_answer: ProbedAnswer
    changed: str
    plain: str


@dataclass(frozen=True)
class _ScoreDifference:
    problem_ref: str
    amount: float | None
    """None if a vote could not be used."""


def choose_probed_answers(
    probed_answers: Sequence[ProbedAnswer], most_answers: int, *, seed: int
) -> list[ProbedAnswer]:
    """At most this many answers, by lot, from as many problems as there are; only those that models judge.

    Args:
        probed_answers: All that there are.
        most_answers: Number of answers.
        seed: Of the lot.
    """
    judged = [
        probed_answer
        for probed_answer in probed_answers
        if score_by_rules(probed_answer.problem, probed_answer.text).status is JudgementStatus.PENDING
        and rubric_for(probed_answer.problem) is not None
    ]
    shuffled = sorted(judged, key=lambda probed_answer: digest([seed, probed_answer.problem_ref, probed_answer.text]))
    turns_by_problem: dict[str, int] = {}
    ranked = []
    for probed_answer in shuffled:
        turn = turns_by_problem[probed_answer.problem_ref] = turns_by_problem.get(probed_answer.problem_ref, 0) + 1
        ranked.append((turn, probed_answer))
    return [
        probed_answer for _, probed_answer in sorted(ranked, key=lambda ranked_answer: ranked_answer[0])[:most_answers]
    ]


async def probe_judges(
    probed_answers: Sequence[ProbedAnswer],
    panel: Panel,
    family_by_judge: Mapping[str, str],
    records: Records,
    budget: JudgingBudget,
) -> list[ProbeResult]:
    """Has each judge vote on each answer with and without each probe.

    Votes are kept as those of judgements are, so a repeated probe costs nothing.

    Args:
        probed_answers: What is probed.
        panel: The judges.
        family_by_judge: Judge → who made its model.
        records: The cache of votes.
        budget: Pays.

    Raises:
        OutOfBudgetError: The budget does not suffice; votes that were given are stored.
    """
    turn = asyncio.Semaphore(_AT_ONCE)

    async def difference(judge: VotingJudge, probed_pair: _ProbePair) -> _ScoreDifference:
        rubric = rubric_for(probed_pair.probed_answer.problem)
        if rubric is None:
            raise ValueError(f"no model judges {probed_pair.probed_answer.problem_ref}")
        async with turn:
            scores = [
                await _judge_score(
                    judge, probed_pair.probed_answer.problem, text, rubric, records, budget, is_offline=panel.offline
                )
                for text in (probed_pair.changed, probed_pair.plain)
            ]
        changed, plain = scores
        return _ScoreDifference(
            probed_pair.probed_answer.problem_ref, None if changed is None or plain is None else changed - plain
        )

    results = []
    for judge in panel.judges:
        for probe, probed_pairs in _pairs_by_probe(
            probed_answers, family_by_judge[judge.name], family_by_judge
        ).items():
            outcomes = await asyncio.gather(
                *(difference(judge, probed_pair) for probed_pair in probed_pairs), return_exceptions=True
            )
            score_differences = []
            for outcome in outcomes:
                if isinstance(outcome, BaseException):
                    raise outcome
                score_differences.append(outcome)
            results.append(_probe_result(judge.name, probe, score_differences))
    return results


def _pairs_by_probe(
    probed_answers: Sequence[ProbedAnswer], judge_family: str, family_by_judge: Mapping[str, str]
) -> dict[Probe, list[_ProbePair]]:
    foreign = next((family for family in family_by_judge.values() if family != judge_family), "another maker")
    makers: dict[Probe, Callable[[ProbedAnswer], _ProbePair]] = {
        Probe.LENGTH: lambda probed_answer: _ProbePair(
            probed_answer,
            f"{probed_answer.problem.public.statement.strip()}\n\n{probed_answer.text}\n\n{probed_answer.text}",
            probed_answer.text,
        ),
        Probe.POSITION: lambda probed_answer: _ProbePair(
            probed_answer,
            f"{_key_value_or_empty(probed_answer)}\n\n{probed_answer.text}",
            f"{probed_answer.text}\n\n{_key_value_or_empty(probed_answer)}",
        ),
        Probe.FAMILY: lambda probed_answer: _ProbePair(
            probed_answer,
            _answer_signed_by_model(probed_answer.text, judge_family),
            _answer_signed_by_model(probed_answer.text, foreign),
        ),
    }
    return {
        probe: [
            make(probed_answer)
            for probed_answer in probed_answers
            if probe is not Probe.POSITION or (probed_answer.is_right is False and _key_value_or_empty(probed_answer))
        ]
        for probe, make in makers.items()
    }


def _key_value_or_empty(probed_answer: ProbedAnswer) -> str:
    return probed_answer.problem.hidden.answer.value if probed_answer.problem.hidden.answer is not None else ""


def _answer_signed_by_model(answer_text: str, model_family: str) -> str:
    return f"{answer_text}\n\n(This answer was written by a model of {model_family}.)"


async def _judge_score(
    judge: VotingJudge,
    problem: Problem,
    answer_text: str,
    rubric: Rubric,
    records: Records,
    budget: JudgingBudget,
    *,
    is_offline: bool,
) -> float | None:
    vote = await ballot.stored_or_new_vote(
        records,
        vote_key(problem, answer_text, rubric, judge, 0),
        judge.name,
        lambda: judge.vote(problem, answer_text, rubric, index=0, budget=budget),
        is_offline=is_offline,
    )
    return None if vote.error else vote.score


def _probe_result(judge_name: str, probe: Probe, score_differences: Sequence[_ScoreDifference]) -> ProbeResult:
    usable = [
        (difference.problem_ref, difference.amount) for difference in score_differences if difference.amount is not None
    ]
    amounts_by_problem: dict[str, list[float]] = {}
    for problem_ref, amount in usable:
        amounts_by_problem.setdefault(problem_ref, []).append(amount)
    return ProbeResult(
        judge=judge_name,
        probe=probe,
        answers=len(usable),
        problems=len(amounts_by_problem),
        failed=len(score_differences) - len(usable),
        shift=_mean_shift(amounts_by_problem),
        raised=sum(amount > 0 for _, amount in usable),
        lowered=sum(amount < 0 for _, amount in usable),
    )


def _mean_shift(amounts_by_problem: Mapping[str, Sequence[float]]) -> Estimate:
    """Mean over answers; the variance is that of sums over problems, with Student's t.

    Where no score moves, or all alike, the interval is as wide as Wilson's of no case among this many problems.
    """
    import numpy as np
    from scipy import special

    count = len(amounts_by_problem)
    if not count:
        return Estimate(value=None)
    total = sum(len(amounts) for amounts in amounts_by_problem.values())
    mean = sum(sum(amounts) for amounts in amounts_by_problem.values()) / total
    if count < FEWEST_PROBLEMS:
        return Estimate(value=mean)
    sums = np.array([sum(amount - mean for amount in amounts) for amounts in amounts_by_problem.values()])
    error = math.sqrt(float(sums @ sums) * count / (count - 1)) / total
    reach = float(special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * error
    if error < 1e-9:
        reach = wilson_share(0, count).high or 0.0
    return Estimate(value=mean, low=max(-1.0, mean - reach), high=min(1.0, mean + reach))
