"""Place in which tasks run: this machine, or a cluster with the options that a site has written down for it."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchwright_foundation.home import Home
from benchwright_harness.cluster import ClusterOptions, Executor
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.cluster.registry import cluster_kind
from benchwright_harness.cluster.task import ClusterTask, no_log
from benchwright_harness.errors import ClusterError
from benchwright_harness.execution.process import OutputReceiver

CONFIGURATION = "cluster.toml"
"""In the data folder: a table of options for each kind of cluster."""


@contextlib.asynccontextmanager
async def open_executor(
    home: Home,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    options: Sequence[str] = (),
    on_folder: Callable[[ClusterTask, Path], None] | None = None,
    open_log: Callable[[ClusterTask], AbstractContextManager[OutputReceiver]] | None = None,
) -> AsyncIterator[Executor]:
    """The executor of tasks: this process, or a cluster, for as long as it is entered.

    Args:
        home: Holds the toolchain and `CONFIGURATION`.
        jobs: Tasks at a time.
        cluster: A name of `clusters.CLUSTERS`, or a scheduler's address; `None` for this process.
        options: Options for the cluster, each `name=value`; they count before those of `CONFIGURATION`.
        on_folder: See `LocalExecutor`; not on a cluster.
        open_log: See `LocalExecutor`; a cluster drops raw output.

    Raises:
        ClusterError: No such cluster exists, or it does not come up.
    """
    if cluster is None:
        if options:
            raise ClusterError("--cluster-option needs --cluster", "say which cluster it is for")
        yield LocalExecutor(
            home.cache, jobs, open_log=open_log or no_log, on_folder=on_folder or (lambda task, folder: None)
        )
        return
    if on_folder is not None:
        raise ClusterError("the folders of runs on a cluster can't be kept", "leave out --keep-runs, or --cluster")
    cluster_declaration = cluster_kind(cluster)
    queue_options = _read_cluster_table(home.data / CONFIGURATION, cluster) | dict(map(_option, options))
    wait_s = queue_options.pop("wait_s", ClusterOptions.wait_s)
    if not isinstance(wait_s, int | float):
        raise ClusterError(f"wait_s={wait_s!r} is not a number of seconds", "correct it")
    async with cluster_declaration.open(
        cluster, home.cache, ClusterOptions(jobs=jobs, wait_s=wait_s, queue=queue_options)
    ) as executor:
        yield executor


def _read_cluster_table(file: Path, cluster: str) -> dict[str, Any]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get(cluster, {})
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ClusterError(f"{file} can't be read: {error}", "correct it, or remove it") from error
    if not isinstance(table, dict):
        raise ClusterError(f"{file}: {cluster}: must be a table, [{cluster}]", "correct it")
    return table


def _option(text: str) -> tuple[str, Any]:
    """`cores=4`, `queue=short`: a value is TOML if it can be, else a string."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ClusterError(f"--cluster-option {text!r} is not NAME=VALUE", "write for example queue=short")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except ValueError:
        return name, value
