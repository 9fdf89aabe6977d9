# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the write-back cache, against a model that steps beside it."""

import os
import random

import cocotb
from bench import Bench

SETS = int(os.environ["SETS"])
TOP_TAG = 2**13 // SETS - 1


class Model:
    """Entries by index: [line number, content, dirty]. `job` is (we, index, line to fetch or None)."""

    def reset(self):
        self.entries = {}
        self.job = None

    def present(self, inputs):
        line = inputs["addr"] // 8
        return line % SETS in self.entries and self.entries[line % SETS][0] == line

    def dirty(self):
        return [index for index in sorted(self.entries) if self.entries[index][2]]

    def outputs(self, inputs):
        takes = self.job is None and not inputs["clean"] and self.present(inputs)
        wanted = {
            "stall": inputs["req"] and not takes,
            "clean_done": self.job is None and inputs["clean"] and not self.dirty(),
            "mem_req": self.job is not None,
        }
        if inputs["req"] and takes and not inputs["we"]:
            content = self.entries[inputs["addr"] // 8 % SETS][1]
            wanted["rdata"] = content >> (8 * (inputs["addr"] & 4)) & 0xFFFFFFFF
        if self.job is not None:
            write, index, line = self.job
            wanted["mem_we"] = write
            wanted["mem_addr"] = 8 * (self.entries[index][0] if write else line)
            if write:
                wanted["mem_wdata"] = self.entries[index][1]
        return wanted

    def step(self, inputs):
        line = inputs["addr"] // 8
        index = line % SETS
        if self.job is not None:
            write, index, line = self.job
            if not inputs["mem_ack"]:
                return
            if write:
                self.entries[index][2] = False
                self.job = None if line is None else (False, index, line)
            else:
                self.entries[index] = [line, inputs["mem_rdata"], False]
                self.job = None
        elif inputs["clean"]:
            if self.dirty():
                self.job = (True, self.dirty()[0], None)
        elif inputs["req"] and not self.present(inputs):
            self.job = (index in self.dirty(), index, line)
        elif inputs["req"] and inputs["we"]:
            mask = sum(255 << (8 * i) for i in range(4) if inputs["wstrb"] >> i & 1) << (8 * (inputs["addr"] & 4))
            word = inputs["wdata"] << (8 * (inputs["addr"] & 4))
            entry = self.entries[index]
            entry[1] = entry[1] & ~mask | word & mask
            entry[2] = entry[2] or inputs["wstrb"] != 0


IDLE = {
    "req": 0,
    "we": 1,
    "addr": 0xA5A5,
    "wdata": 0xFFFFFFFF,
    "wstrb": 15,
    "clean": 0,
    "mem_ack": 0,
    "mem_rdata": 0x0123456789ABCDEF,
}


async def begin(dut):
    bench = await Bench.after_reset(dut, Model(), IDLE)
    bench.choose = random.Random(1985)
    return bench


async def acknowledge(bench, **changes):
    await bench.cycle(mem_ack=1, mem_rdata=bench.choose.getrandbits(64), **changes)


async def access(bench, tag, index=0, word=0, wait=0, **changes):
    """A load, or with `we` = 1 a store, to its end."""
    inputs = {"req": 1, "we": 0, "addr": (tag * SETS + index) * 8 + 4 * word + 1, **changes}
    while (await bench.cycle(**inputs))["stall"]:
        for _ in range(wait):
            await bench.cycle(**inputs)
        await acknowledge(bench, **inputs)


async def store(bench, tag, index=0, word=0, strobes=15, wait=0):
    await access(bench, tag, index, word, wait, we=1, wdata=bench.choose.getrandbits(32), wstrb=strobes)


@cocotb.test()
async def loads_fetch_their_line(dut):
    bench = await begin(dut)
    await bench.cycle(mem_ack=1)
    for index in range(SETS):
        await access(bench, TOP_TAG - index, index, 1, wait=index)
        await access(bench, TOP_TAG - index, index, 0)
    bit = 1
    while bit <= TOP_TAG:
        await access(bench, bit, 1)
        await access(bench, 0, 1)
        bit *= 2


@cocotb.test()
async def stores_change_their_bytes(dut):
    bench = await begin(dut)
    await access(bench, 1, 1)
    for strobes in [1, 2, 4, 8, 15, 0, 5, 10]:
        for word in (0, 1):
            await store(bench, 1, 1, word, strobes)
            await access(bench, 1, 1, 0)
            await access(bench, 1, 1, 1)
    await bench.cycle(req=0, we=1, addr=(SETS + 1) * 8)
    await access(bench, 1, 1, 0)


@cocotb.test()
async def a_store_that_misses_fetches_first(dut):
    bench = await begin(dut)
    for index in range(SETS):
        await store(bench, 3, index, index % 2, strobes=6, wait=index)
        await access(bench, 3, index, 0)
        await access(bench, 3, index, 1)


@cocotb.test()
async def a_dirty_line_is_written_back(dut):
    bench = await begin(dut)
    for index in range(SETS):
        for strobes in (1, 2, 4, 8):
            await store(bench, 7, index, index % 2, strobes)
            await access(bench, TOP_TAG, index, wait=2)
        await store(bench, 8, index, 1)
        await store(bench, 9, index, 1)


@cocotb.test()
async def a_clean_line_just_leaves(dut):
    bench = await begin(dut)
    await access(bench, 1)
    await access(bench, 2)
    await store(bench, 2, strobes=0)
    await access(bench, 3)
    await bench.cycle(req=0, we=1, addr=3 * SETS * 8)
    await access(bench, 4)
    await store(bench, 4)
    await access(bench, 5)
    await access(bench, 6)
    await store(bench, 7, 1)
    await access(bench, 8, 0)


@cocotb.test()
async def what_has_begun_keeps_its_line(dut):
    bench = await begin(dut)
    await store(bench, 1, 0)
    await store(bench, 1, 1)
    await bench.cycle(req=1, we=0, addr=2 * SETS * 8)
    for write in (0, 1):
        await bench.cycle(req=1, we=write, addr=(SETS + 1) * 8, clean=write)
        await bench.cycle(req=0, we=write, addr=3 * SETS * 8)
        await acknowledge(bench, req=1, we=write, addr=(SETS + 1) * 8 + 4 * write, clean=write)
    await access(bench, 1, 1, 1)
    await access(bench, 1, 1, 0)
    await access(bench, 2, 0)


@cocotb.test()
async def clean_writes_all_dirty_lines(dut):
    bench = await begin(dut)
    await bench.cycle(clean=1)
    for dirty in range(2**SETS):
        for index in range(SETS):
            await (store if dirty >> index & 1 else access)(bench, 1, index, dirty % 2)
        while not (await bench.cycle(clean=1, req=dirty & 1, we=1, addr=SETS * 8))["clean_done"]:
            if dirty % 3 == 0:
                await bench.cycle(clean=1, req=1, we=1, addr=SETS * 8)
            await acknowledge(bench, clean=dirty % 2)
        await bench.cycle(clean=1, req=1, we=1, addr=8 * SETS * 8)
        for index in range(SETS):
            await access(bench, 1, index, 1)


@cocotb.test()
async def reset_forgets_dirty_lines(dut):
    bench = await begin(dut)
    for index in range(SETS):
        await store(bench, 1, index)
    await bench.cycle(rst=1, req=1, addr=SETS * 8)
    await bench.cycle(clean=1)
    for index in range(SETS):
        await access(bench, 2, index)
    await store(bench, 2, 0)
    await bench.cycle(req=1, addr=8 * 8 * SETS)
    await bench.cycle(rst=1)
    await bench.cycle(mem_ack=1)
    await bench.cycle(req=1, addr=0)
    await bench.cycle(rst=1, mem_ack=1)
    await access(bench, 0)


@cocotb.test()
async def random_requests(dut):
    bench = await begin(dut)
    choose = bench.choose
    tags = [0, 1, TOP_TAG, TOP_TAG // 2]
    inputs, clean = {}, 0
    for _ in range(1200):
        if choose.random() < 0.7:
            addr = (choose.choice(tags) * SETS + choose.randrange(SETS)) * 8 + choose.randrange(8)
            inputs = {"req": int(choose.random() < 0.85), "we": choose.randrange(2), "addr": addr}
            inputs |= {"wdata": choose.getrandbits(32), "wstrb": choose.randrange(16)}
        if choose.random() < 0.1:
            clean = choose.choice([0, 0, 1])
        await bench.cycle(
            clean=clean,
            mem_ack=choose.randrange(2),
            mem_rdata=choose.getrandbits(64),
            rst=int(choose.random() < 0.004),
            **inputs,
        )
