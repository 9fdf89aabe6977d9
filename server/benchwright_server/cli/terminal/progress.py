"""Progress of a long command: a bar on a terminal, else a line now and then, both with an estimate."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from benchwright_foundation.number_text import duration
from benchwright_server.cli.terminal.output import err

_FIRST_S = 5.0
_EVERY_S = 30.0


@dataclass(frozen=True, slots=True)
class WorkPace:
    """Progress of something, and the time when it will be done at this pace."""

    done_count: int
    total_count: int
    elapsed_s: float
    reused_count: int = 0
    """Of those done, the ones that took no time."""

    @property
    def left_s(self) -> float | None:
        """Seconds that are left; None while nothing took time."""
        worked = self.done_count - self.reused_count
        return self.elapsed_s / worked * (self.total_count - self.done_count) if worked > 0 else None

    @property
    def time_left_text(self) -> str:
        """Time that is left, in words; empty if nobody knows."""
        if self.left_s is None or self.done_count >= self.total_count:
            return ""
        return f"about {duration(self.left_s)} left"


class Meter:
    """Shows how far a command is.

    Args:
        activity: Name of the work being done, such as `checking`.
        total: Number of things to do.
        counted_noun: Name of these things.
    """

    def __init__(self, activity: str, total: int, counted_noun: str) -> None:
        self._activity = activity
        self._unit = counted_noun
        self._step = ""
        self._done_count, self._reused_count, self._total = 0, 0, total
        self._start = time.monotonic()
        bar_columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self.bar = Bar(*bar_columns, TextColumn("{task.fields[estimate]}"), console=err, transient=True)
        self._task = self.bar.add_task(activity, total=total, estimate="")

    def advance(self) -> None:
        """One more is done."""
        self.show_counts(self._done_count + 1, self._total, self._reused_count)

    def show_next_step(self, step: str) -> None:
        """Show what is being done from now on; what was before it is done."""
        if self._step:
            self.advance()
        self._step = step
        self.bar.update(self._task, description=f"{self._activity}: {step}")

    def show_counts(self, done_count: int, total: int, reused_count: int = 0) -> None:
        """Show this many as done, `reused_count` of them without having taken any time."""
        self._done_count, self._reused_count, self._total = done_count, reused_count, total
        self.bar.update(self._task, completed=done_count, total=total, estimate=self._pace.time_left_text)

    def progress_line(self) -> str:
        """The same in a line."""
        estimate = self._pace.time_left_text
        elapsed = duration(self._pace.elapsed_s)
        step = f" ({self._step})" if self._step else ""
        progress = f"{self._activity}{step}: {self._done_count} of {self._total} {self._unit} after {elapsed}"
        return f"{progress}{estimate and ', '}{estimate}"

    @property
    def _pace(self) -> WorkPace:
        return WorkPace(self._done_count, self._total, time.monotonic() - self._start, self._reused_count)


@contextmanager
def progress(activity: str, total: int, counted_noun: str = "done") -> Iterator[Meter]:
    """A meter on standard error, for as long as it is entered; see `Meter`."""
    meter = Meter(activity, total, counted_noun)
    if err.is_terminal:
        with meter.bar:
            yield meter
        return
    end_event = threading.Event()
    beating = threading.Thread(target=_print_lines_until_end, args=(meter, end_event), daemon=True)
    beating.start()
    try:
        yield meter
    finally:
        end_event.set()
        beating.join()


def _print_lines_until_end(meter: Meter, end_event: threading.Event) -> None:
    pause_s = _FIRST_S
    while not end_event.wait(pause_s):
        # A program that waits, or a person who reads the file, sees that it is not stuck.
        err.print(meter.progress_line(), markup=False, soft_wrap=True)
        pause_s = _EVERY_S
