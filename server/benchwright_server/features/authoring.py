"""Problems that somebody writes: beginning one, proving it from both sides, and seeing it as a solver does."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_problems.errors import DatasetError
from benchwright_server.authoring_protocol import (
    AuthoredParams,
    NewProblem,
    NewProblemParams,
    ProblemPreview,
    ProblemProof,
    ProvenSide,
)
from benchwright_server.errors import ServerError
from benchwright_server.features.requests import register_operation
from benchwright_server.features.run_progress import cancellable
from benchwright_server.operation import Operation
from benchwright_server.operations import path_of
from benchwright_server.workspaces.workspace import content_of, fill

if TYPE_CHECKING:
    from benchwright_harness.grade import Progress
    from benchwright_harness.two_sided import TwoSided
    from benchwright_problems.problem import Problem
    from benchwright_server.editor_server import EditorServer

PROVED = "benchwright/problemProof"
"""Notification to the client, with a `ProblemProof`, of a proof that a save has begun."""
_PACK, _PROBLEM = "pack.toml", "problem.toml"
_DEEPEST = 8
"""How far below a problem's folder its files are."""


def register(server: EditorServer) -> None:
    """Serve all of it."""
    for operation in AUTHORING_OPERATIONS:
        register_operation(server, operation, lambda: server)
    server.proofs = Proofs(server)


def problem_folder(file: Path) -> Path | None:
    """The folder of the problem that somebody writes and a file belongs to; None if it belongs to none."""
    for folder in (file, *file.parents)[:_DEEPEST]:
        if (folder / _PROBLEM).is_file():
            return folder if (folder.parent / _PACK).is_file() else None
    return None


class Proofs:
    """Proves problems when their files are saved; a newer save ends an older proof of the same problem.

    Args:
        server: Whose client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._running: dict[Path, asyncio.Task[None]] = {}

    def saved(self, uri: str) -> None:
        """A document was saved."""
        if self._server.settings.authoring.prove_on_save and uri.startswith("file:"):
            folder = problem_folder(path_of(uri))
            if folder is not None:
                self._end(folder)
                self._running[folder] = asyncio.create_task(self._prove(folder))

    async def close(self) -> None:
        """Ends what is running."""
        running = list(self._running.values())
        for folder in list(self._running):
            self._end(folder)
        await asyncio.gather(*running, return_exceptions=True)

    def _end(self, folder: Path) -> None:
        if (running := self._running.pop(folder, None)) is not None:
            running.cancel()

    async def _prove(self, folder: Path) -> None:
        try:
            # What can't be read is marked in the files themselves.
            with contextlib.suppress(DatasetError):
                proof = await prove_problem(self._server, folder)
                self._server.notify_plain(PROVED, proof.model_dump(mode="json", by_alias=True))
        except Exception as error:
            self._server.report_failure(error)
        finally:
            if self._running.get(folder) is asyncio.current_task():
                del self._running[folder]


async def prove_problem(server: EditorServer, folder: Path) -> ProblemProof:
    """Prove a problem, and show in its files why it is not proved.

    Raises:
        DatasetError: Its files can't be read.
    """
    problem = await asyncio.to_thread(_read, folder)
    two_sided = await _two_sided(server, folder, problem)
    server.pack_files.proved(folder, two_sided)
    return _proof(folder, problem, two_sided)


async def _new_problem(server: EditorServer, params: NewProblemParams) -> NewProblem:
    from benchwright_authoring.new_problem import Form, new_problem

    if params.form not in list(Form):
        raise ServerError(f"A problem can't begin as {params.form!r}; choose one of {', '.join(Form)}.")
    folder = path_of(params.folder)
    try:
        made = await asyncio.to_thread(
            partial(new_problem, folder, params.id, Form(params.form), license_name=params.license)
        )
    except OSError as error:
        raise ServerError(f"{folder} can't be written: {error.strerror}. Choose another folder.") from error
    return NewProblem(
        uri=made.as_uri(), statement=(made / "statement.md").as_uri(), settings=(made / _PROBLEM).as_uri()
    )


async def _prove_problem(server: EditorServer, params: AuthoredParams) -> ProblemProof:
    return await prove_problem(server, _authored(params))


async def _preview_problem(server: EditorServer, params: AuthoredParams) -> ProblemPreview:
    folder = _authored(params)
    problem = await asyncio.to_thread(_read, folder)
    statement, files = content_of(problem)
    target = server.sessions.home.state / "previews" / folder.parent.name / folder.name

    def write() -> None:
        shutil.rmtree(target, ignore_errors=True)
        fill(target, files)

    await asyncio.to_thread(write)
    return ProblemPreview(uri=target.as_uri(), statement=(target / statement).as_uri(), files=sorted(files))


AUTHORING_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "newProblem",
        NewProblemParams,
        NewProblem,
        "Makes a small problem that is whole and proves itself, in a pack's folder.",
        _new_problem,
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
        _preview_problem,
    ),
)
"""Every operation for those who write problems."""


def _authored(params: AuthoredParams) -> Path:
    file = path_of(params.uri)
    folder = problem_folder(file)
    if folder is None:
        raise ServerError(
            f"{file} belongs to no problem of a pack's folder. Open a file below a folder with {_PROBLEM}, whose parent"
            f" has {_PACK}."
        )
    return folder


def _read(folder: Path) -> Problem:
    from benchwright_problems.pack_folder import read_pack_head, read_problem

    return read_problem(folder, read_pack_head(folder.parent))


async def _two_sided(server: EditorServer, folder: Path, problem: Problem) -> TwoSided:
    from benchwright_harness.check import Checker
    from benchwright_harness.cluster.local import LocalExecutor, usable_cores
    from benchwright_harness.grade import BatchGrader
    from benchwright_harness.sandboxes import toolchain_for
    from benchwright_harness.verdict_store import VerdictStore
    from benchwright_server.proving import candidates, prove

    home, sandbox = server.sessions.home, server.sessions.sandbox
    toolchain = await asyncio.to_thread(toolchain_for, sandbox.name, home.cache)
    found = await asyncio.to_thread(candidates, [problem], folder.parent)
    # A core stays free for the editor.
    executor, verdicts = LocalExecutor(home.cache, max(1, usable_cores() - 1)), VerdictStore.of(home)
    task = asyncio.current_task()
    async with cancellable(server, f"Proving {problem.id}", lambda: task and task.cancel()) as report:

        def show(now: Progress) -> None:
            report(f"{now.done} of {now.planned} runs", round(100 * now.done / max(1, now.planned)))

        checker = Checker(executor, sandbox, toolchain, verdicts, on_progress=show)
        grader = BatchGrader(executor, sandbox, toolchain, verdicts, on_progress=show)
        (two_sided,) = await prove(found, checker, grader)
    return two_sided


def _proof(folder: Path, problem: Problem, two_sided: TwoSided) -> ProblemProof:
    sides = {side.value: verdict for side, verdict in two_sided.sides.items()}
    sides |= {f"hidden/wrong/{name}": verdict for name, verdict in two_sided.wrong.items()}
    return ProblemProof(
        uri=folder.as_uri(),
        problem=problem.id,
        proof=two_sided.proof.value,
        reasons=list(two_sided.reasons),
        remarks=list(two_sided.remarks),
        sides=[ProvenSide(name=name, outcome=one.outcome, detail=one.detail) for name, one in sides.items()],
        wall_s=two_sided.wall_s,
    )
