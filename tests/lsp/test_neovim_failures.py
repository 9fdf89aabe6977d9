"""A real Neovim with what the how-tos say about failures and waveforms, after a test of the person's own has failed."""

from __future__ import annotations

from typing import Any

import pytest

from ..support.editor.neovim import configuration, play_script, pytestmark
from ..support.editor.other_editors import configurations

__all__ = ["pytestmark"]

# `full` comes one cycle late, and what is driven twice is a finding.
COUNTER = """\
module counter(input logic clk, output logic full, output logic [3:0] count);
  logic [3:0] spare;
  initial {full, count} = '0;
  always_ff @(posedge clk) begin
    count <= count + 1;
    full <= count == 4'd6 || (|spare === 1'b1);
  end
endmodule
"""
TESTBENCH = """\
module tb;
  logic clk = 0, full;
  logic [3:0] count;
  counter dut(.*);
  always #5 clk = ~clk;
  initial begin
    @(posedge full);
    if (count != 6) $error("count is %0d", count);
    $finish;
  end
endmodule
"""
ANNOUNCED = "capabilities.experimental = { commands = { commands = { 'benchwright.explainFinding' } } }\n"


def snippet(page: str) -> str:
    (block,) = configurations(page, "lua")
    return block


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Results that one session showed."""
    folder = tmp_path_factory.mktemp("neovim")
    for path, text in {"rtl/counter.sv": COUNTER, "tb/tb.sv": TESTBENCH, ".git/HEAD": ""}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    waves = folder / "waves.lua"
    waves.write_text(snippet("waveforms.md"))
    first_line = "local started = {}\n"
    init = configuration()
    assert first_line in init
    init = init.replace(first_line, ANNOUNCED + first_line) + snippet("understand-a-failure.md")
    return play_script(folder, init, "neovim_failures.lua", WAVES=str(waves))


def test_a_failed_test_is_explained_in_a_floating_window(seen: dict[str, Any]) -> None:
    assert not seen["passed"]
    assert "# Why it may fail" in seen["explained"]
    assert "count is 7" in seen["explained"]


def test_a_finding_is_explained_by_its_code_action(seen: dict[str, Any]) -> None:
    assert seen["finding"].startswith("# multiple-always-assigns")
    assert "## Wrong" in seen["finding"]


def test_a_waveform_says_when_a_signal_rose_and_what_another_was_then(seen: dict[str, Any]) -> None:
    time, value = seen["printed"]
    assert time > 0
    assert value == "h7"
