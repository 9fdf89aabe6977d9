"""Fragments as the harnesses of CVDP 1.0 have them, of what the other files leave out."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Force, Freeze, Release
from cocotb.queue import Queue
from cocotb.triggers import ClockCycles, Edge, FallingEdge, ReadOnly, ReadWrite, RisingEdge, Timer
from cocotb.utils import get_sim_time


async def reset(dut, cycles=2):
    dut.rst_n.value = 0
    dut.valid.value = 0
    await ClockCycles(dut.clk, cycles)
    dut.rst_n.value = 1
    await RisingEdge(dut.clk)


@cocotb.test()
async def test_counts_like_its_model(dut):
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    await reset(dut)
    await FallingEdge(dut.clk)
    expected = dut.count.value.to_unsigned()
    for _ in range(random.randint(3, 9)):
        await FallingEdge(dut.clk)
        expected = (expected + 1) % 256
        assert dut.count.value.to_unsigned() == expected, f"count is {int(dut.count.value):#x}, not {expected:#x}"
        assert format(int(dut.count.value), "08b") == str(dut.count.value)


@cocotb.test()
async def test_a_signal_is_forced(dut):
    dut.a.value, dut.b.value = 1, 0
    await Timer(1, units="ns")
    dut.comb.value = Force(0x5A)
    await Timer(1, units="ns")
    assert dut.comb.value == 0x5A
    dut.comb.value = Release()
    dut.a.value = 2
    await Timer(1, units="ns")
    assert dut.comb.value == 2
    dut.comb.value = Freeze()
    dut.a.value = 7
    await Timer(1, units="ns")
    assert dut.comb.value == 2
    dut.comb.value = Release()


@cocotb.test()
async def test_a_monitor_fills_a_queue(dut):
    cocotb.start_soon(Clock(dut.clk, 4, units="ns").start())
    await reset(dut)
    seen = Queue()

    async def monitor():
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if dut.valid.value == 1:
                seen.put_nowait(int(dut.sum.value))

    task = cocotb.start_soon(monitor())
    dut.valid.value = 1
    sums = []
    for number in range(4):
        dut.a.value, dut.b.value = number, 2 * number
        sums.append(3 * number)
        await RisingEdge(dut.clk)
    dut.valid.value = 0
    await ClockCycles(dut.clk, 2)
    task.kill()
    got = [seen.get_nowait() for _ in range(seen.qsize())]
    # What is written right after an edge is there before the monitor looks: it misses the last one.
    assert got[-3:] == sums[:3], (got, sums)


@cocotb.test()
async def test_phases_of_a_step(dut):
    dut.a.value, dut.b.value = 3, 3
    await ReadWrite()
    dut.a.value = 1
    await ReadOnly()
    assert dut.comb.value == 2
    await Timer(1, units="ns")
    before = get_sim_time(units="ns")
    dut.b.value = 4
    await Edge(dut.comb)
    assert get_sim_time("ns") == before
    assert dut.comb.value.integer == 5


@cocotb.test()
async def test_blocking_code_is_called(dut):
    @cocotb.function
    async def later(number):
        await Timer(number, units="ns")
        return number * 2

    @cocotb.external
    def blocking():
        return later(3) + 1

    begin = get_sim_time("ns")
    assert await blocking() == 7
    assert get_sim_time("ns") - begin == 3


@cocotb.test()
async def test_a_started_task_runs_first(dut):
    ran = []

    async def child():
        ran.append(1)
        await Timer(1, units="ns")

    task = await cocotb.start(child())
    assert ran == [1]
    await task
    assert task.done()


@cocotb.test()
async def test_inputs_are_found_by_their_type(dut):
    kinds = {signal._name: signal._type for signal in dut}
    assert {kinds[name] for name in ("clk", "rst_n", "valid", "a", "wide", "comb")} == {"GPI_NET"}
    assert {kinds[name] for name in ("sum", "count")} == {"GPI_REGISTER"}
    assert {kinds[name] for name in ("WIDTH", "LOWEST")} == {"GPI_INTEGER"}
    for signal in dut:
        if signal._type == "GPI_NET":
            signal.value = 0
    await Timer(1, units="ns")
    assert dut.a.value == 0 and dut.wide_out.value == 0 and dut.comb.value == 0
    assert dut.a._range == (7, 0)


@cocotb.test()
async def test_parameters_are_integers(dut):
    width, lowest = dut.WIDTH.value, dut.LOWEST.value
    assert isinstance(width, int) and 4 < width < 9 and min(width, 100) == 8
    assert f"{5:0{width}b}" == "00000101" and list(range(width))[-1] == 7
    assert width.to_unsigned() == width.integer == 8
    assert lowest == -3 and lowest < 0
    assert divmod(dut.WIDTH.value, 3) == (2, 2)
    dut.a.value, dut.b.value = dut.WIDTH.value, 0
    await Timer(1, units="ns")
    assert divmod(dut.comb.value, 3) == (2, 2)


@cocotb.test(timeout_time=1, timeout_unit="us", expect_fail=True)
async def test_is_expected_to_fail(dut):
    await Timer(1, units="ns")
    assert dut._name == "nothing"
