# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: one unsigned division."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


async def divide(dut, is_signed, dividend, divisor):
    """Quotient and remainder, when the divider says that it is done."""
    dut.start.value = 1
    dut.is_signed.value = is_signed
    dut.dividend.value = dividend
    dut.divisor.value = divisor
    await FallingEdge(dut.clk)
    dut.start.value = 0
    for _ in range(40):
        await FallingEdge(dut.clk)
        if dut.done.value == 1:
            return int(dut.quotient.value), int(dut.remainder.value)
    raise AssertionError("done never came")


@cocotb.test()
async def divides_13_by_3(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    dut.start.value = 0
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    assert await divide(dut, 0, 13, 3) == (4, 1)
