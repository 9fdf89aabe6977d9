# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the frame detector: the stream is kept as a Python string."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

PATTERN = "11010"


class Bench:
    """Drives at falling edges; compares shortly before and after the rising edge."""

    def __init__(self, dut, checked):
        self.dut = dut
        self.checked = checked
        self.clear()

    def clear(self):
        self.stream, self.match, self.count = "", 0, 0

    @classmethod
    async def after_reset(cls, dut, *checked):
        bench = cls(dut, checked or ("match", "progress", "count"))
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst_n.value, dut.valid.value, dut.bit_in.value, dut.lock.value = 0, 0, 0, 0
        await FallingEdge(dut.clk)
        dut.rst_n.value = 1
        return bench

    def progress(self):
        return max(k for k in range(6) if self.stream.endswith(PATTERN[:k]))

    def check(self):
        wanted = {"match": self.match, "progress": self.progress(), "count": self.count}
        for name in self.checked:
            value = getattr(self.dut, name).value
            assert value.is_resolvable, f"{name} has unknown bits: {value}"
            assert int(value) == wanted[name], f"{name} is {int(value)}, expected {wanted[name]} after {self.stream[-8:]}"

    async def cycle(self, bit=None, lock=0, idle_bit=0):
        self.dut.valid.value = bit is not None
        self.dut.bit_in.value = idle_bit if bit is None else bit
        self.dut.lock.value = lock
        await Timer(4, unit="ns")
        self.check()
        self.match = 0
        if bit is not None:
            self.stream = (self.stream + str(bit))[-8:]
            self.match = int(self.progress() == 5)
            if self.match and not lock and self.count < 255:
                self.count += 1
        await FallingEdge(self.dut.clk)
        self.check()

    async def send(self, bits, lock=0):
        for bit in bits:
            await self.cycle(int(bit), lock)


@cocotb.test()
async def finds_the_pattern(dut):
    bench = await Bench.after_reset(dut, "match", "progress")
    await bench.send("000" + PATTERN + "000" + PATTERN + PATTERN)


@cocotb.test()
async def falls_back_to_what_still_fits(dut):
    bench = await Bench.after_reset(dut, "match", "progress")
    for bits in ("11111010", "11011010", "1101111010", "10111010", "110011010", "1101011010", "1101001101"):
        await bench.send(bits)
        await bench.send("00")
    for number in range(2**7):
        await bench.send(f"{number:07b}")


@cocotb.test()
async def waits_in_gaps(dut):
    bench = await Bench.after_reset(dut, "progress")
    for idle_bit in (0, 1):
        for bit in "0110101101100":
            await bench.cycle(int(bit))
            for _ in range(int(bit) + 1):
                await bench.cycle(idle_bit=idle_bit)


@cocotb.test()
async def match_lasts_one_cycle(dut):
    bench = await Bench.after_reset(dut, "match")
    for idle_bit in (0, 1):
        await bench.send(PATTERN)
        for _ in range(3):
            await bench.cycle(idle_bit=idle_bit)
        await bench.send("1101")
        await bench.cycle(idle_bit=0)
        await bench.send("0")
        await bench.cycle(idle_bit=idle_bit)


@cocotb.test()
async def counts_unless_locked(dut):
    bench = await Bench.after_reset(dut)
    for lock in (0, 1, 0, 1, 1, 0):
        await bench.send(PATTERN, lock)
    for bit in PATTERN:
        await bench.cycle(int(bit), lock=int(bit))
    for bit in PATTERN:
        await bench.cycle(int(bit), lock=1 - int(bit))


@cocotb.test()
async def count_stops_at_255(dut):
    bench = await Bench.after_reset(dut, "count")
    for _ in range(258):
        await bench.send(PATTERN)


@cocotb.test()
async def reset_acts_at_once(dut):
    bench = await Bench.after_reset(dut)
    for bits in (PATTERN, "1101", "11", PATTERN + "1"):
        await bench.send(bits)
        dut.rst_n.value = 0
        bench.clear()
        await Timer(1, unit="ns")
        bench.check()
        dut.valid.value, dut.bit_in.value = 1, 1
        await FallingEdge(dut.clk)
        bench.check()
        dut.rst_n.value = 1
        await bench.send("10" + "0" + "1010")


@cocotb.test()
async def random_stream(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(51)
    for _ in range(120):
        bits = choose.choice([PATTERN, PATTERN[choose.randrange(5) :], PATTERN[: choose.randrange(5)], "1", "0"])
        for bit in bits:
            await bench.cycle(int(bit), choose.random() < 0.2)
            if choose.random() < 0.2:
                await bench.cycle(lock=choose.randrange(2), idle_bit=choose.randrange(2))
