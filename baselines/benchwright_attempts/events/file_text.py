"""A file as an editor sees it: text, byte order mark, and the changes that turn one text into the next.

Strings may hold lone surrogates: `benchwright_verilog.syntax.surrogates` describes how they are saved.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterable
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from benchwright_foundation.model import Model
from benchwright_verilog.syntax.surrogates import encode_text, join_surrogates


def sha256(data: bytes) -> str:
    """SHA-256 in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _checked_relative_path(path: str) -> str:
    if not path or "\0" in path or path[0] == "/" or (".." in path and ".." in path.split("/")):
        raise ValueError("a path inside the workspace is needed, with forward slashes and without `..`")
    return path


Text = Annotated[str, AfterValidator(join_surrogates)]
"""Text of a file or of a person; lone surrogates are kept."""
FilePath = Annotated[str, AfterValidator(_checked_relative_path)]
"""Path of a file relative to the workspace, with forward slashes."""
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256 in lower-case hexadecimal."""


class FileText(Model):
    """The whole content of one file."""

    sha256: Sha256
    """Digest of the file's bytes."""
    text: Text | None
    """The text without byte order mark, line ends as they are; `None` if the bytes are not UTF-8."""
    bom: bool = False
    """True if the bytes begin with a UTF-8 byte order mark."""

    @classmethod
    def of_bytes(cls, data: bytes) -> Self:
        """Describes what a file on disk holds."""
        bom = data.startswith(codecs.BOM_UTF8)
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError:
            return cls(sha256=sha256(data), text=None)
        return cls(sha256=sha256(data), text=text, bom=bom)

    @classmethod
    def of_text(cls, text: str, *, bom: bool = False) -> Self:
        """Describes what an editor holds, saved or not."""
        return cls(sha256=sha256(encode_text(text, bom=bom)), text=text, bom=bom)


class ShapeOfChange(Model):
    """A change without its text. Offsets count code points."""

    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    length: int = Field(ge=0)
    """Code points inserted."""
    lines: int = Field(ge=0)
    """Line ends inserted."""


class Change(Model):
    """One replacement. Offsets count Unicode code points of the text just before this change."""

    start: int | None = Field(default=None, ge=0)
    """First code point replaced; `None` together with `end` replaces the whole text."""
    end: int | None = Field(default=None, ge=0)
    """Code point after the last one replaced."""
    text: Text
    """The new text."""

    @property
    def shape(self) -> ShapeOfChange:
        """The change without its text."""
        return ShapeOfChange(start=self.start, end=self.end, length=len(self.text), lines=self.text.count("\n"))

    @model_validator(mode="after")
    def _check_range_is_complete(self) -> Self:
        if (self.start is None) != (self.end is None):
            raise ValueError("start and end have to be given together")
        if self.start is not None and self.end is not None and self.start > self.end:
            raise ValueError("start is after end")
        return self


def apply_changes(text: str, changes: Iterable[Change]) -> str:
    """Applies changes in order, each to the result of the one before.

    Raises:
        ValueError: A change reaches beyond the end of the text.
    """
    for change in changes:
        if change.start is None or change.end is None:
            text = change.text
            continue
        if change.end > len(text):
            raise ValueError(f"the change ends at {change.end}, the text at {len(text)}")
        text = text_with_replacement(text, change.start, change.end, change.text)
    return text


def text_with_replacement(text: str, start_code_point: int, end_code_point: int, replacement: str) -> str:
    """The text with these code points replaced, up to the end and without it; surrogates that meet are joined."""
    return join_surrogates(f"{text[:start_code_point]}{replacement}{text[end_code_point:]}")
