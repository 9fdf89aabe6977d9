# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the cache: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

memory = {}


async def start(dut):
    memory.clear()
    Clock(dut.clk, 10, unit="ns").start()
    for name in ("req", "we", "addr", "wdata", "wstrb", "clean", "mem_ack", "mem_rdata"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def access(dut, address, word=None, strobes=15):
    """Load, or store a word; the memory answers at once. Returns what was loaded and the cycles it took."""
    dut.req.value, dut.addr.value = 1, address
    dut.we.value, dut.wdata.value, dut.wstrb.value = word is not None, word or 0, strobes
    for cycles in range(1, 20):
        await Timer(1, unit="ns")
        loaded = None if int(dut.stall.value) else int(dut.rdata.value)
        wanted = int(dut.mem_req.value)
        dut.mem_ack.value = wanted
        if wanted and int(dut.mem_we.value):
            memory[int(dut.mem_addr.value)] = int(dut.mem_wdata.value)
        elif wanted:
            dut.mem_rdata.value = memory.get(int(dut.mem_addr.value), 0)
        await FallingEdge(dut.clk)
        dut.mem_ack.value = 0
        if loaded is not None:
            dut.req.value = 0
            return loaded, cycles
    raise AssertionError(f"the access to {address:#06x} was never done")


@cocotb.test()
async def a_store_is_loaded_again(dut):
    await start(dut)
    await access(dut, 0x0008, 0x11223344)
    await access(dut, 0x0008, 0xAABBCCDD, strobes=0b0010)
    assert await access(dut, 0x0008) == (0x1122CC44, 1)
    assert memory == {}
