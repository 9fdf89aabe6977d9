# CANARY-e1d7
"""Hidden tests of an inverter; the file holds a canary that nothing a design can reach may repeat."""

import random

import cocotb
from cocotb.triggers import Timer


@cocotb.test()
async def inverts(dut):
    for value in (0, 1):
        dut.a.value = value
        await Timer(1, "ns")
        assert dut.y.value == 1 - value, "does not invert"


@cocotb.test()
async def inverts_again(dut):
    value = random.randrange(2)
    dut.a.value = value
    await Timer(1, "ns")
    assert dut.y.value == 1 - value, "does not invert"
