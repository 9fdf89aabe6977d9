# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the round-robin arbiter, against a Python model of who is first in line."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

N = int(os.environ["N"])
ALL = 2**N - 1


class Bench:
    """Drives at falling edges and compares shortly before and after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.first = 0

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst_n.value = 1
        dut.req.value = 0
        dut.accept.value = 0
        await FallingEdge(dut.clk)
        dut.rst_n.value = 0
        await FallingEdge(dut.clk)
        dut.rst_n.value = 1
        return bench

    def winner(self, req):
        """The number of the requester to be served, or None."""
        in_line = [(self.first + step) % N for step in range(N)]
        return next((number for number in in_line if req >> number & 1), None)

    def check(self, req):
        winner = self.winner(req)
        wanted = format(0 if winner is None else 1 << winner, f"0{N}b")
        where = f"with req = {req:0{N}b} and requester {self.first} first in line"
        grant = str(self.dut.grant.value)
        assert grant == wanted, f"grant is {grant}, expected {wanted} {where}"
        valid = str(self.dut.grant_valid.value)
        assert valid == str(int(req != 0)), f"grant_valid is {valid} {where}"

    async def cycle(self, req, accept=1):
        self.dut.accept.value = 1 - accept
        self.dut.req.value = req
        await Timer(2, unit="ns")
        self.check(req)
        self.dut.accept.value = accept
        await Timer(2, unit="ns")
        self.check(req)
        winner = self.winner(req)
        if accept and winner is not None:
            self.first = (winner + 1) % N
        await RisingEdge(self.dut.clk)
        await Timer(1, unit="ns")
        self.check(req)
        await FallingEdge(self.dut.clk)


@cocotb.test()
async def requester_0_is_first_after_reset(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(ALL)
    await bench.cycle(ALL)


@cocotb.test()
async def serves_a_single_request(dut):
    bench = await Bench.after_reset(dut)
    for accept in (0, 1):
        for number in [*range(N), *reversed(range(N))]:
            await bench.cycle(1 << number, accept)


@cocotb.test()
async def grants_nothing_without_requests(dut):
    bench = await Bench.after_reset(dut)
    for accept in (1, 0, 1):
        await bench.cycle(0, accept)
        await bench.cycle(ALL)
        await bench.cycle(0, accept)


@cocotb.test()
async def everybody_gets_a_turn(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(3 * N):
        await bench.cycle(ALL)


@cocotb.test()
async def the_line_moves_only_when_accepted(dut):
    bench = await Bench.after_reset(dut)
    for _ in range(2 * N):
        await bench.cycle(ALL, accept=0)
        await bench.cycle(ALL, accept=0)
        await bench.cycle(ALL, accept=1)
    await bench.cycle(1 << (N - 1), accept=0)
    await bench.cycle(ALL, accept=0)


@cocotb.test()
async def the_line_goes_on_after_the_granted_one(dut):
    bench = await Bench.after_reset(dut)
    for number in reversed(range(N)):
        await bench.cycle(1 << number)
        await bench.cycle(ALL, accept=0)


@cocotb.test()
async def reset_acts_at_once(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(1)
    bench.check(1)
    dut.req.value = ALL
    await Timer(1, unit="ns")
    bench.check(ALL)
    dut.rst_n.value = 0
    bench.first = 0
    await Timer(1, unit="ns")
    bench.check(ALL)
    await FallingEdge(dut.clk)
    bench.check(ALL)
    dut.rst_n.value = 1
    await bench.cycle(ALL)


@cocotb.test()
async def random_requests(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(1969)
    for _ in range(250):
        await bench.cycle(
            choose.randint(0, ALL) & choose.choice([ALL, choose.randint(0, ALL)]), choose.randint(0, 1)
        )
