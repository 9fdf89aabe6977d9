"""A missing package is reported as the extra that brings it."""

from __future__ import annotations

import importlib

import pytest

from benchwright_foundation.distribution import NAME
from benchwright_foundation.errors import ExtraMissingError, explain_missing_extra


def test_a_missing_package_names_the_extra_that_brings_it() -> None:
    with pytest.raises(ExtraMissingError) as caught, explain_missing_extra("`benchwright report`", "baselines"):
        importlib.import_module("no_such_package.part")
    assert str(caught.value) == (
        f"`benchwright report` needs packages that are not installed. Install them: pip install '{NAME}[baselines]'"
    )


def test_a_missing_module_of_our_own_is_a_bug_and_not_an_extra() -> None:
    with pytest.raises(ModuleNotFoundError), explain_missing_extra("`benchwright report`", "baselines"):
        importlib.import_module("benchwright_problems.no_such_module")


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), explain_missing_extra("`benchwright report`", "baselines"):
        _ = 1 / 0
