"""A Unix socket that one sandbox can connect to, and nobody else."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def private_socket(address: Path, user_id: int | None) -> Iterator[socket.socket]:
    """Bound to an address; closed at the end of the block.

    Args:
        address: Path at which it is made.
        user_id: User who may connect besides this process; None if that is who it runs as.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        address.chmod(0o600)
        if user_id is not None:
            os.chown(address, user_id, user_id)
        yield listener
