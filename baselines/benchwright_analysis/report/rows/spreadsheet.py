"""Tables that a spreadsheet may open: no cell begins as a formula does, as names come from files and people."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")


def escape_formulas(table: pa.Table, columns: Collection[str] | None = None) -> pa.Table:
    """The table with an apostrophe before strings that would be read as formulas.

    Args:
        table: Any.
        columns: Columns in which such strings may be; every column of strings if not given.
    """
    import pyarrow as pa

    for index, field in enumerate(table.schema):
        if not pa.types.is_string(field.type) or (columns is not None and field.name not in columns):
            continue
        column = table.column(index)
        if not any(text and text.startswith(_BEGINNINGS) for text in column.unique().to_pylist()):
            continue
        safe = [with_formula_escaped(text) if text else text for text in column.to_pylist()]
        table = table.set_column(index, field, pa.array(safe, type=field.type))
    return table


def with_formula_escaped(text: str) -> str:
    """A cell with an apostrophe before what would be read as a formula."""
    return f"'{text}" if text.startswith(_BEGINNINGS) else text
