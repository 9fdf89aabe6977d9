"""Options that people and models choose, as the report shows them, from attempts in a real log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright_analysis.report.questions.options import options_section
from benchwright_analysis.report.questions.selections import read_selection_by_attempt
from benchwright_analysis.report.report import STEPS, ReportOptions, write_report
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.problem_facts import facts_by_problem_ref
from benchwright_analysis.report.rows.reading import LogJob, fold_attempts_and_write_events
from benchwright_analysis.report.section import Section, json_value
from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Answered, Started, Submitted
from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.events.file_text import FileText
from benchwright_authoring.written_question import WrittenQuestion, build_pack
from benchwright_foundation.home import Home
from benchwright_problems.storage.pack_files_schema import PackToml
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.study_log import StudyLog

KEYS = {"first": "C", "second": "A", "third": "D"}
OPTIONS = ("Zeta bit", "Omega bit", "Sigma bit", "Kappa bit")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "home")}))
    questions = {
        name: WrittenQuestion.model_validate(
            {"title": name, "statement": "Which?", "choices": OPTIONS, "answer": key, "explanation": "So it is."}
        )
        for name, key in KEYS.items()
    }
    head = PackToml(name="q", title="Q", version="1", license="MIT", source="s", order=[*questions])
    store.add(build_pack(head, questions, {}))
    return store


@pytest.fixture
def log(tmp_path: Path) -> Iterator[StudyLog]:
    with StudyLog(tmp_path / "log.sqlite") as log:
        yield log


def record_answer(
    log: StudyLog, solver: str, question: str, text: str, condition: str, *, is_timing: bool = False
) -> None:
    file = FileText.of_text(text)
    recording = Recording.TIMING if is_timing else Recording.FULL
    files = {} if is_timing else {"answer.md": file}
    attempt = Attempts(log).create(
        f"q/{question}", "d", Path("/w"), files, solver=solver, condition=condition, recording=recording
    )
    is_right = text.strip() == KEYS[question]
    outcome, reason = (Outcome.PASSED, "passed") if is_right else (Outcome.FAILED, "wrong_answer")
    snapshot = {"answer.md": file.sha256}
    actor = Actor.PERSON if condition == "human" else Actor.AGENT
    for event in (
        Started(actor=actor),
        Answered(number=1, outcome=outcome, reason=reason, snapshot=snapshot),
        Submitted(),
    ):
        log.append_blocking(attempt.id, event)


def record_answers(log: StudyLog, question: str, letters: Sequence[str], condition: str) -> None:
    for number, letter in enumerate(letters):
        record_answer(log, f"{condition}-{number}", question, f"{letter}\n", condition)


def options_section_of_log(log: StudyLog, store: Store) -> Section | None:
    headers = log.headers()[::-1]
    problem_facts = facts_by_problem_ref(store, {header.problem for header in headers})
    folded, _ = fold_attempts_and_write_events(LogJob(log.path, headers, problem_facts, {}), expected_event_count=1)
    selected = read_selection_by_attempt(log, store, [attempt.observation for attempt in folded])
    return options_section(Dataset(folded, problem_facts, selections=selected))


def numbers_of(log: StudyLog, store: Store) -> Mapping[str, Any]:
    report_section = options_section_of_log(log, store)
    assert report_section is not None
    numbers = json_value(report_section.numbers)
    assert isinstance(numbers, dict)
    return numbers


def test_people_and_models_are_shown_side_by_side_without_a_key(log: StudyLog, store: Store) -> None:
    # Ten people, then ten models; those with high numbers know more.
    record_answers(log, "first", "AAABCCCCCC", "human")
    record_answers(log, "second", "BBBBBAAAAA", "human")
    record_answers(log, "third", "DDDDDDAAAB", "human")
    record_answers(log, "first", "AABCCCCCCC", "model")
    record_answers(log, "second", "CCBAAAAAAA", "model")
    record_answers(log, "third", "DDDDDDDDDD", "model")
    # A second sample of a model is in no share.
    record_answer(log, "model-0", "first", "B", "model")
    numbers = numbers_of(log, store)
    statistics_by_question = {(question["problem"], question["solver"]): question for question in numbers["questions"]}
    assert len(statistics_by_question) == 6
    first = statistics_by_question["q/first", "people"]
    assert (first["answers"], first["difficulty"]) == (10, 0.6)
    assert statistics_by_question["q/third", "people"]["discrimination"] < 0 < first["discrimination"]
    options_by_name = {(option["problem"], option["solver"], option["option"]): option for option in numbers["options"]}
    assert options_by_name["q/first", "people", "distractor 1"]["of_answers"] == 0.3
    assert options_by_name["q/first", "models and agents", "distractor 1"]["chosen"] == 2
    assert options_by_name["q/first", "people", "distractor 3"]["chosen"] == 0
    assert options_by_name["q/first", "people", "right option"]["chosen"] == 6
    assert options_by_name["q/third", "people", "distractor 1"]["discrimination"] > 0
    # The first question has the same most chosen distractor, the second another, the third none by models.
    agreement = numbers["same_distractor"]
    assert (agreement["count"], agreement["total"], agreement["value"]) == (1, 2, 0.5)
    report_section = options_section_of_log(log, store)
    assert report_section is not None
    assert (
        "Of 2 questions at which both have one distractor that they choose most, it is the same one at 1: 50 %"
        in (report_section.lead[1])
    )
    rows = {(row[0], row[1]): row[2:] for row in report_section.tables[0].rows}
    assert rows["q/third", "people"][:2] == (10, "60 %")
    # One of the third question's distractors attracts the better; ten answers are too few to call one non-functional.
    assert rows["q/third", "people"][3:] == (None, 2)


def test_the_report_is_the_same_whatever_the_keys_letter_is(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So nobody can tell the key from it."""
    option_numbers = []
    for order in ("ABCD", "DCBA"):
        moved = dict(zip("ABCD", order, strict=True))
        folder = tmp_path / order
        folder.mkdir()
        with StudyLog(folder / "log.sqlite") as log:
            monkeypatch.setitem(KEYS, "first", moved["C"])
            record_answers(log, "first", [moved[letter] for letter in "AAABCCCCCC"], "human")
            steps: list[str] = []
            write_report(log, store, ReportOptions(folder / "out", events=False), show_step=steps.append)
        assert (len(steps), steps[-1]) == (STEPS, "the page")
        page = (folder / "out" / "report.html").read_text()
        assert "Who chose which option" in page
        assert not [text for text in OPTIONS if text in page]
        option_numbers.append(json.loads((folder / "out" / "report.json").read_text())["sections"]["options"])
    assert option_numbers[0] == option_numbers[1]


def test_too_few_answers_and_texts_that_were_not_recorded_are_no_section(log: StudyLog, store: Store) -> None:
    record_answers(log, "first", "AAABCCCCC", "human")
    record_answer(log, "human-9", "first", "C", "human", is_timing=True)
    assert options_section_of_log(log, store) is None


def test_an_answer_without_a_letter_is_no_distractor(log: StudyLog, store: Store) -> None:
    record_answers(log, "first", [*"AAACCCCCC", "I don't know."], "human")
    numbers = numbers_of(log, store)
    chosen_counts = {option["option"]: option["chosen"] for option in numbers["options"]}
    assert chosen_counts == {
        **{"right option": 6, "distractor 1": 3, "distractor 2": 0, "distractor 3": 0},
        "no option named": 1,
    }


def test_where_nobody_is_right_no_option_is_called_a_distractor(log: StudyLog, store: Store) -> None:
    record_answers(log, "first", "AAABBBAAAB", "human")
    numbers = numbers_of(log, store)
    assert [question["difficulty"] for question in numbers["questions"]] == [0]
    assert numbers["options"] == []
    assert numbers["same_distractor"]["total"] == 0
