"""Errors of packs and data sets; each message names the next step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

DISTRIBUTION = "benchwright"


class ProblemsError(Exception):
    """Base of this package's errors; the message is a sentence for people."""


class DatasetError(ProblemsError):
    """A file or one of its records can't be imported."""

    def __init__(self, file: Path, field: str, reason: str, line: int | None = None, note: str = "") -> None:
        self.file = file
        self.line = line
        self.field = field
        self.reason = reason
        place = f"{file}:{line}" if line is not None else str(file)
        where = f"{place}: field {field}: " if field else f"{place}: "
        super().__init__(_visible(f"{where}{reason}{note}"))

    def among(self, fine: int, invalid: int) -> DatasetError:
        """This error with the number of records that are fine, and what to do about the others."""
        if not fine and invalid == 1:
            return self
        others = f". Of the others, {invalid - 1} can't be read either" if invalid > 1 else ""
        good = (
            f". {fine} other record{' is' if fine == 1 else 's are'} fine: --skip-invalid takes only those"
            if fine
            else ""
        )
        return DatasetError(self.file, self.field, self.reason, self.line, f"{others}{good}")

    @classmethod
    def from_validation(cls, file: Path, error: ValidationError, line: int | None = None) -> DatasetError:
        """The first of pydantic's findings, with the field's name in the data set."""
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"] if part != "[key]")
        # Of a union, pydantic's first finding names one of several types: null is none of them.
        empty = first["type"] != "missing" and first["input"] is None
        return cls(file, field, "is null" if empty else first["msg"].removeprefix("Value error, "), line)


def _visible(text: str) -> str:
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


class ExtraMissingError(ProblemsError):
    """A feature needs packages of an extra that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        self.feature = feature
        self.extra = extra
        self.command = f"pip install '{DISTRIBUTION}[{extra}]'"
        super().__init__(f"{feature} needs packages that are not installed. Install them: {self.command}")


@contextlib.contextmanager
def needs(feature: str, extra: str) -> Iterator[None]:
    """Report a third-party package that can't be imported inside this block as the extra that brings it.

    Args:
        feature: What the user asked for, as the sentence begins: "`benchwright report`".
        extra: The extra in pyproject.toml that brings the packages.

    Raises:
        ExtraMissingError: A package is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or package.startswith(f"{DISTRIBUTION}_"):
            raise
        raise ExtraMissingError(feature, extra) from error
