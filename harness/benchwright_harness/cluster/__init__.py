"""Many runs at once: on the cores of this machine, or on a cluster's nodes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from benchwright_harness.cluster.task import Task
from benchwright_problems.verdict import Verdict


class Executor(Protocol):
    """Runs tasks somewhere."""

    def run(self, tasks: Sequence[Task]) -> AsyncGenerator[tuple[Task, Verdict], None]:
        """Run tasks and yield each with its verdict, once, as they finish.

        Closing the generator or cancelling its consumer ends the runs that are under way. Use it
        within `contextlib.aclosing`, so that this happens at once.
        """
        ...
