# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: register 0 and the bypass are not tested yet."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def a_word_can_be_read_after_it_was_written(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.write_en.value = 1
    dut.write_addr.value = 5
    dut.write_data.value = 0x11
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.write_en.value = 0
    dut.read_addr1.value = 5
    await FallingEdge(dut.clk)
    assert dut.read_data1.value == 0x11
