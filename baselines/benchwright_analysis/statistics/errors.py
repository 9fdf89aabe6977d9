"""Errors in the data of an estimate."""

from __future__ import annotations


class StatisticsError(ValueError):
    """The data does not allow this estimate; the message says which value is wrong and what is expected."""
