"""The one place where slang reads text. It opens no file for it: what is included, it has been given before.

slang opens whatever an `include` names, wherever that is and whatever a macro made of it. So it parses in a thread
that the kernel lets open nothing (Landlock, which binds single threads), and it gets headers from `ReadableFiles`.
Where the kernel has no Landlock, `Trees` throws away what slang read by itself.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang import Bag, SourceManager
    from pyslang.syntax import SyntaxTree

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
"""System calls, numbered alike on all architectures."""
_ALL_ACCESS = (1 << 13) - 1
"""What the first version of Landlock knows: reading, listing, writing, making and removing."""
_NO_NEW_PRIVS = 38


def parse(text: str, sources: SourceManager, source_name: str, parse_options: Bag) -> SyntaxTree:
    """The tree of text that is in no file. It may be a lone expression.

    Args:
        text: What is parsed.
        sources: Has what it includes.
        source_name: Its name to slang.
        parse_options: Options of slang's preprocessor and parser.
    """
    from pyslang.syntax import SyntaxTree

    return (
        _executor_without_file_access()
        .submit(SyntaxTree.fromText, text, sources, source_name, "", parse_options)
        .result()
    )


def parse_file(text: str, sources: SourceManager, source_name: str, parse_options: Bag) -> SyntaxTree:
    """Like `parse`, of a file by its path: a lone expression or statement is an error, and includes start from it."""
    from pyslang.syntax import SyntaxTree

    return (
        _executor_without_file_access()
        .submit(SyntaxTree.fromFileInMemory, text, sources, source_name, source_name, parse_options)
        .result()
    )


@cache
def _executor_without_file_access() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "slang", _forbid_this_thread_to_open_files)


def _forbid_this_thread_to_open_files() -> None:
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    handled_access = struct.pack("Q", _ALL_ACCESS)
    ruleset = libc.syscall(_CREATE_RULESET, handled_access, ctypes.c_size_t(len(handled_access)), 0)
    if ruleset < 0:
        return
    # No rule is added: nothing is allowed.
    libc.prctl(_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
    libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_executor_without_file_access.cache_clear)
