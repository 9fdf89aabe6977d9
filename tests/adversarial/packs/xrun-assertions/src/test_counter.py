# CANARY-e1d7
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def test_counts_up_and_down(dut):
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst_n.value, dut.en.value, dut.up.value = 0, 0, 0
    await FallingEdge(dut.clk)
    dut.rst_n.value, dut.en.value, dut.up.value = 1, 1, 1
    for expected in (1, 2, 3):
        await FallingEdge(dut.clk)
        assert dut.count.value == expected
    dut.up.value = 0
    await FallingEdge(dut.clk)
    assert dut.count.value == 2
