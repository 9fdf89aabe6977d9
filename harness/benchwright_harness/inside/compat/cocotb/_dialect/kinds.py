"""Kinds that GPI told apart before 2.0: nets from variables, and constants, whose values were integers.

Harnesses of CVDP 1.0 find a design's inputs by the one, and compute with parameters by the other.
"""

import ctypes
from functools import cache, cached_property
from typing import Any

import cocotb.handle as genuine
from cocotb.types import Logic, LogicArray

_LOGIC = frozenset({"GPI_LOGIC", "GPI_LOGIC_ARRAY"})
# Of IEEE 1364-2005, annex G.
_VPI_TYPE = 1
_VPI_SIGNED = 65
_VPI_NETS = frozenset({36, 37})


class Constant(int):
    """A parameter's value, with what values of signals have."""

    is_resolvable = True
    integer = signed_integer = property(int)
    to_unsigned = to_signed = int.__int__


def restore_old_interface() -> None:
    """Change the type of handles, and the value of constants."""
    gpi_type = genuine.SimHandleBase._type.func

    def kind(self: Any) -> str:
        name: str = gpi_type(self)
        if name not in _LOGIC:
            return name
        if self.is_const:
            return "GPI_INTEGER"
        return "GPI_NET" if _vpi_property_if_callable(self._path, _VPI_TYPE) in _VPI_NETS else "GPI_REGISTER"

    changed = cached_property(kind)
    changed.__set_name__(genuine.SimHandleBase, "_type")
    genuine.SimHandleBase._type = changed
    for handle in (genuine.LogicObject, genuine.LogicArrayObject):
        handle.get = _getter_with_integer_constants(handle.get)


def _getter_with_integer_constants(get_value: Any) -> Any:
    def value(self: Any) -> Any:
        found: Logic | LogicArray = get_value(self)
        if not self.is_const or not found.is_resolvable:
            return found
        unsigned, bits = int(found), len(str(found))
        negative = unsigned >> (bits - 1) and _vpi_property_if_callable(self._path, _VPI_SIGNED)
        return Constant(unsigned - (1 << bits) if negative else unsigned)

    return value


def _vpi_property_if_callable(path: str, property_number: int) -> int | None:
    """A property of an object, as far as the simulator tells: Verilator's interface can't be called from here."""
    simulator = _vpi_library_if_callable()
    handle = simulator and simulator.vpi_handle_by_name(path.encode(), None)
    return simulator.vpi_get(property_number, handle) if handle else None


@cache
def _vpi_library_if_callable() -> Any:
    program = ctypes.CDLL(None)
    try:
        program.vpi_handle_by_name.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        program.vpi_handle_by_name.restype = ctypes.c_void_p
        program.vpi_get.argtypes = [ctypes.c_int32, ctypes.c_void_p]
    except AttributeError:
        return None
    return program
