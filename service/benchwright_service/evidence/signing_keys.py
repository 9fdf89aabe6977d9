"""The keys of a service: the present one signs, those before it are published so that their receipts stay valid.

They are in one file, which is replaced as a whole: every reader has a present key whose time the file says. The secret
part of a key is deleted once it signs no more.
"""

from __future__ import annotations

import base64
import contextlib
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import ValidationError

from benchwright_attempts.log.published_keys import PublishedKey, PublishedKeys
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.model import Model
from benchwright_service.errors import BenchServiceError

FILE = "keys.json"
_OLD_FILE = "key"
"""Before keys had times: one secret key."""
NOTICE = timedelta(seconds=5)
"""Between writing that a key will sign and its first signature: a service that runs has read the file by then."""


class SigningKey(PublishedKey):
    """A key of this service."""

    secret: str = ""
    """Base64; empty once it signs no more."""

    @classmethod
    def new(cls, begins: datetime | None) -> SigningKey:
        """A fresh one."""
        return cls.of(Ed25519PrivateKey.generate().private_bytes_raw(), begins)

    @classmethod
    def of(cls, secret: bytes, begins: datetime | None) -> SigningKey:
        """With a secret.

        Raises:
            ValueError: The bytes are no secret.
        """
        public = Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
        return cls(key=_text(public), begins=begins, secret=_text(secret))


class SigningKeys(Model):
    """All keys, the newest last; only the last has no end."""

    keys: tuple[SigningKey, ...]

    def published(self) -> PublishedKeys:
        """Without secrets."""
        return PublishedKeys(
            keys=tuple(PublishedKey(**signing_key.model_dump(exclude={"secret"})) for signing_key in self.keys)
        )

    def at(self, signing_time: datetime) -> SigningKey:
        """The key that signs at a time; the newest if no older one can."""
        able = (signing_key for signing_key in self.keys if signing_key.secret and _signs(signing_key, signing_time))
        return next(able, self.keys[-1])


def read_keys(file: Path) -> SigningKeys:
    """The keys in a file.

    Raises:
        BenchServiceError: The file can't be read, or holds no keys.
    """
    try:
        signing_keys = SigningKeys.model_validate_json(file.read_bytes())
    except OSError as error:
        raise BenchServiceError(f"the signing keys {file} can't be read: {error.strerror}") from error
    except ValidationError:
        signing_keys = SigningKeys(keys=())
    if not signing_keys.keys or not signing_keys.keys[-1].secret:
        raise BenchServiceError(f"{file} holds no signing key; restore it from a backup")
    return signing_keys


