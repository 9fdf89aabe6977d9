"""Mapping of the signals of a waveform to those of a design, and the other way.

A waveform begins at what was simulated, often below the design's top: `counter.q` is `tb.dut.q` in a design where `tb`
instantiates `counter`. Verilator puts all into a scope `TOP`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_verilog.semantics.compilation.instances import InstanceTree

_WRAPPER = "TOP"
_MOST = 16


def design_paths_for(design: InstanceTree, waveform_path: str) -> list[str]:
    """The paths in a design that a path of a waveform may be, best first."""
    first_name, _, inner_path = waveform_path.removeprefix(f"{_WRAPPER}.").partition(".")
    if not inner_path:
        return []
    tops = [instance.path for instance in design.tops() if instance.name == first_name]
    instances = [instance.path for instance in design.instances_of_module(first_name)[:_MOST]]
    return [f"{instance_path}.{inner_path}" for instance_path in dict.fromkeys((*tops, *instances))]


def waveform_paths_for(design: InstanceTree, design_path: str, waveform_tops: Sequence[str]) -> list[str]:
    """The paths in a waveform that a path of a design may be, best first.

    Args:
        design: The design.
        design_path: Path of a signal, or of a scope with a name after it.
        waveform_tops: The waveform's outermost scopes.
    """
    paths = []
    for instance in design.instances_along(design_path.rpartition(".")[0]):
        inner_path = design_path[len(instance.path) + 1 :]
        for name in dict.fromkeys((instance.name, instance.module)):
            paths += [f"{name}.{inner_path}"] if name in waveform_tops else []
            paths += [f"{_WRAPPER}.{name}.{inner_path}"] if _WRAPPER in waveform_tops else []
    return paths
