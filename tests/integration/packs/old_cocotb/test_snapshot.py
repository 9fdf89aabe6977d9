"""Fragments as harnesses for cocotb's development snapshot of August 2024 have them."""

import random

import cocotb
from cocotb import sim_time_utils
from cocotb.clock import Clock
from cocotb.sim_time_utils import get_sim_time
from cocotb.triggers import ClockCycles, Combine, Edge, FallingEdge, First, Join, NullTrigger, ReadOnly, RisingEdge, Timer
from cocotb.triggers import with_timeout
from cocotb.types import Logic, LogicArray, Range

import harness_library as hrs_lb


async def start(dut):
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    await hrs_lb.dut_init(dut)
    await hrs_lb.reset_dut(dut.rst_n, 25)
    await RisingEdge(dut.clk)


@cocotb.test()
async def test_values_as_integers(dut):
    await start(dut)
    dut.valid.value, dut.a.value, dut.b.value = 1, 20, 3
    await ClockCycles(dut.clk, 2)
    await FallingEdge(dut.clk)
    assert dut.sum.value.to_unsigned() == 23
    assert int(dut.sum.value) == 23
    assert dut.sum.value == 23
    assert dut.sum.value.integer == 23
    assert dut.sum.value.binstr == "00010111"
    assert dut.sum.value.is_resolvable
    assert f"{int(dut.sum.value):#x}" == "0x17"


@cocotb.test()
async def test_scalars_have_the_interface_of_vectors(dut):
    await start(dut)
    assert dut.ready.value.to_unsigned() == 1
    assert dut.ready.value.integer == 1
    assert dut.ready.value.binstr == "1"
    assert dut.ready.value.is_resolvable
    assert dut.ready.value[0] == 1
    assert len(dut.ready.value) == 1
    assert dut.done.value.to_unsigned() == 0
    assert dut.ready.value == LogicArray("1")


@cocotb.test()
async def test_signed_values(dut):
    dut.a.value = -3
    dut.b.value = 0
    await Timer(1, units="ns")
    assert dut.comb.value.signed_integer == -3
    assert dut.comb.value.to_signed() == -3
    assert dut.comb.value.to_unsigned() == 253
    dut.wide.value = -1
    await Timer(1, units="ns")
    assert dut.wide_out.value.to_signed() == -1


@cocotb.test()
async def test_values_out_of_range(dut):
    for value in (256, -129):
        try:
            dut.a.value = value
        except OverflowError:
            continue
        raise AssertionError("no OverflowError")
    dut.valid.value = -1
    await Timer(1, units="ns")
    assert dut.valid.value == 1


@cocotb.test()
async def test_indices_and_slices(dut):
    dut.a.value, dut.b.value = 0b1010_0001, 0
    await Timer(1, "ns")
    assert dut.comb.value[0] == 1
    assert dut.comb.value[7] == 1
    assert dut.comb.value[1] == 0
    assert dut.comb.value[7:4] == 0b1010
    assert dut.comb.value[3:0].to_unsigned() == 1
    assert [int(bit) for bit in dut.comb.value] == [1, 0, 1, 0, 0, 0, 0, 1]


@cocotb.test()
async def test_bits_of_a_handle(dut):
    dut.a.value, dut.b.value = 0, 0
    await Timer(1, "ns")
    dut.a[3].value = 1
    await Timer(1, "ns")
    dut.a[0].value = 1
    await Timer(1, "ns")
    assert dut.comb.value == 9
    assert dut.comb[3].value == 1 and dut.comb[2].value == 0
    assert int(dut.comb[0].value) == 1
    dut.a[5].value, dut.a[6].value = 1, 1
    await Timer(1, "ns")
    assert dut.comb.value == 0b0110_1001
    dut.mem[1].value = 0
    await Timer(1, "ns")
    dut.mem[1][2].value = 1
    await Timer(1, "ns")
    assert dut.mem[1].value == 4


@cocotb.test()
async def test_an_edge_of_one_bit(dut):
    dut.a.value = 0
    await Timer(1, "ns")

    async def drive():
        for value in (1, 9, 8):
            await Timer(5, units="ns")
            dut.a.value = value

    cocotb.start_soon(drive())
    before = get_sim_time("ns")
    await RisingEdge(dut.a[3])
    assert get_sim_time("ns") - before == 10
    await First(FallingEdge(dut.a[0]), Timer(100, units="ns"))
    assert get_sim_time("ns") - before == 15


@cocotb.test()
async def test_an_odd_period_at_a_nanosecond(dut):
    task = cocotb.start_soon(Clock(dut.clk, 5, units="ns").start())
    await RisingEdge(dut.clk)
    before = get_sim_time(units="ns")
    await RisingEdge(dut.clk)
    assert get_sim_time("ns") - before == 5
    await FallingEdge(dut.clk)
    assert sim_time_utils.get_sim_time("ns") - before == 7
    task.kill()


@cocotb.test()
async def test_unknown_values(dut):
    assert not dut.never_set.value.is_resolvable
    assert not dut.never_set_bit.value.is_resolvable
    assert "X" in dut.never_set.value.binstr
    assert not (dut.never_set.value == 0)
    try:
        int(dut.never_set.value)
    except ValueError:
        pass
    else:
        raise AssertionError("an unknown value is no integer")


