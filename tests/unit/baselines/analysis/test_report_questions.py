"""The sections on questions, against tables worked out by hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.questions.forms import question_forms_section
from benchwright_analysis.report.questions.generations import repeated_answers_section
from benchwright_analysis.report.questions.grades import judge_grades_section
from benchwright_analysis.report.questions.grading_difficulty import grading_difficulty_section
from benchwright_analysis.report.questions.profile import skills_and_topics_section
from benchwright_analysis.report.questions.read_answers import readable_answers_section
from benchwright_analysis.report.report import ReportOptions, write_report
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.problem_facts import ProblemFacts, facts_by_problem_ref
from benchwright_analysis.report.rows.verdicts import NewestJudgement
from benchwright_analysis.report.section import Section, TableNumber
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Answered, JudgedBy, Started, Submitted, VoteCast
from benchwright_foundation.home import Home
from benchwright_judges.agreement.rated import RatedAnswer
from benchwright_judges.scale import Scale
from benchwright_problems.datasets.quarch import import_quarch
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.study_log import StudyLog

from ....support.packs.report_codebook import observation

_FREE, _CHOICE = "free-response", "multiple-choice"


def answered_attempt(
    model: str,
    question: str,
    *,
    is_right_answer: bool,
    sample: int = 1,
    label: str = "",
    votes: Sequence[str] = (),
    **field_changes: object,
) -> FoldedAttempt:
    """A model's answer to a question."""
    row = observation(
        **{
            "attempt": f"{model}-{question}-{sample}",
            "participant": model,
            "problem": question,
            "family": question,
            "condition": "model",
            "solver": "model",
            "kind": "question",
            "format": _CHOICE,
            "skill": "",
            "topic": "",
            "passed": is_right_answer,
            "score": float(is_right_answer),
            "started": f"2026-01-01T00:00:0{sample}+00:00",
        }
        | field_changes
    )
    answer_record = NewestJudgement("model", label, tuple(votes)) if label or votes else None
    return FoldedAttempt(row, (), {}, "", answer_record)


def section_figure(section: Section | None, numbers: str, row: str, column: str) -> float | None:
    """A number of a section."""
    assert section is not None
    section_figures = section.numbers[numbers]
    assert isinstance(section_figures, list)
    (figure,) = [
        candidate
        for candidate in section_figures
        if isinstance(candidate, TableNumber) and (candidate.row, candidate.column) == (f"model: {row}", column)
    ]
    return figure.value


def row_cells_by_name(section: Section | None, table: str) -> dict[str, list[object]]:
    """A table of a section: first cell → the others."""
    assert section is not None
    (chosen_table,) = [candidate for candidate in section.all_tables if candidate.id == table]
    return {str(row[0]): [*row[1:]] for row in chosen_table.rows}


def test_a_skill_counts_by_its_number_of_questions_in_reasoning() -> None:
    outcomes_by_skill = {"recall": [True, True], "analyze": [True, True, False], "design": [False], "implement": []}
    folded_answers = [
        answered_attempt("m", f"p/{skill}-{number}", is_right_answer=is_right, skill=skill)
        for skill, outcomes in outcomes_by_skill.items()
        for number, is_right in enumerate(outcomes)
    ]
    section = skills_and_topics_section(Dataset(folded_answers, {}))
    assert section_figure(section, "skill", "m", "recall") == 1
    assert section_figure(section, "skill", "m", "analyze") == pytest.approx(2 / 3)
    # Not the mean of 2/3 and 0: three questions and one.
    assert section_figure(section, "skill", "m", "reasoning") == pytest.approx(2 / 4)
    assert section_figure(section, "skill", "m", "all skills") == pytest.approx(4 / 6)
    assert section is not None
    assert section.pictures[0].table.columns == (
        "group",
        "recall, 2 questions",
        "analyze, 3 questions",
        "design, 1 question",
        "reasoning, 4 questions",
        "all skills, 6 questions",
    )


