# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: one branch is learnt."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def learns_a_branch(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    dut.pc.value = 0x40
    dut.update.value = 0
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    assert dut.hit.value == 0
    dut.update.value = 1
    dut.update_pc.value = 0x40
    dut.update_taken.value = 1
    dut.update_target.value = 0x20
    await FallingEdge(dut.clk)
    assert dut.taken.value == 1
    assert dut.target.value == 0x20
