# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the skid buffer: a Python queue of two words steps beside the design."""

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
CAPACITY = 2


def number(handle):
    """The value of a signal; unknown bits fail the test."""
    value = handle.value
    assert value.is_resolvable, f"{handle._name} has unknown bits: {value}"
    return int(value)


class Bench:
    """Drives at falling edges; compares shortly before and half a cycle after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.held = deque()
        self.words = random.Random(3)

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        bench.drive(None, 0, rst=1)
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        bench.check()
        return bench

    def word(self):
        return self.words.randrange(2**WIDTH)

    def drive(self, word, m_ready, rst=0):
        self.dut.rst.value = rst
        self.dut.s_valid.value = word is not None
        self.dut.s_data.value = self.word() if word is None else word
        self.dut.m_ready.value = m_ready

    def check(self):
        held = len(self.held)
        wanted = {"m_valid": held > 0, "s_ready": held < CAPACITY}
        if held:
            wanted["m_data"] = self.held[0]
        for name, value in wanted.items():
            got = number(getattr(self.dut, name))
            assert got == value, f"{name} is {got}, expected {int(value)} with {held} words held"

    async def cycle(self, word=None, m_ready=0, rst=0):
        """One clock cycle; tells whether the word went in."""
        self.drive(word, m_ready, rst)
        await Timer(4, unit="ns")
        self.check()
        goes_in = word is not None and len(self.held) < CAPACITY and not rst
        if m_ready and self.held:
            self.held.popleft()
        if goes_in:
            self.held.append(word)
        if rst:
            self.held.clear()
        await FallingEdge(self.dut.clk)
        self.check()
        return goes_in

    async def send(self, words, ready_pattern):
        """Keeps every offer up until it is taken, with the consumer ready as the pattern says."""
        waiting = deque(words)
        for m_ready in ready_pattern:
            if await self.cycle(waiting[0] if waiting else None, m_ready):
                waiting.popleft()


@cocotb.test()
async def passes_single_words(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(4):
        await bench.cycle(bench.word())
        await bench.cycle()
        await bench.cycle(m_ready=1)
        await bench.cycle(m_ready=1)


@cocotb.test()
async def one_word_per_cycle(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(20):
        assert await bench.cycle(bench.word(), m_ready=1)


@cocotb.test()
async def keeps_all_words_under_back_pressure(dut):
    bench = await Bench.after_reset(dut)
    for pattern in ([0, 0, 0, 1] * 6, [1, 0] * 8, [0, 0, 0, 0, 1, 1, 1, 1] * 3, [0, 0, 1] * 7):
        await bench.send([bench.word() for _ in pattern], pattern)
        await bench.send([], [1, 1, 1])


@cocotb.test()
async def an_offer_may_be_withdrawn(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(3):
        await bench.cycle(bench.word())
        await bench.cycle(bench.word())
        await bench.cycle(bench.word())
        await bench.cycle(None)
        await bench.cycle(bench.word(), m_ready=1)
        await bench.cycle(None, m_ready=1)
        await bench.cycle(None, m_ready=1)


@cocotb.test()
async def a_reset_drops_everything(dut):
    bench = await Bench.after_reset(dut)
    for held in range(3):
        for m_ready in (0, 1):
            for word in (None, 1):
                for _ in range(held):
                    await bench.cycle(bench.word())
                await bench.cycle(word, m_ready, rst=1)
                await bench.cycle(None, m_ready)
                await bench.cycle(bench.word(), m_ready=1)
                await bench.cycle(None, m_ready=1)


@cocotb.test()
async def random_traffic(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(271828)
    for offers, takes in ((0.9, 0.4), (0.4, 0.9), (0.7, 0.7), (1.0, 0.5)):
        for _ in range(80):
            word = bench.word() if choose.random() < offers else None
            await bench.cycle(word, choose.random() < takes, rst=choose.random() < 0.02)
