"""Errors that an operator can act on."""

from __future__ import annotations

from benchwright_foundation.errors import BenchwrightError


class BenchServiceError(BenchwrightError):
    """The service can't do what its operator asks; the message has the next step."""


class SignInError(Exception):
    """An identity provider, or an LTI platform, did not say who somebody is."""


class UnknownContextError(SignInError):
    """A course of an LTI platform is none of those that the configuration names; the text is its id there."""
