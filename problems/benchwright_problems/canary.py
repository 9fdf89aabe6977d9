"""Canaries of packs, and what models said: whoever says one has read the pack's files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, BinaryIO

from pydantic import Field

Canary = Annotated[
    str, Field(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", description="A random UUID.")
]
"""It is in a pack's files and nowhere else, so a model that says it was trained on them."""

_CHUNK_BYTES = 1 << 20
_CANARY_BYTES = 36


def packs_with_canary_in(file_stream: BinaryIO, canary_by_pack: Mapping[str, str]) -> set[str]:
    """The packs whose canary is in a file, in any case of letters.

    Args:
        file_stream: Content of the file, of any size; bytes that are no text do not matter.
        canary_by_pack: Pack → its canary.
    """
    canary_bytes = {name: canary.encode() for name, canary in canary_by_pack.items()}
    packs: set[str] = set()
    chunk_end = b""
    while chunk := file_stream.read(_CHUNK_BYTES):
        text = chunk_end + chunk.lower()
        packs.update(name for name, canary in canary_bytes.items() if canary in text)
        chunk_end = text[-(_CANARY_BYTES - 1) :]
    return packs
