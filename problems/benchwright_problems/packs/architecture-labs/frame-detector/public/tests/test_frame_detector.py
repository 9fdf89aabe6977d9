# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: the pattern comes once, without gaps and without false starts."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def finds_the_pattern_once(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst_n.value = 0
    dut.valid.value = 0
    dut.lock.value = 0
    await FallingEdge(dut.clk)
    dut.rst_n.value = 1
    dut.valid.value = 1
    for bit in (1, 1, 0, 1, 0):
        dut.bit_in.value = bit
        await FallingEdge(dut.clk)
    dut.valid.value = 0
    assert dut.match.value == 1
    assert dut.progress.value == 5
    assert dut.count.value == 1
