# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the copy engine: a memory with adjustable grants and answers that watches every rule of the statement."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

MOST_UNDER_WAY = 4


class Bench:
    """Drives at falling edges, watches shortly before each rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.choose = random.Random(2001)
        self.read_rate = self.write_rate = 1.0
        self.latency = (1, 1)
        self.is_idle()
        self.error = 0

    def is_idle(self):
        self.copy = None
        self.offered = {"rd": None, "wr": None}
        self.queue = []  # answers to come: [cycles to wait, word number]
        self.quiet = 0
        self.after_edge = {}

    def number(self, name):
        value = getattr(self.dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        return int(value)

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        for name in ("start", "src", "dst", "count", "rd_ready", "wr_ready", "rsp_valid", "rsp_data", "rsp_error"):
            getattr(dut, name).value = 0
        await bench.reset()
        return bench

    async def reset(self):
        self.dut.rst.value = 1
        await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.is_idle()
        self.error = 0

    async def cycle(self, start=None):
        """One cycle; `start` is (src, dst, count, number of the first word that can't be read or None)."""
        dut, choose = self.dut, self.choose
        dut.start.value = start is not None
        src, dst, count, _ = start or (choose.getrandbits(16), choose.getrandbits(16), choose.getrandbits(8), None)
        dut.src.value, dut.dst.value, dut.count.value = src, dst, count
        dut.rd_ready.value = int(choose.random() < self.read_rate)
        dut.wr_ready.value = int(choose.random() < self.write_rate)
        answer = None
        if self.queue and self.queue[0][0] <= 0:
            answer = self.queue.pop(0)[1]
        dut.rsp_valid.value = answer is not None
        fails = answer is not None and answer in self.copy["bad"]
        dut.rsp_error.value = int(fails) if answer is not None else choose.randrange(2)
        dut.rsp_data.value = choose.getrandbits(32) if answer is None or fails else self.word(answer)
        await Timer(4, unit="ns")
        for name, value in self.after_edge.items():
            assert self.number(name) == value, f"{name} changes between two rising edges"
        self.watch(start, answer, fails)
        await RisingEdge(dut.clk)
        await Timer(1, unit="ns")
        self.after_edge = {name: self.number(name) for name in ("busy", "done", "error", "rd_valid", "wr_valid")}
        await FallingEdge(dut.clk)

    def word(self, number):
        return random.Random(self.copy["salt"] * 1000 + number).getrandbits(32)

    def watch(self, start, answer, fails):
        copy = self.copy
        busy, done, error = self.number("busy"), self.number("done"), self.number("error")
        offers = {kind: self.number(f"{kind}_valid") for kind in ("rd", "wr")}
        finished = copy is not None and copy["finished"]
        assert busy == (copy is not None and not done), f"busy is {busy}, with done = {done}"
        assert not done or finished, "done comes before the copy is at its end, or without one"
        if done:
            self.error = int(copy["failed"] is not None)
            self.copy = copy = None
            self.quiet = 0
        if copy is None:
            assert error == self.error, f"error is {error}, expected {self.error}"
            assert not any(offers.values()), "offers a read or write without a copy"
        elif finished:
            self.quiet += 1
            assert self.quiet <= 3, "done does not come within three cycles"
            assert not any(offers.values()), "offers a read or write after the end"
        if copy is not None:
            self.watch_offers(copy, offers, answer, fails)
            for waiting in self.queue:
                waiting[0] -= 1
            self.watch_end(copy)
        if start is not None and not busy:
            src, dst, count, bad = start
            self.copy = {
                "src": src,
                "dst": dst,
                "count": count,
                "bad": () if bad is None else bad,
                "salt": self.choose.getrandbits(20),
                "read": 0,
                "answered": 0,
                "written": 0,
                "failed": None,
                "finished": False,
            }
            self.quiet = 0
            self.error = 0
            self.watch_end(self.copy)

    def watch_offers(self, copy, offers, answer, fails):
        """Check offers and grants of a cycle, and the answer that came in it."""
        end = copy["count"] if copy["failed"] is None else copy["failed"]
        rd, wr = (self.number("rd_addr"), None), (self.number("wr_addr"), None)
        if offers["rd"]:
            assert copy["read"] < copy["count"], "reads more words than it was told to"
            wanted = (copy["src"] + copy["read"]) % 2**16
            assert rd[0] == wanted, f"rd_addr is {rd[0]:#06x}, expected {wanted:#06x} for word {copy['read']}"
            assert copy["failed"] is None or self.offered["rd"], "offers a new read after an error"
            assert copy["failed"] is not None or copy["read"] - copy["written"] < MOST_UNDER_WAY, (
                "offers a read although four words are under way"
            )
        else:
            assert not self.offered["rd"], "withdraws a read that was not granted"
        if offers["wr"]:
            assert copy["written"] < min(copy["answered"], end), (
                "writes a word that was not answered, or not to be written"
            )
            wanted = (copy["dst"] + copy["written"]) % 2**16
            data = self.number("wr_data")
            assert wr[0] == wanted, f"wr_addr is {wr[0]:#06x}, expected {wanted:#06x} for word {copy['written']}"
            assert data == self.word(copy["written"]), f"wr_data is {data:#010x}, not word {copy['written']}"
        else:
            assert not self.offered["wr"], "withdraws a write that was not granted"
        granted = {kind: offers[kind] and self.number(f"{kind}_ready") for kind in offers}
        self.offered = {kind: bool(offers[kind]) and not granted[kind] for kind in offers}
        if granted["rd"]:
            self.queue.append([self.choose.randint(*self.latency), copy["read"]])
            copy["read"] += 1
        if granted["wr"]:
            copy["written"] += 1
        if answer is not None:
            if fails and copy["failed"] is None:
                copy["failed"] = answer
            copy["answered"] += 1
            self.stalled = 0
        self.stalled = (
            0 if any(granted.values()) or self.queue or any(self.offered.values()) else getattr(self, "stalled", 0) + 1
        )
        assert self.stalled < 12, "the copy stands still"

    def watch_end(self, copy):
        if copy["failed"] is None:
            copy["finished"] = copy["written"] == copy["count"]
        else:
            copy["finished"] = (
                copy["written"] == copy["failed"] and copy["answered"] == copy["read"] and not self.offered["rd"]
            )

    async def run(self, src, dst, count, bad=None):
        """A copy from start to done; returns the cycles that it took."""
        self.stalled = 0
        await self.cycle((src, dst, count, bad))
        cycles = 1
        while self.copy is not None:
            await self.cycle()
            cycles += 1
            assert cycles < 40 * count + 100, "the copy does not end"
        return cycles


@cocotb.test()
async def copies_blocks_of_all_sizes(dut):
    bench = await Bench.after_reset(dut)
    for count in (1, 2, 3, 4, 5, 0, 9, 16, 255):
        await bench.run(0x1234, 0x5678, count)
    await bench.cycle()
    await bench.cycle()


@cocotb.test()
async def offers_stay_until_granted(dut):
    bench = await Bench.after_reset(dut)
    for read_rate, write_rate in ((0.2, 1.0), (1.0, 0.2), (0.3, 0.3)):
        bench.read_rate, bench.write_rate = read_rate, write_rate
        await bench.run(0x0F00, 0xF000, 24)


@cocotb.test()
async def ignores_start_while_busy(dut):
    bench = await Bench.after_reset(dut)
    bench.latency = (3, 6)
    for again in range(1, 9):
        await bench.cycle((0x100, 0x200, 3, None))
        for cycle in range(again):
            await bench.cycle((0x300, 0x400, 7, None) if cycle == again - 1 and bench.copy else None)
        while bench.copy is not None:
            await bench.cycle()


@cocotb.test()
async def addresses_wrap(dut):
    bench = await Bench.after_reset(dut)
    await bench.run(0xFFFD, 0x00FE, 6)
    await bench.run(0x7FFE, 0xFFFE, 6)


@cocotb.test()
async def never_more_than_four_words(dut):
    bench = await Bench.after_reset(dut)
    for latency, write_rate in (((9, 9), 1.0), ((1, 1), 0.1), ((1, 12), 0.5), ((20, 20), 0.2)):
        bench.latency, bench.write_rate = latency, write_rate
        await bench.run(0x2000, 0x3000, 20)


@cocotb.test()
async def keeps_up_with_a_fast_memory(dut):
    bench = await Bench.after_reset(dut)
    bench.latency = (2, 2)
    for count in (8, 64, 200):
        cycles = await bench.run(0x4000, 0x5000, count)
        assert cycles <= count + 10, f"{count} words take {cycles} cycles"


@cocotb.test()
async def stops_at_an_error(dut):
    bench = await Bench.after_reset(dut)
    for latency, read_rate, write_rate in (
        ((1, 1), 1.0, 1.0),
        ((5, 5), 1.0, 1.0),
        ((1, 2), 0.3, 1.0),
        ((1, 2), 1.0, 0.2),
        ((4, 8), 0.5, 0.5),
    ):
        bench.latency, bench.read_rate, bench.write_rate = latency, read_rate, write_rate
        for bad in ((0,), (3,), (9,), (2, 3), (4, 6)):
            await bench.run(0x600, 0x700, 10, bad)
            await bench.cycle()


@cocotb.test()
async def recovers_after_an_error(dut):
    bench = await Bench.after_reset(dut)
    bench.latency = (1, 5)
    for bad in range(8):
        await bench.run(0x900, 0xA00, 8, (bad,))
        await bench.run(0xB00, 0xC00, 6)
    await bench.cycle((0x900, 0xA00, 8, (0,)))
    for _ in range(bad):
        await bench.cycle()
    await bench.reset()
    await bench.cycle()
    await bench.run(0xB00, 0xC00, 6)


@cocotb.test()
async def random_copies(dut):
    bench = await Bench.after_reset(dut)
    choose = bench.choose
    for _ in range(40):
        bench.read_rate, bench.write_rate = choose.choice([0.2, 0.6, 1.0]), choose.choice([0.2, 0.6, 1.0])
        bench.latency = choose.choice([(1, 1), (2, 2), (1, 8), (5, 9)])
        count = choose.choice([0, 1, 4, 5, choose.randint(0, 30)])
        bad = tuple(number for number in range(count) if choose.random() < 0.04)
        await bench.run(choose.getrandbits(16), choose.getrandbits(16), count, bad)
        if choose.random() < 0.2:
            await bench.cycle((1, 2, 30, None))
            for _ in range(choose.randrange(20)):
                await bench.cycle()
            await bench.reset()
