# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the engine: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


async def begin(dut):
    Clock(dut.clk, 10, unit="ns").start()
    for name in ("start", "src", "dst", "count", "rsp_valid", "rsp_data", "rsp_error"):
        getattr(dut, name).value = 0
    dut.rd_ready.value = dut.wr_ready.value = 1
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def copy(dut, src, dst, count):
    """Let the engine copy; the word at address a is 1000 + a. Returns what was written, by address."""
    dut.start.value, dut.src.value, dut.dst.value, dut.count.value = 1, src, dst, count
    await FallingEdge(dut.clk)
    dut.start.value = 0
    written, answer = {}, None
    for _ in range(10 * count + 20):
        dut.rsp_valid.value, dut.rsp_data.value = answer is not None, answer or 0
        await Timer(1, unit="ns")
        if int(dut.done.value):
            return written
        if int(dut.wr_valid.value):
            written[int(dut.wr_addr.value)] = int(dut.wr_data.value)
        answer = 1000 + int(dut.rd_addr.value) if int(dut.rd_valid.value) else None
        await FallingEdge(dut.clk)
    raise AssertionError("the copy does not end")


@cocotb.test()
async def copies_ten_words(dut):
    await begin(dut)
    assert await copy(dut, 0x100, 0x200, 10) == {0x200 + i: 1000 + 0x100 + i for i in range(10)}
