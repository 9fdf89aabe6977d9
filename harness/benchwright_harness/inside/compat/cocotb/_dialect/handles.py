"""Handles that can be compared, indexed, called true and assigned to as they once could."""

from typing import Any

import cocotb.handle as genuine
from cocotb._dialect.values import OutOfRangeError
from cocotb.binary import BinaryValue
from cocotb.types import Logic, LogicArray, Range

_OLD_ATTRIBUTES = {"log": "_log", "name": "_name", "fullname": "_path"}


class _ImmediateDeposit:
    """A deposit that does not wait for the read-write phase."""

    value = 0


class _ConstantType(type):
    def __instancecheck__(cls, handle: object) -> bool:
        return isinstance(handle, genuine.ValueObjectBase) and handle.is_const


class ConstantObject(metaclass=_ConstantType):
    """Old class of parameters and constants."""


class Assigned:
    """Result of `handle <= value`: an assignment, not a comparison."""

    def __bool__(self) -> bool:
        raise TypeError("`handle <= value` assigns; use `handle.value <= value` to compare")


class VectorElement:
    """One element of a packed vector, which 2.0 gives no handle to.

    Icarus has handles of bits, but dies when one is waited for.

    Args:
        vector: The handle of the vector.
        index: The element's index in the design.
    """

    def __init__(self, vector: Any, index: int) -> None:
        self.vector = vector
        self._path = f"{vector._path}[{index}]"
        self._name = f"{vector._name}[{index}]"
        self._log = vector._log
        indices = _index_range(vector)
        self._width = len(vector) // len(indices)
        self._start = indices.index(index) * self._width

    @property
    def value(self) -> Any:
        """The element as a `Logic`, or a `LogicArray` where it has several bits."""
        bits = str(self.vector.value)[self._start : self._start + self._width]
        return Logic(bits) if self._width == 1 else LogicArray(bits)

    @value.setter
    def value(self, value: Any) -> None:
        pending = genuine._write_calls.get(self.vector)
        bits = str(self.vector.value) if pending is None else _as_bits(pending[2], len(self.vector))
        new = _as_bits(int(value) if isinstance(value, bool) else value, self._width)
        if len(new) != self._width:
            raise OutOfRangeError(f"{value!r} does not fit {self._path}")
        self.vector.value = LogicArray(bits[: self._start] + new + bits[self._start + self._width :])

    def set(self, value: Any) -> None:
        """Assign as `value` does."""
        self.value = value

    def get(self) -> Any:
        """Read as `value` does."""
        return self.value

    setimmediatevalue = set

    def __int__(self) -> int:
        return int(self.value)

    def __str__(self) -> str:
        return str(self.value)

    def __len__(self) -> int:
        return self._width

    def __le__(self, value: Any) -> Assigned:
        self.value = value
        return Assigned()

    def __eq__(self, other: object) -> bool:
        return self is other if isinstance(other, VectorElement) else bool(self.value == other)

    __hash__ = object.__hash__


def restore_old_interface() -> None:
    """Change the handle classes and restore their old names."""
    _restore_comparison_and_assignment()
    _accept_old_values_in_assignments()
    _restore_indexing_of_vectors()
    _restore_old_names()


def _restore_comparison_and_assignment() -> None:
    base, values = genuine.SimHandleBase, genuine.ValueObjectBase

    def eq(self: Any, other: object) -> Any:
        return base.__eq__(self, other) if isinstance(other, base) else self.value == other

    def le(self: Any, value: Any) -> Assigned:
        self.value = value
        return Assigned()

    def set_immediate_value(self: Any, value: Any) -> None:
        if isinstance(value, genuine.Deposit):
            value = value.value
        if isinstance(value, genuine.Force | genuine.Freeze | genuine.Release | genuine.Immediate):
            self.set(value)
            return
        if self.is_const:
            raise TypeError("Attempted setting an immutable object")
        # 2.0.1 means to write at once too, but its action is an alias of the deposit that waits.
        self._set_value(value, _ImmediateDeposit)

    base.__bool__ = lambda self: True
    values.__eq__ = eq
    values.__hash__ = base.__hash__
    values.__le__ = le
    values.setimmediatevalue = set_immediate_value
    values._range = property(lambda self: (self.range.left, self.range.right))
    for old, new in _OLD_ATTRIBUTES.items():
        setattr(values, old, property(lambda self, new=new: getattr(self, new)))

    scope = genuine.HierarchyObject
    genuine_getattr = scope.__getattr__

    def get_child(self: Any, name: str) -> Any:
        try:
            return genuine_getattr(self, name)
        except AttributeError:
            if name in _OLD_ATTRIBUTES:
                return getattr(self, _OLD_ATTRIBUTES[name])
            raise

    def set_child(self: Any, name: str, value: object) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        child = self._get(name)
        if not isinstance(child, values):
            raise AttributeError(f"{self._path} contains no object named {name}")
        child.value = value

    scope.__getattr__ = get_child
    scope.__setattr__ = set_child


