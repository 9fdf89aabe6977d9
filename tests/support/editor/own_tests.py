"""Fixtures and helpers of the tests of own tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types

from ...lsp.conftest import Editors
from ...lsp.session import Editor

COUNTER = """\
module counter(input logic clk, input logic rst_n, output logic [3:0] q);
  always_ff @(posedge clk) if (!rst_n) q <= 0; else q <= q + 1;
endmodule
"""


WRONG = COUNTER.replace("q + 1", "q + 2")


TESTS = """\
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


@cocotb.test()
@cocotb.parametrize(cycles=[2, 3])
async def counts(dut, cycles):
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst_n.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    for _ in range(cycles + 1):
        await RisingEdge(dut.clk)
    assert int(dut.q.value) == cycles
"""


TESTBENCH = """\
module tb;
  logic clk = 0, rst_n = 0;
  logic [3:0] q;
  counter dut(.*);
  always #5 clk = ~clk;
  initial begin
    #12 rst_n = 1;
    #40;
    if (q != 4) $error("q is %0d", q);
    $finish;
  end
endmodule
"""


def folder_with(tmp_path: Path, **files: str) -> Path:
    texts = {
        "rtl/counter.sv": COUNTER,
        "tests/test_counter.py": TESTS,
        "tb/tb.sv": TESTBENCH,
        **{name.replace("__", "/").replace("_sv", ".sv").replace("_py", ".py"): text for name, text in files.items()},
    }
    folder = tmp_path / "design"
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


async def open_own_tests(editors: Editors, folder: Path, **settings: Any) -> Editor:
    editor = await editors(options={"ownTests": settings} if settings else None)
    workspace_folder = types.WorkspaceFolder(folder.as_uri(), folder.name)
    change = types.WorkspaceFoldersChangeEvent([workspace_folder], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))
    return editor


def results(runs_reply: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {test_result["id"]: test_result for run in runs_reply["runs"] for test_result in run["results"]}
