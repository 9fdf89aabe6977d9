from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem
from benchwright_problems.storage.responses import Response, ResponseOrigin, files_in_answer, read_responses

Record = dict[str, JsonValue]
WriteLines = Callable[..., Path]
CODE = "module inverter;\nendmodule\n"


@pytest.fixture
def problems(nonagentic: Record, agentic: Record, write_lines: WriteLines) -> dict[str, Problem]:
    question: Record = {
        "id": "why",
        "categories": ["cid010", "easy"],
        "input": {"prompt": "Why?", "context": {}},
        "output": {"response": "Because.", "context": {}},
    }
    half: Record = {
        **nonagentic,
        "id": "half",
        "input": {"prompt": "Complete.", "context": {"rtl/inverter.sv": "module inverter (input a);\n\nendmodule\n"}},
    }
    two_files: Record = {**nonagentic, "id": "two", "output": {"context": {"rtl/a.sv": "x", "rtl/b.sv": "y"}}}
    records = {"new": {**nonagentic, "id": "new"}, "fix": {**agentic, "id": "fix"}}
    pack = import_cvdp([write_lines(*records.values(), question, half, two_files)], "p")
    return {problem.id: problem for problem in pack.problems}


@pytest.fixture
def read(problems: dict[str, Problem], write_lines: WriteLines) -> Callable[..., list[Response]]:
    return lambda *lines: read_responses(write_lines(*lines, name="answers.jsonl"), problems)


def files_of_responses(responses: list[Response]) -> list[dict[str, bytes]]:
    """Files that an answer gives, or that its text stands for."""
    file_sets = [
        response.files
        if response.gives_files
        else {path: text.encode() for path, text in files_in_answer(response.problem, response.text).files.items()}
        if response.text
        else {}
        for response in responses
    ]
    return [dict(file_set) for file_set in file_sets]


def test_a_record_with_its_solution_is_an_answer(
    read: Callable[..., list[Response]], agentic: Record, nonagentic: Record
) -> None:
    (first_response, second_response) = read({**nonagentic, "id": "new"}, {**agentic, "id": "fix"})
    assert first_response.files == {"rtl/inverter.sv": b"module inverter; endmodule\n"}
    assert second_response.files == {"rtl/inverter.sv": b"module inverter;\nassign y = ~a;\nendmodule\n"}


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"Here it is:\n```verilog\n{CODE}```\nIt inverts.",
        f"First\n```\niverilog x\n```\nthen\n```systemverilog\n{CODE}```",
        json.dumps({"code": [{"rtl/inverter.sv": CODE}]}),
    ],
)
@pytest.mark.parametrize("field", ["completion", "response"])
def test_the_code_is_found_in_what_a_model_said(field: str, text: str, read: Callable[..., list[Response]]) -> None:
    assert files_of_responses(read({"id": "new", field: text})) == [{"rtl/inverter.sv": CODE.encode()}]


@pytest.mark.parametrize("body", ["  assign y = a;", "  assign y = a;\nendmodule\n", "```\n  assign y = a;\n```"])
def test_the_rest_of_a_module_gets_the_header_that_was_given(body: str, read: Callable[..., list[Response]]) -> None:
    whole_module = b"module inverter (input a);\n  assign y = a;\nendmodule\n"
    assert files_of_responses(read({"id": "half", "completion": body})) == [{"rtl/inverter.sv": whole_module}]


def test_files_may_be_given_by_path(read: Callable[..., list[Response]]) -> None:
    solution = {"rtl/a.sv": "1", "rtl/b.sv": "2"}
    assert files_of_responses(read({"id": "two", "files": solution})) == [{"rtl/a.sv": b"1", "rtl/b.sv": b"2"}]


def test_what_an_answer_leaves_alone_stays_as_it_was(read: Callable[..., list[Response]]) -> None:
    (answer_files,) = files_of_responses(read({"id": "fix", "files": {}}))
    assert answer_files == {"rtl/inverter.sv": b"module inverter;\nassign y = a;\nendmodule\n"}


