"""Results that tests once ended with, as exceptions."""

import logging
from typing import Any

from cocotb._extended_awaitables import SimTimeoutError as SimTimeoutError
from cocotb._test_functions import TestSuccess as TestSuccess


class TestComplete(Exception):  # noqa: N818
    """The test is over."""


class TestError(TestComplete):
    """Something went wrong."""


class TestFailure(TestComplete, AssertionError):  # noqa: N818
    """A check failed."""


class ExternalException(Exception):  # noqa: N818
    """An external function raised."""

    def __init__(self, exception: BaseException) -> None:
        self.exception = exception


class ReturnValue(Exception):  # noqa: N818
    """Exception with which generators returned a value in Python 2."""

    def __init__(self, retval: object) -> None:
        self.retval = retval


def create_error(obj: Any, msg: str) -> TestError:
    """Log a message and make an error of it."""
    getattr(obj, "log", logging.getLogger(__name__)).error(msg)
    return TestError(msg)


def raise_error(obj: Any, msg: str) -> None:
    """Log a message and raise it."""
    raise create_error(obj, msg)


def __getattr__(name: str) -> object:
    if name == "SimFailure":
        from cocotb.regression import SimFailure

        return SimFailure
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
