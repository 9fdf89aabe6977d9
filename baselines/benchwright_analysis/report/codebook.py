"""The columns of the exported tables, with their types and meanings: made from the models, so that it can't be old."""

from __future__ import annotations

import types
import typing
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from benchwright_analysis.report.event_row import EventRow
from benchwright_analysis.report.observation import Observation

if TYPE_CHECKING:
    import pyarrow as pa

TABLES: dict[str, type[BaseModel]] = {"attempts": Observation, "events": EventRow}

_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def _plain_type(annotation: Any) -> tuple[type, bool]:
    """The Python type of a column, and whether it may be empty."""
    if typing.get_origin(annotation) is typing.Literal:
        return str, False
    if isinstance(annotation, types.UnionType):
        first, *_ = (one for one in typing.get_args(annotation) if one is not type(None))
        return first, True
    if not isinstance(annotation, type):
        raise TypeError(annotation)
    return annotation, False


def schema_of(model: type[BaseModel]) -> pa.Schema:
    """A model's fields as Arrow types."""
    import pyarrow as pa

    kinds: dict[type, pa.DataType] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    return pa.schema([(name, kinds[_plain_type(field.annotation)[0]]) for name, field in model.model_fields.items()])


def codebook() -> str:
    """The page, Markdown."""
    lines = [
        "# Codebook",
        "",
        "The columns of `attempts.csv`, `attempts.parquet`, `events.csv` and `events.parquet`, which",
        "`benchwright report` writes. Empty cells of CSV files are empty values in Parquet. This page is made by",
        "`python -m benchwright_analysis.report.codebook`.",
    ]
    for name, model in TABLES.items():
        lines += ["", f"## {name}", "", (model.__doc__ or "").strip().splitlines()[0], ""]
        lines += ["| column | type | meaning |", "| --- | --- | --- |"]
        for column, field in model.model_fields.items():
            kind, may_be_empty = _plain_type(field.annotation)
            words = _WORDS[kind] + (", may be empty" if may_be_empty else "")
            meaning = " ".join((field.description or "").split()).replace("|", "\\|")
            lines.append(f"| `{column}` | {words} | {meaning} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(codebook(), end="")  # noqa: T201
