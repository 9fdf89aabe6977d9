"""Runs the steps of the set-up: side by side where they can, shown with the remaining time, skipped if done."""

import contextlib
import fcntl
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import IO

from folders import SETUP_STATE
from progress import SetupError, SetupStep, Stopped, Tools, clear_line

# Some wait for the network while others compute.
_AT_ONCE = 3
_SPINNER = "|/-\\"
_REFRESH_S = 0.2
_PLAIN_HEARTBEAT_S = 30.0
_LONG_S = 20.0


def run_steps(
    steps: Sequence[SetupStep],
    locks: Sequence[Path],
    *,
    later_titles: Collection[str] = (),
    start_using: Callable[[], None] | None = None,
) -> None:
    """Makes every step ready.

    Args:
        steps: Steps to do, each after those that it needs.
        locks: Files to lock while something is changed, so that two set-ups don't meet.
        later_titles: Titles of steps that need not be done before `start_using`; one that fails then is only printed.
        start_using: Called once all other steps are done; what is left goes on meanwhile and stops when it returns.

    Raises:
        SetupError: A step failed; those that are done stay done.
    """
    with contextlib.ExitStack() as stack:

        def lock() -> None:
            for path in locks:
                stack.enter_context(_lock(path))

        setup_run = _ScheduledRun(steps, lock)
        if start_using is None:
            setup_run.run()
        else:
            setup_run.run_and_use(frozenset(later_titles), start_using)


def remaining_s(steps: Sequence[SetupStep], elapsed_s: Mapping[str, float], pace: float) -> float:
    """Seconds until all of these are done.

    Args:
        steps: Steps that are left, each after those that it needs.
        elapsed_s: Seconds that each running step has taken so far, by title.
        pace: Factor by which things take longer here than expected.
    """
    end_times: dict[str, float] = {}
    for step in steps:
        expected_s, spent = step.seconds * pace, elapsed_s.get(step.title, 0.0)
        # What takes longer than expected will take a while longer.
        left_s = max(expected_s - spent, spent / 10)
        end_times[step.title] = left_s + max((end_times.get(need, 0.0) for need in step.needs), default=0.0)
    return max(end_times.values(), default=0.0)


_FEW_SECONDS = "a few seconds"


def duration_in_words(seconds: float) -> str:
    """A duration as a person would say it, not more exact than it is known."""
    if seconds < 15:
        return _FEW_SECONDS
    if seconds < 50:
        return f"{10 * round(seconds / 10)} s"
    return f"{max(1, round(seconds / 60))} min"


