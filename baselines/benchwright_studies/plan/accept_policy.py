"""Acceptance of inline completions, by a fixed rule."""

from __future__ import annotations

from enum import StrEnum


class AcceptPolicy(StrEnum):
    """By name."""

    NEVER = "never"
    """Refuses everything: the floor."""
    FIRST_LINE = "first-line"
    """Takes an offer's first line."""
    ALWAYS = "always"
    """Takes every offer whole."""
    MATCHES = "matches"
    """Takes words for as long as they are those of the reference: an oracle, the ceiling."""
    SURVIVES_LINT = "survives-lint"
    """Takes an offer whole unless slang then says an error that it did not say before."""
