# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the forwarding unit, against the five rules in Python."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

WIDTH = int(os.environ["WIDTH"])
BITS = ("x_uses_rs1", "x_uses_rs2", "m_writes", "m_is_load", "w_writes")
NUMBERS = ("x_rs1", "x_rs2", "m_rd", "w_rd")
WORDS = ("x_value1", "x_value2", "m_result", "w_result")


class Bench:
    """Drives at falling edges; compares shortly before and after the rising edge."""

    def __init__(self, dut):
        self.dut = dut
        self.kept = None
        self.choose = random.Random(101)

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        for name in (*BITS, *NUMBERS, *WORDS, "hold"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        return bench

    def expected(self, inputs):
        wanted, waits = {}, False
        for index in (1, 2):
            number = inputs[f"x_rs{index}"]
            if number == 0:
                source, operand = 0, 0
            elif inputs["m_writes"] and inputs["m_rd"] == number:
                source, operand = 1, inputs["m_result"]
                waits |= bool(inputs["m_is_load"] and inputs[f"x_uses_rs{index}"])
            elif inputs["w_writes"] and inputs["w_rd"] == number:
                source, operand = 2, inputs["w_result"]
            elif self.kept is not None:
                source, operand = 3, self.kept[index - 1]
            else:
                source, operand = 0, inputs[f"x_value{index}"]
            wanted |= {f"source{index}": source, f"operand{index}": operand}
        return wanted | {"ready": int(not waits)}

    async def cycle(self, hold=0, rst=0, only=None, **given):
        """One cycle; what is not given are other numbers than 1 to 7, and random words."""
        self.choose_words = {name: self.choose.randrange(2**WIDTH) for name in WORDS}
        inputs = dict.fromkeys(BITS, 0) | {"x_rs1": 8, "x_rs2": 9, "m_rd": 10, "w_rd": 11} | self.choose_words | given
        self.dut.rst.value, self.dut.hold.value = rst, hold
        for name, value in inputs.items():
            getattr(self.dut, name).value = value
        await Timer(4, unit="ns")
        wanted = self.check(inputs, only)
        self.kept = (wanted["operand1"], wanted["operand2"]) if hold and not rst else None
        await RisingEdge(self.dut.clk)
        await Timer(1, unit="ns")
        self.check(inputs, only)
        await FallingEdge(self.dut.clk)

    def check(self, inputs, only):
        """Compare the outputs, or only some of them; returns what they have to be."""
        wanted = self.expected(inputs)
        for name, number in wanted.items():
            if only is not None and name not in only:
                continue
            value = getattr(self.dut, name).value
            assert value.is_resolvable, f"{name} has unknown bits: {value}"
            assert int(value) == number, f"{name} is {int(value):#x}, expected {number:#x} for {inputs}"
        return wanted


async def forward(dut, index):
    bench = await Bench.after_reset(dut)
    only = (f"source{index}", f"operand{index}")
    for number in range(1, 32):
        for stage in ("m", "w"):
            other = {"m_rd": number ^ 1, "w_rd": number ^ 1}
            source = {f"x_rs{index}": number, f"x_rs{3 - index}": number ^ 2}
            await bench.cycle(only=only, **source, **other | {f"{stage}_writes": 1, f"{stage}_rd": number})
            await bench.cycle(only=only, **source, **other | {f"{stage}_writes": 0, f"{stage}_rd": number})
            await bench.cycle(only=only, **source, m_writes=1, w_writes=1, m_rd=number ^ 16, w_rd=number ^ 8)


@cocotb.test()
async def forwards_to_operand_1(dut):
    await forward(dut, 1)


@cocotb.test()
async def forwards_to_operand_2(dut):
    await forward(dut, 2)


@cocotb.test()
async def the_younger_result_wins(dut):
    bench = await Bench.after_reset(dut)
    for number in (1, 6, 31):
        for source in ({"x_rs1": number}, {"x_rs2": number}, {"x_rs1": number, "x_rs2": number}):
            for m_is_load in (0, 1):
                await bench.cycle(**source, m_writes=1, m_is_load=m_is_load, m_rd=number, w_writes=1, w_rd=number)
            await bench.cycle(**source, m_writes=0, m_rd=number, w_writes=1, w_rd=number)


@cocotb.test()
async def register_0_is_never_forwarded(dut):
    bench = await Bench.after_reset(dut)
    for hold in (0, 1, 1, 0):
        for writer in ({"m_writes": 1, "m_rd": 0}, {"w_writes": 1, "w_rd": 0}, {"m_writes": 1, "m_rd": 0, "m_is_load": 1}):
            await bench.cycle(hold=hold, x_rs1=0, x_uses_rs1=1, **writer)
            await bench.cycle(hold=hold, x_rs2=0, x_uses_rs2=1, **writer)


@cocotb.test()
async def waits_only_for_loads_that_are_read(dut):
    bench = await Bench.after_reset(dut)
    load = {"m_writes": 1, "m_is_load": 1, "m_rd": 5}
    for uses in ((0, 0), (1, 0), (0, 1), (1, 1)):
        for numbers in ((5, 9), (9, 5), (5, 5), (9, 9), (4, 7)):
            read = {"x_uses_rs1": uses[0], "x_uses_rs2": uses[1], "x_rs1": numbers[0], "x_rs2": numbers[1]}
            await bench.cycle(**read, **load)
            await bench.cycle(**read, **load | {"m_is_load": 0})
            await bench.cycle(**read, w_writes=1, w_rd=5)


@cocotb.test()
async def keeps_operands_while_held(dut):
    bench = await Bench.after_reset(dut)
    for producer in ({"m_writes": 1, "m_rd": 5}, {"w_writes": 1, "w_rd": 5}, {"w_writes": 1, "w_rd": 6}, {}):
        await bench.cycle(hold=1, x_rs1=5, x_rs2=6, **producer)
        for _ in range(3):
            await bench.cycle(hold=1, x_rs1=5, x_rs2=6)
        await bench.cycle(hold=1, x_rs1=5, x_rs2=6, w_writes=1, w_rd=6)
        await bench.cycle(hold=0, x_rs1=5, x_rs2=6)


@cocotb.test()
async def forgets_when_the_instruction_goes_on(dut):
    bench = await Bench.after_reset(dut)
    for rst in (0, 1):
        await bench.cycle(hold=1, x_rs1=5, x_rs2=6, m_writes=1, m_rd=5)
        await bench.cycle(hold=rst, rst=rst, x_rs1=5, x_rs2=6)
        await bench.cycle(x_rs1=5, x_rs2=6)
        await bench.cycle(x_rs1=6, x_rs2=5)


@cocotb.test()
async def random_cycles(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(102)
    for _ in range(400):
        inputs = {name: choose.randrange(2) for name in BITS} | {name: choose.randrange(4) for name in NUMBERS}
        inputs["m_is_load"] &= inputs["m_writes"]
        await bench.cycle(hold=choose.random() < 0.5, rst=choose.random() < 0.04, **inputs)
