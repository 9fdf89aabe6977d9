"""Records as real sets hold them: every irregular one is read, or refused by name; the others stay importable."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_problems.datasets.csbench import export_csbench, import_csbench
from benchwright_problems.datasets.cvdp import export_cvdp, import_cvdp
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.quarch import export_quarch, import_quarch
from benchwright_problems.datasets.rtl_benchls import export_rtl_benchls, import_rtl_benchls
from benchwright_problems.datasets.verilogeval import export_verilogeval, import_verilogeval
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Pack, Problem

Record = dict[str, JsonValue]
SHARED = Path(__file__).parents[3].parent / "shared" / "data"


@dataclass(frozen=True)
class Format:
    name: str
    importer: Callable[..., Pack]
    export: Callable[[Problem], Record]
    identity: str
    records: tuple[Record, ...]
    is_array: bool = False


def csbench(number: int, style: str, answer: JsonValue, **fields: JsonValue) -> Record:
    usual: Record = {
        "ID": number,
        "Split": "Test",
        "Domain": "Computer Organization",
        "SubDomain": "Memory",
        "Format": style,
        "Tag": "Knowledge",
        "Language": "English",
        "Question": "A direct-mapped cache has one place for each line.",
        "Answer": answer,
        "Explanation": "By definition.",
    }
    return usual | fields


def cvdp(name: str) -> Record:
    return {
        "id": name,
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {}},
        "output": {
            "response": "",
            "context": {"rtl/inv.sv": "module inv(input a, output y); assign y = ~a; endmodule\n"},
        },
        "harness": {
            "files": {
                "docker-compose.yml": "services:\n  direct:\n    image: __OSS_SIM_IMAGE__\n    command: pytest\n",
                "src/t.py": "def test_it(): pass\n",
            }
        },
    }


MASKED: Record = {
    "task_id": "mg_00001_block_0",
    "parent_design": "mg_00001",
    "top_module": "mg_00001",
    "design_type": "combinational",
    "mask_type": "block",
    "mask_index": 0,
    "mask_target_module": None,
    "ref_rtl": "assign y = ~a;",
    "golden_rtl_key": "mg_00001.v",
    "masked_rtl_key": "mg_00001_masked.v",
    "files": {
        "mg_00001.v": "module mg_00001(input a, output y);\nassign y = ~a;\nendmodule\n",
        "mg_00001_masked.v": "module mg_00001(input a, output y);\n[MASKED]\nendmodule\n",
        "lib.v": "",
        "sec_mg_00001.tcl": "check_sec -setup\n",
    },
}
FORMATS = (
    Format(
        "csbench",
        import_csbench,
        export_csbench,
        "ID",
        (
            csbench(1, "Multiple-choice", "B", A="one", B="two", C="four", D="eight"),
            csbench(2, "Assertion", True),
            csbench(3, "Fill-in-the-blank", "direct mapping"),
            csbench(4, "Open-ended", "Each address has one place."),
        ),
        is_array=True,
    ),
    Format(
        "quarch-choice",
        import_quarch,
        export_quarch,
        "question_id",
        (
            {
                "question_id": 5,
                "question": "A cache that writes at eviction is ____.",
                "options": ["write-back", "write-through", "inclusive", "exclusive"],
                "answer": "A",
                "difficulty": "EASY",
                "topic": "Memory Systems",
            },
        ),
    ),
    Format(
        "quarch-free",
        import_quarch,
        export_quarch,
        "question_id",
        (
            {
                "question_id": "exam/Problem_1/a",
                "context": "A pipeline has five stages.",
                "context_figures": [],
                "question": "How many cycles do nine instructions take?",
                "solution": "Thirteen.",
                "solution_figures": [],
                "passed_llm_verification": True,
                "reasoning": "Complete.",
                "passed_human_verification": None,
            },
        ),
        is_array=True,
    ),
    Format("rtl-benchls", import_rtl_benchls, export_rtl_benchls, "task_id", (MASKED,)),
    Format("cvdp", import_cvdp, export_cvdp, "id", (cvdp("cvdp_copilot_inv_0001"),)),
    Format(
        "verilogeval",
        import_verilogeval,
        export_verilogeval,
        "task_id",
        (
            {
                "task_id": "zero",
                "prompt": "module top_module (output zero);\n",
                "canonical_solution": "assign zero = 1'b0;\nendmodule\n",
                "test": "module reference_module (output zero); assign zero = 1'b0; endmodule\n"
                "module tb; wire w; top_module dut(w); endmodule\n",
            },
        ),
    ),
)


def full_width_text(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def changed_values(value: JsonValue) -> Iterator[JsonValue]:
    yield None
    if isinstance(value, str):
        yield from (
            f" \t{value}\r\n",
            value.swapcase(),
            value.upper(),
            full_width_text(value),
            f"“{value}”",
            f"{value}.",
            "",
            7,
        )
        yield f"The correct answer is {value}."
        yield [value]
    elif isinstance(value, bool):
        yield from (str(value), str(value).upper(), f" {value} ", int(value), f"The statement is {str(value).lower()}.")
    elif isinstance(value, int):
        yield from (str(value), f" {value} ", float(value), -value, full_width_text(str(value)))
    elif isinstance(value, list):
        yield from (
            [],
            [*value, *value],
            [*value, None],
            [*value, 3],
            {str(n): member for n, member in enumerate(value)},
        )
    elif isinstance(value, dict):
        yield from ({}, value | {"unknown": "x"}, value | {"unknown": None})
        yield [*value]


def changed_records(record: Record) -> Iterator[Record]:
    for name, value in record.items():
        yield {key: content for key, content in record.items() if key != name}
        yield from (record | {name: changed} for changed in changed_values(value))
        if isinstance(value, dict):
            for inner_name, inner_value in value.items():
                yield from (record | {name: value | {inner_name: changed}} for changed in changed_values(inner_value))
    yield record | {"note": "unknown", "score": 0.5, "nested": {"a": [None, True]}}


def dataset_file(folder: Path, form: Format, records: list[Record], *, bom: bool = False, crlf: bool = False) -> Path:
    if form.is_array:
        text = json.dumps(records, ensure_ascii=False, indent=1)
    else:
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    content = (text.replace("\n", "\r\n") if crlf else text).encode()
    file = folder / "data_v1.json"
    file.write_bytes((b"\xef\xbb\xbf" if bom else b"") + content)
    return file


def same_json(left_json: JsonValue, right_json: JsonValue) -> bool:
    return json.dumps(left_json, sort_keys=True) == json.dumps(right_json, sort_keys=True)


def is_changed_record_read(folder: Path, form: Format, good: Record, changed_record: Record) -> bool:
    """True if the changed record was read. The good one beside it always is."""
    file = dataset_file(folder, form, [changed_record, good])
    invalid = InvalidRecords(skip=True)
    pack = form.importer([file], "p", invalid=invalid)
    exported = [form.export(problem) for problem in pack.problems]
    assert any(same_json(record, good) for record in exported)
    assert len(exported) + len(invalid.record_errors) == 2
    if not invalid.record_errors:
        assert any(same_json(record, changed_record) for record in exported)
        return True
    (error,) = invalid.record_errors
    assert error.reason
    assert (error.line is not None) and error.file == file
    with pytest.raises(DatasetError, match=r"1 other record is fine: --skip-invalid takes only those$"):
        form.importer([file], "p")
    return False


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_irregular_record_is_read_without_loss_or_refused_with_its_place(tmp_path: Path, form: Format) -> None:
    read_count = refused_count = 0
    for record in form.records:
        number = record[form.identity]
        good = record | {form.identity: number + 100 if isinstance(number, int) else f"{number}_good"}
        for changed_record in changed_records(record):
            if is_changed_record_read(tmp_path, form, good, changed_record):
                read_count += 1
            else:
                refused_count += 1
    assert read_count > 5
    assert refused_count > 5


def modelled_object_fields(form: Format, record: Record) -> Iterator[str]:
    """The fields of a record that hold an object of fields, not files by path; empty for the record itself."""
    yield ""
    if form.name == "cvdp":
        yield from (name for name, value in record.items() if isinstance(value, dict))


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_field_that_the_importer_does_not_know_is_refused_or_kept_by_choice(tmp_path: Path, form: Format) -> None:
    chance = random.Random(3)
    for record in form.records:
        for name in modelled_object_fields(form, record):
            values: tuple[JsonValue, ...] = ("text", None, 1, [], {"commit": "0123abc"})
            for value in values:
                field = chance.choice(("repo", "license", "Ä", "a.b", "__class__", "extra/field", " "))
                inner = record[name] if name else record
                assert isinstance(inner, dict)
                changed_inner: Record = {**inner, field: value}
                changed: Record = {**record, name: changed_inner} if name else changed_inner
                file = dataset_file(tmp_path, form, [changed])
                with pytest.raises(DatasetError, match="not known to this importer") as refusal:
                    form.importer([file], "p")
                assert refusal.value.field.endswith(f"{name}.{field}" if name else field)
                (kept_problem,) = form.importer([file], "p", invalid=InvalidRecords(keeps_unknown_fields=True)).problems
                assert same_json(form.export(kept_problem), changed)


def published_records(form: Format) -> list[Record]:
    """Real records of the format, as far as this machine has them."""
    if form.name == "csbench" and (file := SHARED / "csbench-test" / "CSBench-EN-test.json").exists():
        records: list[Record] = json.loads(file.read_text(encoding="utf-8"))
        return records
    return []


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_records_with_several_irregularities_are_read_without_loss_or_refused(
    tmp_path: Path, form: Format, nightly: bool
) -> None:
    seed = secrets.randbits(32) if nightly else 14
    chance = random.Random(seed)
    good = form.records[0] | {form.identity: 99_999 if isinstance(form.records[0][form.identity], int) else "good"}
    if form.name == "cvdp":
        good = cvdp("cvdp_copilot_good_0001")
    records = (*form.records, *published_records(form))
    for number in range(5_000 if nightly else 60):
        record = chance.choice(records)
        for _ in range(chance.choice((1, 2, 2, 3))):
            record = chance.choice(list(changed_records(record)))
        try:
            is_changed_record_read(tmp_path, form, good, record)
        except BaseException as error:
            error.add_note(f"seed {seed}, mutation {number}: {json.dumps(record)[:2000]}")
            raise


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_byte_order_marks_and_line_ends_of_windows_change_nothing(tmp_path: Path, form: Format) -> None:
    usual = form.importer([dataset_file(tmp_path, form, list(form.records))], "p")
    assert form.importer([dataset_file(tmp_path, form, list(form.records), bom=True, crlf=True)], "p") == usual


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_of_two_different_records_of_one_name_the_first_is_kept(tmp_path: Path, form: Format) -> None:
    first_record = form.records[0]
    field = next(name for name in ("Question", "question", "input", "prompt", "design_type") if name in first_record)
    value = first_record[field]
    second_record = first_record | {
        field: value | {"prompt": "Another."} if isinstance(value, dict) else f"{value} // other"
    }
    invalid = InvalidRecords(skip=True)
    (kept_problem,) = form.importer(
        [dataset_file(tmp_path, form, [first_record, second_record])], "p", invalid=invalid
    ).problems
    assert same_json(form.export(kept_problem), first_record)
    assert len(invalid.record_errors) == 1


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        *((spelling, "B") for spelling in ("b", " B ", "(B)", "B.", "„B“", "« B »", '"B"', full_width_text("B"), "B)")),
        ("Die richtige Antwort ist B.", "B"),
        ("La bonne réponse est « B ».", "B"),
        ("正确答案是B。", "B"),
        *(
            (unclear, None)
            for unclear in ("A or B", "not B", "Ce n'est pas B", "E", "", "A cache has lines", "AB", "the")
        ),
    ],
)
def test_a_key_is_read_only_where_it_names_one_letter(tmp_path: Path, answer: str, letter: str | None) -> None:
    record = csbench(1, "Multiple-choice", answer, A="one", B="two", C="four", D="eight")
    file = dataset_file(tmp_path, FORMATS[0], [record])
    if letter is None:
        with pytest.raises(DatasetError, match="Answer"):
            import_csbench([file], "p")
        return
    (problem,) = import_csbench([file], "p").problems
    assert problem.hidden.answer
    assert problem.hidden.answer.value == letter
    assert same_json(export_csbench(problem), record)


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        *((word, "true") for word in (True, "TRUE", " Vrai.", "„Richtig“", "Die Aussage ist wahr.", "√", "T", "正确")),
        *(
            (word, "false")
            for word in (False, "faux", "Falsch!", "L'affirmation est fausse : faux", "×", "错误。", "F")
        ),
        *((word, None) for word in ("not true", "true or false", "不正确", 1, 0, "maybe", "n'est pas vrai")),
    ],
)
def test_the_key_of_an_assertion_is_read_only_where_it_says_one_thing(
    tmp_path: Path, answer: JsonValue, truth: str | None
) -> None:
    file = dataset_file(tmp_path, FORMATS[0], [csbench(1, "Assertion", answer)])
    if truth is None:
        with pytest.raises(DatasetError, match="an assertion is true or false"):
            import_csbench([file], "p")
        return
    (problem,) = import_csbench([file], "p").problems
    assert problem.hidden.answer
    assert problem.hidden.answer.value == truth


def test_the_published_english_test_split_imports_whole_and_survives_changes(tmp_path: Path) -> None:
    file = SHARED / "csbench-test" / "CSBench-EN-test.json"
    if not file.exists():
        pytest.skip("shared/data/csbench-test is not on this machine")
    published = json.loads(file.read_text(encoding="utf-8"))
    pack = import_csbench([file], "p")
    assert [
        same_json(export_csbench(problem), original) for problem, original in zip(pack.problems, published, strict=True)
    ] == [True] * len(published)
    chance = random.Random(0)
    good = published[0] | {"ID": 99_999}
    for record in chance.sample(published, 25):
        for changed_record in chance.sample(list(changed_records(record)), 12):
            is_changed_record_read(tmp_path, FORMATS[0], good, changed_record)
