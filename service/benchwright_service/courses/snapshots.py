"""Contents of files by their SHA-256, compressed: of a save, only what changed is kept and sent."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from sqlalchemy import select

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import NewRun
from benchwright_service.courses.quotas import QuotaKeeper
from benchwright_service.storage.tables import RUNS

LARGEST = 4 << 20
"""Bytes of one file."""


class Snapshots:
    """The contents, on disk.

    Args:
        folder: Folder of the contents; made if missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def missing_digests(self, digests: Iterable[str]) -> list[str]:
        """Those that are not here."""
        return sorted({digest for digest in digests if not self._file(digest).is_file()})

    def disk_bytes(self, digests: Iterable[str]) -> int:
        """Bytes on disk of those that are here."""
        return sum(file.stat().st_size for digest in digests if (file := self._file(digest)).is_file())

    def keep_content(self, sha256: str, compressed_base64: str) -> int:
        """Keeps a content; returns how many bytes it takes on disk more than before.

        Args:
            sha256: Its SHA-256.
            compressed_base64: The content, compressed (RFC 1950), base64.

        Raises:
            RefusalError: The content is not what the digest says, or too large.
        """
        content = unpack_content(compressed_base64, LARGEST)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise _content_refusal("A file's content is not that of its SHA-256.")
        file = self._file(sha256)
        if file.is_file():
            return 0
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        compressed = zlib.compress(content)
        write_atomically(file, compressed, 0o600)
        return len(compressed)

    def compressed_content(self, digest: str) -> bytes:
        """A content as it is kept.

        Raises:
            OSError: The content is not here.
        """
        return self._file(digest).read_bytes()

    def packed_contents_by_path(self, digest_by_path: Mapping[str, str]) -> dict[str, str]:
        """Contents as messages have them, by path.

        Args:
            digest_by_path: Path → SHA-256.

        Raises:
            OSError: A content is not here.
        """
        return {
            path: base64.b64encode(self.compressed_content(digest)).decode() for path, digest in digest_by_path.items()
        }

    def content(self, digest: str) -> bytes:
        """A content.

        Raises:
            OSError: The content is not here.
        """
        return zlib.decompress(self.compressed_content(digest))

    def delete(self, digest: str) -> None:
        """Deletes a content, if it is here."""
        self._file(digest).unlink(missing_ok=True)

    def _file(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]


class StoredFiles:
    """Keeps contents that runs bring, as far as there is room.

    Args:
        database: Database of the service.
        snapshots: The contents.
        quotas: Say how much room there is.
    """

    def __init__(self, database: Database, snapshots: Snapshots, quotas: QuotaKeeper) -> None:
        self._database = database
        self._snapshots = snapshots
        self._quotas = quotas
        self._brought: dict[str, Set[str]] = {}
        """By attempt, while contents are asked for: SHA-256 of those that came."""

    async def keep_and_list_missing(self, account: str, attempt: str, new_run: NewRun) -> Sequence[str]:
        """Keeps the contents that a run brings.

        Args:
            account: Account whose run it is.
            attempt: Attempt whose run it is.
            new_run: The run.

        Returns:
            SHA-256 of the contents that have to be sent with it: what neither the attempt's newest run nor this one
            brought. What others have sent does not count: a SHA-256 would be enough to have their files judged as
            one's own, and the answer would say whether anybody has a file.

        Raises:
            RefusalError: The account has no room, or a content is not what its SHA-256 says.
        """
        if new_run.contents:
            await self._keep_within_quota(account, new_run.contents)
        digests = set(new_run.files.values())
        brought = (self._brought.get(attempt, frozenset()) | new_run.contents.keys()) & digests
        own_digests = brought | await self._digests_of_newest_run(attempt)
        absent = await asyncio.to_thread(self._snapshots.missing_digests, digests)
        missing = sorted((digests - own_digests) | set(absent))
        if missing:
            self._brought[attempt] = brought
        else:
            self._brought.pop(attempt, None)
        return missing

    async def _digests_of_newest_run(self, attempt: str) -> Set[str]:
        query = select(RUNS.c.files).where(RUNS.c.attempt == attempt).order_by(RUNS.c.number.desc()).limit(1)
        async with self._database.read_transaction() as connection:
            files = (await connection.execute(query)).scalar()
        return set(json.loads(files).values()) if files else set()

    async def _keep_within_quota(self, account: str, compressed_by_sha256: Mapping[str, str]) -> None:
        if not self._quotas.knows_stored_bytes(account):
            self._quotas.set_stored_bytes_if_uncounted(account, await self._stored_bytes(account))
        missing_digests = await asyncio.to_thread(self._snapshots.missing_digests, compressed_by_sha256)
        self._quotas.require_storage_room(
            account, sum(len(compressed_by_sha256[digest]) * 3 // 4 for digest in missing_digests)
        )
        # Also those that are here: who names a SHA-256 need not have the content.
        for digest, compressed_base64 in compressed_by_sha256.items():
            self._quotas.add_stored_bytes(
                account, await asyncio.to_thread(self._snapshots.keep_content, digest, compressed_base64)
            )

    async def _stored_bytes(self, account: str) -> int:
        """Bytes of all files of its runs; one that several have is counted once. Asked once in a process's life."""
        async with self._database.read_transaction() as connection:
            file_lists = (
                (await connection.execute(select(RUNS.c.files).where(RUNS.c.account == account))).scalars().all()
            )
        return await asyncio.to_thread(
            lambda: self._snapshots.disk_bytes(
                {digest for files in file_lists for digest in json.loads(files).values()}
            )
        )


def unpack_content(compressed_base64: str, byte_limit: int) -> bytes:
    """Content that came compressed; never more than `byte_limit` bytes are unpacked.

    Raises:
        RefusalError: The content is not compressed as it should be, or too large.
    """
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(base64.b64decode(compressed_base64), byte_limit + 1)
    except (zlib.error, ValueError):
        raise _content_refusal("A file is not compressed as RFC 1950 says, or not base64.") from None
    if len(content) > byte_limit:
        raise _content_refusal(f"A file has more than {byte_limit:,} bytes.")
    if not unpacker.eof or unpacker.unused_data:
        raise _content_refusal("A file's compressed content is cut off, or followed by something else.")
    return content


def _content_refusal(detail: str) -> RefusalError:
    return RefusalError(RefusalKind.INVALID, detail, "Send the file as it was when its SHA-256 was taken.")
