# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the TLB: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


async def start(dut):
    Clock(dut.clk, 10, unit="ns").start()
    for name in ("vpn", "asid", "access", "user", "fill", "flush", "flush_by_vpn", "flush_by_asid"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def fill(dut, vpn, ppn, asid, is_global=0, is_super=0, perm=0b0111):
    dut.fill_vpn.value, dut.fill_ppn.value, dut.fill_asid.value = vpn, ppn, asid
    dut.fill_global.value, dut.fill_super.value, dut.fill_perm.value = is_global, is_super, perm
    dut.fill.value = 1
    await FallingEdge(dut.clk)
    dut.fill.value = 0


async def look_up(dut, vpn, asid):
    """The physical page number, or None."""
    dut.vpn.value, dut.asid.value = vpn, asid
    await Timer(1, unit="ns")
    return int(dut.ppn.value) if int(dut.hit.value) else None


@cocotb.test()
async def begins_as_the_example(dut):
    await start(dut)
    await fill(dut, 0x12345, 0x00777, asid=1)
    assert await look_up(dut, 0x12345, asid=1) == 0x00777
    assert await look_up(dut, 0x12345, asid=2) is None
    await fill(dut, 0x40000, 0x80000, asid=1, is_global=1, is_super=1)
    assert await look_up(dut, 0x40255, asid=9) == 0x80255
