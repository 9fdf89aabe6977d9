"""Countersigning: heads of chains are signed with the service's present key (Ed25519, RFC 8032)."""

from __future__ import annotations

import base64
import functools
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchwright_attempts.log.anchors import Anchor, Receipt
from benchwright_attempts.log.published_keys import PublishedKeys
from benchwright_service.evidence.signing_keys import SigningKey, SigningKeys, existing_or_new_keys_file, read_keys


class Countersigner:
    """Signs what the service has seen. A key that is changed beside it takes effect at once.

    Args:
        service_address: The service's address, as receipts name it.
        keys_file: File with its keys.
    """

    def __init__(self, service_address: str, keys_file: Path) -> None:
        self.server = service_address
        """The service's address, as its users have it."""
        self._file = keys_file
        self._version: tuple[int, int] | None = None
        self._read = SigningKeys(keys=())
        self._read_signing_keys()

    @classmethod
    def from_folder(cls, service_address: str, folder: Path) -> Countersigner:
        """With the keys in a service's folder, where a new one is made if there is none.

        Raises:
            BenchServiceError: The keys can't be read or made.
        """
        return cls(service_address, existing_or_new_keys_file(folder))

    @property
    def public_key(self) -> str:
        """Of the present key."""
        return self._read_signing_keys().key_at(datetime.now(UTC)).key

    @property
    def published_keys(self) -> PublishedKeys:
        """All keys, with their times."""
        return self._read_signing_keys().published()

    def sign(self, anchor: Anchor, receipt_time: datetime) -> Anchor:
        """The anchor with a receipt of this time; of the key's first moment if that is later.

        Raises:
            BenchServiceError: The keys were changed, and can't be read.
        """
        signing_key = self._read_signing_keys().key_at(receipt_time)
        receipt = Receipt(
            server=self.server,
            time=max(receipt_time, signing_key.begins or receipt_time),
            key=signing_key.key,
            signature="",
        )
        unsigned = anchor.model_copy(update={"receipt": receipt})
        signature = base64.b64encode(_private_key(signing_key).sign(unsigned.signed_bytes())).decode()
        return anchor.model_copy(update={"receipt": receipt.model_copy(update={"signature": signature})})

    def _read_signing_keys(self) -> SigningKeys:
        # Microseconds: a key that was replaced is not used once more.
        try:
            file_status = self._file.stat()
            version = (file_status.st_ino, file_status.st_mtime_ns)
        except OSError:
            version = None
        if version is None or version != self._version:
            self._read, self._version = read_keys(self._file), version
        return self._read


@functools.lru_cache(maxsize=2)
def _private_key(signing_key: SigningKey) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(base64.b64decode(signing_key.secret))
