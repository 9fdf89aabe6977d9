# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the cache: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


def word_at(address):
    """What this memory holds: a word that tells its own address."""
    return 0xCAFE0000 | (address & 0xFFFC)


async def start(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.req.value = dut.addr.value = dut.flush.value = dut.mem_valid.value = dut.mem_data.value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def read(dut, address):
    """Read a word; give the line as soon as it is asked for. Returns the word and the cycles that it took."""
    dut.req.value, dut.addr.value = 1, address
    for cycles in range(1, 20):
        await Timer(1, unit="ns")
        if not int(dut.stall.value):
            word = int(dut.rdata.value)
            await FallingEdge(dut.clk)
            dut.req.value = 0
            return word, cycles
        dut.mem_valid.value = int(dut.mem_req.value)
        if int(dut.mem_req.value):
            base = int(dut.mem_addr.value)
            dut.mem_data.value = sum(word_at(base + 4 * i) << (32 * i) for i in range(4))
        await FallingEdge(dut.clk)
        dut.mem_valid.value = 0
    raise AssertionError(f"the word at {address:#06x} never came")


@cocotb.test()
async def a_second_read_hits(dut):
    await start(dut)
    assert await read(dut, 0x0014) == (word_at(0x0014), 3)
    assert await read(dut, 0x0018) == (word_at(0x0018), 1)
