"""Contents are kept by their digest, and nothing else is."""

from __future__ import annotations

import base64
import hashlib
import zlib
from pathlib import Path

import pytest

from benchwright_foundation.refusals import RefusalError
from benchwright_service.courses.snapshots import LARGEST, Snapshots


def packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_content_is_kept_once_and_read_back(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    content = b"module a;\nendmodule\n" * 100
    assert snapshots.missing_digests([digest(content), digest(b"")]) == sorted([digest(content), digest(b"")])
    snapshots.keep_content_and_get_added_bytes(digest(content), packed(content))
    assert snapshots.missing_digests([digest(content)]) == []
    assert snapshots.content(digest(content)) == content
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert file.stat().st_mode & 0o077 == 0
    assert file.stat().st_size < len(content)


@pytest.mark.parametrize(
    "bad",
    [
        base64.b64encode(b"not compressed").decode(),
        packed(b"another content"),
        packed(b"content")[:-8],
        base64.b64encode(zlib.compress(b"content") + b"more").decode(),
        "=",
        "abc",
        packed(b"\0" * (LARGEST + 1)),
    ],
    ids=["not compressed", "another", "cut off", "followed", "padding", "length", "bomb"],
)
def test_what_is_not_the_content_is_refused_and_not_kept(tmp_path: Path, bad: str) -> None:
    with pytest.raises(RefusalError):
        Snapshots(tmp_path).keep_content_and_get_added_bytes(digest(b"content"), bad)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
