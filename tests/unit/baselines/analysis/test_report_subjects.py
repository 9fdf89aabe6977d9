"""People, copilots, agents and models side by side, from rows made by hand."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.assistance_facts import AssistanceFold, AssistanceUse
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import json_value
from benchwright_analysis.report.sections.assistance import OfferFunnel, assistance_section
from benchwright_analysis.report.sections.main_result import compute_main_result, main_result_table
from benchwright_analysis.report.sections.side_by_side import GroupColumn, side_by_side_section
from benchwright_attempts.events.evidence import AssistAccepted, EditReason
from benchwright_studies.plan.condition import Condition
from benchwright_studies.plan.study import Randomisation, Study

from ....support.packs.report_codebook import observation

COPILOT = {"subject": "double", "subject_version": "1.2", "configuration_sha256": "a" * 64, "policy": "first-line"}


def attempt(
    condition: str, problem_number: int, *, has_passed: bool, minutes: float, solver: str = "agent", **row: object
) -> FoldedAttempt:
    measurement = observation(
        attempt=f"{condition}-{problem_number}",
        study="s",
        participant="P1" if solver.startswith("human") else "double",
        problem=f"p/{problem_number}",
        family=f"p/{problem_number}",
        condition=condition,
        solver=solver,
        passed=has_passed,
        censored_by="" if has_passed else "handed_in_unsolved",
        reason="passed" if has_passed else "tests_failed",
        time_source="clock",
        time_s=minutes * 60,
        **row,
    )
    return FoldedAttempt(measurement, (), {}, "")


def copilot_attempt(
    problem_number: int,
    request_count: int,
    shown_count: int,
    accepted_count: int,
    partly: int,
    latency_ms: float | None,
) -> FoldedAttempt:
    bare = attempt(
        "copilot",
        problem_number,
        has_passed=problem_number % 2 == 0,
        minutes=problem_number,
        shown=shown_count,
        accepted=100,
        survived_end=80,
    )
    times = (latency_ms,) * request_count
    return replace(
        bare,
        assistance=AssistanceUse(request_count, request_count - shown_count, times, accepted_count, partly, COPILOT),
    )


def rows() -> list[FoldedAttempt]:
    return [
        *(
            attempt("alone", number, has_passed=number > 1, minutes=10 * number, solver="human")
            for number in range(1, 6)
        ),
        copilot_attempt(1, 4, 2, 1, 1, 100),
        copilot_attempt(2, 4, 4, 1, 0, 300),
        copilot_attempt(3, 2, 2, 2, 1, 600),
        copilot_attempt(4, 6, 4, 2, 0, None),
        copilot_attempt(5, 4, 3, 0, 0, 100),
        *(
            attempt("agent", number, has_passed=True, minutes=number, total_tokens=1000 * number, cost_usd=0.5)
            for number in range(1, 6)
        ),
    ]


def group_columns(data: Dataset) -> dict[str, GroupColumn]:
    section = side_by_side_section(data)
    assert section is not None
    column_numbers = section.numbers["columns"]
    assert isinstance(column_numbers, dict)
    return column_numbers


def test_the_columns_are_what_the_rows_add_up_to() -> None:
    column_by_name = group_columns(Dataset(rows(), {}))
    column_cells: dict[str, tuple[object, ...]] = {
        name: (
            column.attempts,
            *(estimate and estimate.value for estimate in (column.solved, column.minutes_to_pass, column.minutes)),
            column.tokens,
            column.cost_usd,
        )
        for name, column in column_by_name.items()
    }
    assert column_cells == {
        # One was handed in unsolved after 10 minutes; of the four others half had solved it from 30 to 40.
        "alone": (5, 0.8, 35, pytest.approx(30), None, None),
        # Of four that were watched for longer than a minute one passed after 2, of the two after 3 the next after 4.
        "copilot": (5, 0.4, 4, pytest.approx(3), None, None),
        "agent": (5, 1, 3, pytest.approx(3), 3000, 0.5),
    }


def test_the_funnel_and_the_latency_are_what_the_rows_add_up_to() -> None:
    section = assistance_section(Dataset(rows(), {}))
    assert section is not None
    funnels = section.numbers["funnel"]
    assert isinstance(funnels, dict)
    (copilot,) = funnels.values()
    assert isinstance(copilot, OfferFunnel)
    assert (copilot.asked, copilot.shown, copilot.accepted, copilot.partly) == (20, 15, 6, 2)
    funnel_shares = [copilot.shown_share, copilot.accepted_share, copilot.partly_share, copilot.retained]
    assert [share and share.value for share in funnel_shares] == pytest.approx([15 / 20, 6 / 15, 2 / 6, 0.8])
    assert copilot.shown_share is not None
    assert copilot.shown_share.low is not None
    assert copilot.shown_share.low < 0.75
    latency = section.numbers["latency"]
    assert isinstance(latency, dict)
    times = latency["copilot"]
    # 8 of 100 ms, 4 of 300, 2 of 600, and 6 that were given up.
    assert (times.requests, times.given_up, times.p50_ms.value, times.p95_ms) == (20, 6, 300, None)
    assert times.over == {"200": 12 / 20, "500": 8 / 20, "2000": 6 / 20}


def test_the_order_of_the_data_does_not_matter() -> None:
    attempts = rows()
    expected_numbers = [
        json_value(section.numbers)
        for make in (side_by_side_section, assistance_section)
        if (section := make(Dataset(attempts, {})))
    ]
    for seed in range(5):
        random.Random(seed).shuffle(attempts)
        numbers = [
            json_value(section.numbers)
            for make in (side_by_side_section, assistance_section)
            if (section := make(Dataset(attempts, {})))
        ]
        assert json.dumps(numbers, sort_keys=True) == json.dumps(expected_numbers, sort_keys=True)


def test_what_the_study_plans_and_nobody_did_is_named() -> None:
    study = Study(
        study="s",
        title="S",
        problems=("p/1",),
        conditions=(
            Condition(name="agent", solver="agent", model="m/1"),
            Condition(name="other", solver="model", model="m/2"),
        ),
        randomisation=Randomisation(seed=1),
    )
    attempts = [attempt("agent", 1, has_passed=True, minutes=1)]
    section = side_by_side_section(Dataset(attempts, {}, study=study))
    assert section is not None
    assert section.numbers["missing"] == ["other"]
    assert "other has no attempt that counts" in section.lead[0]


def test_only_people_without_a_copilot_have_neither_section() -> None:
    alone_attempts = [folded for folded in rows() if folded.observation.condition == "alone"]
    assert side_by_side_section(Dataset(alone_attempts, {})) is None
    assert assistance_section(Dataset(alone_attempts, {})) is None
    assert side_by_side_section(Dataset([], {})) is None


def test_two_settings_of_one_program_and_a_missing_floor_are_said() -> None:
    attempts = rows()
    attempts[5] = replace(
        attempts[5], assistance=replace(attempts[5].assistance, program={**COPILOT, "subject_version": "1.3"})
    )
    section = side_by_side_section(Dataset(attempts, {}))
    assert section is not None
    text = " ".join(section.lead)
    assert "Under copilot a program worked in 2 versions or configurations." in text
    assert "there is no floor here" in text
    assert "there is no ceiling here" in text


def test_an_offer_taken_in_parts_counts_once_and_edits_count_where_no_offer_is_reported() -> None:
    assistance_facts = AssistanceFold()
    for assist, partial in (("1", True), ("1", True), ("2", True), ("2", False), ("3", False)):
        assistance_facts.count_if_completion_accepted(
            AssistAccepted(assist=assist, provider="p", path="a.sv", partial=partial)
        )
    assistance_facts.count_if_completion_accepted(EditReason(path="a.sv", version=2, reason="inlineCompletionAccept"))
    assert (assistance_facts.summary().accepted_offers, assistance_facts.summary().partly_accepted_offers) == (3, 1)

    assistance_facts = AssistanceFold()
    for reason in ("inlineCompletionAccept", "inlineCompletionPartialAccept", "cursor"):
        assistance_facts.count_if_completion_accepted(EditReason(path="a.sv", version=2, reason=reason))
    assert (assistance_facts.summary().accepted_offers, assistance_facts.summary().partly_accepted_offers) == (2, 1)


def test_one_model_alone_is_compared_with_nobody() -> None:
    alone = [attempt("m/1", number, has_passed=number > 1, minutes=number, solver="model") for number in (1, 2, 3)]
    table = main_result_table(compute_main_result(Dataset(alone, {})))
    assert table.columns[:2] == ("condition", "solved")
    assert not any("m/1" in column or "against" in column for column in table.columns)
    assert "Differences" not in table.note
    assert all(len(row) == len(table.columns) for row in table.rows)
