"""Agreement of judges with people, by format and judge: QuArch's and CS-Bench's measures and the usual ones."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from benchwright_foundation.model import Model
from benchwright_judges.agreement.estimators import (
    Estimate,
    Level,
    Share,
    bootstrap_estimate,
    cohen_kappa,
    cronbach_alpha,
    krippendorff_alpha,
    pearson_correlation,
    wilson_share,
)
from benchwright_judges.agreement.rated import PANEL, RatedAnswer
from benchwright_judges.scale import Scale

_LEVELS: Mapping[Scale, Level] = {
    Scale.BLANK: "nominal",
    Scale.EXAM: "ordinal",
    Scale.TIERS: "interval",
    Scale.SHARE: "interval",
}


class Disagreement(Model):
    """An answer that only one side, people or the judge, calls right."""

    item: str
    problem: str
    people: dict[str, str]
    votes: tuple[str, ...]


class JudgeAgreement(Model):
    """One judge against people, on one format."""

    judge: str
    items: int
    """Answers with a majority on both sides."""
    undecided: int
    """Answers without a majority on one side or both; agreement and kappa are without them."""
    undecided_votes: int
    """Votes of the judge that decide nothing; they count for neither side."""
    agreement: Share
    """Same verdict, right or not: QuArch's measure, the experts' majority against the judgements' majority."""
    false_accept: Share
    """Share of the answers that people call not right and the judge calls right."""
    false_reject: Share
    """Share of the answers that people call right and the judge calls not right."""
    kappa: Estimate
    """Cohen's kappa of right or not right."""
    same_label: Share
    """Same label of the whole scale, the median of several: what weighted kappa and alpha allow for chance in."""
    weighted_kappa: Estimate | None
    """Cohen's kappa with quadratic weights over the whole scale; None for scales of two labels."""
    alpha: Estimate
    """Krippendorff's alpha of judge and people over the whole scale."""
    pearson: Estimate | None
    """Pearson's correlation of points with the mean of people's points: CS-Bench's measure; None for labels."""
    disagreements: tuple[Disagreement, ...]


class PeopleAgreement(Model):
    """Agreement among people, on one format."""

    people: int
    items: int
    """Answers that two or more people graded."""
    alpha: float | None
    """Krippendorff's."""
    same_label: Share
    """Same label, of all pairs of people who graded the same answer."""
    cronbach: float | None
    """Over the answers that two or more people graded; None if no two people graded all of these."""
    cronbach_people: int
    """Number of people in it: those who graded all of these answers."""


class FormatAgreement(Model):
    """Agreement on one format."""

    format: str
    items: int
    undecided: int
    """Answers on which people reached no majority; they are excluded from everything else here."""
    tie_breaks: Share
    """Share of answers for which judges needed more votes than a bare majority has."""
    undecided_grades: int
    """Grades of people that decide nothing; they count for neither side."""
    people: PeopleAgreement
    judges: tuple[JudgeAgreement, ...]


def measure_agreement(
    rated_items: Sequence[RatedAnswer], *, seed: int = 1, resamples: int = 1000
) -> Sequence[FormatAgreement]:
    """Measure agreement, one format at a time.

    Args:
        rated_items: Answers with people's labels and judges' votes.
        seed: Seed of the bootstrap intervals.
        resamples: Number of resamples of the bootstrap.
    """
    by_format: dict[str, list[RatedAnswer]] = {}
    for rated_answer in rated_items:
        if rated_answer.people:
            by_format.setdefault(rated_answer.format, []).append(rated_answer)
    interval = partial(bootstrap_estimate, seed=seed, resamples=resamples)
    return [_format_agreement(name, items, interval) for name, items in sorted(by_format.items())]


def _format_agreement(
    format_name: str, rated_items: Sequence[RatedAnswer], bootstrap_interval: Callable[..., Estimate]
) -> FormatAgreement:
    scale = rated_items[0].scale
    judges = sorted({judge for item in rated_items for judge in item.judges})
    voted = [item for item in rated_items if any(item.judges.values())]
    return FormatAgreement(
        format=format_name,
        items=len(rated_items),
        undecided=sum(is_right_by_majority(scale, [*item.people.values()]) is None for item in rated_items),
        tie_breaks=wilson_share(sum(item.tie_break for item in voted), len(voted)),
        undecided_grades=sum(
            count
            for item in rated_items
            for rater, count in item.undecided_count_by_rater.items()
            if rater not in item.judges and rater != PANEL
        ),
        people=_people_agreement(scale, [item.people for item in rated_items]),
        judges=tuple(_judge_agreement(judge, scale, rated_items, bootstrap_interval) for judge in judges),
    )


