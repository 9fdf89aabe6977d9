"""Files in a folder that a form shows and changes: nothing that somebody else wrote meanwhile is written over."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_server.errors import ServerError

_MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class FormFiles:
    """The files as they were read."""

    folder: Path
    texts: Mapping[str, str]
    """By path below the folder, in the order in which they are written; empty where there is no file."""
    digest: str
    """Of all of them."""

    @classmethod
    def read(cls, folder: Path, relative_paths: Sequence[str]) -> FormFiles:
        """Reads them; a missing one is empty.

        Raises:
            ServerError: A file can't be read, is larger than 1 MB, or no plain file.
        """
        hasher, texts = hashlib.sha256(), {}
        for path in relative_paths:
            data = _content_or_empty(folder, path)
            hasher.update(f"{len(data)}:".encode() + data)
            try:
                texts[path] = data.decode()
            except UnicodeDecodeError as error:
                raise ServerError(f"{folder / path} is not UTF-8. Save it as UTF-8.") from error
        return cls(folder, texts, hasher.hexdigest())

    def with_line_ends_of(self, path: str, typed_text: str) -> str:
        """The typed text, with the line ends of the file; a form in a browser has only line feeds."""
        old_text, new_text = self.texts[path], _with_line_feeds(typed_text)
        if new_text == _with_line_feeds(old_text):
            return old_text
        return new_text.replace("\n", "\r\n") if "\r\n" in old_text else new_text

    def write_changed_texts(self, texts_by_path: Mapping[str, str]) -> FormFiles:
        """Writes those that differ, in the order in which they were read.

        Args:
            texts_by_path: Contents of the files, by path.

        Returns:
            The files as they are now.

        Raises:
            ServerError: A file can't be written; the others are as they were.
        """
        written_paths: list[str] = []
        for path, old_text in self.texts.items():
            if texts_by_path[path] == old_text:
                continue
            file = self.folder / path
            try:
                file.parent.mkdir(exist_ok=True)
                write_atomically(file, texts_by_path[path].encode())
            except OSError as error:
                for written_path in written_paths:
                    write_atomically(self.folder / written_path, self.texts[written_path].encode())
                raise ServerError(f"{file} can't be written: {error.strerror}. Nothing was saved.") from error
            written_paths.append(path)
        return FormFiles.read(self.folder, list(self.texts))


@contextmanager
def forms_lock(home: Home) -> Iterator[None]:
    """Between reading and writing: two editors of one person must not both find the files unchanged."""
    home.state.mkdir(parents=True, exist_ok=True)
    with file_lock(home.state / "forms.lock"):
        yield


def picture_uris_by_path(folder: Path, glob_pattern: str) -> dict[str, str]:
    """URIs of the pictures in a folder by their paths below it."""
    return {file.relative_to(folder).as_posix(): file.as_uri() for file in sorted(folder.glob(glob_pattern))}


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _content_or_empty(folder: Path, relative_path: str) -> bytes:
    try:
        return read_plain_file(folder, relative_path, _MOST_BYTES)
    except FileNotFoundError:
        return b""
    except FileTooLargeError as error:
        raise ServerError(f"{folder / relative_path} has more than {_MOST_BYTES:,} bytes. Shorten it.") from error
    except NotPlainFileError as error:
        raise ServerError(f"{folder / relative_path} is no plain file. Remove it.") from error
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise ServerError(f"{folder / relative_path} can't be read: {reason}. Put a plain file there.") from error
