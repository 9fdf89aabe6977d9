"""Contents of files by their SHA-256, compressed: of a save, only what changed is kept and sent."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from sqlalchemy import select, update

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import NewRun
from benchwright_service.courses.quotas import QuotaKeeper
from benchwright_service.storage.tables import ATTEMPTS_HELD, RUNS, USES

LARGEST = 4 << 20
"""Bytes of one file."""


class Snapshots:
    """The contents, on disk.

    Args:
        folder: Folder of the contents; made if missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def missing_digests(self, digests: Iterable[str]) -> list[str]:
        """Those that are not here."""
        return sorted({digest for digest in digests if not self._file(digest).is_file()})

    def disk_bytes(self, digests: Iterable[str]) -> int:
        """Bytes on disk of those that are here."""
        return sum(file.stat().st_size for digest in digests if (file := self._file(digest)).is_file())

    def keep_content_and_get_added_bytes(self, sha256: str, compressed_base64: str) -> int:
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

    def compressed_base64_by_path(self, digest_by_path: Mapping[str, str]) -> dict[str, str]:
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
        return self.folder / digest[:2] / digest[2:]


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
        brought_before, newest_digests = await self._brought_and_newest_run_digests(attempt)
        brought = (brought_before | new_run.contents.keys()) & digests
        absent = await asyncio.to_thread(self._snapshots.missing_digests, digests)
        missing = sorted((digests - brought - newest_digests) | set(absent))
        # The rest may come to another process.
        to_remember = brought if missing else set()
        if to_remember != brought_before:
            await self._record_brought_digests(attempt, to_remember)
        return missing

    async def _brought_and_newest_run_digests(self, attempt: str) -> tuple[Set[str], Set[str]]:
        """SHA-256 of the contents that came while others were asked for, and of the newest run's."""
        newest_files = select(RUNS.c.files).where(RUNS.c.attempt == attempt).order_by(RUNS.c.number.desc()).limit(1)
        query = select(ATTEMPTS_HELD.c.brought, newest_files.scalar_subquery().label("files"))
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query.where(ATTEMPTS_HELD.c.attempt == attempt))).one_or_none()
        if row is None:
            return frozenset(), frozenset()
        return set(json.loads(row.brought)), set(json.loads(row.files).values()) if row.files else set()

    async def _record_brought_digests(self, attempt: str, digests: Set[str]) -> None:
        brought_update = update(ATTEMPTS_HELD).where(ATTEMPTS_HELD.c.attempt == attempt)
        async with self._database.write_transaction() as connection:
            await connection.execute(brought_update.values(brought=json.dumps(sorted(digests))))

    async def _keep_within_quota(self, account: str, compressed_by_sha256: Mapping[str, str]) -> None:
        stored_bytes = await self._counted_bytes(account)
        missing_digests = await asyncio.to_thread(self._snapshots.missing_digests, compressed_by_sha256)
        self._quotas.require_storage_room(
            stored_bytes, sum(len(compressed_by_sha256[digest]) * 3 // 4 for digest in missing_digests)
        )
        # Also those that are here: who names a SHA-256 need not have the content.
        added_bytes = 0
        try:
            for digest, compressed_base64 in compressed_by_sha256.items():
                added_bytes += await asyncio.to_thread(
                    self._snapshots.keep_content_and_get_added_bytes, digest, compressed_base64
                )
        finally:
            if added_bytes:
                addition = (
                    update(USES).where(USES.c.key == _storage_use_key(account)).values(used=USES.c.used + added_bytes)
                )
                async with self._database.write_transaction() as connection:
                    await connection.execute(addition)

    async def _counted_bytes(self, account: str) -> float:
        """Bytes that an account has stored; counted from its runs the first time."""
        query = select(USES.c.used).where(USES.c.key == _storage_use_key(account))
        async with self._database.read_transaction() as connection:
            used = (await connection.execute(query)).scalar()
        if used is not None:
            return float(used)
        stored_bytes = await self._bytes_of_run_files(account)
        row = {"key": _storage_use_key(account), "used": stored_bytes, "rate": 0.0, "at": 0.0}
        async with self._database.write_transaction() as connection:
            await connection.execute(self._database.insert_into(USES).values(row).on_conflict_do_nothing())
        return stored_bytes

    async def _bytes_of_run_files(self, account: str) -> int:
        """Bytes of all files of its runs; one that several have is counted once."""
        async with self._database.read_transaction() as connection:
            file_lists = (
                (await connection.execute(select(RUNS.c.files).where(RUNS.c.account == account))).scalars().all()
            )
        return await asyncio.to_thread(
            lambda: self._snapshots.disk_bytes(
                {digest for files in file_lists for digest in json.loads(files).values()}
            )
        )


def _storage_use_key(account: str) -> str:
    return f"stored_mb:{account}"


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
