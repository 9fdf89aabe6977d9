"""Names that a pack can have."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

PackName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]
_PACK_NAME: TypeAdapter[str] = TypeAdapter(PackName)


def is_pack_name(candidate_name: str) -> bool:
    """True if a pack can be called so."""
    try:
        _PACK_NAME.validate_python(candidate_name)
    except ValidationError:
        return False
    return True