def test_topics_are_crossed_with_skills() -> None:
    outcomes_by_topic_and_skill = {
        ("Caches", "recall"): [True, False],
        ("Caches", "design"): [False, True, True, True],
        ("Buses", "design"): [True],
        ("Buses", ""): [False],
    }
    folded_answers = [
        answered_attempt("m", f"p/{topic}-{skill}-{number}", is_right_answer=is_right, topic=topic, skill=skill)
        for (topic, skill), outcomes in outcomes_by_topic_and_skill.items()
        for number, is_right in enumerate(outcomes)
    ]
    section = skills_and_topics_section(Dataset(folded_answers, {}))
    assert section is not None
    topic_figures = section.numbers["topic_and_skill"]
    assert isinstance(topic_figures, list)
    assert {(figure.row, figure.column): (figure.value, figure.problems) for figure in topic_figures} == {
        ("Caches, model: m", "recall"): (0.5, 2),
        ("Caches, model: m", "design"): (0.75, 4),
        ("Buses, model: m", "design"): (1.0, 1),
    }
    assert list(row_cells_by_name(section, "topics-and-skills")) == ["Buses, model: m", "Caches, model: m"]


def test_thirteen_topics_have_a_radar() -> None:
    folded_answers = [
        answered_attempt("m", f"p/{n}", is_right_answer=n % 2 == 0, topic=f"Topic {n}") for n in range(13)
    ]
    section = skills_and_topics_section(Dataset(folded_answers, {}))
    assert section is not None
    assert [picture.id for picture in section.pictures] == ["topic-radar", "topic-dots"]


def test_pictures_and_formats_are_crossed() -> None:
    problem_facts = {f"p/{n}": ProblemFacts(has_pictures=n > 4) for n in range(1, 8)}
    folded_answers = [
        *(answered_attempt("m", f"p/{n}", is_right_answer=n > 1, format=_CHOICE) for n in (1, 2, 3, 4)),
        *(answered_attempt("m", f"p/{n}", is_right_answer=n > 5, format=_CHOICE) for n in (5, 6)),
        answered_attempt("m", "p/7", is_right_answer=False, format=_FREE),
        answered_attempt("m", "p/8", is_right_answer=True, format="assertion"),
    ]
    section = question_forms_section(Dataset(folded_answers, problem_facts))
    assert section_figure(section, "forms", "m", "text, multiple choice") == 0.75
    assert section_figure(section, "forms", "m", "image, multiple choice") == 0.5
    assert section_figure(section, "forms", "m", "image, free response") == 0
    # Wilson's interval for 0.75 of 3 with Student's quantile of 3 degrees of freedom, 3.1824.
    assert row_cells_by_name(section, "question-forms")["model: m"][0] == "75 % (13.1 to 98.4 %)"


def test_unreadable_answers_are_apart_from_wrong_ones_and_other_rules_are_named() -> None:
    rule_judgement: dict[str, Any] = {"judge_method": "deterministic", "judge_rubric": "reading-rules@2"}
    folded_answers = [
        answered_attempt("m", "p/1", is_right_answer=True, **rule_judgement),
        answered_attempt("m", "p/2", is_right_answer=False, reason="wrong_answer", **rule_judgement),
        answered_attempt("m", "p/3", is_right_answer=False, reason="unreadable", **rule_judgement),
        answered_attempt("m", "p/4", is_right_answer=False, judge_method="deterministic", reason="declined"),
    ]
    section = readable_answers_section(Dataset(folded_answers, {}))
    assert section is not None
    assert [tuple(row) for row in section.tables[0].rows] == [("model: m", 4, 1, 1, 2, "25 %", "50 %", "100 %", "0 %")]
    assert "different rules (reading-rules@2, rules before version 2)" in section.lead[1]
    alike_section = readable_answers_section(Dataset(folded_answers[:3], {}))
    assert alike_section is not None
    assert len(alike_section.lead) == 1


def test_the_shares_that_rules_and_a_model_have_read_are_of_the_readable_answers() -> None:
    rule_judgement: dict[str, Any] = {"judge_method": "deterministic", "judge_rubric": "reading-rules@6"}
    by_model: dict[str, Any] = {"judge_method": "reader", "judge_rubric": "reading@0123456789ab"}
    folded_answers = [
        *(answered_attempt("m", f"p/{number}", is_right_answer=True, **rule_judgement) for number in range(3)),
        answered_attempt("m", "p/3", is_right_answer=False, reason="wrong_answer", **by_model),
        answered_attempt("m", "p/4", is_right_answer=False, reason="unreadable", **by_model),
    ]
    section = readable_answers_section(Dataset(folded_answers, {}))
    assert section is not None
    assert [tuple(row)[-2:] for row in section.tables[0].rows] == [("75 %", "25 %")]
    assert "a model read (reading@0123456789ab)" in section.lead[1]


