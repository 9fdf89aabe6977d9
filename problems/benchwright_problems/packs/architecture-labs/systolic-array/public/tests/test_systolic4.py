# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the array: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


def packed(numbers):
    return sum((number & 0xFF) << (8 * place) for place, number in enumerate(numbers))


async def start(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.in_valid.value = dut.in_first.value = dut.in_last.value = dut.a_column.value = dut.b_row.value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def multiply(dut, a, b):
    """The product of a (4 rows) and b (rows of 4), read when it is valid."""
    for k, row in enumerate(b):
        dut.in_valid.value, dut.in_first.value, dut.in_last.value = 1, k == 0, k == len(b) - 1
        dut.a_column.value, dut.b_row.value = packed(line[k] for line in a), packed(row)
        await FallingEdge(dut.clk)
    dut.in_valid.value = 0
    for _ in range(10):
        await Timer(1, unit="ns")
        if int(dut.out_valid.value):
            c = int(dut.c.value)
            return [[c >> (24 * (4 * i + j)) & 0xFFFFFF for j in range(4)] for i in range(4)]
        await FallingEdge(dut.clk)
    raise AssertionError("no product comes out")


@cocotb.test()
async def multiplies_the_example(dut):
    await start(dut)
    assert await multiply(dut, [[1] * 8] * 4, [[0, 1, 2, 3]] * 8) == [[0, 8, 16, 24]] * 4
