"""Unified diffs as CVDP ships them: hunks only, without `---`/`+++` file headers."""

from __future__ import annotations

import re

from benchwright_problems.errors import PatchError

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def apply_patch(before: str, patch: str) -> str:
    """Apply a unified diff to a file's content.

    Strict: every context and removed line must stand exactly where the hunk says, and
    line counts must agree, so that a reference solution is never silently a different one.
    An empty patch leaves the text as it is. File headers, if there are any, are skipped.

    Args:
        before: The text the diff was made from; empty for a new file.
        patch: GNU unified format (diffutils manual, "Detailed Description of Unified Format").

    Raises:
        PatchError: The patch is malformed or does not fit, naming the patch's line.
    """
    # Only LF ends a line of a diff; str.splitlines would also split at form feeds.
    source = re.findall(r"[^\n]*\n|[^\n]+", before)
    lines = patch.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    out: list[str] = []
    position = 0
    index = 0
    while index < len(lines) and not lines[index].startswith("@@"):
        if lines[index] and not lines[index].startswith(("---", "+++", "diff ", "index ", "new file")):
            raise PatchError(f"line {index + 1} of the patch stands before any hunk: {lines[index]!r}")
        index += 1
    while index < len(lines):
        header = _HUNK.match(lines[index])
        if not header:
            raise PatchError(f"line {index + 1} of the patch is not a hunk header: {lines[index]!r}")
        hunk_line = index + 1
        start, old_left = int(header[1]), int(header[2] or 1)
        new_left = int(header[4] or 1)
        # A hunk that removes nothing says after which line it inserts.
        target = start if old_left == 0 else start - 1
        if target < position or target > len(source):
            raise PatchError(f"the hunk at line {hunk_line} of the patch is outside the file")
        out += source[position:target]
        position = target
        index += 1
        while index < len(lines) and (old_left > 0 or new_left > 0 or lines[index].startswith("\\")):
            mark, text = lines[index][:1], lines[index][1:]
            bare = index + 1 < len(lines) and lines[index + 1].startswith("\\")
            if mark == "\\":
                index += 1
                continue
            wanted = text if bare else text + "\n"
            if mark in (" ", "-", ""):
                if position >= len(source) or source[position] != wanted:
                    found = repr(source[position]) if position < len(source) else "the end of the file"
                    raise PatchError(
                        f"line {index + 1} of the patch expects {wanted!r} at line {position + 1}"
                        f" of the file, which has {found}"
                    )
                position += 1
                old_left -= 1
            if mark in (" ", "+", ""):
                out.append(wanted)
                new_left -= 1
            if mark not in (" ", "-", "+", ""):
                raise PatchError(f"line {index + 1} of the patch starts with {mark!r}")
            index += 1
        if old_left != 0 or new_left != 0:
            raise PatchError(f"the hunk at line {hunk_line} of the patch has too few or too many lines")
    return "".join(out + source[position:])
