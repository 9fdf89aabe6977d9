"""`Logic` and `LogicArray` with what `BinaryValue` and their own older selves could do.

In the snapshot a scalar's value was a `LogicArray` of one bit; now it is a `Logic`, which therefore gets that
interface too. A value in a condition is true when some bit is 1, as it was in 1.9 and again in later snapshots: 2.0
raises for X.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any

from cocotb.binary import BinaryRepresentation, BinaryValue
from cocotb.types import Logic, LogicArray, Range

_ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "divmod": divmod,
    "pow": operator.pow,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
_BITWISE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_UNARY = {"neg": operator.neg, "pos": operator.pos, "abs": operator.abs}


class OutOfRangeError(OverflowError, ValueError):
    """A value that does not fit: `ValueError` in 2.0, `OverflowError` before."""


def restore_old_interface() -> None:
    """Change `Logic` and `LogicArray`."""
    for kind in (Logic, LogicArray):
        _add_integer_operators(kind)
        kind.__bool__ = lambda self: any(bit in "1H" for bit in str(self))
        kind.n_bits = property(len)
        kind.hex = lambda self: hex(int(self))
        kind.value = property(int)
        kind.get_value = lambda self: int(self)
        kind.get_value_signed = lambda self: self.to_signed()
        kind.get_binstr = lambda self: str(self)
        kind.get_buff = lambda self: self.to_bytes()
        kind.to_BinaryValue = _to_binary_value
    _extend_logic()
    _extend_logic_array()


def _add_integer_operators(value_type: type) -> None:
    for name, operate in _ARITHMETIC.items():
        setattr(value_type, f"__{name}__", lambda self, other, operate=operate: operate(int(self), int(other)))
        setattr(value_type, f"__r{name}__", lambda self, other, operate=operate: operate(int(other), int(self)))
    for name, operate in _UNARY.items():
        setattr(value_type, f"__{name}__", lambda self, operate=operate: operate(int(self)))
    for name, operate in _BITWISE.items():
        bitwise = _bitwise_with_integers(getattr(value_type, f"__{name}__"), operate)
        setattr(value_type, f"__{name}__", bitwise)
        setattr(value_type, f"__r{name}__", bitwise)


def _bitwise_with_integers(
    genuine_operator: Callable[[Any, Any], Any], operate_on_integers: Callable[[int, int], int]
) -> Callable[[Any, Any], Any]:
    def bitwise(self: Any, other: Any) -> Any:
        if isinstance(other, int | BinaryValue):
            return operate_on_integers(int(self), int(other))
        return genuine_operator(self, other)

    return bitwise


def _to_binary_value(
    self: Any,
    bigEndian: bool = True,  # noqa: N803
    binaryRepresentation: int = BinaryRepresentation.UNSIGNED,  # noqa: N803
) -> BinaryValue:
    return BinaryValue(str(self), len(self), bigEndian, binaryRepresentation)


def _extend_logic() -> None:
    Logic.__new__.__defaults__ = ("X",)
    Logic.to_unsigned = Logic.__int__
    Logic.to_signed = lambda self: -int(self)
    Logic.to_bytes = lambda self, byteorder="big": int(self).to_bytes(1, byteorder)
    Logic.integer = property(int)
    Logic.signed_integer = property(lambda self: self.to_signed())
    Logic.binstr = property(str)
    Logic.buff = property(lambda self: self.to_bytes())
    Logic.range = property(lambda self: Range(0, "downto", 0))
    Logic.__iter__ = _iterate_logic
    Logic.__getitem__ = _index_logic
    Logic.count = lambda self, value: int(self == value)
    genuine_eq = Logic.__eq__

    def eq(self: Any, other: Any) -> Any:
        if isinstance(other, LogicArray | BinaryValue):
            return str(self) == str(other).upper()
        return genuine_eq(self, other)

    Logic.__eq__ = eq


def _iterate_logic(self: Any) -> Iterator[Any]:
    yield self


def _index_logic(self: Any, item: int | slice) -> Any:
    if isinstance(item, slice):
        return LogicArray([self])[item]
    if item != 0:
        raise IndexError(f"index {item} out of range")
    return self


def _extend_logic_array() -> None:
    genuine_init, genuine_eq, genuine_getitem = LogicArray.__init__, LogicArray.__eq__, LogicArray.__getitem__
    genuine_to_bytes = LogicArray.to_bytes
    from_unsigned, from_signed = LogicArray.from_unsigned, LogicArray.from_signed

    def init(self: Any, value: Any = None, range: Any = None) -> None:
        if value is None and range is not None:
            value = "X" * (range if isinstance(range, int) else len(range))
        elif isinstance(value, BinaryValue):
            value = value.binstr
        elif isinstance(value, int):
            value, range = _unsigned_and_range(int(value), range)
        genuine_init(self, value, range)

    def eq(self: Any, other: Any) -> Any:
        if isinstance(other, Logic | BinaryValue):
            return str(self) == str(other).upper()
        return genuine_eq(self, other)

    def getitem(self: Any, item: Any) -> Any:
        if not isinstance(item, slice) or not isinstance(item.start, int) or not isinstance(item.stop, int):
            return genuine_getitem(self, item)
        try:
            return genuine_getitem(self, item)
        except IndexError:
            # `BinaryValue` counted from the left, so its slices run against a descending range.
            if self.direction == "to" or not 0 <= item.start < item.stop < len(self):
                raise
            return LogicArray(str(self)[item.start : item.stop + 1])

    LogicArray.__init__ = init
    LogicArray.__eq__ = eq
    LogicArray.__getitem__ = getitem
    LogicArray.to_bytes = lambda self, byteorder="big": genuine_to_bytes(self, byteorder=byteorder)
    LogicArray.from_unsigned = staticmethod(
        lambda value, range: _make_array_or_raise_out_of_range(from_unsigned, value, range)
    )
    LogicArray.from_signed = staticmethod(
        lambda value, range: _make_array_or_raise_out_of_range(from_signed, value, range)
    )
    LogicArray.assign = lambda self, value: self.__setitem__(slice(None), value)


def _unsigned_and_range(value: int, index_range: Any) -> tuple[int, Any]:
    """An integer as bits of a range; without one, of as many bits as it takes."""
    if index_range is None:
        index_range = (value + 1).bit_length() + 1 if value < 0 else max(1, value.bit_length())
    bits = index_range if isinstance(index_range, int) else len(index_range)
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise OutOfRangeError(f"{value!r} will not fit in a LogicArray with bounds: {index_range!r}")
    return value & ((1 << bits) - 1), index_range


def _make_array_or_raise_out_of_range(make_array: Callable[..., Any], value: int, index_range: Any) -> Any:
    try:
        return make_array(value, index_range)
    except ValueError as error:
        raise OutOfRangeError(str(error)) from None
