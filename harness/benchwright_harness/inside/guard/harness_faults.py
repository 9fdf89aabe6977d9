"""Tells the supervisor of faults that are the harness's: a design can't cause them, so it must not fail for them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from typing import Any

import supervision

# Python finds these in the text of a program or in what is installed, before a design has done anything.
_FAULTS = (SyntaxError, ImportError, NameError)
_WORDS = re.compile(r"(?:^|[;&|(\n])\s*(?:\w+=\S*\s+)*([\w.+-]+)(?=\s|$)")
_BUILT_IN = frozenset({"cd", "set", "export", "test", "exit", "trap", "ulimit", "umask", "if", "for", "while", "done"})


def report_missing_programs(command: str) -> None:
    """Name the programs of a shell command, or the one program, that are not on the path."""
    for name in _WORDS.findall(command):
        if name not in _BUILT_IN and shutil.which(name) is None:
            supervision.report_harness_fault(supervision.MISSING, name)


def report_loading_fault(error: BaseException, fault_kind: str = supervision.BROKEN) -> None:
    """Tell of an error that says that a program of the harness can't be loaded."""
    if not isinstance(error, _FAULTS):
        return
    place = str(getattr(error, "filename", None) or getattr(error, "path", None) or "")
    if not (place.startswith("/") and os.path.realpath(place).startswith("/code/")):
        supervision.report_harness_fault(fault_kind, f"{type(error).__name__}: {error}")


def report_unloadable_tests(regression_manager: Any) -> None:
    """Tell of tests that cocotb's `RegressionManager` can't load."""
    discover: Callable[..., None] = regression_manager.discover_tests

    def discover_tests(self: Any, *modules: str) -> None:
        try:
            discover(self, *modules)
        except Exception as error:
            report_loading_fault(error, supervision.UNLOADABLE)
            raise

    regression_manager.discover_tests = discover_tests
