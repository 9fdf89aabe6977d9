"""Errors of judges: each message says what to do, and none holds a key or an answer."""

from __future__ import annotations


class JudgesError(Exception):
    """Base of this package's errors; the message is a sentence for people."""


class RubricError(JudgesError):
    """There is no such rubric, or its file can't be used."""


class ConfigurationError(JudgesError):
    """`judges.toml`, or the environment in its place, does not describe judges."""


class RecordsError(JudgesError):
    """The database of judgements can't be opened, read or written."""


class VotesFileError(JudgesError):
    """A file of votes or grades can't be read."""


class GradingError(JudgesError):
    """A person's grade can't be taken."""
