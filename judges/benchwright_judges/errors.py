"""Errors of judges: each message gives the next step, and none contains a key or an answer."""

from __future__ import annotations

from benchwright_foundation.errors import BenchwrightError


class JudgesError(BenchwrightError):
    """Base of this package's errors; the message is a sentence for people."""


class RubricError(JudgesError):
    """The rubric does not exist, or its file can't be used."""


class ConfigurationError(JudgesError):
    """`judges.toml`, or the environment used instead, is not a valid configuration."""


class VotesFileError(JudgesError):
    """A file of votes or grades can't be read."""


class GradingError(JudgesError):
    """A person's grade can't be accepted."""


class LabellingError(JudgesError):
    """A question or a kind of failure can't be labelled, or topics or embeddings are not available."""
