"""Tests whose names something else takes afterwards; each was registered when it was decorated."""

import cocotb
from cocotb.triggers import Timer


@cocotb.test()
async def test_thrice(dut):
    dut.a.value, dut.b.value = 1, 2
    await Timer(1, units="ns")
    assert dut.comb.value == 4, "the first must fail"


@cocotb.test()
async def test_thrice(dut):  # noqa: F811
    dut.a.value, dut.b.value = 1, 2
    await Timer(1, units="ns")
    assert dut.comb.value == 3


@cocotb.test()
async def test_shadowed(dut):
    assert False, "must be run"


def test_shadowed():  # noqa: F811
    """As pytest would find it."""
