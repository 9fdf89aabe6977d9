"""Secrets in the operating system's key store: Keychain, Credential Locker, Secret Service or KWallet."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from benchwright_remote.errors import ServiceError

_T = TypeVar("_T")
_SERVICE = "benchwright"
_PATIENCE_S = 60.0
"""Time that somebody may take to unlock the key store, in seconds."""


def keep_secret_if_possible(secret_name: str, secret: str) -> bool:
    """Keeps a secret; returns whether it did. It does not where there is no key store, or it is not unlocked.

    Args:
        secret_name: Names the secret.
        secret: The secret.
    """

    def store_secret() -> bool:
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(_SERVICE, secret_name, secret)
            return keyring.get_password(_SERVICE, secret_name) == secret
        except KeyringError:
            return False

    return bool(_result_unless_blocked(store_secret))


def read_secret(secret_name: str) -> str:
    """A secret.

    Raises:
        ServiceError: The key store does not have it, or is not unlocked.
    """

    def find_secret() -> str | None:
        import keyring
        from keyring.errors import KeyringError

        with suppress(KeyringError):
            return keyring.get_password(_SERVICE, secret_name)
        return None

    secret = _result_unless_blocked(find_secret)
    if not secret:
        raise ServiceError(
            "The key store of this computer did not give the token for the service. Unlock it and try again, or sign"
            " in again."
        )
    return secret


def delete_secret_if_possible(secret_name: str) -> None:
    """Deletes a secret, if the key store has it and is unlocked."""

    def forgotten() -> None:
        import keyring
        from keyring.errors import KeyringError

        with suppress(KeyringError):
            keyring.delete_password(_SERVICE, secret_name)

    _result_unless_blocked(forgotten)


def _result_unless_blocked(ask_key_store: Callable[[], _T]) -> _T | None:
    """Result of a call; None if it takes too long or fails: a key store may wait for a window that nobody sees."""
    collected_results: list[_T] = []

    def collect_answer() -> None:
        # Backends raise errors of D-Bus, of Win32 and of their own.
        with suppress(Exception):
            collected_results.append(ask_key_store())

    thread = threading.Thread(target=collect_answer, name="key store", daemon=True)
    thread.start()
    thread.join(_PATIENCE_S)
    return collected_results[0] if collected_results else None
