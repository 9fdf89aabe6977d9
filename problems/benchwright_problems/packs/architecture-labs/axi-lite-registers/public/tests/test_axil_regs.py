# SPDX-License-Identifier: Apache-2.0
"""Tests of your own for the registers: extend them."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

INPUTS = ("awvalid", "awaddr", "wvalid", "wdata", "wstrb", "bready", "arvalid", "araddr", "rready", "event_in")


async def start(dut):
    Clock(dut.aclk, 10, unit="ns").start()
    for name in INPUTS:
        getattr(dut, name).value = 0
    dut.aresetn.value = 0
    await FallingEdge(dut.aclk)
    await FallingEdge(dut.aclk)
    dut.aresetn.value = 1


async def send(dut, channel, **fields):
    """Offer a transfer on `aw`, `w` or `ar` until it is taken."""
    for name, value in fields.items():
        getattr(dut, channel + name).value = value
    getattr(dut, f"{channel}valid").value = 1
    await wait(dut, f"{channel}ready")
    getattr(dut, f"{channel}valid").value = 0


async def wait(dut, signal):
    """Wait for a cycle in which a signal is 1, up to its end."""
    for _ in range(20):
        await Timer(1, unit="ns")
        is_high = int(getattr(dut, signal).value)
        await FallingEdge(dut.aclk)
        if is_high:
            return
    raise AssertionError(f"{signal} stays 0")


async def write(dut, address, word, strobes=15):
    address_sent = cocotb.start_soon(send(dut, "aw", addr=address))
    await send(dut, "w", data=word, strb=strobes)
    await address_sent
    dut.bready.value = 1
    await wait(dut, "bvalid")
    dut.bready.value = 0


async def read(dut, address):
    await send(dut, "ar", addr=address)
    await Timer(1, unit="ns")
    while not int(dut.rvalid.value):
        await FallingEdge(dut.aclk)
    word = int(dut.rdata.value)
    dut.rready.value = 1
    await FallingEdge(dut.aclk)
    dut.rready.value = 0
    return word


@cocotb.test()
async def scratch_keeps_a_word(dut):
    await start(dut)
    await write(dut, 0x00, 0x12345678)
    assert await read(dut, 0x00) == 0x12345678
