"""File lists mean here what they mean to slang's own driver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.designs.listed_projects import Meaning, meaning_for_slang, meaning_for_us, write_project

LISTS = 200
MISSING = "No such file or directory"


def without_errors(meaning: Meaning) -> Meaning:
    return replace(meaning, errors=frozenset())


def test_random_lists_mean_what_they_mean_to_slang(tmp_path: Path, nightly: bool) -> None:
    compared = 0
    for seed in range(LISTS if nightly else LISTS // 10):
        folder = tmp_path / str(seed)
        write_project(folder, seed)
        own_meaning, slang_meaning = meaning_for_us(folder), meaning_for_slang(folder)
        text = (folder / "all.f").read_text() + (folder / "ip/ip.f").read_text()
        assert without_errors(own_meaning) == without_errors(slang_meaning), text
        if any(MISSING in message for _, message in slang_meaning.errors):
            # The project has the header, and the list has no folder for it.
            assert not any(MISSING in message for _, message in own_meaning.errors), text
        else:
            assert own_meaning.errors == slang_meaning.errors, text
            compared += bool(slang_meaning.errors)
    assert compared


def test_a_single_unit_means_what_it_means_to_slang(tmp_path: Path, nightly: bool) -> None:
    compared = 0
    for seed in range(LISTS if nightly else LISTS // 5):
        folder = tmp_path / str(seed)
        write_project(folder, seed, single_unit=True)
        own_meaning, slang_meaning = meaning_for_us(folder), meaning_for_slang(folder)
        if not any(MISSING in message for _, message in slang_meaning.errors):
            assert own_meaning.errors == slang_meaning.errors, (folder / "all.f").read_text()
            compared += bool(slang_meaning.errors)
    assert compared
