"""Queueing systems whose nodes a Dask cluster is made of, through dask-jobqueue."""

from __future__ import annotations

import signal
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from benchwright_harness.cluster import ClusterOptions
from benchwright_harness.cluster.dask import DaskCluster
from benchwright_harness.errors import ClusterError

if TYPE_CHECKING:
    from dask_jobqueue.core import JobQueueCluster
    from distributed import Client

_QUIET = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")


@dataclass(frozen=True)
class JobQueue(DaskCluster):
    """Workers that are jobs of a queueing system."""

    cluster_class_path: str
    """dask-jobqueue's class for it, as `package.module:NAME`."""

    @property
    def no_worker_hint(self) -> str:
        """See `DaskCluster`."""
        return (
            "check the queue's list of jobs and their logs; workers on other machines need the option"
            " interface, the network that they reach this one by; wait_s gives the queue more time"
        )

    async def connect(self, name_or_address: str, options: ClusterOptions, exit_stack: AsyncExitStack) -> Client:
        """See `DaskCluster`."""
        from distributed import Client

        cluster = await exit_stack.enter_async_context(self._job_queue_cluster(name_or_address, options))
        client: Client = await Client(cluster, asynchronous=True)
        return client

    def _cluster_class(self) -> type[JobQueueCluster]:
        # Importing dask-jobqueue replaces the program's handler of Ctrl+C.
        interrupt_handler = signal.getsignal(signal.SIGINT)
        cluster_class: type[JobQueueCluster] = resolve_name(self.cluster_class_path)
        signal.signal(signal.SIGINT, interrupt_handler)
        return cluster_class

    def _job_queue_cluster(self, kind_name: str, site_options: ClusterOptions) -> JobQueueCluster:
        import dask

        configured = {
            key: value for key, value in dask.config.get(f"jobqueue.{kind_name}", {}).items() if value is not None
        }
        queue_options = dict(site_options.queue)
        cores = int(queue_options.get("cores", configured.get("cores", 1)))
        scheduler: dict[str, Any] = {"dashboard_address": None} | dict(queue_options.pop("scheduler_options", {}))
        if not {"interface", "host"} & {*queue_options, *configured, *scheduler}:
            # Only this machine can reach it unless the site names a network.
            queue_options["interface"] = "lo"
        options = {
            "cores": cores,
            "memory": configured.get("memory", f"{cores * 4}GiB"),
            # A worker process runs one task at a time: while it waits for tools it can't serve a second one well.
            "processes": cores,
            **queue_options,
            "scheduler_options": scheduler,
            # Without a dashboard a worker still serves its state over HTTP.
            "worker_extra_args": [*_QUIET, *queue_options.get("worker_extra_args", ())],
        }
        try:
            cluster: JobQueueCluster = self._cluster_class()(**options, asynchronous=True)
            cluster.scale(n=site_options.jobs or options["processes"])
        except (TypeError, ValueError) as error:
            raise ClusterError(
                f"the options for {kind_name} are wrong: {error}", "correct them in cluster.toml or --cluster-option"
            ) from error
        return cluster


SLURM = JobQueue("dask_jobqueue.slurm:SLURMCluster")
LSF = JobQueue("dask_jobqueue.lsf:LSFCluster")
SGE = JobQueue("dask_jobqueue.sge:SGECluster")
PBS = JobQueue("dask_jobqueue.pbs:PBSCluster")
