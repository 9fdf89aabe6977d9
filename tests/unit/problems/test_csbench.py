from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_problems.datasets.csbench import export_csbench, import_csbench
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.errors import BadPackNameError, DatasetError
from benchwright_problems.problem import Problem, ProblemKind, QuestionFormat
from benchwright_problems.storage.store import Store

Record = dict[str, JsonValue]
NO_CHOICES: Record = {"A": None, "B": None, "C": None, "D": None}
DATA = Path(__file__).parents[3].parent / "shared" / "data" / "csbench"


def csbench_record(**changes: JsonValue) -> Record:
    full_record: Record = {
        "ID": 7,
        "Split": "Valid",
        "Domain": "Computer Organization",
        "SubDomain": "Overview",
        "Format": "Multiple-choice",
        "Tag": "Knowledge",
        "Language": "English",
        "Question": "Which register holds the address of the next instruction?",
        "A": "PC",
        "B": "IR",
        "C": "SP",
        "D": "PSW",
        "Answer": "A",
    }
    full_record |= changes
    return {name: value for name, value in full_record.items() if value is not None}


def record_without_choices(style: str, answer: JsonValue, **changes: JsonValue) -> Record:
    return csbench_record(Format=style, Answer=answer, A=None, B=None, C=None, D=None, **changes)


def write_records(folder: Path, *records: JsonValue, as_lines: bool = False, name: str = "valid.json") -> Path:
    file = folder / name
    text = "\n".join(json.dumps(record) for record in records) if as_lines else json.dumps(list(records), indent=1)
    file.write_text(text, encoding="utf-8")
    return file


def same_json(left_json: JsonValue, right_json: JsonValue) -> bool:
    # Python says 1 == 1.0 == True; JSON does not.
    return json.dumps(left_json, sort_keys=True) == json.dumps(right_json, sort_keys=True)


@pytest.fixture
def samples() -> list[Path]:
    if not DATA.is_dir():
        pytest.skip(f"CS-Bench's samples are not at {DATA}")
    return sorted(DATA.glob("*.json"))


def test_every_sample_of_every_language_comes_back_as_the_same_json(samples: list[Path], store: Store) -> None:
    store.add(import_csbench(samples, "samples"))
    sample_records = [record for file in samples for record in json.loads(file.read_text(encoding="utf-8"))]
    problems = store.public_pack("samples").problems
    exported = [export_csbench(store.unseal(f"samples/{problem.id}")) for problem in problems]
    assert len(sample_records) == 96
    assert [same_json(*pair) for pair in zip(exported, sample_records, strict=True)] == [True] * 96


def test_the_samples_hold_each_format_in_each_language(samples: list[Path]) -> None:
    seen_formats = {
        (p.public.question.language, p.public.question.format)
        for p in import_csbench(samples, "p").problems
        if p.public.question
    }
    formats = {
        QuestionFormat.MULTIPLE_CHOICE,
        QuestionFormat.ASSERTION,
        QuestionFormat.FILL_IN_THE_BLANK,
        QuestionFormat.OPEN_ENDED,
    }
    assert seen_formats == {(language, style) for language in ("en", "zh", "fr", "de") for style in formats}


def test_an_english_sample_and_its_translation_are_one_group(samples: list[Path]) -> None:
    problems = {problem.id: problem for problem in import_csbench(samples, "p").problems}
    assert question_group(problems["en-2184"]) == question_group(problems["zh-4603"]) != ""
    assert sum(bool(question_group(problem)) for problem in problems.values()) == 48


def question_group(problem: Problem) -> str:
    assert problem.public.question
    return problem.public.question.group


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_the_published_folder_is_read_whole_without_the_file_that_describes_it(tmp_path: Path, ending: str) -> None:
    for number, language in enumerate(("EN", "CN", "FR", "DE")):
        folder = tmp_path / "Dataset" / f"CSBench-{language}"
        folder.mkdir(parents=True)
        write_records(folder, csbench_record(ID=number), as_lines=ending == ".jsonl", name=f"valid{ending}")
        write_records(
            folder, csbench_record(ID=number + 4, Split="Test"), as_lines=ending == ".jsonl", name=f"test{ending}"
        )
    description = tmp_path / "Dataset" / "croissant.json"
    description.write_text(json.dumps({"@type": "sc:Dataset", "name": "CS-Bench"}, indent=2), encoding="utf-8")
    pack = import_csbench([tmp_path / "Dataset"], "p")
    assert sorted(problem.id for problem in pack.problems) == [f"en-{number}" for number in range(8)]
    with pytest.raises(DatasetError):
        import_csbench([description], "p")


