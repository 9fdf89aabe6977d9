"""An agent asks about the waveform of an own test: signals, values, edges, values when another signal rises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from benchwright_attempts.events.events import AidUsed

from .session import Desk, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

BENCH = """
`timescale 1ns / 1ns
module tb_wave;
  logic clk = 0;
  logic [3:0] count = 0;
  logic full = 0;
  always #5 clk = ~clk;
  always @(posedge clk) begin
    count <= count + 1;
    full <= count == 4'd6;
  end
  initial begin
    #30000 $finish;
  end
endmodule
"""
CLOCK, COUNT, FULL = (f"tb_wave.{name}" for name in ("clk", "count", "full"))


async def use(desk: Desk, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await desk.editor.ask("agentTool", uri=desk.uri, tool=tool, arguments=arguments, agent="a 1")
    reply: dict[str, Any] = json.loads(answer["text"])
    return reply


async def test_an_agent_learns_the_value_of_a_signal_when_another_rose(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    (desk.folder / "tests").mkdir()
    (desk.folder / "tests" / "tb_wave.sv").write_text(BENCH)
    (run,) = (await use(desk, "run_own_tests", ids=["tests/tb_wave.sv"], waves=True))["runs"]
    waves = run["waves"]
    listing = await use(desk, "wave_signals", waves=waves)
    assert {CLOCK, COUNT, FULL} <= {signal["path"] for signal in listing["signals"]}
    assert [signal["path"] for signal in (await use(desk, "wave_signals", waves=waves, words=["FULL"]))["signals"]] == [
        FULL
    ]

    first_rise = await use(desk, "wave_values_when", waves=waves, signal=FULL, edge="rise", read=[COUNT, FULL])
    assert first_rise["values"] == {COUNT: "h7", FULL: "h1"}
    assert first_rise["values_before"] == {COUNT: "h6", FULL: "h0"}
    falling_change = await use(desk, "wave_change", waves=waves, signal=FULL, edge="fall")
    assert falling_change["time"] > first_rise["time"]
    third_rise = await use(desk, "wave_change", waves=waves, signal=CLOCK, edge="rise", nth=3)
    late_rise = await use(desk, "wave_change", waves=waves, signal=CLOCK, edge="rise", nth=2_500)
    assert late_rise["time"] - third_rise["time"] == 2_497 * (third_rise["time"] * 2 // 5)
    assert late_rise == await use(desk, "wave_change", waves=waves, signal=CLOCK, nth=5_000 - 1)
    values = await use(desk, "wave_values", waves=waves, signals=[COUNT], time=third_rise["time"])
    assert values["values"] == {COUNT: "h3"}
    assert (await use(desk, "wave_change", waves=waves, signal=COUNT, value="h5"))["value"] == "h5"

    for tool, arguments, message in (
        ("wave_change", {"signal": FULL, "edge": "rise", "nth": 900}, "changes to h1 188 times after 0"),
        ("wave_change", {"signal": FULL, "nth": 900}, "changes at all 37[67] times after 0"),
        ("wave_change", {"signal": "nowhere"}, "no signal nowhere"),
        ("wave_values", {"signals": [COUNT], "time": 1 << 70}, "time"),
        ("wave_signals", {"waves": "../../x.fst"}, "not in the workspace"),
        ("wave_signals", {"waves": "rtl/sat_counter.sv"}, "."),
    ):
        with pytest.raises(JsonRpcException, match=message):
            await use(desk, tool, **{"waves": waves, **arguments})
    aid_uses = {(event.aid, event.through) for event in desk.events() if isinstance(event, AidUsed)}
    assert aid_uses == {("agent_tools", "agent"), ("own_tests", "agent"), ("waveforms", "agent")}
