# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the coherent pair, against a model of both caches, the bus and the memory."""

import random

import cocotb
from bench import Bench

I, S, M = 0, 1, 2


class Model:
    """Per cache, the entries by index: [word address, state, content]; the bus access with its steps to come."""

    def reset(self):
        self.caches = [{}, {}]
        self.last = 1
        self.steps = []
        self.memory = {}

    def state(self, cache, word):
        entry = self.caches[cache].get(word % 4)
        return entry[1] if entry and entry[0] == word else I

    def hits(self, cache, inputs):
        state = self.state(cache, inputs[f"addr{cache}"])
        return state == M or (state == S and not inputs[f"we{cache}"])

    def outputs(self, inputs):
        wanted = {f"probe{cache}": self.state(cache, inputs["probe_addr"]) for cache in (0, 1)}
        for cache in (0, 1):
            ready = bool(inputs[f"req{cache}"]) and not self.steps and self.hits(cache, inputs)
            wanted[f"ready{cache}"] = ready
            if ready and not inputs[f"we{cache}"]:
                wanted[f"rdata{cache}"] = self.caches[cache][inputs[f"addr{cache}"] % 4][2]
        step = self.steps[0] if self.steps else None
        wanted["mem_req"] = step in ("evict", "flush", "fetch")
        if wanted["mem_req"]:
            wanted["mem_we"] = step != "fetch"
            wanted["mem_addr"] = self.word
            if step != "fetch":
                address, _, content = self.caches[self.owner if step == "evict" else 1 - self.owner][self.word % 4]
                wanted["mem_addr"], wanted["mem_wdata"] = address, content
        return wanted

    def step(self, inputs):
        if self.steps:
            step = self.steps[0]
            if step != "upgrade" and not inputs["mem_ack"]:
                return
            self.steps.pop(0)
            own, other = self.caches[self.owner], self.caches[1 - self.owner]
            index = self.word % 4
            if step == "evict":
                word, _, content = own.pop(index)
                self.memory[word] = content
            elif step == "flush":
                self.memory[self.word] = other[index][2]
                other[index][1] = I if self.store else S
            else:
                if step == "fetch":
                    own[index] = [self.word, I, inputs["mem_rdata"]]
                own[index][1] = M if self.store else S
                if self.store and self.state(1 - self.owner, self.word) != I:
                    del other[index]
            return
        wants = [cache for cache in (0, 1) if inputs[f"req{cache}"] and not self.hits(cache, inputs)]
        for cache in (0, 1):
            if inputs[f"req{cache}"] and inputs[f"we{cache}"] and self.hits(cache, inputs):
                self.caches[cache][inputs[f"addr{cache}"] % 4][2] = inputs[f"wdata{cache}"]
        if wants:
            self.owner = 1 - self.last if len(wants) == 2 else wants[0]
            self.last = self.owner
            self.word, self.store = inputs[f"addr{self.owner}"], inputs[f"we{self.owner}"]
            entry = self.caches[self.owner].get(self.word % 4, [None, I, 0])
            if entry[1] == M and entry[0] != self.word:
                self.steps.append("evict")
            if self.state(1 - self.owner, self.word) == M:
                self.steps.append("flush")
            self.steps.append("upgrade" if self.state(self.owner, self.word) == S else "fetch")


IDLE = {
    "req0": 0,
    "we0": 1,
    "addr0": 0,
    "wdata0": 0xFFFFFFFF,
    "req1": 0,
    "we1": 1,
    "addr1": 0,
    "wdata1": 0xEEEEEEEE,
    "mem_ack": 0,
    "mem_rdata": 0xDDDDDDDD,
    "probe_addr": 0,
}


async def begin(dut):
    bench = await Bench.after_reset(dut, Model(), IDLE)
    bench.choose = random.Random(1984)
    return bench


async def tick(bench, probe, **changes):
    """One cycle in which the memory does at once what is wanted, unless it is told to wait."""
    model = bench.model
    changes.setdefault("mem_ack", int(bool(model.steps) and model.steps[0] != "upgrade"))
    if model.steps and model.steps[0] == "fetch":
        changes["mem_rdata"] = model.memory.setdefault(model.word, bench.choose.getrandbits(32))
    return await bench.cycle(probe_addr=probe, **changes)


async def access(bench, cache, word, store=0, wait=0):
    """A load or store of one processor to its end; the memory takes `wait` more cycles for each step."""
    inputs = {
        f"req{cache}": 1,
        f"we{cache}": store,
        f"addr{cache}": word,
        f"wdata{cache}": bench.choose.getrandbits(32),
    }
    while not (await tick(bench, word, **inputs))[f"ready{cache}"]:
        for _ in range(wait):
            await tick(bench, word, mem_ack=0, **inputs)


