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
from benchwright_harness.cluster.task import ClusterTask, discard_output
from benchwright_harness.errors import ClusterError
from benchwright_harness.execution.process import OutputReceiver

CONFIGURATION = "cluster.toml"
"""In the data folder: a table of options for each kind of cluster."""


@contextlib.asynccontextmanager
async def open_executor(
    home: Home,
    *,
    jobs: int | None = None,
    cluster_name_or_address: str | None = None,
    option_assignments: Sequence[str] = (),
    before_folder_removal: Callable[[ClusterTask, Path], None] | None = None,
    open_log: Callable[[ClusterTask], AbstractContextManager[OutputReceiver]] | None = None,
) -> AsyncIterator[Executor]:
    """The executor of tasks: this process, or a cluster, for as long as it is entered.

    Args:
        home: Holds the toolchain and `CONFIGURATION`.
        jobs: Tasks at a time.
        cluster_name_or_address: A name of `clusters.CLUSTERS`, or a scheduler's address; `None` for this process.
        option_assignments: Options for the cluster, each `name=value`; they count before those of `CONFIGURATION`.
        before_folder_removal: See `LocalExecutor`; not on a cluster.
        open_log: See `LocalExecutor`; a cluster drops raw output.

    Raises:
        ClusterError: No such cluster exists, or it does not come up.
    """
    if cluster_name_or_address is None:
        if option_assignments:
            raise ClusterError("--cluster-option needs --cluster", "say which cluster it is for")
        yield LocalExecutor(
            home.cache,
            jobs,
            open_log=open_log or discard_output,
            before_folder_removal=before_folder_removal or (lambda task, folder: None),
        )
        return
    if before_folder_removal is not None:
        raise ClusterError("the folders of runs on a cluster can't be kept", "leave out --keep-runs, or --cluster")
    cluster_declaration = cluster_kind(cluster_name_or_address)
    queue_options = _cluster_table_or_empty(home.data / CONFIGURATION, cluster_name_or_address) | dict(
        map(_parsed_cluster_option, option_assignments)
    )
    wait_s = queue_options.pop("wait_s", ClusterOptions.wait_s)
    if not isinstance(wait_s, int | float):
        raise ClusterError(f"wait_s={wait_s!r} is not a number of seconds", "correct it")
    async with cluster_declaration.open(
        cluster_name_or_address, home.cache, ClusterOptions(jobs=jobs, wait_s=wait_s, queue=queue_options)
    ) as executor:
        yield executor


def _cluster_table_or_empty(configuration_file: Path, cluster_name: str) -> dict[str, Any]:
    try:
        table = tomllib.loads(configuration_file.read_text(encoding="utf-8")).get(cluster_name, {})
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ClusterError(f"{configuration_file} can't be read: {error}", "correct it, or remove it") from error
    if not isinstance(table, dict):
        raise ClusterError(f"{configuration_file}: {cluster_name}: must be a table, [{cluster_name}]", "correct it")
    return table


def _parsed_cluster_option(assignment_text: str) -> tuple[str, Any]:
    """`cores=4`, `queue=short`: a value is TOML if it can be, else a string."""
    name, equals, value = assignment_text.partition("=")
    if not name or not equals:
        raise ClusterError(f"--cluster-option {assignment_text!r} is not NAME=VALUE", "write for example queue=short")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except ValueError:
        return name, value
