"""Columns of data, checked once where they enter an estimator."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchwright_analysis.statistics.errors import StatisticsError

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


def finite_number_column(
    raw_column: ArrayLike,
    column_name: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Numbers:
    """A column of finite numbers.

    Args:
        raw_column: One per item.
        column_name: Name of the column in an error.
        above: Each has to be greater.
        at_least: Each has to be at least this.
        at_most: Each may be at most this.

    Raises:
        StatisticsError: Naming the first item that does not fit, counted from 0.
    """
    try:
        column = np.asarray(raw_column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(f"{column_name} have to be numbers: {error}.") from error
    if column.ndim != 1:
        raise StatisticsError(f"{column_name} have to be one list of numbers, not {column.ndim}-dimensional.")
    _raise_unless_all_fit(np.isfinite(column), column, column_name, "a finite number")
    if above is not None:
        _raise_unless_all_fit(column > above, column, column_name, f"greater than {above:g}")
    if at_least is not None:
        _raise_unless_all_fit(column >= at_least, column, column_name, f"at least {at_least:g}")
    if at_most is not None:
        _raise_unless_all_fit(column <= at_most, column, column_name, f"at most {at_most:g}")
    return column


def flag_column(raw_column: ArrayLike, column_name: str) -> Flags:
    """A column of yes and no, given as booleans or as 0 and 1.

    Raises:
        StatisticsError: Naming the first item that is neither.
    """
    column = finite_number_column(raw_column, column_name)
    _raise_unless_all_fit((column == 0) | (column == 1), column, column_name, "true or false")
    return column.astype(np.bool_)


def time_and_pass_columns(times: ArrayLike, pass_flags: ArrayLike) -> tuple[Numbers, Flags]:
    """Times until attempts passed or ended, and whether they passed.

    Raises:
        StatisticsError: A negative time, differing lengths, or no attempts.
    """
    waits, events = finite_number_column(times, "Times", at_least=0), flag_column(pass_flags, "Results")
    common_column_length(times=len(waits), results=len(events))
    return waits, events


def distinct_labels_and_indices(raw_labels: Sequence[Hashable], column_name: str) -> tuple[tuple[str, ...], Indices]:
    """The distinct labels of a column, sorted as text, and for each item which of them it has.

    Raises:
        StatisticsError: A label is missing (None).
    """
    texts = []
    for index, raw_label in enumerate(raw_labels):
        if raw_label is None:
            raise StatisticsError(f"{column_name}: item {index} has none.")
        texts.append(str(raw_label))
    labels = tuple(sorted(set(texts)))
    label_indices = {label: position for position, label in enumerate(labels)}
    return labels, np.array([label_indices[text] for text in texts], dtype=np.intp)


def common_column_length(**lengths_by_column: int) -> int:
    """The common length of columns.

    Args:
        lengths_by_column: Each column's name and length.

    Raises:
        StatisticsError: The lengths differ, or the columns are empty.
    """
    lengths = set(lengths_by_column.values())
    if len(lengths) > 1:
        length_list = ", ".join(f"{name} has {length}" for name, length in lengths_by_column.items())
        raise StatisticsError(f"The columns have to be equally long: {length_list}.")
    (length,) = lengths
    if length == 0:
        raise StatisticsError(f"There is nothing to estimate from: {', '.join(lengths_by_column)} have no items.")
    return length


def checked_between_0_and_1(share: float, share_name: str) -> float:
    """A number between 0 and 1, both excluded.

    Raises:
        StatisticsError: The number is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise StatisticsError(f"{share_name} has to be between 0 and 1, not {share:g}.")
    return share


def _raise_unless_all_fit(fit_flags: Flags, column: Numbers, column_name: str, requirement: str) -> None:
    if not fit_flags.all():
        index = int(np.argmin(fit_flags))
        raise StatisticsError(f"{column_name} have to be {requirement}: item {index} is {column[index]:g}.")
