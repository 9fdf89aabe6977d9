"""Names of packs that people choose on import."""

from __future__ import annotations

from benchwright_problems.errors import BadPackNameError
from benchwright_problems.storage.pack_name import is_pack_name


def require_pack_name(pack_name: str) -> None:
    """Check that a pack can have this name.

    Raises:
        BadPackNameError: No pack can have this name.
    """
    if not is_pack_name(pack_name):
        raise BadPackNameError(f"{pack_name!r} can't name a pack: use lower-case letters, digits, '-', '_' and '.'")
