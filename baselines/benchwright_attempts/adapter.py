"""Interface that the engine of attempts asks of those who put a solver in front of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from benchwright_attempts.actor import KnownActor
from benchwright_problems.verdict import Verdict

ReportProgress = Callable[[str, int], None]
"""Shows progress: what is being done, and how much of it in percent."""


class SolverAdapter:
    """The solver's side of an attempt. Nothing has to be overridden but `current_judged_files`."""

    actor: KnownActor | None = None
    """The actor of all its requests; None if several make some, each through a connection of its own."""
    works_during_runs: bool = False
    """True if the solver goes on while its files are run, and waits for nothing: its clock then runs too."""

    def current_judged_files(self) -> Mapping[str, bytes]:
        """The present content of the files that are judged, missing ones left out."""
        raise NotImplementedError

    def verdict_if_ungradable(self) -> Verdict | None:
        """The verdict if what the solver gave can't be run or judged; None if it can."""
        return None

    def on_files_taken_for_run(self, files: Mapping[str, bytes]) -> None:
        """A run has taken these files; called before anything of it is recorded."""

    def on_status_changed(self) -> None:
        """Something that an attempt's status shows has changed."""

    def on_run_failed(self, error: BaseException) -> None:
        """A run, or its preparation, failed while nobody waited for it."""

    @asynccontextmanager
    async def show_run_progress(self) -> AsyncIterator[ReportProgress]:
        """Shows a run's progress while the block lasts."""
        yield lambda message, percent: None
