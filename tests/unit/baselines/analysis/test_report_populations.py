"""Populations that count: by intention to treat beside per protocol, rules that hit one condition, the registered."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import ParticipantFacts, with_exclusions_marked
from benchwright_analysis.report.rows.populations import populations_section
from benchwright_analysis.report.rows.support import support_section
from benchwright_analysis.report.section import Section
from benchwright_analysis.report.sections.main_result import main_result_section
from benchwright_analysis.report.sections.preregistration import (
    preregistration_section,
    section_role,
    with_role_and_population_note,
)
from benchwright_analysis.report.sections.registration import Registration
from benchwright_studies.plan.study_file import parse_study
from benchwright_studies.plan.vocabulary import Population

from ....support.packs.report_sections import attempt, words

STUDY = """
study: s
title: S
problems: [p/a, p/b]
conditions:
  - {name: alone, solver: human}
  - {name: copilot, solver: human+copilot, assistants: [x.y]}
participants: 4
randomisation: {seed: 1}
analysis: {primary: time, secondary: [solved]}
exclusions:
  - {when: violations, more_than: 0}
  - {when: active_minutes, less_than: 1}
  - {when: external_help}
consent: {version: "1", text: "You agree to what is written here."}
"""
study = parse_study(STUDY, Path("s.yaml")).study
REGISTERED = Registration("ab12", {}, ())


def changed_attempts(
    *attempt_changes: dict[str, object], withdrew: frozenset[str] = frozenset()
) -> list[FoldedAttempt]:
    """One attempt for each set of changes."""
    attempts = []
    for number, attempt_change in enumerate(attempt_changes):
        condition = str(attempt_change.pop("condition", "alone"))
        solver = "human" if condition == "alone" else "human+copilot"
        attempt_fields = {"study": "s", "solver": solver, "seconds": 600.0, "active_s": 600.0} | attempt_change
        attempts.append(attempt(str(attempt_change.pop("who", f"P{number}")), "p/a", condition, **attempt_fields))
    participants = ParticipantFacts({}, {}, withdrew)
    marked_rows = with_exclusions_marked([folded.observation for folded in attempts], study, participants)
    return [
        FoldedAttempt(row, folded.trace, folded.inserted_per_tenth_by_source, folded.failure)
        for row, folded in zip(marked_rows, attempts, strict=True)
    ]


def test_an_attempt_that_a_rule_leaves_out_counts_by_intention_to_treat() -> None:
    violation = {"violations": 1, "violation_rules": "edit_by_model"}
    data = Dataset(
        changed_attempts({}, violation, {"condition": "copilot"}),
        {},
        study,
        drawn_task_count_by_condition={"alone": 2, "copilot": 2},
    )
    assert [row.is_analysed for row in data.observations] == [True, False, True]
    assert [row.intended for row in data.observations] == [True, True, True]
    assert len(data.with_intention_to_treat().counted_attempts) == 3
    condition_counts = populations_section(data).numbers["conditions"]
    assert isinstance(condition_counts, dict)
    assert condition_counts["alone"] == {
        "drawn": 2,
        "begun": 2,
        "still_open": 0,
        "intention_to_treat": 2,
        "per_protocol": 1,
        "solved": 2,
        "solved_share_of_drawn": 1.0,
    }
    # One of the two that were drawn was never begun.
    assert condition_counts["copilot"]["solved_share_of_drawn"] == 0.5


@pytest.mark.parametrize(
    ("population", "sentence"),
    [
        ("intention-to-treat", "“The answer” is by intention to treat, with 3 attempts of 3 people"),
        ("per-protocol", "By intention to treat they would be 3 attempts of 3 people"),
    ],
)
def test_the_box_at_the_top_says_whom_it_counts_and_whom_the_answer_does(population: str, sentence: str) -> None:
    planned = parse_study(STUDY.replace("[solved]", f"[solved], population: {population}"), Path("s.yaml")).study
    attempts = changed_attempts({}, {"external_help": True}, {"condition": "copilot"})
    text = words(support_section(Dataset(attempts, {}, planned)))
    assert "2 attempts at 1 problem count: 2 attempts of 2 people" in text
    assert "These counts are per protocol" in text
    assert sentence in text
    nobody_left_out = words(support_section(Dataset(changed_attempts({}, {"condition": "copilot"}), {}, planned)))
    assert "per protocol" not in nobody_left_out


def test_a_rule_that_can_only_hit_one_condition_is_named() -> None:
    violation = {"violations": 1, "violation_rules": "edit_by_model"}
    helped = {"external_help": True}
    data = Dataset(
        changed_attempts(violation, {}, {"condition": "copilot"}, {**helped}, {**helped, "condition": "copilot"}),
        {},
        study,
        drawn_task_count_by_condition={"alone": 3, "copilot": 2},
    )
    section = populations_section(data)
    assert section.numbers["left_out"] == {
        "violations more than 0": {"alone": 1},
        "active minutes less than 1": {},
        "external help": {"alone": 1, "copilot": 1},
    }
    text = words(section)
    assert "“violations more than 0” could only hit alone: named assistants break no rule elsewhere" in text
    assert "external help” " not in text


def test_a_rule_that_happened_to_hit_one_condition_is_named() -> None:
    short = {"active_s": 30.0, "condition": "copilot"}
    data = Dataset(
        changed_attempts({}, {**short}, {**short}), {}, study, drawn_task_count_by_condition={"alone": 1, "copilot": 2}
    )
    assert "“active minutes less than 1” hit only copilot in these data" in words(populations_section(data))


@pytest.mark.parametrize(("withdrew", "expected_count"), [(frozenset(), 0), (frozenset({"P0"}), 1)])
def test_an_open_attempt_counts_by_intention_to_treat_once_its_participant_is_gone(
    withdrew: frozenset[str], expected_count: int
) -> None:
    going = {"state": "running", "passed": False, "censored_by": "still_open"}
    data = Dataset(changed_attempts(going, withdrew=withdrew), {}, study, drawn_task_count_by_condition={"alone": 1})
    assert len(data.with_intention_to_treat().counted_attempts) == expected_count
    assert len(data.counted_attempts) == 0


def test_both_populations_are_compared_only_where_they_differ() -> None:
    cases: list[dict[str, object]] = [{}, {"condition": "copilot"}]
    equal_section = populations_section(
        Dataset(
            changed_attempts(*[{**case} for case in cases]),
            {},
            study,
            drawn_task_count_by_condition={"alone": 1, "copilot": 1},
        )
    )
    assert (
        "Nothing was left out" in words(equal_section) and "answer_by_intention_to_treat" not in equal_section.numbers
    )
    helped = changed_attempts(*[{**case} for case in cases], {"external_help": True})
    differing_section = populations_section(
        Dataset(helped, {}, study, drawn_task_count_by_condition={"alone": 2, "copilot": 1})
    )
    assert "Nothing was left out" not in words(differing_section)
    assert "The answer per protocol, by condition" in [table.title for table in differing_section.tables]


def test_the_answer_counts_whom_the_study_planned_its_primary_analysis_for() -> None:
    solved_change: dict[str, object] = {"passed": True}
    helped: dict[str, object] = {"passed": False, "external_help": True, "censored_by": "gave_up"}
    planned = study.analysis
    assert planned is not None
    per_protocol = study.model_copy(
        update={"analysis": planned.model_copy(update={"population": Population.PER_PROTOCOL})}
    )
    for plan, attempts in ((study, 2), (per_protocol, 1)):
        data = Dataset(
            changed_attempts({**solved_change}, {**helped}),
            {},
            plan,
            drawn_task_count_by_condition={"alone": 2},
            registration=REGISTERED,
        )
        section = main_result_section(data)
        condition_rows = section.numbers["conditions"]
        assert isinstance(condition_rows, tuple)
        assert [condition.attempts for condition in condition_rows] == [attempts]
        assert section.numbers["population"] == data.population.value
        assert "Primary outcome: time. Secondary: solved." in words(section)
        assert ("By intention to treat, as planned" if attempts == 2 else "Per protocol: without") in words(section)
    other_section = populations_section(
        Dataset(
            changed_attempts({**solved_change}, {**helped}),
            {},
            per_protocol,
            drawn_task_count_by_condition={"alone": 2},
        )
    )
    assert "The answer by intention to treat, by condition" in [table.title for table in other_section.tables]


def test_a_primary_section_that_shows_another_population_says_so() -> None:
    section = Section("time", "Time", ("Told.",))
    mixed_data = Dataset(
        changed_attempts({}, {"external_help": True}),
        {},
        study,
        drawn_task_count_by_condition={"alone": 2},
        registration=REGISTERED,
    )
    assert with_role_and_population_note(section, mixed_data).lead[0].startswith("These numbers are per protocol.")
    uniform_data = Dataset(
        changed_attempts({}), {}, study, drawn_task_count_by_condition={"alone": 1}, registration=REGISTERED
    )
    assert with_role_and_population_note(section, uniform_data).lead == ("Told.",)


def test_practice_and_models_are_in_no_population_of_people() -> None:
    data = Dataset(
        changed_attempts({"practice": True}, {"solver": "model"}), {}, study, drawn_task_count_by_condition={"alone": 0}
    )
    assert [row.intended for row in data.observations] == [False, False]


def test_results_are_primary_secondary_or_exploratory_as_registered() -> None:
    document: dict[str, JsonValue] = {
        "registered": "2026-01-01T00:00:00+00:00",
        "analysis": {"primary": "time", "secondary": ["solved"]},
    }
    registered = Registration("d" * 64, document, ("Sample size of alone: 1 attempts, 2 were registered.",))
    data = Dataset(changed_attempts({}), {}, study, registration=registered)
    assert {
        name: section_role(name, data) for name in ("time", "success", "score-over-time", "origins", "support")
    } == {
        "time": "primary",
        "success": "secondary",
        "score-over-time": "exploratory",
        "origins": "exploratory",
        "support": "",
    }
    text = words(preregistration_section(data))
    assert "d" * 64 in text and "Sample size of alone" in text
    html = report_page("t", "s", [with_role_and_population_note(Section("time", "Time", ("said",)), data)], {})
    assert "Primary outcome, preregistered; all else here is exploratory" in html


def test_no_badge_calls_numbers_preregistered_that_are_of_another_population() -> None:
    document: dict[str, JsonValue] = {"analysis": {"primary": "time", "secondary": ["solved"]}}
    helped = {"external_help": True}
    data = Dataset(changed_attempts({}, {**helped}), {}, study, registration=Registration("d", document, ()))
    if not any(row.intended and not row.is_analysed for row in data.observations):
        pytest.fail("no attempt differs between the populations")
    badges = {name: with_role_and_population_note(Section(name, name), data).badge for name in ("time", "success")}
    assert badges == {
        "time": "Primary outcome, here per protocol: not the preregistered analysis",
        "success": "Secondary outcome, here per protocol",
    }


def test_without_a_registration_everything_is_exploratory() -> None:
    data = Dataset(changed_attempts({}), {}, study)
    assert section_role("time", data) == "exploratory"
    assert "not preregistered" in preregistration_section(data).empty_reason
