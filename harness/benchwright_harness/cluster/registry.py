"""The kinds of cluster that there are. A new one is a module that declares it and a line in `CLUSTERS`."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from benchwright_foundation.registration import Registered

if TYPE_CHECKING:
    from benchwright_harness.cluster import ClusterKind

CLUSTERS = (
    Registered("local", "benchwright_harness.cluster.dask:LOCAL"),
    Registered("slurm", "benchwright_harness.cluster.queues:SLURM"),
    Registered("lsf", "benchwright_harness.cluster.queues:LSF"),
    Registered("sge", "benchwright_harness.cluster.queues:SGE"),
    Registered("pbs", "benchwright_harness.cluster.queues:PBS"),
)
SCHEDULER = Registered("tcp://host:8786", "benchwright_harness.cluster.dask:SCHEDULER")
"""Kind of cluster that an address stands for, instead of a name."""


def cluster_kind(address: str) -> ClusterKind:
    """The declaration of a kind of cluster.

    Args:
        address: Its name, or the address of a Dask scheduler.

    Raises:
        ClusterError: No kind of cluster has this name.
    """
    from benchwright_harness.cluster import ClusterKind
    from benchwright_harness.errors import ClusterError

    kinds = {registration.name: registration.declared for registration in CLUSTERS}
    declared = SCHEDULER.declared if "://" in address else kinds.get(address)
    if declared is None:
        raise ClusterError(
            f"there is no cluster {address!r}",
            f"choose {', '.join(kinds)}, or the address of a scheduler such as tcp://127.0.0.1:8786",
        )
    kind = resolve_name(declared)
    if not isinstance(kind, ClusterKind):
        raise TypeError(f"{declared} is not a ClusterKind")
    return kind
