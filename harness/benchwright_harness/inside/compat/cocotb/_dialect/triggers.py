"""Triggers with their old arguments, attributes and names."""

from typing import Any

import cocotb._base_triggers as base
import cocotb._extended_awaitables as extended
import cocotb._gpi_triggers as gpi
import cocotb.handle
import cocotb.regression
import cocotb.triggers
from cocotb._dialect.handles import VectorElement


class _CallableLockState:
    """`Lock.locked`: once an attribute, now a method; this is both."""

    def __init__(self, locked: bool) -> None:
        self._locked = locked

    def __call__(self) -> bool:
        return self._locked

    def __bool__(self) -> bool:
        return self._locked


class VectorElementEdge(extended.Waitable):  # type: ignore[type-arg]
    """An edge of one bit of a vector: a change of the vector that changes the bit to a level."""

    def __init__(self, vector_element: VectorElement, edge_level: str) -> None:
        self.signal = vector_element
        self._level = edge_level

    async def _wait(self) -> "VectorElementEdge":
        before = str(self.signal.value)
        while True:
            await gpi.ValueChange(self.signal.vector)
            now = str(self.signal.value)
            if now != before and self._level in ("", now):
                return self
            before = now


def restore_old_interface() -> None:
    """Change the trigger classes."""
    _accept_old_timer_arguments()
    _allow_read_only_again()
    _accept_edges_of_any_signal()
    _accept_missing_timeout_unit()
    base.Event.fired = property(lambda self: self._fired)
    base.Lock.locked = property(lambda self: _CallableLockState(self._locked))
    base.Trigger.log = property(lambda self: self._log)
    base.Trigger.prime = lambda self, callback: self._prime(callback)
    base.Trigger.unprime = lambda self: self._unprime()
    genuine_null = base.NullTrigger.__init__
    base.NullTrigger.__init__ = lambda self, name=None, outcome=None: genuine_null(self, name)
    cocotb.triggers.PythonTrigger = base.Trigger
    cocotb.triggers.TriggerException = Exception


def _accept_old_timer_arguments() -> None:
    genuine_init = gpi.Timer.__init__

    def init(
        self: Any,
        time: Any = None,
        unit: Any = "step",
        *,
        round_mode: Any = None,
        units: Any = None,
        time_ps: Any = None,
    ) -> None:
        unit = units or unit or "step"
        time = time_ps if time is None else time
        if time != 0:
            genuine_init(self, time, unit, round_mode=round_mode)
            return
        # Fires later in the same time step, as it did before 2.0 refused it.
        gpi.GPITrigger.__init__(self)
        self._sim_steps = 0

    gpi.Timer.__init__ = init


def _allow_read_only_again() -> None:
    def wait(self: Any) -> Any:
        # 2.0 raises where the phase is there already.
        if not isinstance(gpi.current_gpi_trigger(), gpi.ReadOnly):
            yield self
        return self

    gpi.ReadOnly.__await__ = wait


def _accept_edges_of_any_signal() -> None:
    for kind, level in ((gpi.RisingEdge, "1"), (gpi.FallingEdge, "0"), (gpi.ValueChange, ""), (gpi.Edge, "")):
        kind.__new__ = _edge_maker_for_any_signal(kind.__new__, kind, level)


def _edge_maker_for_any_signal(genuine_new: Any, edge_class: Any, edge_level: str) -> Any:
    def new(cls: Any, signal: Any) -> Any:
        if isinstance(signal, VectorElement):
            return VectorElementEdge(signal, edge_level)
        if edge_level and isinstance(signal, cocotb.handle.LogicArrayObject):
            # Of several bits only one can be an edge; a vector of one bit is a vector to some simulators.
            known = signal.__dict__.setdefault("_edges", {})
            return (
                known.setdefault(edge_class, edge_class._make(signal)) if edge_class not in known else known[edge_class]
            )
        return genuine_new(cls, signal)

    return new


def _accept_missing_timeout_unit() -> None:
    genuine = extended.with_timeout

    async def with_timeout(trigger: Any, timeout_time: Any, timeout_unit: Any = "step", round_mode: Any = None) -> Any:
        return await genuine(trigger, timeout_time, timeout_unit or "step", round_mode)

    with_timeout.__doc__ = genuine.__doc__
    for module in (extended, cocotb.triggers, cocotb.regression):
        module.with_timeout = with_timeout
