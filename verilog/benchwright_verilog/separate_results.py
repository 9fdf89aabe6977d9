"""Results of items that are worked out one by one, so that an item that fails costs only its own."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_logger = logging.getLogger(__name__)
_logged_places: set[tuple[str, int | None]] = set()


def results_of_each(items: Iterable[Item], results_of: Callable[[Item], Iterable[Result]]) -> Iterator[Result]:
    """The results of all items in order; what an item yields before it fails stays, and its failure is logged.

    slang refuses some half-typed declarations only when their type, value or scope is asked for.

    Args:
        items: Items that don't depend on each other.
        results_of: Yields the results of one item.
    """
    for item in items:
        try:
            yield from results_of(item)
        except Exception as error:
            log_failure(error)


def log_failure(error: Exception) -> None:
    """Log an error that costs a part of an answer; the next one from the same line is not news.

    What slang can't say (`RuntimeError`) is a warning, anything else our own error, with its traceback.
    """
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if (place := (frame.filename, frame.lineno)) not in _logged_places:
        _logged_places.add(place)
        if isinstance(error, RuntimeError):
            _logger.warning("slang can't say a part of an answer: %s (%s:%s)", error, frame.filename, frame.lineno)
        else:
            _logger.error("a part of an answer is missing", exc_info=error)
