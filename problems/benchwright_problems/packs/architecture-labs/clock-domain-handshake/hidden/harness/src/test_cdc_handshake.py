# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the handshake, over a link with late edges and garbage, at many ratios of the clocks."""

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer, ValueChange
from cocotb.utils import get_sim_time

WIDTH = int(os.environ["WIDTH"])
RATIOS = [(10, 10), (6, 58), (58, 6), (22, 10)]


def number(handle):
    value = handle.value
    assert value.is_resolvable, f"{handle._name} has unknown bits: {value}"
    return int(value)


class Bench:
    """Sends and receives words; the words under way are in a queue."""

    def __init__(self, dut, seed):
        self.dut = dut
        self.choose = random.Random(seed)
        self.under_way = deque()
        self.sent = self.received = 0
        self.send_rate = self.take_rate = 1.0
        self.to_send = 0
        self.send_times = []
        self.failure = None
        self.is_reset = True

    @classmethod
    async def begin(cls, dut, ratio=(10, 14), seed=1, late=True):
        bench = cls(dut, seed)
        bench.late = late
        bench.periods = ratio
        for name in ("in_valid", "in_data", "out_ready", "late_req", "late_ack"):
            getattr(dut, name).value = 0
        dut.src_rst.value = dut.dst_rst.value = 1
        bench.clocks = [Clock(dut.src_clk, ratio[0], unit="ns"), Clock(dut.dst_clk, ratio[1], unit="ns")]
        bench.clocks[0].start()
        await Timer(bench.choose.randrange(1, 2 * ratio[0]) + 0.5, unit="ns")
        bench.clocks[1].start()
        for side in (bench.source, bench.destination):
            cocotb.start_soon(bench.guarded(side()))
        await bench.reset()
        return bench

    async def guarded(self, task):
        try:
            await task
        except AssertionError as error:
            self.failure = error

    async def reset(self):
        dut = self.dut
        self.is_reset = True
        self.to_send, self.send_times = 0, []
        dut.src_rst.value = dut.dst_rst.value = 1
        await Timer(6 * sum(self.periods), unit="ns")
        self.under_way.clear()
        if self.choose.randrange(2):
            dut.src_rst.value = 0
            await Timer(self.choose.randrange(1, 3 * sum(self.periods)), unit="ns")
        dut.dst_rst.value = 0
        await Timer(self.choose.randrange(1, 2 * sum(self.periods)), unit="ns")
        dut.src_rst.value = 0
        self.is_reset = False

    async def source(self):
        dut, choose = self.dut, self.choose
        while True:
            await FallingEdge(dut.src_clk)
            dut.late_ack.value = int(self.late and choose.randrange(2))
            offers = self.to_send > 0 and choose.random() < self.send_rate
            word = choose.getrandbits(WIDTH)
            dut.in_valid.value, dut.in_data.value = int(offers), word
            await Timer(1, unit="ns")
            if self.is_reset:
                continue
            if number(dut.in_ready) and offers:
                self.under_way.append(word)
                self.sent += 1
                self.to_send -= 1
                self.send_times.append(get_sim_time("ns"))

    async def destination(self):
        dut, choose = self.dut, self.choose
        held = None
        while True:
            await FallingEdge(dut.dst_clk)
            takes = choose.random() < self.take_rate
            dut.late_req.value = int(self.late and choose.randrange(2))
            dut.out_ready.value = int(takes)
            await Timer(1, unit="ns")
            if self.is_reset:
                held = None
                continue
            if number(dut.out_valid):
                assert self.under_way, "a word comes out that was not sent, or comes out twice"
                word = number(dut.out_data)
                assert word == self.under_way[0], f"{word:#x} comes out, expected {self.under_way[0]:#x}"
                held = not takes
                if takes:
                    self.under_way.popleft()
                    self.received += 1
            else:
                assert not held, "out_valid fell before the word was taken"

    async def run(self, words):
        """Send words and wait until all are received."""
        self.to_send, goal = words, self.received + words
        for _ in range(400 * words + 200):
            await FallingEdge(self.dut.dst_clk if self.periods[1] > self.periods[0] else self.dut.src_clk)
            if self.failure:
                raise self.failure
            if self.received == goal:
                return
        raise AssertionError(f"{goal - self.received} of {words} words do not arrive")


