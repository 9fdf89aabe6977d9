"""What keeps a bench service from being used; the messages are for people."""

from __future__ import annotations

from benchwright_foundation.errors import BenchwrightError


class ServiceError(BenchwrightError):
    """A bench service can't do what was asked for."""


class UnreachableError(ServiceError):
    """It does not answer; it may later."""


class ReceiptError(ServiceError):
    """It sends a receipt that proves nothing."""


class LaterError(UnreachableError):
    """It takes no more from this account for now, because that would take it from others.

    Args:
        message: Why, in a sentence.
        retry_after_s: When it may take more, in seconds from now.
    """

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RefusedError(ServiceError):
    """It refuses.

    Args:
        status: Of HTTP.
        message: What is wrong, in a sentence.
        next_step: What to do, in a sentence; empty if nothing can be.
    """

    def __init__(self, status: int, message: str, next_step: str = "") -> None:
        super().__init__(f"{message} {next_step}".rstrip())
        self.status = status
        self.message = message
        self.next_step = next_step
