# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the reorder buffer, against a model that steps beside it."""

import random

import cocotb
from bench import Bench


class Model:
    """Entries from the oldest to the youngest."""

    def reset(self):
        self.entries = []
        self.turn = 0

    def outputs(self, inputs):
        wanted = {"alloc_ready": len(self.entries) < 8, "alloc_tag": self.turn}
        oldest = self.entries[0] if self.entries else {"value": None}
        is_finished = oldest["value"] is not None
        wanted["commit_fault"] = is_finished and oldest["fault"]
        wanted["commit_valid"] = is_finished and not oldest["fault"]
        if wanted["commit_valid"]:
            wanted["commit_rd"], wanted["commit_value"] = oldest["rd"], oldest["value"]
        found = [entry for entry in self.entries if entry["rd"] == inputs["find_rs"] != 0]
        wanted["find_hit"] = bool(found)
        if found:
            wanted["find_tag"] = found[-1]["tag"]
            wanted["find_done"] = found[-1]["value"] is not None
            wanted["find_value"] = found[-1]["value"]
        return wanted

    def step(self, inputs):
        wanted = self.outputs(inputs)
        if wanted["commit_fault"]:
            self.reset()
            return
        for entry in self.entries:
            if inputs["done_valid"] and entry["tag"] == inputs["done_tag"] and entry["value"] is None:
                entry["value"], entry["fault"] = inputs["done_value"], inputs["done_fault"]
        if wanted["commit_valid"]:
            self.entries.pop(0)
        if inputs["alloc_valid"] and wanted["alloc_ready"]:
            self.entries.append({"tag": self.turn, "rd": inputs["alloc_rd"], "value": None, "fault": 0})
            self.turn = (self.turn + 1) % 8


IDLE = {
    "alloc_valid": 0,
    "alloc_rd": 7,
    "done_valid": 0,
    "done_tag": 0,
    "done_value": 0xFFFFFFFF,
    "done_fault": 1,
    "find_rs": 7,
}


async def begin(dut):
    bench = await Bench.after_reset(dut, Model(), IDLE)
    bench.choose = random.Random(1985)
    return bench


async def allocate(bench, *registers, **changes):
    for register in registers:
        await bench.cycle(alloc_valid=1, alloc_rd=register, find_rs=register, **changes)


async def finish(bench, *tags, fault=0, **changes):
    for tag in tags:
        await bench.cycle(
            done_valid=1, done_tag=tag, done_value=bench.choose.getrandbits(32), done_fault=fault, **changes
        )


async def drain(bench):
    while bench.model.entries:
        waiting = [entry["tag"] for entry in bench.model.entries if entry["value"] is None]
        await (finish(bench, waiting[0]) if waiting else bench.cycle())
    await bench.cycle()


@cocotb.test()
async def gives_out_entries_in_turn(dut):
    bench = await begin(dut)
    await bench.cycle()
    for register in range(20):
        await allocate(bench, register + 1)
        await finish(bench, register % 8)
    await drain(bench)


@cocotb.test()
async def commits_in_program_order(dut):
    bench = await begin(dut)
    await allocate(bench, 1, 2, 3, 4, 5)
    await finish(bench, 4, 2, 1, 0, 3)
    await drain(bench)
    await allocate(bench, 31, 16, 8, 4, 2, 1)
    await finish(bench, 2, 1, 0, 7, 6, 5)
    await drain(bench)


@cocotb.test()
async def a_full_buffer_takes_none(dut):
    bench = await begin(dut)
    for round_number in range(3):
        await allocate(bench, *range(1, 11))
        oldest = bench.model.entries[0]["tag"]
        await finish(bench, oldest, alloc_valid=1, alloc_rd=20)
        await allocate(bench, 21, 22, 23)
        await drain(bench)
        await allocate(bench, *range(round_number + 1))
        await drain(bench)


@cocotb.test()
async def ignores_done_of_other_entries(dut):
    bench = await begin(dut)
    await finish(bench, *range(8))
    await allocate(bench, 1, 2, 3)
    await finish(bench, 5, 3, 1, 1)
    await finish(bench, 1, fault=1)
    await allocate(bench, 4)
    await finish(bench, 4, 0, 2, 3)
    await drain(bench)
    await allocate(bench, 9, done_valid=1, done_tag=4)
    await bench.cycle()
    await finish(bench, 4)
    await finish(bench, 4, fault=1)
    await allocate(bench, 1, 2, 3)
    await drain(bench)


@cocotb.test()
async def an_exception_empties_the_buffer(dut):
    bench = await begin(dut)
    for before in range(4):
        await allocate(bench, *range(1, before + 4))
        await finish(bench, before, fault=1)
        await finish(bench, before + 1)
        for tag in range(before):
            await finish(bench, tag)
        for _ in range(before + 1):
            await bench.cycle(find_rs=before + 1)
        assert not bench.model.entries
        await allocate(bench, 11, 12)
        await finish(bench, 0, fault=1)
        await finish(bench, 1, alloc_valid=1, alloc_rd=13)
        await bench.cycle(find_rs=13)
        await finish(bench, 0)
        await bench.cycle()
    await allocate(bench, *range(1, 9))
    await finish(bench, 7, fault=1)
    await finish(bench, *range(7))
    await bench.cycle(alloc_valid=1)
    await bench.cycle()


@cocotb.test()
async def finds_the_youngest_writer(dut):
    bench = await begin(dut)
    for shift in range(8):
        for register in (3, 4, 3, 0, 3, 19, 4, 3):
            await allocate(bench, register)
            for wanted in (0, 3, 4, 19, 7, 2):
                await bench.cycle(find_rs=wanted)
        await drain(bench)
        await allocate(bench, *[0] * (shift % 2 + 1))
        await drain(bench)


@cocotb.test()
async def finds_results(dut):
    bench = await begin(dut)
    await allocate(bench, 9, 10, 9, 11)
    for tag in (2, 1, 3):
        await finish(bench, tag, fault=tag == 3, find_rs=9)
        for register in (9, 10, 11):
            await bench.cycle(find_rs=register)
    await finish(bench, 0, find_rs=9)
    for _ in range(5):
        await bench.cycle(find_rs=9)


@cocotb.test()
async def reset_empties_the_buffer(dut):
    bench = await begin(dut)
    for filled in (1, 5, 8):
        await allocate(bench, *range(1, filled + 1))
        await finish(bench, 0)
        await bench.cycle(rst=1, alloc_valid=1, done_valid=1, done_tag=1)
        for register in range(9):
            await bench.cycle(find_rs=register)
        await allocate(bench, 3, 4)
        await drain(bench)


@cocotb.test()
async def random_program(dut):
    bench = await begin(dut)
    choose = bench.choose
    for _ in range(1200):
        waiting = [entry["tag"] for entry in bench.model.entries if entry["value"] is None]
        tag = choose.choice(waiting) if waiting and choose.random() < 0.8 else choose.randrange(8)
        await bench.cycle(
            alloc_valid=int(choose.random() < 0.7),
            alloc_rd=choose.choice([0, 1, 2, 17, 30]),
            done_valid=int(choose.random() < 0.6),
            done_tag=tag,
            done_value=choose.getrandbits(32),
            done_fault=int(choose.random() < 0.05),
            find_rs=choose.choice([0, 1, 2, 17, 30]),
            rst=int(choose.random() < 0.004),
        )
