"""Contents of files by their SHA-256, compressed: of a save, only what changed is kept and sent."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from pathlib import Path

from benchwright_judges.service.refusals import Kind, RefusalError
from benchwright_problems.atomic import write_atomically

LARGEST = 4 << 20
"""Bytes of one file."""


class Snapshots:
    """The contents, on disk.

    Args:
        folder: Where; made if missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def missing(self, digests: Iterable[str]) -> list[str]:
        """Those that are not here."""
        return sorted({digest for digest in digests if not self._file(digest).is_file()})

    def keep(self, digest: str, compressed: bytes) -> None:
        """Keeps a content.

        Raises:
            RefusalError: It is not what the digest says, or too large.
        """
        unpacker = zlib.decompressobj()
        try:
            content = unpacker.decompress(compressed, LARGEST + 1)
        except zlib.error:
            raise _refused("A file is not compressed as RFC 1950 says.") from None
        if len(content) > LARGEST:
            raise _refused(f"A file has more than {LARGEST:,} bytes.")
        if not unpacker.eof or unpacker.unused_data or hashlib.sha256(content).hexdigest() != digest:
            raise _refused("A file's content is not that of its SHA-256.")
        file = self._file(digest)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, zlib.compress(content), 0o600)

    def compressed(self, digest: str) -> bytes:
        """A content as it is kept.

        Raises:
            OSError: It is not here.
        """
        return self._file(digest).read_bytes()

    def content(self, digest: str) -> bytes:
        """A content.

        Raises:
            OSError: It is not here.
        """
        return zlib.decompress(self.compressed(digest))

    def _file(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]


def _refused(detail: str) -> RefusalError:
    return RefusalError(Kind.INVALID, detail, "Send the file as it was when its SHA-256 was taken.")
