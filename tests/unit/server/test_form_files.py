from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright_foundation.atomic import write_atomically
from benchwright_server.authoring import form_files
from benchwright_server.authoring.form_files import FormFiles
from benchwright_server.errors import ServerError


def test_a_file_that_cant_be_written_leaves_the_others_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("old")
    form_texts = FormFiles.read(tmp_path, ("a.md", "b.toml"))

    def refusing(file: Path, content: bytes) -> None:
        if file.name == "b.toml":
            raise PermissionError(13, "Permission denied")
        write_atomically(file, content)

    monkeypatch.setattr(form_files, "write_atomically", refusing)
    with pytest.raises(ServerError, match=r"b\.toml can't be written: Permission denied\. Nothing was saved\."):
        form_texts.write_changed_texts({"a.md": "new", "b.toml": "x = 1"})
    assert (tmp_path / "a.md").read_text() == "old"
    assert FormFiles.read(tmp_path, ("a.md", "b.toml")).digest == form_texts.digest


@pytest.mark.parametrize(
    ("old_text", "typed", "new_text"),
    [("a\r\nb\n", "a\nb\n", "a\r\nb\n"), ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"), ("a\n", "a\r\nb", "a\nb")],
)
def test_line_ends_are_those_of_the_file(tmp_path: Path, old_text: str, typed: str, new_text: str) -> None:
    (tmp_path / "a.md").write_bytes(old_text.encode())
    assert FormFiles.read(tmp_path, ("a.md",)).with_line_ends_of("a.md", typed) == new_text


def test_what_is_no_plain_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to(tmp_path / "b.md")
    with pytest.raises(ServerError, match=r"a\.md can't be read: it is a link\. Put a plain file there\."):
        FormFiles.read(tmp_path, ("a.md",))
    os.mkfifo(tmp_path / "p.md")
    with pytest.raises(ServerError, match=r"p\.md is no plain file\. Remove it\."):
        FormFiles.read(tmp_path, ("p.md",))
