from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.quarch import export_quarch, import_quarch
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Difficulty, Problem, ProblemKind, QuestionFormat, Skill
from benchwright_problems.storage.store import Store

Record = dict[str, JsonValue]


def choice_record(**changes: JsonValue) -> Record:
    full_record: Record = {
        "question_id": 12,
        "question": "A cache that writes to memory only when a line is evicted is called ____.",
        "options": ["write-back", "write-through", "no-allocate", "inclusive"],
        "answer": "A",
        "difficulty": "EASY",
        "topic": "Memory Systems",
    }
    return full_record | changes


def free_record(**changes: JsonValue) -> Record:
    full_record: Record = {
        "question_id": "exam_1/Problem_1/a",
        "context": "The figure shows a pipeline with five stages.",
        "context_figures": [],
        "question": "How many cycles does the program take?",
        "solution": "Eleven: nine and two stalls.",
        "solution_figures": [],
        "passed_llm_verification": True,
        "reasoning": "Complete.",
        "passed_human_verification": None,
    }
    return full_record | changes


class DatasetFolder:
    """A folder with data files and pictures."""

    def __init__(self, folder: Path, picture: bytes) -> None:
        self.folder = folder
        self._picture = picture

    def choices(self, *records: Record, name: str = "mcq.jsonl") -> Path:
        file = self.folder / name
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        return file

    def free(self, *records: Record, name: str = "frq.json") -> Path:
        file = self.folder / name
        file.write_text(json.dumps(list(records), indent=2))
        return file

    def picture(self, path: str) -> str:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self._picture)
        return path


@pytest.fixture
def data(tmp_path: Path, png: bytes) -> DatasetFolder:
    folder = tmp_path / "quarch"
    folder.mkdir()
    return DatasetFolder(folder, png)


def only_problem(file: Path, answers: Path | None = None) -> Problem:
    (problem,) = import_quarch([file], "p", answers, InvalidRecords(keeps_unknown_fields=True)).problems
    return problem


def same_json(left_json: JsonValue, right_json: JsonValue) -> bool:
    # Python says 1 == 1.0 == True; JSON does not.
    return json.dumps(left_json, sort_keys=True) == json.dumps(right_json, sort_keys=True)


def test_a_multiple_choice_record_becomes_a_question(data: DatasetFolder) -> None:
    problem = only_problem(data.choices(choice_record(skill="Recall")))
    question, key = problem.public.question, problem.hidden.answer
    assert question
    assert key
    assert (problem.id, problem.kind, problem.difficulty) == ("mcq-12", ProblemKind.QUESTION, Difficulty.EASY)
    assert [(option.letter, option.text) for option in question.choices][:2] == [
        ("A", "write-back"),
        ("B", "write-through"),
    ]
    assert (question.topic, question.skill, key.value) == ("Memory Systems", Skill.RECALL, "A")


def test_a_free_response_becomes_a_question_with_its_context_and_solution(data: DatasetFolder) -> None:
    problem = only_problem(data.free(free_record(skill="analyze", topic="Processor Architecture")))
    question, key = problem.public.question, problem.hidden.answer
    assert question
    assert key
    assert (problem.id, question.format) == ("exam_1-Problem_1-a", QuestionFormat.FREE_RESPONSE)
    assert problem.public.statement == f"{free_record()['context']}\n\n{free_record()['question']}"
    assert (key.value, key.closed, question.skill) == (free_record()["solution"], False, Skill.ANALYZE)


@pytest.mark.parametrize(
    ("labelled_skills", "skill"),
    [
        ({"primary_skill": "Design"}, Skill.DESIGN),
        ({"primary_skill": "Teach"}, None),
        ({"other": 1}, None),
        (None, None),
    ],
)
def test_the_skill_that_people_gave_in_the_released_set_is_taken_and_written_back(
    data: DatasetFolder, labelled_skills: dict[str, JsonValue] | None, skill: Skill | None
) -> None:
    record = choice_record(human_labeled_skills=labelled_skills)
    problem = only_problem(data.choices(record))
    assert problem.public.question
    assert problem.public.question.skill is skill
    assert same_json(export_quarch(problem), record)


def test_only_the_multiple_choice_questions_have_a_known_date_of_publication(data: DatasetFolder) -> None:
    assert import_quarch([data.choices(choice_record())], "p").published == "2025-01-03"
    assert import_quarch([data.free(free_record())], "p").published is None


