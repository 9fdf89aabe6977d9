# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: one case in which decode waits."""

import cocotb
from cocotb.triggers import Timer

QUIET = "fetch_busy d_valid d_rs1 d_rs2 d_uses_rs1 d_uses_rs2 x_valid x_is_load x_rd x_redirect mem_busy".split()


async def outputs_for(dut, **inputs):
    """Names of the outputs that are 1."""
    for name in QUIET:
        getattr(dut, name).value = inputs.get(name, 0)
    await Timer(1, unit="ns")
    names = ("stall_f", "stall_d", "stall_x", "stall_m", "bubble_d", "bubble_x", "bubble_w")
    return {name for name in names if getattr(dut, name).value == 1}


@cocotb.test()
async def decode_waits_for_a_load(dut):
    raised = await outputs_for(dut, d_valid=1, d_uses_rs1=1, d_rs1=7, x_valid=1, x_is_load=1, x_rd=7)
    assert raised == {"stall_f", "stall_d", "bubble_x"}
