# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the TLB, against a model that steps beside it."""

import os
import random

import cocotb
from bench import Bench

ENTRIES = int(os.environ["ENTRIES"])
TOP = 2**20 - 1


def pages(entry):
    """The first page of an entry and how many follow."""
    return (entry["vpn"] & ~1023, 1024) if entry["super"] else (entry["vpn"], 1)


def covers(entry, vpn):
    first, count = pages(entry)
    return first <= vpn < first + count


class Model:
    """The entries, None where invalid, and whose turn it is."""

    def reset(self):
        self.entries = [None] * ENTRIES
        self.turn = 0

    def outputs(self, inputs):
        found = [
            entry
            for entry in self.entries
            if entry and (entry["global"] or entry["asid"] == inputs["asid"]) and covers(entry, inputs["vpn"])
        ]
        if not found:
            return {"hit": 0, "fault": 0}
        (entry,) = found
        ppn = entry["ppn"] & ~1023 | inputs["vpn"] & 1023 if entry["super"] else entry["ppn"]
        allowed = entry["perm"] >> inputs["access"] & 1 and entry["perm"] >> 3 == inputs["user"]
        return {"hit": 1, "ppn": ppn, "fault": not allowed}

    def step(self, inputs):
        place = self.entries.index(None) if None in self.entries else self.turn
        if inputs["fill"] and None not in self.entries:
            self.turn = (self.turn + 1) % ENTRIES
        if inputs["flush"]:
            for number, entry in enumerate(self.entries):
                if entry is None or (inputs["flush_by_vpn"] and not covers(entry, inputs["flush_vpn"])):
                    continue
                if not inputs["flush_by_asid"] or (not entry["global"] and entry["asid"] == inputs["flush_asid"]):
                    self.entries[number] = None
        if inputs["fill"]:
            new = {name: inputs[f"fill_{name}"] for name in ("vpn", "ppn", "asid", "global", "super", "perm")}
            for number, entry in enumerate(self.entries):
                if entry is None or not (entry["global"] or new["global"] or entry["asid"] == new["asid"]):
                    continue
                (first, count), (new_first, new_count) = pages(entry), pages(new)
                if first < new_first + new_count and new_first < first + count:
                    self.entries[number] = None
            self.entries[place] = new


IDLE = {
    "vpn": 0,
    "asid": 0,
    "access": 0,
    "user": 0,
    "fill": 0,
    "fill_vpn": 0,
    "fill_ppn": TOP,
    "fill_asid": 0,
    "fill_global": 1,
    "fill_super": 1,
    "fill_perm": 15,
    "flush": 0,
    "flush_by_vpn": 0,
    "flush_by_asid": 0,
    "flush_vpn": 0,
    "flush_asid": 0,
}


async def begin(dut):
    return await Bench.after_reset(dut, Model(), IDLE)


async def fill(bench, vpn, asid=1, everywhere=0, large=0, perm=7, ppn=None, **changes):
    await bench.cycle(
        fill=1,
        fill_vpn=vpn,
        fill_ppn=(vpn * 2654435761 >> 7) & TOP if ppn is None else ppn,
        fill_asid=asid,
        fill_global=everywhere,
        fill_super=large,
        fill_perm=perm,
        vpn=vpn,
        asid=asid,
        **changes,
    )


async def look(bench, vpn, asid=1, **changes):
    await bench.cycle(vpn=vpn, asid=asid, **changes)


async def look_around(bench, vpn, *asids):
    """Look a page and all those up whose number differs in one bit."""
    for asid in asids:
        for page in (vpn, *(vpn ^ 1 << bit for bit in range(20))):
            await look(bench, page, asid)


@cocotb.test()
async def translates_pages(dut):
    bench = await begin(dut)
    await look(bench, 0)
    for number in range(ENTRIES):
        await fill(bench, 0x12345 + 0x01111 * number, ppn=0xFEDC0 >> number)
    for number in range(ENTRIES):
        await look_around(bench, 0x12345 + 0x01111 * number, 1)


@cocotb.test()
async def checks_permissions(dut):
    bench = await begin(dut)
    for perm in range(16):
        await fill(bench, 0x777 + perm, perm=perm)
        for access in range(3):
            for user in (0, 1):
                await look(bench, 0x777 + perm, access=access, user=user)
                await look(bench, 0x776, access=access, user=user)


@cocotb.test()
async def address_spaces_and_global_pages(dut):
    bench = await begin(dut)
    await fill(bench, 0x00100, asid=0x5A)
    await fill(bench, 0x00200, asid=0x5A, everywhere=1)
    for page in (0x00100, 0x00200):
        for asid in (0x5A, 0, 0xFF, *(0x5A ^ 1 << bit for bit in range(8))):
            await look(bench, page, asid)
    await fill(bench, 0x00100, asid=0x5B)
    for asid in (0x5A, 0x5B, 0x59):
        await look(bench, 0x00100, asid)


