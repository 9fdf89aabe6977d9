"""Answers that are written as JSON piece by piece, for those of thousands of items.

Making as many objects, and then JSON of them, takes longer than finding out what they say. The pieces of what did not
change are kept; only the numbers of the lines in them may have moved.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class JsonText:
    """An answer that is JSON already."""

    text: str

    @cached_property
    def data(self) -> bytes:
        """The same as UTF-8."""
        return self.text.encode()

    @classmethod
    def of_list(cls, json_items: list[str]) -> JsonText:
        """A list of items, or of runs of items with commas between them; empty ones are left out."""
        return cls(f"[{','.join(item for item in json_items if item)}]")


class MovingJson:
    """JSON of something that may move up and down as a whole.

    Args:
        template: JSON in which `%d` stands for each line, and `%%` for a percent sign.
        relative_lines: The lines, as if it began at line 0.
    """

    def __init__(self, template: str, relative_lines: tuple[int, ...]) -> None:
        self._template = template
        self._lines = relative_lines
        self._last = (-1, "")

    def json_at(self, first_line_index: int) -> str:
        """The JSON where it begins at this line."""
        if self._last[0] != first_line_index:
            self._last = (first_line_index, self._template % tuple(number + first_line_index for number in self._lines))
        return self._last[1]


def quote_for_json_template(text: str) -> str:
    """A string as JSON for a template."""
    return json.dumps(text).replace("%", "%%")