@pytest.mark.parametrize(
    ("model_verified", "people_verified", "tag"),
    [
        (True, None, "verified by a model"),
        (False, None, "unverified"),
        (None, None, "unverified"),
        (False, True, "verified by people"),
        (True, False, "verified by a model"),
    ],
)
def test_unverified_records_are_kept_with_their_flags(
    data: DatasetFolder, model_verified: bool | None, people_verified: bool | None, tag: str
) -> None:
    record = free_record(passed_llm_verification=model_verified, passed_human_verification=people_verified)
    problem = only_problem(data.free(record))
    assert problem.public.question
    assert problem.public.question.tag == tag
    assert same_json(export_quarch(problem), record)


def test_answers_may_lie_in_a_file_of_their_own(data: DatasetFolder) -> None:
    question = {name: value for name, value in choice_record().items() if name != "answer"}
    answers = data.choices({"question_id": 12, "answer": "C"}, {"question_id": 13, "answer": "A"}, name="answers.jsonl")
    problem = only_problem(data.choices(question), answers)
    assert problem.hidden.answer
    assert problem.hidden.answer.value == "C"
    assert same_json(export_quarch(problem), question | {"answer": "C"})
    with pytest.raises(DatasetError, match=r"mcq\.jsonl:1: field answer: is missing; give the file .* --answers"):
        only_problem(data.choices(question))


def test_pictures_in_context_question_options_and_solution_are_kept(
    data: DatasetFolder, store: Store, png: bytes
) -> None:
    records = [
        free_record(
            context_figures=[data.picture("fig/one.png"), data.picture("fig/two words.png")],
            question=f"What does ![the bus]({data.picture('bus.png')}) do?",
            solution_figures=[data.picture("solved.png")],
        )
    ]
    options: list[JsonValue] = [
        "none",
        f"![a ring]({data.picture('ring.png')})",
        f"![a mesh](<{data.picture('a mesh.png')}>)",
        "both",
    ]
    files = [data.free(*records), data.choices(choice_record(options=options))]
    store.add(import_quarch(files, "p"))
    exam, mcq = (store.unseal(f"p/{problem.id}") for problem in store.public_pack("p").problems)
    assert [figure.path for figure in exam.public.figures] == ["fig/one.png", "fig/two words.png", "bus.png"]
    assert exam.hidden.answer
    assert [figure.path for figure in exam.hidden.answer.figures] == ["solved.png"]
    assert [(figure.path, figure.alt) for figure in mcq.public.figures] == [
        ("ring.png", "a ring"),
        ("a mesh.png", "a mesh"),
    ]
    assert {figure.content for figure in (*exam.public.figures, *mcq.public.figures)} == {png}
    assert "![Figure 1](fig/one.png)" in exam.public.statement
    assert "![Figure 2](<fig/two words.png>)" in exam.public.statement
    assert exam.public.statement.count("bus.png") == 1
    assert "solved" not in exam.model_dump_json(exclude={"hidden"})
    assert same_json(export_quarch(exam), records[0])
    assert same_json(export_quarch(mcq), choice_record(options=options))


@pytest.mark.parametrize(
    "record",
    [
        free_record(),
        free_record(extra={"a": [1, 1.0, None]}),
        free_record(context=None),
        {
            name: value
            for name, value in free_record().items()
            if name not in ("context", "context_figures", "reasoning")
        },
        free_record(question_id="Exam 2 / Problem #3 / (b)"),
    ],
)
def test_unusual_free_responses_come_back_unchanged(data: DatasetFolder, record: Record) -> None:
    assert same_json(export_quarch(only_problem(data.free(record))), record)


