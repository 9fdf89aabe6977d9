"""Attempts that count: the rules of the study file, as they were fixed before there were data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.rows.observation import Observation
from benchwright_attempts.attribution.actors import UNKNOWN_CONDITION, has_kept_to_condition
from benchwright_studies.plan.study import Exclusion, Study
from benchwright_studies.plan.vocabulary import Drop, ExclusionCriterion

AFTER_CLOSING = "after_closing"
"""Reason for leaving out an attempt that is not part of a closed study."""
UNKNOWN_ACTORS = "unknown_actors"
"""Reason for leaving out an attempt of which nobody can say who made it."""
_EXPOSURES = ("", "none", "similar", "same")


@dataclass(frozen=True, slots=True)
class ParticipantFacts:
    """Facts about participants that exclusion rules need, by pseudonym."""

    failed_check_count_by_participant: Mapping[str, int]
    """Attention checks answered wrongly; who did not answer is not in it."""
    unfinished_task_count_by_participant: Mapping[str, int]
    """Tasks given up, still open or not begun."""
    withdrew: frozenset[str] = frozenset()
    """Participants who took consent back: their open attempts are dropouts."""


def rule_sentence(rule: Exclusion) -> str:
    """A rule in words."""
    criterion_name = rule.when.value.replace("_", " ")
    bound = ""
    if rule.more_than is not None:
        bound = f" more than {rule.more_than:g}"
    elif rule.less_than is not None:
        bound = f" less than {rule.less_than:g}"
    elif rule.is_ is not None:
        bound = f" is {rule.is_.value}"
    return f"{criterion_name}{bound}" + (" (whole participant)" if rule.drop is Drop.PARTICIPANT else "")


def exclusion_count_by_words(observations: Sequence[Observation]) -> dict[str, int]:
    """Why attempts do not count, in words → how many; one that several rules leave out is in each."""
    return dict(
        Counter(
            _WORDS.get(reason, reason)
            for observation in observations
            for reason in (observation.excluded_by.split("; ") if observation.excluded_by else ())
        )
    )


_WORDS = {"still_open": "not ended yet", AFTER_CLOSING: "added after the study was closed"}


def with_exclusions_marked(
    observations: Sequence[Observation],
    study: Study | None,
    participant_facts: ParticipantFacts | None,
    sealed_attempts: Container[str] | None = None,
) -> list[Observation]:
    """The same rows, those that do not count marked with why; the reasons that a table has are kept.

    Args:
        observations: Attempts of one study, or of none.
        study: The study; none outside studies.
        participant_facts: Participants of the study.
        sealed_attempts: The attempts of a closed study; others do not count. None if it is not closed.
    """
    reasons: dict[str, list[str]] = {
        observation.attempt: list(filter(None, observation.excluded_by.split("; "))) for observation in observations
    }
    for observation in observations:
        if observation.practice:
            reasons[observation.attempt].append("practice")
        elif observation.state in ("open", "running", "paused"):
            reasons[observation.attempt].append("still_open")
        elif observation.solver == UNKNOWN_CONDITION:
            reasons[observation.attempt].append(UNKNOWN_ACTORS)
        elif observation.assigned_solver and not has_kept_to_condition(observation.assigned_solver, observation.solver):
            reasons[observation.attempt].append(f"worked_as {observation.solver}")
        if sealed_attempts is not None and observation.attempt not in sealed_attempts:
            reasons[observation.attempt].append(AFTER_CLOSING)
    for rule in study.exclusions if study is not None else ():
        hit = [
            observation
            for observation in observations
            if not observation.practice
            and observation.is_person
            and _rule_applies(rule, observation, participant_facts)
        ]
        if rule.drop is Drop.PARTICIPANT:
            participants = {observation.participant for observation in hit}
            hit = [
                observation
                for observation in observations
                if observation.participant in participants and observation.is_person and not observation.practice
            ]
        for observation in hit:
            reasons[observation.attempt].append(rule_sentence(rule))
    return [
        observation.model_copy(
            update={
                "excluded_by": "; ".join(dict.fromkeys(reasons[observation.attempt])),
                "intended": _is_counted_by_intention_to_treat(observation, participant_facts),
            }
        )
        if AFTER_CLOSING not in reasons[observation.attempt]
        else observation.model_copy(update={"excluded_by": "; ".join(dict.fromkeys(reasons[observation.attempt]))})
        for observation in observations
    ]


def _is_counted_by_intention_to_treat(observation: Observation, participant_facts: ParticipantFacts | None) -> bool:
    if participant_facts is None:
        # A table says it itself.
        return observation.intended
    if not observation.study or not observation.is_person or observation.practice:
        return False
    has_ended = observation.state not in ("open", "running", "paused")
    return has_ended or observation.participant in participant_facts.withdrew


_ONLY_ALONE = frozenset({"ai_setting", "edit_by_model"})
"""Violations that no condition with assistants can have: see `Terms.violations`."""


def one_sidedness_note(rule: Exclusion, study: Study, excluded_observations: Sequence[Observation]) -> str:
    """Note that a rule leaves out attempts of one condition only, by its nature or in these data; empty if not.

    Args:
        rule: The rule.
        study: Its study.
        excluded_observations: The attempts that it leaves out.
    """
    solvers = {condition.name: condition.solver.value for condition in study.people_conditions}
    unaided_names = [name for name, solver in solvers.items() if solver == "human"]
    conditions = {observation.condition for observation in excluded_observations}
    if len(solvers) < 2:
        return ""
    if rule.when is ExclusionCriterion.VIOLATIONS and unaided_names and len(unaided_names) < len(solvers):
        words = {word for observation in excluded_observations for word in observation.violation_rules.split()}
        could = "could" if excluded_observations and words <= _ONLY_ALONE else "mostly can"
        return f"{could} only hit {', '.join(unaided_names)}: named assistants break no rule elsewhere"
    if len(excluded_observations) > 1 and len(conditions) == 1:
        return f"hit only {conditions.pop()} in these data"
    return ""


def _rule_applies(rule: Exclusion, observation: Observation, participant_facts: ParticipantFacts | None) -> bool:
    if rule.when is ExclusionCriterion.PRIOR_EXPOSURE:
        return rule.is_ is not None and _EXPOSURES.index(observation.prior_exposure) >= _EXPOSURES.index(rule.is_.value)
    if rule.when is ExclusionCriterion.EXTERNAL_HELP:
        return bool(observation.external_help)
    value = _VALUES[rule.when](observation, participant_facts)
    if value is None:
        return False
    if rule.more_than is not None:
        return value > rule.more_than
    return rule.less_than is not None and value < rule.less_than


def _failed_attention_check_count(observation: Observation, participant_facts: ParticipantFacts | None) -> float | None:
    return (
        participant_facts.failed_check_count_by_participant.get(observation.participant)
        if participant_facts is not None
        else None
    )


def _unfinished_task_count(observation: Observation, participant_facts: ParticipantFacts | None) -> float | None:
    return (
        participant_facts.unfinished_task_count_by_participant.get(observation.participant)
        if participant_facts is not None
        else None
    )


_VALUES: Mapping[ExclusionCriterion, Callable[[Observation, ParticipantFacts | None], float | None]] = {
    ExclusionCriterion.FAILED_ATTENTION: _failed_attention_check_count,
    ExclusionCriterion.UNFINISHED_TASKS: _unfinished_task_count,
    ExclusionCriterion.VIOLATIONS: lambda observation, _: observation.violations,
    ExclusionCriterion.ACTIVE_MINUTES: lambda observation, _: (
        None if observation.active_s is None else observation.active_s / 60
    ),
    ExclusionCriterion.UNFOCUSED_SHARE: lambda observation, _: (
        observation.unfocused_s / observation.clock_s
        if observation.clock_s and observation.unfocused_s is not None
        else None
    ),
    ExclusionCriterion.SUSPENDED: lambda observation, _: observation.suspensions,
}


def exclusion_count_by_reason(observations: Sequence[Observation]) -> dict[str, int]:
    """Number of attempts that each reason leaves out; one with two reasons counts for both."""
    counts = Counter(reason for observation in observations for reason in observation.excluded_by.split("; ") if reason)
    return dict(sorted(counts.items()))
