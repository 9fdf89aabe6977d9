"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
Problem = Annotated[str, typer.Argument(metavar="PROBLEM", help="PACK/ID, such as starter/sync-fifo.")]
Sandbox = Annotated[str, typer.Option(help="bwrap, docker, or native, which runs without protection.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Runs at a time; one per core if not given.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run again even if the verdict is known.")]
Cluster = Annotated[
    str | None,
    typer.Option(help="Run there: local, slurm, lsf, sge, pbs, or a Dask scheduler's address such as tcp://host:8786."),
]
ClusterOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="For the cluster, such as queue=short; may be repeated."),
]
Budget = Annotated[
    float | None, typer.Option(min=0, help="US dollars that may be spent; `budget_usd` of judges.toml if not given.")
]
StudyFilePath = Annotated[Path, typer.Argument(metavar="FILE", help="A study file, YAML.")]
StudyId = Annotated[str, typer.Argument(metavar="STUDY", help="Its id, the field `study` of its file.")]
