"""Everything that cocotb 2.0 renamed, refuses or dropped, put back one subject at a time."""

import enum
import os
from types import ModuleType

import cocotb._gpi_triggers
import cocotb.types
from cocotb._dialect import aliases, clock, coroutines, handles, kinds, tests, triggers, values


class SimPhase(enum.Enum):
    """Phase of a time step that the simulation is in."""

    NORMAL = enum.auto()
    READ_WRITE = enum.auto()
    READ_ONLY = enum.auto()


def restore_old_interface(package: ModuleType) -> None:
    """Change the genuine modules so that older harnesses run."""
    values.restore_old_interface()
    handles.restore_old_interface()
    kinds.restore_old_interface()
    triggers.restore_old_interface()
    coroutines.restore_old_interface(package)
    tests.restore_old_interface(package)
    clock.restore_old_interface()
    aliases.restore_old_interface()
    package.SimPhase = SimPhase  # type: ignore[attr-defined]
    package.LANGUAGE = os.getenv("TOPLEVEL_LANG")  # type: ignore[attr-defined]


def present_attribute_value(attribute_name: str) -> object:
    """Attributes of the package `cocotb` whose value changes during a simulation."""
    if attribute_name == "sim_phase":
        trigger = cocotb._gpi_triggers.current_gpi_trigger()
        if isinstance(trigger, cocotb._gpi_triggers.ReadWrite):
            return SimPhase.READ_WRITE
        if isinstance(trigger, cocotb._gpi_triggers.ReadOnly):
            return SimPhase.READ_ONLY
        return SimPhase.NORMAL
    if attribute_name == "argc":
        return len(cocotb.argv)
    later = {"scheduler": "_scheduler_inst", "regression_manager": "_regression_manager"}
    if attribute_name in later and hasattr(cocotb, later[attribute_name]):
        return getattr(cocotb, later[attribute_name])
    raise AttributeError(f"module 'cocotb' has no attribute {attribute_name!r}")