async def watch_synchronizer(bench, crossing, clock, outcome, changes):
    """Count the edges of the receiving clock from a change of a crossing signal to what follows from it."""
    while True:
        await ValueChange(crossing)
        if bench.is_reset or number(outcome):
            continue
        edges = 0
        while not number(outcome) and edges < 3:
            await RisingEdge(clock)
            edges += 1
            await Timer(0.2, unit="ns")
        changes.append(edges)
        if edges < 2:
            bench.failure = AssertionError(f"{outcome._name} follows {crossing._name} after {edges} edges")


@cocotb.test()
async def a_word_arrives(dut):
    bench = await Bench.begin(dut)
    bench.to_send = 1
    for _ in range(60):
        await FallingEdge(dut.dst_clk)
        if bench.failure:
            raise bench.failure
    assert bench.received == 1, "the word does not arrive"


@cocotb.test()
async def all_words_arrive_in_order(dut):
    bench = await Bench.begin(dut)
    await bench.run(60)
    bench.send_rate = 0.3
    await bench.run(20)


@cocotb.test()
async def the_destination_may_wait(dut):
    bench = await Bench.begin(dut, (10, 6), seed=2)
    bench.take_rate = 0.1
    await bench.run(30)


@cocotb.test()
async def request_is_synchronized(dut):
    bench = await Bench.begin(dut, (30, 10), seed=3, late=False)
    changes = []
    cocotb.start_soon(watch_synchronizer(bench, dut.req, dut.dst_clk, dut.out_valid, changes))
    await bench.run(20)
    assert changes, "req never changes"


@cocotb.test()
async def acknowledge_is_synchronized(dut):
    bench = await Bench.begin(dut, (10, 30), seed=4, late=False)
    changes = []
    cocotb.start_soon(watch_synchronizer(bench, dut.ack, dut.src_clk, dut.in_ready, changes))
    await bench.run(20)
    assert changes, "ack never changes"


@cocotb.test()
async def crossing_signals_are_registers(dut):
    bench = await Bench.begin(dut, (14, 22), seed=5)

    async def watch(crossing, clock):
        while True:
            await ValueChange(crossing)
            now = get_sim_time("ns")
            if number(clock) != 1 or now - bench.edges[clock._name] > 0.01:
                bench.failure = AssertionError(f"{crossing._name} changes apart from a rising edge of its own clock")

    async def note_edges(clock):
        while True:
            await RisingEdge(clock)
            bench.edges[clock._name] = get_sim_time("ns")

    bench.edges = {"src_clk": -1, "dst_clk": -1}
    for clock in (dut.src_clk, dut.dst_clk):
        cocotb.start_soon(note_edges(clock))
    await RisingEdge(dut.src_clk)
    await RisingEdge(dut.dst_clk)
    for crossing, clock in ((dut.req, dut.src_clk), (dut.data, dut.src_clk), (dut.ack, dut.dst_clk)):
        cocotb.start_soon(watch(crossing, clock))
    bench.take_rate = bench.send_rate = 0.5
    await bench.run(40)


@cocotb.test()
async def reset_empties_the_link(dut):
    bench = await Bench.begin(dut, (10, 14), seed=6)
    for delay in range(1, 26, 2):
        bench.take_rate = delay % 3 / 2
        bench.to_send = 2
        await Timer(11 * delay, unit="ns")
        await bench.reset()
        bench.take_rate = 1.0
        await bench.run(3)


@cocotb.test()
async def is_fast_enough(dut):
    bench = await Bench.begin(dut, (10, 14), seed=7)
    await bench.run(40)
    slowest = max(later - earlier for earlier, later in zip(bench.send_times, bench.send_times[1:], strict=False))
    assert slowest <= 8 * (10 + 14), f"a word takes {slowest} ns, 8 cycles of both clocks are {8 * (10 + 14)} ns"


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def random_clocks(dut, ratio):
    bench = await Bench.begin(dut, ratio, sum(ratio))
    for _ in range(4):
        bench.send_rate, bench.take_rate = bench.choose.choice([0.2, 1.0]), bench.choose.choice([0.2, 1.0])
        await bench.run(12)
