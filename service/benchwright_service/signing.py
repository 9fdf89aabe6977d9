"""The service's key: with it heads of chains are countersigned (Ed25519, RFC 8032)."""

from __future__ import annotations

import base64
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from benchwright_attempts.anchors import Anchor, Receipt
from benchwright_problems.atomic import write_atomically
from benchwright_service.errors import BenchServiceError


class Countersigner:
    """Signs what the service has seen.

    Args:
        server: The service's address, as receipts name it.
        key: Its own.
    """

    def __init__(self, server: str, key: Ed25519PrivateKey) -> None:
        self.server = server
        """The service's address, as its users have it."""
        self._key = key
        self.public_key = base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()
        """To check receipts with; to be published."""

    @classmethod
    def of(cls, server: str, file: Path) -> Countersigner:
        """With the key in a file, which is made with a new key if there is none.

        Raises:
            BenchServiceError: It can't be read or made, or holds no key.
        """
        try:
            if not file.exists():
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                fresh = Ed25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
                write_atomically(file, base64.b64encode(fresh) + b"\n", 0o600)
            key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(file.read_bytes()))
        except OSError as error:
            raise BenchServiceError(f"the signing key {file} can't be read: {error.strerror}") from error
        except ValueError as error:
            raise BenchServiceError(f"{file} holds no signing key; restore it from a backup") from error
        return cls(server, key)

    def sign(self, anchor: Anchor, time: datetime) -> Anchor:
        """The anchor with a receipt of this time."""
        receipt = Receipt(server=self.server, time=time, key=self.public_key, signature="")
        unsigned = anchor.model_copy(update={"receipt": receipt})
        signature = base64.b64encode(self._key.sign(unsigned.signed_bytes())).decode()
        return anchor.model_copy(update={"receipt": receipt.model_copy(update={"signature": signature})})
