"""Landlock by system call: takes access to folders away from this process and all that it starts.

https://docs.kernel.org/userspace-api/landlock.html; numbers are those of all architectures since Linux 5.13.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, READ_DIR = 1, 2, 4, 8
_CHANGES = 0x1FF0
"""Removing and making of every kind of file."""
_REFER, _TRUNCATE = 0x2000, 0x4000
_READS = _EXECUTE | _READ_FILE | READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2


def landlock_version(libc: ctypes.CDLL | None = None) -> int:
    """Version of Landlock that the kernel offers; 0 where it has none."""
    return max(0, (libc or ctypes.CDLL(None)).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION))


def restrict_to_files(
    *,
    readable: Iterable[str],
    writable: Iterable[str],
    listable_folders: Iterable[str] = (),
    isolates_signals: bool = False,
) -> bool:
    """Leave this process only these files and folders, with all that is below them.

    Args:
        readable: May be read and executed.
        writable: May be read, executed, changed and filled.
        listable_folders: Folders whose entries may be listed, and nothing more.
        isolates_signals: Also forbid signals to, and abstract sockets of, whoever is not restricted so.

    Returns:
        False where the kernel can't; nothing has changed then.
    """
    libc = ctypes.CDLL(None)
    offered = landlock_version(libc)
    if offered < 1:
        return False
    changes = _CHANGES | _WRITE_FILE | (_REFER if offered >= 2 else 0) | (_TRUNCATE if offered >= 3 else 0)
    # Fields: file system, network, scopes. An older kernel takes the shorter structure.
    fields = [_READS | changes, 0, _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS if isolates_signals else 0]
    handled = struct.pack("QQQ", *fields)[: 24 if offered >= 6 else 8]
    ruleset = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if ruleset < 0:
        return False
    try:
        for paths, access in ((readable, _READS), (writable, _READS | changes), (listable_folders, READ_DIR)):
            for path in paths:
                _allow_below(libc, ruleset, path, access)
        libc.prctl(_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow_below(libc: ctypes.CDLL, ruleset_fd: int, top_path: str, access_rights: int) -> None:
    try:
        handle = os.open(top_path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            access_rights &= _OF_FILES
        libc.syscall(_ADD_RULE, ruleset_fd, _PATH_BENEATH, struct.pack("=Qi", access_rights, handle), 0)
    finally:
        os.close(handle)
