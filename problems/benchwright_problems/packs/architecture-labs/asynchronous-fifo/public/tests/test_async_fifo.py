# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the FIFO: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


async def begin(dut, write_ns=10, read_ns=14):
    Clock(dut.wclk, write_ns, unit="ns").start()
    Clock(dut.rclk, read_ns, unit="ns").start()
    dut.wr_en.value = dut.wr_data.value = dut.rd_en.value = 0
    dut.wrst.value = dut.rrst.value = 1
    await Timer(5 * (write_ns + read_ns), unit="ns")
    await FallingEdge(dut.wclk)
    dut.wrst.value = 0
    await FallingEdge(dut.rclk)
    dut.rrst.value = 0


async def write(dut, words):
    await FallingEdge(dut.wclk)
    for word in words:
        while int(dut.full.value):
            await FallingEdge(dut.wclk)
        dut.wr_en.value, dut.wr_data.value = 1, word
        await FallingEdge(dut.wclk)
        dut.wr_en.value = 0


async def read(dut, count):
    words = []
    for _ in range(40 * count):
        await FallingEdge(dut.rclk)
        dut.rd_en.value = 1 - int(dut.empty.value)
        if not int(dut.empty.value):
            words.append(int(dut.rd_data.value))
        if len(words) == count:
            break
    await FallingEdge(dut.rclk)
    dut.rd_en.value = 0
    return words


@cocotb.test()
async def words_come_out_in_order(dut):
    await begin(dut)
    cocotb.start_soon(write(dut, range(1, 31)))
    assert await read(dut, 30) == list(range(1, 31))
