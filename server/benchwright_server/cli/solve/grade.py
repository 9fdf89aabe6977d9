"""`benchwright grade`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from benchwright_attempts.grading.grading import grade, judged_paths
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_problems.storage.store import Store
from benchwright_server.cli.solve.batch import Batch, grade_batch
from benchwright_server.cli.solve.batch_reading import Origins
from benchwright_server.cli.solve.raw_log import check_may_read_log
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import interruptible
from benchwright_server.cli.terminal.option_groups import grouped
from benchwright_server.cli.terminal.output import err, finish_with, plain_errors, writing
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.missing_files import missing_files
from benchwright_server.workspaces.workspace import snapshot

if TYPE_CHECKING:
    from benchwright_harness.sandbox import Sandbox
    from benchwright_problems.problem import Problem
    from benchwright_problems.verdict import Verdict


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("grade")(grouped(grade_command))


def grade_command(
    problem: options.ProblemOrPack,
    batch: Batch,
    origins: Origins,
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Contains the files to judge, as in a workspace.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="Write the raw log of the run to this file; it may hold hidden text.")
    ] = None,
    json_output: options.Json = False,
) -> None:
    """Run a problem's hidden tests on a folder, or grade many answers to a pack's problems, questions included.

    Exit status for a folder: 0 passed, 1 failed, 2 error; for many answers: 0 all are decided or wait for a judge,
    2 some could not be decided.
    """
    with plain_errors():
        if batch.responses is not None:
            if folder is not None or log is not None:
                raise ServerError("With --responses, give no folder to judge and no --log.")
            grade_batch(problem, batch.responses, batch, origins, json_output)
        if folder is None:
            raise ServerError(f"Give the folder with the files to judge: benchwright grade {problem} DIR.")
        with interruptible("All verdicts so far are kept: the same command continues where it stopped."):
            _grade_folder(problem, folder, batch, log, json_output)


def _grade_folder(problem: str, folder: Path, batch: Batch, raw_log: Path | None, json_output: bool) -> None:
    home = Home.find()
    hidden = Store(home).unseal(problem)
    if not folder.is_dir():
        raise ServerError(f"{folder} is not a folder. Give the folder that contains rtl/ and the like.")
    if raw_log is not None:
        check_may_read_log(problem, hidden.reveal, home)
    box = open_sandbox(batch.sandbox)
    files = snapshot(folder, hidden)
    if missing := [path for path in judged_paths(hidden) if path not in files]:
        named = missing_files(folder, missing)
        if not files:
            raise ServerError(f"{folder} has no file that {problem} expects: {named}.")
        err.print(f"Missing in {folder}: {named}.", markup=False, soft_wrap=True)
    with _opened(raw_log) as log, progress(f"running the hidden tests of {problem}", 1, "runs"):
        verdict = asyncio.run(_graded(hidden, files, home, box, log, batch))
    finish_with(problem, verdict, json_output)


async def _graded(
    problem: Problem, files: Mapping[str, bytes], home: Home, sandbox: Sandbox, log: BinaryIO, batch: Batch
) -> Verdict:
    verdict = await grade(problem, files, home=home, sandbox=sandbox, log=log, fresh=batch.fresh)
    if not batch.quality:
        return verdict
    from benchwright_formal.measuring import Measuring

    return await Measuring(sandbox, toolchain_for(sandbox.name, home.cache)).measured(problem, files, verdict)


def _opened(raw_log: Path | None) -> BinaryIO:
    if raw_log is None:
        return Path(os.devnull).open("wb")
    with writing(raw_log):
        # For its owner alone: others on this machine may be solvers.
        return os.fdopen(os.open(raw_log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
