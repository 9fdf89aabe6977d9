"""Hidden tests: a model in Python steps beside the design."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


async def after_reset(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst_n.value = 0
    dut.en.value = 1
    dut.d.value = 0x5A
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    assert dut.q.value == 0, f"q is {dut.q.value} after reset, expected 0"
    dut.rst_n.value = 1


@cocotb.test()
async def takes_over_and_holds(dut):
    await after_reset(dut)
    for en, d, expected in ((1, 0xA5, 0xA5), (0, 0x3C, 0xA5), (1, 0xFF, 0xFF), (0, 0, 0xFF)):
        dut.en.value = en
        dut.d.value = d
        await FallingEdge(dut.clk)
        assert dut.q.value == expected, f"q is {dut.q.value}, expected {expected:08b}"


@cocotb.test()
async def random_operation(dut):
    await after_reset(dut)
    choose = random.Random(1)
    expected = 0
    for _ in range(500):
        rst_n, en, d = choose.random() > 0.1, choose.random() < 0.5, choose.randrange(256)
        dut.rst_n.value, dut.en.value, dut.d.value = int(rst_n), int(en), d
        await FallingEdge(dut.clk)
        expected = 0 if not rst_n else d if en else expected
        assert dut.q.value == expected, f"q is {dut.q.value}, expected {expected:08b}"
