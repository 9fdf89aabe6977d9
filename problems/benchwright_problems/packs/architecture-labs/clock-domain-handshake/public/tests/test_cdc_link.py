# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for both ends of the link: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


async def begin(dut, source_ns=10, destination_ns=14):
    Clock(dut.src_clk, source_ns, unit="ns").start()
    Clock(dut.dst_clk, destination_ns, unit="ns").start()
    dut.in_valid.value = dut.in_data.value = dut.out_ready.value = 0
    dut.src_rst.value = dut.dst_rst.value = 1
    await Timer(10 * (source_ns + destination_ns), unit="ns")
    await FallingEdge(dut.src_clk)
    dut.src_rst.value = 0
    await FallingEdge(dut.dst_clk)
    dut.dst_rst.value = 0


async def send(dut, words):
    await FallingEdge(dut.src_clk)
    for word in words:
        dut.in_valid.value, dut.in_data.value = 1, word
        taken = 0
        while not taken:
            await Timer(1, unit="ns")
            taken = int(dut.in_ready.value)
            await FallingEdge(dut.src_clk)
    dut.in_valid.value = 0


async def receive(dut, count):
    words = []
    dut.out_ready.value = 1
    for _ in range(40 * count):
        await Timer(1, unit="ns")
        if int(dut.out_valid.value):
            words.append(int(dut.out_data.value))
        await FallingEdge(dut.dst_clk)
        if len(words) == count:
            break
    return words


@cocotb.test()
async def words_arrive(dut):
    await begin(dut)
    cocotb.start_soon(send(dut, range(1, 11)))
    assert await receive(dut, 10) == list(range(1, 11))
