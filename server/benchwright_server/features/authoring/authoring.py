"""Problems that somebody writes: beginning one, proving it from both sides, and seeing it as a solver does."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_problems.errors import DatasetError
from benchwright_server.errors import ServerError
from benchwright_server.features.authoring.exam_review import register_exam_review
from benchwright_server.features.authoring.organised_studies import register_organised_studies
from benchwright_server.features.authoring.question_form import register_question_form
from benchwright_server.features.authoring.question_tries import register_question_tries
from benchwright_server.features.editor.run_progress import cancellable_progress
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.authoring import (
    AuthoredParams,
    NewProblem,
    NewProblemParams,
    ProblemPreview,
    ProblemProof,
    ProvenSide,
)
from benchwright_server.workspaces.workspace import create_workspace_files, statement_path_and_workspace_files
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_harness.grading.grade import GradingProgress
    from benchwright_harness.grading.two_sided import TwoSidedProof
    from benchwright_problems.problem import Problem
    from benchwright_server.authoring.proving import ProofCandidate
    from benchwright_server.editor_server import EditorServer

PROVED = "benchwright/problemProof"
"""Notification to the client, with a `ProblemProof`, of a proof that a save has begun."""
_MOST_AT_ONCE = 3
"""Problems that change together because somebody works on them; more, because a version was checked out."""
_PAUSE_S = 0.2
"""Seconds that files that change together may take to do so."""


def register(server: EditorServer) -> None:
    """Serve all of it."""
    server.proofs = proofs = Proofs(server)
    for operation in AUTHORING_OPERATIONS:
        register_operation(server, operation, lambda: proofs)
    register_question_form(server)
    register_question_tries(server)
    register_exam_review(server)
    register_organised_studies(server)


@dataclass
class _RunningProof:
    """A proof that is running."""

    task: asyncio.Task[None]
    candidate: ProofCandidate | None = None
    """The candidate that is proved, once it was read."""


class Proofs:
    """Proves problems when their files change; a newer change ends an older proof of the same problem.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self.server = server
        self._running: dict[Path, _RunningProof] = {}
        self._later: dict[Path, asyncio.TimerHandle] = {}
        self._one_at_a_time = asyncio.Lock()

    def schedule_proofs_of_changed(self, files: Iterable[Path]) -> None:
        """Files were saved, or changed on disk."""
        if self.server.settings.authoring.prove_on_save:
            from benchwright_authoring.problem_files.problem_folder import authored_problem_folder

            # Many files may change at once, most of them beside each other.
            parents = {file.parent for file in files}
            folders = {folder for parent in parents if (folder := authored_problem_folder(parent)) is not None}
            for folder in folders if len(folders) <= _MOST_AT_ONCE else ():
                if (earlier := self._later.pop(folder, None)) is not None:
                    earlier.cancel()
                loop = asyncio.get_running_loop()
                self._later[folder] = loop.call_later(_PAUSE_S, partial(self._start_scheduled_proof, folder))

    async def prove_and_publish(self, problem_folder: Path, candidate: ProofCandidate) -> ProblemProof:
        """Prove a problem, and show in its files why it is not proved."""
        async with self._one_at_a_time:
            two_sided = await _prove_with_progress(self.server, candidate)
        self.server.pack_files.publish_proof(problem_folder, two_sided)
        return _proof_message(problem_folder, candidate.problem, two_sided)

    async def cancel_all(self) -> None:
        """Ends what is running."""
        for timer in self._later.values():
            timer.cancel()
        running_tasks = [proof_run.task for proof_run in self._running.values()]
        for task in running_tasks:
            task.cancel()
        await asyncio.gather(*running_tasks, return_exceptions=True)

    def _start_scheduled_proof(self, problem_folder: Path) -> None:
        del self._later[problem_folder]
        earlier_run = self._running.get(problem_folder)
        task = asyncio.create_task(self._prove_unless_running(problem_folder, earlier_run))
        self._running[problem_folder] = _RunningProof(task)

    async def _prove_unless_running(self, problem_folder: Path, earlier_run: _RunningProof | None) -> None:
        try:
            candidate = await asyncio.to_thread(_read_candidate, problem_folder)
            if earlier_run is not None and not earlier_run.task.done():
                # An editor reports one save twice: when it writes, and when the disk has changed.
                if earlier_run.candidate == candidate:
                    self._running[problem_folder] = earlier_run
                    return
                earlier_run.task.cancel()
            self._running[problem_folder].candidate = candidate
            proof = await self.prove_and_publish(problem_folder, candidate)
            self.server.notify_json(PROVED, proof.model_dump(mode="json", by_alias=True))
        except DatasetError:
            # What can't be read is marked in the files themselves.
            if earlier_run is not None:
                earlier_run.task.cancel()
        except Exception as error:
            self.server.report_failure(error)
        finally:
            if (running := self._running.get(problem_folder)) is not None and running.task is asyncio.current_task():
                del self._running[problem_folder]


