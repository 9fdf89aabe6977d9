# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended with the example of the statement."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def requester_0_is_first_after_a_reset(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    dut.req.value = 0b1111
    dut.hold.value = 0
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    assert dut.grant.value == 0b0001
    await FallingEdge(dut.clk)
    assert dut.grant.value == 0b0010
