# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the AXI4-Lite registers: one monitor follows all channels and a model of the registers.

The statement leaves latencies open. A write takes effect at the edge from which its response is valid; a read may return what
the registers were at any edge from that of its address on.
"""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

SCRATCH, CONTROL, STATUS, MASK, COUNT = 0x00, 0x04, 0x08, 0x0C, 0x10
OKAY, SLVERR = 0, 2
INPUTS = ("awvalid", "awaddr", "wvalid", "wdata", "wstrb", "bready", "arvalid", "araddr", "rready", "event_in")
PATIENCE = 8


class Bench:
    """Drives inputs at falling edges, and watches shortly before each rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.forget()

    def forget(self):
        self.scratch = self.enable = self.mask = self.count = self.status = 0
        self.aw = self.w = None
        self.responses = []  # responses that were transferred
        self.words = []
        self.b_held = self.r_held = None
        self.reads = []  # (address, allowed words) of reads under way
        self.waits = dict.fromkeys(("aw", "w", "ar", "b", "r"), 0)
        self.applied = False
        self.fresh = 0
        self.after_edge = {}

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.aclk, 10, unit="ns").start()
        for name in INPUTS:
            getattr(dut, name).value = 0
        await bench.reset()
        return bench

    async def reset(self):
        self.dut.aresetn.value = 0
        await FallingEdge(self.dut.aclk)
        self.forget()
        await FallingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1

    def number(self, name):
        value = getattr(self.dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        return int(value)

    def register(self, address):
        return {
            SCRATCH: self.scratch,
            CONTROL: self.enable,
            STATUS: self.status,
            MASK: self.mask,
            COUNT: self.count,
        }.get(address & ~3, 0)

    async def cycle(self):
        """One cycle; the inputs are as they were set before."""
        await Timer(4, unit="ns")
        seen = {
            name: self.number(name) for name in ("awready", "wready", "bvalid", "arready", "rvalid", "irq", "start")
        }
        driven = {name: self.number(name) for name in INPUTS}
        for name, value in self.after_edge.items():
            assert seen[name] == value, f"{name} changes between two rising edges"
        self.watch(seen, driven)
        await RisingEdge(self.dut.aclk)
        await Timer(1, unit="ns")
        self.after_edge = {name: self.number(name) for name in ("bvalid", "rvalid", "irq", "start")}
        await FallingEdge(self.dut.aclk)

    def watch(self, seen, driven):
        # A write takes effect at the edge before the first cycle of its response.
        pending = self.aw is not None and self.w is not None
        assert pending or not seen["bvalid"], (
            "bvalid is 1 although address and data of a write have not both been taken"
        )
        starts = seen["bvalid"] and not self.applied and self.apply()
        assert seen["start"] == starts, f"start is {seen['start']}, expected {int(starts)}"
        irq = int(self.status & self.mask != 0)
        assert seen["irq"] == irq, f"irq is {seen['irq']} with STATUS = {self.status:04b} and MASK = {self.mask:04b}"
        if seen["bvalid"]:
            response = self.number("bresp")
            wanted = OKAY if self.aw & ~3 in (SCRATCH, CONTROL, STATUS, MASK) else SLVERR
            assert response == wanted, f"bresp is {response}, expected {wanted}, for a write to {self.aw:#04x}"
        else:
            assert self.b_held is None, "bvalid fell before bready was 1"
        self.watch_read(seen, driven)
        for channel in ("aw", "w", "ar"):
            self.be_patient(
                channel, driven[f"{channel}valid"] and not self.is_blocked(channel, driven), seen[f"{channel}ready"]
            )
        self.be_patient("b", pending, seen["bvalid"])
        self.be_patient("r", bool(self.reads), seen["rvalid"])
        # The edge.
        self.b_held = seen["bvalid"] and not driven["bready"] or None
        if seen["bvalid"] and driven["bready"]:
            self.responses.append(self.number("bresp"))
            self.aw = self.w = None
        if driven["awvalid"] and seen["awready"]:
            assert self.aw is None or seen["bvalid"], "a second write address is taken before the response to the first"
            self.aw, self.applied = driven["awaddr"], False
        if driven["wvalid"] and seen["wready"]:
            assert self.w is None or seen["bvalid"], "second write data is taken before the response to the first"
            self.w, self.applied = (driven["wdata"], driven["wstrb"]), False
        self.status |= driven["event_in"]
        self.fresh = driven["event_in"]
        self.count = (self.count + self.enable) % 2**32

    def is_blocked(self, channel, driven):
        """True if the statement lets the peripheral wait with this channel."""
        if channel == "ar":
            return bool(self.reads) or (self.aw is not None and self.w is not None)
        if self.reads or self.aw is not None and self.w is not None:
            return True
        if channel == "aw":
            return self.aw is not None or (self.w is None and not driven["wvalid"])
        return self.w is not None or (self.aw is None and not driven["awvalid"])

    def be_patient(self, channel, waits, is_served):
        self.waits[channel] = self.waits[channel] + 1 if waits and not is_served else 0
        assert self.waits[channel] <= PATIENCE, f"channel {channel} makes the manager wait for ever"

    def apply(self):
        """Let the pending write take effect on the model; true if it is a start."""
        self.applied = True
        data, strobes = self.w
        mask = sum(255 << (8 * lane) for lane in range(4) if strobes >> lane & 1)
        address = self.aw & ~3
        if address == SCRATCH:
            self.scratch = self.scratch & ~mask | data & mask
        elif address == CONTROL:
            if mask & 1:
                self.enable = data & 1
            return bool((data & mask) >> 31)
        if address == STATUS:
            # Events of the very edge stay.
            self.status = self.status & ~(data & mask & 15) | self.fresh
        elif address == MASK and mask & 1:
            self.mask = data & 15
        return False

    def watch_read(self, seen, driven):
        for read in self.reads:
            if not seen["rvalid"]:
                read["words"].add(self.register(read["address"]))
        if seen["rvalid"]:
            assert self.reads, "rvalid is 1 without a read"
            read = self.reads[0]
            word, response = self.number("rdata"), self.number("rresp")
            if read["held"]:
                assert (word, response) == read["held"], "rdata or rresp changes while rvalid waits for rready"
            read["held"] = (word, response)
            valid = read["address"] & ~3 <= COUNT
            assert response == (OKAY if valid else SLVERR), f"rresp is {response} for a read of {read['address']:#04x}"
            assert word in read["words"], (
                f"a read of {read['address']:#04x} returns {word:#010x}, expected "
                + " or ".join(f"{wanted:#010x}" for wanted in sorted(read["words"]))
            )
            if driven["rready"]:
                self.words.append(word)
                self.reads.pop(0)
        else:
            assert not (self.reads and self.reads[0]["held"]), "rvalid fell before rready was 1"
        if driven["arvalid"] and seen["arready"]:
            self.reads.append({"address": driven["araddr"], "words": {self.register(driven["araddr"])}, "held": None})

    async def offer(self, channel, **fields):
        for name, value in fields.items():
            getattr(self.dut, channel + name).value = value
        valid = getattr(self.dut, f"{channel}valid")
        valid.value = 1
        is_taken = False
        while not is_taken:
            await Timer(3, unit="ns")
            is_taken = self.number(f"{channel}ready") == 1
            await FallingEdge(self.dut.aclk)
        valid.value = 0

    async def write(self, address, word, strobes=15, address_late=0, data_late=0, response_late=0):
        """A write whose channels begin with the given delays; returns the response."""
        taken = len(self.responses)
        offers = []
        for cycle in range(400):
            if cycle == address_late:
                offers.append(cocotb.start_soon(self.offer("aw", addr=address)))
            if cycle == data_late:
                offers.append(cocotb.start_soon(self.offer("w", data=word, strb=strobes)))
            pending = self.aw is not None and self.w is not None
            response_late -= pending
            self.dut.bready.value = int(response_late < 0)
            await self.cycle()
            if len(self.responses) > taken:
                break
        self.dut.bready.value = 0
        return self.responses[taken]

    async def read(self, address, late=0, events=0):
        """A read whose response is taken late, while `events` happen; returns the word."""
        taken = len(self.words)
        cocotb.start_soon(self.offer("ar", addr=address))
        for _ in range(400):
            late -= bool(self.reads)
            self.dut.rready.value = int(late < 0)
            if events:
                self.dut.event_in.value = events if self.reads else 0
            await self.cycle()
            if len(self.words) > taken:
                break
        self.dut.rready.value = 0
        if events:
            self.dut.event_in.value = 0
        return self.words[taken]


@cocotb.test()
async def reads_the_reset_values(dut):
    bench = await Bench.after_reset(dut)
    for address in (SCRATCH, CONTROL, STATUS, MASK, COUNT, SCRATCH + 3, COUNT + 2):
        assert await bench.read(address) == 0


@cocotb.test()
async def a_read_response_waits(dut):
    bench = await Bench.after_reset(dut)
    for late in (1, 2, 5):
        await bench.read(STATUS, late)
        await bench.read(STATUS, late + 2, events=late)
        await bench.read(0x18, late, events=8)


@cocotb.test()
async def writes_and_reads_back(dut):
    bench = await Bench.after_reset(dut)
    for address in (SCRATCH, MASK, CONTROL):
        for word in (0xFFFFFFFF, 0x5A5A5A5A, 0xA5A5A5A5, 0):
            await bench.write(address, word & 0x7FFFFFFF)
            for other in (SCRATCH, CONTROL, STATUS, MASK):
                await bench.read(other)
    await bench.write(SCRATCH, 0x12345678)
    await bench.reset()
    for address in (SCRATCH, CONTROL, MASK, COUNT):
        await bench.read(address)


@cocotb.test()
async def address_and_data_in_any_order(dut):
    bench = await Bench.after_reset(dut)
    for address_late, data_late in ((0, 0), (0, 1), (1, 0), (0, 4), (4, 0), (2, 3), (3, 2)):
        await bench.write(SCRATCH, 0x01020304 << data_late, 15, address_late, data_late)
        await bench.read(SCRATCH)
        await bench.write(MASK, data_late, 15, data_late, address_late)
        await bench.read(MASK)


@cocotb.test()
async def a_write_response_waits(dut):
    bench = await Bench.after_reset(dut)
    for late in (1, 2, 5):
        await bench.write(SCRATCH, 0x11111111 * late, response_late=late)
        await bench.read(SCRATCH)
        await bench.write(0x20, 0, response_late=late)
    dut.bready.value = 1
    for _ in range(3):
        await bench.cycle()
    await bench.write(MASK, 3)


@cocotb.test()
async def strobes_select_bytes(dut):
    bench = await Bench.after_reset(dut)
    for strobes in range(16):
        await bench.write(SCRATCH, 0xFFFFFFFF)
        await bench.write(SCRATCH, 0x00112233, strobes)
        await bench.read(SCRATCH)
        await bench.write(MASK, strobes ^ 15, strobes)
        await bench.read(MASK)
        await bench.write(CONTROL, 0x80000000 | strobes >> 1, strobes)
        await bench.read(CONTROL)
    dut.event_in.value = 15
    await bench.cycle()
    dut.event_in.value = 0
    await bench.write(STATUS, 0xFFFFFFFF, 14)
    await bench.read(STATUS)


@cocotb.test()
async def errors_have_no_effect(dut):
    bench = await Bench.after_reset(dut)
    for address in (SCRATCH, CONTROL, MASK):
        await bench.write(address, 0x70000005)
    for address in (COUNT, COUNT + 3, *range(0x14, 0x100, 12), 0x80, 0x84, 0x40, 0x44, 0xFC):
        await bench.write(address, 0xFFFFFFFF)
        assert address & ~3 == COUNT or await bench.read(address) == 0
    for address in (SCRATCH, CONTROL, MASK, STATUS):
        await bench.read(address)


@cocotb.test()
async def events_set_and_writes_clear(dut):
    bench = await Bench.after_reset(dut)
    for mask in (0, 1, 2, 4, 8, 15):
        await bench.write(MASK, mask)
        for event in (1, 2, 4, 8, 15, 5):
            dut.event_in.value = event
            await bench.cycle()
            dut.event_in.value = 0
            await bench.read(STATUS)
            await bench.write(STATUS, event & 9)
            await bench.read(STATUS)
            await bench.write(STATUS, 15)
    # Events in every cycle: nothing can clear them.
    for event in (1, 2, 4, 8):
        dut.event_in.value = event
        await bench.cycle()
        for _ in range(3):
            await bench.write(STATUS, 15)
            await bench.read(STATUS)
        dut.event_in.value = 0
        await bench.write(STATUS, 15 ^ event)
        await bench.read(STATUS)
        await bench.write(STATUS, 15)


@cocotb.test()
async def start_is_one_pulse(dut):
    bench = await Bench.after_reset(dut)
    for word, strobes in ((1 << 31, 15), (1, 15), (0xFFFFFFFE, 7), (0xFFFFFFFF, 8), (0x7FFFFFFF, 15), (1 << 31, 8)):
        await bench.write(CONTROL, word, strobes, response_late=3)
        for _ in range(3):
            await bench.cycle()
        await bench.write(SCRATCH, word, strobes)
        await bench.write(0x44, word, strobes)
        await bench.read(CONTROL)


@cocotb.test()
async def counts_while_enabled(dut):
    bench = await Bench.after_reset(dut)
    await bench.write(CONTROL, 1)
    first = await bench.read(COUNT)
    assert 0 < first <= 40, f"COUNT is {first} a few cycles after ENABLE"
    readings = []
    for wait in (0, 3, 40, 300):
        for _ in range(wait):
            await bench.cycle()
        readings.append(await bench.read(COUNT))
    steps = [later - earlier for earlier, later in zip(readings, readings[1:], strict=False)]
    assert (steps[1] - steps[0], steps[2] - steps[0]) == (37, 297), (
        f"COUNT grows by {steps} in 3, 40 and 300 cycles and a read"
    )
    await bench.write(COUNT, 0)
    assert await bench.read(COUNT) > readings[-1]
    await bench.write(CONTROL, 0x40000000)
    stopped = await bench.read(COUNT)
    for _ in range(5):
        await bench.cycle()
    assert await bench.read(COUNT) == stopped


@cocotb.test()
async def random_traffic(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(2003)
    addresses = [SCRATCH, CONTROL, STATUS, MASK, MASK, STATUS, 0x14, COUNT]
    for step in range(220):
        dut.event_in.value = choose.choice([0, 0, choose.getrandbits(4)])
        address = choose.choice(addresses)
        if choose.random() < 0.5:
            late = [choose.choice([0, 0, 1, 3]) for _ in range(3)]
            await bench.write(address, choose.getrandbits(32), choose.choice([15, choose.getrandbits(4)]), *late)
        else:
            await bench.read(address, choose.choice([0, 0, 2]))
        if step % 70 == 69:
            await bench.reset()
