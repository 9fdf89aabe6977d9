"""Errors of packs and data sets; each message names the next step."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from benchwright_foundation.errors import BenchwrightError


class ProblemsError(BenchwrightError):
    """Base of this package's errors; the message is a sentence for people."""


class DatasetError(ProblemsError):
    """A file or one of its records can't be imported."""

    def __init__(
        self, file: Path, field_name: str, reason: str, line_number: int | None = None, further_note: str = ""
    ) -> None:
        self.file = file
        self.line = line_number
        self.field = field_name
        self.reason = reason
        location = f"{file}:{line_number}" if line_number is not None else str(file)
        prefix = f"{location}: field {field_name}: " if field_name else f"{location}: "
        super().__init__(_printable_text(f"{prefix}{reason}{further_note}"))

    def with_counts(self, valid_count: int, invalid_count: int) -> DatasetError:
        """This error with the number of records that are fine, and what to do about the others."""
        if not valid_count and invalid_count == 1:
            return self
        other_flaws = f". Of the others, {invalid_count - 1} can't be read either" if invalid_count > 1 else ""
        good = (
            f". {valid_count} other record{' is' if valid_count == 1 else 's are'} fine: --skip-invalid takes only "
            "those"
            if valid_count
            else ""
        )
        return DatasetError(self.file, self.field, self.reason, self.line, f"{other_flaws}{good}")

    @classmethod
    def from_validation(cls, file: Path, error: ValidationError, line_number: int | None = None) -> DatasetError:
        """The first of pydantic's findings, with the field's name in the data set."""
        first_error = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first_error["loc"] if part != "[key]")
        # Of a union, pydantic's first finding names one of several types: null is none of them.
        empty = first_error["type"] != "missing" and first_error["input"] is None
        return cls(file, field, "is null" if empty else first_error["msg"].removeprefix("Value error, "), line_number)


def _printable_text(text: str) -> str:
    """Untrusted words on a terminal: one line, without control characters."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class PatchError(ProblemsError):
    """A unified diff does not apply."""


class BadPackNameError(ProblemsError):
    """A name that no pack can have."""


class UnknownProblemError(ProblemsError):
    """No such pack or problem in the store."""


class StoreError(ProblemsError):
    """A pack can't be written."""


class PackExistsError(ProblemsError):
    """A pack of this name exists already."""
