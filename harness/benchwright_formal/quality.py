"""The quality of a design beside its correctness: size and depth in gates, without a library, and lint findings."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping

from benchwright_formal.bench import (
    INPUT_FOLDER,
    DesignFolder,
    random_unguessable_name,
    require_tool_success,
    temporary_design_folder,
)
from benchwright_formal.errors import NotModelledError
from benchwright_formal.sources import ComparedSources, compared_sources, require_plain_module_name
from benchwright_formal.yosys_script import yosys_quality_script
from benchwright_harness.errors import ToolMissingError
from benchwright_harness.execution.process import ProcessEnd
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Quality

_LONGEST = re.compile(rb"\(length=(\d+)\)")
_GATES = "AND,NAND,OR,NOR,XOR,XNOR,MUX"
_FLIP_FLOP = re.compile(r"\$_(?:S?DFFC?E?|ALDFFE?|DFFSRE?|FF)_")
_LATCH = re.compile(r"\$_(?:DLATCH|SR)")
_FINDING = re.compile(r"^%Warning-\w+: \S+:\d+", re.MULTILINE)
_SILENCED = re.compile(rb"\blint_off\b|`line\b")
"""Text that hides findings, or their places."""
_WIRES = ("$_BUF_", "$scopeinfo")


async def synthesised_quality(
    design_files: Mapping[str, bytes], top_module: str, *, sandbox: Sandbox, toolchain: Toolchain, limit_s: float = 60.0
) -> Quality:
    """Synthesises a design by Yosys and ABC, and lints it by Verilator.

    Args:
        design_files: Path → content; what is neither Verilog nor a header is left out.
        top_module: The module.
        sandbox: Sandbox in which the tools run.
        toolchain: Toolchain that has the tools.
        limit_s: Time in seconds.

    Raises:
        NotModelledError: The design can't be synthesised; the message names why.
        HarnessError: The sandbox or the tools do not work on this machine, with the next step.
    """
    require_plain_module_name(top_module)
    design_sources, folder = compared_sources(design_files), random_unguessable_name()
    with temporary_design_folder(design_sources.content_by_path(folder), sandbox, toolchain) as workbench:
        input_files = {"quality.ys": yosys_quality_script(top_module, design_sources, f"/code/{folder}", _GATES)}
        require_tool_success(
            *await workbench.run_shell_script(f"yosys -q -q -s {INPUT_FOLDER}/quality.ys", input_files, limit_s),
            "Yosys",
        )
        findings = await _lint_finding_count_unless_silenced(
            workbench, top_module, design_sources, f"/code/{folder}", toolchain, limit_s
        )
        netlist_json, path = workbench.file_left_by_script("quality.json"), workbench.file_left_by_script("path.txt")
    if netlist_json is None or path is None:
        raise NotModelledError("its netlist is too large")
    longest = _LONGEST.search(path)
    modules = json.loads(netlist_json)["modules"].values()
    cells = Counter(str(cell["type"]) for module in modules for cell in module["cells"].values())
    flip_flops = sum(number for kind, number in cells.items() if _FLIP_FLOP.match(kind))
    latches = sum(number for kind, number in cells.items() if _LATCH.match(kind))
    gate_count = cells.total() - flip_flops - latches - sum(cells[kind] for kind in _WIRES)
    return Quality(
        gates=gate_count,
        flip_flops=flip_flops,
        latches=latches,
        depth=int(longest[1]) if longest else 0,
        findings=findings,
    )


async def _lint_finding_count_unless_silenced(
    workbench: DesignFolder,
    top_module: str,
    design_sources: ComparedSources,
    sandbox_folder: str,
    toolchain: Toolchain,
    limit_s: float,
) -> int | None:
    if any(
        _SILENCED.search(text)
        for text in (*design_sources.source_contents, *design_sources.header_content_by_path.values())
    ):
        return None
    try:
        toolchain.require_tools({"verilator"}, ToolSelection())
    except ToolMissingError:
        return None
    includes = (f"-I{include_folder}" for include_folder in design_sources.include_folders(sandbox_folder))
    # The files have other names than their modules here.
    options = ("--lint-only", "-Wall", "-Wno-fatal", "-Wno-DECLFILENAME", "--timing", "--top-module", top_module)
    command = " ".join(("verilator", *options, *includes, *design_sources.source_paths(sandbox_folder), "2>&1"))
    end, exit_code, verilator_output = await workbench.run_shell_script(command, {}, limit_s)
    # What it refuses, it does not lint to the end.
    return len(_FINDING.findall(verilator_output)) if end is ProcessEnd.EXITED and exit_code == 0 else None
