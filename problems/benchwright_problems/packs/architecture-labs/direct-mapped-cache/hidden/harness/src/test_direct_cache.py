# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the direct-mapped cache, against a model that steps beside it."""

import os
import random

import cocotb
from bench import Bench

SETS = int(os.environ["SETS"])
WORDS = int(os.environ["WORDS"])
LINE_BYTES = 4 * WORDS


def word_at(address, edition):
    return random.Random(address // 4 * 64 + edition).getrandbits(32)


def line_at(address, edition):
    base = address // LINE_BYTES * LINE_BYTES
    return sum(word_at(base + 4 * i, edition) << (32 * i) for i in range(WORDS))


class Model:
    """Entries by index: line number and content. `fetched` is the line number on its way, if any."""

    def reset(self):
        self.entries = {}
        self.fetched = None
        self.kept = False

    def present(self, addr):
        line = addr // LINE_BYTES
        return self.fetched is None and self.entries.get(line % SETS, (None, 0))[0] == line

    def outputs(self, inputs):
        req, addr = inputs["req"], inputs["addr"]
        hit = self.present(addr)
        wanted = {"stall": req and not hit, "mem_req": self.fetched is not None, "rdata": None, "mem_addr": None}
        if req and hit:
            content = self.entries[addr // LINE_BYTES % SETS][1]
            wanted["rdata"] = content >> (32 * (addr % LINE_BYTES // 4)) & 0xFFFFFFFF
        if self.fetched is not None:
            wanted["mem_addr"] = self.fetched * LINE_BYTES
        return wanted

    def step(self, inputs):
        flush = inputs["flush"]
        if self.fetched is not None:
            self.kept = self.kept and not flush
            if inputs["mem_valid"]:
                self.entries[self.fetched % SETS] = (self.fetched if self.kept else None, inputs["mem_data"])
                self.fetched = None
        elif inputs["req"] and not self.present(inputs["addr"]):
            self.fetched, self.kept = inputs["addr"] // LINE_BYTES, True
        if flush:
            self.entries.clear()


async def begin(dut):
    """A bench after reset whose memory has new content with every edition."""
    bench = await Bench.after_reset(
        dut, Model(), {"req": 0, "addr": 0x5A5A, "flush": 0, "mem_valid": 0, "mem_data": 2 ** (32 * WORDS) - 1}
    )
    bench.edition = 0
    return bench


async def deliver(bench, **changes):
    await bench.cycle(mem_valid=1, mem_data=line_at(bench.model.fetched * LINE_BYTES, bench.edition), **changes)


async def read(bench, addr, wait=0):
    """Read a word to its end; the memory takes `wait` more cycles for a line."""
    while (await bench.cycle(req=1, addr=addr))["stall"]:
        for _ in range(wait):
            await bench.cycle(req=1, addr=addr)
        await deliver(bench, req=1, addr=addr)


def address(tag, index, word=0, byte=0):
    return ((tag * SETS + index) * WORDS + word) * 4 + byte


TOP_TAG = 2**16 // (SETS * LINE_BYTES) - 1


@cocotb.test()
async def fetches_a_missing_line(dut):
    bench = await begin(dut)
    await bench.cycle()
    for index in range(SETS):
        await read(bench, address(index % 2, index, index % WORDS))
    await bench.cycle()


@cocotb.test()
async def waits_for_a_slow_memory(dut):
    bench = await begin(dut)
    for wait in range(1, 6):
        await read(bench, address(TOP_TAG, wait % SETS, 1), wait)
        await bench.cycle(mem_valid=1)
        await read(bench, address(TOP_TAG, wait % SETS, 1), wait)


@cocotb.test()
async def every_word_of_a_line_hits(dut):
    bench = await begin(dut)
    for index in range(SETS):
        await read(bench, address(3, index))
    for index in reversed(range(SETS)):
        for word in range(WORDS):
            for byte in range(4):
                await bench.cycle(req=1, addr=address(3, index, word, byte))


@cocotb.test()
async def lines_of_one_index_replace_each_other(dut):
    bench = await begin(dut)
    for bit in range(TOP_TAG.bit_length()):
        for tag in (0, 1 << bit, TOP_TAG, TOP_TAG ^ 1 << bit):
            await read(bench, address(tag, bit % SETS, bit % WORDS))
    bench.edition += 1
    await read(bench, address(0, 0))


@cocotb.test()
async def a_fetch_keeps_its_own_line(dut):
    bench = await begin(dut)
    await read(bench, address(1, 0))
    await bench.cycle(req=1, addr=address(2, 1))
    for addr in (address(1, 0), address(5, 0), address(2, 0)):
        await bench.cycle(req=1, addr=addr)
        await bench.cycle(req=0, addr=addr)
    await deliver(bench, req=1, addr=address(4, 0))
    await bench.cycle(req=1, addr=address(1, 0))
    await bench.cycle(req=1, addr=address(2, 1))
    await bench.cycle(req=0, addr=address(6, 1))
    await bench.cycle(req=0, addr=address(6, 1))


@cocotb.test()
async def flush_forgets_all_lines(dut):
    bench = await begin(dut)
    for index in range(SETS):
        await read(bench, address(7, index))
    bench.edition += 1
    await bench.cycle(req=1, addr=address(7, 1), flush=1)
    for index in range(SETS):
        await read(bench, address(7, index))
    await bench.cycle(req=1, addr=address(8, 0), flush=1)
    bench.edition += 1
    await deliver(bench)
    await bench.cycle(req=1, addr=address(8, 0))
    await read(bench, address(7, 1))


@cocotb.test()
async def a_flushed_fetch_is_not_kept(dut):
    bench = await begin(dut)
    for when in range(3):
        await bench.cycle(req=1, addr=address(9, when % SETS))
        await bench.cycle(flush=when == 0)
        await bench.cycle(flush=when == 1)
        await deliver(bench, flush=when == 2)
        bench.edition += 1
        await read(bench, address(9, when % SETS))
        await bench.cycle(req=1, addr=address(9, when % SETS, 1))


@cocotb.test()
async def reset_ends_a_fetch(dut):
    bench = await begin(dut)
    await read(bench, address(1, 1))
    await bench.cycle(req=1, addr=address(2, 0))
    await bench.cycle(rst=1, req=1, addr=address(2, 0))
    await bench.cycle(mem_valid=1)
    bench.edition += 1
    await read(bench, address(1, 1))
    await read(bench, address(2, 0))
    await bench.cycle(rst=1, req=1, addr=address(4, 0))
    await bench.cycle()
    await bench.cycle(req=1, addr=address(2, 0))
    await bench.cycle(rst=1, mem_valid=1)
    await bench.cycle(req=1, addr=address(2, 0))


@cocotb.test()
async def random_requests(dut):
    bench = await begin(dut)
    choose = random.Random(1965)
    tags = [0, 1, TOP_TAG, TOP_TAG // 2 + 1]
    addr = 0
    for _ in range(900):
        if choose.random() < 0.7:
            addr = address(
                choose.choice(tags), choose.randrange(min(SETS, 4)), choose.randrange(WORDS), choose.randrange(4)
            )
        changes = {
            "req": int(choose.random() < 0.8),
            "addr": addr,
            "flush": int(choose.random() < 0.04),
            "rst": int(choose.random() < 0.01),
        }
        if bench.model.fetched is not None and choose.random() < 0.5:
            bench.edition = choose.randrange(4)
            await deliver(bench, **changes)
        else:
            await bench.cycle(
                mem_valid=int(bench.model.fetched is None), mem_data=choose.getrandbits(32 * WORDS), **changes
            )
