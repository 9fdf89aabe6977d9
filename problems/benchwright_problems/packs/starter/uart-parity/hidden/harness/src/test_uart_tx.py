# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the UART transmitter: the line is compared with the expected frame in every clock cycle."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

CLKS_PER_BIT = int(os.environ["CLKS_PER_BIT"])
NONE, EVEN, ODD, MARK = range(4)
BYTES = (0x00, 0xFF, 0x01, 0x80, 0xA5, 0x13)


def frame(byte, parity_mode, two_stop):
    """The bits of one frame in the order they are sent."""
    data = [byte >> place & 1 for place in range(8)]
    even = sum(data) % 2
    parity = {NONE: [], EVEN: [even], ODD: [1 - even], MARK: [1]}[parity_mode]
    return [0, *data, *parity, 1, *([1] if two_stop else [])]


class Bench:
    """Drives and samples at falling edges, half a cycle away from the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.noise = random.Random(9600)

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        bench.offer(None)
        dut.rst.value = 1
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.rst.value = 0
        bench.check(line=1, ready=1, where="after reset")
        return bench

    def offer(self, byte, parity_mode=NONE, two_stop=0):
        self.dut.tx_valid.value = byte is not None
        self.dut.tx_data.value = 0x55 if byte is None else byte
        self.dut.parity_mode.value = parity_mode
        self.dut.two_stop.value = two_stop

    def check(self, line, ready, where):
        txd, tx_ready = str(self.dut.txd.value), str(self.dut.tx_ready.value)
        assert txd == str(line), f"txd is {txd}, expected {line}, {where}"
        assert tx_ready == str(ready), f"tx_ready is {tx_ready}, expected {ready}, {where}"

    async def idle(self, cycles=1):
        self.offer(None)
        for _ in range(cycles):
            await FallingEdge(self.dut.clk)
            self.check(line=1, ready=1, where="while idle")

    async def start(self, byte, parity_mode, two_stop):
        """Has the byte taken and returns in the first cycle of its start bit."""
        self.offer(byte, parity_mode, two_stop)
        await FallingEdge(self.dut.clk)
        self.offer(None, parity_mode, two_stop)

    async def send(self, byte, parity_mode=NONE, two_stop=0, noisy=False):
        await self.start(byte, parity_mode, two_stop)
        bits = frame(byte, parity_mode, two_stop)
        for place, bit in enumerate(bits):
            for _ in range(CLKS_PER_BIT):
                self.check(bit, ready=0, where=f"in bit {place} of the {len(bits)} bits of a frame")
                if noisy:
                    other = self.noise.choice([None, byte ^ 0xFF, byte ^ 0x01])
                    self.offer(other, self.noise.randrange(4), self.noise.randrange(2))
                await FallingEdge(self.dut.clk)
        self.check(line=1, ready=1, where="after the last stop bit")


@cocotb.test()
async def plain_frames_are_as_before(dut):
    bench = await Bench.after_reset(dut)
    for byte in BYTES:
        await bench.send(byte)
        await bench.idle(2)


@cocotb.test()
async def even_parity(dut):
    bench = await Bench.after_reset(dut)
    for byte in BYTES:
        await bench.send(byte, EVEN)


@cocotb.test()
async def odd_parity(dut):
    bench = await Bench.after_reset(dut)
    for byte in BYTES:
        await bench.send(byte, ODD)


@cocotb.test()
async def mark_parity(dut):
    bench = await Bench.after_reset(dut)
    for byte in BYTES:
        await bench.send(byte, MARK)


@cocotb.test()
async def second_stop_bit(dut):
    bench = await Bench.after_reset(dut)
    for parity_mode in (NONE, EVEN, ODD, MARK):
        await bench.send(0xC4, parity_mode, two_stop=1)
        await bench.send(0x4C, parity_mode, two_stop=0)
        await bench.idle()


@cocotb.test()
async def settings_are_taken_with_the_byte(dut):
    bench = await Bench.after_reset(dut)
    for parity_mode in (NONE, EVEN, ODD, MARK):
        for two_stop in (0, 1):
            await bench.send(0x6D, parity_mode, two_stop, noisy=True)


@cocotb.test()
async def reset_ends_a_frame(dut):
    bench = await Bench.after_reset(dut)
    for cycles in (1, CLKS_PER_BIT + 2, 9 * CLKS_PER_BIT + 1, 11 * CLKS_PER_BIT + 1):
        await bench.start(0x00, EVEN, two_stop=1)
        for _ in range(cycles):
            await FallingEdge(dut.clk)
        dut.rst.value = 1
        bench.offer(0x00)
        await FallingEdge(dut.clk)
        bench.check(line=1, ready=1, where="after a reset in the middle of a frame")
        await FallingEdge(dut.clk)
        bench.check(line=1, ready=1, where="while rst is held")
        dut.rst.value = 0
        await bench.idle()
        await bench.send(0x36, ODD)


@cocotb.test()
async def random_frames(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(115200)
    for _ in range(8):
        await bench.send(choose.randrange(256), choose.randrange(4), choose.randrange(2), noisy=True)
        await bench.idle(choose.choice([0, 0, 1, 5]))
