# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the cache: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


async def start(dut):
    Clock(dut.clk, 10, unit="ns").start()
    for port in (dut.req, dut.addr, dut.inv, dut.inv_addr, dut.mem_valid, dut.mem_data):
        port.value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def read(dut, address):
    """Read a word and give the line as soon as it is asked for. Returns the word, the way, and whether it hit."""
    dut.req.value, dut.addr.value = 1, address
    for waited in range(20):
        await Timer(1, unit="ns")
        if not int(dut.stall.value):
            answer = int(dut.rdata.value), int(dut.way.value), waited == 0
            await FallingEdge(dut.clk)
            dut.req.value = 0
            return answer
        dut.mem_valid.value = int(dut.mem_req.value)
        if int(dut.mem_req.value):
            base = int(dut.mem_addr.value)
            dut.mem_data.value = (base + 4) << 32 | base
        await FallingEdge(dut.clk)
        dut.mem_valid.value = 0
    raise AssertionError(f"the word at {address:#06x} never came")


@cocotb.test()
async def a_full_set_hits(dut):
    await start(dut)
    addresses = [tag * 32 + 8 for tag in range(4)]  # four sets of 8-byte lines: index 1
    for way, address in enumerate(addresses):
        assert await read(dut, address) == (address, way, False)
    for way, address in enumerate(addresses):
        assert await read(dut, address + 4) == (address + 4, way, True)
