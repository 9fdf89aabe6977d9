"""Library that harnesses of CVDP 1.0 keep beside their tests."""

from cocotb.triggers import FallingEdge, RisingEdge, Timer


async def reset_dut(reset_n, duration_ns=10, active=False):
    reset_n.value = 1 if active else 0
    await Timer(duration_ns, units="ns")
    reset_n.value = 0 if active else 1
    await Timer(duration_ns, units="ns")
    reset_n._log.debug("Reset complete")


async def dut_init(dut):
    for signal in dut:
        if signal._name.startswith("never_set"):
            continue
        try:
            signal.value = 0
        except Exception:
            pass


async def duty_cycle(pwm_signal, clock, period):
    pwm = {"time_period": period, "on_time": 0, "off_time": 0}
    for _ in range(period):
        if pwm_signal.value == 1:
            pwm["on_time"] += 1
        await RisingEdge(clock)
    pwm["off_time"] = pwm["time_period"] - pwm["on_time"]
    return pwm


async def access_hit(dut):
    await FallingEdge(dut.clk)
    return dut.sum.value
