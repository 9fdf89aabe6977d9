from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from benchwright_foundation.home import Home
from benchwright_problems.category import Category
from benchwright_problems.datasets.cvdp import export_cvdp, import_cvdp
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.errors import BadPackNameError, DatasetError
from benchwright_problems.problem import Difficulty, ProblemKind
from benchwright_problems.storage.pack_folder import BUILT_IN
from benchwright_problems.storage.store import Store

Record = dict[str, JsonValue]
WriteLines = Callable[..., Path]


def round_trip(record: Record, folder: Path) -> Record:
    """A record imported, stored, read by another store, and exported."""
    file = folder / "one_v1.jsonl"
    file.write_text(json.dumps(record), encoding="utf-8")
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(folder / "home")})
    pack = import_cvdp([file], "kept", InvalidRecords(keeps_unknown_fields=True))
    Store(home).add(pack, replace=True)
    return export_cvdp(Store(home).unseal(f"kept/{pack.problems[0].id}"))


def same_json(left_json: JsonValue, right_json: JsonValue) -> bool:
    # Python says 1 == 1.0 == True; JSON does not.
    return json.dumps(left_json, sort_keys=True) == json.dumps(right_json, sort_keys=True)


def test_every_published_example_comes_back_as_the_same_json(cvdp_files: list[Path], store: Store) -> None:
    for file in cvdp_files:
        pack = import_cvdp([file], "examples")
        store.add(pack, replace=True)
        file_records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        exported = [export_cvdp(store.unseal(f"examples/{problem.id}")) for problem in pack.problems]
        assert [same_json(a, b) for a, b in zip(exported, file_records, strict=True)] == [True] * len(file_records)
    assert len(cvdp_files) == 10


def test_files_with_and_without_solutions_become_problems_with_them(cvdp_files: list[Path]) -> None:
    for ordered_files in (cvdp_files, list(reversed(cvdp_files))):
        pack = import_cvdp(ordered_files, "examples")
        assert len(pack.problems) == 5
        assert all(p.hidden.reference for p in pack.problems if p.kind is ProblemKind.DESIGN)
        assert pack.version == "1.1.0"


def test_a_nonagentic_record_becomes_a_design_problem(nonagentic: Record, write_lines: WriteLines) -> None:
    (problem,) = import_cvdp([write_lines(nonagentic)], "p").problems
    assert (problem.kind, problem.category, problem.difficulty) == (
        ProblemKind.DESIGN,
        Category.SPEC_TO_RTL,
        Difficulty.EASY,
    )
    assert problem.public.files == {"docs/spec.md": "y = !a\n"}
    assert problem.public.expected == ("rtl/inverter.sv",)
    assert problem.hidden.reference == {"rtl/inverter.sv": "module inverter; endmodule\n"}
    assert problem.provenance.version == "1.2.3"


def test_the_reference_of_an_agentic_record_is_its_patched_context(agentic: Record, write_lines: WriteLines) -> None:
    (problem,) = import_cvdp([write_lines(agentic)], "p").problems
    assert problem.hidden.reference == {"rtl/inverter.sv": "module inverter;\nassign y = ~a;\nendmodule\n"}
    assert problem.public.system_message == "You are a hardware engineer."


def test_a_patch_that_does_not_fit_is_refused_by_its_file(agentic: Record, write_lines: WriteLines) -> None:
    agentic["patch"] = {"rtl/inverter.sv": "@@ -1 +1 @@\n-something else\n+x\n"}
    with pytest.raises(DatasetError, match=r"jsonl:1: field patch\.rtl/inverter\.sv: line 2 of the patch expects"):
        import_cvdp([write_lines(agentic)], "p")


def test_a_comprehension_record_becomes_a_question_with_its_reference_answer(write_lines: WriteLines) -> None:
    record: Record = {
        "id": "q1",
        "categories": ["cid010", "easy"],
        "input": {"prompt": "Why?", "context": {}},
        "output": {"response": "Because.", "context": {}},
        "harness": {},
    }
    (problem,) = import_cvdp([write_lines(record)], "p").problems
    assert problem.kind is ProblemKind.QUESTION
    assert problem.hidden.answer is not None
    assert problem.hidden.answer.value == "Because."


