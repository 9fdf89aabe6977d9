"""What would flip the conclusion, and what missing tasks could."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.flips import Alternative, conclusion_flips_section
from benchwright_analysis.report.sections.main_result import compute_main_result
from benchwright_analysis.report.sections.registration import DrawnTask
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.dropout import OutcomeTable, dropout_sensitivity

from ....support.packs.report_sections import attempt, words

GROUPS = ("alone", "copilot")


def condition_of(person: int, problem: int) -> str:
    return GROUPS[(person + problem) % 2]


def simulated_attempts(
    chances: tuple[float, float], people: int = 12, problems: int = 8, **study_fields: object
) -> list[FoldedAttempt]:
    random = np.random.default_rng(5)
    return [
        attempt(
            f"P{person:02}",
            f"p/{problem}",
            condition_of(person, problem),
            seconds=600,
            **{
                "passed": bool(random.random() < chances[(person + problem) % 2]),
                "censored_by": "",
                **study_fields,
            },
        )
        for person in range(people)
        for problem in range(problems)
    ]


def verdict_by_choice(data: Dataset) -> dict[str, str]:
    section = conclusion_flips_section(data)
    assert section is not None
    alternatives = section.numbers["alternatives"]
    assert isinstance(alternatives, list)
    listed_alternatives: list[Alternative] = alternatives
    return {row.choice: row.verdict for row in listed_alternatives}


def drawn_tasks(people: int, problems: int = 8) -> list[DrawnTask]:
    return [
        DrawnTask(f"P{person:02}", f"p/{problem}", condition_of(person, problem))
        for person in range(people)
        for problem in range(problems)
    ]


def test_a_clear_difference_is_flipped_by_nobody_who_is_left_out() -> None:
    found = verdict_by_choice(Dataset(simulated_attempts((0.2, 0.9)), {}))
    assert found.pop("as planned") == ""
    assert set(found.values()) == {"same"}
    assert {name.rsplit(" ", 1)[0] for name in found} == {"without participant", "without problem"}


def test_tasks_that_nobody_began_are_bounded_and_tipped() -> None:
    data = Dataset(simulated_attempts((0.3, 0.75)), {}, drawn=drawn_tasks(18))
    found = verdict_by_choice(data)
    assert found["48 tasks that nobody began, as those that were done"] == "same"
    assert found["the same, as low as the difference can be"] != "same"
    assert found["the same, as high as it can be"] == "same"
    section = conclusion_flips_section(data)
    assert section is not None
    text = words(section)
    assert "the conclusion holds until the 24 tasks under copilot that nobody began differ from those" in text
    assert "would change the conclusion" in section.lead[0]


def test_a_difference_that_is_not_significant_says_that_nothing_can_tip() -> None:
    section = conclusion_flips_section(Dataset(simulated_attempts((0.5, 0.5)), {}, drawn=drawn_tasks(13)))
    assert section is not None
    assert "there is no significant difference that they could tip" in words(section)


def test_undecided_attempts_count_either_way() -> None:
    rows = [
        *simulated_attempts((0.3, 0.8)),
        attempt("P99", "p/0", "copilot", seconds=60, passed=False, censored_by="not_decided"),
    ]
    found = verdict_by_choice(Dataset(rows, {}))
    assert (found["undecided attempts failed"], found["undecided attempts passed"]) == ("same", "same")


def test_a_report_without_two_conditions_of_people_has_no_such_table() -> None:
    rows = [attempt("P1", "p/a", "alone", seconds=60)]
    assert conclusion_flips_section(Dataset(rows, {})) is None


def test_bounds_are_those_of_shares_with_the_missing_ones_added() -> None:
    """By hand: 4 of 8 and 6 of 8 solved, 2 missing under each: 6/10 against 6/10, and 8/10 against 4/10."""
    values = [1.0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]
    second = [False] * 8 + [True] * 8
    missing = [False, False, True, True]
    problem_indices = [*range(8), *range(8)]
    outcome_table = OutcomeTable(
        values,
        second,
        CrossedCells([None] * 16, problem_indices),
        missing,
        CrossedCells([None] * 4, [8, 9, 8, 9]),
        0.0,
        1.0,
    )
    sensitivity = dropout_sensitivity(outcome_table)
    assert sensitivity.missing == (2, 2)
    assert sensitivity.like_others.value == pytest.approx(0.25)
    assert (sensitivity.lowest.value, sensitivity.highest.value) == pytest.approx((0.0, 0.4))
    assert sensitivity.tipping_point is None


def test_a_study_in_which_each_task_is_one_person_s_own_has_an_answer() -> None:
    rows = [
        attempt(
            f"P{person}",
            f"repository-{person}/issue-{task}",
            GROUPS[task % 2],
            seconds=600 + 300 * (task % 2) + 7 * person + 3 * task,
            passed=task % 4 != 3,
            censored_by="" if task % 4 != 3 else "gave_up",
        )
        for person in range(8)
        for task in range(8)
    ]
    result = compute_main_result(Dataset(rows, {}))
    other = result.rows[1]
    assert other.solved_difference is not None and other.solved_difference.value == -0.5
    assert other.time is not None and other.time.difference.p_value is not None
    assert result.scope.startswith("Each task is one person's own")
