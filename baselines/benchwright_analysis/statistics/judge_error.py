"""Shares of right answers as people would judge them, from a judge that errs and people's labels of some answers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Flags, Indices, Numbers, common_column_length, flag_column
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate

FEWEST_RIGHT_OR_WRONG = 5
"""Answers that people call right, and as many that they call wrong, before a judge's errors are counted."""
FEWEST_LABELLED = 10
"""Answers of a group that people labelled, before its share is corrected by them."""


@dataclass(frozen=True)
class JudgeErrors:
    """How often a judge agrees with people, on answers that both judged."""

    right: int
    """Answers that people call right."""
    right_accepted: int
    wrong: int
    wrong_refused: int

    @property
    def sensitivity(self) -> float:
        """Share of the right answers that the judge accepts."""
        return self.right_accepted / self.right

    @property
    def specificity(self) -> float:
        """Share of the wrong answers that the judge refuses."""
        return self.wrong_refused / self.wrong


@dataclass(frozen=True)
class JudgedAnswers:
    """Answers of one group, by row."""

    judged_right: Sequence[bool]
    people_right: Sequence[bool | None]
    """`None` for an answer that people did not label."""
    participants: Sequence[Hashable | None]
    """As in `CrossedCells`."""
    problems: Sequence[Hashable]

    @property
    def cells(self) -> CrossedCells:
        """Participant and problem of each answer."""
        return CrossedCells(self.participants, self.problems)


def judge_errors(judged_right: ArrayLike, people_right: ArrayLike) -> JudgeErrors:
    """Counts a judge's errors.

    Raises:
        StatisticsError: Lengths differ, or people call too few right, or too few wrong.
    """
    judged, right = flag_column(judged_right, "Judgements"), flag_column(people_right, "People's labels")
    common_column_length(judgements=len(judged), labels=len(right))
    agreement_counts = JudgeErrors(
        int(right.sum()), int((judged & right).sum()), int((~right).sum()), int((~judged & ~right).sum())
    )
    if min(agreement_counts.right, agreement_counts.wrong) < FEWEST_RIGHT_OR_WRONG:
        raise StatisticsError(
            f"People call {agreement_counts.right} answers right and {agreement_counts.wrong} wrong, and it takes "
            f"{FEWEST_RIGHT_OR_WRONG} of each to count a judge's errors."
        )
    return agreement_counts


def rogan_gladen(judged_right: ArrayLike, cells: CrossedCells, counted_errors: JudgeErrors) -> Estimate:
    """The share of right answers if the judge errs here as often as on the answers that people labelled.

    (share + specificity - 1) / (sensitivity + specificity - 1) (Rogan & Gladen 1978); the interval is that of Lang &
    Reiczigel (2014), for as many independent answers as have the share's standard error over participants and problems.

    Raises:
        StatisticsError: The judge accepts wrong answers as often as right ones.
    """
    share = crossed_share(judged_right, cells)
    if share.value is None or counted_errors.sensitivity + counted_errors.specificity <= 1:
        raise StatisticsError("The judge accepts wrong answers as often as right ones, so its verdicts say nothing.")
    p = share.value
    value = (p + counted_errors.specificity - 1) / (counted_errors.sensitivity + counted_errors.specificity - 1)
    if share.low is None or share.high is None:
        return Estimate(value=min(1.0, max(0.0, value)))
    z = _normal_interval_quantile()
    size = _equivalent_sample_size(p, share.low, share.high, z)
    p = (size * p + z * z / 2) / (size + z * z)
    sensitivity = (counted_errors.right_accepted + 1) / (counted_errors.right + 2)
    specificity = (counted_errors.wrong_refused + 1) / (counted_errors.wrong + 2)
    youden = sensitivity + specificity - 1
    if youden <= 0:
        raise StatisticsError("The judge accepts wrong answers as often as right ones, so its verdicts say nothing.")
    middle = (p + specificity - 1) / youden
    of_right = sensitivity * (1 - sensitivity) / (counted_errors.right + 2)
    of_wrong = specificity * (1 - specificity) / (counted_errors.wrong + 2)
    shift = 2 * z * z * (middle * of_right - (1 - middle) * of_wrong)
    reach = (
        z * math.sqrt(p * (1 - p) / (size + z * z) + middle**2 * of_right + (1 - middle) ** 2 * of_wrong) / abs(youden)
    )
    low, high = (min(1.0, max(0.0, middle + shift + side * reach)) for side in (-1, 1))
    return Estimate(value=min(1.0, max(0.0, value)), low=low, high=high)


def prediction_powered_share(judged_answers: JudgedAnswers) -> Estimate:
    """The share of right answers by people's labels, made surer by the judge where people labelled none.

    Prediction-powered inference (Angelopoulos et al. 2023) with the weight of least variance (PPI++, 2024). It takes
    nothing of the judge for granted, but that the labelled answers are drawn from all by lot. The variance is that of
    sums over problems, and over participants (Cameron, Gelbach & Miller 2011).

    Raises:
        StatisticsError: People labelled too few answers.
    """
    influence = _influence(judged_answers)
    value, error, df = influence.value, influence.error(), influence.degrees_of_freedom
    reach = _t_interval_quantile(df) * error
    return Estimate(value=value, low=max(0.0, value - reach), high=min(1.0, value + reach))