@pytest.mark.parametrize(
    "change",
    [
        {"system_message": None},
        {"system_message": ""},
        {"harness": None},
        {"harness": {}},
        {"harness": {"files": None}},
        {"harness": {"files": {"docker-compose.yml": None, "src/x.py": "__OSS_SIM_IMAGE__ __LICENSE_NETWORK__"}}},
        {"harness": {"files": {}, "hash": "abc"}},
        {"input": {"prompt": "p", "context": None}},
        {"input": {"prompt": "p"}},
        {"input": {"prompt": "p", "context": {"a.md": None}, "extra": [1, 1.0, True, None, "1"]}},
        {"output": {"response": None, "context": {"rtl/a.sv": None}}},
        {"output": {"context": {"rtl/a.sv": ""}}},
        {"output": {"response": "r", "context": {"rtl/a.sv": "x", "rtl/b.sv": ""}}},
        {"categories": ["easy", "cid003"]},
        {"categories": ["cid003", "easy", "something else"]},
        {"unknown/field~1": {"a": [{"b": -0.0}, 1e300, 12345678901234567890123]}},
        {"input": {"prompt": "tab\t nul\u0000 \r\n \u2028 é 漢 😀", "context": {"a b.md": "\r\n\x0c"}}},
    ],
    ids=str,
)
def test_unusual_nonagentic_records_come_back_unchanged(change: Record, nonagentic: Record, tmp_path: Path) -> None:
    record = nonagentic | change
    assert same_json(round_trip(record, tmp_path), record)


@pytest.mark.parametrize(
    "change",
    [
        {"system_message": None},
        {"harness": None},
        {"context": None, "patch": {"rtl/new.sv": "@@ -0,0 +1 @@\n+x\n"}},
        {"patch": {"rtl/inverter.sv": None}},
        {"patch": {"rtl/inverter.sv": "", "rtl/other.sv": ""}},
        {"context": {"rtl/inverter.sv": None}, "patch": {"rtl/inverter.sv": ""}},
        {"output": {"anything": 1}},
    ],
    ids=str,
)
def test_unusual_agentic_records_come_back_unchanged(change: Record, agentic: Record, tmp_path: Path) -> None:
    record = agentic | change
    assert same_json(round_trip(record, tmp_path), record)


@pytest.mark.parametrize("missing", ["system_message", "context", "harness"])
def test_fields_that_an_agentic_record_lacks_stay_missing(missing: str, agentic: Record, tmp_path: Path) -> None:
    del agentic[missing]
    if missing == "context":
        agentic["patch"] = {"rtl/inverter.sv": ""}
    assert same_json(round_trip(agentic, tmp_path), agentic)


