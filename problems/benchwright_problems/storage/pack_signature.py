"""Publishers of packs: keys of authors (Ed25519, RFC 8032), and those that each installed pack was signed with."""

from __future__ import annotations

import base64
import binascii
import contextlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import TypeAdapter, ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_problems.errors import StoreError

_KEY = "author-key"
_SIGNERS = "pack-signers.json"
_NAMES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


def read_or_make_author_key(home: Home) -> Ed25519PrivateKey:
    """The key of this user, made at its first use.

    Raises:
        StoreError: The key can't be read or made.
    """
    file = home.data / _KEY
    try:
        home.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file_lock(home.data / f".{_KEY}.lock"):
            if not file.exists():
                encoded_key = base64.b64encode(Ed25519PrivateKey.generate().private_bytes_raw())
                write_atomically(file, encoded_key + b"\n", 0o600)
            return Ed25519PrivateKey.from_private_bytes(base64.b64decode(file.read_bytes()))
    except OSError as error:
        raise StoreError(f"the key {file} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise StoreError(f"{file} holds no key; restore it from a backup, or delete it to get a new one") from error


def public_key_base64(private_key: Ed25519PrivateKey) -> str:
    """As it is published, base64."""
    return base64.b64encode(private_key.public_key().public_bytes_raw()).decode()


def is_signed_by(public_key_base64: str, signature_base64: str, signed_content: bytes) -> bool:
    """True if a signature of a public key is that of a content; all but the content base64."""
    with contextlib.suppress(InvalidSignature, binascii.Error, ValueError):
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key_base64, validate=True))
        public.verify(base64.b64decode(signature_base64, validate=True), signed_content)
        return True
    return False


class PackSigners:
    """The public keys that installed packs were signed with.

    Args:
        home: The user's folders.
    """

    def __init__(self, home: Home) -> None:
        self._file = home.data / _SIGNERS

    def find_key(self, pack_name: str) -> str | None:
        """The key of a pack; None if it came otherwise.

        Raises:
            StoreError: The file is damaged.
        """
        return self._read_keys().get(pack_name)

    def store_key(self, pack_name: str, public_key: str) -> None:
        """Remembers a pack's key.

        Raises:
            StoreError: The file is damaged, or can't be written.
        """
        try:
            with file_lock(self._file.with_name(f".{_SIGNERS}.lock")):
                keys = self._read_keys() | {pack_name: public_key}
                write_atomically(self._file, json.dumps(keys, indent=1, sort_keys=True).encode())
        except OSError as error:
            raise StoreError(f"{self._file} can't be written: {error.strerror}") from error

    def _read_keys(self) -> dict[str, str]:
        try:
            return _NAMES.validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            raise StoreError(f"{self._file} can't be read; restore it from a backup, or delete it") from error
