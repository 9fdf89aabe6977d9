# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the pair of caches: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

memory = {}


async def start(dut):
    memory.clear()
    Clock(dut.clk, 10, unit="ns").start()
    for name in (
        "req0",
        "req1",
        "we0",
        "we1",
        "addr0",
        "addr1",
        "wdata0",
        "wdata1",
        "mem_ack",
        "mem_rdata",
        "probe_addr",
    ):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def access(dut, processor, address, word=None):
    """Load, or store a word. The memory answers at once. Returns the loaded word."""
    port = {name: getattr(dut, f"{name}{processor}") for name in ("req", "we", "addr", "wdata", "ready", "rdata")}
    port["req"].value, port["addr"].value = 1, address
    port["we"].value, port["wdata"].value = word is not None, word or 0
    for _ in range(20):
        await Timer(1, unit="ns")
        done, loaded = int(port["ready"].value), None
        if done and word is None:
            loaded = int(port["rdata"].value)
        dut.mem_ack.value = int(dut.mem_req.value)
        if int(dut.mem_req.value) and int(dut.mem_we.value):
            memory[int(dut.mem_addr.value)] = int(dut.mem_wdata.value)
        elif int(dut.mem_req.value):
            dut.mem_rdata.value = memory.get(int(dut.mem_addr.value), 0)
        await FallingEdge(dut.clk)
        if done:
            port["req"].value = 0
            return loaded
    raise AssertionError(f"processor {processor} waits for word {address} for ever")


@cocotb.test()
async def the_other_processor_sees_a_store(dut):
    await start(dut)
    await access(dut, 0, 5, 0x1234)
    assert await access(dut, 1, 5) == 0x1234
