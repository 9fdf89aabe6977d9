# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the branch predictor: a Python dictionary of entries steps beside it."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

ENTRIES = int(os.environ["ENTRIES"])
TAG_BITS = int(os.environ["TAG_BITS"])
INDEX_BITS = (ENTRIES - 1).bit_length()


def place(pc):
    """Index and tag of an address."""
    return pc >> 2 & ENTRIES - 1, pc >> 2 + INDEX_BITS & 2**TAG_BITS - 1


def address(index, tag, rest=0):
    """An address; `rest` are bits that nobody looks at."""
    return (rest << 2 + INDEX_BITS + TAG_BITS | tag << 2 + INDEX_BITS | index << 2 | rest & 3) & 0xFFFFFFFF


class Bench:
    """Drives at falling edges; compares shortly before and after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.entries = {}
        self.choose = random.Random(111)

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst.value, dut.update.value = 1, 0
        dut.pc.value, dut.update_pc.value, dut.update_taken.value, dut.update_target.value = 0, 0, 0, 0
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        return bench

    def word(self):
        return self.choose.getrandbits(32)

    def check(self, pc):
        index, tag = place(pc)
        entry = self.entries.get(index)
        hit = entry is not None and entry["tag"] == tag
        wanted = {"hit": hit, "taken": hit and entry["counter"] >= 2}
        if hit:
            wanted["target"] = entry["target"]
        for name, number in wanted.items():
            value = getattr(self.dut, name).value
            assert value.is_resolvable, f"{name} has unknown bits: {value}"
            assert int(value) == number, f"{name} is {int(value):#x}, expected {int(number):#x} for pc {pc:#x}, {entry}"

    async def look(self, pc):
        self.dut.pc.value = pc
        await Timer(1, unit="ns")
        self.check(pc)

    async def cycle(self, pc, executed=None, taken=1, target=None, rst=0):
        """Fetch at `pc`, and perhaps execute a branch at `executed`."""
        target = self.word() if target is None else target
        self.dut.rst.value, self.dut.pc.value = rst, pc
        self.dut.update.value, self.dut.update_taken.value = executed is not None, taken
        self.dut.update_pc.value = self.choose.choice([pc, self.word()]) if executed is None else executed
        self.dut.update_target.value = target
        await Timer(3, unit="ns")
        self.check(pc)
        if executed is not None:
            index, tag = place(executed)
            entry = self.entries.get(index)
            if entry is not None and entry["tag"] == tag:
                entry["counter"] = min(entry["counter"] + 1, 3) if taken else max(entry["counter"] - 1, 0)
                if taken:
                    entry["target"] = target
            elif taken:
                self.entries[index] = {"tag": tag, "target": target, "counter": 2}
        if rst:
            self.entries.clear()
        await FallingEdge(self.dut.clk)
        self.check(pc)


@cocotb.test()
async def knows_nothing_after_reset(dut):
    bench = await Bench.after_reset(dut)
    for index in range(ENTRIES):
        await bench.cycle(address(index, 0))
        await bench.cycle(address(index, 0), executed=address(index, 0))
    await bench.cycle(address(1, 0), rst=1)
    for index in range(ENTRIES):
        await bench.cycle(address(index, 0))
    await bench.cycle(address(0, 1), executed=address(0, 1), rst=1)
    await bench.cycle(address(0, 1))


@cocotb.test()
async def remembers_a_taken_branch(dut):
    bench = await Bench.after_reset(dut)
    for target in (0xFFFFFFFF, 0, 0x12345678, 0x80000001):
        await bench.cycle(address(1, 1), executed=address(1, 1), target=target)
        await bench.cycle(address(1, 1))
        await bench.cycle(address(0, 1))


@cocotb.test()
async def tags_tell_branches_apart(dut):
    bench = await Bench.after_reset(dut)
    for bit in range(TAG_BITS):
        await bench.cycle(address(1, 0), executed=address(1, 0))
        await bench.cycle(address(1, 1 << bit))
        await bench.cycle(address(1, 0), executed=address(1, 1 << bit))
        await bench.cycle(address(1, 1 << bit))
    for rest in (1, 2, 3, 0xFF):
        await bench.cycle(address(1, 0, rest), executed=address(1, 0))
        await bench.cycle(address(1, 0), executed=address(1, 0, rest))


@cocotb.test()
async def every_entry_is_used(dut):
    bench = await Bench.after_reset(dut)
    for index in range(ENTRIES):
        await bench.cycle(address(index, index % 2), executed=address(index, index % 2))
    for index in range(ENTRIES):
        await bench.cycle(address(index, index % 2))


@cocotb.test()
async def needs_two_surprises(dut):
    bench = await Bench.after_reset(dut)
    pc = address(1, 1)
    for taken in (1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1):
        await bench.cycle(pc, executed=pc, taken=taken)
        await bench.cycle(pc)


@cocotb.test()
async def counters_stop_at_both_ends(dut):
    bench = await Bench.after_reset(dut)
    pc = address(ENTRIES - 1, 0)
    for taken in (1,) * 6 + (0,) * 7 + (1,) * 6 + (0,) * 2:
        await bench.cycle(pc, executed=pc, taken=taken)


@cocotb.test()
async def enters_only_taken_branches(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(address(0, 0), executed=address(0, 0), taken=0)
    await bench.cycle(address(0, 0))
    await bench.cycle(address(1, 0), executed=address(1, 0))
    await bench.cycle(address(1, 0), executed=address(1, 1), taken=0)
    await bench.cycle(address(1, 0))
    await bench.cycle(address(1, 0), executed=address(1, 0), taken=0)
    await bench.cycle(address(1, 0), executed=address(1, 0), taken=0)
    await bench.cycle(address(1, 0))
    await bench.cycle(address(1, 1), executed=address(1, 1))
    await bench.cycle(address(1, 1))


@cocotb.test()
async def guesses_by_the_table_before_the_edge(dut):
    bench = await Bench.after_reset(dut)
    for tag in (0, 1, 0, 1):
        await bench.cycle(address(1, tag), executed=address(1, tag))
        await bench.look(address(0, tag))
        await bench.look(address(1, tag))
        await bench.cycle(address(1, tag), executed=address(1, tag), taken=0)
        await bench.look(address(1, 1 - tag))
        await bench.cycle(address(1, tag), executed=address(1, tag))


@cocotb.test()
async def random_branches(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(112)
    branches = [address(choose.randrange(ENTRIES), choose.randrange(2**TAG_BITS), choose.randrange(4)) for _ in range(10)]
    for _ in range(400):
        await bench.cycle(
            choose.choice(branches),
            executed=choose.choice(branches) if choose.random() < 0.7 else None,
            taken=int(choose.random() < 0.6),
            rst=choose.random() < 0.01,
        )
