"""What a study of a given size can find: for the box that says what a report supports."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from benchwright_analysis.statistics.columns import share_of_one
from benchwright_analysis.statistics.errors import StatisticsError

LEVEL = 0.05
POWER = 0.8


@dataclass(frozen=True)
class TwoConditionPower:
    """The smallest differences between two conditions that a study of this size finds with the given power."""

    power: float
    level: float
    attempts: tuple[int, int]
    """By condition, as counted."""
    effective_attempts: tuple[float, float]
    """Divided by the design effect: attempts of one person carry less information than attempts of several."""
    passes: int
    design_effect: float
    base_rate: float
    """Success rate of the first condition, which the detectable rates are counted from."""
    detectable_higher_rate: float | None
    """None: not even a rate of 1 would be found."""
    detectable_lower_rate: float | None
    """None: not even a rate of 0 would be found."""
    detectable_hazard_ratio: float | None
    """Greater than 1; its inverse is as detectable. `None` if nobody passed."""


def two_condition_power(
    attempts: tuple[int, int],
    base_rate: float,
    passes: int,
    *,
    attempts_per_participant: float = 1,
    intraclass_correlation: float = 0,
    power: float = POWER,
    level: float = LEVEL,
) -> TwoConditionPower:
    """Detectable success rates and hazard ratio for two conditions.

    Correlated attempts are allowed for by the design effect, which fits participants who stay in one condition. Where
    each works in both, differences between people cancel, and the study finds smaller effects than this says.

    Args:
        attempts: In the first and the second condition.
        base_rate: Success rate in the first.
        passes: Attempts that passed, in both together.
        attempts_per_participant: On average.
        intraclass_correlation: Share of the variance that is between participants, from 0 to 1.
        power: Chance to find the effect.
        level: Of the two-sided test.

    Raises:
        StatisticsError: A number is out of range.
    """
    effect = design_effect(attempts_per_participant, intraclass_correlation)
    effective = (attempts[0] / effect, attempts[1] / effect)
    share = attempts[0] / sum(attempts) if all(attempts) else 0.0
    if not share:
        raise StatisticsError(f"Both conditions need attempts, and they have {attempts[0]} and {attempts[1]}.")
    higher, lower = detectable_rates(base_rate, *effective, power=power, level=level)
    ratio = detectable_hazard_ratio(passes / effect, share, power=power, level=level) if passes else None
    return TwoConditionPower(
        power, level, attempts, effective, passes, effect, base_rate, higher, lower, detectable_hazard_ratio=ratio
    )


def design_effect(cluster_size: float, intraclass_correlation: float) -> float:
    """By how much clustering multiplies a variance: 1 + (m - 1) * ICC (Kish 1965).

    Raises:
        StatisticsError: Clusters smaller than 1, or a correlation not from 0 to 1.
    """
    if not cluster_size >= 1:
        raise StatisticsError(f"A participant has at least 1 attempt, not {cluster_size:g}.")
    if not 0 <= intraclass_correlation <= 1:
        raise StatisticsError(f"The intraclass correlation has to be from 0 to 1, not {intraclass_correlation:g}.")
    return 1 + (cluster_size - 1) * intraclass_correlation


def rates_power(first: float, second: float, attempts: float, other_attempts: float, *, level: float = LEVEL) -> float:
    """The chance that a two-sided comparison of two rates finds their difference (Fleiss 1981; R's power.prop.test).

    The normal approximation with the pooled variance under no difference, the far tail left out.

    Args:
        first: Rate of the first condition.
        second: Of the second.
        attempts: In the first; may be an effective number.
        other_attempts: In the second.
        level: Of the test.

    Raises:
        StatisticsError: A number is out of range.
    """
    for rate in (first, second):
        if not 0 <= rate <= 1:
            raise StatisticsError(f"A rate has to be from 0 to 1, not {rate:g}.")
    if not (attempts > 0 and other_attempts > 0):
        raise StatisticsError("Both conditions need attempts.")
    pooled = (first * attempts + second * other_attempts) / (attempts + other_attempts)
    null = math.sqrt(pooled * (1 - pooled) * (1 / attempts + 1 / other_attempts))
    spread = math.sqrt(first * (1 - first) / attempts + second * (1 - second) / other_attempts)
    reach = abs(first - second) - _quantile(1 - share_of_one(level, "The level") / 2) * null
    if spread == 0:
        return 1.0 if reach > 0 else 0.0
    return _normal(reach / spread)


def detectable_rates(
    base: float, attempts: float, other_attempts: float, *, power: float = POWER, level: float = LEVEL
) -> tuple[float | None, float | None]:
    """The nearest higher and lower rate of the second condition that is found with the given power.

    Raises:
        StatisticsError: A number is out of range.
    """
    share_of_one(power, "The power")
    rates_power(base, base, attempts, other_attempts, level=level)
    return _crossings(
        lambda rate: rates_power(base, rate, attempts, other_attempts, level=level) - power, base, (1.0, 0.0)
    )


def detectable_hazard_ratio(
    events: float, share: float = 0.5, *, power: float = POWER, level: float = LEVEL
) -> float | None:
    """The smallest hazard ratio above 1 that is found; its inverse is as detectable.

    Returns:
        `None` if it would exceed any number.

    Raises:
        StatisticsError: A number is out of range.
    """
    exponent = _reach(power, level) / math.sqrt(_information(events, share))
    return math.exp(exponent) if exponent < 700 else None


def _crossings(
    excess: Callable[[float], float], start: float, ends: tuple[float, float]
) -> tuple[float | None, float | None]:
    """Where a function that grows away from the start crosses 0 on the way to either end; `None` if it does not."""
    from scipy import optimize

    first, second = (
        float(optimize.brentq(excess, start, end)) if end != start and excess(end) >= 0 else None for end in ends
    )
    return first, second


def _information(events: float, share: float) -> float:
    if not events > 0:
        raise StatisticsError(f"At least one attempt has to pass, not {events:g}.")
    share_of_one(share, "The share of the first condition")
    return events * share * (1 - share)


def _reach(power: float, level: float) -> float:
    return _quantile(1 - _level(level) / 2) + _quantile(share_of_one(power, "The power"))


def _level(level: float) -> float:
    return share_of_one(level, "The level")


def _quantile(probability: float) -> float:
    from scipy import special

    return float(special.ndtri(probability))


def _normal(value: float) -> float:
    from scipy import special

    return float(special.ndtr(value))
