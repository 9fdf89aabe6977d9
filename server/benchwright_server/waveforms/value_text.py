"""Values of signals as text, the way the protocol writes them."""

from __future__ import annotations

from benchwright_server.waveforms.folding import Value

_LONGEST = 4096
"""Characters of a value."""


def value_text(value: Value, most_characters: int = _LONGEST) -> str:
    """A value: `h1f` of bits that are all known, `b1x0z` of others, a number of a real, JSON of a string.

    Args:
        value: As it was read; a string is quoted.
        most_characters: Number of characters from which on it is cut, which `…` at its end says.
    """
    match value:
        case bool() | int():
            text = f"h{value:x}"
        case float():
            text = repr(value)
        case str():
            text = value if value.startswith('"') else f"b{value.lower()}"
    return text if len(text) <= most_characters else f"{text[:most_characters]}…"


def verilog_literal(protocol_value: str, bits: int | None) -> str:
    """A value of the protocol as Verilog writes it, such as `8'h1f`.

    Args:
        protocol_value: As `value_text` writes it.
        bits: Width of the signal in bits; None for what has no bits.
    """
    if bits is None or protocol_value[:1] not in ("h", "b"):
        return protocol_value
    if bits == 1:
        return protocol_value[1:]
    digits = protocol_value[1:] if protocol_value[0] == "b" else protocol_value[1:].rjust(-(-bits // 4), "0")
    return f"{bits}'{protocol_value[0]}{digits}"
