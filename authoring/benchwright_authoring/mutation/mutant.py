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
    def of(
        cls, path: str, reference_content: bytes, *, kind_name: str, byte_span: tuple[int, int], new_text: str
    ) -> Mutant:
        """The mutant that replaces a span of a file.

        Args:
            path: The file, in the workspace.
            reference_content: The reference's.
            kind_name: A name of `catalogue.KINDS`.
            byte_span: Start and end (exclusive) in bytes.
            new_text: Text that is put there.
        """
        start, end = byte_span
        changed_content = reference_content[:start] + new_text.encode() + reference_content[end:]
        return cls(
            id=_mutant_id(path, changed_content),
            kind=kind_name,
            path=path,
            line=reference_content.count(b"\n", 0, start) + 1,
            start=start,
            end=end,
            before=reference_content[start:end].decode(errors="replace"),
            after=new_text,
        )

    def was_made_of(self, reference_content: bytes) -> bool:
        """True if it was made of this content of its file."""
        return self.id == _mutant_id(
            self.path, reference_content[: self.start] + self.after.encode() + reference_content[self.end :]
        )

    def apply_to(self, content_by_path: Mapping[str, bytes]) -> dict[str, bytes]:
        """The reference with the fault.

        Args:
            content_by_path: The reference, path → content.
        """
        content = content_by_path[self.path]
        return {**content_by_path, self.path: content[: self.start] + self.after.encode() + content[self.end :]}

    def unified_diff(self, content_by_path: Mapping[str, bytes]) -> str:
        """The fault as a unified diff of the reference's file."""
        old_lines, new_lines = (
            file_contents[self.path].decode(errors="replace").splitlines(keepends=True)
            for file_contents in (content_by_path, self.apply_to(content_by_path))
        )
        lines = difflib.unified_diff(old_lines, new_lines, f"a/{self.path}", f"b/{self.path}", n=_CONTEXT_LINES)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _mutant_id(path: str, changed_content: bytes) -> str:
    return digest([path, changed_content.decode(errors="replace")])[:12]