async def _create_problem(proofs: Proofs, params: NewProblemParams) -> NewProblem:
    from benchwright_authoring.new_problem import FORMS, write_new_problem

    if params.form not in FORMS:
        raise ServerError(f"A problem can't begin as {params.form!r}; choose one of {', '.join(FORMS)}.")
    folder = local_path_of(params.folder)
    try:
        problem_folder = await asyncio.to_thread(
            partial(write_new_problem, folder, params.id, FORMS[params.form], license_name=params.license)
        )
    except OSError as error:
        raise ServerError(f"{folder} can't be written: {error.strerror}. Choose another folder.") from error
    return NewProblem(
        uri=problem_folder.as_uri(),
        statement=(problem_folder / "statement.md").as_uri(),
        settings=(problem_folder / "problem.toml").as_uri(),
    )


async def _prove_problem(proofs: Proofs, params: AuthoredParams) -> ProblemProof:
    folder = _problem_folder_or_error(params)
    return await proofs.prove_and_publish(folder, await asyncio.to_thread(_read_candidate, folder))


async def _write_preview_folder(proofs: Proofs, params: AuthoredParams) -> ProblemPreview:
    folder = _problem_folder_or_error(params)
    candidate = (await asyncio.to_thread(_read_candidate, folder)).problem
    statement, files = statement_path_and_workspace_files(candidate)
    target = proofs.server.home.state / "previews" / folder.parent.name / folder.name

    def write() -> None:
        shutil.rmtree(target, ignore_errors=True)
        create_workspace_files(target, files, candidate.public.tree)

    await asyncio.to_thread(write)
    return ProblemPreview(uri=target.as_uri(), statement=(target / statement).as_uri(), files=sorted(files))


AUTHORING_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "newProblem",
        NewProblemParams,
        NewProblem,
        "Makes a small problem that is whole and proves itself, in a pack's folder.",
        _create_problem,
    ),
    Operation(
        "proveProblem",
        AuthoredParams,
        ProblemProof,
        "Runs a problem's hidden tests on its reference, on the files that a solver gets and on its wrong solutions; "
        "cancelled by `$/cancelRequest` or its progress.",
        _prove_problem,
    ),
    Operation(
        "previewProblem",
        AuthoredParams,
        ProblemPreview,
        "Writes the files that a solver of a problem gets to a folder of their own.",
        _write_preview_folder,
    ),
)
"""Every operation for those who write problems."""


def _problem_folder_or_error(params: AuthoredParams) -> Path:
    from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, authored_problem_folder
    from benchwright_problems.storage.pack_folder import PACK_FILE

    file = local_path_of(params.uri)
    folder = authored_problem_folder(file)
    if folder is None:
        raise ServerError(
            f"{file} belongs to no problem of a pack's folder. Open a file below a folder with {PROBLEM_FILE}, whose"
            f" parent has {PACK_FILE}."
        )
    return folder


def _read_candidate(problem_folder: Path) -> ProofCandidate:
    from benchwright_problems.storage.pack_folder import read_pack_toml, read_problem
    from benchwright_server.authoring.proving import candidates_to_prove

    (candidate,) = candidates_to_prove(
        [read_problem(problem_folder, read_pack_toml(problem_folder.parent))], problem_folder.parent
    )
    return candidate


async def _prove_with_progress(server: EditorServer, candidate: ProofCandidate) -> TwoSidedProof:
    from benchwright_harness.cluster.local import LocalExecutor, usable_core_count
    from benchwright_harness.grading.check import ProblemChecker
    from benchwright_harness.grading.grade import BatchGrader
    from benchwright_harness.grading.verdict_store import VerdictStore
    from benchwright_harness.sandbox.registry import toolchain_for
    from benchwright_server.authoring.proving import prove_both_sides

    home, sandbox = server.home, server.sessions.sandbox
    toolchain = await asyncio.to_thread(toolchain_for, sandbox.name, home.cache)
    # A core stays free for the editor.
    executor, verdicts = LocalExecutor(home.cache, max(1, usable_core_count() - 1)), VerdictStore.from_home(home)
    task = asyncio.current_task()
    async with cancellable_progress(
        server, f"Proving {candidate.problem.id}", lambda: task and task.cancel()
    ) as report:

        def show(run_progress: GradingProgress) -> None:
            report(
                f"{run_progress.finished_runs} of {run_progress.planned_runs} runs",
                round(100 * run_progress.finished_runs / max(1, run_progress.planned_runs)),
            )

        checker = ProblemChecker(executor, sandbox, toolchain, verdicts, on_progress=show)
        grader = BatchGrader(executor, sandbox, toolchain, verdicts, on_progress=show)
        (two_sided,) = await prove_both_sides([candidate], checker, grader)
    return two_sided


def _proof_message(problem_folder: Path, problem: Problem, two_sided: TwoSidedProof) -> ProblemProof:
    verdicts_by_side = {side.value: verdict for side, verdict in two_sided.verdict_by_side.items()}
    verdicts_by_side |= {f"hidden/right/{name}": verdict for name, verdict in two_sided.right.items()}
    verdicts_by_side |= {f"hidden/wrong/{name}": verdict for name, verdict in two_sided.wrong.items()}
    return ProblemProof(
        uri=problem_folder.as_uri(),
        problem=problem.id,
        proof=two_sided.proof_state.value,
        reasons=list(two_sided.reasons),
        remarks=list(two_sided.remarks),
        sides=[
            ProvenSide(name=name, outcome=verdict.outcome, detail=verdict.detail)
            for name, verdict in verdicts_by_side.items()
        ],
        wall_s=two_sided.wall_s,
    )