MISSING = "<missing>"
BROKEN: dict[str, tuple[bytes | Record, str]] = {
    "not JSON": (b'{"id": ', "is not JSON"),
    "a list": (b"[1]", "is not a JSON object"),
    "one name twice": (b'{"id": "a", "id": "b"}', "'id' appears twice"),
    "NaN": (b'{"id": NaN}', "NaN is not JSON"),
    "infinity": (b'{"id": -Infinity}', "-Infinity is not JSON"),
    "a number too large": (b'{"id": 1e999}', "the number 1e999 is too large"),
    "half a surrogate pair": (b'{"id": "\\ud800"}', "half of a surrogate pair"),
    "half a surrogate pair in a name": (b'{"\\udfff": 1}', "half of a surrogate pair"),
    "Latin-1": (b'{"id": "\xe9"}', "byte 9 is not UTF-8"),
    "surrogates as UTF-8": (b'{"id": "\xed\xa0\x80"}', "byte 9 is not UTF-8"),
    "deep": (b'{"id":' + b"[" * 200 + b"]" * 200 + b"}", "nested more than 64 deep"),
    "very deep": (b"[" * 200_000, "nested more than 64 deep"),
    "no id": ({"id": MISSING}, "field id: Field required"),
    "id of the wrong type": ({"id": 7}, "field id: Input should be a valid string"),
    "id that is a path": ({"id": "../x"}, "field id: String should match pattern"),
    "empty id": ({"id": ""}, "field id: String should match pattern"),
    "no input": ({"input": MISSING}, "field input: Field required"),
    "prompt of the wrong type": ({"input": {"prompt": []}}, r"field input\.prompt: Input should be a valid string"),
    "text of the wrong type": (
        {"input": {"prompt": "", "context": {"a.md": 1}}},
        r"field input\.context\.a\.md: Input should be a valid string",
    ),
    "unknown category": ({"categories": ["cid999", "easy"]}, "field categories: needs exactly one of a category"),
    "no category": ({"categories": []}, "field categories: needs exactly one of a category"),
    "two categories": ({"categories": ["cid002", "cid003", "easy"]}, "field categories: needs exactly one of a cat"),
    "no difficulty": ({"categories": ["cid003"]}, "field categories: needs exactly one of easy"),
    "categories as text": ({"categories": "cid003"}, "field categories: Input should be a valid list"),
    "nothing to write": ({"output": None}, r"field output\.context: names no file"),
    "repository": (
        {"prompt": "", "context": {"repo": "core", "commit": "4f6c"}, "patch": {"rtl/core.sv": ""}, "harness": {}},
        r"field context\.repo: is 'core': --repositories has to name the folder that has core/ or core\.bundle",
    ),
    "repository of the command line": (
        {"id": "cvdp_agentic_heavy_core_0001", "prompt": "", "patch": {"rtl/core.sv": ""}, "harness": {}},
        r"field context: needs repo and commit, and nothing else",
    ),
    "parent folder": (
        {"input": {"prompt": "", "context": {"../../etc/passwd": ""}}},
        r"field input\.context\.\.\./\.\./etc/passwd: '\.\./\.\./etc/passwd' is not a plain relative path",
    ),
    "absolute path": (
        {"output": {"context": {"/etc/passwd": ""}}},
        r"field output\.context\./etc/passwd: '/etc/passwd' is not a plain relative path",
    ),
    "backslash": ({"output": {"context": {"rtl\\a.sv": ""}}}, "is not a plain relative path"),
    "dot": ({"output": {"context": {"./a.sv": ""}}}, "is not a plain relative path"),
    "empty path": ({"output": {"context": {"": ""}}}, "is not a plain relative path"),
    "control character": ({"output": {"context": {"a\n.sv": ""}}}, "is not a plain relative path"),
    "NUL": ({"output": {"context": {"a\0.sv": ""}}}, "is not a plain relative path"),
    "long name": ({"output": {"context": {"x" * 300: ""}}}, "is not a plain relative path"),
    "long path": ({"output": {"context": {"x/" * 3000 + "x": ""}}}, "is not a plain relative path"),
    "marker": ({"output": {"context": {".benchwright.json": ""}}}, "is not a plain relative path"),
    "folder of every run": ({"output": {"context": {"rtl": ""}}}, "is not a plain relative path"),
    "file that is a folder": (
        {"input": {"prompt": "", "context": {"a": "", "a/b": ""}}},
        "'a' can't be a file: 'a/b' is inside it",
    ),
    "harness file that is a folder": ({"harness": {"files": {"src": "", "src/a": ""}}}, "'src' can't be a file"),
    "harness outside": ({"harness": {"files": {"../x": ""}}}, "is not a plain relative path"),
}


@pytest.mark.parametrize(("line", "reason"), BROKEN.values(), ids=BROKEN)
def test_one_bad_line_refuses_the_file_by_line_and_field_and_imports_nothing(
    line: bytes | Record, reason: str, nonagentic: Record, write_lines: WriteLines, store: Store
) -> None:
    if isinstance(line, dict):
        changed_record = nonagentic | {"id": "bad"} | line
        line = json.dumps({name: value for name, value in changed_record.items() if value != MISSING}).encode()
    file = write_lines(nonagentic, line, nonagentic | {"id": "third"})
    with pytest.raises(DatasetError, match=reason) as refused:
        store.add(import_cvdp([file], "p"))
    assert str(refused.value).startswith(f"{file}:2: ")
    assert "\n" not in str(refused.value)
    assert store.pack_names() == list(BUILT_IN)


def test_a_later_bad_file_leaves_an_earlier_pack_as_it_was(
    nonagentic: Record, write_lines: WriteLines, store: Store
) -> None:
    good = write_lines(nonagentic, name="good.jsonl")
    store.add(import_cvdp([good], "p"))
    old_problem = store.unseal("p/cvdp_copilot_inverter_0001")
    bad = write_lines("{", name="bad.jsonl")
    with pytest.raises(DatasetError, match=r"bad\.jsonl:1: "):
        store.add(import_cvdp([good, bad], "p"), replace=True)
    assert store.unseal("p/cvdp_copilot_inverter_0001") == old_problem


