"""What keeps a bench service from being used; the messages are for people."""

from __future__ import annotations


class ServiceError(Exception):
    """A bench service can't do what was asked for."""


class UnreachableError(ServiceError):
    """It does not answer; it may later."""


class ReceiptError(ServiceError):
    """It sends a receipt that proves nothing."""


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
