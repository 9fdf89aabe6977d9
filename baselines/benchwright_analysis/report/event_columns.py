"""The rows of many events, column by column, until they are written: most columns are empty for most events."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from benchwright_analysis.report.codebook import schema_of
from benchwright_analysis.report.event_row import EventRow

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_NS = 1_000_000_000


class EventColumns:
    """Columns of `EventRow`, filled by one attempt after the other."""

    __slots__ = ("_attempts", "_cells", "_states", "at", "clock", "kind", "wall")

    def __init__(self) -> None:
        self.wall: list[str] = []
        self.at = array("q")
        """Nanoseconds since the opening."""
        self.clock = array("q")
        """Of these, on the attempt's clock."""
        self.kind: list[str] = []
        self._attempts: list[tuple[int, str]] = []
        self._states: list[tuple[int, str]] = []
        self._cells: dict[str, tuple[array[int], list[Any]]] = {
            column: (array("q"), []) for column in EventRow.model_fields
        }

    def __len__(self) -> int:
        return len(self.kind)

    def begin(self, attempt: str) -> None:
        """The next rows are of this attempt."""
        self._attempts.append((len(self), attempt))

    def state(self, state: str) -> None:
        """From the next row on, the attempt is in this state."""
        self._states.append((len(self), state))

    def put(self, column: str, value: object) -> None:
        """Fills a cell of the row that comes next."""
        rows, values = self._cells[column]
        rows.append(len(self.kind))
        values.append(value)

    def fill(self, column: str, rows: array[int], values: Iterable[Any]) -> None:
        """Fills cells of one column, which is empty elsewhere."""
        all_rows, all_values = self._cells[column]
        all_rows += rows
        all_values += values

    def table(self, start: int = 0, stop: int | None = None) -> pa.Table:
        """The rows from `start` up to `stop`, all if not given; an attempt's are numbered from 1."""
        import numpy as np
        import pyarrow as pa

        stop = len(self) if stop is None else min(stop, len(self))
        attempts, states = (_runs(begun, len(self))[start:stop] for begun in (self._attempts, self._states))
        begins = np.array([row for row, _ in self._attempts], dtype=np.int64)
        full: dict[str, Any] = {
            "attempt": pa.array([attempt for _, attempt in self._attempts], pa.string()).take(attempts),
            "seq": np.arange(start + 1, stop + 1) - begins[attempts],
            "wall": self.wall[start:stop],
            "at_s": np.array(self.at[start:stop], dtype=np.int64) / _NS,
            "clock_s": np.array(self.clock[start:stop], dtype=np.int64) / _NS,
            "type": self.kind[start:stop],
            "state": pa.array([state for _, state in self._states], pa.string()).take(states),
        }
        schema = schema_of(EventRow)
        columns = [
            pa.array(full[field.name], type=field.type)
            if field.name in full
            else _sparse(*self._cells[field.name], start, stop, field.type)
            for field in schema
        ]
        return pa.Table.from_arrays(columns, schema=schema)


def _runs(begun: list[tuple[int, str]], length: int) -> NDArray[np.int64]:
    """For each row, which of the values holds: the newest that has begun."""
    import numpy as np

    counts = np.bincount(np.array([row for row, _ in begun], dtype=np.int64), minlength=length)
    return np.cumsum(counts[:length]) - 1


def _sparse(rows: array[int], values: list[Any], start: int, stop: int, kind: pa.DataType) -> pa.Array[Any]:
    """A column that is empty in most rows: "" in columns of strings, null in others."""
    import numpy as np
    import pyarrow as pa

    filled = np.array(rows, dtype=np.int64)
    chosen = np.flatnonzero((filled >= start) & (filled < stop))
    places = np.zeros(stop - start, dtype=np.int64)
    places[filled[chosen] - start] = np.arange(1, len(chosen) + 1)
    found = [values[one] for one in chosen.tolist()]
    return pa.array(["" if pa.types.is_string(kind) else None, *found], type=kind).take(places)