@pytest.mark.parametrize(
    "record",
    [choice_record(), choice_record(answer="b"), choice_record(difficulty="HARD", source="x"), choice_record(topic="")],
)
def test_unusual_choices_come_back_unchanged(data: DatasetFolder, record: Record) -> None:
    assert same_json(export_quarch(only_problem(data.choices(record))), record)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question_id": "12th"}, "question_id: Input should be a valid integer"),
        ({"question": ""}, "question: String should have at least 1 character"),
        ({"options": ["one"]}, "options: List should have at least 2 items"),
        ({"options": ["one", 2]}, r"options\.1: Input should be a valid string"),
        ({"answer": "E"}, "answer: is 'E'; it must be one of A, B, C, D"),
        ({"answer": "AB"}, "answer: is 'AB'"),
        ({"difficulty": "BRUTAL"}, "difficulty: is 'BRUTAL'; known are EASY, MEDIUM and HARD"),
        ({"skill": "guess"}, "skill: is 'guess'; known are recall, analyze, design, implement"),
        ({"question": "![x](missing.png)"}, r"question: names the picture .*missing\.png"),
        ({"options": ["a", "![x](http://example.org/x.png)"]}, r"options\.1: shows a picture from elsewhere"),
        ({"question": '<img src="//example.org/x.png">'}, "question: shows a picture from elsewhere"),
        ({"question": "![x](data:image/png;base64,AA)"}, "question: shows a picture from elsewhere"),
        ({"question": "![x](file:///etc/x.png)"}, "question: shows a picture from elsewhere"),
        ({"question": "![x](..%2Fx.png)"}, r"question: '\.\./x\.png' is not a plain relative path"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named_by_file_line_and_field(
    data: DatasetFolder, store: Store, change: Record, message: str
) -> None:
    file = data.choices(choice_record(), choice_record(**({"question_id": 13} | change)))
    with pytest.raises(DatasetError, match=rf"mcq\.jsonl:2: field {message}"):
        store.add(import_quarch([file], "p"))
    assert "p" not in store.pack_names()


@pytest.mark.parametrize(
    "name",
    ["../secret.png", "/etc/secret.png", "a/../../secret.png", "link.png", "folder/secret.png", "pipe.png", "x.txt"],
)
def test_a_figure_outside_the_folder_is_refused(data: DatasetFolder, png: bytes, name: str) -> None:
    (data.folder.parent / "secret.png").write_bytes(png)
    (data.folder / "link.png").symlink_to(data.folder.parent / "secret.png")
    (data.folder / "folder").symlink_to(data.folder.parent)
    (data.folder / "x.txt").write_bytes(png)
    os.mkfifo(data.folder / "pipe.png")
    with pytest.raises(DatasetError, match=r"frq\.json:2: field \[0\]\.context_figures\.0: "):
        only_problem(data.free(free_record(context_figures=[name])))


def test_a_file_that_is_no_picture_is_refused(data: DatasetFolder) -> None:
    (data.folder / "a.png").write_text("#!/bin/sh\n")
    (data.folder / "b.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
    with pytest.raises(DatasetError, match=r"solution_figures\.0: the picture 'a\.png' does not begin as"):
        only_problem(data.free(free_record(solution_figures=["a.png"])))
    with pytest.raises(DatasetError, match=r"context_figures\.0: the picture 'b\.svg' is an SVG with <script>"):
        only_problem(data.free(free_record(context_figures=["b.svg"])))


def test_two_records_of_one_name_are_refused(data: DatasetFolder) -> None:
    file = data.free(free_record(), free_record(question_id="exam_1/Problem_1-a"))
    with pytest.raises(DatasetError, match=r"\[1\]\.question_id: gives the name .* taken by .*frq\.json:2"):
        import_quarch([file], "p")


@pytest.mark.parametrize("name", ["/", "...", "x" * 200])
def test_a_name_that_no_problem_can_have_is_refused(data: DatasetFolder, name: str) -> None:
    with pytest.raises(DatasetError, match=r"\[0\]\.question_id: "):
        import_quarch([data.free(free_record(question_id=name))], "p")


def test_an_encrypted_answer_file_says_what_to_do(data: DatasetFolder) -> None:
    answers = data.folder / "test_answers.jsonl.enc"
    answers.write_bytes(b"gAAAAABl...")
    with pytest.raises(DatasetError, match="is encrypted; decrypt it with the key"):
        import_quarch([data.choices(choice_record())], "p", answers)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"question_id": "1st", "answer": "A"}, "question_id: is not a whole number"),
        ({"question_id": 1}, "answer: is not a letter"),
    ],
)
def test_a_bad_answer_line_is_named(data: DatasetFolder, line: Record, message: str) -> None:
    answers = data.choices({"question_id": 12, "answer": "A"}, line, name="answers.jsonl")
    with pytest.raises(DatasetError, match=rf"answers\.jsonl:2: field {message}"):
        import_quarch([data.choices(choice_record())], "p", answers)


def test_answers_that_contradict_each_other_are_refused(data: DatasetFolder) -> None:
    lines: list[Record] = [{"question_id": 12, "answer": "A"}, {"question_id": 12, "answer": "B"}]
    with pytest.raises(DatasetError, match=r"answers\.jsonl:2: field answer: is 'B', but another line gives 'A' to 12"):
        import_quarch([data.choices(choice_record())], "p", data.choices(*lines, name="answers.jsonl"))