@cocotb.test()
async def loads_are_shared(dut):
    bench = await begin(dut)
    await bench.cycle(mem_ack=1)
    for word in (0, 1, 2, 3, 21, 42, 63):
        for cache in (0, 1, 0):
            await access(bench, cache, word, wait=word % 3)
            await tick(bench, word)
    for word in (0, 63, 42, 21):
        both = {"req0": 1, "we0": 0, "addr0": 63, "req1": 1, "we1": 0, "addr1": word}
        for _ in range(4):
            await tick(bench, word, **both)


@cocotb.test()
async def stores_are_exclusive(dut):
    bench = await begin(dut)
    for word in (0, 1, 2, 3):
        await access(bench, word % 2, word, store=1, wait=word)
        await access(bench, word % 2, word, store=1)
        await access(bench, word % 2, word)
    for word in (21, 42):
        for cache in (0, 1):
            await access(bench, cache, word - 4)
            await access(bench, 1 - cache, word, store=1)
            await tick(bench, word - 4)
            await access(bench, cache, word - 8)
            await tick(bench, word)


@cocotb.test()
async def a_store_to_a_shared_word_upgrades(dut):
    bench = await begin(dut)
    for word in (4, 13, 22, 63):
        for cache in (0, 1):
            await access(bench, 0, word)
            await access(bench, 1, word)
            await access(bench, cache, word, store=1)
            await tick(bench, word)
            await access(bench, cache, word)


@cocotb.test()
async def a_modified_word_is_flushed_first(dut):
    bench = await begin(dut)
    for word in (8, 17, 38, 63):
        for cache in (0, 1):
            await access(bench, cache, word, store=1)
            await access(bench, 1 - cache, word, store=word % 2, wait=1)
            await tick(bench, word)
            await access(bench, cache, word, wait=1)
            await access(bench, 1 - cache, word)


@cocotb.test()
async def a_modified_word_is_evicted(dut):
    bench = await begin(dut)
    for index in range(4):
        for cache in (0, 1):
            await access(bench, cache, index, store=1)
            await access(bench, cache, index + 60, wait=2)
            await tick(bench, index)
            await access(bench, cache, index + 16, store=1)
            await access(bench, 1 - cache, index + 32, store=1)
            await access(bench, cache, index + 32, store=index % 2, wait=1)
            await access(bench, cache, index)
            await access(bench, 1 - cache, index)


@cocotb.test()
async def grants_alternate(dut):
    bench = await begin(dut)
    for words in ((1, 1), (2, 6), (3, 2), (9, 9)):
        for store in (0, 1):
            both = {"req0": 1, "we0": 1, "addr0": words[0], "req1": 1, "we1": store, "addr1": words[1]}
            for cycle in range(14):
                await tick(bench, words[cycle % 2], wdata0=cycle, wdata1=100 + cycle, **both)
        await access(bench, 0, words[0] + 16)


@cocotb.test()
async def a_bus_access_keeps_its_word(dut):
    bench = await begin(dut)
    await access(bench, 1, 5, store=1)
    await access(bench, 0, 9, store=1)
    for store in (1, 0):
        await bench.cycle(req0=1, we0=store, addr0=5, probe_addr=5)
        for step in range(7):
            other = {"req0": step % 2, "we0": 1 - store, "addr0": 9, "req1": 1, "we1": step // 2 % 2, "addr1": 13}
            if not bench.model.steps:
                break
            await tick(bench, 5, mem_ack=step % 2, **other)
        await access(bench, 1, 5)
        await access(bench, 0, 9, store=1)


@cocotb.test()
async def reset_ends_a_bus_access(dut):
    bench = await begin(dut)
    for word in range(4):
        await access(bench, 0, word, store=1)
        await access(bench, 1, word + 4)
    await bench.cycle(req1=1, we1=0, addr1=0)
    await bench.cycle(rst=1, mem_ack=1)
    for word in range(8):
        await bench.cycle(probe_addr=word)
    both = {"req0": 1, "we0": 0, "addr0": 3, "req1": 1, "we1": 0, "addr1": 6}
    for _ in range(6):
        await tick(bench, 3, **both)
    await bench.cycle(rst=1, req0=1, we0=1, addr0=40)
    await bench.cycle(probe_addr=40)


@cocotb.test()
async def random_traffic(dut):
    bench = await begin(dut)
    choose = bench.choose
    words = [0, 4, 5, 9, 1, 33, 62]
    inputs = {}
    for _ in range(1800):
        for cache in (0, 1):
            if choose.random() < 0.4:
                inputs |= {f"req{cache}": int(choose.random() < 0.8), f"we{cache}": choose.randrange(2)}
                inputs |= {f"addr{cache}": choose.choice(words), f"wdata{cache}": choose.getrandbits(32)}
        await tick(bench, choose.choice(words), mem_ack=choose.randrange(2), rst=int(choose.random() < 0.003), **inputs)
