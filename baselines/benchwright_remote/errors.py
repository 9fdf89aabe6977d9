"""Errors that keep a bench service from being used; the messages are for people."""

from __future__ import annotations

from benchwright_foundation.errors import BenchwrightError


class ServiceError(BenchwrightError):
    """A bench service can't do what was asked for."""


class UnreachableError(ServiceError):
    """It does not answer; it may later."""


class ReceiptError(ServiceError):
    """It sends a receipt that proves nothing."""


class RetryLaterError(UnreachableError):
    """It takes no more from this account for now, because that would take it from others.

    Args:
        message: The reason, in a sentence.
        retry_after_s: Time until it may take more, in seconds from now.
    """

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RefusedError(ServiceError):
    """It refuses.

    Args:
        status: HTTP status code.
        message: The fault, in a sentence.
        next_step: The next thing to do, in a sentence; empty if nothing can be.
    """

    def __init__(self, status: int, message: str, next_step: str = "") -> None:
        super().__init__(f"{message} {next_step}".rstrip())
        self.status = status
        self.message = message
        self.next_step = next_step
