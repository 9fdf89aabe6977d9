"""Tests whose names something else takes afterwards; each was registered when it was decorated."""

import cocotb
from cocotb.regression import TestFactory
from cocotb.triggers import Timer

_run = []


@cocotb.test()
async def test_before(dut):
    _run.append("before")

@cocotb.test()
async def test_thrice(dut):
    _run.append("first")
    dut.a.value, dut.b.value = 1, 2
    await Timer(1, units="ns")
    assert dut.comb.value == 4, "the first must fail"


async def of_factory(dut, number):
    _run.append(f"factory {number}")


factory = TestFactory(of_factory)
factory.add_option("number", [1])
factory.generate_tests()


@cocotb.test()
async def test_between(dut):
    _run.append("between")


@cocotb.test()
async def test_thrice(dut):  # noqa: F811
    _run.append("last")
    dut.a.value, dut.b.value = 1, 2
    await Timer(1, units="ns")
    assert dut.comb.value == 3


@cocotb.test()
async def test_shadowed(dut):
    assert False, "must be run"


def test_shadowed():  # noqa: F811
    """As pytest would find it."""


@cocotb.test()
async def test_order(dut):
    assert _run == ["before", "first", "factory 1", "between", "last"], _run
