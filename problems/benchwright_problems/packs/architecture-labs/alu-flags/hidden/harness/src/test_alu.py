# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the ALU, against a model in Python integers."""

import os
import random

import cocotb
from cocotb.triggers import Timer

WIDTH = int(os.environ["WIDTH"])
MASK = 2**WIDTH - 1
TOP = 2 ** (WIDTH - 1)
ADD, SUB, AND, OR, XOR, SLL, SRL, SRA, SLT, SLTU = range(10)
FLAGS = ("zero", "negative", "carry", "overflow")
CORNERS = (0, 1, TOP - 1, TOP, TOP + 1, MASK)


def signed(word):
    return word - 2 * TOP if word & TOP else word


def model(op, a, b):
    """All outputs by name."""
    amount = b % WIDTH
    result = {
        ADD: a + b,
        SUB: a - b,
        AND: a & b,
        OR: a | b,
        XOR: a ^ b,
        SLL: a << amount,
        SRL: a >> amount,
        SRA: signed(a) >> amount,
        SLT: signed(a) < signed(b),
        SLTU: a < b,
    }.get(op, 0) & MASK
    exact = {ADD: signed(a) + signed(b), SUB: signed(a) - signed(b)}.get(op, 0)
    return {
        "result": result,
        "zero": result == 0,
        "negative": result >= TOP,
        "carry": {ADD: a + b > MASK, SUB: a >= b}.get(op, False),
        "overflow": not -TOP <= exact < TOP,
    }


async def check(dut, op, a, b, outputs=("result",)):
    dut.op.value, dut.a.value, dut.b.value = op, a, b
    await Timer(1, unit="ns")
    wanted = model(op, a, b)
    for name in outputs:
        value = getattr(dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        assert int(value) == wanted[name], (
            f"{name} is {int(value):#x}, expected {int(wanted[name]):#x} for op {op}, a = {a:#x}, b = {b:#x}"
        )


async def check_pairs(dut, operations, outputs=("result",)):
    choose = random.Random(11)
    for op in operations:
        for a in CORNERS:
            for b in CORNERS:
                await check(dut, op, a, b, outputs)
        for _ in range(8):
            await check(dut, op, choose.randint(0, MASK), choose.randint(0, MASK), outputs)


@cocotb.test()
async def adds_and_subtracts(dut):
    await check_pairs(dut, (ADD, SUB))


@cocotb.test()
async def bitwise_operations(dut):
    await check_pairs(dut, (AND, OR, XOR))


@cocotb.test()
async def shifts(dut):
    choose = random.Random(12)
    for op in (SLL, SRL, SRA):
        for amount in range(WIDTH):
            for a in (MASK, TOP - 1, TOP | choose.randint(0, MASK)):
                await check(dut, op, a, choose.randint(0, MASK) // WIDTH * WIDTH + amount)
    await check_pairs(dut, (SLL, SRL, SRA))


@cocotb.test()
async def compares(dut):
    await check_pairs(dut, (SLT, SLTU))


@cocotb.test()
async def zero_and_negative(dut):
    await check_pairs(dut, range(16), ("zero", "negative"))


@cocotb.test()
async def carry(dut):
    await check_pairs(dut, range(16), ("carry",))


@cocotb.test()
async def overflow(dut):
    await check_pairs(dut, range(16), ("overflow",))


@cocotb.test()
async def other_operations_give_zero(dut):
    await check_pairs(dut, range(10, 16), ("result", *FLAGS))


@cocotb.test()
async def random_operations(dut):
    choose = random.Random(13)
    for _ in range(300):
        a = choose.choice([choose.randint(0, MASK), choose.choice(CORNERS)])
        b = choose.choice([choose.randint(0, MASK), choose.choice(CORNERS), a, MASK ^ a])
        await check(dut, choose.randrange(16), a, b, ("result", *FLAGS))
