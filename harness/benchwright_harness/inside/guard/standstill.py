"""Ends a simulation with cocotb in which nothing happens any more, long before the limit of the run.

A thread looks on, once a second. It only gets its turn while Python runs, for the simulator keeps Python's lock; so it
winds up a timer of the kernel, which ends the process where Python was not called for so much processor time. Where
simulated time stands still meanwhile, `toolchain/build/programs/watch.c` notices that earlier.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

STANDSTILL_VARIABLE, SILENCE_VARIABLE = "BENCHWRIGHT_STANDSTILL_S", "BENCHWRIGHT_SILENCE_S"
STANDS, NOTHING = "zero time", "nothing awaited happens"
_LOOK_S = 1.0
_PATIENCE = 5
"""Multiple of the longest silence, where the design may be busy until a time that a test waits for."""


def start_watching_for_standstill(regression_manager: Any, tell_supervisor: Callable[..., None]) -> None:
    """Look on from now.

    Args:
        regression_manager: cocotb's `RegressionManager`.
        tell_supervisor: Tells the supervisor.
    """
    standstill_s = float(os.environ.get(STANDSTILL_VARIABLE) or 0)
    silence_s = float(os.environ.get(SILENCE_VARIABLE) or standstill_s)
    if silence_s > 0:
        signal.setitimer(signal.ITIMER_PROF, _PATIENCE * silence_s)
        tell_supervisor(standstill=STANDS)
        looking = (regression_manager, tell_supervisor, standstill_s, silence_s, threading.get_ident())
        threading.Thread(target=_look_for_standstill, args=looking, daemon=True).start()


def _look_for_standstill(
    regression: Any, tell_supervisor: Callable[..., None], standstill_s: float, silence_s: float, main_thread_id: int
) -> None:
    seen: dict[Any, Any] = {}
    since = time.process_time()
    told = STANDS
    clocked = False
    while True:
        time.sleep(_LOOK_S)
        now, waiting = time.process_time(), _awaited_triggers()
        timed = any(type(trigger).__name__ == "Timer" for trigger in waiting)
        if _runs_harness_code(main_thread_id) or not _is_same_state(seen, waiting):
            seen, since = waiting, now
        elif now - since > silence_s and not timed:
            _end_regression(regression, tell_supervisor)
        # What Python spends is the harness's own.
        _, each = signal.getitimer(signal.ITIMER_VIRTUAL)
        signal.setitimer(signal.ITIMER_VIRTUAL, each, each)
        clocked = clocked or _is_clock_driven_by_python()
        signal.setitimer(signal.ITIMER_PROF, standstill_s if clocked else _PATIENCE * silence_s if timed else silence_s)
        why = STANDS if clocked or timed else NOTHING
        if why != told:
            told = why
            with contextlib.suppress(OSError):
                tell_supervisor(standstill=why)


def _is_clock_driven_by_python() -> bool:
    """True if Python drives a clock, so that it is called as long as time passes."""
    waiters = itertools.chain.from_iterable(map(list, _waiters_by_trigger().values()))
    return any(_coroutine_name(waiter).startswith("Clock.") for waiter in waiters)


def _awaited_triggers() -> dict[Any, Any]:
    """Trigger → the collection of who waits for it, but for cocotb's own; each wait makes a new collection."""
    return {
        trigger: waiters
        for trigger, waiters in _waiters_by_trigger().items()
        if not all(map(_is_helper_of_cocotb, list(waiters)))
    }


def _waiters_by_trigger() -> dict[Any, Any]:
    """Trigger → the collection of tasks, or in cocotb 2.1 of callbacks, that wait for it."""
    import cocotb
    from cocotb.triggers import Trigger

    # Either is one step of the interpreter: the other thread may change it at any moment.
    scheduler = getattr(cocotb, "_scheduler_inst", None)
    if scheduler is not None:
        return dict(scheduler._trigger2tasks)
    # 2.1 has no list of all tasks, nor of all triggers.
    triggers = [candidate for candidate in gc.get_objects() if issubclass(type(candidate), Trigger)]
    return {trigger: waiters for trigger in triggers if (waiters := getattr(trigger, "_callbacks", None))}


def _is_helper_of_cocotb(waiter: Any) -> bool:
    """True if it only drives a clock, or writes what others have assigned."""
    return _coroutine_name(waiter).startswith(("Clock.", "_do_writes", "_schedule_write."))


def _coroutine_name(waiter: Any) -> str:
    """The name of a task's coroutine; of a callback that continues no task, its own."""
    callback = getattr(waiter, "_func", None)
    task = waiter if callback is None else getattr(callback, "__self__", None)
    return getattr(getattr(task, "_coro", callback), "__qualname__", "")


def _runs_harness_code(thread_id: int) -> bool:
    """True if a thread runs code of the harness."""
    frame = sys._current_frames().get(thread_id)
    while frame is not None:
        if "/cocotb/" not in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _is_same_state(before: dict[Any, Any], now: dict[Any, Any]) -> bool:
    return before.keys() == now.keys() and all(before[trigger] is tasks for trigger, tasks in now.items())


def _end_regression(regression: Any, tell_supervisor: Callable[..., None]) -> None:
    with contextlib.suppress(OSError):
        tell_supervisor(standstill=NOTHING)
        tell_supervisor(test=regression._test.name, passed=False, message=f"The simulation was stopped: {NOTHING}.")
    print(f"The simulation was stopped: {NOTHING}.", flush=True)
    os.kill(os.getpid(), signal.SIGPROF)
