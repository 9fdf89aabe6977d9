"""Unified diffs as CVDP ships them: hunks only, without `---`/`+++` file headers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright_problems.errors import PatchError

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def apply_patch(old_text: str, patch: str) -> str:
    """Apply a unified diff to a file's content.

    Strict: every context and removed line must be exactly where the hunk says, and line counts must agree, so that a
    reference solution is never silently a different one. An empty patch changes nothing. File headers are skipped.

    Args:
        old_text: The content that the diff was made from; empty for a new file.
        patch: GNU unified format (diffutils manual, "Detailed Description of Unified Format").

    Raises:
        PatchError: The patch is malformed or does not apply; names the patch's line.
    """
    # Only LF ends a line of a diff; str.splitlines would also split at form feeds.
    source_lines = re.findall(r"[^\n]*\n|[^\n]+", old_text)
    lines = patch.split("\n")
    if lines[-1] == "":
        lines.pop()
    index = _first_hunk_index(lines)
    application = _PatchApplication(source_lines, lines)
    while index < len(lines):
        index = application.apply_hunk_at(index)
    return application.patched_text()


def _first_hunk_index(patch_lines: Sequence[str]) -> int:
    for index, line in enumerate(patch_lines):
        if line.startswith("@@"):
            return index
        if line and not line.startswith(("---", "+++", "diff ", "index ", "new file")):
            raise PatchError(f"line {index + 1} of the patch is before any hunk: {line!r}")
    return len(patch_lines)


class _PatchApplication:
    """A diff on its way into a file: how far the file is read, and what is written so far."""

    def __init__(self, source_lines: Sequence[str], patch_lines: Sequence[str]) -> None:
        self._source = source_lines
        self._lines = patch_lines
        self._position = 0
        self._new_lines: list[str] = []

    def patched_text(self) -> str:
        """The new content, with what follows the last hunk."""
        return "".join((*self._new_lines, *self._source[self._position :]))

    def apply_hunk_at(self, header_index: int) -> int:
        """Apply the hunk whose header is at this line of the patch; the index after it."""
        lines = self._lines
        header_match = _HUNK.match(lines[header_index])
        if not header_match:
            raise PatchError(f"line {header_index + 1} of the patch is not a hunk header: {lines[header_index]!r}")
        number = header_index + 1
        start, old_left, new_left = int(header_match[1]), int(header_match[2] or 1), int(header_match[4] or 1)
        # A hunk that removes nothing says after which line it inserts.
        self._copy_up_to(start if old_left == 0 else start - 1, number)
        header_index += 1
        while header_index < len(lines) and (old_left > 0 or new_left > 0 or lines[header_index].startswith("\\")):
            mark = lines[header_index][:1]
            if mark != "\\":
                self._apply_line(header_index)
                old_left -= mark in (" ", "-", "")
                new_left -= mark in (" ", "+", "")
            header_index += 1
        if old_left != 0 or new_left != 0:
            raise PatchError(f"the hunk at line {number} of the patch has too few or too many lines")
        return header_index

    def _copy_up_to(self, source_index: int, patch_line_number: int) -> None:
        if source_index < self._position or source_index > len(self._source):
            raise PatchError(f"the hunk at line {patch_line_number} of the patch is outside the file")
        self._new_lines += self._source[self._position : source_index]
        self._position = source_index

    def _apply_line(self, patch_line_index: int) -> None:
        """Apply one line of a hunk."""
        lines, source, position = self._lines, self._source, self._position
        mark, text = lines[patch_line_index][:1], lines[patch_line_index][1:]
        if mark not in (" ", "-", "+", ""):
            raise PatchError(f"line {patch_line_index + 1} of the patch starts with {mark!r}")
        without_newline = patch_line_index + 1 < len(lines) and lines[patch_line_index + 1].startswith("\\")
        expected_line = text if without_newline else text + "\n"
        if mark != "+":
            if position >= len(source) or source[position] != expected_line:
                actual_line = repr(source[position]) if position < len(source) else "the end of the file"
                raise PatchError(
                    f"line {patch_line_index + 1} of the patch expects {expected_line!r} at line {position + 1}"
                    f" of the file, which has {actual_line}"
                )
            self._position += 1
        if mark != "-":
            self._new_lines.append(expected_line)
