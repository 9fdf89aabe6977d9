"""Imports the types of LSP with the code that was kept of the last time.

attrs writes methods for the 554 classes of `lsprotocol.types` and compiles them whenever that is imported, which takes
as long as everything else in it. Python keeps the bytecode of modules only, so this keeps that of the methods.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import marshal
import os
import stat
import sys
from pathlib import Path
from types import CodeType
from typing import Any

from benchwright_foundation.atomic import write_atomically

_DIGEST_BYTES = 32


def import_protocol_types(cache_folder: Path) -> None:
    """Import `lsprotocol.types`, for all who import it later.

    Args:
        cache_folder: The cache folder.
    """
    if "lsprotocol.types" in sys.modules:
        return
    import cattrs  # noqa: F401 - loads attrs

    if (attrs_module := sys.modules.get("attr._make")) is None:
        # Other versions of attrs may compile elsewhere.
        import lsprotocol.types

        return
    names_of_attrs = vars(attrs_module)
    file = cache_folder / "protocol" / f"{importlib.util.MAGIC_NUMBER.hex()}.code"
    kept_codes = _read_kept_code(file)
    codes: dict[bytes, CodeType] = {}

    def compile_unless_kept(source: str, filename: str, mode: str) -> Any:
        source_digest = hashlib.sha256(f"{filename}\0{mode}\0{source}".encode()).digest()
        codes[source_digest] = kept_codes.get(source_digest) or compile(source, filename, mode)
        return codes[source_digest]

    # A name of its module comes before the built-in function.
    names_of_attrs["compile"] = compile_unless_kept
    try:
        import lsprotocol.types  # noqa: F401 - for those who import it later
    finally:
        del names_of_attrs["compile"]
    if codes.keys() != kept_codes.keys():
        data = marshal.dumps(codes)
        with contextlib.suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(file, hashlib.sha256(data).digest() + data)


def _read_kept_code(kept_file: Path) -> dict[bytes, CodeType]:
    """The code that was kept; none if there is none, or if somebody else could have written it."""
    try:
        with kept_file.open("rb") as stream:
            status = os.fstat(stream.fileno())
            is_own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
            if not is_own or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return {}
            content = stream.read()
    except OSError:
        return {}
    data = content[_DIGEST_BYTES:]
    # What is broken could end the interpreter.
    if hashlib.sha256(data).digest() != content[:_DIGEST_BYTES]:
        return {}
    codes: dict[bytes, CodeType] = marshal.loads(data)  # noqa: S302 - this user's own, and whole
    return codes
