"""Which attempts count: the rules of the study file, as they were fixed before there were data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.rows.observation import Observation
from benchwright_studies.plan.study import Exclusion, Study
from benchwright_studies.plan.vocabulary import Criterion, Drop

AFTER_CLOSING = "after_closing"
"""Why an attempt does not count that is not part of a closed study."""
_EXPOSURES = ("", "none", "similar", "same")


@dataclass(frozen=True, slots=True)
class Participants:
    """What exclusion rules ask of participants, by pseudonym."""

    failed_attention: Mapping[str, int]
    """Attention checks answered wrongly; who did not answer is not in it."""
    unfinished_tasks: Mapping[str, int]
    """Tasks given up, still open or not begun."""
    withdrew: frozenset[str] = frozenset()
    """Who took consent back: their open attempts are dropouts."""


def sentence(rule: Exclusion) -> str:
    """A rule in words."""
    what = rule.when.value.replace("_", " ")
    bound = ""
    if rule.more_than is not None:
        bound = f" more than {rule.more_than:g}"
    elif rule.less_than is not None:
        bound = f" less than {rule.less_than:g}"
    elif rule.is_ is not None:
        bound = f" is {rule.is_.value}"
    return f"{what}{bound}" + (" (whole participant)" if rule.drop is Drop.PARTICIPANT else "")


def exclude(
    observations: Sequence[Observation],
    study: Study | None,
    people: Participants | None,
    sealed: Container[str] | None = None,
) -> list[Observation]:
    """The same rows, those that do not count marked with why.

    Args:
        observations: Of one study, or of none.
        study: The study; none outside studies.
        people: Of the study.
        sealed: The attempts of a closed study; others do not count. None if it is not closed.
    """
    reasons: dict[str, list[str]] = {one.attempt: [] for one in observations}
    for one in observations:
        if one.practice:
            reasons[one.attempt].append("practice")
        elif one.state in ("open", "running", "paused"):
            reasons[one.attempt].append("still_open")
        if sealed is not None and one.attempt not in sealed:
            reasons[one.attempt].append(AFTER_CLOSING)
    for rule in study.exclusions if study is not None else ():
        hit = [one for one in observations if not one.practice and one.is_person and _applies(rule, one, people)]
        if rule.drop is Drop.PARTICIPANT:
            whose = {one.participant for one in hit}
            hit = [one for one in observations if one.participant in whose and one.is_person and not one.practice]
        for one in hit:
            reasons[one.attempt].append(sentence(rule))
    return [
        one.model_copy(update={"excluded_by": "; ".join(reasons[one.attempt]), "intended": _is_intended(one, people)})
        if AFTER_CLOSING not in reasons[one.attempt]
        else one.model_copy(update={"excluded_by": "; ".join(reasons[one.attempt])})
        for one in observations
    ]


def _is_intended(one: Observation, people: Participants | None) -> bool:
    if people is None or not one.study or not one.is_person or one.practice:
        return False
    has_ended = one.state not in ("open", "running", "paused")
    return has_ended or one.participant in people.withdrew


_ONLY_ALONE = frozenset({"ai_setting", "edit_by_model"})
"""Violations that no condition with assistants can have: see `Terms.violations`."""


def one_sided(rule: Exclusion, study: Study, hit: Sequence[Observation]) -> str:
    """Whether a rule leaves out attempts of one condition only, by its nature or in these data; empty if not.

    Args:
        rule: The rule.
        study: Its study.
        hit: The attempts that it leaves out.
    """
    solvers = {condition.name: condition.solver.value for condition in study.people_conditions}
    alone = [name for name, solver in solvers.items() if solver == "human"]
    seen = {one.condition for one in hit}
    if len(solvers) < 2:
        return ""
    if rule.when is Criterion.VIOLATIONS and alone and len(alone) < len(solvers):
        words = {word for one in hit for word in one.violation_rules.split()}
        could = "could" if hit and words <= _ONLY_ALONE else "mostly can"
        return f"{could} only hit {', '.join(alone)}: named assistants break no rule elsewhere"
    if len(hit) > 1 and len(seen) == 1:
        return f"hit only {seen.pop()} in these data"
    return ""


def _applies(rule: Exclusion, one: Observation, people: Participants | None) -> bool:
    if rule.when is Criterion.PRIOR_EXPOSURE:
        return rule.is_ is not None and _EXPOSURES.index(one.prior_exposure) >= _EXPOSURES.index(rule.is_.value)
    if rule.when is Criterion.EXTERNAL_HELP:
        return bool(one.external_help)
    value = _VALUES[rule.when](one, people)
    if value is None:
        return False
    if rule.more_than is not None:
        return value > rule.more_than
    return rule.less_than is not None and value < rule.less_than


def _attention(one: Observation, people: Participants | None) -> float | None:
    return people.failed_attention.get(one.participant) if people is not None else None


def _unfinished(one: Observation, people: Participants | None) -> float | None:
    return people.unfinished_tasks.get(one.participant) if people is not None else None


_VALUES: Mapping[Criterion, Callable[[Observation, Participants | None], float | None]] = {
    Criterion.FAILED_ATTENTION: _attention,
    Criterion.UNFINISHED_TASKS: _unfinished,
    Criterion.VIOLATIONS: lambda one, _: one.violations,
    Criterion.ACTIVE_MINUTES: lambda one, _: one.active_s / 60,
    Criterion.UNFOCUSED_SHARE: lambda one, _: one.unfocused_s / one.clock_s if one.clock_s else None,
    Criterion.SUSPENDED: lambda one, _: one.suspensions,
}


def count_by_reason(observations: Sequence[Observation]) -> dict[str, int]:
    """How many attempts each reason leaves out; one with two reasons counts for both."""
    found = Counter(reason for one in observations for reason in one.excluded_by.split("; ") if reason)
    return dict(sorted(found.items()))
