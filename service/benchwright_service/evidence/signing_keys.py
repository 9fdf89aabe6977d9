"""The keys of a service: the present one signs, those before it are published so that their receipts stay valid.

They are in one file, which is replaced as a whole: every reader has a present key whose time the file says. The secret
part of a key is deleted once it signs no more.
"""

from __future__ import annotations

import base64
import contextlib
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
from benchwright_foundation.superuser import belongs_to_another_user
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
    def new(cls, begin_time: datetime | None) -> SigningKey:
        """A fresh one."""
        return cls.from_secret(Ed25519PrivateKey.generate().private_bytes_raw(), begin_time)

    @classmethod
    def from_secret(cls, secret: bytes, begin_time: datetime | None) -> SigningKey:
        """With a secret.

        Raises:
            ValueError: The bytes are no secret.
        """
        public = Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
        return cls(key=_base64_text(public), begins=begin_time, secret=_base64_text(secret))


class SigningKeys(Model):
    """All keys, the newest last; only the last has no end."""

    keys: tuple[SigningKey, ...]

    def published(self) -> PublishedKeys:
        """Without secrets."""
        return PublishedKeys(
            keys=tuple(PublishedKey(**signing_key.model_dump(exclude={"secret"})) for signing_key in self.keys)
        )

    def key_at(self, signing_time: datetime) -> SigningKey:
        """The key that signs at a time; the newest if no older one can."""
        able = (signing_key for signing_key in self.keys if signing_key.secret and _signs_at(signing_key, signing_time))
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


def existing_or_new_keys_file(folder: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Path:
    """The file with the keys, made with a new key if there is none.

    Args:
        folder: Folder of the service.
        clock: Clock by which a new key begins.

    Raises:
        BenchServiceError: The file can't be read or made, or holds no key.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _folder_lock(folder):
            file, old_file = folder / FILE, folder / _OLD_FILE
            if not file.exists():
                first_key = _read_old_key(old_file) if old_file.exists() else SigningKey.new(clock())
                _write_keys(file, SigningKeys(keys=(first_key,)))
            keys = read_keys(file)
            _write_keys_if_changed(file, keys, _without_old_secrets(keys, clock()))
            old_file.unlink(missing_ok=True)
            return file
    except OSError as error:
        raise BenchServiceError(f"the signing keys in {folder} can't be read: {error.strerror}") from error


def rotate_signing_key(
    folder: Path,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    wait: Callable[[float], None] = time.sleep,
) -> SigningKey:
    """Has a new key sign from now on, also in a service that runs; returns once the older one's secret is deleted.

    Args:
        folder: Folder of the service.
        clock: The machine's clock.
        wait: Function that waits for some seconds.

    Raises:
        BenchServiceError: The service has no keys yet, or they can't be read or written.
    """
    with _locked_keys_file(folder) as file:
        return _rotate_key(file, clock, wait)


def revoke_signing_key(
    folder: Path,
    key_prefix: str,
    revoked_from: datetime,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    wait: Callable[[float], None] = time.sleep,
) -> SigningKey:
    """Says that what a key signed from a time on proves nothing. If it is the present one, another signs from now on.

    Args:
        folder: Folder of the service.
        key_prefix: The key or its beginning.
        revoked_from: Time from which somebody else may have had it. A key revoked before keeps the earlier time.
        clock: The machine's clock.
        wait: Function that waits for some seconds.

    Returns:
        The key that was revoked.

    Raises:
        BenchServiceError: No such key or more than one exists, the time is in the future, or the keys can't be
            read or written.
    """
    if revoked_from > clock():
        raise BenchServiceError(f"{revoked_from:%Y-%m-%d %H:%M} UTC is in the future")
    with _locked_keys_file(folder) as file:
        matching_keys = [
            signing_key for signing_key in read_keys(file).keys if key_prefix and signing_key.key.startswith(key_prefix)
        ]
        if len(matching_keys) != 1:
            known_keys = ", ".join(signing_key.key for signing_key in read_keys(file).keys)
            raise BenchServiceError(
                f"{'no key' if not matching_keys else 'more than one key'} begins with {key_prefix!r}: {known_keys}"
            )
        # First: nobody takes the revoked key for the present one.
        if matching_keys[0].ends is None:
            _rotate_key(file, clock, wait)
        keys = read_keys(file)
        revoked_keys = {
            signing_key.key: _revoke_key(signing_key, revoked_from)
            for signing_key in keys.keys
            if signing_key.key == matching_keys[0].key
        }
        _write_keys(
            file, SigningKeys(keys=tuple(revoked_keys.get(signing_key.key, signing_key) for signing_key in keys.keys))
        )
        return revoked_keys[matching_keys[0].key]


def _rotate_key(file: Path, clock: Callable[[], datetime], wait: Callable[[float], None]) -> SigningKey:
    keys = read_keys(file).keys
    begin_time = clock() + NOTICE
    new_key = SigningKey.new(begin_time)
    _write_keys(file, SigningKeys(keys=(*keys[:-1], keys[-1].model_copy(update={"ends": begin_time}), new_key)))
    while (left := (begin_time - clock()).total_seconds()) > 0:
        wait(left)
    _write_keys(file, _without_old_secrets(read_keys(file), clock()))
    return new_key


def _revoke_key(signing_key: SigningKey, revoked_from: datetime) -> SigningKey:
    return signing_key.model_copy(update={"revoked": min(revoked_from, signing_key.revoked or revoked_from)})


def _signs_at(signing_key: SigningKey, signing_time: datetime) -> bool:
    return (signing_key.begins is None or signing_key.begins <= signing_time) and (
        signing_key.ends is None or signing_time < signing_key.ends
    )


def _without_old_secrets(keys: SigningKeys, current_time: datetime) -> SigningKeys:
    return SigningKeys(
        keys=tuple(
            signing_key.model_copy(update={"secret": ""})
            if signing_key.ends is not None and signing_key.ends <= current_time
            else signing_key
            for signing_key in keys.keys
        )
    )


def _read_old_key(file: Path) -> SigningKey:
    try:
        return SigningKey.from_secret(base64.b64decode(file.read_bytes()), None)
    except ValueError as error:
        raise BenchServiceError(f"{file} holds no signing key; restore it from a backup") from error


def _write_keys_if_changed(file: Path, old_keys: SigningKeys, new_keys: SigningKeys) -> None:
    if new_keys != old_keys:
        _write_keys(file, new_keys)


def _write_keys(file: Path, keys: SigningKeys) -> None:
    write_atomically(file, keys.model_dump_json(indent=1).encode() + b"\n", 0o600)


@contextlib.contextmanager
def _locked_keys_file(folder: Path) -> Iterator[Path]:
    file = folder / FILE
    try:
        if not folder.is_dir() or not (file.exists() or (folder / _OLD_FILE).exists()):
            raise BenchServiceError(f"{folder} has no keys: a service makes its first one when it starts")
        # The service could not read what another user writes.
        if belongs_to_another_user(folder):
            raise BenchServiceError(f"{folder} belongs to another user; run this as the service's user")
        existing_or_new_keys_file(folder)
        with _folder_lock(folder):
            yield file
    except OSError as error:
        raise BenchServiceError(f"the signing keys in {folder} can't be changed: {error.strerror}") from error


@contextlib.contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
    with file_lock(folder / f"{FILE}.lock"):
        yield


def _base64_text(content: bytes) -> str:
    return base64.b64encode(content).decode()
