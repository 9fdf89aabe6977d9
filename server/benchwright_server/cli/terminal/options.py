"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.registration import described
from benchwright_harness.cluster.registry import CLUSTERS, SCHEDULER
from benchwright_harness.sandbox.registry import SANDBOXES

_SCHEDULER = SCHEDULER._replace(name=f"a Dask scheduler's address such as {SCHEDULER.name}")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
Problem = Annotated[str, typer.Argument(metavar="PROBLEM", help="PACK/ID, such as starter/sync-fifo.")]
Sandbox = Annotated[str, typer.Option(help=f"{described(SANDBOXES)}.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Runs at a time; one per core if not given.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run again even if the verdict is known.")]
Cluster = Annotated[
    str | None,
    typer.Option(help=f"Run there: {described((*CLUSTERS, _SCHEDULER))}."),
]
ClusterOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="For the cluster, such as queue=short; may be repeated."),
]
Budget = Annotated[
    float | None, typer.Option(min=0, help="US dollars that may be spent; `budget_usd` of judges.toml if not given.")
]
Reader = Annotated[
    str,
    typer.Option(
        metavar="JUDGE", help="The model judge that reads what rules can't; `reader` of judges.toml if not given."
    ),
]
StudyFilePath = Annotated[Path, typer.Argument(metavar="FILE", help="A study file, YAML.")]
StudyId = Annotated[str, typer.Argument(metavar="STUDY", help="Its id, the field `study` of its file.")]