@pytest.mark.parametrize("as_lines", [False, True])
def test_arrays_and_lines_are_told_apart_by_content(tmp_path: Path, as_lines: bool) -> None:
    pack = import_csbench([write_records(tmp_path, csbench_record(), csbench_record(ID=8), as_lines=as_lines)], "p")
    assert [problem.id for problem in pack.problems] == ["en-7", "en-8"]


def test_a_record_becomes_a_question(tmp_path: Path) -> None:
    (problem,) = import_csbench([write_records(tmp_path, csbench_record(Explanation="It counts."))], "p").problems
    question, key = problem.public.question, problem.hidden.answer
    assert question
    assert key
    assert (problem.kind, problem.public.statement) == (ProblemKind.QUESTION, csbench_record()["Question"])
    assert [choice.text for choice in question.choices] == ["PC", "IR", "SP", "PSW"]
    assert (question.domain, question.subdomain, question.tag, question.language, question.group) == (
        "Computer Organization",
        "Overview",
        "Knowledge",
        "en",
        "",
    )
    assert (key.value, key.explanation) == ("A", "It counts.")


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (True, "true"),
        (False, "false"),
        ("True", "true"),
        ("Falsch", "false"),
        ("Vrai", "true"),
        ("\u9519\u8bef", "false"),
    ],
)
def test_an_assertion_is_true_or_false_in_every_writing(tmp_path: Path, answer: JsonValue, value: str) -> None:
    question_record = record_without_choices("Assertion", answer)
    (problem,) = import_csbench([write_records(tmp_path, question_record)], "p").problems
    assert problem.hidden.answer
    assert problem.hidden.answer.value == value
    assert same_json(export_csbench(problem), question_record)


@pytest.mark.parametrize(
    ("answer", "alternatives"),
    [
        ("PC", ()),
        ("Program counter (PC)", ("Program counter", "PC")),
        ("PC or program counter", ("PC", "program counter")),
        ("\u7a0b\u5e8f\u8ba1\u6570\u5668\uff08PC\uff09", ("\u7a0b\u5e8f\u8ba1\u6570\u5668", "PC")),
        ("O(n)", ()),
        ("O(log n)", ()),
        ("\u4e0e\u6216\u95e8", ()),
        ("2 / two", ("2", "two")),
        ("I/O", ()),
        (6, ()),
        (2.5, ()),
    ],
)
def test_other_answers_that_a_blank_names_are_accepted(
    tmp_path: Path, answer: JsonValue, alternatives: tuple[str, ...]
) -> None:
    question_record = record_without_choices("Fill-in-the-blank", answer)
    (problem,) = import_csbench([write_records(tmp_path, question_record)], "p").problems
    assert problem.hidden.answer
    assert problem.hidden.answer.alternatives == alternatives
    assert not problem.hidden.answer.closed
    assert same_json(export_csbench(problem), question_record)


def test_the_same_question_in_several_languages_is_one_group(tmp_path: Path) -> None:
    files = [
        write_records(tmp_path, csbench_record(), csbench_record(ID=9), name="en.json"),
        write_records(
            tmp_path,
            csbench_record(Language="French"),
            csbench_record(ID=7 + 2419, Language="Chinese"),
            name="more.json",
        ),
    ]
    groups = {problem.id: question_group(problem) for problem in import_csbench(files, "p").problems}
    assert groups == {"en-7": "7", "fr-7": "7", "zh-2426": "7", "en-9": ""}


