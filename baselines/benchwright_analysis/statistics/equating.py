"""Two forms of a test on one scale, by the problems that both have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.item_response import NORMAL_QUANTILE, AbilityScale
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate

FEWEST_COMMON = 5
"""Problems that both forms have, and that stayed as hard as they were."""
_LEVEL = 0.05


@dataclass(frozen=True)
class EquatedForms:
    """The second form on the scale of the first."""

    shift: Estimate
    """What is added to an ability or a difficulty of the second form, in logits."""
    common: tuple[str, ...]
    """Problems that tie the forms together."""
    drifted: tuple[str, ...]
    """Problems of both forms that are not as hard in one as in the other: they tie nothing."""
    scores: Sequence[float]
    """For each number solved in the second form, from 0, the number that is worth as much in the first."""


def equate_forms(first_form: AbilityScale, second_form: AbilityScale) -> EquatedForms:
    """Puts the second form on the scale of the first, by common problems (mean/mean, Kolen & Brennan 2014).

    Common problems whose difficulty changed by more than chance, against the median of all, are left out. The error of
    the shift is that of the mean of the others' changes, so it has the chance of solvers and of problems.

    Raises:
        StatisticsError: Too few problems in common.
    """
    import mirt
    from scipy import special

    shared = [problem for problem in first_form.difficulties if problem in second_form.difficulties]
    if len(shared) < FEWEST_COMMON:
        raise StatisticsError(
            f"The forms have {len(shared)} problems in common that some solved and some did not, and it takes "
            f"{FEWEST_COMMON}."
        )
    drifted = _drifted_problems(first_form, second_form, shared)
    common = [problem for problem in shared if problem not in drifted]
    if len(common) < FEWEST_COMMON:
        raise StatisticsError(
            f"Of {len(shared)} problems in common, {len(drifted)} are not as hard in one form as in the other, and it "
            f"takes {FEWEST_COMMON} that are."
        )
    difficulty_changes = np.array(
        [_difficulty_value(first_form, problem) - _difficulty_value(second_form, problem) for problem in common]
    )
    amount = float(difficulty_changes.mean())
    reach = float(special.stdtrit(len(difficulty_changes) - 1, (1 + CONFIDENCE) / 2)) * float(
        difficulty_changes.std(ddof=1)
    )
    reach /= math.sqrt(len(difficulty_changes))
    # What mirt calls the old form is the one whose scores are converted.
    first_problems, second_problems = list(first_form.difficulties), list(second_form.difficulties)
    linking = mirt.link(
        second_form.model,
        first_form.model,
        [second_problems.index(problem) for problem in common],
        [first_problems.index(problem) for problem in common],
        method="mean_mean",
        compute_diagnostics=False,
    )
    converted = mirt.true_score_equating(second_form.model, first_form.model, linking)
    return EquatedForms(
        Estimate(value=amount, low=amount - reach, high=amount + reach),
        tuple(common),
        drifted,
        tuple(np.asarray(converted.new_scores, dtype=np.float64).tolist()),
    )


def _drifted_problems(
    first_form: AbilityScale, second_form: AbilityScale, shared_problems: Sequence[str]
) -> tuple[str, ...]:
    """Problems whose difficulty changed by more than chance: z of the change from the median, Benjamini & Hochberg."""
    from scipy import special
    from statsmodels.stats.multitest import multipletests

    difficulty_changes = np.array(
        [
            _difficulty_value(first_form, problem) - _difficulty_value(second_form, problem)
            for problem in shared_problems
        ]
    )
    change_errors = np.array(
        [
            math.hypot(
                _difficulty_standard_error(first_form, problem), _difficulty_standard_error(second_form, problem)
            )
            for problem in shared_problems
        ]
    )
    p_values = 2 * special.ndtr(-np.abs(difficulty_changes - np.median(difficulty_changes)) / change_errors)
    adjusted = np.asarray(multipletests(p_values, method="fdr_bh")[1])
    return tuple(problem for problem, p in zip(shared_problems, adjusted.tolist(), strict=True) if p < _LEVEL)


def _difficulty_value(scale: AbilityScale, problem: str) -> float:
    return scale.difficulties[problem].value or 0.0


def _difficulty_standard_error(scale: AbilityScale, problem: str) -> float:
    low, high = scale.difficulties[problem].low or 0.0, scale.difficulties[problem].high or 0.0
    return (high - low) / (2 * NORMAL_QUANTILE)
