"""The report's first sentence: it says what was found only where the data decide it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.main_result import main_result_section
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import parse_study

from ....support.packs.report_sections import attempt

STUDY = """
study: pilot
title: S
problems: [p/a, p/b, p/c, p/d]
conditions:
  - {name: alone, solver: human}
  - {name: copilot, solver: human+copilot, assistants: [x.y]}
participants: 8
randomisation: {seed: 1}
analysis: {primary: PRIMARY, secondary: []}
consent: {version: "1", text: "You agree to what is written here."}
"""


def study_with_primary(primary: str) -> Study:
    """The study with a primary outcome."""
    return parse_study(STUDY.replace("PRIMARY", primary), Path("s.yaml")).study


def paired_attempts(people: int, alone_s: float, copilot_s: float, spread_s: float = 20.0) -> list[FoldedAttempt]:
    """Everybody at four problems, two under each condition."""
    folded: list[FoldedAttempt] = []
    for person in range(people):
        for position, problem in enumerate(("p/a", "p/b", "p/c", "p/d")):
            copilot = (person + position) % 2 == 1
            seconds = (copilot_s if copilot else alone_s) + spread_s * ((person * 7 + position * 3) % 5)
            condition, solver = ("copilot", "human+copilot") if copilot else ("alone", "human")
            folded.append(
                attempt(
                    f"P{person}", problem, condition, solver=solver, study="pilot", seconds=seconds, active_s=seconds
                )
            )
    return folded


def headline_of(data: Dataset) -> str:
    """The headline of the answer."""
    return main_result_section(data).headline


def test_a_difference_that_the_interval_decides_is_told_with_its_interval() -> None:
    text = headline_of(Dataset(paired_attempts(8, 1200.0, 600.0), {}, study_with_primary("time")))
    assert text.startswith("Study pilot (not closed yet): up to ")
    assert "copilot took " in text
    assert " minutes less than alone on average (95 % interval " in text
    assert "undecided" not in text


def test_a_difference_that_may_be_none_is_called_undecided() -> None:
    text = headline_of(Dataset(paired_attempts(8, 600.0, 600.0, 300.0), {}, study_with_primary("time")))
    assert "it is undecided whether copilot takes more or less time than alone: " in text
    assert " minutes on average (95 % interval \N{MINUS SIGN}" in text


def test_a_difference_without_an_interval_is_no_finding() -> None:
    text = headline_of(Dataset(paired_attempts(8, 600.0, 600.0), {}, study_with_primary("solved")))
    assert "no difference was seen in whether copilot solves more or less than alone, and how sure that is" in text


def test_what_can_not_be_compared_is_called_unknown() -> None:
    times = {"study": "pilot", "seconds": 60.0, "active_s": 60.0}
    folded = [
        attempt("P1", "p/a", "alone", **times),
        attempt("P1", "p/b", "copilot", solver="human+copilot", **times),
    ]
    text = headline_of(Dataset(folded, {}, study_with_primary("solved")))
    assert "is unknown" in text
    assert "alone solved 100 % of 1 attempt" in text


def test_without_a_verdict_there_is_no_answer() -> None:
    undecided = attempt("P1", "p/a", "alone", study="pilot", seconds=60.0, active_s=60.0)
    observation = undecided.observation.model_copy(update={"censored_by": "not_decided"})
    data = Dataset([replace(undecided, observation=observation)], {}, study_with_primary("time"))
    assert headline_of(data) == (
        "Study pilot (not closed yet): there is no answer yet, since no attempt that counts has a verdict."
    )


def test_undecided_attempts_simulated_data_and_a_closed_study_are_named() -> None:
    folded = paired_attempts(8, 1200.0, 600.0)
    observation = folded[0].observation.model_copy(update={"censored_by": "not_decided"})
    folded[0] = replace(folded[0], observation=observation)
    text = headline_of(Dataset(folded, {}, study_with_primary("time"), simulated=True, closing_digest="ab"))
    assert text.startswith("Study pilot (simulated: nobody worked): ")
    assert text.endswith("; 1 attempt is undecided, and left out.")


def test_a_score_is_not_compared_by_a_test_that_there_is_not() -> None:
    text = headline_of(Dataset(paired_attempts(8, 1200.0, 600.0), {}, study_with_primary("score")))
    assert "alone has a mean score of 1.00" in text
    assert "no test compares scores" in text


def test_models_alone_are_named_with_what_they_solved() -> None:
    folded = [
        attempt(name, problem, "model", solver="model", model=name, seconds=60.0)
        for name in ("m/large", "m/small")
        for problem in ("p/a", "p/b", "p/c")
    ]
    text = headline_of(Dataset(folded, {}))
    assert text == "6 attempts outside studies: of 2 models and agents, 2 solved the largest share here, 100 %."


def test_the_first_picture_has_every_group_of_the_primary_outcome() -> None:
    section = main_result_section(Dataset(paired_attempts(8, 1200.0, 600.0), {}, study_with_primary("solved")))
    (picture,) = section.pictures
    assert picture.alt.startswith("Solved, with 95 % intervals: alone 100 %")
    assert "; copilot 100 %" in picture.alt
    assert section.all_tables == [picture.table]
