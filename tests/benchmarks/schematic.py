"""Time for a schematic of 1,000 cells: Yosys apart from the layout.

Run as `.venv/bin/python tests/benchmarks/schematic.py`. The extension has to be built, and
Node.js 24 on PATH.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchwright_server.features.design.design_views import _schematic_view
from benchwright_server.features.editor.locations import Locations
from benchwright_server.netlist.schematic import draw_schematic
from benchwright_server.netlist.yosys import Yosys
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.semantics.project.standalone_files import standalone_files
from benchwright_verilog.syntax.documents import Documents

CLIENT = Path(__file__).parents[2] / "client-vscode"
_LAYOUT = """
import { readFileSync } from "node:fs";
const { layoutGraph, drawing } = await import(`${process.cwd()}/src/schematicGraph.ts`);
const { Layout } = await import(`${process.cwd()}/src/schematicLayout.ts`);
const view = JSON.parse(readFileSync(process.argv[2], "utf8"));
const layout = new Layout("./out/layoutWorker.cjs");
for (let turn = 0; turn < 5; turn++) {
  const start = performance.now();
  const made = drawing(view, await layout.laidOut(layoutGraph(view)));
  console.log(((performance.now() - start) / 1000).toFixed(3), made.boxes.length, made.lines.length);
}
layout.dispose();
"""


class _NoEditor:
    """A client with no open file."""

    def __init__(self) -> None:
        self.documents = Documents()


def module(cell_count: int, stages: int = 10) -> str:
    """Lanes of stages; each has an adder, an exclusive or with the lane beside it, a multiplexer and a register."""
    lanes = cell_count // 4 // stages
    lines = ["module big(input logic clk, rst, input logic [7:0] d, output logic [7:0] q);"]
    lane_stages = [(lane, stage) for lane in range(lanes) for stage in range(stages)]
    lines += [f"  logic [7:0] a{lane}_{stage}, r{lane}_{stage};" for lane, stage in lane_stages]
    for lane in range(lanes):
        for stage in range(stages):
            suffix, previous_signal = f"{lane}_{stage}", f"r{lane}_{stage - 1}" if stage else "d"
            neighbour = f"r{(lane + 1) % lanes}_{stage - 1}" if stage else f"8'd{lane}"
            lines += [
                f"  assign a{suffix} = {previous_signal} + 8'd{lane + stage} ^ {neighbour};",
                f"  always_ff @(posedge clk) r{suffix} <= rst ? 8'd0 : a{suffix};",
            ]
    final_expression = " ^ ".join(f"r{lane}_{stages - 1}" for lane in range(lanes))
    return "\n".join([*lines, f"  assign q = {final_expression};", "endmodule", ""])


def _output(command: list[str]) -> str:
    return subprocess.run(command, cwd=CLIENT, stdout=subprocess.PIPE, text=True, check=True).stdout


async def main() -> None:
    """Prints both."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "big.sv").write_text(module(1000))
        design = Project(folder, Documents()).instance_tree_of(folder / "big.sv")
        (instance,) = design.instances_of_module("big")
        took = []
        for _ in range(5):
            start = time.perf_counter()
            netlist = await Yosys().netlist(instance, standalone_files(design, [instance]), [])
            drawn_schematic = draw_schematic(netlist)
            took.append(time.perf_counter() - start)
        print(f"{len(drawn_schematic.cells)} cells, {len(drawn_schematic.connections)} connections")
        print(f"Yosys and reading its netlist: {statistics.median(took):.2f} s (median of 5)")
        view = _schematic_view(Locations(_NoEditor()), instance, drawn_schematic)  # type: ignore[arg-type]
        file = folder / "view.json"
        file.write_text(json.dumps(view.model_dump(mode="json", by_alias=True)))
        # In a file: the thread would inherit the options of a script on the command line, and not start.
        script = folder / "layout.mjs"
        script.write_text(_LAYOUT)
        command = ["node", str(script), str(file)]
        output = await asyncio.to_thread(_output, command)
        print("Layout in a thread of the extension, the first with its start, in s, boxes, lines:", output, sep="\n")


asyncio.run(main())
