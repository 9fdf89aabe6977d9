# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the set-associative cache, against a model that steps beside it."""

import os
import random

import cocotb
from bench import Bench

SETS = int(os.environ["SETS"])
WAYS = int(os.environ["WAYS"])
TOP_TAG = 2**13 // SETS - 1


def line_at(number, edition=0):
    return random.Random(number * 64 + edition).getrandbits(64)


class Model:
    """Each set: the line numbers by way, and the ways in order of use, the latest last."""

    def reset(self):
        self.lines = [[None] * WAYS for _ in range(SETS)]
        self.data = {}
        self.order = [list(range(WAYS)) for _ in range(SETS)]
        self.fetched = None

    def outputs(self, inputs):
        line = inputs["addr"] // 8
        hit = self.fetched is None and line in self.lines[line % SETS]
        wanted = {"stall": inputs["req"] and not hit, "mem_req": self.fetched is not None}
        if inputs["req"] and hit:
            wanted["way"] = self.lines[line % SETS].index(line)
            wanted["rdata"] = self.data[line] >> (8 * (inputs["addr"] & 4)) & 0xFFFFFFFF
        if self.fetched is not None:
            wanted["mem_addr"] = self.fetched * 8
        return wanted

    def use(self, index, way):
        self.order[index].remove(way)
        self.order[index].append(way)

    def step(self, inputs):
        wanted = self.outputs(inputs)
        line, invalid = inputs["addr"] // 8, inputs["inv_addr"] // 8
        stored = None
        if self.fetched is not None:
            if inputs["mem_valid"]:
                stored, self.fetched = self.fetched, None
                lines = self.lines[stored % SETS]
                way = lines.index(None) if None in lines else self.order[stored % SETS][0]
        elif wanted["stall"]:
            self.fetched = line
        elif inputs["req"]:
            self.use(line % SETS, wanted["way"])
        if inputs["inv"]:
            self.lines[invalid % SETS] = [None if held == invalid else held for held in self.lines[invalid % SETS]]
        if stored is not None:
            self.lines[stored % SETS][way] = stored
            self.data[stored] = inputs["mem_data"]
            self.use(stored % SETS, way)


async def begin(dut):
    idle = {"req": 0, "addr": 0xA5A5, "inv": 0, "inv_addr": 0x5A5A, "mem_valid": 0, "mem_data": 2**64 - 1}
    return await Bench.after_reset(dut, Model(), idle)


async def deliver(bench, edition=0, **changes):
    await bench.cycle(mem_valid=1, mem_data=line_at(bench.model.fetched, edition), **changes)


async def read(bench, tag, index=0, word=0, wait=0):
    addr = (tag * SETS + index) * 8 + 4 * word
    while (await bench.cycle(req=1, addr=addr))["stall"]:
        for _ in range(wait):
            await bench.cycle(req=1, addr=addr)
        await deliver(bench, req=1, addr=addr)


async def invalidate(bench, tag, index=0, **changes):
    await bench.cycle(inv=1, inv_addr=(tag * SETS + index) * 8 + 5, **changes)


@cocotb.test()
async def fetches_a_missing_line(dut):
    bench = await begin(dut)
    await bench.cycle(mem_valid=1)
    for index in range(SETS):
        await read(bench, TOP_TAG - index, index, index % 2, wait=index)
        await read(bench, TOP_TAG - index, index, 1 - index % 2)
    await bench.cycle()


@cocotb.test()
async def fills_the_ways_in_order(dut):
    bench = await begin(dut)
    for index in reversed(range(SETS)):
        for tag in range(WAYS):
            await read(bench, tag + index, index)
        for tag in range(WAYS):
            await read(bench, tag + index, index, 1)


@cocotb.test()
async def a_fetch_keeps_its_own_line(dut):
    bench = await begin(dut)
    await read(bench, 1)
    await bench.cycle(req=1, addr=(2 * SETS + 1) * 8)
    await bench.cycle(req=1, addr=SETS * 8)
    await bench.cycle(req=0, addr=SETS * 8)
    await deliver(bench, req=1, addr=3 * SETS * 8)
    await read(bench, 1)
    await bench.cycle(req=1, addr=(2 * SETS + 1) * 8)
    await read(bench, 3, 1)


