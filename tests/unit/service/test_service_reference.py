"""The page about the API is the one that the code describes."""

from __future__ import annotations

from pathlib import Path

from benchwright_service.reference import reference

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "bench-service.md"


def test_the_page_is_what_the_api_declares() -> None:
    assert PAGE.read_text() == reference() + "\n"
