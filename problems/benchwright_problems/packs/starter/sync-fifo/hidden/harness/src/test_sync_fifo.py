# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the FIFO: a Python queue steps beside it, all outputs are compared twice a cycle."""

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
DEPTH = int(os.environ["DEPTH"])
ALMOST_FULL = int(os.environ["ALMOST_FULL"])
ALMOST_EMPTY = int(os.environ["ALMOST_EMPTY"])


def number(handle):
    """The value of a signal; unknown bits fail the test."""
    value = handle.value
    assert value.is_resolvable, f"{handle._name} has unknown bits: {value}"
    return int(value)


class Bench:
    """Drives at falling edges; compares shortly before and half a cycle after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.stored = deque()
        self.junk = random.Random(7)

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        bench.drive(None, False, rst=1)
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        bench.check()
        return bench

    def drive(self, write, read, rst=0):
        self.dut.rst.value = rst
        self.dut.wr_en.value = write is not None
        self.dut.wr_data.value = self.word() if write is None else write
        self.dut.rd_en.value = read

    def word(self):
        return self.junk.randrange(2**WIDTH)

    def check(self):
        level = len(self.stored)
        wanted = {
            "level": level,
            "full": level == DEPTH,
            "almost_full": level >= ALMOST_FULL,
            "empty": level == 0,
            "almost_empty": level <= ALMOST_EMPTY,
        }
        if self.stored:
            wanted["rd_data"] = self.stored[0]
        for name, value in wanted.items():
            got = number(getattr(self.dut, name))
            assert got == value, (
                f"{name} is {got}, expected {int(value)} with {level} of {DEPTH} words stored"
            )

    async def cycle(self, write=None, read=False, rst=0):
        self.drive(write, read, rst)
        await Timer(4, unit="ns")
        self.check()
        accepts, gives = len(self.stored) < DEPTH, len(self.stored) > 0
        if read and gives:
            self.stored.popleft()
        if write is not None and accepts:
            self.stored.append(write)
        if rst:
            self.stored.clear()
        await FallingEdge(self.dut.clk)
        self.check()

    async def fill(self):
        while len(self.stored) < DEPTH:
            await self.cycle(write=self.word())

    async def drain(self):
        while self.stored:
            await self.cycle(read=True)


@cocotb.test()
async def empty_after_reset(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle()
    for read in (False, True):
        await bench.fill()
        await bench.cycle(rst=1, write=bench.word(), read=read)
        await bench.cycle()
        await bench.cycle(write=bench.word())
        await bench.cycle(rst=1, write=bench.word(), read=read)
        await bench.cycle(rst=1, write=bench.word(), read=read)
        await bench.cycle()


@cocotb.test()
async def keeps_the_order(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(3):
        await bench.fill()
        await bench.drain()
        await bench.cycle(write=bench.word())


@cocotb.test()
async def ignores_writes_when_full(dut):
    bench = await Bench.after_reset(dut)
    await bench.fill()
    await bench.cycle(write=bench.word())
    await bench.cycle(write=bench.word(), read=True)
    await bench.cycle(write=bench.word())
    await bench.drain()


@cocotb.test()
async def ignores_reads_when_empty(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(read=True)
    await bench.cycle(write=bench.word(), read=True)
    await bench.cycle(read=True)
    await bench.cycle(read=True)
    await bench.fill()
    await bench.drain()


@cocotb.test()
async def writes_and_reads_at_once(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(DEPTH - 1):
        await bench.cycle(write=bench.word())
        for _ in range(DEPTH + 1):
            await bench.cycle(write=bench.word(), read=True)


@cocotb.test()
async def random_traffic(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(4711)
    for write_rate, read_rate in ((0.9, 0.3), (0.3, 0.9), (0.6, 0.6), (1.0, 0.9)):
        for _ in range(80):
            await bench.cycle(
                write=bench.word() if choose.random() < write_rate else None,
                read=choose.random() < read_rate,
                rst=choose.random() < 0.01,
            )
