"""The page about the API is the one that the code describes."""

from __future__ import annotations

from pathlib import Path

from benchwright_service.courses import permissions
from benchwright_service.reference import reference

PAGES = Path(__file__).parents[3] / "docs" / "reference"


def test_the_page_is_what_the_api_declares() -> None:
    assert (PAGES / "bench-service.md").read_text() == reference() + "\n"


def test_the_table_of_permissions_is_what_the_api_declares() -> None:
    assert (PAGES / "permissions.md").read_text() == permissions.permissions_markdown() + "\n"
