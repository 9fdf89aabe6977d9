"""Identity of the program that analyses: a digest of the source of this package."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def analysis_digest() -> str:
    """SHA-256 over the path and content of every Python file of the package, in the order of the paths."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