def test_grades_are_shares_of_all_free_responses() -> None:
    labels = ["correct", "correct", "partially correct", "incorrect", ""]
    folded_answers = [
        answered_attempt("m", f"p/{n}", is_right_answer=label == "correct", label=label, format=_FREE)
        for n, label in enumerate(labels)
    ]
    section = judge_grades_section(Dataset(folded_answers, {}))
    shares = {
        name: section_figure(section, "grades", "m", name)
        for name in ("correct", "partially correct", "incorrect", "no answer to grade")
    }
    assert shares == {
        "correct": 0.4, "partially correct": 0.2, "incorrect": 0.2, "no answer to grade": 0.2,
    }  # fmt: skip


def test_two_first_votes_that_differ_need_a_third_even_where_both_are_not_right() -> None:
    answer_votes = [
        ("correct", "correct"),
        ("correct", "incorrect", "correct"),
        ("incorrect", "partially correct", "incorrect"),
        ("incorrect", "incorrect"),
        ("incorrect",),
    ]
    folded_answers = [
        answered_attempt("m", f"p/{n}", is_right_answer=False, label=cast_votes[-1], votes=cast_votes, format=_FREE)
        for n, cast_votes in enumerate(answer_votes)
    ]
    section = judge_grades_section(Dataset(folded_answers, {}))
    assert section_figure(section, "tie_breaks", "m", "a third vote is needed") == 2 / 4
    assert section_figure(section, "tie_breaks", "m", "differ on right or not right") == 1 / 4


def test_points_are_apart_if_they_are_in_two_tiers() -> None:
    point_pairs = [("7", "8"), ("6", "7"), ("1", "3")]
    folded_answers = [
        answered_attempt("m", f"p/{n}", is_right_answer=False, label="7", votes=point_pair, format="open-ended")
        for n, point_pair in enumerate(point_pairs)
    ]
    section = judge_grades_section(Dataset(folded_answers, {}))
    assert section_figure(section, "tie_breaks", "m", "a third vote is needed") == pytest.approx(2 / 3)
    assert section_figure(section, "tie_breaks", "m", "differ on right or not right") == pytest.approx(1 / 3)


def test_generations_are_in_the_order_in_which_they_were_made() -> None:
    outcomes_by_question = {
        "p/1": [True, False, True],
        "p/2": [False, False, True],
        "p/3": [True, True, True],
        "p/4": [False],
    }
    folded_answers = [
        answered_attempt("m", question, is_right_answer=is_right, sample=number)
        for question, outcomes in outcomes_by_question.items()
        for number, is_right in enumerate(outcomes, 1)
    ]
    section = repeated_answers_section(
        Dataset([*reversed(folded_answers), answered_attempt("once", "p/1", is_right_answer=True)], {})
    )
    shares = [section_figure(section, "generations", "m", f"generation {n}") for n in (1, 2, 3)]
    assert shares == [2 / 4, pytest.approx(1 / 3), 1]
    # k = 2: (1/2 + 0 + 1 + 0) / 4; k = 3: (2/3 + 1/3 + 1 + 0) / 4.
    assert [section_figure(section, "pass_at_1", "m", f"k = {k}") for k in (1, 2, 3)] == [
        2 / 4, pytest.approx(1.5 / 4), pytest.approx(2 / 4),
    ]  # fmt: skip
    assert row_cells_by_name(section, "generations")["model: once"][1:] == [None, None]


def rated_answer(
    item_number: int, difficulty: Sequence[int], people: Sequence[str], votes: Sequence[str]
) -> RatedAnswer:
    """An answer with two people's grades and a judge's votes."""
    return RatedAnswer(
        answer_id=str(item_number),
        problem=f"p/{item_number}",
        format=_FREE,
        scale=Scale.EXAM,
        people={f"P{n}": label for n, label in enumerate(people)},
        judges={"j": votes},
        tie_break=len(votes) > 2,
        difficulty={f"P{n}": level for n, level in enumerate(difficulty)},
    )


def test_answers_to_a_question_that_was_asked_in_two_ways_are_no_two_generations() -> None:
    asking_ways: list[dict[str, Any]] = [
        {"shots": 0, "steps": False},
        {"shots": 5, "steps": False},
        {"shots": 5, "steps": True, "prompts": "cs-bench 0123"},
    ]
    folded_answers = [
        answered_attempt("m", "p/1", is_right_answer=True, sample=n, **way) for n, way in enumerate(asking_ways)
    ]
    data = Dataset(folded_answers, {})
    assert data.groups == ("model: m", "model: m, 5-shot", "model: m, 5-shot, steps, cs-bench prompts")
    assert repeated_answers_section(data) is None


