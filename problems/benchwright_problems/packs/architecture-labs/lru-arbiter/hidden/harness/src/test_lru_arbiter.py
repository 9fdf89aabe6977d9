# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the arbiter: a Python list of requesters steps beside it."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

N = int(os.environ["N"])
ALL = 2**N - 1


class Bench:
    """Drives at falling edges; compares shortly before and after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.line = list(range(N))
        self.owner = None

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst.value, dut.req.value, dut.hold.value = 1, 0, 0
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        return bench

    def granted(self, req):
        """Number of the requester that is granted, or None."""
        if self.owner is not None:
            return self.owner
        return next((number for number in self.line if req >> number & 1), None)

    def check(self, req):
        granted = self.granted(req)
        wanted = {
            "grant": format(0 if granted is None else 1 << granted, f"0{N}b"),
            "busy": str(int(self.owner is not None)),
        }
        for name, text in wanted.items():
            value = str(getattr(self.dut, name).value)
            assert value == text, f"{name} is {value}, expected {text} for req = {req:0{N}b} with the line {self.line}"

    async def cycle(self, req, hold=0, rst=0):
        self.dut.rst.value, self.dut.req.value = rst, req
        self.dut.hold.value = 1 - hold
        await Timer(2, unit="ns")
        self.check(req)
        self.dut.hold.value = hold
        await Timer(2, unit="ns")
        self.check(req)
        granted = self.granted(req)
        if granted is not None:
            self.line.remove(granted)
            self.line.append(granted)
        self.owner = granted if hold else None
        if rst:
            self.line, self.owner = list(range(N)), None
        await FallingEdge(self.dut.clk)
        self.check(req)


@cocotb.test()
async def lowest_number_first_after_reset(dut):
    bench = await Bench.after_reset(dut)
    for first in range(N):
        await bench.cycle(ALL & ~(2**first - 1), rst=1)
        await bench.cycle(1 << first, rst=1)


@cocotb.test()
async def grants_nothing_without_requests(dut):
    bench = await Bench.after_reset(dut)
    for number in range(N):
        await bench.cycle(0)
        await bench.cycle(1 << number)
        await bench.cycle(0)


@cocotb.test()
async def serves_all_in_turn(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(3 * N):
        await bench.cycle(ALL)


@cocotb.test()
async def serves_who_waited_longest(dut):
    bench = await Bench.after_reset(dut)
    orders = [range(N), reversed(range(N)), [*range(1, N, 2), *range(0, N, 2)], [*range(0, N, 2), *range(1, N, 2)]]
    for order in orders:
        for number in order:
            await bench.cycle(1 << number)
        for _ in range(N + 1):
            await bench.cycle(ALL)
    for first in range(N):
        for second in range(N):
            await bench.cycle(1 << first)
            await bench.cycle(1 << second)
            await bench.cycle(1 << first | 1 << second)


@cocotb.test()
async def hold_keeps_the_owner(dut):
    bench = await Bench.after_reset(dut)
    for number in range(N):
        for req in (ALL, ALL & ~(1 << number), 0):
            await bench.cycle(1 << number, hold=1)
            await bench.cycle(req, hold=1)
            await bench.cycle(req)
            await bench.cycle(ALL)


@cocotb.test()
async def hold_without_a_grant_does_nothing(dut):
    bench = await Bench.after_reset(dut)
    for number in range(N):
        await bench.cycle(0, hold=1)
        await bench.cycle(1 << number)
        await bench.cycle(0, hold=1)
        await bench.cycle(0, hold=1)
        await bench.cycle(ALL)


@cocotb.test()
async def reset_restores_the_order(dut):
    bench = await Bench.after_reset(dut)
    for number in range(N):
        await bench.cycle(1 << number, hold=1)
        await bench.cycle(ALL, hold=1, rst=1)
        for _ in range(N):
            await bench.cycle(ALL)
        await bench.cycle(ALL, rst=1)
        await bench.cycle(ALL)


@cocotb.test()
async def random_requests(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(41)
    for _ in range(300):
        await bench.cycle(
            choose.randint(0, ALL) & choose.choice([ALL, choose.randint(0, ALL)]),
            hold=choose.random() < 0.3,
            rst=choose.random() < 0.02,
        )
