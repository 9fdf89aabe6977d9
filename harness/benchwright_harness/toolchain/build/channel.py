"""The channel of Verilog testbenches: a module for Icarus, and an object for simulations of Verilator."""

from __future__ import annotations

from benchwright_harness.tool_versions import tool_versions
from benchwright_harness.toolchain import tree
from benchwright_harness.toolchain.build.root import Root

_SOURCE, _END = "channel.c", "channel_end.cpp"


def add_channel(root: Root) -> None:
    """Compile it; every Icarus has the interface of the newest."""
    root.place(tree.CHANNEL).parent.mkdir()
    headers = f"{tree.icarus([*tool_versions().icarus][-1])}/include"
    root.compile_c(_SOURCE, "-shared", "-fPIC", f"-I{headers}", "-o", f"{tree.CHANNEL}.vpi")
    root.compile_c(_SOURCE, "-DVERILATOR", "-c", "-o", f"{tree.CHANNEL}.o")
    # The objects of a simulation are compiled with these.
    options = ("-std=gnu++20", "-fcoroutines", f"-I{tree.VERILATOR_ROOT}/include")
    root.compile_c(_END, *options, "-c", "-o", f"{tree.CHANNEL}_end.o", language="c++")
