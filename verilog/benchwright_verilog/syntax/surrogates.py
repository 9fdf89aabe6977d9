"""Strings with lone surrogates, which JavaScript editors can send.

A high surrogate followed by a low one is always one code point here, also when an edit puts them side by side:
JSON cannot tell the two forms apart, and offsets must mean the same before and after storing.
"""

from __future__ import annotations

import codecs
import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def join_surrogates(text: str) -> str:
    """Makes one code point of each high surrogate that a low one follows."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def encode_text(text: str, *, bom: bool = False) -> bytes:
    """The bytes that an editor saves: UTF-8, a lone surrogate as U+FFFD (WHATWG Encoding, UTF-8)."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = _SURROGATE.sub("\ufffd", join_surrogates(text)).encode()
    return codecs.BOM_UTF8 + data if bom else data