def test_a_question_is_answered_with_a_text(read: Callable[..., list[Response]]) -> None:
    assert [
        response.text
        for response in read({"id": "why", "response": "So."}, {"id": "why", "output": {"response": "No."}})
    ] == [
        "So.",
        "No.",
    ]


def test_a_line_says_whose_answer_it_is(read: Callable[..., list[Response]]) -> None:
    origin = {
        "solver": "a/b",
        "condition": "model",
        "prompts": "cs-bench",
        "shots": 5,
        "steps": True,
        "attempt": "0" * 32,
    }
    first_response, second_response = read(
        {"id": "why", "response": "So.", **origin}, {"id": "why", "response": "So.", "solver": None}
    )
    assert first_response.origin == ResponseOrigin.model_validate(origin)
    assert second_response.origin == ResponseOrigin()


def test_lines_with_one_id_are_samples(read: Callable[..., list[Response]]) -> None:
    lines = [{"id": name, "completion": CODE} for name in ("new", "half", "new")]
    assert [(response.problem.id, response.sample) for response in read(*lines)] == [
        ("new", 0),
        ("half", 0),
        ("new", 1),
    ]


def test_no_answer_is_an_answer_that_fails(read: Callable[..., list[Response]]) -> None:
    assert files_of_responses(read({"id": "new", "completion": ""}, {"id": "new"})) == [{}, {}]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"id": "none", "completion": "x"}, "field id: the pack has no problem 'none'"),
        ({"completion": "x"}, "field id: the pack has no problem None"),
        ({"id": "new", "files": {"../../etc/passwd": "x"}}, "field files: .*is not a plain relative path"),
        ({"id": "new", "files": {"/etc/passwd": "x"}}, "field files:"),
        ({"id": "new", "files": {"rtl/other.sv": "x"}}, "field files: 'rtl/other.sv' is not a file that"),
        ({"id": "new", "files": [1]}, "field files:"),
        ({"id": "fix", "patch": {"rtl/inverter.sv": "@@ -1 +1 @@\n-no\n+x\n"}}, "field patch: line 2 of the patch"),
        ({"id": "why", "response": 3}, "field response: "),
        ({"id": "why", "response": "x", "solver": 3}, "field solver: Input should be a valid string"),
        ({"id": "why", "response": "x", "solver": "a\x1b[2J"}, "field solver: .*can't be printed"),
        ({"id": "why", "response": "x", "steps": "no"}, "field steps: "),
        ({"id": "why", "response": "x", "shots": -1}, "field shots: "),
    ],
    ids=str,
)
def test_an_answer_with_a_flaw_is_refused_by_line_and_field(
    line: Record, words: str, read: Callable[..., list[Response]]
) -> None:
    with pytest.raises(DatasetError, match=rf"answers\.jsonl:1: {words}"):
        read(line)


def test_a_file_without_answers_is_refused(read: Callable[..., list[Response]]) -> None:
    with pytest.raises(DatasetError, match="holds no answer"):
        read()


@pytest.mark.parametrize(
    ("fields", "reported_s"),
    [({}, None), ({"minutes": 2.5}, 150), ({"seconds": 7}, 7), ({"hours": 1}, 3600), ({"minutes": None}, None)],
)
def test_a_line_may_say_how_long_its_answer_took(
    read: Callable[..., list[Response]], fields: Record, reported_s: float | None
) -> None:
    assert read({"id": "why", "response": "So.", **fields})[0].reported_s == reported_s


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"minutes": "5"}, "answers.jsonl:1: field minutes: '5' is not a number; leave it out if the time is unknown"),
        ({"minutes": True}, "field minutes: True is not a number"),
        ({"minutes": 0}, "field minutes: 0 is not above 0"),
        ({"seconds": -3}, "field seconds: -3 is not above 0"),
        ({"hours": 10**400}, "field hours:"),
        ({"seconds": 60, "minutes": 1}, "field minutes: the line states its time in seconds as well; keep one of them"),
    ],
)
def test_a_time_that_cant_be_is_refused_with_line_and_field(
    read: Callable[..., list[Response]], fields: Record, message: str
) -> None:
    with pytest.raises(DatasetError) as refused:
        read({"id": "why", "response": "So.", **fields})
    assert message in str(refused.value), refused.value
