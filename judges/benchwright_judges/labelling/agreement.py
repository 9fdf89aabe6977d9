"""Agreement of labels: votes with each other, and labels of models with people and with the data set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from benchwright_foundation.model import Model
from benchwright_judges.agreement.estimators import (
    Estimate,
    Level,
    Share,
    bootstrap_estimate,
    krippendorff_alpha,
    wilson_share,
)
from benchwright_problems.problem import Problem
from benchwright_problems.storage.labels import LabelKind, LabelSource, PackLabels, QuestionLabel, data_set_label


class LabellerAgreement(Model):
    """Two ways to label the same questions."""

    same: Share
    alpha: Estimate
    """Krippendorff's, nominal; of difficulty, ordinal."""


class LabelAgreement(Model):
    """Agreement on one kind of label."""

    kind: LabelKind
    labelled: int
    """Questions with a label by a model or TF-IDF."""
    votes: LabellerAgreement
    """The first two votes of models."""
    people: LabellerAgreement
    """Label by a model or TF-IDF against what people said."""
    data_set: LabellerAgreement
    """Label by a model or TF-IDF against what the data set says."""


def measure_label_agreement(
    problems: Sequence[Problem], labels: PackLabels, *, seed: int = 1, resamples: int = 1000
) -> list[LabelAgreement]:
    """Agreement on each kind of label that a question has.

    Args:
        problems: The pack's.
        labels: Labels of the pack.
        seed: Seed of the bootstrap intervals.
        resamples: Number of resamples; none if no interval is wanted, which takes seconds for thousands of questions.
    """
    agreements = []
    measure_likeness = partial(_labeller_agreement, seed=seed, resamples=resamples)
    for kind in LabelKind:
        machine_labels = [
            (problem, label)
            for problem in problems
            if (label := labels.newest_machine_label(problem, kind)) is not None
        ]
        if not machine_labels:
            continue
        person_pairs = [
            (label.value, person.value)
            for problem, label in machine_labels
            if (person := labels.newest_person_label(problem, kind))
        ]
        stated_pairs = [
            (label.value, stated_value)
            for problem, label in machine_labels
            if (stated_value := data_set_label(problem, kind) or label.stated)
        ]
        agreements.append(
            LabelAgreement(
                kind=kind,
                labelled=len(machine_labels),
                votes=measure_likeness(
                    kind, [_first_two_votes(label) for _, label in machine_labels if _was_voted_on(label)]
                ),
                people=measure_likeness(kind, person_pairs),
                data_set=measure_likeness(kind, stated_pairs),
            )
        )
    return agreements


def _was_voted_on(label: QuestionLabel) -> bool:
    return label.source is LabelSource.MODEL and len(label.votes) > 1


def _first_two_votes(label: QuestionLabel) -> tuple[str, str]:
    return label.votes[0].value, label.votes[1].value


def _labeller_agreement(
    kind: LabelKind, labels_compared_in_pairs: Sequence[tuple[str, str]], *, seed: int, resamples: int
) -> LabellerAgreement:
    level: Level = "ordinal" if kind is LabelKind.DIFFICULTY else "nominal"
    order = list(kind.possible_values or sorted({value for pair in labels_compared_in_pairs for value in pair}))
    label_columns = [
        np.array([order.index(pair[side]) for pair in labels_compared_in_pairs], dtype=float) for side in (0, 1)
    ]
    return LabellerAgreement(
        same=wilson_share(
            sum(first == second for first, second in labels_compared_in_pairs), len(labels_compared_in_pairs)
        ),
        alpha=bootstrap_estimate(
            lambda *raters: krippendorff_alpha(np.array(raters), level), label_columns, seed=seed, resamples=resamples
        ),
    )
