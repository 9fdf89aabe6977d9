"""Modules that moved, under their old names."""

import functools
import logging
import sys
from types import ModuleType

import cocotb.logging
import cocotb.simtime
import cocotb.types._array
import cocotb.types._logic
import cocotb.types._logic_array
import cocotb.types._range
import cocotb.utils


def restore_old_interface() -> None:
    """Register the old names."""
    for name in ("array", "logic", "logic_array", "range"):
        sys.modules[f"cocotb.types.{name}"] = sys.modules[f"cocotb.types._{name}"]
    # Registered instead of being a file: importing a file `log` would replace the logger `cocotb.log`.
    log = ModuleType("cocotb.log")
    log.SimLog = _sim_log  # type: ignore[attr-defined]
    log.default_config = lambda: None  # type: ignore[attr-defined]
    for name in ("SimLogFormatter", "SimColourLogFormatter", "SimTimeContextFilter"):
        if hasattr(cocotb.logging, name):
            setattr(log, name, getattr(cocotb.logging, name))
    sys.modules["cocotb.log"] = log
    times = ModuleType("cocotb.sim_time_utils")
    for name in ("get_sim_time", "get_sim_steps", "get_time_from_sim_steps"):
        setattr(times, name, getattr(cocotb.utils, name))
    sys.modules["cocotb.sim_time_utils"] = cocotb.sim_time_utils = times  # type: ignore[attr-defined]
    cocotb.utils.lazy_property = functools.cached_property  # type: ignore[attr-defined]
    cocotb.utils.get_python_integer_types = lambda: (int,)  # type: ignore[attr-defined]


def _sim_log(name: str, object_id: object = None) -> logging.Logger:
    return logging.getLogger(name if object_id is None else f"{name}.0x{object_id:x}")
