# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the divider, against division in Python integers; busy and done are compared in each cycle."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
MASK = 2**WIDTH - 1
TOP = 2 ** (WIDTH - 1)


def signed(word):
    return word - 2 * TOP if word & TOP else word


def model(is_signed, dividend, divisor):
    """Quotient and remainder."""
    if divisor == 0:
        return MASK, dividend
    a, b = (signed(dividend), signed(divisor)) if is_signed else (dividend, divisor)
    quotient = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
    return quotient & MASK, a - quotient * b & MASK


class Bench:
    """Drives at falling edges; compares shortly before and after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.left = 0
        self.done = False
        self.taken = self.result = None
        self.choose = random.Random(61)
        self.compares_results = True

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst.value, dut.start.value, dut.is_signed.value = 1, 0, 0
        dut.dividend.value, dut.divisor.value = 1, 1
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        return bench

    def number(self, name):
        value = getattr(self.dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        return int(value)

    def check(self):
        for name, wanted in (("busy", self.left > 0), ("done", self.done)):
            assert self.number(name) == wanted, f"{name} is {int(not wanted)} with {self.left} steps to go"
        if self.result is not None and self.compares_results:
            for name, wanted in zip(("quotient", "remainder"), self.result, strict=True):
                assert self.number(name) == wanted, (
                    f"{name} is {self.number(name):#x}, expected {wanted:#x} of {self.taken}"
                )

    async def cycle(self, division=None, rst=0):
        """One cycle, with a start if there is a division: is_signed, dividend, divisor."""
        junk = self.choose.randrange(2), self.choose.randint(0, MASK), self.choose.randint(0, MASK)
        self.dut.rst.value, self.dut.start.value = rst, division is not None
        self.dut.is_signed.value, self.dut.dividend.value, self.dut.divisor.value = division or junk
        await Timer(4, unit="ns")
        self.check()
        self.done = False
        if rst:
            self.left, self.result = 0, None
        elif self.left:
            self.left -= 1
            if self.left == 0:
                self.done, self.result = True, model(*self.taken)
        elif division is not None:
            self.left, self.taken, self.result = WIDTH, division, None
        await FallingEdge(self.dut.clk)
        self.check()

    async def divide(self, is_signed, dividend, divisor):
        await self.cycle((is_signed, dividend & MASK, divisor & MASK))
        while self.left:
            await self.cycle()


@cocotb.test()
async def takes_exactly_as_long(dut):
    bench = await Bench.after_reset(dut)
    bench.compares_results = False
    for idle in (0, 1, 3, 0):
        await bench.divide(0, 3, 2)
        for _ in range(idle):
            await bench.cycle()


@cocotb.test()
async def ignores_a_start_while_busy(dut):
    bench = await Bench.after_reset(dut)
    bench.compares_results = False
    for _ in range(2 * WIDTH + 4):
        await bench.cycle((0, 3, 1))


@cocotb.test()
async def divides_unsigned(dut):
    bench = await Bench.after_reset(dut)
    for dividend, divisor in ((3, 2), (2, 2), (1, 2), (0, 3), (MASK, 1), (MASK, MASK), (MASK - 1, MASK), (MASK, TOP)):
        await bench.divide(0, dividend, divisor)
    await bench.divide(0, MASK, TOP | 1)
    await bench.divide(0, MASK, 3)


@cocotb.test()
async def divides_signed(dut):
    bench = await Bench.after_reset(dut)
    for a, b in ((TOP - 1, 2), (TOP - 1, 3), (1, 1), (TOP - 2, TOP - 1)):
        for dividend, divisor in ((a, b), (-a, b), (a, -b), (-a, -b)):
            await bench.divide(1, dividend, divisor)
    await bench.divide(1, TOP, 1)
    await bench.divide(1, TOP - 1, TOP)
    await bench.divide(1, TOP, TOP)


@cocotb.test()
async def smallest_number_by_minus_one(dut):
    bench = await Bench.after_reset(dut)
    await bench.divide(1, TOP, MASK)
    await bench.divide(0, TOP, MASK)
    await bench.divide(1, TOP, MASK)


@cocotb.test()
async def divides_by_zero(dut):
    bench = await Bench.after_reset(dut)
    for dividend in (0, 1, TOP - 1, TOP, MASK):
        await bench.divide(0, dividend, 0)
        await bench.divide(1, dividend, 0)


@cocotb.test()
async def results_stay(dut):
    bench = await Bench.after_reset(dut)
    for dividend in (TOP + 1, 3, MASK):
        await bench.divide(1, dividend, 2)
        for _ in range(3):
            await bench.cycle()


@cocotb.test()
async def reset_ends_a_division(dut):
    bench = await Bench.after_reset(dut)
    for steps in range(WIDTH + 1):
        await bench.cycle((0, MASK, 1))
        for _ in range(steps):
            await bench.cycle()
        await bench.cycle((0, 1, 1), rst=1)
        await bench.cycle()
    await bench.divide(0, 3, 2)


@cocotb.test()
async def random_divisions(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(62)
    for _ in range(400 // WIDTH):
        divisor = choose.randint(0, MASK) >> choose.randrange(WIDTH)
        await bench.divide(choose.randrange(2), choose.randint(0, MASK), choose.choice([divisor, -divisor]))
        if choose.random() < 0.3:
            await bench.cycle()
