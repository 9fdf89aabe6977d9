# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the replacement unit: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


async def start(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.touch.value = dut.touch_set.value = dut.touch_way.value = dut.set.value = dut.locked.value = 0
    dut.valid.value = 2 ** len(dut.valid) - 1
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def touch(dut, way, number=0):
    dut.touch.value, dut.touch_way.value, dut.touch_set.value = 1, way, number
    await FallingEdge(dut.clk)
    dut.touch.value = 0


async def victim(dut, number=0):
    dut.set.value = number
    await Timer(1, unit="ns")
    return int(dut.victim.value)


@cocotb.test()
async def eight_ways(dut):
    await start(dut)
    assert await victim(dut) == 0
    await touch(dut, 0)
    assert await victim(dut) == 4
    await touch(dut, 4)
    assert await victim(dut) == 2