def open_keys(folder: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Path:
    """The file with the keys, made with a new key if there is none.

    Args:
        folder: Folder of the service.
        now: Clock by which a new key begins.

    Raises:
        BenchServiceError: The file can't be read or made, or holds no key.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(folder):
            file, old = folder / FILE, folder / _OLD_FILE
            if not file.exists():
                first = _adopted(old) if old.exists() else SigningKey.new(now())
                _write(file, SigningKeys(keys=(first,)))
            keys = read_keys(file)
            _write_changed(file, keys, _without_old_secrets(keys, now()))
            old.unlink(missing_ok=True)
            return file
    except OSError as error:
        raise BenchServiceError(f"the signing keys in {folder} can't be read: {error.strerror}") from error


def rotate(
    folder: Path,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    wait: Callable[[float], None] = time.sleep,
) -> SigningKey:
    """Has a new key sign from now on, also in a service that runs; returns once the older one's secret is deleted.

    Args:
        folder: Folder of the service.
        now: The machine's clock.
        wait: Function that waits for some seconds.

    Raises:
        BenchServiceError: The service has no keys yet, or they can't be read or written.
    """
    with _changing(folder) as file:
        return _rotated(file, now, wait)


def revoke(
    folder: Path,
    key: str,
    revoked_from: datetime,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    wait: Callable[[float], None] = time.sleep,
) -> SigningKey:
    """Says that what a key signed from a time on proves nothing. If it is the present one, another signs from now on.

    Args:
        folder: Folder of the service.
        key: The key or its beginning.
        revoked_from: Time from which somebody else may have had it. A key revoked before keeps the earlier time.
        now: The machine's clock.
        wait: Function that waits for some seconds.

    Returns:
        The key that was revoked.

    Raises:
        BenchServiceError: No such key or more than one exists, the time is in the future, or the keys can't be
            read or written.
    """
    if revoked_from > now():
        raise BenchServiceError(f"{revoked_from:%Y-%m-%d %H:%M} UTC is in the future")
    with _changing(folder) as file:
        matching_keys = [signing_key for signing_key in read_keys(file).keys if key and signing_key.key.startswith(key)]
        if len(matching_keys) != 1:
            known_keys = ", ".join(signing_key.key for signing_key in read_keys(file).keys)
            raise BenchServiceError(
                f"{'no key' if not matching_keys else 'more than one key'} begins with {key!r}: {known_keys}"
            )
        # First: nobody takes the revoked key for the present one.
        if matching_keys[0].ends is None:
            _rotated(file, now, wait)
        keys = read_keys(file)
        changed = {
            signing_key.key: _revoked(signing_key, revoked_from)
            for signing_key in keys.keys
            if signing_key.key == matching_keys[0].key
        }
        _write(file, SigningKeys(keys=tuple(changed.get(signing_key.key, signing_key) for signing_key in keys.keys)))
        return changed[matching_keys[0].key]


def _rotated(file: Path, now: Callable[[], datetime], wait: Callable[[float], None]) -> SigningKey:
    keys = read_keys(file).keys
    begins = now() + NOTICE
    new = SigningKey.new(begins)
    _write(file, SigningKeys(keys=(*keys[:-1], keys[-1].model_copy(update={"ends": begins}), new)))
    while (left := (begins - now()).total_seconds()) > 0:
        wait(left)
    _write(file, _without_old_secrets(read_keys(file), now()))
    return new


def _revoked(key: SigningKey, revoked_from: datetime) -> SigningKey:
    return key.model_copy(update={"revoked": min(revoked_from, key.revoked or revoked_from)})


def _signs(key: SigningKey, signing_time: datetime) -> bool:
    return (key.begins is None or key.begins <= signing_time) and (key.ends is None or signing_time < key.ends)


def _without_old_secrets(keys: SigningKeys, now: datetime) -> SigningKeys:
    return SigningKeys(
        keys=tuple(
            signing_key.model_copy(update={"secret": ""})
            if signing_key.ends is not None and signing_key.ends <= now
            else signing_key
            for signing_key in keys.keys
        )
    )


def _adopted(file: Path) -> SigningKey:
    try:
        return SigningKey.of(base64.b64decode(file.read_bytes()), None)
    except ValueError as error:
        raise BenchServiceError(f"{file} holds no signing key; restore it from a backup") from error


def _write_changed(file: Path, old: SigningKeys, new: SigningKeys) -> None:
    if new != old:
        _write(file, new)


def _write(file: Path, keys: SigningKeys) -> None:
    write_atomically(file, keys.model_dump_json(indent=1).encode() + b"\n", 0o600)


@contextlib.contextmanager
def _changing(folder: Path) -> Iterator[Path]:
    file = folder / FILE
    try:
        if not folder.is_dir() or not (file.exists() or (folder / _OLD_FILE).exists()):
            raise BenchServiceError(f"{folder} has no keys: a service makes its first one when it starts")
        # The service could not read what another user writes.
        if hasattr(os, "geteuid") and folder.stat().st_uid != os.geteuid():
            raise BenchServiceError(f"{folder} belongs to another user; run this as the service's user")
        open_keys(folder)
        with _alone(folder):
            yield file
    except OSError as error:
        raise BenchServiceError(f"the signing keys in {folder} can't be changed: {error.strerror}") from error


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with file_lock(folder / f"{FILE}.lock"):
        yield


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
