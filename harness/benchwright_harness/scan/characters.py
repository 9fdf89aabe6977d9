"""Bytes that tools read differently: control characters, and others that are not ASCII outside of comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
_NAMES = {
    0x00: "a null character",
    0x0B: "a vertical tab",
    0x0C: "a form feed",
    0x0D: "a carriage return without a line feed",
    0x1B: "an escape character",
    0x7F: "a delete character",
}


def character_findings(content: bytes) -> Iterator[tuple[str, str, int]]:
    """The control characters of a file."""
    for match in _CONTROL.finditer(content):
        code = match[0][0]
        yield "character", f"{_NAMES.get(code, 'a control character')} (0x{code:02X})", match.start()


def non_ascii_character_name(content: bytes, offset: int) -> str:
    """Names a character that is not ASCII."""
    for length in (2, 3, 4):
        try:
            character = content[offset : offset + length].decode()
        except UnicodeDecodeError:
            continue
        return f"U+{ord(character[0]):04X} outside of comments and strings"
    return f"the byte 0x{content[offset]:02X} outside of comments and strings"
