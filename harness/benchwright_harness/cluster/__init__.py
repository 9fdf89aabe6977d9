"""Many runs at once: on the cores of this machine, or on a cluster's nodes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from benchwright_harness.cluster.task import ClusterTask
from benchwright_problems.verdict import Verdict


class Executor(Protocol):
    """Runs tasks somewhere."""

    def run(self, tasks: Sequence[ClusterTask]) -> AsyncGenerator[tuple[ClusterTask, Verdict], None]:
        """Run tasks and yield each with its verdict, once, as they finish.

        Closing the generator or cancelling its consumer ends the runs that are under way. Use it
        within `contextlib.aclosing`, so that this happens at once.
        """
        ...


@dataclass(frozen=True)
class ClusterOptions:
    """Options of a site for its cluster."""

    jobs: int | None = None
    """Worker processes, each of which runs one task at a time; `None` leaves it to the cluster."""
    wait_s: float = 120.0
    """Time to wait for a worker, in seconds."""
    queue: Mapping[str, Any] = field(default_factory=dict)
    """Options of this kind of cluster; of a queueing system those of dask-jobqueue, such as `queue`, `walltime`."""


@runtime_checkable
class ClusterKind(Protocol):
    """The declaration of a kind of cluster; `benchwright_harness.cluster.registry` lists them."""

    def open(
        self, name_or_address: str, toolchain_cache: Path, options: ClusterOptions
    ) -> AbstractAsyncContextManager[Executor]:
        """An executor that runs tasks there, for as long as it is entered.

        Args:
            name_or_address: Address that was asked for: the kind's name, or an address.
            toolchain_cache: The folder that holds the toolchain on this machine.
            options: Options of the site.

        Raises:
            ClusterError: On entering: the cluster does not come up, with the next step.
        """
        ...
