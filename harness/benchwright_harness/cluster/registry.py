"""The kinds of cluster that there are. A new one is a module that declares it and a line in `CLUSTERS`."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from benchwright_foundation.registration import Registration

if TYPE_CHECKING:
    from benchwright_harness.cluster import ClusterKind

CLUSTERS = (
    Registration("local", "benchwright_harness.cluster.dask:LOCAL"),
    Registration("slurm", "benchwright_harness.cluster.queues:SLURM"),
    Registration("lsf", "benchwright_harness.cluster.queues:LSF"),
    Registration("sge", "benchwright_harness.cluster.queues:SGE"),
    Registration("pbs", "benchwright_harness.cluster.queues:PBS"),
)
SCHEDULER = Registration("tcp://host:8786", "benchwright_harness.cluster.dask:SCHEDULER")
"""Kind of cluster that an address stands for, instead of a name."""


def cluster_kind(name_or_address: str) -> ClusterKind:
    """The declaration of a kind of cluster.

    Args:
        name_or_address: Its name, or the address of a Dask scheduler.

    Raises:
        ClusterError: No kind of cluster has this name.
    """
    from benchwright_harness.cluster import ClusterKind
    from benchwright_harness.errors import ClusterError

    declaration_paths = {registration.name: registration.declaration_path for registration in CLUSTERS}
    declaration_path = (
        SCHEDULER.declaration_path if "://" in name_or_address else declaration_paths.get(name_or_address)
    )
    if declaration_path is None:
        raise ClusterError(
            f"there is no cluster {name_or_address!r}",
            f"choose {', '.join(declaration_paths)}, or the address of a scheduler such as tcp://127.0.0.1:8786",
        )
    kind = resolve_name(declaration_path)
    if not isinstance(kind, ClusterKind):
        raise TypeError(f"{declaration_path} is not a ClusterKind")
    return kind
