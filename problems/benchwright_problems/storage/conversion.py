"""Conversion of CVDP records between their two forms.

A non-agentic record asks for whole files in one answer; an agentic one puts a solver into a folder, and its solution is
a patch of that. The task, its files, its harness and its solution stay what they are. What only one form has is kept in
the field `converted`, so that converting back gives the record as it was.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from enum import StrEnum

import jsonpatch
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from benchwright_problems.patch import apply_patch
from benchwright_problems.problem import digest

_SYSTEM_MESSAGE = """You work in a folder with the files of a hardware design: specifications in docs, sources in rtl,
testbenches in verif. Read what is there, then create or change files so that the task is done. Only these files count:
{files}
"""
_KEPT = "converted"


class RecordForm(StrEnum):
    """The form in which a record asks."""

    AGENTIC = "agentic"
    NONAGENTIC = "non-agentic"


class _Conversion(BaseModel):
    model_config = ConfigDict(frozen=True)

    sha256: str
    """Of the converted record; if the record was changed since, `restored_record` may no longer apply."""
    restore: list[dict[str, JsonValue]]
    """RFC 6902 patch from the record that converting back yields to the original record."""


def convert_record(record: dict[str, JsonValue], target_form: RecordForm) -> dict[str, JsonValue]:
    """A record in the requested form; unchanged if it already has that form.

    Args:
        record: One that `import_cvdp` takes.
        target_form: The form.

    Raises:
        ValueError: It names a repository, which only an agentic record can.
    """
    context = record.get("context")
    if isinstance(context, dict) and context.keys() == {"repo", "commit"}:
        raise ValueError(f"{record['id']} is a whole repository and has no other form")
    form = RecordForm.AGENTIC if "prompt" in record else RecordForm.NONAGENTIC
    if form is target_form:
        return record
    converter, back = (
        (_agentic_record, _nonagentic_record)
        if target_form is RecordForm.AGENTIC
        else (_nonagentic_record, _agentic_record)
    )
    bare = {key: value for key, value in record.items() if key != _KEPT}
    converted = converter(bare)
    try:
        earlier_conversion = _Conversion.model_validate(record.get(_KEPT))
    except ValidationError:
        earlier_conversion = None
    if earlier_conversion is not None and earlier_conversion.sha256 == digest(bare):
        restored: dict[str, JsonValue] = jsonpatch.apply_patch(converted, earlier_conversion.restore)
        return restored
    restore = jsonpatch.make_patch(back(converted), bare).patch
    conversion = _Conversion(sha256=digest(converted), restore=restore)
    return converted | {_KEPT: conversion.model_dump(mode="json")}


def unified_diff_without_headers(old_text: str, new_text: str) -> str:
    """The unified diff that `apply_patch` takes, without file headers; empty if nothing differs."""
    # Only LF ends a line of a diff.
    old_lines, new_lines = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old_text, new_text))
    hunks = list(difflib.unified_diff(old_lines, new_lines))[2:]
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in hunks)


def _agentic_record(nonagentic_record: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    request_fields, output_fields = (
        _mapping_or_empty(nonagentic_record.get("input")),
        _mapping_or_empty(nonagentic_record.get("output")),
    )
    context_files, solution = (
        _texts_by_path(request_fields.get("context")),
        _texts_by_path(output_fields.get("context")),
    )
    files = "\n".join(f"- {path}" for path in solution)
    converted: dict[str, JsonValue] = {
        "id": nonagentic_record["id"],
        "categories": nonagentic_record["categories"],
        "system_message": _SYSTEM_MESSAGE.format(files=files),
        "prompt": request_fields.get("prompt"),
        "context": dict(context_files),
        "patch": {
            path: unified_diff_without_headers(context_files.get(path, ""), text) if text else ""
            for path, text in solution.items()
        },
        "harness": dict(_texts_by_path(_mapping_or_empty(nonagentic_record.get("harness")).get("files"))),
    }
    if response := output_fields.get("response"):
        converted["response"] = response
    return converted


def _nonagentic_record(agentic_record: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    # The system message describes tools, which a model that answers once does not have.
    context_files, patches = _texts_by_path(agentic_record.get("context")), _texts_by_path(agentic_record.get("patch"))
    harness = _texts_by_path(agentic_record.get("harness"))
    return {
        "id": agentic_record["id"],
        "categories": agentic_record["categories"],
        "input": {"prompt": agentic_record["prompt"], "context": dict(context_files)},
        "output": {
            "response": agentic_record.get("response") or "",
            "context": {
                path: apply_patch(context_files.get(path, ""), patch) if patch else ""
                for path, patch in patches.items()
            },
        },
        "harness": {"files": dict(harness)} if harness else {},
    }


def _mapping_or_empty(json_value: JsonValue) -> dict[str, JsonValue]:
    return json_value if isinstance(json_value, dict) else {}


def _texts_by_path(json_value: JsonValue) -> dict[str, str]:
    return {path: text if isinstance(text, str) else "" for path, text in _mapping_or_empty(json_value).items()}