def _judge_agreement(
    judge_name: str, scale: Scale, rated_items: Sequence[RatedAnswer], bootstrap_interval: Callable[..., Estimate]
) -> JudgeAgreement:
    comparisons = []
    rated_twice = []
    for rated_item in rated_items:
        labels = [*rated_item.people.values()]
        votes = rated_item.judges.get(judge_name, ())
        if votes:
            rated_twice.append((labels, votes))
        is_people_right, voted_right = is_right_by_majority(scale, labels), is_right_by_majority(scale, votes)
        if is_people_right is not None and voted_right is not None:
            comparisons.append((rated_item, votes, is_people_right, voted_right))
    people_right, judge_right = (np.array([row[column] for row in comparisons], dtype=float) for column in (2, 3))
    # A label of a scale as a number; without a majority the median label is used.
    middle = [
        (_average_points(scale, labels, statistics.median), _average_points(scale, votes, statistics.median))
        for labels, votes in rated_twice
    ]
    people, judge_points = (np.array([pair[side] for pair in middle], dtype=float) for side in (0, 1))
    means = np.array([_average_points(scale, labels, statistics.fmean) for labels, _ in rated_twice], dtype=float)
    return JudgeAgreement(
        judge=judge_name,
        items=len(comparisons),
        undecided=sum(judge_name in rated_item.judges for rated_item in rated_items) - len(comparisons),
        undecided_votes=sum(rated_item.undecided_count_by_rater.get(judge_name, 0) for rated_item in rated_items),
        agreement=wilson_share(int(np.sum(people_right == judge_right)), len(comparisons)),
        false_accept=wilson_share(int(np.sum(judge_right[people_right == 0])), int(np.sum(people_right == 0))),
        false_reject=wilson_share(int(np.sum(judge_right[people_right == 1] == 0)), int(np.sum(people_right == 1))),
        kappa=bootstrap_interval(cohen_kappa, (people_right, judge_right)),
        same_label=wilson_share(int(np.sum(people == judge_points)), len(middle)),
        weighted_kappa=bootstrap_interval(cohen_kappa, (people, judge_points)) if scale is not Scale.BLANK else None,
        alpha=bootstrap_interval(
            lambda *raters: krippendorff_alpha(np.array(raters), _LEVELS[scale]), (people, judge_points)
        ),
        pearson=bootstrap_interval(pearson_correlation, (means, judge_points)) if scale.is_ordinal else None,
        disagreements=tuple(
            Disagreement(
                item=compared_item.answer_id,
                problem=compared_item.problem,
                people=dict(compared_item.people),
                votes=tuple(votes),
            )
            for compared_item, votes, is_people_right, voted_right in comparisons
            if is_people_right != voted_right
        ),
    )


def _people_agreement(scale: Scale, label_by_person_of_items: Sequence[Mapping[str, str]]) -> PeopleAgreement:
    names = sorted({name for labels in label_by_person_of_items for name in labels})
    ratings = np.array(
        [
            [
                _average_points(scale, [labels[name]], statistics.median) if name in labels else math.nan
                for labels in label_by_person_of_items
            ]
            for name in names
        ],
        dtype=float,
    )
    # Whoever saw only a part of the answers, such as a third person the disputed ones, is in no Cronbach's alpha: over
    # the answers that all graded it is that of disputed answers, and so are covariances of pairs (Enders 2003).
    graded_twice = ratings[:, np.sum(~np.isnan(ratings), axis=0) > 1]
    complete = graded_twice[~np.isnan(graded_twice).any(axis=1)]
    pairs = [
        (first_label, second_label)
        for labels in label_by_person_of_items
        for first_label, second_label in itertools.combinations(labels.values(), 2)
    ]
    return PeopleAgreement(
        people=len(names),
        items=graded_twice.shape[1],
        alpha=_none_if_nan(krippendorff_alpha(ratings, _LEVELS[scale])),
        same_label=wilson_share(
            sum(
                _average_points(scale, [first_label], statistics.median)
                == _average_points(scale, [second_label], statistics.median)
                for first_label, second_label in pairs
            ),
            len(pairs),
        ),
        cronbach=_none_if_nan(cronbach_alpha(complete)),
        cronbach_people=len(complete),
    )


def is_right_by_majority(scale: Scale, labels: Sequence[str]) -> bool | None:
    """True if most labels call an answer right, False if most call it not right; None if neither is a majority.

    Partially correct (QuArch) and points below what passes call it not right.
    """
    right_count = sum(scale.passes(label) for label in labels)
    return None if 2 * right_count == len(labels) else 2 * right_count > len(labels)


def _average_points(scale: Scale, labels: Sequence[str], mean_or_median: Callable[[Sequence[float]], float]) -> float:
    return mean_or_median([scale.labels.index(label) if scale is Scale.EXAM else float(label) for label in labels])


def _none_if_nan(statistic: float) -> float | None:
    return None if math.isnan(statistic) else statistic
