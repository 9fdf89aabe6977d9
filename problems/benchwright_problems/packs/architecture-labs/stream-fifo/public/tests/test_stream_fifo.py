# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: nothing is said yet of a full FIFO, a flush or the order of words."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def a_word_comes_out_again(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    dut.flush.value = 0
    dut.s_valid.value = 0
    dut.m_ready.value = 0
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    dut.s_valid.value = 1
    dut.s_data.value = 0x5A
    await FallingEdge(dut.clk)
    dut.s_valid.value = 0
    await FallingEdge(dut.clk)
    assert dut.m_valid.value == 1
    assert dut.m_data.value == 0x5A
