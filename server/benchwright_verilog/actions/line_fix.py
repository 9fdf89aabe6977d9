"""A fix that a linter offers for one of its findings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fix:
    """A change that would settle a finding: whole lines in place of whole lines."""

    rule: str
    line: int
    """Where the finding is, counted from 1."""
    column: int
    title: str
    first: int
    """The first line that goes, counted from 1."""
    removed: tuple[str, ...]
    """The lines that go, without their ends."""
    added: tuple[str, ...]
    """The lines that come."""
