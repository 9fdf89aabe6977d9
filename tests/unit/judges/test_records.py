from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from benchwright_foundation.errors import StorageError
from benchwright_judges.errors import VotesFileError
from benchwright_judges.judgement import Vote
from benchwright_judges.records.records import Records
from benchwright_judges.records.vote_recording import read_recording, write_recording


async def test_a_database_is_opened_again_with_all_it_held(tmp_path: Path) -> None:
    for number in range(2):
        records = await Records.open(tmp_path / "j.sqlite")
        await records.cache_votes([(str(number), Vote(judge="m", label="1", score=1))])
        assert len(await records.all_cached_votes()) == number + 1
        await records.close()


async def test_a_newer_database_is_refused_with_the_next_step(tmp_path: Path) -> None:
    file = tmp_path / "j.sqlite"
    await (await Records.open(file)).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE records_format SET version = 99")
    with pytest.raises(StorageError, match=r"has format 99.*install"):
        await Records.open(file)


async def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "j.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE mine (x)")
    with pytest.raises(StorageError, match="another program"):
        await Records.open(file)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "j.sqlite"
    file.write_bytes(b"x" * 5000)
    with pytest.raises(StorageError, match="could not be used: file is not a database"):
        await Records.open(file)


@pytest.mark.parametrize("url", ["mysql://h/x", "nonsense", "postgresql://u:SECRET@127.0.0.1:9/x"])
async def test_a_bad_url_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StorageError) as refused:
        await Records.open(url)
    assert "SECRET" not in str(refused.value)


async def test_a_database_that_breaks_is_told_without_what_was_written(tmp_path: Path) -> None:
    records = await Records.open(tmp_path / "j.sqlite")
    with sqlite3.connect(tmp_path / "j.sqlite") as connection:
        connection.execute("DROP TABLE vote_cache")
    with pytest.raises(StorageError) as refused:
        await records.cache_votes([("k", Vote(judge="m", reason="THE-KEY"))])
    await records.close()
    assert "no such table" in str(refused.value)
    assert "THE-KEY" not in str(refused.value) + str(refused.value.__cause__)


async def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    await (await Records.open(tmp_path / "sealed" / "j.sqlite")).close()
    assert (tmp_path / "sealed").stat().st_mode & 0o777 == 0o700


def test_a_recording_is_read_back(tmp_path: Path) -> None:
    votes = [("a" * 64, Vote(judge="m", label="correct", score=1, reason="\u2028 é"))]
    write_recording(tmp_path / "v.jsonl", votes)
    assert read_recording(tmp_path / "v.jsonl") == votes
    assert (tmp_path / "v.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("line", [b"{}", b"{", b'{"key": "x", "vote": {"judge": "m"}}', b"\xff"])
def test_a_broken_recording_is_named_by_line(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "v.jsonl").write_bytes(line)
    with pytest.raises(VotesFileError, match=r"v\.jsonl:1: "):
        read_recording(tmp_path / "v.jsonl")
