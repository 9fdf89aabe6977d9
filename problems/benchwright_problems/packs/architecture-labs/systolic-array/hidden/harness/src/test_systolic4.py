# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the systolic array, against sums that a model keeps."""

import random

import cocotb
from bench import Bench
from cocotb.triggers import FallingEdge, RisingEdge, Timer


def signed(packed, place):
    byte = packed >> (8 * place) & 0xFF
    return byte - 256 if byte > 127 else byte


def packed(numbers):
    return sum((number & 0xFF) << (8 * place) for place, number in enumerate(numbers))


class Model:
    """The running sums, and the results with the cycles after which they show."""

    def reset(self):
        self.sums = [0] * 16
        self.results = []

    def outputs(self, inputs):
        shown = [result for wait, result in self.results if wait == 0]
        return {"out_valid": bool(shown), "c": shown[0] if shown else None}

    def step(self, inputs):
        self.results = [(wait - 1, result) for wait, result in self.results if wait > 0]
        if not inputs["in_valid"]:
            return
        for n in range(16):
            product = signed(inputs["a_column"], n // 4) * signed(inputs["b_row"], n % 4)
            self.sums[n] = product if inputs["in_first"] else self.sums[n] + product
        if inputs["in_last"]:
            self.results.append((6, sum((value % 2**24) << (24 * n) for n, value in enumerate(self.sums))))


IDLE = {"in_valid": 0, "in_first": 1, "in_last": 1, "a_column": 0x7F80017F, "b_row": 0x80FF7F80}


class Array(Bench):
    """Inputs count at rising edges alone: from just after them to the falling edges they are something else."""

    async def cycle(self, **changes):
        inputs = {**self.idle, **changes}
        self.drive(inputs)
        await Timer(4, unit="ns")
        self.check(inputs, "before")
        if inputs["rst"]:
            self.model.reset()
        else:
            self.model.step(inputs)
        await RisingEdge(self.dut.clk)
        await Timer(1, unit="ns")
        self.drive({"in_valid": 1 - inputs["in_valid"], "a_column": 0x5A5A5A5A, "b_row": 0xA5A5A5A5})
        await FallingEdge(self.dut.clk)
        self.check(inputs, "after")
        self.cycles += 1


async def begin(dut):
    bench = await Array.after_reset(dut, Model(), IDLE)
    bench.choose = random.Random(1978)
    return bench


async def multiply(bench, a, b, pause=0, last=True):
    """Bring the steps of a product in: `a` has a column for each step and `b` a row."""
    for step, (column, row) in enumerate(zip(a, b, strict=True)):
        await bench.cycle(
            in_valid=1,
            in_first=int(step == 0),
            in_last=int(last and step == len(a) - 1),
            a_column=packed(column),
            b_row=packed(row),
        )
        for _ in range(bench.choose.randint(0, pause)):
            await bench.cycle(in_first=bench.choose.randrange(2), in_last=bench.choose.randrange(2))


def numbers(bench, steps):
    return [[bench.choose.randint(-128, 127) for _ in range(4)] for _ in range(steps)]


async def wait(bench, cycles=9):
    for _ in range(cycles):
        await bench.cycle()


@cocotb.test()
async def multiplies_by_the_identity(dut):
    bench = await begin(dut)
    identity = [[int(i == j) for j in range(4)] for i in range(4)] + [[0] * 4] * 4
    counted = [[1 + 4 * k + i for i in range(4)] for k in range(8)]
    await multiply(bench, counted, identity)
    await wait(bench)
    await multiply(bench, identity, counted)
    await wait(bench)


@cocotb.test()
async def numbers_are_signed(dut):
    bench = await begin(dut)
    extremes = [-128, 127, -1, 1]
    for turn in range(4):
        a = [[extremes[(i + k) % 4] for i in range(4)] for k in range(8)]
        b = [[extremes[(j + turn) % 4] for j in range(4)] for _ in range(8)]
        await multiply(bench, a, b)
        await wait(bench)


@cocotb.test()
async def sums_are_kept_modulo_2_24(dut):
    bench = await begin(dut)
    steps = 600
    await multiply(bench, [[-128, 127, -128, 127]] * steps, [[-128, -128, 127, 127]] * steps)
    await wait(bench)


@cocotb.test()
async def steps_may_pause(dut):
    bench = await begin(dut)
    for pause in (1, 2, 5):
        await multiply(bench, numbers(bench, 9), numbers(bench, 9), pause)
        await wait(bench)


@cocotb.test()
async def products_follow_each_other(dut):
    bench = await begin(dut)
    for steps in (8, 8, 8, 9, 15, 8, 20, 8):
        await multiply(bench, numbers(bench, steps), numbers(bench, steps))
    await wait(bench)


@cocotb.test()
async def gives_up_a_product(dut):
    bench = await begin(dut)
    for steps in (1, 3, 8, 12):
        await multiply(bench, numbers(bench, steps), numbers(bench, steps), last=False)
        await multiply(bench, numbers(bench, 8), numbers(bench, 8))
    await wait(bench)


@cocotb.test()
async def reset_forgets_everything(dut):
    bench = await begin(dut)
    for delay in range(9):
        await multiply(bench, numbers(bench, 8), numbers(bench, 8))
        await wait(bench, delay)
        await bench.cycle(rst=1, in_valid=1)
        await wait(bench, 2 + delay)
        await multiply(bench, numbers(bench, 8), numbers(bench, 8))
        await wait(bench)


@cocotb.test()
async def random_products(dut):
    bench = await begin(dut)
    choose = bench.choose
    for _ in range(25):
        steps = choose.choice([8, 8, 9, 13, 30])
        await multiply(
            bench, numbers(bench, steps), numbers(bench, steps), choose.choice([0, 0, 3]), choose.random() < 0.8
        )
        await wait(bench, choose.choice([0, 0, 1, 8]))
    await wait(bench)
