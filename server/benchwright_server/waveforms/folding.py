"""The changes of a signal in a window, folded so that they are as few as can be seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeAlias, overload

Value: TypeAlias = int | float | str
"""Of bits a number, or text if a bit is neither 0 nor 1."""
Change: TypeAlias = tuple[int, Value]
"""The time of a change, in ticks of the file, and its new value."""
Entry: TypeAlias = tuple[int, Value | None]
"""From when on, and the value; None for more changes than have room."""
_MOST_MEASURED = 200_000
"""Changes of a window whose extremes are looked for; of more, every n-th counts."""


class Changes(Protocol):
    """All changes of a signal, in order; reading one costs little, whatever their number. A slice is never empty."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, index: int) -> Change: ...

    @overload
    def __getitem__(self, index: slice) -> list[Change]: ...


def last_change_index(changes: Changes, tick: int, first_index: int = 0) -> int:
    """The number of the last change at or before a time; -1 before the first."""
    return bisect_right(_BisectableChanges(changes), tick, first_index, len(changes), key=lambda change: change[0]) - 1


def folded_entries(changes: Changes, start_tick: int, end_tick: int, column_count: int) -> list[Entry]:
    """The entries that a window of a signal shows.

    Args:
        changes: Changes of the signal.
        start_tick: The first tick of the window.
        end_tick: The last one, later than the first.
        column_count: Number of columns that the window has.

    Returns:
        The value at the start, then what follows, at most two entries for a column. Changes that are too many to
        tell apart are one entry without a value, which ends at the next entry. Times are those of real changes.
    """
    first_index, index_after = _indices_inside(changes, start_tick, end_tick)
    entries: list[Entry] = [changes[first_index - 1]] if first_index > 0 else []
    if index_after == first_index:
        return entries
    if index_after - first_index <= 2 * column_count:
        return [*entries, *changes[first_index:index_after]]

    def column(change: Change) -> int:
        return (change[0] - start_tick) * column_count // (end_tick - start_tick)

    return [
        *entries,
        *_entries_of_columns(
            _column_groups(_numbered_samples(changes, first_index, index_after, column_count, column), column)
        ),
    ]


def least_and_greatest_entries(
    changes: Changes, start_tick: int, end_tick: int, column_count: int, bits: int | None
) -> list[Change]:
    """The entries of a window of a signal that is drawn as a number.

    Args:
        changes: Changes of the signal.
        start_tick: The first tick of the window.
        end_tick: The last one, later than the first.
        column_count: Number of columns that the window has.
        bits: Width of the signal; None for a real.

    Returns:
        The value at the start, then of the changes that share a column those to its least and greatest value, unsigned
        and signed, and the last; at most five for a column.
    """
    first_index, index_after = _indices_inside(changes, start_tick, end_tick)
    entries = [changes[first_index - 1]] if first_index > 0 else []
    if index_after == first_index:
        return entries
    step = -(-(index_after - first_index) // _MOST_MEASURED)
    measured_changes = [*changes[first_index:index_after:step], *changes[index_after - 1 : index_after][: step - 1]]
    for _, same_column in groupby(
        measured_changes,
        key=lambda timed_change: (timed_change[0] - start_tick) * column_count // (end_tick - start_tick),
    ):
        column_changes = list(same_column)
        numbers = [(time, value) for time, value in column_changes if not isinstance(value, str)]
        extremes = {column_changes[-1]}
        for number_key in (_unsigned_number, _signed_number_function(bits)) if numbers else ():
            extremes |= {min(numbers, key=number_key), max(numbers, key=number_key)}
        entries += sorted(extremes, key=lambda timed_change: timed_change[0])
    return entries


def _unsigned_number(timed_number: tuple[int, float]) -> float:
    return timed_number[1]


def _signed_number_function(bits: int | None) -> Callable[[tuple[int, float]], float]:
    if bits is None:
        return _unsigned_number
    return lambda timed_number: timed_number[1] - (1 << bits) if timed_number[1] >= 1 << (bits - 1) else timed_number[1]


def _indices_inside(changes: Changes, start_tick: int, end_tick: int) -> tuple[int, int]:
    """The number of the first change after the start, and of the first after the end."""
    first_index = last_change_index(changes, start_tick) + 1
    return first_index, last_change_index(changes, end_tick, first_index) + 1


class _BisectableChanges:
    """A sequence as `bisect` takes it."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def __len__(self) -> int:
        return len(self._changes)

    def __getitem__(self, index: int) -> Change:
        return self._changes[index]


@dataclass
class _ColumnChanges:
    """The changes in one column."""

    column: int
    first_change: Change
    last_change: Change
    is_crowded: bool


def _numbered_samples(
    changes: Changes, first_index: int, end_index: int, column_count: int, column_of: Callable[[Change], int]
) -> Iterator[tuple[int, Change]]:
    """Some changes with their numbers; those between two of them are in their columns, which are one or touch."""
    step = -(-(end_index - first_index) // max(2, column_count))
    numbers, sampled_changes = [*range(first_index, end_index, step)], [*changes[first_index:end_index:step]]
    if numbers[-1] != end_index - 1:
        numbers.append(end_index - 1)
        sampled_changes.append(changes[end_index - 1])
    for index, (number, change) in enumerate(zip(numbers, sampled_changes, strict=True)):
        if index > 0 and number - numbers[index - 1] > 1:
            apart = column_of(change) - column_of(sampled_changes[index - 1])
            if apart > 1:
                yield from _numbered_samples(changes, numbers[index - 1] + 1, number, apart, column_of)
        yield number, change


def _column_groups(
    numbered_changes: Iterable[tuple[int, Change]], column_of: Callable[[Change], int]
) -> list[_ColumnChanges]:
    groups: list[_ColumnChanges] = []
    previous_number = -1
    for number, change in numbered_changes:
        change_column = column_of(change)
        has_unseen = bool(groups) and number != previous_number + 1
        if has_unseen:
            groups[-1].is_crowded = True
        if groups and groups[-1].column == change_column:
            groups[-1].last_change = change
            groups[-1].is_crowded = True
        else:
            groups.append(_ColumnChanges(change_column, change, change, has_unseen))
        previous_number = number
    return groups


def _entries_of_columns(column_groups: Iterable[_ColumnChanges]) -> Iterator[Entry]:
    crowded_group: _ColumnChanges | None = None
    for group in column_groups:
        if crowded_group is not None and (not group.is_crowded or group.column > crowded_group.column + 1):
            yield crowded_group.last_change
            crowded_group = None
        if not group.is_crowded:
            yield group.first_change
        elif crowded_group is None:
            yield group.first_change[0], None
        crowded_group = group if group.is_crowded else None
    if crowded_group is not None:
        yield crowded_group.last_change