@cocotb.test()
async def test_values_in_conditions(dut):
    await start(dut)
    while not dut.done.value:
        await RisingEdge(dut.clk)
        await ReadOnly()
    assert dut.count.value == 5
    assert dut.done.value, "done must be high"
    assert not dut.never_set_bit.value


@cocotb.test()
async def test_tasks_are_joined(dut):
    async def answer():
        await Timer(3, units="ns")
        return 42

    task = cocotb.start_soon(answer())
    assert await task.join() == 42
    assert await Join(cocotb.start_soon(answer())) == 42
    assert await cocotb.start_soon(answer()) == 42
    started = await cocotb.start(answer())
    assert not started.done()
    await started


@cocotb.test()
async def test_triggers_are_combined(dut):
    await start(dut)
    edge, timer = RisingEdge(dut.clk), Timer(100, units="ns")
    assert await First(edge, timer) is edge
    await Combine(cocotb.start_soon(hrs_lb.access_hit(dut)), Timer(20, units="ns"))
    await with_timeout(RisingEdge(dut.clk), 100, "ns")
    await with_timeout(hrs_lb.access_hit(dut), timeout_time=100, timeout_unit="ns")
    await NullTrigger()
    dut.a.value = ~dut.a.value
    await Edge(dut.a)


@cocotb.test()
async def test_a_timeout_is_caught(dut):
    from cocotb.result import SimTimeoutError

    try:
        await with_timeout(RisingEdge(dut.done), 10, "ns")
    except SimTimeoutError:
        return
    raise AssertionError("no time-out")


@cocotb.test()
async def test_a_timer_of_nothing(dut):
    dut.a.value, dut.b.value = 0x5A, 0
    await Timer(0, units="ns")
    before = get_sim_time("ns")
    await Timer(1, units="ns")
    assert get_sim_time("ns") == before + 1
    assert dut.comb.value == 0x5A


@cocotb.test()
async def test_immediate_values_are_there_at_once(dut):
    dut.a.setimmediatevalue(0x11)
    dut.b.setimmediatevalue(0)
    dut.valid.setimmediatevalue(1)
    await Timer(1, units="ns")
    assert dut.comb.value == 0x11


@cocotb.test()
async def test_arrays(dut):
    await start(dut)
    dut.valid.value, dut.a.value = 1, 0x77
    await ClockCycles(dut.clk, 2)
    assert dut.mem[0].value == 0x77
    assert dut.mem.value[0] == 0x77
    dut.mem.value = [1, 2, 3, 4]
    await Timer(1, units="ns")
    assert [int(word) for word in dut.mem.value][1:] == [2, 3, 4]
    assert len(dut.mem) == 4


@cocotb.test()
async def test_parameters_defines_and_plusargs(dut):
    assert int(dut.WIDTH.value) == 8
    assert dut.DEPTH.value == 4
    assert cocotb.plusargs["speed"] == "7" and cocotb.plusargs["quiet"] is True
    assert "+speed=7" in cocotb.argv
    assert cocotb.top is dut or cocotb.top == dut
    random.seed(cocotb.RANDOM_SEED)
    cocotb.log.info("seed %s", cocotb.RANDOM_SEED)


@cocotb.test(timeout_time=1, timeout_unit="us", expect_fail=True)
async def test_expected_to_fail(dut):
    await Timer(5, units="ns")
    assert dut.WIDTH.value == 9, "as expected"


@cocotb.test(expect_error=ZeroDivisionError, stage=1)
async def test_expected_to_err(dut):
    await Timer(1, units="ns")
    print(1 // 0)


@cocotb.test(skip=True)
async def test_skipped(dut):
    raise AssertionError("must not run")


@cocotb.test
async def test_without_parentheses(dut):
    await Timer(1, "ns")


@cocotb.test()
async def test_calls_another_test(dut):
    await test_without_parentheses(dut)
    assert test_without_parentheses.__name__ == "test_without_parentheses"


@cocotb.test()
async def test_logic_arrays_are_made(dut):
    assert LogicArray("1010").to_unsigned() == 10
    assert LogicArray(5, Range(3, "downto", 0)).binstr == "0101"
    assert LogicArray.from_signed(-2, Range(3, "downto", 0)) == "1110"
    dut.a.value, dut.b.value = LogicArray("11110000"), LogicArray(0, Range(7, "downto", 0))
    dut.valid.value = Logic("1")
    await Timer(1, units="ns")
    assert dut.comb.value == LogicArray("11110000")
    assert (dut.comb.value & LogicArray("10101010")) == "10100000"


@cocotb.test()
async def test_a_silent_task_does_not_decide_the_test(dut):
    async def monitor():
        while True:
            try:
                await RisingEdge(dut.clk)
            except BaseException:
                pass

    cocotb.start_soon(monitor())
    await Timer(5, units="ns")


@cocotb.test()
async def test_a_clock_is_started_in_each_test(dut, clocks=[]):
    clocks.append(Clock(dut.clk, 2, units="ns"))
    first = cocotb.start_soon(clocks[0].start())
    await RisingEdge(dut.clk)
    first.kill()
    cocotb.start_soon(clocks[0].start(start_high=False))
    await RisingEdge(dut.clk)


@cocotb.test()
async def test_the_phase_that_is_there_already(dut):
    await start(dut)
    await ReadOnly()
    before = get_sim_time()
    await ReadOnly()
    assert get_sim_time() == before
    await RisingEdge(dut.clk)
