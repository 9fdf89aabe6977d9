"""The channel of Verilog testbenches, and the watch over time: modules for Icarus, objects for Verilator."""

from __future__ import annotations

from benchwright_harness.plan.tool_versions import tool_versions
from benchwright_harness.toolchain import tree
from benchwright_harness.toolchain.build.root import RootFileSystem

_SOURCE, _END = "channel.c", "channel_end.cpp"
_WATCH, _TIME = "watch.c", "watch_time.cpp"


def add_channel(root: RootFileSystem) -> None:
    """Compile both; every Icarus has the interface of the newest."""
    root.host_path(tree.CHANNEL).parent.mkdir()
    header_folder = f"{tree.icarus([*tool_versions().icarus][-1])}/include"
    # The objects of a simulation are compiled with these.
    options = ("-std=gnu++20", "-fcoroutines", f"-I{tree.VERILATOR_ROOT}/include")
    for c_file, source, object_name in ((_SOURCE, _END, f"{tree.CHANNEL}_end"), (_WATCH, _TIME, f"{tree.WATCH}_time")):
        name = tree.CHANNEL if c_file == _SOURCE else tree.WATCH
        root.compile_c(c_file, "-shared", "-fPIC", f"-I{header_folder}", "-o", f"{name}.vpi")
        root.compile_c(c_file, "-DVERILATOR", "-c", "-o", f"{name}.o")
        root.compile_c(source, *options, "-c", "-o", f"{object_name}.o", language="c++")