@cocotb.test()
async def invalidates_one_line(dut):
    bench = await begin(dut)
    for index in range(SETS):
        for tag in range(WAYS):
            await read(bench, tag, index)
    await invalidate(bench, WAYS, 1)
    await invalidate(bench, 1, 1, req=1, addr=(SETS + 1) * 8)
    for index in range(SETS):
        for tag in (0, WAYS - 1, 1):
            await read(bench, tag, index, 1)
    bit = 1
    while bit <= TOP_TAG:
        await invalidate(bench, bit)
        await read(bench, 0)
        bit *= 2


@cocotb.test()
async def an_invalid_way_is_filled_first(dut):
    bench = await begin(dut)
    for gone in range(WAYS):
        for tag in range(WAYS):
            await read(bench, 10 * gone + tag)
        await invalidate(bench, 10 * gone + gone)
        await read(bench, 10 * gone + 8)
        await bench.cycle(req=1, addr=(10 * gone + 9) * SETS * 8)
        await invalidate(bench, 10 * gone + 8)
        await invalidate(bench, 10 * gone + 9)
        await deliver(bench, inv=1, inv_addr=(10 * gone + 9) * SETS * 8)
        await read(bench, 10 * gone + 9)
    for tag in range(60, 60 + WAYS):
        await read(bench, tag)
    await bench.cycle(req=1, addr=70 * SETS * 8)
    await deliver(bench, inv=1, inv_addr=60 * SETS * 8)
    await read(bench, 70)
    await read(bench, 60)


@cocotb.test()
async def replaces_the_least_recently_used(dut):
    bench = await begin(dut)
    for tag in [*range(2 * WAYS + 1), WAYS, 0, *range(WAYS)]:
        await read(bench, tag, 1)


@cocotb.test()
async def hits_count_as_use(dut):
    bench = await begin(dut)
    for tag in range(WAYS):
        await read(bench, tag)
    choose = random.Random(3)
    new = WAYS
    for _ in range(20):
        held = list(bench.model.lines[0])
        choose.shuffle(held)
        for line in held[: choose.randint(0, WAYS)]:
            await read(bench, line // SETS, word=choose.randrange(2))
        addr = choose.choice(held) * 8
        await bench.cycle(req=0, addr=addr)
        await read(bench, new)
        new += 1


@cocotb.test()
async def sets_have_their_own_order(dut):
    bench = await begin(dut)
    for tag in range(WAYS):
        for index in range(SETS):
            await read(bench, (tag + index) % WAYS, index)
    for index in range(SETS):
        await read(bench, index % WAYS, index)
    for tag in range(WAYS, 2 * WAYS):
        for index in range(SETS):
            await read(bench, tag, index)


@cocotb.test()
async def reset_forgets_all_lines(dut):
    bench = await begin(dut)
    for tag in (3, 1, 0, 2):
        await read(bench, tag)
    await bench.cycle(req=1, addr=8 * 8 * SETS)
    await bench.cycle(rst=1, req=1, addr=8 * 8 * SETS)
    await bench.cycle(mem_valid=1)
    await bench.cycle(rst=1, req=1, addr=9 * 8 * SETS, inv=1)
    await bench.cycle()
    for tag in range(WAYS + 2):
        await read(bench, tag)


@cocotb.test()
async def random_requests(dut):
    bench = await begin(dut)
    choose = random.Random(1968)
    tags = [0, 1, 2, 3, TOP_TAG, TOP_TAG - 1, TOP_TAG // 2, TOP_TAG // 2 + 1, TOP_TAG // 4]
    addr = 0
    for _ in range(1200):
        if choose.random() < 0.7:
            addr = (choose.choice(tags) * SETS + choose.randrange(SETS)) * 8 + choose.randrange(8)
        inv_addr = (choose.choice(tags) * SETS + choose.randrange(SETS)) * 8 + choose.randrange(8)
        changes = {
            "req": int(choose.random() < 0.8),
            "addr": addr,
            "inv": int(choose.random() < 0.1),
            "inv_addr": inv_addr,
            "rst": int(choose.random() < 0.004),
        }
        if bench.model.fetched is not None and choose.random() < 0.7:
            await deliver(bench, choose.randrange(4), **changes)
        else:
            await bench.cycle(mem_valid=int(bench.model.fetched is None), **changes)