def test_disagreement_is_counted_by_the_difficulty_that_people_gave() -> None:
    good, bad, partial = "correct", "incorrect", "partially correct"
    section = grading_difficulty_section(
        Dataset(
            [],
            {},
            rated=[
                rated_answer(1, (1, 1), (good, good), (good, good)),
                rated_answer(2, (1, 2), (good, good), (bad, bad)),
                rated_answer(3, (2, 2), (bad, partial), (bad, bad)),
                rated_answer(4, (5, 5), (good, bad), (good, bad, good)),
                rated_answer(5, (), (good, good), (bad, bad)),
            ],
        )
    )
    # 1 and 2 have a mean of 1.5, which is rounded to 2. The two people of item 4 tie: no majority to compare with.
    assert row_cells_by_name(section, "grading-difficulty") == {
        "1, easy to grade": ["0 %", "0 %", "0 %"],
        "2": ["50 %", "0 %", "0 %"],
        "5, hard to grade": [None, "100 %", "100 %"],
    }


def test_the_votes_of_the_log_are_counted_and_written_as_csv(tmp_path: Path) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "home")})
    file = tmp_path / "exam.json"
    record = {"context": "", "solution": "Because.", "skill": "analyze", "topic": "Caches"}
    file.write_text(json.dumps([record | {"question_id": f"exam/{n}", "question": f"Why {n}?"} for n in range(3)]))
    Store(home).add(import_quarch([file], "q"))
    cast = {
        "exam-0": ["correct", "correct"],
        "exam-1": ["correct", "incorrect", "correct"],
        "exam-2": ["incorrect"] * 2,
    }
    with StudyLog(tmp_path / "log.sqlite") as log:
        for name, labels in cast.items():
            attempt = Attempts(log).create(f"q/{name}", "d", tmp_path, {}, solver="m", condition="model").id
            is_right_answer = labels[-1] == "correct"
            judgement = JudgedBy(
                method="model",
                status="scored",
                score=float(is_right_answer),
                label=labels[-1],
                votes=tuple(VoteCast(judge="j", label=label) for label in labels),
            )
            outcome, reason = (Outcome.PASSED, "passed") if is_right_answer else (Outcome.FAILED, "wrong_answer")
            answer_event = Answered(number=1, outcome=outcome, reason=reason, snapshot={}, judged_by=judgement)
            for event in (Started(), answer_event, Submitted()):
                log.append_blocking(attempt, event)
        write_report(log, Store(home), ReportOptions(tmp_path / "out", events=False))
    with (tmp_path / "out" / "tables" / "tie-breaks.csv").open(newline="") as lines:
        shares = {row["column"]: row["value"] for row in csv.DictReader(lines)}
    assert shares == {"a third vote is needed": str(1 / 3), "differ on right or not right": str(1 / 3)}
    sections = json.loads((tmp_path / "out" / "report.json").read_text())["sections"]
    grade_shares = {figure["column"]: figure["value"] for figure in sections["grades"]["numbers"]["grades"]}
    assert grade_shares == {"correct": pytest.approx(2 / 3), "incorrect": pytest.approx(1 / 3)}
    assert "question-forms" not in sections
    assert "generations" not in sections


def test_numbered_questions_are_no_variants_of_one_task(tmp_path: Path) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    file = tmp_path / "choices.jsonl"
    question_records = [
        {"question_id": n, "question": f"{n}?", "options": ["a", "b"], "answer": "A", "difficulty": "EASY", "topic": ""}
        for n in range(3)
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in question_records))
    Store(home).add(import_quarch([file], "q"))
    facts_by_problem = facts_by_problem_ref(Store(home), {f"q/mcq-{n}" for n in range(3)})
    assert sorted(problem_facts.family for problem_facts in facts_by_problem.values()) == [
        "q/mcq-0",
        "q/mcq-1",
        "q/mcq-2",
    ]


def test_a_report_without_such_questions_has_none_of_the_sections() -> None:
    data = Dataset(
        [answered_attempt("m", "p/1", is_right_answer=True, kind="design", format="", skill="", topic="")], {}
    )
    assert [
        make(data)
        for make in (
            skills_and_topics_section,
            question_forms_section,
            judge_grades_section,
            repeated_answers_section,
            grading_difficulty_section,
        )
    ] == [None] * 5
