"""What pages of all floors look like: colours, type and space, as CSS custom properties."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def tokens_css() -> str:
    """The properties, as the beginning of a style sheet."""
    return files("benchwright_foundation").joinpath("tokens.css").read_text("utf-8")