@cocotb.test()
async def superpages(dut):
    bench = await begin(dut)
    await fill(bench, 0x401FF, large=1, ppn=0x80155)
    await fill(bench, 0xBFC00, large=1, everywhere=1, ppn=0x7FFFF)
    for page in (0x401FF, 0x40255, 0xBFC00, 0xBFFFF):
        await look_around(bench, page, 1, 2)


@cocotb.test()
async def flushes_select_entries(dut):
    bench = await begin(dut)
    for by_vpn in (0, 1):
        for by_asid in (0, 1):
            for page, asid in ((0x00300, 1), (0x55501, 3), (0x55401, 1), (0x00300, 2), (0x00301, 1)):
                await fill(bench, 0x00300, asid=1)
                await fill(bench, 0x55555, asid=3, large=1)
                await fill(bench, 0x00300, asid=2)
                await fill(bench, 0x00700, asid=1, everywhere=1)
                await look(
                    bench, page, asid, flush_by_vpn=by_vpn, flush_by_asid=by_asid, flush_vpn=page, flush_asid=asid
                )
                await look(
                    bench,
                    0x00700,
                    asid,
                    flush=1,
                    flush_by_vpn=by_vpn,
                    flush_by_asid=by_asid,
                    flush_vpn=page,
                    flush_asid=asid,
                )
                for seen, space in ((0x00300, 1), (0x00300, 2), (0x55400, 3), (0x00700, 1)):
                    await look(bench, seen, space)
    for bit in range(20):
        await fill(bench, 0x2AAAA)
        await look(bench, 0x2AAAA, flush=1, flush_by_vpn=1, flush_vpn=0x2AAAA ^ 1 << bit)
        await look(bench, 0x2AAAA, flush=1, flush_by_asid=1, flush_asid=1 ^ 1 << bit % 8)
    await look(bench, 0x2AAAA)


@cocotb.test()
async def replaces_in_turn(dut):
    bench = await begin(dut)
    for page in range(3 * ENTRIES + 1):
        await fill(bench, 64 + page)
        if page % 4 == 3:
            for old in range(page + 1):
                await look(bench, 64 + old)
    for gone in (ENTRIES - 1, 0, 1):
        held = [entry["vpn"] for entry in bench.model.entries]
        await bench.cycle(flush=1, flush_by_vpn=1, flush_vpn=held[gone])
        await fill(bench, 300 + gone)
        await fill(bench, 310 + gone)
        for page in (*held, 300 + gone, 310 + gone):
            await look(bench, page)


@cocotb.test()
async def never_holds_two_translations(dut):
    bench = await begin(dut)
    kinds = [(large, everywhere, asid) for large in (0, 1) for everywhere in (0, 1) for asid in (1, 2)]
    for first in kinds:
        for second in kinds:
            for page in (0x30005, 0x30006, 0x30405):
                await fill(bench, 0x30005, first[2], first[1], first[0], ppn=0x11111)
                await fill(bench, page, second[2], second[1], second[0], ppn=0x22222)
                for seen in {0x30005, page}:
                    await look(bench, seen, 1)
                    await look(bench, seen, 2)
                await bench.cycle(flush=1)
    for bit in range(20):
        await fill(bench, 0x15555)
        await fill(bench, 0x15555 ^ 1 << bit)
        await look(bench, 0x15555)


@cocotb.test()
async def fill_and_flush_at_one_edge(dut):
    bench = await begin(dut)
    for by_vpn in (0, 1):
        await fill(bench, 0x00A00)
        await fill(bench, 0x00B00)
        await fill(bench, 0x00A00, flush=1, flush_by_vpn=by_vpn, flush_vpn=0x00A00)
        await look(bench, 0x00A00)
        await look(bench, 0x00B00)
        for page in range(ENTRIES):
            await fill(bench, 0x00C00 + page)
        for page in (0x00A00, 0x00B00, *range(0xC00, 0xC00 + ENTRIES)):
            await look(bench, page)
    await fill(bench, 0x00D00, rst=1)
    await look(bench, 0x00D00)


@cocotb.test()
async def random_use(dut):
    bench = await begin(dut)
    choose = random.Random(1962)
    numbers = [0x00000, 0x00001, 0x003FF, 0x00400, 0xFFFFF, 0xFFC00, 0x80001, 0x80000]
    for _ in range(1500):
        await bench.cycle(
            vpn=choose.choice(numbers),
            asid=choose.choice([1, 2, 129]),
            access=choose.randrange(3),
            user=choose.randrange(2),
            fill=int(choose.random() < 0.4),
            fill_vpn=choose.choice(numbers),
            fill_ppn=choose.getrandbits(20),
            fill_asid=choose.choice([1, 2, 129]),
            fill_global=int(choose.random() < 0.2),
            fill_super=int(choose.random() < 0.2),
            fill_perm=choose.randrange(16),
            flush=int(choose.random() < 0.15),
            flush_by_vpn=int(choose.random() < 0.7),
            flush_by_asid=int(choose.random() < 0.7),
            flush_vpn=choose.choice(numbers),
            flush_asid=choose.choice([1, 2, 129]),
            rst=int(choose.random() < 0.005),
        )
