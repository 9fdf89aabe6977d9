# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the saturating counter: a Python model steps beside the design."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
TOP = 2**WIDTH - 1


def number(handle):
    """The value of a signal; unknown bits fail the test."""
    value = handle.value
    assert value.is_resolvable, f"{handle._name} has unknown bits: {value}"
    return int(value)


class Bench:
    """Drives at falling edges, compares at the next one, far from the edge that counts."""

    def __init__(self, dut):
        self.dut = dut
        self.expected = 0

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        bench.drive(rst_n=0)
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        bench.check()
        return bench

    def drive(self, load=0, load_value=0, up=0, down=0, rst_n=1):
        self.dut.load.value = load
        self.dut.load_value.value = load_value
        self.dut.up.value = up
        self.dut.down.value = down
        self.dut.rst_n.value = rst_n

    def check(self):
        count = number(self.dut.count)
        assert count == self.expected, f"count is {count}, expected {self.expected}"
        for name, wanted in (("at_max", count == TOP), ("at_min", count == 0)):
            level = number(getattr(self.dut, name))
            assert level == wanted, f"{name} is {level} while count is {count}"

    async def cycle(self, load=0, load_value=0, up=0, down=0, rst_n=1):
        self.drive(load, load_value, up, down, rst_n)
        if not rst_n:
            self.expected = 0
        elif load:
            self.expected = load_value
        elif up and not down:
            self.expected = min(self.expected + 1, TOP)
        elif down and not up:
            self.expected = max(self.expected - 1, 0)
        await FallingEdge(self.dut.clk)
        self.check()


@cocotb.test()
async def reset_clears_the_count(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(load=1, load_value=TOP)
    await bench.cycle(rst_n=0)
    await bench.cycle(load=1, load_value=TOP)
    await bench.cycle(rst_n=0, load=1, load_value=TOP, up=1)
    await bench.cycle()


@cocotb.test()
async def reset_waits_for_the_clock(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(load=1, load_value=TOP)
    dut.load.value = 0
    dut.rst_n.value = 0
    await Timer(2, unit="ns")
    bench.check()
    dut.rst_n.value = 1
    await FallingEdge(dut.clk)
    bench.check()


@cocotb.test()
async def counts_up_and_down(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(min(TOP, 5)):
        await bench.cycle(up=1)
    await bench.cycle()
    for _ in range(min(TOP, 5)):
        await bench.cycle(down=1)
    await bench.cycle()


@cocotb.test()
async def stops_at_both_ends(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(TOP + 3):
        await bench.cycle(up=1)
    for _ in range(TOP + 3):
        await bench.cycle(down=1)


@cocotb.test()
async def load_wins_over_counting(dut):
    bench = await Bench.after_reset(dut)
    for up, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
        for load_value in (TOP, 0, TOP // 2):
            await bench.cycle(load=1, load_value=load_value, up=up, down=down)


@cocotb.test()
async def up_and_down_together_hold(dut):
    bench = await Bench.after_reset(dut)
    for start in sorted({0, TOP // 2, TOP}):
        await bench.cycle(load=1, load_value=start)
        await bench.cycle(up=1, down=1)
        await bench.cycle(up=1, down=1)


@cocotb.test()
async def random_operation(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(20240501)
    for _ in range(500):
        await bench.cycle(
            load=choose.random() < 0.1,
            load_value=choose.choice([0, min(1, TOP), TOP - 1, TOP, choose.randint(0, TOP)]),
            up=choose.random() < 0.6,
            down=choose.random() < 0.5,
            rst_n=choose.random() > 0.02,
        )
