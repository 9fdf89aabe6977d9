"""A fix that a linter offers for one of its findings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fix:
    """A change that fixes a finding by replacing whole lines."""

    rule: str
    finding_line: int
    """Line of the finding, counted from 1."""
    finding_column: int
    title: str
    first_line: int
    """The first removed line, counted from 1."""
    removed_lines: tuple[str, ...]
    """The removed lines, without their ends."""
    added_lines: tuple[str, ...]
    """The added lines."""
