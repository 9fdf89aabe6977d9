"""The text of an attempt for its playback: in chunks, each with the files before it and what its steps change."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from benchwright_attempts.attribution.origin import BY_MODEL, EditOrigin
from benchwright_attempts.events.marked_text import MarkedTexts, StoredChange
from benchwright_attempts.summary.survival import TextChangePoint
from benchwright_verilog.syntax.surrogates import join_surrogates

GIVEN, TYPED, PASTED, ASSISTED, OTHER = "gtpao"
"""Marks of text: from the start files, typed, pasted, by an assistant, from anything else."""
MARKS = {EditOrigin.TYPED.value: TYPED, EditOrigin.PASTE.value: PASTED} | {
    origin.value: ASSISTED for origin in BY_MODEL
}
"""Origin → its mark, if it is not `OTHER`."""
_MS = 1_000_000


@dataclass(slots=True)
class PlaybackStep:
    """An event that a reader can go to."""

    seq: int
    at_ns: int
    """Since the opening."""
    wall: str
    kind: str
    path: str = ""


Labels = Mapping[int, tuple[str, int]]
"""Number of an edit's event → where its text came from, and how many code points that are."""


class PlaybackText:
    """Makes chunks, one after the other.

    Args:
        labels: Labels of all edits.
        model_text_seqs: Events that set text which a model wrote.
    """

    def __init__(self, labels: Labels, model_text_seqs: frozenset[int]) -> None:
        self._labels = labels
        self._by_model = model_text_seqs
        self._files = MarkedTexts()
        self._given_texts: dict[str, str] = {}

    def changed_text_by_path(self) -> dict[str, str]:
        """The files that differ from the start now, with their text."""
        texts = {path: str(text) for path, text in self._files.pieces_by_path.items() if text is not None}
        return {path: text for path, text in sorted(texts.items()) if text != self._given_texts.get(path)}

    def compressed_chunks(
        self, steps: Sequence[PlaybackStep], chunk_ends: Sequence[int], text_changes: Iterator[TextChangePoint]
    ) -> Iterator[bytes]:
        """The chunks, JSON with gzip.

        `files` has, by path, the text before the first step, in pieces of a mark and a text. `steps` has of each its
        time in milliseconds, kind, path, origin, characters, and by path its changes: start, end, text and mark.
        Offsets count code points; null stands for a file that does not exist, or whose text is unknown.

        Args:
            steps: All steps in order.
            chunk_ends: Number of steps up to and with each chunk's.
            text_changes: All changes of text in order.
        """
        content = next(text_changes, None)
        first_step = 0
        for end in chunk_ends:
            earlier_files = {path: self._marked_pieces(path) for path in self._files.pieces_by_path}
            step_rows: list[Any] = []
            for step in steps[first_step:end]:
                changes: dict[str, Any] = {}
                while content is not None and content.seq <= step.seq:
                    changes = self._apply_content(content)
                    content = next(text_changes, None)
                origin, characters = self._labels.get(step.seq, ("", 0))
                step_rows.append((step.at_ns // _MS, step.kind, step.path, origin, characters, changes))
            first_step = end
            chunk_body = {"files": earlier_files, "steps": step_rows}
            yield gzip.compress(json.dumps(chunk_body, separators=(",", ":")).encode(), 1, mtime=0)

    def _apply_content(self, content: TextChangePoint) -> dict[str, list[Any] | None]:
        if content.files is not None:
            return {
                path: self._set_text_and_get_change(content.seq, path, text) for path, text in content.files.items()
            }
        path, mark = content.path, MARKS.get(self._labels[content.seq][0], OTHER)
        changes = [self._narrowed_change(path, change) if change[0] is None else change for change in content.changes]
        self._files.edit_text(path, changes, mark)
        return {path: None if self._files.pieces_by_path.get(path) is None else [(*change, mark) for change in changes]}

    def _set_text_and_get_change(self, seq: int, path: str, text: str | None) -> list[Any] | None:
        if text is None:
            self._files.set_text(path, None, OTHER)
            return None
        change: StoredChange = (None, None, join_surrogates(text))
        mark = ASSISTED if seq in self._by_model else OTHER
        if seq == 1:
            self._given_texts[path], mark = change[2], GIVEN
        else:
            change = self._narrowed_change(path, change)
        self._files.edit_text(path, [change], mark)
        return [(*change, mark)]

    def _narrowed_change(self, path: str, change: StoredChange) -> StoredChange:
        """A change of a whole text as one of the part that differs: the rest keeps its marks."""
        old_pieces = self._files.pieces_by_path.get(path)
        if old_pieces is None:
            return change
        text, new_text = str(old_pieces), join_surrogates(change[2])
        shorter_length = min(len(text), len(new_text))
        head_length = _common_prefix_length(text, new_text, shorter_length)
        tail = _common_prefix_length(text[::-1], new_text[::-1], shorter_length - head_length)
        return head_length, len(text) - tail, new_text[head_length : len(new_text) - tail]

    def _marked_pieces(self, path: str) -> list[tuple[str, str]] | None:
        text = self._files.pieces_by_path[path]
        if text is None:
            return None
        whole_text, offset, marked_pieces = str(text), 0, []
        for mark, mark_run in groupby(str(self._files.marks_by_path[path])):
            length = sum(1 for _ in mark_run)
            marked_pieces.append((mark, whole_text[offset : offset + length]))
            offset += length
        return marked_pieces


def _common_prefix_length(first_text: str, second_text: str, limit: int) -> int:
    """Number of code points that two texts begin with alike, at most some. It halves: comparing slices is fast."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if first_text[low:middle] == second_text[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
