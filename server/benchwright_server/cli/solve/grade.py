"""`benchwright grade`."""

from __future__ import annotations

import asyncio
import difflib
import itertools
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from benchwright_attempts.grading.grading import grade_by_tests_or_rules, judged_paths
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.store import Store
from benchwright_server.attempts.participation import Participation
from benchwright_server.cli.problems.whole_pack import problem_with_hidden_part
from benchwright_server.cli.solve.batch import BatchOptions, grade_batch
from benchwright_server.cli.solve.batch_reading import Origins
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.option_groups import flatten_option_groups
from benchwright_server.cli.terminal.output import (
    err,
    exit_on_expected_error,
    explain_unwritable,
    print_verdict_and_exit,
)
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace import read_judged_files

if TYPE_CHECKING:
    from benchwright_harness.sandbox import Sandbox
    from benchwright_problems.problem import Problem
    from benchwright_problems.verdict import Verdict

_MOST_FILES = 2_000
"""The most files of a folder that are compared: a hint is not worth reading a whole home directory."""
_SIMILAR = 0.8


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("grade")(flatten_option_groups(grade_command))


def grade_command(
    problem: options.ProblemOrPack,
    batch: BatchOptions,
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
    with exit_on_expected_error():
        if batch.responses is not None:
            if folder is not None or log is not None:
                raise ServerError("With --responses, give no folder to judge and no --log.")
            grade_batch(problem, batch.responses, batch, origins, json_output)
        if folder is None:
            raise ServerError(f"Give the folder with the files to judge: benchwright grade {problem} DIR.")
        with end_cleanly_on_signal("All verdicts so far are kept: the same command continues where it stopped."):
            _grade_folder_and_exit(problem, folder, batch, log, json_output)


def _grade_folder_and_exit(
    problem_ref: str, folder: Path, batch: BatchOptions, raw_log: Path | None, json_output: bool
) -> None:
    home = Home.from_environment()
    unsealed_problem = problem_with_hidden_part(Store(home), problem_ref)
    if not folder.is_dir():
        raise ServerError(f"{folder} is not a folder. Give the folder that contains rtl/ and the like.")
    if raw_log is not None:
        _check_may_read_log(problem_ref, unsealed_problem.reveal, home)
    box = open_sandbox(batch.sandbox)
    files = read_judged_files(folder, unsealed_problem)
    if missing := [path for path in judged_paths(unsealed_problem) if path not in files]:
        missing_names = _missing_files_sentence(folder, missing)
        if not files:
            raise ServerError(f"{folder} has no file that {problem_ref} expects: {missing_names}.")
        err.print(f"Missing in {folder}: {missing_names}.", markup=False, soft_wrap=True)
    with _open_private_log_or_null(raw_log) as log, progress(f"running the hidden tests of {problem_ref}", 1, "runs"):
        verdict = asyncio.run(_verdict_on_files(unsealed_problem, files, home, box, log, batch))
    print_verdict_and_exit(problem_ref, verdict, json_output)


async def _verdict_on_files(
    problem: Problem,
    files: Mapping[str, bytes],
    home: Home,
    sandbox: Sandbox,
    log_stream: BinaryIO,
    batch: BatchOptions,
) -> Verdict:
    verdict = await grade_by_tests_or_rules(
        problem, files, home=home, sandbox=sandbox, log=log_stream, ignores_known_verdict=batch.fresh
    )
    if not batch.quality:
        return verdict
    from benchwright_formal.measuring import QualityMeasurement

    return await QualityMeasurement(sandbox, toolchain_for(sandbox.name, home.cache)).with_quality_if_passed(
        problem, files, verdict
    )


def _open_private_log_or_null(raw_log: Path | None) -> BinaryIO:
    if raw_log is None:
        return Path(os.devnull).open("wb")
    with explain_unwritable(raw_log):
        # For its owner alone: others on this machine may be solvers.
        return os.fdopen(os.open(raw_log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def _check_may_read_log(problem_ref: str, policy: Reveal, home: Home) -> None:
    """Let a pack's owner read the log, and everybody if the problem's policy shows it.

    Whoever can unseal a pack owns it, except the participant of a study that asks the problem on this machine.

    Args:
        problem_ref: `pack/id`.
        policy: Policy of the problem.
        home: The folders of this user.

    Raises:
        ServerError: The user may not.
    """
    if policy.shows_all_of(Reveal.FULL):
        return
    taking_part = Participation(home).pseudonym_by_study()
    if not taking_part:
        return
    from benchwright_attempts.attempts import Attempts
    from benchwright_studies.conduct.studies import Studies

    with opened_study_log() as log:
        studies = Studies(log, Attempts(log))
        for study in taking_part:
            registered_study = studies.study(study).study
            if problem_ref in {registered_study.practice, *(task.problem for task in registered_study.problems)}:
                raise ServerError(
                    f"You take part in the study {study!r}, which asks {problem_ref}: its raw log stays sealed. "
                    "Leave out --log, or withdraw from the study."
                )


def _missing_files_sentence(folder: Path, missing_paths: Collection[str]) -> str:
    """The missing files in a sentence, each with a file that is there under another name, if there is one.

    Args:
        folder: Folder in which they were expected.
        missing_paths: Their paths.
    """
    present_paths = list(itertools.islice(_visible_paths_below(folder), _MOST_FILES))
    return "; ".join(_missing_file_phrase(path, present_paths) for path in missing_paths)


def _missing_file_phrase(missing_path: str, present_paths: Collection[str]) -> str:
    name = PurePosixPath(missing_path).name.casefold()
    same_named = [present_path for present_path in present_paths if PurePosixPath(present_path).name.casefold() == name]
    similar_paths = same_named or difflib.get_close_matches(missing_path, present_paths, 1, _SIMILAR)
    return (
        f"{missing_path} (there is {similar_paths[0]!a}: move it to {missing_path})" if similar_paths else missing_path
    )


def _visible_paths_below(folder: Path) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            yield (Path(parent) / name).relative_to(folder).as_posix()
