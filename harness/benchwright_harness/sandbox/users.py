"""Unprivileged users for runs that root starts."""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Iterator
from functools import cache

# Free for dynamic use by systemd's table of ids.
_FIRST_UID = 61184
_BLOCKS = 32
_IN_A_BLOCK = 125
_RESERVED: list[socket.socket] = []
"""They live as long as the process, and with them what it has reserved."""


def next_run_user_id() -> int:
    """A user id that no other run of this machine has, so that its process limit and files are its own.

    Two processes take theirs from different blocks, which the kernel gives back when a process ends,
    however it does. Where there are more processes than blocks, they share.
    """
    return next(_user_ids_of_process(os.getpid()))


@cache
def _user_ids_of_process(pid: int) -> Iterator[int]:
    blocks = [(pid + later) % _BLOCKS for later in range(_BLOCKS)]
    block = next(filter(_reserve_block_if_free, blocks), blocks[0])
    first_uid = _FIRST_UID + block * _IN_A_BLOCK
    return itertools.cycle(range(first_uid, first_uid + _IN_A_BLOCK))


def _reserve_block_if_free(block_number: int) -> bool:
    claim_socket = socket.socket(socket.AF_UNIX)
    try:
        claim_socket.bind(f"\0benchwright-run-users-{block_number}")
    except OSError:
        claim_socket.close()
        return False
    _RESERVED.append(claim_socket)
    return True