def test_a_chinese_question_of_another_kind_is_no_translation(tmp_path: Path) -> None:
    file = write_records(tmp_path, csbench_record(), csbench_record(ID=7 + 2419, Language="Chinese", SubDomain="Bus"))
    assert [question_group(problem) for problem in import_csbench([file], "p").problems] == ["", ""]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ID": None}, r"\[1\]\.ID: Field required"),
        ({"ID": "8th"}, r"\[1\]\.ID: Input should be a valid integer"),
        ({"ID": True}, r"\[1\]\.ID: Input should be a valid integer"),
        ({"ID": 7}, r"\[1\]\.ID: 'en-7' is already at .*:2"),
        ({"Question": ""}, r"\[1\]\.Question: String should have at least 1 character"),
        ({"Question": 3}, r"\[1\]\.Question: Input should be a valid string"),
        ({"Language": "Latin"}, r"\[1\]\.Language: is 'Latin'; known are English, Chinese, French, German"),
        ({"Format": "Essay"}, r"\[1\]\.Format: is 'Essay'; known are Multiple-choice"),
        ({"Answer": "E"}, r"\[1\]\.Answer: is 'E'; it must be one of A, B, C, D"),
        ({"Answer": ["A"]}, r"\[1\]\.Answer: "),
        ({"Answer": True}, r"\[1\]\.Answer: is True; only an assertion"),
        ({"Answer": None}, r"\[1\]\.Answer: Field required"),
        ({"B": None, "C": None, "D": None}, r"\[1\]\.B: is missing"),
        ({"B": ["x"]}, r"\[1\]\.B: is not the text of a choice"),
        ({"Domain": None}, r"\[1\]\.Domain: Field required"),
        (
            NO_CHOICES | {"Format": "Assertion", "Answer": "maybe"},
            r"\[1\]\.Answer: is 'maybe'; an assertion is true or false",
        ),
        (NO_CHOICES | {"Format": "Fill-in-the-blank", "Answer": " "}, r"\[1\]\.Answer: is empty"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named_by_file_record_and_field(
    tmp_path: Path, store: Store, change: Record, message: str
) -> None:
    file = write_records(tmp_path, csbench_record(), csbench_record(**({"ID": 8} | change)))
    with pytest.raises(DatasetError, match=message) as caught:
        store.add(import_csbench([file], "p"))
    assert str(file) in str(caught.value)
    assert "p" not in store.pack_names()


def test_in_lines_the_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"valid\.json:2: field Answer: is 'E'"):
        import_csbench(
            [write_records(tmp_path, csbench_record(), csbench_record(ID=8, Answer="E"), as_lines=True)], "p"
        )


@pytest.mark.parametrize("content", ["", "[]", "[1]", "{", "[", '[{"ID": NaN}]', "null", "[" * 200_000], ids=repr)
def test_what_is_no_data_set_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(content)
    with pytest.raises(DatasetError, match=r"bad\.json"):
        import_csbench([file], "p")


def test_null_is_named_where_a_value_is_needed(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps([csbench_record() | {"Answer": None}]))
    with pytest.raises(DatasetError, match=r"\[0\]\.Answer: is null$"):
        import_csbench([file], "p")


def test_an_object_over_several_lines_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(csbench_record(), indent=1))
    with pytest.raises(DatasetError, match=r"bad\.json: holds a JSON object over several lines") as caught:
        import_csbench([file], "p")
    assert "can't be read either" not in str(caught.value)


def test_a_pack_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(BadPackNameError):
        import_csbench([write_records(tmp_path, csbench_record())], "../p")


@pytest.mark.parametrize(
    "extra", [{"Extra": [1, 1.0, True, None]}, {"Answer": " a"}, {"A": 8, "B": 9.5}, {"Explanation": ""}]
)
def test_unusual_records_come_back_unchanged(tmp_path: Path, extra: Record) -> None:
    question_record = csbench_record(**extra)
    question_record |= {name: value for name, value in extra.items() if value is None}
    invalid = InvalidRecords(keeps_unknown_fields=True)
    (problem,) = import_csbench([write_records(tmp_path, question_record)], "p", invalid).problems
    assert same_json(export_csbench(problem), question_record)
