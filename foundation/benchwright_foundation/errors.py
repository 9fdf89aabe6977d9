"""Errors that a person can act on; each message names the next step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from benchwright_foundation.distribution import install_command


class BenchwrightError(Exception):
    """Base of every such error; the message is a sentence for people."""


class StorageError(BenchwrightError):
    """A service's database can't be opened, read or written."""


class ExtraMissingError(BenchwrightError):
    """A feature needs packages of an extra that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        self.feature = feature
        self.extra = extra
        self.command = install_command(extra)
        super().__init__(f"{feature} needs packages that are not installed. Install them: {self.command}")


@contextlib.contextmanager
def explain_missing_extra(feature: str, extra: str) -> Iterator[None]:
    """Report a third-party package that can't be imported inside this block as the extra that brings it.

    Args:
        feature: Feature that the user asked for, as the sentence begins: "`benchwright report`".
        extra: The extra in pyproject.toml that brings the packages.

    Raises:
        ExtraMissingError: A package is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or package.startswith("benchwright_"):
            raise
        raise ExtraMissingError(feature, extra) from error
