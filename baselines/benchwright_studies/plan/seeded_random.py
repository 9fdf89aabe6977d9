"""Randomisation from a seed: the same on every machine, in every release and in any language.

Draw number `n` of a purpose is the SHA-256 of `seed:purpose:n`, read as a big-endian number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_RANGE = 2**256


class SeededRandom:
    """A sequence of draws.

    Args:
        seed: The study's seed.
        purpose: Purpose of the draws; each purpose has a sequence of its own.
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._name = f"{seed}:{purpose}"
        self._drawn = 0

    def number_below(self, end: int) -> int:
        """A number from 0 up to, not including, `end`; each equally probable."""
        while True:
            digest = hashlib.sha256(f"{self._name}:{self._drawn}".encode()).digest()
            self._drawn += 1
            number = int.from_bytes(digest, "big")
            # Numbers beyond the last multiple would favour small results.
            if number < _RANGE - _RANGE % end:
                return number % end

    def shuffled(self, elements: Sequence[T]) -> list[T]:
        """The items in an order in which each is equally probable (Fisher and Yates)."""
        shuffled_elements = list(elements)
        for index in range(len(shuffled_elements) - 1, 0, -1):
            swap_index = self.number_below(index + 1)
            shuffled_elements[index], shuffled_elements[swap_index] = (
                shuffled_elements[swap_index],
                shuffled_elements[index],
            )
        return shuffled_elements
