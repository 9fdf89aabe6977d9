# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the stream FIFO: a Python queue steps beside it, outputs are compared twice a cycle."""

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
DEPTH = int(os.environ["DEPTH"])
MARGIN = int(os.environ["MARGIN"])
CHECKED = ("m_valid", "m_data", "s_ready", "almost_full")


def number(handle):
    """The value of a signal; unknown bits fail the test."""
    value = handle.value
    assert value.is_resolvable, f"{handle._name} has unknown bits: {value}"
    return int(value)


class Bench:
    """Drives at falling edges; compares shortly before and half a cycle after the rising edge."""

    def __init__(self, dut, checked):
        self.dut = dut
        self.stored = deque()
        self.choose = random.Random(31)
        self.checked = checked

    @classmethod
    async def after_reset(cls, dut, *without):
        bench = cls(dut, [name for name in CHECKED if name not in without])
        Clock(dut.clk, 10, unit="ns").start()
        bench.drive(None, 0, 0, rst=1)
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        return bench

    def word(self):
        return self.choose.randrange(2**WIDTH)

    def drive(self, offer, ready, flush, rst):
        self.dut.rst.value, self.dut.flush.value = rst, flush
        self.dut.s_valid.value = offer is not None
        self.dut.s_data.value = self.word() if offer is None else offer
        self.dut.m_ready.value = ready

    def check(self, ready, flush):
        stored = len(self.stored)
        wanted = {
            "m_valid": stored > 0,
            "m_data": self.stored[0] if stored else None,
            "s_ready": not flush and (stored < DEPTH or ready),
            "almost_full": DEPTH - stored <= MARGIN,
        }
        for name in self.checked:
            if wanted[name] is None:
                continue
            value = number(getattr(self.dut, name))
            assert value == wanted[name], (
                f"{name} is {value}, expected {int(wanted[name])} with {stored} of {DEPTH} words, "
                f"m_ready = {int(ready)}, flush = {int(flush)}"
            )

    async def cycle(self, offer=None, ready=0, flush=0, rst=0):
        self.drive(offer, ready, flush, rst)
        await Timer(4, unit="ns")
        self.check(ready, flush)
        taken = not flush and (len(self.stored) < DEPTH or ready)
        if ready and self.stored:
            self.stored.popleft()
        if offer is not None and taken:
            self.stored.append(offer)
        if rst or flush:
            self.stored.clear()
        await FallingEdge(self.dut.clk)
        self.check(ready, flush)

    async def fill(self):
        while len(self.stored) < DEPTH:
            await self.cycle(self.word())

    async def drain(self):
        while self.stored:
            await self.cycle(ready=1)


@cocotb.test()
async def empty_after_reset(dut):
    bench = await Bench.after_reset(dut, "almost_full")
    await bench.cycle(ready=1)
    await bench.cycle(bench.word())
    await bench.cycle(bench.word(), rst=1)
    await bench.cycle()
    await bench.cycle(bench.word(), ready=1)
    await bench.cycle(bench.word(), ready=1, rst=1)
    await bench.cycle(bench.word())
    await bench.drain()


@cocotb.test()
async def keeps_the_order(dut):
    bench = await Bench.after_reset(dut, "almost_full")
    for _ in range(3):
        for _ in range(DEPTH - 1):
            await bench.cycle(bench.word())
        await bench.drain()
        await bench.cycle(bench.word(), ready=1)
    for _ in range(2 * DEPTH):
        await bench.cycle(bench.word(), ready=1)


@cocotb.test()
async def waits_for_the_consumer(dut):
    bench = await Bench.after_reset(dut, "almost_full")
    for _ in range(2):
        await bench.fill()
        for _ in range(3):
            await bench.cycle(bench.word())
        await bench.drain()
        await bench.cycle(ready=1)


@cocotb.test()
async def exchanges_when_full(dut):
    bench = await Bench.after_reset(dut, "almost_full")
    await bench.fill()
    for _ in range(2 * DEPTH + 1):
        await bench.cycle(bench.word(), ready=1)
    await bench.cycle(ready=1)
    await bench.cycle(bench.word())
    await bench.drain()


@cocotb.test()
async def almost_full_has_its_margin(dut):
    bench = await Bench.after_reset(dut, "s_ready", "m_data")
    for _ in range(DEPTH):
        await bench.cycle(bench.word())
        await bench.cycle()
    for _ in range(DEPTH + 1):
        await bench.cycle(ready=1)
        await bench.cycle()


@cocotb.test()
async def flush_drops_everything(dut):
    bench = await Bench.after_reset(dut, "almost_full")
    for words in range(DEPTH + 1):
        for ready in (0, 1):
            for _ in range(words):
                await bench.cycle(bench.word())
            await bench.cycle(bench.word(), ready=ready, flush=1)
            await bench.cycle(ready=1)
            await bench.cycle(bench.word())
            await bench.drain()


@cocotb.test()
async def random_traffic(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(32)
    for offer_rate, ready_rate in ((0.9, 0.4), (0.4, 0.9), (0.95, 0.95)):
        for _ in range(100):
            await bench.cycle(
                bench.word() if choose.random() < offer_rate else None,
                ready=choose.random() < ready_rate,
                flush=choose.random() < 0.03,
                rst=choose.random() < 0.02,
            )
