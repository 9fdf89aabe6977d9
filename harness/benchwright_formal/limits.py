"""Time limit of a proof; apart from what proves, so that a command line can say it without importing that."""

from __future__ import annotations

LIMIT_S = 20.0
"""Usual time of a proof, in seconds."""
