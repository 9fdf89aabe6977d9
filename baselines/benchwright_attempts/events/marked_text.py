"""The files of an attempt as their text changes, with a mark for each code point that says where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchwright_attempts.events.file_text import replaced
from benchwright_attempts.events.pieces import Pieces
from benchwright_verilog.syntax.surrogates import join_surrogates

StoredChange = tuple[int | None, int | None, str]
"""Start, end and text of a change as a record has it: the text may hold surrogate pairs."""


def _ignored(*_: object) -> None:
    pass


class MarkedTexts:
    """Files by path. Each text is accompanied by a string of the same length that has the mark of each code point.

    Args:
        inserted: Called with a mark and how many code points of it were put in.
        removed: Called with the marks of code points that were taken away.
    """

    __slots__ = ("_inserted", "_removed", "owners", "texts")

    def __init__(
        self, inserted: Callable[[str, int], None] = _ignored, removed: Callable[[str], None] = _ignored
    ) -> None:
        self._inserted = inserted
        self._removed = removed
        self.texts: dict[str, Pieces | None] = {}
        """None for a file that was deleted, or whose text is unknown."""
        self.owners: dict[str, Pieces] = {}

    def set(self, path: str, text: str | None, mark: str) -> None:
        """A file has a new text, all of which has this mark."""
        if path in self.owners:
            self._removed(str(self.owners[path]))
        self.texts[path] = None if text is None else Pieces(text)
        self.owners[path] = Pieces(mark * len(text or ""))
        self._inserted(mark, len(text or ""))

    def edit(self, path: str, changes: Iterable[StoredChange], mark: str) -> None:
        """A file is edited. If a change does not fit the text, that is unknown from here on."""
        for start, end, new in changes:
            text = self.texts.get(path)
            if not new.isascii():
                new = join_surrogates(new)
            if start is None or end is None or text is None or end > text.length:
                self.set(path, new if start is None else None, mark)
                continue
            self._replace(text, self.owners[path], start, end, new, mark)

    def _replace(self, text: Pieces, owners: Pieces, start: int, end: int, new: str, mark: str) -> None:
        if start < end:
            self._removed(owners[start:end])
        self._inserted(mark, len(new))
        owners.replace(start, end, mark * len(new))
        if new and new.isascii():
            text.replace(start, end, new)
            return
        # Surrogates that come together at the ends of what is new become one code point.
        context_start, context_end = max(0, start - 1), min(text.length, end + 1)
        changed = replaced(text[context_start:context_end], start - context_start, end - context_start, new)
        excess = (context_end - context_start) - (end - start) + len(new) - len(changed)
        if excess:
            # They count once.
            self._removed(owners[start : start + excess])
            owners.replace(start, start + excess, "")
        text.replace(context_start, context_end, changed)
