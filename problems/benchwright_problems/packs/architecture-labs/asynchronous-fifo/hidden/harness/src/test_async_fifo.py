# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the FIFO: a model of both sides and both synchronizers steps at the edges of both clocks."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
DEPTH_BITS = int(os.environ["DEPTH_BITS"])
DEPTH = 2**DEPTH_BITS
RATIOS = [(10, 14), (14, 10), (6, 50), (50, 6)]


def gray(pointer):
    pointer %= 2 * DEPTH
    return pointer ^ pointer >> 1


class Side:
    """What one side knows: its own pointer, and the other's in its two flip-flops."""

    def __init__(self):
        self.own = self.first = self.seen = 0

    def step(self, other, moves):
        self.first, self.seen = other, self.first
        self.own += moves


class Bench:
    """Drives each side at falling edges of its clock, compares after both edges. No two edges of both clocks coincide."""

    def __init__(self, dut, ratio, seed):
        self.dut = dut
        self.choose = random.Random(seed)
        self.ratio = ratio
        self.words = []
        self.writer, self.reader = Side(), Side()
        self.write_rate = self.read_rate = 0.0
        self.failure = None
        self.is_reset = True

    @classmethod
    async def begin(cls, dut, ratio=(10, 14), seed=1):
        bench = cls(dut, ratio, seed)
        dut.wr_en.value = dut.wr_data.value = dut.rd_en.value = 0
        dut.wrst.value = dut.rrst.value = 1
        Clock(dut.wclk, ratio[0], unit="ns").start()
        await Timer(0.5, unit="ns")
        Clock(dut.rclk, ratio[1], unit="ns").start()
        for side in (bench.write_side(), bench.read_side()):
            cocotb.start_soon(bench.guarded(side))
        await bench.reset()
        return bench

    async def guarded(self, side):
        try:
            await side
        except AssertionError as error:
            self.failure = error

    async def reset(self):
        dut, rates = self.dut, (self.write_rate, self.read_rate)
        self.is_reset = True
        dut.wrst.value = dut.rrst.value = 1
        await Timer(5 * sum(self.ratio), unit="ns")
        self.writer, self.reader, self.words = Side(), Side(), []
        # Neither side moves until both resets have ended.
        self.write_rate = self.read_rate = 0.0
        self.is_reset = False
        first, second = (dut.wrst, dut.rrst) if self.choose.randrange(2) else (dut.rrst, dut.wrst)
        await self.away_from_edges()
        first.value = 0
        await Timer(3 * sum(self.ratio), unit="ns")
        await self.away_from_edges()
        second.value = 0
        await Timer(sum(self.ratio), unit="ns")
        self.write_rate, self.read_rate = rates

    async def away_from_edges(self):
        await FallingEdge(self.dut.wclk)
        await Timer(0.2, unit="ns")

    def compare(self, **wanted):
        if self.is_reset:
            return
        for name, value in wanted.items():
            got = getattr(self.dut, name).value
            assert got.is_resolvable, f"{name} has unknown bits: {got}"
            assert int(got) == value, (
                f"{name} is {int(got):#x}, expected {int(value):#x}, after {self.writer.own} words written and {self.reader.own} read"
            )

    def compare_write_side(self):
        self.compare(full=self.writer.own - self.writer.seen == DEPTH, wr_gray=gray(self.writer.own))

    def compare_read_side(self):
        is_empty = self.reader.own == self.reader.seen
        self.compare(empty=is_empty, rd_gray=gray(self.reader.own))
        if not is_empty:
            self.compare(rd_data=self.words[self.reader.own])

    async def write_side(self):
        dut = self.dut
        wishes, word = 0, 0
        while True:
            await RisingEdge(dut.wclk)
            moves = wishes and self.writer.own - self.writer.seen < DEPTH and not self.is_reset
            if moves:
                self.words.append(word)
            self.writer.step(self.reader.own, moves)
            await Timer(0.2, unit="ns")
            self.compare_write_side()
            await FallingEdge(dut.wclk)
            self.compare_write_side()
            wishes, word = int(self.choose.random() < self.write_rate), self.choose.getrandbits(WIDTH)
            dut.wr_en.value, dut.wr_data.value = wishes, word
            await Timer(0.2, unit="ns")
            self.compare_write_side()

    async def read_side(self):
        dut = self.dut
        wishes = 0
        while True:
            await RisingEdge(dut.rclk)
            moves = wishes and self.reader.own != self.reader.seen and not self.is_reset
            self.reader.step(self.writer.own, moves)
            await Timer(0.2, unit="ns")
            self.compare_read_side()
            await FallingEdge(dut.rclk)
            self.compare_read_side()
            wishes = int(self.choose.random() < self.read_rate)
            dut.rd_en.value = wishes
            await Timer(0.2, unit="ns")
            self.compare_read_side()

    async def run(self, cycles, write_rate, read_rate):
        """Let both sides run for some cycles of the slower clock, with these shares of cycles with a wish."""
        self.write_rate, self.read_rate = write_rate, read_rate
        slower = self.dut.wclk if self.ratio[0] > self.ratio[1] else self.dut.rclk
        for _ in range(cycles):
            await FallingEdge(slower)
            if self.failure:
                raise self.failure
        self.write_rate = self.read_rate = 0.0


@cocotb.test()
async def pointers_are_gray_codes(dut):
    bench = await Bench.begin(dut, (10, 14), seed=1)
    for _ in range(4):
        await bench.run(DEPTH, 0.8, 0)
        await bench.run(DEPTH + 4, 0, 0.8)


@cocotb.test()
async def words_come_out_in_order(dut):
    bench = await Bench.begin(dut, (14, 10), seed=2)
    await bench.run(100, 1, 1)
    assert bench.reader.own >= 50, f"only {bench.reader.own} words come out in 100 cycles"


@cocotb.test()
async def empty_is_late_by_two_edges(dut):
    bench = await Bench.begin(dut, (50, 6), seed=3)
    await bench.run(30, 0.3, 1)


@cocotb.test()
async def fills_to_the_last_word(dut):
    bench = await Bench.begin(dut, (10, 14), seed=4)
    for _ in range(3):
        await bench.run(2 * DEPTH, 1, 0)
        assert bench.writer.own - bench.reader.own == DEPTH
        await bench.run(3, 0, 1)
        await bench.run(2 * DEPTH, 1, 0)
        await bench.run(2 * DEPTH, 0, 1)
        assert bench.writer.own == bench.reader.own


@cocotb.test()
async def full_is_late_by_two_edges(dut):
    bench = await Bench.begin(dut, (6, 50), seed=5)
    await bench.run(30, 1, 0.5)


@cocotb.test()
async def reset_empties_it(dut):
    bench = await Bench.begin(dut, (10, 14), seed=6)
    for filled in (3, DEPTH + 2, 7, 2 * DEPTH, 5):
        await bench.run(filled, 1, 0.3)
        await bench.reset()
        await bench.run(3, 0, 1)
        await bench.run(4, 1, 1)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def random_traffic(dut, ratio):
    bench = await Bench.begin(dut, ratio, seed=sum(ratio) + ratio[0])
    for rates in ((0.9, 0.3), (0.3, 0.9), (1, 1), (0.5, 0.5)):
        await bench.run(30, *rates)
