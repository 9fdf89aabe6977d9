# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the pseudo-LRU unit, against a model with a tree of halves for each set."""

import os
import random

import cocotb
from bench import Bench

SETS = int(os.environ["SETS"])
WAYS = int(os.environ["WAYS"])
ALL = 2**WAYS - 1


class Model:
    """Each set: a dictionary of nodes (first way, ways below it) that point to the upper half."""

    def reset(self):
        self.upper = [{} for _ in range(SETS)]

    def outputs(self, inputs):
        free = [way for way in range(WAYS) if not (inputs["valid"] | inputs["locked"]) >> way & 1]
        usable = [way for way in range(WAYS) if not inputs["locked"] >> way & 1]
        if not usable:
            return {"none": 1}
        if free:
            return {"none": 0, "victim": free[0]}
        low, count = 0, WAYS
        while count > 1:
            upper = self.upper[inputs["set"]].get((low, count), 0)
            count //= 2
            halves = [any(first <= way < first + count for way in usable) for first in (low, low + count)]
            if not halves[upper]:
                upper = 1 - upper
            low += count * upper
        return {"none": 0, "victim": low}

    def step(self, inputs):
        if inputs["touch"]:
            low, count, way = 0, WAYS, inputs["touch_way"]
            while count > 1:
                upper = way >= low + count // 2
                self.upper[inputs["touch_set"]][low, count] = int(not upper)
                count //= 2
                low += count * upper


async def begin(dut):
    idle = {"touch": 0, "touch_set": SETS - 1, "touch_way": 1, "set": 0, "valid": ALL, "locked": 0}
    return await Bench.after_reset(dut, Model(), idle)


async def touch(bench, way, index=0, **changes):
    await bench.cycle(touch=1, touch_set=index, touch_way=way, set=index, **changes)


async def victim(bench, index=0, **changes):
    return (await bench.cycle(set=index, **changes)).get("victim")


@cocotb.test()
async def none_when_all_are_locked(dut):
    bench = await begin(dut)
    await bench.cycle(locked=ALL)
    await bench.cycle(locked=ALL, valid=0)
    await bench.cycle(locked=0)
    await bench.cycle(locked=ALL & ~1)
    await bench.cycle(locked=ALL)


@cocotb.test()
async def a_touched_way_is_not_the_victim(dut):
    bench = await begin(dut)
    for index in range(SETS):
        for way in [*range(WAYS), *reversed(range(WAYS))]:
            await touch(bench, way, index)
            await victim(bench, index)


@cocotb.test()
async def follows_the_example(dut):
    bench = await begin(dut)
    for way in (0, WAYS // 2, WAYS // 4, WAYS - 1, 0, 1, WAYS // 2 - 1):
        await victim(bench)
        await touch(bench, way)
        await bench.cycle(touch=0, touch_set=0, touch_way=WAYS - 1 - way)


@cocotb.test()
async def all_ways_take_turns(dut):
    bench = await begin(dut)
    for index in range(SETS):
        order = []
        for _ in range(WAYS):
            order.append(await victim(bench, index))
            await touch(bench, order[-1], index)
        assert sorted(order) == list(range(WAYS))


@cocotb.test()
async def sets_are_independent(dut):
    bench = await begin(dut)
    for way in range(WAYS):
        for index in range(SETS):
            await touch(bench, (way * 3 + index) % WAYS, index)
            for number in range(SETS):
                await victim(bench, number)


@cocotb.test()
async def locked_ways_stay(dut):
    bench = await begin(dut)
    choose = random.Random(5)
    patterns = (
        range(ALL) if WAYS <= 4 else [*(ALL & ~(1 << way) for way in range(WAYS)), *choose.sample(range(ALL), 60)]
    )
    for way in range(WAYS):
        await victim(bench, locked=ALL >> way << way & ALL)
    for locked in patterns:
        await victim(bench, locked=locked)
        await touch(bench, choose.randrange(WAYS), locked=locked)
        await victim(bench, locked=locked)


@cocotb.test()
async def invalid_ways_come_first(dut):
    bench = await begin(dut)
    choose = random.Random(6)
    for _ in range(60):
        invalid = choose.getrandbits(WAYS) & choose.getrandbits(WAYS)
        locked = choose.getrandbits(WAYS) & choose.getrandbits(WAYS)
        await touch(bench, choose.randrange(WAYS), valid=ALL & ~invalid, locked=locked)
        await victim(bench, valid=ALL & ~invalid, locked=0)


@cocotb.test()
async def reset_clears_all_trees(dut):
    bench = await begin(dut)
    for _ in range(2):
        for index in range(SETS):
            for way in range(0, WAYS, 2):
                await touch(bench, way, index)
        await bench.cycle(rst=1, touch=1, touch_set=1, touch_way=0)
        for index in range(SETS):
            for way in range(WAYS):
                await victim(bench, index, locked=(1 << way) - 1)


@cocotb.test()
async def random_use(dut):
    bench = await begin(dut)
    choose = random.Random(1990)
    for _ in range(700):
        await bench.cycle(
            touch=choose.randrange(2),
            touch_set=choose.randrange(SETS),
            touch_way=choose.randrange(WAYS),
            set=choose.randrange(SETS),
            locked=choose.choice([0, choose.randint(0, ALL), 1 << choose.randrange(WAYS)]),
            valid=choose.choice([ALL, ALL, choose.randint(0, ALL)]),
            rst=int(choose.random() < 0.005),
        )
