# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the register file: a Python list steps beside it."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
COUNT = int(os.environ["COUNT"])


class Bench:
    """Drives at falling edges; compares before and after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.words = [0] + [None] * (COUNT - 1)
        self.choose = random.Random(21)

    @classmethod
    async def start(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        dut.write_en.value = 0
        await FallingEdge(dut.clk)
        return bench

    @classmethod
    async def filled(cls, dut):
        bench = await cls.start(dut)
        for number in range(1, COUNT):
            await bench.cycle(write=(number, bench.word()), ports=())
        return bench

    def word(self):
        return self.choose.randrange(2**WIDTH)

    def check(self, reads, bypass, ports):
        """Compare reading ports with the list; `bypass` is the write of this cycle, if the bypass is tested."""
        for port in ports:
            number = reads[port - 1]
            wanted = self.words[number]
            if bypass is not None and number == bypass[0] != 0:
                wanted = bypass[1]
            if wanted is None:
                continue
            value = getattr(self.dut, f"read_data{port}").value
            assert value.is_resolvable, f"read_data{port} has unknown bits: {value}"
            assert int(value) == wanted, f"port {port} reads {int(value):#x} of register {number}, expected {wanted:#x}"

    async def cycle(self, write=None, idle=None, reads=(0, 0), ports=(1, 2), before=True):
        """One cycle: a write, or what is on the writing port without an enable."""
        address, data = write or idle or (self.choose.randrange(COUNT), self.word())
        self.dut.write_en.value = write is not None
        self.dut.write_addr.value, self.dut.write_data.value = address, data
        self.dut.read_addr1.value, self.dut.read_addr2.value = reads
        await Timer(4, unit="ns")
        if before:
            self.check(reads, write, ports)
        if write is not None and address != 0:
            self.words[address] = data
        await RisingEdge(self.dut.clk)
        await Timer(1, unit="ns")
        # What was written is there from now on, and not only by the bypass.
        self.dut.write_en.value = 0
        await Timer(1, unit="ns")
        self.check(reads, None, ports)
        await FallingEdge(self.dut.clk)


@cocotb.test()
async def keeps_what_is_written(dut):
    bench = await Bench.filled(dut)
    for number in range(1, COUNT):
        away = number % (COUNT - 1) + 1
        await bench.cycle(idle=(away, bench.word()), reads=(number, COUNT - number))


@cocotb.test()
async def writes_only_when_enabled(dut):
    bench = await Bench.filled(dut)
    for number in range(1, COUNT):
        await bench.cycle(idle=(number, bench.word()), ports=())
    for number in range(1, COUNT):
        await bench.cycle(idle=(0, 0), reads=(number, number))


@cocotb.test()
async def register_0_reads_as_zero(dut):
    bench = await Bench.filled(dut)
    for _ in range(4):
        await bench.cycle(write=(0, bench.word() | 1), ports=())
        await bench.cycle(idle=(1, bench.word()), reads=(0, 0))
        await bench.cycle(write=(1, bench.word()), reads=(0, 0))


@cocotb.test()
async def bypasses_to_port_1(dut):
    bench = await Bench.filled(dut)
    for number in range(1, COUNT):
        await bench.cycle(write=(number, bench.word()), reads=(number, 0), ports=(1,))


@cocotb.test()
async def bypasses_to_port_2(dut):
    bench = await Bench.filled(dut)
    for number in range(1, COUNT):
        await bench.cycle(write=(number, bench.word()), reads=(0, number), ports=(2,))


@cocotb.test()
async def bypasses_only_what_is_written(dut):
    bench = await Bench.filled(dut)
    for number in range(1, COUNT):
        await bench.cycle(idle=(number, bench.word()), reads=(number, number))
        other = number % (COUNT - 1) + 1
        await bench.cycle(write=(other, bench.word()), reads=(number, other))
        await bench.cycle(write=(other, bench.word()), reads=(other, number))


@cocotb.test()
async def register_0_is_not_bypassed(dut):
    bench = await Bench.filled(dut)
    for number in range(COUNT):
        await bench.cycle(write=(0, bench.word() | 1), reads=(0, number))
        await bench.cycle(write=(0, bench.word() | 1), reads=(number, 0))


@cocotb.test()
async def random_traffic(dut):
    bench = await Bench.start(dut)
    choose = random.Random(22)
    for _ in range(400):
        write = (choose.randrange(COUNT), bench.word())
        near = [write[0], choose.randrange(COUNT), choose.randrange(COUNT), 0]
        await bench.cycle(
            write=write if choose.random() < 0.6 else None,
            idle=write,
            reads=(choose.choice(near), choose.choice(near)),
        )
