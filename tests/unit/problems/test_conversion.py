"""A record in its other form is the same problem, and comes back as it was."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.patch import apply_patch
from benchwright_problems.problem import Problem
from benchwright_problems.storage.conversion import RecordForm, convert_record, unified_diff_without_headers

Record = dict[str, JsonValue]
WriteLines = Callable[..., Path]


def other_record_form(record: Record) -> RecordForm:
    return RecordForm.NONAGENTIC if "prompt" in record else RecordForm.AGENTIC


def converted_and_restored(record: Record) -> tuple[Record, Record]:
    converted = convert_record(copy.deepcopy(record), other_record_form(record))
    stored = json.loads(json.dumps(converted))
    return converted, convert_record(stored, other_record_form(stored))


def imported_problem(record: Record, folder: Path) -> Problem:
    file = folder / "one_v1.1.0.jsonl"
    file.write_text(json.dumps(record), encoding="utf-8")
    return import_cvdp([file], "p", InvalidRecords(keeps_unknown_fields=True)).problems[0]


def kept_meaning(problem: Problem) -> list[object]:
    hidden_part = problem.hidden
    return [
        *(
            problem.id,
            problem.kind,
            problem.category,
            problem.difficulty,
            problem.public.statement,
            problem.public.files,
        ),
        *(
            problem.public.expected,
            problem.public.question,
            hidden_part.harness,
            hidden_part.reference,
            hidden_part.answer,
        ),
        problem.harness_digest,
    ]


def test_every_published_example_survives_both_ways(cvdp_files: list[Path], tmp_path: Path) -> None:
    count = 0
    for file in cvdp_files:
        for line in file.read_text(encoding="utf-8").splitlines():
            record: Record = json.loads(line)
            converted, back = converted_and_restored(record)
            assert ("prompt" in converted) != ("prompt" in record)
            assert back == record
            assert kept_meaning(imported_problem(converted, tmp_path)) == kept_meaning(
                imported_problem(record, tmp_path)
            )
            count += 1
    assert count == 10


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"output": {"response": None, "context": {"rtl/inverter.sv": None}}},
        {"output": {"response": "", "context": {"rtl/inverter.sv": "no newline", "rtl/b.sv": ""}}},
        {"harness": None, "more": [1, 1.5, None], "system_message": "s"},
        {"input": {"prompt": "p", "context": {"rtl/inverter.sv": "a\r\nb\f\nc"}}},
        {"categories": ["cid010", "easy"], "output": {"response": "Because.", "context": {}}, "harness": {}},
    ],
    ids=str,
)
def test_a_nonagentic_record_survives(change: Record, nonagentic: Record, tmp_path: Path) -> None:
    record = nonagentic | change
    converted, back = converted_and_restored(record)
    assert back == record
    assert kept_meaning(imported_problem(converted, tmp_path)) == kept_meaning(imported_problem(record, tmp_path))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"patch": {"rtl/inverter.sv": None, "rtl/new.sv": "@@ -0,0 +1 @@ module\n+x\n\\ No newline at end of file\n"}},
        {"system_message": None, "harness": None, "context": None, "patch": {"rtl/new.sv": ""}},
        {"unknown": {"a": 1}},
    ],
    ids=str,
)
def test_an_agentic_record_survives(change: Record, agentic: Record, tmp_path: Path) -> None:
    record = agentic | change
    converted, back = converted_and_restored(record)
    assert back == record
    assert kept_meaning(imported_problem(converted, tmp_path)) == kept_meaning(imported_problem(record, tmp_path))


def test_an_agent_is_told_which_files_count(nonagentic: Record) -> None:
    assert "- rtl/inverter.sv" in str(convert_record(nonagentic, RecordForm.AGENTIC)["system_message"])


def test_a_model_is_not_told_of_tools_it_does_not_have(agentic: Record) -> None:
    converted = convert_record(agentic, RecordForm.NONAGENTIC)
    assert "system_message" not in converted


def test_a_record_in_the_form_wanted_stays_as_it_is(agentic: Record) -> None:
    assert convert_record(agentic, RecordForm.AGENTIC) is agentic


def test_what_was_changed_meanwhile_is_kept(nonagentic: Record) -> None:
    converted = convert_record(nonagentic, RecordForm.AGENTIC)
    converted["prompt"] = "Write two inverters."
    back = convert_record(converted, RecordForm.NONAGENTIC)
    assert back["input"] == {"prompt": "Write two inverters.", "context": {"docs/spec.md": "y = !a\n"}}


@given(before=st.text("a\n\r\f é"), after=st.text("ab\n\r\u2028"))
def test_a_patch_made_here_gives_the_text_it_was_made_for(before: str, after: str) -> None:
    assert apply_patch(before, unified_diff_without_headers(before, after)) == after
