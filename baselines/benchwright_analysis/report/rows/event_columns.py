"""The rows of many events, column by column, until they are written: most columns are empty for most events."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchwright_analysis.report.rows.codebook import arrow_schema_of
from benchwright_analysis.report.rows.event_row import EventRow

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_NS = 1_000_000_000
_WALLS_AT_ONCE = 10_000

_Part = tuple["array[int]", Sequence[Any]]
"""Rows, ascending, and the values that a column has in them."""


class EventColumns:
    """Columns of `EventRow`, filled by one attempt after the other."""

    __slots__ = (
        "_attempts",
        "_cells",
        "_clock",
        "_filled",
        "_kinds",
        "_newest_walls",
        "_states",
        "_times_ns",
        "_walls",
    )

    def __init__(self) -> None:
        self._walls: list[pa.Array[Any]] = []
        self._newest_walls: list[str] = []
        self._times_ns = array("q")
        self._clock = array("q")
        self._kinds: list[str] = []
        self._attempts: list[tuple[int, str]] = []
        self._states: list[tuple[int, str]] = []
        self._cells: dict[str, tuple[array[int], list[Any]]] = {
            column: (array("q"), []) for column in EventRow.model_fields
        }
        self._filled: list[tuple[array[int], Mapping[str, Sequence[Any]]]] = []

    def __len__(self) -> int:
        return len(self._kinds)

    def begin_attempt(self, attempt: str) -> None:
        """The next rows are of this attempt."""
        self._attempts.append((len(self), attempt))

    def begin_state(self, state: str) -> None:
        """From the next row on, the attempt is in this state."""
        self._states.append((len(self), state))

    def fill_next_row_cell(self, column: str, value: object) -> None:
        """Fills a cell of the row that comes next."""
        row_numbers, values = self._cells[column]
        row_numbers.append(len(self._kinds))
        values.append(value)

    def add_row(self, event_type: str, wall_time: str, since_opening_ns: int, attempt_clock_ns: int) -> None:
        """The next row.

        Args:
            event_type: The event's type.
            wall_time: As the record has it.
            since_opening_ns: Since the opening.
            attempt_clock_ns: Nanoseconds of this on the attempt's clock.
        """
        self._kinds.append(event_type)
        self._times_ns.append(since_opening_ns)
        self._clock.append(attempt_clock_ns)
        self._newest_walls.append(wall_time)
        if len(self._newest_walls) == _WALLS_AT_ONCE:
            self._pack_wall_times()

    def fill_rows(self, row_numbers: array[int], cell_columns: Mapping[str, Sequence[Any]]) -> None:
        """Fills cells of these rows, which ascend; the values are kept as they are."""
        self._filled.append((row_numbers, cell_columns))

    def table(self, start_row: int = 0, stop_row: int | None = None) -> pa.Table:
        """The rows from `start_row` up to `stop_row`, all if not given; an attempt's are numbered from 1."""
        import numpy as np
        import pyarrow as pa

        self._pack_wall_times()
        stop_row = len(self) if stop_row is None else min(stop_row, len(self))
        attempts, state_indices = (
            _newest_begun_indices(begun, len(self))[start_row:stop_row] for begun in (self._attempts, self._states)
        )
        first_rows = np.array([row for row, _ in self._attempts], dtype=np.int64)
        full: dict[str, Any] = {
            "attempt": pa.array([attempt for _, attempt in self._attempts], pa.string()).take(attempts),
            "seq": np.arange(start_row + 1, stop_row + 1) - first_rows[attempts],
            "wall": pa.concat_arrays(pa.chunked_array(self._walls, pa.string())[start_row:stop_row].chunks),
            "at_s": np.array(self._times_ns[start_row:stop_row], dtype=np.int64) / _NS,
            "clock_s": np.array(self._clock[start_row:stop_row], dtype=np.int64) / _NS,
            "type": self._kinds[start_row:stop_row],
            "state": pa.array([state for _, state in self._states], pa.string()).take(state_indices),
        }
        schema = arrow_schema_of(EventRow)
        arrow_arrays = [
            pa.array(full[field.name], type=field.type)
            if field.name in full
            else _sparse_column(self._column_parts(field.name), start_row, stop_row, field.type)
            for field in schema
        ]
        return pa.Table.from_arrays(arrow_arrays, schema=schema)

    def _column_parts(self, column: str) -> list[_Part]:
        return [
            self._cells[column],
            *((rows, columns[column]) for rows, columns in self._filled if column in columns),
        ]

    def _pack_wall_times(self) -> None:
        """Python's strings take three times the memory."""
        import pyarrow as pa

        self._walls.append(pa.array(self._newest_walls, pa.string()))
        self._newest_walls = []


def _newest_begun_indices(first_rows_and_values: list[tuple[int, str]], row_count: int) -> NDArray[np.int64]:
    """For each row, which of the values holds: the newest that has begun."""
    import numpy as np

    counts = np.bincount(np.array([row for row, _ in first_rows_and_values], dtype=np.int64), minlength=row_count)
    return np.cumsum(counts[:row_count]) - 1


def _sparse_column(filled_parts: Sequence[_Part], start: int, stop: int, arrow_type: pa.DataType) -> pa.Array[Any]:
    """A column that is empty in most rows: "" in columns of strings, null in others."""
    import numpy as np
    import pyarrow as pa

    cell_indices = np.zeros(stop - start, dtype=np.int64)
    cell_values: list[Any] = ["" if pa.types.is_string(arrow_type) else None]
    for row_numbers, values in filled_parts:
        first_index, end = bisect_left(row_numbers, start), bisect_left(row_numbers, stop)
        cell_indices[np.array(row_numbers[first_index:end], dtype=np.int64) - start] = np.arange(
            len(cell_values), len(cell_values) + end - first_index
        )
        cell_values += values[first_index:end]
    return pa.array(cell_values, type=arrow_type).take(cell_indices)
