"""Reasons for which two designs can't be compared; each becomes an opinion's reason, never a failure of the solver."""

from __future__ import annotations


class NotModelledError(Exception):
    """A design holds what the comparison does not model soundly, or what its tools refuse; the message says what."""


class OtherPortsError(NotModelledError):
    """A design has other ports than the reference, so it can do the same nowhere."""
