"""The licences of what Benchwright depends on."""

from __future__ import annotations

from pathlib import Path

import licences
import pytest

_PAGE = Path(__file__).parents[3] / "docs" / "reference" / "licences.md"


def test_every_dependency_has_a_licence_that_we_may_depend_on() -> None:
    licences_by_package = {package.name: package.licence for package in licences.installed_packages()}
    assert not {name: licence for name, licence in licences_by_package.items() if not licences.is_acceptable(licence)}


def test_the_page_is_current() -> None:
    listed_lines = _PAGE.read_text(encoding="utf-8").splitlines()
    # Another Python needs a few other packages, so compare what is installed here.
    assert [line for line in licences.licences_page().splitlines() if line not in listed_lines] == []


@pytest.mark.parametrize(
    "licence", ["MIT", "Apache-2.0 OR GPL-2.0-only", "BSD-3-Clause AND (MIT OR ISC)", "LGPL-3.0-only"]
)
def test_a_licence_that_is_accepted(licence: str) -> None:
    assert licences.is_acceptable(licence)


@pytest.mark.parametrize(
    "licence",
    ["", "GPL-3.0-or-later", "MIT AND AGPL-3.0-only", "(MIT OR GPL-3.0-only) AND ISC", "Other/Proprietary License"],
)
def test_a_licence_that_is_refused(licence: str) -> None:
    assert not licences.is_acceptable(licence)
