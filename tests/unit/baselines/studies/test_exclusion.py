from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.events import Event, Focus, Opened, Started, Submitted
from benchwright_attempts.events.evidence import Exposure, Forecast, SelfEstimate, Suspended, Violation
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_studies.plan.exclusion import AttemptFacts, exclusions, facts_of
from benchwright_studies.plan.study import Study

MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
FINE = AttemptFacts("1", "ada", AttemptState.SUBMITTED, 0, 0, 5.0, 0.1, Exposure.NONE, False)

CHECK = {"id": "check", "ask": "Choose b.", "kind": "choice", "choices": ["a", "b"], "expect": "b"}
SIMILAR = {"prior_exposure": Exposure.SIMILAR}
SAME = {"prior_exposure": Exposure.SAME}


def study(*rules: dict[str, Any]) -> Study:
    return Study.model_validate(
        {
            "study": "s",
            "title": "S",
            "problems": ["p/a", "p/b"],
            "conditions": [{"name": "alone", "solver": "human"}],
            "participants": ["ada", "bob"],
            "randomisation": {"seed": 1},
            "questionnaire": [
                {"id": "check", "ask": "Choose b.", "kind": "choice", "choices": ["a", "b"], "expect": "b"}
            ],
            "exclusions": list(rules),
            "consent": {"version": "1", "text": "I agree to everything there."},
        }
    )


def test_facts_are_counted_from_what_was_recorded() -> None:
    timed: list[tuple[float, Event]] = [
        (0, Opened(files={})),
        (1, Forecast(prior_exposure=Exposure.SIMILAR)),
        (10, Started()),
        (20, Violation(rule="ai_setting")),
        (30, Focus(focused=False)),
        (60, Focus(focused=True)),
        (70, Suspended(wall_s=30, mono_s=1)),
        (310, Submitted()),
        (320, SelfEstimate(prior_exposure=Exposure.NONE, external_help=True)),
    ]
    events = [
        RecordedEvent("1", seq, Moment(MORNING + timedelta(seconds=at), round(at * 1e9), "p"), event, "", "", "ada")
        for seq, (at, event) in enumerate(timed, start=1)
    ]
    facts = facts_of(events, idle_minutes=2)
    # The gaps are 20, 30 and 250 s.
    active = (20 + 30 + 120) / 60
    assert facts == AttemptFacts("1", "ada", AttemptState.SUBMITTED, 1, 1, active, 0.1, Exposure.SIMILAR, True)


@pytest.mark.parametrize(
    ("rule", "out", "stays"),
    [
        ({"when": "violations", "more_than": 0}, {"violations": 1}, {}),
        ({"when": "external_help"}, {"external_help": True}, {}),
        ({"when": "prior_exposure", "is": "similar"}, SAME, {}),
        (
            {"when": "prior_exposure", "is": "same"},
            {"prior_exposure": Exposure.SAME},
            {"prior_exposure": Exposure.SIMILAR},
        ),
        ({"when": "active_minutes", "less_than": 1}, {"active_minutes": 0.9}, {"active_minutes": 1.0}),
        ({"when": "unfocused_share", "more_than": 0.5}, {"unfocused_share": 0.6}, {"unfocused_share": 0.5}),
        ({"when": "suspended", "more_than": 1}, {"suspended": 2}, {"suspended": 1}),
    ],
)
def test_a_rule_leaves_out_what_it_names_and_nothing_else(
    rule: dict[str, Any], out: dict[str, Any], stays: dict[str, Any]
) -> None:
    facts = [replace(FINE, **stays), replace(FINE, attempt="2", **out), replace(FINE, attempt="3", participant="bob")]
    assert [(one.attempt, one.participant) for one in exclusions(study(rule), facts, {})] == [("2", "ada")]
    whole = exclusions(study(rule | {"drop": "participant"}), facts, {})
    assert [(one.attempt, one.participant) for one in whole] == [(None, "ada")]


def test_participants_are_left_out_for_careless_answers_and_unfinished_tasks() -> None:
    rules = study(
        {"when": "failed_attention", "more_than": 0, "drop": "participant"},
        {"when": "unfinished_tasks", "more_than": 1, "drop": "participant"},
    )
    facts = [
        FINE,
        replace(FINE, attempt="2"),
        replace(FINE, attempt="3", participant="bob", state=AttemptState.ABANDONED),
    ]
    found = exclusions(rules, facts, {"ada": {"check": "a"}, "bob": {"check": "b"}})
    assert [(one.rule, one.participant) for one in found] == [(0, "ada"), (1, "bob")]
    assert exclusions(rules, facts[:2], {}) == []
