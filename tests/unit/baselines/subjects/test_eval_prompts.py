"""Prompts of model runs, without a model."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_problems.category import Category
from benchwright_problems.datasets.csbench import import_csbench
from benchwright_problems.figure import MediaType
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Figure,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)
from benchwright_problems.storage.responses import files_in_answer
from benchwright_problems.storage.store import Store
from benchwright_subjects.evaluation.examples import Examples
from benchwright_subjects.evaluation.prompt_lines import write_prompts_and_count
from benchwright_subjects.prompts.prompt import agent_prompt, answer_after_steps, answer_prompt
from benchwright_subjects.prompts.template import PromptTemplate

CANARY = "CANARY-9c1f"
HIDDEN = Hidden(
    harness={"src/test.py": CANARY}, reference={"rtl/a.sv": CANARY}, answer=Answer(value=CANARY, explanation=CANARY)
)


def design_problem(*expected_paths: str, files: dict[str, str] | None = None, system: str | None = None) -> Problem:
    return Problem(
        id="inverter",
        kind=ProblemKind.DESIGN,
        title="Inverter",
        category=Category.SPEC_TO_RTL,
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement="Invert a.", files=files or {}, expected=expected_paths, system_message=system),
        hidden=HIDDEN,
    )


def question_problem(style: QuestionFormat, language: str = "en", **public: Any) -> Problem:
    letter_choices = (Choice(letter="A", text="Yes"), Choice(letter="B", text="No"))
    return Problem(
        id="q",
        kind=ProblemKind.QUESTION,
        title="Q",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(
            statement=public.pop("statement", "Is a cache fast?"),
            question=Question(
                format=style,
                language=language,
                choices=letter_choices if style.answered_by.has_choices else (),
            ),
            **public,
        ),
        hidden=HIDDEN,
    )


def figure_of(path: str) -> Figure:
    def chunk(chunk_name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + chunk_name + data + struct.pack(">I", zlib.crc32(chunk_name + data))

    header = struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)
    chunks = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(b"\0\x80\x80" * 2)), chunk(b"IEND", b"")
    data = b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
    return Figure(path=path, media_type=MediaType.PNG, data=b64encode(data).decode(), alt="A pipeline")


def test_one_file_is_asked_for_as_plain_text_beside_the_files_that_are_given() -> None:
    prompt = answer_prompt(design_problem("rtl/a.sv", files={"docs/spec.md": "y = !a", "rtl/a.sv": ""})).plain_text
    assert "=== BEGIN docs/spec.md\ny = !a\n=== END docs/spec.md" in prompt
    assert "BEGIN rtl/a.sv" not in prompt
    assert "whole content of the file rtl/a.sv as plain text" in prompt
    assert '"code"' not in prompt


def test_the_form_for_several_files_is_the_one_that_replies_are_read_in() -> None:
    problem = design_problem("rtl/a.sv", "rtl/b.sv")
    form = answer_prompt(problem).plain_text.rsplit("\n", 1)[1]
    reply = form.replace("<whole content>", "module m; endmodule\\n")
    assert files_in_answer(problem, reply).files == dict.fromkeys(("rtl/a.sv", "rtl/b.sv"), "module m; endmodule\n")


def test_the_data_sets_system_message_stands_in_place_of_ours() -> None:
    assert answer_prompt(design_problem("rtl/a.sv", system="You are terse.")).system == "You are terse."
    assert "hardware designer" in answer_prompt(design_problem("rtl/a.sv")).system


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "X is True or False"), ("zh", "正确"), ("fr", "Vrai ou Faux"), ("de", "Wahr oder Falsch")],
)
def test_a_question_is_asked_in_its_language(language: str, words: str) -> None:
    assert words in answer_prompt(question_problem(QuestionFormat.ASSERTION, language)).plain_text


def test_choices_stand_between_the_question_and_how_to_answer() -> None:
    text = answer_prompt(question_problem(QuestionFormat.MULTIPLE_CHOICE)).plain_text
    assert text.index("Is a cache fast?") < text.index("A. Yes") < text.index("B. No") < text.index("`ANSWER: X`")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("A write-back cache…\n\nANSWER: It keeps dirty lines.\nThey wait.", "It keeps dirty lines.\nThey wait."),
        ("ANSWER: first.\nNo, wait.\n**ANSWER:** second", "second"),
        ("I can't tell.", "I can't tell."),
        ("Thinking…\nANSWER:", "Thinking…\nANSWER:"),
    ],
)
def test_of_an_open_reply_with_steps_what_follows_the_last_label_counts(reply: str, answer: str) -> None:
    assert answer_after_steps(question_problem(QuestionFormat.OPEN_ENDED), reply) == answer


def test_a_value_is_read_in_the_whole_reply_with_its_steps() -> None:
    reply = "The answer is A.\nANSWER: B"
    assert answer_after_steps(question_problem(QuestionFormat.MULTIPLE_CHOICE), reply) == reply


def test_a_figure_comes_behind_the_link_that_shows_it() -> None:
    first_figure, second_figure = figure_of("figs/a.png"), figure_of("figs/b.png")
    text = "See ![a](figs/a.png) here."
    prompt_parts = answer_prompt(
        question_problem(QuestionFormat.OPEN_ENDED, statement=text, figures=(second_figure, first_figure))
    ).user
    assert [part if isinstance(part, str) else part.path for part in prompt_parts][:3] == [
        "See ![a](figs/a.png)",
        "figs/a.png",
        " here.\n\nAnswer in a few clear sentences.",
    ]
    assert prompt_parts[-1] == second_figure


def test_nothing_hidden_is_in_any_prompt() -> None:
    for problem in (
        design_problem("rtl/a.sv"),
        design_problem("rtl/a.sv", "b.sv"),
        *(question_problem(style) for style in QuestionFormat),
    ):
        template = PromptTemplate(
            "{{statement}} {{files}} {{reply}} {{id}} {{title}} {{category}} {{format}} {{domain}}"
        )
        for prompt in (
            answer_prompt(problem),
            answer_prompt(problem, asks_for_steps=problem.kind is ProblemKind.QUESTION),
            agent_prompt(problem),
        ):
            assert CANARY not in repr(prompt)
        assert CANARY not in template.make_prompt(problem).plain_text


def test_a_template_is_filled_in_for_each_problem_and_leaves_verilogs_braces_alone() -> None:
    template = PromptTemplate("As {{ difficulty }} {{category}}:\n{{statement}}\n{{expected}}\nassign y = {{8{a}}, b};")
    prompt = template.make_prompt(design_problem("rtl/a.sv")).plain_text
    assert "As easy Specification to RTL:\nInvert a.\nrtl/a.sv\nassign y = {{8{a}}, b};" in prompt


@pytest.mark.parametrize(
    ("text", "message"),
    [("a\n{{statement}} {{key}}", ":2: there is no {{key}}; known are {{id}}"), ("Solve it.", "{{statement}}")],
)
def test_a_template_with_a_mistake_names_line_and_place(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(text)
    with pytest.raises(EvaluationError) as raised:
        PromptTemplate.read_template(file)
    assert str(raised.value).startswith(str(file))
    assert message in str(raised.value)


def csbench_record(number: int, split: str, answer_key: object = True, **fields: Any) -> dict[str, Any]:
    return {
        "ID": number,
        "Split": split,
        "Domain": fields.pop("domain", "Computer Network"),
        "SubDomain": "Link Layer",
        "Format": "Assertion",
        "Tag": "Knowledge",
        "Language": fields.pop("language", "English"),
        "Question": f"Question {number}?",
        "Answer": answer_key,
        "Explanation": f"Because {number}.",
    } | fields


@pytest.fixture
def store(tmp_path: Path) -> Store:
    file = tmp_path / "cs.json"
    other_domain = [csbench_record(number, "Valid", domain="Operating System") for number in range(20, 26)]
    same_domain = [csbench_record(number, "Valid", answer_key=number % 2 == 0) for number in (10, 11)]
    french = [csbench_record(30, "Valid", language="French")]
    tested = [csbench_record(number, "Test", Question=f"Tested {number}?", Explanation=CANARY) for number in (1, 2)]
    file.write_text(json.dumps([*other_domain, *same_domain, *french, *tested]))
    cs_store = Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "home")}))
    cs_store.add(import_csbench([file], "cs"))
    cs_store.add(import_csbench([_only_tested(file, tested)], "tests"))
    return cs_store


def _only_tested(file: Path, records: list[dict[str, Any]]) -> Path:
    tested = file.with_name("tested.json")
    tested.write_text(json.dumps(records))
    return tested


def test_examples_are_of_the_validation_split_in_the_language_of_the_domain_first(store: Store) -> None:
    examples = Examples.from_pack(store, "cs", 3, has_steps=False, seed=7)
    assert examples.ids == {f"en-{number}" for number in (*range(20, 26), 10, 11)} | {"fr-30"}
    turns = examples.example_turns_before(store.problem("cs/en-1"))
    questions = ["".join(str(part) for part in turn.question) for turn in turns]
    assert {questions[0].split("?")[0], questions[1].split("?")[0]} == {"Question 10", "Question 11"}
    assert turns[questions.index(next(text for text in questions if "Question 11" in text))].answer == "ANSWER: False"
    assert len(turns) == 3
    assert CANARY not in repr(turns)


def test_the_same_seed_shows_the_same_examples(store: Store) -> None:
    def drawn(seed: int) -> object:
        return Examples.from_pack(store, "cs", 5, has_steps=False, seed=seed).example_turns_before(
            store.problem("cs/en-1")
        )

    assert drawn(1) == drawn(1)
    assert len({repr(drawn(seed)) for seed in range(6)}) > 1


def test_examples_that_think_explain_themselves_before_the_answer(store: Store) -> None:
    (turn, _) = Examples.from_pack(store, "cs", 2, has_steps=True, seed=0).example_turns_before(
        store.problem("cs/en-2")
    )
    assert turn.answer.startswith("Because 1")
    assert turn.answer.splitlines()[-1] in ("ANSWER: True", "ANSWER: False")


def test_a_pack_without_a_validation_split_has_no_examples_to_give(store: Store) -> None:
    with pytest.raises(EvaluationError, match=r"no validation split.*--examples"):
        Examples.from_pack(store, "tests", 1, has_steps=False, seed=0)


def test_prompts_go_out_and_replies_come_in_as_cvdp_has_them(tmp_path: Path) -> None:
    problems = [design_problem("rtl/a.sv"), question_problem(QuestionFormat.OPEN_ENDED)]
    file = tmp_path / "prompts.jsonl"
    assert write_prompts_and_count(file, problems, answer_prompt) == 2
    prompt_records = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["id"] for line in prompt_records] == ["inverter", "q"]
    assert prompt_records[0]["prompt"] == f"System: {prompt_records[0]['system']}\n\nUser: {prompt_records[0]['user']}"
    assert CANARY not in file.read_text()
