"""What an operator can act on."""

from __future__ import annotations


class BenchServiceError(Exception):
    """The service can't do what its operator asks; the message has the next step."""


class SignInError(Exception):
    """An identity provider did not say who somebody is."""
