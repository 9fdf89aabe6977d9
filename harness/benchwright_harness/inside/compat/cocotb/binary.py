"""`BinaryValue` of cocotb 1.9: a text of bits with views as integer, signed integer and bytes.

Its surprises are kept, because harnesses were written around them: a big-endian value of fixed width is filled up on
the right, indices count from the left, and what is too long is cut with a warning.
"""

import operator
import re
import warnings
from typing import Any

_UNKNOWN = "xXzZuUwW"
_FOREIGN = re.compile(f"[^01{_UNKNOWN}lLhH-]")
_STRONG = str.maketrans("lLhH-", "00110")


class BinaryRepresentation:
    """Format in which integers are read from bits and written to them."""

    UNSIGNED = 0
    SIGNED_MAGNITUDE = 1
    TWOS_COMPLEMENT = 2


class BinaryValue:
    """Bits, with a fixed or a growing width.

    Args:
        value: Integer, text of bits, or bytes.
        n_bits: Width; none lets it follow the value.
        bigEndian: True if index 0 is the leftmost bit, and bytes stand in the order of the bits.
        binaryRepresentation: One of `BinaryRepresentation`.
        bits: Old name of `n_bits`.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        value: Any = None,
        n_bits: int | None = None,
        bigEndian: bool = True,  # noqa: N803
        binaryRepresentation: int = BinaryRepresentation.UNSIGNED,  # noqa: N803
        bits: int | None = None,
    ) -> None:
        if bits is not None and n_bits is not None:
            raise TypeError("You cannot use n_bits and bits at the same time.")
        self._str = ""
        self._n_bits = n_bits if bits is None else bits
        self.big_endian = bigEndian
        self.binaryRepresentation = binaryRepresentation
        # Changing the attribute later has no effect, as in 1.9.
        self._representation = binaryRepresentation
        if value is not None:
            self.assign(value)

    def assign(self, value: int | str | bytes) -> None:
        """Set the value from an integer, a text of bits or bytes."""
        if isinstance(value, int):
            self.integer = value
        elif isinstance(value, str):
            self.binstr = value
        elif isinstance(value, bytes):
            self.buff = value
        else:
            raise TypeError(f"value must be int, str, or bytes, not {type(value).__qualname__!r}")

    @property
    def integer(self) -> int:
        """The value as the representation reads it."""
        if not self._str:
            return 0
        bits = _resolved_bits(self._str)
        if self._representation == BinaryRepresentation.SIGNED_MAGNITUDE:
            magnitude = int(bits[1:] or "0", 2)
            return -magnitude if bits[0] == "1" else magnitude
        if self._representation == BinaryRepresentation.TWOS_COMPLEMENT:
            return self.signed_integer
        return int(bits, 2)

    @integer.setter
    def integer(self, value: int) -> None:
        if self._representation == BinaryRepresentation.UNSIGNED:
            if value < 0:
                raise ValueError("Attempt to assigned negative number to unsigned BinaryValue")
            self._str = self._padded_to_width(f"{value:b}" if value else "", fill_bit="0")
            return
        if self._representation == BinaryRepresentation.SIGNED_MAGNITUDE:
            bits = ("1" if value < 0 else "0") + (f"{abs(value):b}" if value else "")
            width = self._n_bits
            if width is not None and len(bits) < width:
                bits = bits[0] + bits[1:].rjust(width - 1, "0")
        elif value:
            bits = f"{value & ((1 << (value if value > 0 else ~value).bit_length() + 1) - 1):b}"
            bits = "0" + bits if value > 0 else bits
            bits = bits if self._n_bits is None else bits.rjust(self._n_bits, bits[0])
        else:
            bits = "" if self._n_bits is None else "0" * self._n_bits
        self._str = bits if self._n_bits is None else bits[max(0, len(bits) - self._n_bits) :]

    @property
    def signed_integer(self) -> int:
        """The value in two's complement."""
        value = int(_resolved_bits(self._str), 2)
        return value - (1 << len(self._str)) if value >> (len(self._str) - 1) & 1 else value

    @signed_integer.setter
    def signed_integer(self, value: int) -> None:
        self.integer = value

    @property
    def value(self) -> int:
        """Old name of `integer`."""
        return self.integer

    @value.setter
    def value(self, value: int) -> None:
        self.integer = value

    @property
    def is_resolvable(self) -> bool:
        """True if no bit is unknown."""
        return not any(bit in _UNKNOWN for bit in self._str)

    @property
    def buff(self) -> bytes:
        """The value as bytes."""
        bits = _resolved_bits(self._str)
        data = int(bits or "0", 2).to_bytes((len(bits) + 7) // 8, "big")
        return data if self.big_endian else data[::-1]

    @buff.setter
    def buff(self, value: bytes) -> None:
        data = value if self.big_endian else value[::-1]
        self._set_bits("".join(f"{byte:08b}" for byte in data))

    @property
    def binstr(self) -> str:
        """The value as a text of bits."""
        return self._str

    @binstr.setter
    def binstr(self, value: str) -> None:
        if foreign := _FOREIGN.search(value):
            raise ValueError(f"Attempting to assign character {foreign.group()} to a {type(self).__name__}")
        self._set_bits(value)

    @property
    def n_bits(self) -> int | None:
        """The fixed width."""
        return self._n_bits

    def get_value(self) -> int:
        """`integer`."""
        return self.integer

    def get_value_signed(self) -> int:
        """`signed_integer`."""
        return self.signed_integer

    def get_binstr(self) -> str:
        """`binstr`."""
        return self._str

    def get_buff(self) -> bytes:
        """`buff`."""
        return self.buff

    def set_value(self, value: int) -> None:
        """Set `integer`."""
        self.integer = value

    def set_binstr(self, value: str) -> None:
        """Set `binstr`."""
        self.binstr = value

    def set_buff(self, value: bytes) -> None:
        """Set `buff`."""
        self.buff = value

    def hex(self) -> str:
        """The integer in hexadecimal."""
        return hex(self.integer)

    def _padded_to_width(self, bits: str, fill_bit: str) -> str:
        if self._n_bits is None:
            return bits
        if len(bits) > self._n_bits:
            cut = bits[len(bits) - self._n_bits :] if self.big_endian else bits[: self._n_bits]
            warnings.warn(f"{self._n_bits}-bit value requested, truncating {bits!r} to {cut!r}", RuntimeWarning, 3)
            return cut
        return bits.ljust(self._n_bits, fill_bit) if self.big_endian else bits.rjust(self._n_bits, fill_bit)

    def _set_bits(self, bits: str) -> None:
        too_long = self._n_bits is not None and len(bits) > self._n_bits
        self._str = bits[len(bits) - (self._n_bits or 0) :] if too_long else self._padded_to_width(bits, fill_bit="0")

    def _first_and_last_position(self, bit_index_or_slice: int | slice) -> tuple[int, int]:
        """First and last position from the left."""
        width = len(self._str)
        first, last = (
            (bit_index_or_slice.start, bit_index_or_slice.stop)
            if isinstance(bit_index_or_slice, slice)
            else (bit_index_or_slice, bit_index_or_slice)
        )
        if first < 0 or last < 0:
            raise IndexError("BinaryValue does not support negative indices")
        if max(first, last) >= width:
            raise IndexError("Index greater than number of bits.")
        if not self.big_endian:
            first, last = width - 1 - first, width - 1 - last
        if first > last:
            raise IndexError("Indices must be specified in the order of the bits")
        return first, last

    def __getitem__(self, key: int | slice) -> "BinaryValue":
        first, last = self._first_and_last_position(key)
        return BinaryValue(self._str[first : last + 1], last - first + 1, self.big_endian, self.binaryRepresentation)

    def __setitem__(self, key: int | slice, value: int | str) -> None:
        first, last = self._first_and_last_position(key)
        width = last - first + 1
        if isinstance(value, int):
            if not 0 <= value < 1 << width:
                raise ValueError("Integer does not fit the specified slice")
            value = f"{value:0{width}b}"
        if len(value) != width:
            raise ValueError("String length must be equal to slice length")
        self.binstr = self._str[:first] + value + self._str[last + 1 :]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            try:
                return self.integer == other
            except ValueError:
                return False
        if isinstance(other, str):
            return self._str == other
        if hasattr(other, "is_resolvable"):
            return self._str.upper() == str(other).upper()
        return NotImplemented

    def __le__(self, other: Any) -> None:
        self.assign(other)

    def __str__(self) -> str:
        return self._str

    __repr__ = __str__

    def __bool__(self) -> bool:
        return "1" in self._str

    def __int__(self) -> int:
        return self.integer

    __index__ = __int__

    def __len__(self) -> int:
        return len(self._str)

    def __invert__(self) -> str:
        return self._str.translate(str.maketrans("01", "10"))

    def __neg__(self) -> int:
        return -self.integer

    def __pos__(self) -> int:
        return self.integer

    def __abs__(self) -> int:
        return abs(self.integer)

    def __divmod__(self, other: Any) -> tuple[int, int]:
        return divmod(self.integer, int(other))


def _resolved_bits(bits: str) -> str:
    if any(bit in _UNKNOWN for bit in bits):
        raise ValueError(f"Unresolvable bit in binary string: {bits!r}")
    return bits.translate(_STRONG)


def _add_operators() -> None:
    names = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor")
    for name in names:
        operate, word = getattr(operator, name), name.rstrip("_")

        def forward(self: BinaryValue, other: Any, operate: Any = operate) -> Any:
            return operate(self.integer, int(other))

        def backward(self: BinaryValue, other: Any, operate: Any = operate) -> Any:
            return operate(int(other), self.integer)

        def in_place(self: BinaryValue, other: Any, operate: Any = operate) -> BinaryValue:
            self.integer = operate(self.integer, int(other))
            return self

        setattr(BinaryValue, f"__{word}__", forward)
        setattr(BinaryValue, f"__r{word}__", backward)
        setattr(BinaryValue, f"__i{word}__", in_place)


_add_operators()
