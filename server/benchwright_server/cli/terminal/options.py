"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.registration import alternatives_phrase
from benchwright_harness.cluster.registry import CLUSTERS, SCHEDULER
from benchwright_harness.sandbox.registry import SANDBOXES

_SCHEDULER = SCHEDULER._replace(name=f"a Dask scheduler's address such as {SCHEDULER.name}")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
Problem = Annotated[str, typer.Argument(metavar="PROBLEM", help="PACK/ID, such as starter/sync-fifo.")]
AuthoredProblem = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="PACK/ID, or FOLDER/ID of a pack that is being written.")
]
Sandbox = Annotated[str, typer.Option(help=f"{alternatives_phrase(SANDBOXES)}.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Runs at a time; one per core if not given.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run again even if the verdict is known.")]
Cluster = Annotated[
    str | None,
    typer.Option(help=f"Run there: {alternatives_phrase((*CLUSTERS, _SCHEDULER))}."),
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
AttemptId = Annotated[str, typer.Argument(metavar="ATTEMPT", help="Its id, or the beginning of the id.")]
OutputFile = Annotated[Path | None, typer.Option("--output", "-o", help="A file; standard output if not given.")]
AttemptIds = Annotated[
    list[str] | None, typer.Argument(metavar="[ATTEMPT]…", help="Ids, or their beginnings; all if not given.")
]
NewPack = Annotated[str, typer.Option(help="Name of the new pack.")]
Replace = Annotated[bool, typer.Option("--replace", help="Replace a pack of that name.")]
PackOut = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Gets the pack.")]
RecordsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Written as JSON Lines, with solutions and harnesses.")
]
AnswersAtOnce = Annotated[int, typer.Option(min=1, max=64, help="Answers at a time.")]
ProblemOrPack = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM|PACK",
        help="PACK/ID, or FOLDER/ID of a pack that is being written; PACK or FOLDER with --responses.",
    ),
]
BootstrapSeed = Annotated[int, typer.Option(min=0, help="Seed of the bootstrap intervals.")]