def _accept_old_values_in_assignments() -> None:
    scalar, vector = genuine.LogicObject._set_value, genuine.LogicArrayObject._set_value

    def set_scalar(self: Any, value: Any, action: Any) -> None:
        if isinstance(value, BinaryValue):
            value = LogicArray(value)
        elif isinstance(value, int):
            if not -1 <= value <= 1:
                raise OutOfRangeError(f"Int value ({value!r}) out of range for assignment of 1-bit signal")
            value = abs(int(value))
        scalar(self, value, action)

    def set_vector(self: Any, value: Any, action: Any) -> None:
        if isinstance(value, BinaryValue):
            value = LogicArray(value)
        try:
            vector(self, value, action)
        except ValueError as error:
            if isinstance(value, int):
                raise OutOfRangeError(str(error)) from None
            raise

    genuine.LogicObject._set_value = set_scalar
    genuine.LogicArrayObject._set_value = set_vector
    for kind in (genuine.IntegerObject, genuine.EnumObject):
        kind._set_value = _setter_with_conversion(kind._set_value, (Logic, LogicArray, BinaryValue), int)
    genuine.RealObject._set_value = _setter_with_conversion(genuine.RealObject._set_value, (object,), float)
    genuine.StringObject._set_value = _setter_with_conversion(genuine.StringObject._set_value, (str,), str.encode)


def _setter_with_conversion(genuine_set: Any, converted_types: tuple[type, ...], convert_value: Any) -> Any:
    def set_value(self: Any, value: Any, action: Any) -> None:
        try:
            genuine_set(self, convert_value(value) if isinstance(value, converted_types) else value, action)
        except ValueError as error:
            raise OutOfRangeError(str(error)) from None

    return set_value


def _restore_indexing_of_vectors() -> None:
    vector, scalar = genuine.LogicArrayObject, genuine.LogicObject

    def get_bit(self: Any, index: int) -> Any:
        if isinstance(index, slice):
            raise IndexError("Slice indexing is not supported")
        if index not in _index_range(self):
            raise IndexError(f"{self._path} contains no object at index {index}")
        return self.__dict__.setdefault("_parts", {}).setdefault(index, VectorElement(self, index))

    def set_bit(self: Any, index: int, value: Any) -> None:
        get_bit(self, index).value = value

    def get_only_bit(self: Any, index: int) -> Any:
        if index != 0:
            raise IndexError(f"{self._path} contains no object at index {index}")
        return self

    vector.__getitem__ = get_bit
    vector.__setitem__ = set_bit
    vector.__iter__ = lambda self: (get_bit(self, index) for index in _index_range(self))
    scalar.__getitem__ = get_only_bit
    scalar.__iter__ = lambda self: iter(())
    genuine.ArrayObject.__setitem__ = lambda self, index, value: setattr(self[index], "value", value)


def _restore_old_names() -> None:
    genuine.ConstantObject = ConstantObject
    genuine.SimHandle = genuine._make_sim_object
    genuine.HierarchyObjectBase = genuine.RegionObject = genuine._HierarchyObjectBase
    genuine.NonHierarchyObject = genuine.ValueObjectBase
    genuine.NonConstantObject = genuine.ValueObjectBase
    genuine.NonHierarchyIndexableObject = genuine.NonHierarchyIndexableObjectBase = genuine.ArrayObject
    genuine.ModifiableObject = genuine.NonArrayValueObject = genuine._NonIndexableValueObjectBase


def _index_range(vector: Any) -> Range:
    """Range of a vector's elements as the design counts them; Icarus does not know it of the words of a memory."""
    return Range(len(vector) - 1, "downto", 0) if vector._name.endswith("]") else vector.range


def _as_bits(value: Any, width: int) -> str:
    if not isinstance(value, int):
        return str(value)
    if not -(1 << (width - 1)) <= value < 1 << width:
        raise OutOfRangeError(f"Int value ({value!r}) out of range for assignment of {width}-bit signal")
    return f"{value & ((1 << width) - 1):0{width}b}"
