"""Secrets that all processes of a service have in common: files in its folder, made once."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from pathlib import Path

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock

COOKIE_KEY_FILE = "cookie-key"
"""Signs what browsers bring back while somebody is at an identity provider."""


def existing_or_new_secret(file: Path, make_content: Callable[[], bytes]) -> bytes:
    """The content of a file, mode 0600; of several processes that start at once, one makes it.

    Args:
        file: The file.
        make_content: Makes the content.

    Raises:
        OSError: The file can't be read or written.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file_lock(file.with_name(f"{file.name}.lock")):
        if not file.exists():
            write_atomically(file, make_content(), 0o600)
        return file.read_bytes()


def new_cookie_secret() -> bytes:
    """A fresh one."""
    return secrets.token_urlsafe(32).encode()


def secret_for(cookie_secret: bytes, purpose: str) -> str:
    """The secret for the cookies of one purpose: those of another are not taken for them."""
    return hmac.new(cookie_secret, purpose.encode(), hashlib.sha256).hexdigest()
