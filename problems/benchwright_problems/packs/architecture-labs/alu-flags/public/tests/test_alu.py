# SPDX-License-Identifier: Apache-2.0
"""Tests of your own: two additions, to be extended."""

import cocotb
from cocotb.triggers import Timer

ADD = 0


async def apply(dut, op, a, b):
    dut.op.value = op
    dut.a.value = a
    dut.b.value = b
    await Timer(1, unit="ns")


@cocotb.test()
async def adds(dut):
    await apply(dut, ADD, 2, 3)
    assert dut.result.value == 5
    assert dut.zero.value == 0


@cocotb.test()
async def zero_and_carry_of_an_addition(dut):
    await apply(dut, ADD, 2**32 - 1, 1)
    assert dut.result.value == 0
    assert dut.zero.value == 1
    assert dut.carry.value == 1
