# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the hazard unit: the reasons in their order, and two counters."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

WIDTH = int(os.environ["COUNTER_WIDTH"])
INPUTS = ("fetch_busy", "d_valid", "d_rs1", "d_rs2", "d_uses_rs1", "d_uses_rs2")
INPUTS += ("x_valid", "x_is_load", "x_rd", "x_redirect", "mem_busy")
OUTPUTS = ("stall_f", "stall_d", "stall_x", "stall_m", "bubble_d", "bubble_x", "bubble_w")
RAISED = {
    "memory": ("stall_f", "stall_d", "stall_x", "stall_m", "bubble_w"),
    "redirect": ("bubble_d", "bubble_x"),
    "load": ("stall_f", "stall_d", "bubble_x"),
    "fetch": ("stall_f", "bubble_d"),
    "": (),
}
LOAD_USE = {"d_valid": 1, "d_rs1": 7, "d_uses_rs1": 1, "x_valid": 1, "x_is_load": 1, "x_rd": 7}
REDIRECT = {"x_valid": 1, "x_redirect": 1}


def reason(inputs):
    """Name of what decides."""
    if inputs["mem_busy"]:
        return "memory"
    if inputs["x_valid"] and inputs["x_redirect"]:
        return "redirect"
    read = {inputs[f"d_rs{index}"] for index in (1, 2) if inputs["d_valid"] and inputs[f"d_uses_rs{index}"]}
    if inputs["x_valid"] and inputs["x_is_load"] and inputs["x_rd"] in read - {0}:
        return "load"
    return "fetch" if inputs["fetch_busy"] else ""


class Bench:
    """Drives at falling edges; compares shortly before and after the rising edge."""

    def __init__(self, dut, counts):
        self.dut = dut
        self.counts = counts
        self.counters = {"load_stalls": 0, "redirects": 0}

    @classmethod
    async def after_reset(cls, dut, counts=False):
        bench = cls(dut, counts)
        Clock(dut.clk, 10, unit="ns").start()
        for name in INPUTS:
            getattr(dut, name).value = 0
        dut.rst.value = 1
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        return bench

    def check(self, wanted):
        for name, number in wanted.items():
            value = getattr(self.dut, name).value
            assert value.is_resolvable, f"{name} has unknown bits: {value}"
            assert int(value) == number, f"{name} is {int(value)}, expected {number} for {self.described}"

    async def cycle(self, rst=0, **given):
        inputs = dict.fromkeys(INPUTS, 0) | given
        self.described = {name: value for name, value in inputs.items() if value}
        self.dut.rst.value = rst
        for name, value in inputs.items():
            getattr(self.dut, name).value = value
        await Timer(4, unit="ns")
        decided = reason(inputs)
        outputs = {name: int(name in RAISED[decided]) for name in OUTPUTS}
        self.check(outputs)
        for name, counted in (("load_stalls", "load"), ("redirects", "redirect")):
            if rst:
                self.counters[name] = 0
            elif decided == counted:
                self.counters[name] = min(self.counters[name] + 1, 2**WIDTH - 1)
        await FallingEdge(self.dut.clk)
        self.check(outputs | (self.counters if self.counts else {}))


@cocotb.test()
async def waits_one_cycle_for_a_load(dut):
    bench = await Bench.after_reset(dut)
    for rd in range(1, 32):
        for index in (1, 2):
            source = {f"d_rs{index}": rd, f"d_rs{3 - index}": rd ^ 1, f"d_uses_rs{index}": 1}
            load = {"x_valid": 1, "x_is_load": 1, "x_rd": rd}
            await bench.cycle(d_valid=1, **load, **source)
            await bench.cycle(d_valid=1, d_uses_rs1=1, d_uses_rs2=1, **load, d_rs1=rd ^ 2, d_rs2=rd ^ 16)
        await bench.cycle(**LOAD_USE | {"d_rs1": rd, "x_rd": rd, "x_is_load": 0})


@cocotb.test()
async def waits_only_for_registers_that_are_read(dut):
    bench = await Bench.after_reset(dut)
    for changed in ({"d_uses_rs1": 0}, {"d_valid": 0}, {"x_valid": 0}, {"d_rs1": 0, "x_rd": 0}, {"d_rs1": 6}):
        await bench.cycle(**LOAD_USE | changed)
        await bench.cycle(**LOAD_USE)
    await bench.cycle(**LOAD_USE | {"d_uses_rs1": 0, "d_rs2": 7})
    await bench.cycle(**LOAD_USE | {"d_rs1": 6, "d_rs2": 7})
    await bench.cycle(**LOAD_USE | {"d_rs1": 6, "d_rs2": 7, "d_uses_rs2": 1})
    await bench.cycle(**LOAD_USE | {"d_uses_rs1": 0, "d_rs1": 7, "d_rs2": 6, "d_uses_rs2": 1})


@cocotb.test()
async def redirect_drops_two_instructions(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(**REDIRECT)
    await bench.cycle(**REDIRECT, d_valid=1)
    await bench.cycle(x_redirect=1)
    await bench.cycle(x_valid=1)


@cocotb.test()
async def fetch_and_memory_wait(dut):
    bench = await Bench.after_reset(dut)
    for inputs in ({}, {"d_valid": 1}, {"d_valid": 1, "x_valid": 1}, {"x_valid": 1, "x_is_load": 1}):
        await bench.cycle(fetch_busy=1, **inputs)
        await bench.cycle(mem_busy=1, **inputs)
        await bench.cycle(**inputs)


@cocotb.test()
async def the_older_instruction_decides(dut):
    bench = await Bench.after_reset(dut)
    for inputs in (LOAD_USE | REDIRECT, REDIRECT, LOAD_USE, {}):
        for fetch_busy in (1, 0):
            for mem_busy in (1, 0):
                await bench.cycle(**inputs, fetch_busy=fetch_busy, mem_busy=mem_busy)


@cocotb.test()
async def counts_what_decides(dut):
    bench = await Bench.after_reset(dut, counts=True)
    for inputs in (LOAD_USE, REDIRECT, LOAD_USE | REDIRECT, {}, {"fetch_busy": 1}):
        await bench.cycle(**inputs)
        await bench.cycle(**inputs, mem_busy=1)
        await bench.cycle(**{"fetch_busy": 1} | inputs)
    await bench.cycle(**LOAD_USE, rst=1)
    await bench.cycle(**REDIRECT)
    await bench.cycle(**REDIRECT, rst=1)
    await bench.cycle(**LOAD_USE)


@cocotb.test()
async def counters_stop_at_the_end(dut):
    bench = await Bench.after_reset(dut, counts=True)
    for _ in range(2**WIDTH + 1 if WIDTH < 8 else 20):
        await bench.cycle(**LOAD_USE)
    for _ in range(2**WIDTH + 1 if WIDTH < 8 else 40):
        await bench.cycle(**REDIRECT)
    await bench.cycle(rst=1)
    await bench.cycle()


@cocotb.test()
async def random_cycles(dut):
    bench = await Bench.after_reset(dut, counts=True)
    choose = random.Random(91)
    for _ in range(400):
        inputs = {name: choose.randrange(2) for name in INPUTS}
        rd = choose.randrange(4)
        inputs |= {"x_rd": rd, "d_rs1": choose.choice([rd, choose.randrange(32)]), "d_rs2": choose.choice([rd, 0, 5])}
        for name in ("x_redirect", "mem_busy", "fetch_busy"):
            inputs[name] = int(choose.random() < 0.25)
        await bench.cycle(rst=choose.random() < 0.03, **inputs)
