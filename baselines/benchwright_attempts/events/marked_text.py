"""The files of an attempt as their text changes, with a mark for each code point that says where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchwright_attempts.events.file_text import text_with_replacement
from benchwright_attempts.events.pieces import EditableText
from benchwright_verilog.syntax.surrogates import join_surrogates

StoredChange = tuple[int | None, int | None, str]
"""Start, end and text of a change as a record has it: the text may hold surrogate pairs."""


def _do_nothing(*_: object) -> None:
    pass


class MarkedTexts:
    """Files by path. Each text is accompanied by a string of the same length that has the mark of each code point.

    Args:
        on_inserted_mark: Called with a mark and how many code points of it were put in.
        on_removed_marks: Called with the marks of code points that were taken away.
    """

    __slots__ = ("_inserted", "_removed", "marks_by_path", "pieces_by_path")

    def __init__(
        self,
        on_inserted_mark: Callable[[str, int], None] = _do_nothing,
        on_removed_marks: Callable[[str], None] = _do_nothing,
    ) -> None:
        self._inserted = on_inserted_mark
        self._removed = on_removed_marks
        self.pieces_by_path: dict[str, EditableText | None] = {}
        """None for a file that was deleted, or whose text is unknown."""
        self.marks_by_path: dict[str, EditableText] = {}

    def set_text(self, path: str, text: str | None, mark: str) -> None:
        """A file has a new text, all of which has this mark; None if the text is not known."""
        if path in self.marks_by_path:
            self._removed(str(self.marks_by_path[path]))
        self.pieces_by_path[path] = None if text is None else EditableText(text)
        self.marks_by_path[path] = EditableText(mark * len(text or ""))
        self._inserted(mark, len(text or ""))

    def edit_text(self, path: str, changes: Iterable[StoredChange], mark: str) -> None:
        """A file is edited. If a change does not fit the text, that is unknown from here on."""
        for start, end, inserted_text in changes:
            text = self.pieces_by_path.get(path)
            if not inserted_text.isascii():
                inserted_text = join_surrogates(inserted_text)
            if start is None or end is None or text is None or end > text.length:
                self.set_text(path, inserted_text if start is None else None, mark)
                continue
            self._replace_span(text, self.marks_by_path[path], start, end, inserted_text, mark)

    def _replace_span(
        self,
        text_pieces: EditableText,
        mark_pieces: EditableText,
        start_code_point: int,
        end_code_point: int,
        inserted_text: str,
        mark: str,
    ) -> None:
        if start_code_point < end_code_point:
            self._removed(mark_pieces[start_code_point:end_code_point])
        self._inserted(mark, len(inserted_text))
        mark_pieces.replace(start_code_point, end_code_point, mark * len(inserted_text))
        if inserted_text and inserted_text.isascii():
            text_pieces.replace(start_code_point, end_code_point, inserted_text)
            return
        # Surrogates that come together at the ends of what is new become one code point.
        context_start, context_end = max(0, start_code_point - 1), min(text_pieces.length, end_code_point + 1)
        changed_text = text_with_replacement(
            text_pieces[context_start:context_end],
            start_code_point - context_start,
            end_code_point - context_start,
            inserted_text,
        )
        excess = (
            (context_end - context_start) - (end_code_point - start_code_point) + len(inserted_text) - len(changed_text)
        )
        if excess:
            # They count once.
            self._removed(mark_pieces[start_code_point : start_code_point + excess])
            mark_pieces.replace(start_code_point, start_code_point + excess, "")
        text_pieces.replace(context_start, context_end, changed_text)