@pytest.mark.parametrize(
    "twin", [{"input": {"prompt": "Another."}}, {"harness": {}}, {"categories": ["cid002", "hard"]}]
)
def test_one_id_for_two_problems_is_refused_with_both_places(
    twin: Record, nonagentic: Record, write_lines: WriteLines
) -> None:
    file = write_lines(nonagentic, "", nonagentic | twin)
    with pytest.raises(DatasetError, match=r":3: field id: .* is another problem at .*jsonl:1"):
        import_cvdp([file], "p")


def test_ids_that_differ_only_in_case_are_refused(nonagentic: Record, write_lines: WriteLines) -> None:
    file = write_lines(nonagentic, nonagentic | {"id": str(nonagentic["id"]).upper()})
    with pytest.raises(DatasetError, match=r":2: field id: .* is another problem at"):
        import_cvdp([file], "p")


def test_the_same_record_twice_is_one_problem(nonagentic: Record, write_lines: WriteLines) -> None:
    assert len(import_cvdp([write_lines(nonagentic, nonagentic)], "p").problems) == 1


def test_windows_line_ends_blank_lines_and_a_byte_order_mark_are_no_trouble(
    nonagentic: Record, write_lines: WriteLines
) -> None:
    file = write_lines(b"\xef\xbb\xbf" + json.dumps(nonagentic).encode() + b"\r", b"\r", b"")
    assert len(import_cvdp([file], "p").problems) == 1


def test_utf_16_is_refused(nonagentic: Record, tmp_path: Path) -> None:
    file = tmp_path / "wide.jsonl"
    file.write_bytes(json.dumps(nonagentic).encode("utf-16-be"))
    with pytest.raises(DatasetError, match=r"is not JSON|not UTF-8"):
        import_cvdp([file], "p")


def test_a_file_without_records_is_refused(write_lines: WriteLines) -> None:
    with pytest.raises(DatasetError, match="holds no problem"):
        import_cvdp([write_lines("")], "p")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="can't be read: No such file"):
        import_cvdp([tmp_path / "none.jsonl"], "p")
    with pytest.raises(DatasetError, match="can't be read: Is a directory"):
        import_cvdp([tmp_path], "p")


@pytest.mark.parametrize("name", ["", "Upper", "a/b", "../a", "a b", "-a", "x" * 61, "a\n"])
def test_a_pack_name_that_is_no_file_name_is_refused(name: str, nonagentic: Record, write_lines: WriteLines) -> None:
    with pytest.raises(BadPackNameError, match="can't name a pack"):
        import_cvdp([write_lines(nonagentic)], name)


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner_strategy: st.lists(inner_strategy, max_size=3) | st.dictionaries(_TEXT, inner_strategy, max_size=3),
    max_leaves=8,
)
_PATHS = st.sampled_from(["rtl/a.sv", "rtl/b c.sv", "docs/é.md", "verif/tb.sv", "src/.env", "x~y/z%2F.v", "0"])
_TEXTS = st.dictionaries(_PATHS, st.none() | _TEXT, max_size=4)
_HEAD = {
    "id": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
    "categories": st.tuples(st.sampled_from(Category), st.sampled_from(Difficulty)).flatmap(
        lambda category_labels: st.permutations([word.value for word in category_labels])
    ),
}
_SOME_TEXT = _TEXTS.filter(bool)
_NONAGENTIC = st.fixed_dictionaries(
    {
        **_HEAD,
        "input": st.fixed_dictionaries({"prompt": _TEXT}, optional={"context": st.none() | _TEXTS, "more": _JSON}),
        "output": st.fixed_dictionaries({"context": _SOME_TEXT}, optional={"response": st.none() | _TEXT}),
    },
    optional={
        "system_message": st.none() | _TEXT,
        "harness": st.none() | st.fixed_dictionaries({}, optional={"files": st.none() | _TEXTS, "x": _JSON}),
        "more": _JSON,
    },
)
_AGENTIC = st.fixed_dictionaries(
    {**_HEAD, "prompt": _TEXT, "patch": st.dictionaries(_PATHS, st.sampled_from([None, ""]), min_size=1, max_size=3)},
    optional={
        "system_message": st.none() | _TEXT,
        "context": st.none() | _TEXTS,
        "harness": st.none() | _TEXTS,
        "input": _JSON,
    },
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(record=_NONAGENTIC | _AGENTIC)
def test_any_record_comes_back_from_the_store_as_the_same_json(record: Record) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert same_json(round_trip(copy.deepcopy(record), Path(folder)), record)
