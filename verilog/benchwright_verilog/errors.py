"""Errors that keep the analyser from doing what it was asked for."""

from __future__ import annotations


class VerilogError(Exception):
    """Base of errors that a person can act on: the message is one or two plain sentences."""


class NotAFileError(VerilogError):
    """A URI names no file on this machine."""
