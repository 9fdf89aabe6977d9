"""Which signal of a design a signal of a waveform is, and the other way.

A waveform begins at what was simulated, often below the design's top: `counter.q` is `tb.dut.q` in a design where `tb`
instantiates `counter`. Verilator puts all into a scope `TOP`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_verilog.semantics.compilation.instances import Design

_WRAPPER = "TOP"
_MOST = 16


def in_design(design: Design, path: str) -> list[str]:
    """The paths in a design that a path of a waveform may be, best first."""
    first, _, rest = path.removeprefix(f"{_WRAPPER}.").partition(".")
    if not rest:
        return []
    tops = [one.path for one in design.tops() if one.name == first]
    instances = [one.path for one in design.of_module(first)[:_MOST]]
    return [f"{around}.{rest}" for around in dict.fromkeys((*tops, *instances))]


def in_waveform(design: Design, path: str, tops: Sequence[str]) -> list[str]:
    """The paths in a waveform that a path of a design may be, best first.

    Args:
        design: The design.
        path: Of a signal, or of a scope with a name after it.
        tops: The waveform's outermost scopes.
    """
    found = []
    for around in design.along(path.rpartition(".")[0]):
        rest = path[len(around.path) + 1 :]
        for name in dict.fromkeys((around.name, around.module)):
            found += [f"{name}.{rest}"] if name in tops else []
            found += [f"{_WRAPPER}.{name}.{rest}"] if _WRAPPER in tops else []
    return found
