from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_analysis.report.rows.exclusions import (
    ParticipantFacts,
    exclusion_count_by_reason,
    with_exclusions_marked,
)
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import parse_study

from ....support.packs.report_codebook import observation

NOBODY = ParticipantFacts({}, {})


def study_with_rules(*rules: str) -> Study:
    rule_lines = "".join(f"  - {rule}\n" for rule in rules)
    text = (
        "study: s\ntitle: S\nproblems: [p/q]\nconditions: [{name: alone, solver: human}]\nparticipants: 2\n"
        "randomisation: {seed: 1}\nconsent: {version: '1', text: A text that is long enough.}\n"
        + (f"exclusions:\n{rule_lines}" if rule_lines else "")
    )
    return parse_study(text, Path("s.yaml")).study


BASE = {"attempt": "a", "participant": "P01", "solver": "human", "state": "submitted"}


@pytest.mark.parametrize(
    ("rule", "hit", "missed"),
    [
        ("{when: violations, more_than: 0}", {"violations": 1}, {"violations": 0}),
        ("{when: active_minutes, less_than: 2}", {"active_s": 119.0}, {"active_s": 120.0}),
        ("{when: unfocused_share, more_than: 0.5}", {"unfocused_s": 6.0, "clock_s": 10.0}, {"clock_s": 0.0}),
        ("{when: suspended, more_than: 0}", {"suspensions": 1}, {"suspensions": 0}),
        ("{when: external_help}", {"external_help": True}, {"external_help": None}),
        ("{when: prior_exposure, is: similar}", {"prior_exposure": "same"}, {"prior_exposure": "none"}),
        ("{when: prior_exposure, is: same}", {"prior_exposure": "same"}, {"prior_exposure": "similar"}),
    ],
)
def test_a_rule_leaves_out_what_it_names_and_nothing_else(
    rule: str, hit: dict[str, object], missed: dict[str, object]
) -> None:
    rows = with_exclusions_marked(
        [observation(**(BASE | hit)), observation(**(BASE | missed | {"attempt": "b"}))], study_with_rules(rule), NOBODY
    )
    assert [row.is_analysed for row in rows] == [False, True]
    assert len(exclusion_count_by_reason(rows)) == 1


def test_a_rule_about_a_participant_leaves_out_all_their_attempts() -> None:
    own_rows = [observation(**BASE | {"attempt": name}) for name in "ab"]
    other_row = observation(**BASE | {"attempt": "c", "participant": "P02"})
    rule = study_with_rules("{when: failed_attention, more_than: 0, drop: participant}")
    rows = with_exclusions_marked([*own_rows, other_row], rule, ParticipantFacts({"P01": 1, "P02": 0}, {}))
    assert [row.is_analysed for row in rows] == [False, False, True]


def test_unfinished_tasks_count_those_not_begun() -> None:
    rule = study_with_rules("{when: unfinished_tasks, more_than: 1, drop: participant}")
    (row,) = with_exclusions_marked([observation(**BASE)], rule, ParticipantFacts({}, {"P01": 2}))
    assert row.excluded_by == "unfinished tasks more than 1 (whole participant)"


def test_practice_and_attempts_that_go_on_never_count() -> None:
    rows = with_exclusions_marked(
        [observation(**BASE | {"practice": True}), observation(**BASE | {"attempt": "b", "state": "running"})],
        study_with_rules(),
        NOBODY,
    )
    assert [row.excluded_by for row in rows] == ["practice", "still_open"]


def test_rules_for_people_do_not_touch_models() -> None:
    row = observation(**BASE | {"solver": "model", "active_s": 1.0})
    (checked_row,) = with_exclusions_marked([row], study_with_rules("{when: active_minutes, less_than: 2}"), NOBODY)
    assert checked_row.is_analysed