def prediction_powered_difference(judged_answers: JudgedAnswers, baseline: JudgedAnswers) -> Estimate:
    """By how much the share of right answers of one group exceeds that of another, problem by problem.

    Raises:
        StatisticsError: As in `prediction_powered_share`, of either group.
    """
    own, baseline_influence = _influence(judged_answers), _influence(baseline)
    both = _Influence(
        own.value - baseline_influence.value,
        np.concatenate([own.error_contributions, -baseline_influence.error_contributions]),
        [*own.participants, *baseline_influence.participants],
        [*own.problems, *baseline_influence.problems],
        min(own.degrees_of_freedom, baseline_influence.degrees_of_freedom),
    )
    reach = _t_interval_quantile(both.degrees_of_freedom) * both.error()
    return Estimate(value=both.value, low=max(-1.0, both.value - reach), high=min(1.0, both.value + reach))


@dataclass(frozen=True)
class _Influence:
    """An estimate and what each answer adds to its error."""

    value: float
    error_contributions: Numbers
    participants: Sequence[Hashable | None]
    problems: Sequence[Hashable]
    degrees_of_freedom: float

    def error(self) -> float:
        """By problems and participants; what both have in common counts once."""
        by_problem = _variance_of_unit_sums(self.error_contributions, _cluster_indices(self.problems))
        known_participants = [person for person in self.participants if person is not None]
        if not known_participants:
            return math.sqrt(by_problem)
        # Each answer of a model is a unit of its own.
        units = [("row", row) if person is None else person for row, person in enumerate(self.participants)]
        by_person = _variance_of_unit_sums(self.error_contributions, _cluster_indices(units))
        alone = float(self.error_contributions @ self.error_contributions)
        return math.sqrt(max(by_problem + by_person - alone, by_problem, by_person))


def _influence(judged_answers: JudgedAnswers) -> _Influence:
    judged = flag_column(judged_answers.judged_right, "Judgements").astype(np.float64)
    common_column_length(
        judgements=len(judged), labels=len(judged_answers.people_right), problems=len(judged_answers.problems)
    )
    is_labelled = np.array([called_right is not None for called_right in judged_answers.people_right], dtype=bool)
    right = np.array([bool(called_right) for called_right in judged_answers.people_right], dtype=np.float64)
    labelled, unlabelled = int(is_labelled.sum()), int((~is_labelled).sum())
    if labelled < FEWEST_LABELLED:
        raise StatisticsError(f"People labelled {labelled} of the answers, and it takes {FEWEST_LABELLED}.")
    weight = _least_variance_weight(judged, right, is_labelled)
    value = float(right[is_labelled].mean())
    if unlabelled:
        value += weight * float(judged[~is_labelled].mean() - judged[is_labelled].mean())
    error_contributions = np.zeros(len(judged))
    rest = right[is_labelled] - weight * judged[is_labelled]
    error_contributions[is_labelled] = (rest - rest.mean()) / labelled
    if unlabelled:
        others = judged[~is_labelled]
        error_contributions[~is_labelled] = weight * (others - others.mean()) / unlabelled
    units = {judged_answers.problems[row] for row in np.flatnonzero(is_labelled).tolist()}
    labelled_participants = {judged_answers.participants[row] for row in np.flatnonzero(is_labelled).tolist()} - {None}
    df = max(1, min(len(units), len(labelled_participants) or len(units)) - 1)
    return _Influence(value, error_contributions, judged_answers.participants, judged_answers.problems, float(df))


def _least_variance_weight(judged: Numbers, right: Numbers, is_labelled: Flags) -> float:
    labelled, unlabelled = int(is_labelled.sum()), int((~is_labelled).sum())
    covariances = np.cov(right[is_labelled], judged[is_labelled])
    if not unlabelled or covariances[1, 1] == 0:
        return 0.0
    return min(1.0, max(0.0, float(covariances[0, 1] / covariances[1, 1]) / (1 + labelled / unlabelled)))


def _variance_of_unit_sums(error_contributions: Numbers, unit_indices: Indices) -> float:
    sums = np.bincount(unit_indices, error_contributions)
    return float(sums @ sums) * len(sums) / max(1, len(sums) - 1)


def _cluster_indices(cluster_names: Sequence[Hashable]) -> Indices:
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(cluster_name, len(places)) for cluster_name in cluster_names], dtype=np.intp)


def _equivalent_sample_size(share: float, low: float, high: float, normal_quantile: float) -> float:
    """Number of independent answers with this share whose Wilson interval has these ends."""
    end = high if share < 0.5 else low
    return normal_quantile * normal_quantile * end * (1 - end) / max((end - share) ** 2, 1e-12)


def _normal_interval_quantile() -> float:
    from scipy import special

    return float(special.ndtri((1 + CONFIDENCE) / 2))


def _t_interval_quantile(degrees_of_freedom: float) -> float:
    from scipy import special

    return float(special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
