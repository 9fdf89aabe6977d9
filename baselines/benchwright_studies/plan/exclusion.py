"""Which data a study's own rules leave out: a pure function of what was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.clock.clock import AttemptState, read_clock
from benchwright_attempts.clock.timeline import active_time
from benchwright_attempts.events.evidence import Exposure, Forecast, SelfEstimate
from benchwright_attempts.log.record import RecordedEvent
from benchwright_studies.plan.questionnaire import Answer, failed_attention_checks
from benchwright_studies.plan.study import Exclusion, Study
from benchwright_studies.plan.vocabulary import Criterion, Drop


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """What exclusion rules check of one attempt."""

    attempt: str
    participant: str
    state: AttemptState
    violations: int
    suspended: int
    active_minutes: float
    """At the study's own threshold."""
    unfocused_share: float
    """0 to 1; 0 if the clock never ran."""
    prior_exposure: Exposure
    """The highest that was said, before or afterwards."""
    external_help: bool


@dataclass(frozen=True, slots=True)
class Excluded:
    """One thing that is left out, and why."""

    rule: int
    """Place of the rule in the study file, from 0."""
    when: Criterion
    participant: str
    attempt: str | None
    """`None`: everything of the participant."""


_DEGREES = list(Exposure)


def facts_of(events: Sequence[RecordedEvent], idle_minutes: float) -> AttemptFacts:
    """What exclusion rules check.

    Args:
        events: All events of one attempt in order; at least one.
        idle_minutes: The study's threshold of active time.
    """
    exposure, helped = Exposure.NONE, False
    kinds: dict[str, int] = {}
    for recorded in events:
        event = recorded.event
        kinds[event.type] = kinds.get(event.type, 0) + 1
        if isinstance(event, Forecast | SelfEstimate) and event.prior_exposure is not None:
            exposure = max(exposure, event.prior_exposure, key=_DEGREES.index)
        if isinstance(event, SelfEstimate):
            helped = helped or bool(event.external_help)
    threshold_s = idle_minutes * 60
    active = active_time(events, (threshold_s,))
    return AttemptFacts(
        attempt=events[0].attempt,
        participant=events[0].participant,
        state=read_clock(events).state,
        violations=kinds.get("violation", 0),
        suspended=kinds.get("suspended", 0),
        active_minutes=active.active_s[threshold_s] / 60,
        unfocused_share=active.unfocused_s / active.running_s if active.running_s else 0.0,
        prior_exposure=exposure,
        external_help=helped,
    )


def exclusions(
    study: Study, facts: Sequence[AttemptFacts], answers: Mapping[str, Mapping[str, Answer]]
) -> list[Excluded]:
    """Everything that the study's rules leave out, in the order of the rules; nothing is left out twice by one rule.

    Args:
        study: The study.
        facts: Of every attempt, practice left out.
        answers: Of each participant who answered the questionnaire.
    """
    found: list[Excluded] = []
    people = sorted({one.participant for one in facts} | set(answers))
    for place, rule in enumerate(study.exclusions):
        if rule.when in (Criterion.FAILED_ATTENTION, Criterion.UNFINISHED_TASKS):
            found += [
                Excluded(place, rule.when, who, None)
                for who in people
                if _is_beyond(rule, _count_of(rule.when, study, who, facts, answers))
            ]
            continue
        hit = [one for one in facts if _applies(rule, one)]
        if rule.drop is Drop.PARTICIPANT:
            found += [Excluded(place, rule.when, who, None) for who in sorted({one.participant for one in hit})]
        else:
            found += [Excluded(place, rule.when, one.participant, one.attempt) for one in hit]
    return found


def _count_of(
    when: Criterion,
    study: Study,
    who: str,
    facts: Sequence[AttemptFacts],
    answers: Mapping[str, Mapping[str, Answer]],
) -> float:
    if when is Criterion.UNFINISHED_TASKS:
        submitted = sum(one.participant == who and one.state is AttemptState.SUBMITTED for one in facts)
        return len(study.problems) - submitted
    # Who did not get as far as the questions has failed none of them.
    return len(failed_attention_checks(study.questionnaire, answers[who])) if who in answers else 0


def _applies(rule: Exclusion, one: AttemptFacts) -> bool:
    match rule.when:
        case Criterion.PRIOR_EXPOSURE:
            return rule.is_ is not None and _DEGREES.index(one.prior_exposure) >= _DEGREES.index(rule.is_)
        case Criterion.EXTERNAL_HELP:
            return one.external_help
        case Criterion.VIOLATIONS:
            return _is_beyond(rule, one.violations)
        case Criterion.ACTIVE_MINUTES:
            return _is_beyond(rule, one.active_minutes)
        case Criterion.UNFOCUSED_SHARE:
            return _is_beyond(rule, one.unfocused_share)
        case Criterion.SUSPENDED:
            return _is_beyond(rule, one.suspended)
        case _:
            return False


def _is_beyond(rule: Exclusion, value: float) -> bool:
    return (rule.more_than is not None and value > rule.more_than) or (
        rule.less_than is not None and value < rule.less_than
    )
