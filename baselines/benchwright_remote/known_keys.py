"""The keys of receipts that services have published, as this machine has read them last."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from benchwright_attempts.log.anchors import Anchor
from benchwright_attempts.log.published_keys import KeyStanding, PublishedKey, PublishedKeys, key_standing
from benchwright_attempts.log.record import format_wall
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_remote.errors import ReceiptError, RefusedError

if TYPE_CHECKING:
    from benchwright_remote.service_client import ServiceClient

_FILE = "keys.json"
_WHY = {
    KeyStanding.UNKNOWN: "that the service does not publish",
    KeyStanding.OUTSIDE: "that did not sign at that time",
    KeyStanding.REVOKED: "that was revoked",
}


def receipts_folder(home: Home) -> Path:
    """Folder of the receipts of attempts."""
    return home.data / "receipts"


class KnownKeys:
    """Of all services.

    Args:
        folder: Folder in which the keys are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        self._asked_services: set[str] = set()

    def all_keys(self) -> Sequence[PublishedKey]:
        """Every key. Reads a file; one that can't be read has none."""
        return [key for published in self._kept_keys_by_service().values() for key in published.keys]

    async def check_receipt_and_keep_keys(self, client: ServiceClient, anchor: Anchor) -> None:
        """Examines a receipt that has just come.

        Raises:
            ReceiptError: The receipt proves nothing.
            ServiceError: The service does not say which keys it has.
        """
        receipt = anchor.receipt
        if receipt is None or not await asyncio.to_thread(lambda: anchor.is_signed):
            raise ReceiptError(f"{client.url} sends a receipt without the signature of its key.")
        # Once in each process also without need: a key may have been revoked.
        if (
            client.url in self._asked_services
            and key_standing(receipt.key, receipt.time, await self._kept_keys_of(client.url)) is KeyStanding.VALID
        ):
            return
        try:
            keys = await client.keys()
        except RefusedError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                # A service of an older version has one key, and no list.
                return
            raise
        standing = key_standing(receipt.key, receipt.time, keys)
        if standing is not KeyStanding.VALID:
            raise ReceiptError(
                f"{client.url} sends a receipt of {format_wall(receipt.time)} with the key {receipt.key} "
                f"{_WHY[standing]}."
                " Ask the course's staff."
            )
        await asyncio.to_thread(self._keep_keys, client.url, keys)
        self._asked_services.add(client.url)

    async def _kept_keys_of(self, service_url: str) -> Sequence[PublishedKey]:
        keys_by_service = await asyncio.to_thread(self._kept_keys_by_service)
        return keys_by_service[service_url].keys if service_url in keys_by_service else ()

    def _keep_keys(self, service_url: str, keys: Sequence[PublishedKey]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self._file.with_suffix(".lock")):
            keys_by_service = self._kept_keys_by_service() | {service_url: PublishedKeys(keys=tuple(keys))}
            keys_json = {
                url: key_list.model_dump(mode="json", exclude_none=True) for url, key_list in keys_by_service.items()
            }
            write_atomically(self._file, json.dumps(keys_json, indent=1).encode(), 0o600)

    def _kept_keys_by_service(self) -> dict[str, PublishedKeys]:
        try:
            return TypeAdapter(dict[str, PublishedKeys]).validate_json(self._file.read_bytes())
        except (OSError, ValidationError):
            return {}
