"""One mutant: a reference with one fault in it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from benchwright_foundation.model import Model
from benchwright_problems.problem import digest

_CONTEXT_LINES = 2


class Mutant(Model):
    """A reference with one fault in it."""

    id: str
    """The first 12 digits of a sha256 over path and changed content: the same fault has the same one again."""
    kind: str
    """A name of `catalogue.KINDS`."""
    path: str
    """The changed file, in the workspace."""
    line: int
    """Line in which the change begins, from 1."""
    start: int
    """In bytes of the file."""
    end: int
    """In bytes of the file, exclusive."""
    before: str
    after: str

    @classmethod
    def of(cls, path: str, content: bytes, *, kind: str, span: tuple[int, int], new_text: str) -> Mutant:
        """The mutant that replaces a span of a file.

        Args:
            path: The file, in the workspace.
            content: The reference's.
            kind: A name of `catalogue.KINDS`.
            span: Start and end (exclusive) in bytes.
            new_text: Text that is put there.
        """
        start, end = span
        changed_content = content[:start] + new_text.encode() + content[end:]
        return cls(
            id=_id(path, changed_content),
            kind=kind,
            path=path,
            line=content.count(b"\n", 0, start) + 1,
            start=start,
            end=end,
            before=content[start:end].decode(errors="replace"),
            after=new_text,
        )

    def was_made_of(self, content: bytes) -> bool:
        """True if it was made of this content of its file."""
        return self.id == _id(self.path, content[: self.start] + self.after.encode() + content[self.end :])

    def apply_to(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """The reference with the fault.

        Args:
            files: The reference, path → content.
        """
        content = files[self.path]
        return {**files, self.path: content[: self.start] + self.after.encode() + content[self.end :]}

    def unified_diff(self, files: Mapping[str, bytes]) -> str:
        """The fault as a unified diff of the reference's file."""
        old_lines, new_lines = (
            file_contents[self.path].decode(errors="replace").splitlines(keepends=True)
            for file_contents in (files, self.apply_to(files))
        )
        lines = difflib.unified_diff(old_lines, new_lines, f"a/{self.path}", f"b/{self.path}", n=_CONTEXT_LINES)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _id(path: str, changed_content: bytes) -> str:
    return digest([path, changed_content.decode(errors="replace")])[:12]
