# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the reorder buffer: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


async def start(dut):
    Clock(dut.clk, 10, unit="ns").start()
    for name in ("alloc_valid", "alloc_rd", "done_valid", "done_tag", "done_value", "done_fault", "find_rs"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def cycle(dut, rd=None, done=None, find=0):
    """One cycle; returns what commits in it, and what is found: (register, tag)."""
    dut.alloc_valid.value, dut.alloc_rd.value = rd is not None, rd or 0
    dut.done_valid.value, dut.done_tag.value = done is not None, done or 0
    dut.done_value.value, dut.find_rs.value = 100 + (done or 0), find
    await Timer(1, unit="ns")
    commits = int(dut.commit_rd.value) if int(dut.commit_valid.value) else None
    found = int(dut.find_tag.value) if int(dut.find_hit.value) else None
    await FallingEdge(dut.clk)
    return commits, found


@cocotb.test()
async def begins_as_the_example(dut):
    await start(dut)
    assert await cycle(dut, rd=5, find=5) == (None, None)
    assert await cycle(dut, rd=6, find=5) == (None, 0)
    assert await cycle(dut, rd=5, done=1, find=5) == (None, 0)
    assert await cycle(dut, done=0, find=5) == (None, 2)
    assert await cycle(dut, done=2, find=5) == (5, 2)
