"""Base of every part of a study's file."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, StringConstraints

from benchwright_foundation.model import Model

Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
"""Small letters, digits, `.`, `_` and `-`: it becomes part of file names."""
Pseudonym = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""A name that says nothing of the person; no address, no real name."""
ProblemRef = Annotated[str, StringConstraints(pattern=r"^[^/\s]+/[^/\s]+$")]
"""`pack/id`."""


class StudyPart(Model):
    """Base of every part of a study: immutable, refuses unknown fields."""

    model_config = ConfigDict(use_attribute_docstrings=True)