class _ScheduledRun:
    def __init__(self, steps: Sequence[SetupStep], lock: Callable[[], None]) -> None:
        self._steps = steps
        self._waiting_steps = list(steps)
        self._lock: Callable[[], None] | None = lock
        self._running: dict[Future[None], tuple[SetupStep, Tools]] = {}
        self._done_titles: set[str] = set()
        self._stop = threading.Event()
        self._expected_s = self._measured_s = 0.0
        self._ticks = 0
        self._quiet = False
        self._next_heartbeat = time.monotonic() + _PLAIN_HEARTBEAT_S

    def run(self) -> None:
        with self._pool() as pool:
            self._run_until_done(pool, awaited_titles=frozenset(step.title for step in self._steps))

    def run_and_use(self, later_titles: Set[str], start_using: Callable[[], None]) -> None:
        """As `run`; calls `start_using` before the later steps are done."""
        titles = frozenset(step.title for step in self._steps)
        with self._pool() as pool:
            self._run_until_done(pool, awaited_titles=titles - later_titles)
            self._quiet = True
            thread = threading.Thread(target=self._run_rest, args=(pool, titles), name="set-up")
            thread.start()
            try:
                start_using()
            finally:
                self._stop.set()
                thread.join()

    @contextlib.contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            try:
                yield pool
            finally:
                self._stop.set()
                clear_line()

    def _run_rest(self, pool: ThreadPoolExecutor, awaited_titles: Set[str]) -> None:
        try:
            self._run_until_done(pool, awaited_titles)
        except SetupError as error:
            print(f"\n{error}", file=sys.stderr, flush=True)

    def _run_until_done(self, pool: ThreadPoolExecutor, awaited_titles: Set[str]) -> None:
        while awaited_titles - self._done_titles and not self._stop.is_set():
            self._start_all_that_can(pool)
            ended_futures, _ = wait(self._running, timeout=_REFRESH_S, return_when=FIRST_COMPLETED)
            for future in ended_futures:
                self._finish(future)
            if not self._quiet:
                self._show_progress()

    def _start_all_that_can(self, pool: ThreadPoolExecutor) -> None:
        titles = {step.title for step in self._steps}
        has_started = True
        while has_started:
            has_started = False
            for step in list(self._waiting_steps):
                if len(self._running) >= _AT_ONCE or (set(step.needs) & titles) - self._done_titles:
                    continue
                self._waiting_steps.remove(step)
                self._start(step, pool)
                has_started = True

    def _start(self, step: SetupStep, pool: ThreadPoolExecutor) -> None:
        if not step.ready() and self._lock is not None:
            self._lock()
            self._lock = None
        if step.ready():
            self._print_step_end(step, "ready")
            return
        log = _log_of(step)
        tools = Tools(log, self._stop)
        clear_line()
        print(f"{step.title} … (log: {log})", flush=True)
        self._running[pool.submit(step.carry_out, tools)] = (step, tools)

    def _finish(self, future: Future[None]) -> None:
        step, tools = self._running.pop(future)
        try:
            future.result()
        except OSError as error:
            raise SetupError(
                f"{step.title}: {error.strerror or error}: {error.filename or ''}\n"
                "Next step: make sure that this folder can be written to and its disk has room, "
                "then start the same command again."
            ) from error
        except Stopped:
            return
        self._expected_s += step.seconds
        self._measured_s += tools.elapsed_s
        self._print_step_end(step, f"done in {tools.elapsed_s:.0f} s")

    def _print_step_end(self, step: SetupStep, ending: str) -> None:
        self._done_titles.add(step.title)
        clear_line()
        print(f"[{len(self._done_titles)}/{len(self._steps)}] {step.title}: {ending}", flush=True)

    def _show_progress(self) -> None:
        if not self._running or any(tools.asks for _, tools in self._running.values()):
            return
        if sys.stdout.isatty():
            self._ticks += 1
            line = f"{_SPINNER[self._ticks % len(_SPINNER)]} {self._progress_line()}"
            sys.stdout.write(f"\r\x1b[2K{line[: shutil.get_terminal_size().columns - 1]}")
            sys.stdout.flush()
        elif time.monotonic() >= self._next_heartbeat:
            self._next_heartbeat += _PLAIN_HEARTBEAT_S
            print(f"… {self._progress_line()}", flush=True)

    def _progress_line(self) -> str:
        elapsed_by_title = {step.title: tools.elapsed_s for step, tools in self._running.values()}
        steps_left = [step for step in self._steps if step.title not in self._done_titles]
        # A few seconds say little about the pace.
        pace = max(1.0, self._measured_s / self._expected_s) if self._expected_s >= _LONG_S else 1.0
        names = ", ".join(f"{title} ({elapsed:.0f} s)" for title, elapsed in elapsed_by_title.items())
        duration = duration_in_words(remaining_s(steps_left, elapsed_by_title, pace))
        return f"{duration if duration == _FEW_SECONDS else f'about {duration}'} left: {names}"


def _log_of(step: SetupStep) -> Path:
    logs = SETUP_STATE / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    (SETUP_STATE / ".gitignore").write_text("*\n", encoding="utf-8")
    log = logs / f"{re.sub('[^a-z0-9]+', '-', step.title.lower()).strip('-')}.log"
    log.write_bytes(b"")
    return log


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise SetupError(
            f"The folder {path.parent} can't be written to ({error.strerror}). Next step: make it writable for "
            "this account, or choose another cache folder with the environment variable BENCHWRIGHT_CACHE."
        ) from error
    with file:
        if not _try_lock(file):
            print("Another set-up is running; waiting for it to end …", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
