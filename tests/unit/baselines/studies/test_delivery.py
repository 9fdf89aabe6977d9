"""What has to be handed in is remembered, whatever becomes of the note of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_problems.home import Home
from benchwright_studies.delivery import Deliveries


@pytest.fixture
def deliveries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deliveries:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    return Deliveries(Home.find())


def test_what_is_owed_waits_until_it_is_dropped(deliveries: Deliveries) -> None:
    assert deliveries.waiting() == []
    deliveries.owe("a.b", "P01")
    deliveries.owe("a", "b.P01")
    assert [(one.study, one.participant, one.tries) for one in deliveries.waiting()] == [
        ("a.b", "P01", 0),
        ("a", "b.P01", 0),
    ]
    deliveries.drop("a.b", "P01")
    deliveries.drop("a.b", "P01")
    assert [one.study for one in deliveries.waiting()] == ["a"]


@pytest.mark.parametrize("content", [b"", b"{", b'{"tries": "many"}'])
def test_a_damaged_note_still_says_what_has_to_be_handed_in(
    deliveries: Deliveries, tmp_path: Path, content: bytes
) -> None:
    deliveries.owe("s", "ada")
    (note,) = tmp_path.rglob("s@ada.json")
    note.write_bytes(content)
    assert [(one.study, one.participant, one.tries) for one in deliveries.waiting()] == [("s", "ada", 0)]
