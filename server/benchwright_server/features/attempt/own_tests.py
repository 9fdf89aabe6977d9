"""The tests in a folder: the list of them, running them, and the beginning of a new one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_attempts.events.events import AidUsed
from benchwright_harness.own_tests.coverage import FileCoverage
from benchwright_harness.own_tests.debugging import Debugging, debugger
from benchwright_harness.own_tests.outcome import OwnOutcome, OwnReason
from benchwright_harness.own_tests.simulation import CODE
from benchwright_harness.sandbox.registry import toolchain_for
from benchwright_problems.aids import Aid
from benchwright_server.errors import OwnTestError
from benchwright_server.features.attempt.aids import Use, attempt_of, attempts_among, check_allowed, use
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_of
from benchwright_server.features.editor.run_progress import cancellable
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.catalogue import path_of
from benchwright_server.operations.operation import Operation
from benchwright_server.own_tests.bench import Asked, FileRun, TestBench, id_of
from benchwright_server.own_tests.finding import TestFile, folder_of, found_tests, is_for_tests
from benchwright_server.protocol.design import FileRange, Point
from benchwright_server.protocol.own_tests import (
    CoveredBranch,
    CoveredLine,
    CoveredSignal,
    NewTestbench,
    NewTestbenchParams,
    OwnTest,
    OwnTestCase,
    OwnTestCoverage,
    OwnTestDebugger,
    OwnTestFile,
    OwnTestList,
    OwnTestResult,
    OwnTestRun,
    OwnTestRuns,
    OwnTestsParams,
    RunOwnTestsParams,
)
from benchwright_verilog.semantics.project.folder_state import FolderState

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.syntax.documents import Document

FEATURE, DEBUGGED, BEGUN = "test_run", "test_debugged", "new_testbench"
"""What of the aid was used, in the log."""
DEBUGGER = "benchwright/ownTestDebugger"
"""Notification to the client, with an `OwnTestDebugger`."""
_MAX_DETAIL = 2_000
_PATIENCE_S = 10
"""How long the client may take to create a file."""


def register(server: EditorServer) -> None:
    """Serve all of it."""
    for operation in OWN_TEST_OPERATIONS:
        register_operation(server, operation, lambda: server)


async def _own_tests(server: EditorServer, params: OwnTestsParams) -> OwnTestList:
    # What the condition forbids is refused, but a clock that does not run changes nothing.
    await check_allowed(server, params.uri, Aid.OWN_TESTS)
    project, _ = project_of(server, params.uri)
    files = await asyncio.to_thread(found_tests, project)
    folder, locations = folder_of(project), Locations(server)
    for inner in {(folder / one.path).parent for one in files}:
        await check_allowed(server, inner.as_uri(), Aid.OWN_TESTS)
    return OwnTestList(folder=folder.as_uri(), files=[_file(locations, folder, one) for one in files])


async def _run_own_tests(server: EditorServer, params: RunOwnTestsParams) -> OwnTestRuns:
    session = await attempt_of(server, params.uri, Aid.OWN_TESTS)
    if params.waves and session is not None:
        session.attempt.check_allowed(Aid.WAVEFORMS)
    project, _ = project_of(server, params.uri)
    home, settings = server.sessions.home, server.settings.own_tests
    sandbox = server.sessions.sandbox
    bench = TestBench(sandbox, partial(toolchain_for, sandbox.name, home.cache), FolderState(home.state / "own-tests"))
    debugging = _debugging(server, folder_of(project)) if params.debug else None
    may_keep = session is None or session.terms.allows_aid(Aid.WAVEFORMS)
    keep = may_keep and (settings.waves if params.waves is None else params.waves)
    asked = Asked(params.coverage, keep, debugging)
    feature = DEBUGGED if params.debug else FEATURE
    event = AidUsed(aid=Aid.OWN_TESTS.value, feature=feature, detail=" ".join(params.ids)[:_MAX_DETAIL])
    outcome, used = "cancelled", dict[Path, Use]()

    async def allow(files: Collection[Path]) -> None:
        used.update(await attempts_among(server, files, Aid.OWN_TESTS))
        if keep:
            await attempts_among(server, files, Aid.WAVEFORMS)

    try:
        async with _shown(server) as report:
            runs = await bench.run(project, params.ids, settings, server.settings.analysed, asked, report, allow)
        outcome = "passed" if all(one.run.passed for one in runs) else "failed"
    except Exception:
        outcome = "error"
        raise
    finally:
        # Before the answer, and of a run without an answer too.
        for one in used.values():
            await asyncio.shield(one.end(event.model_copy(update={"outcome": outcome})))
    locations = Locations(server)
    shown = [_run(locations, one) for one in runs]
    server.last_results.keep(folder_of(project).as_uri(), shown)
    return OwnTestRuns(passed=outcome == "passed", runs=shown)


async def _new_testbench(server: EditorServer, params: NewTestbenchParams) -> NewTestbench:
    await attempt_of(server, params.uri, Aid.OWN_TESTS)
    project, path = project_of(server, params.uri)
    folder = folder_of(project)
    document = server.documents.get(path.as_uri())
    text = document.text if document is not None else await asyncio.to_thread(_text, path)
    from benchwright_verilog.language.completion.cocotb_skeleton import skeleton

    made = await asyncio.to_thread(skeleton, text, params.module)
    if made is None:
        named = f"no module {params.module}" if params.module else "no module"
        raise OwnTestError(f"{path.name} has {named}, so there is nothing to test.")
    target = folder / "tests" / f"test_{made.module}.py"
    if await asyncio.to_thread(target.exists):
        raise OwnTestError(f"{target.relative_to(folder)} exists already. Open it, or rename it first.")
    await use(server, params.uri, AidUsed(aid=Aid.OWN_TESTS.value, feature=BEGUN, detail=made.module))
    applied = await _created(server, target, made.text)
    return NewTestbench(uri=target.as_uri(), module=made.module, text=made.text, applied=applied)


OWN_TEST_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "ownTests",
        OwnTestsParams,
        OwnTestList,
        "Returns the cocotb tests and testbenches in a folder, found by their syntax.",
        _own_tests,
    ),
    Operation(
        "runOwnTests",
        RunOwnTestsParams,
        OwnTestRuns,
        "Runs tests of a folder in the sandbox, with the tools of the hidden tests; cancelled by `$/cancelRequest` or "
        "its progress.",
        _run_own_tests,
    ),
    Operation(
        "newTestbench",
        NewTestbenchParams,
        NewTestbench,
        "Creates a cocotb test for a module, with its clock and reset, by `workspace/applyEdit`.",
        _new_testbench,
    ),
)
"""Every operation on the tests in a folder."""


async def test_lenses(server: EditorServer, document: Document) -> list[types.CodeLens]:
    """The lens above each testbench of a file, which runs it; none if the condition forbids that."""
    # Only what simulates by itself has this word.
    if b"initial" not in document.lines.data:
        return []
    path = path_of(document.uri)
    project = server.projects.of(document)
    session = await server.sessions.session(path)
    allowed = session is None or session.terms.allows_aid(Aid.OWN_TESTS)
    if project.folder is None or not allowed or not path.is_relative_to(project.folder):
        return []
    relative = path.relative_to(project.folder).as_posix()
    from benchwright_verilog.semantics.names.module_shapes import module_shapes

    shapes = await asyncio.to_thread(module_shapes, document.text)
    return [
        types.CodeLens(
            document.lines.byte_range(one.start, one.end),
            types.Command(
                title="▶ Run test",
                command="benchwright.runOwnTests",
                arguments=[{"uri": document.uri, "ids": [id_of(relative, one.name)]}],
            ),
        )
        for one in shapes
        if not one.has_ports and (one.instantiates or is_for_tests(PurePosixPath(relative)))
    ]


def _debugging(server: EditorServer, folder: Path) -> Debugging:
    """Sends the client the socket of the test that waits for its debugger."""

    def opened(socket: Path) -> None:
        mapped = [{"localRoot": str(folder), "remoteRoot": CODE}]
        told = OwnTestDebugger(socket=str(socket), arguments={"pathMappings": mapped, "justMyCode": True})
        server.notify_plain(DEBUGGER, told.model_dump(mode="json", by_alias=True))

    return Debugging(debugger(), opened)


@asynccontextmanager
async def _shown(server: EditorServer) -> AsyncIterator[Callable[[int, int, str], None]]:
    """Progress for the duration of the block; cancelling it in the client cancels the block."""
    task = asyncio.current_task()
    async with cancellable(server, "Tests", lambda: task and task.cancel()) as report:
        yield lambda number, of, path: report(path, round(100 * (number - 1) / of))


async def _created(server: EditorServer, target: Path, text: str) -> bool:
    """Let the client create a file; whether it did."""
    if "create" not in server.client.values("workspace.workspaceEdit.resourceOperations"):
        return False
    start = types.Position(0, 0)
    edit = types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(uri=target.as_uri()),
        [types.TextEdit(types.Range(start, start), text)],
    )
    changes = (types.CreateFile(uri=target.as_uri()), edit)
    asked = types.ApplyWorkspaceEditParams(types.WorkspaceEdit(document_changes=changes), label="New testbench")
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return (await server.workspace_apply_edit_async(asked)).applied
    except (JsonRpcException, TimeoutError):
        return False


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise OwnTestError(f"{path} can't be read. Save it first.") from error


def _file(locations: Locations, folder: Path, file: TestFile) -> OwnTestFile:
    path = folder / file.path
    return OwnTestFile(
        id=file.path,
        uri=path.as_uri(),
        kind="cocotb" if file.is_cocotb else "testbench",
        tests=[
            OwnTest(
                id=id_of(file.path, test.name),
                name=test.name,
                place=_range(path, locations.range(path, test.start, test.end)),
                cases=[OwnTestCase(id=id_of(file.path, case), name=case) for case in test.cases],
            )
            for test in file.tests
        ],
    )


def _run(locations: Locations, one: FileRun) -> OwnTestRun:
    places = one.snapshot.places
    return OwnTestRun(
        file=one.file.path,
        top=one.top,
        simulator=one.run.simulator,
        results=[_result(locations, places, name, outcome) for name, outcome in one.ids()],
        output=one.run.output,
        waves=one.waves.as_uri() if one.waves is not None else None,
        coverage=[_coverage(places[found.path], found) for found in one.run.coverage if found.path in places],
        wall_s=one.run.wall_s,
    )


def _result(locations: Locations, places: dict[str, Path], name: str, outcome: OwnOutcome) -> OwnTestResult:
    path = places.get(outcome.path)
    place = None
    if path is not None and 0 < outcome.line <= len(locations.lines(path)):
        lines = locations.lines(path)
        start, end = lines.line(outcome.line)
        begin = start + len(lines.text[start:end]) - len(lines.text[start:end].lstrip())
        place = _range(path, lines.range(begin, max(begin, end)))
    skipped = outcome.reason is OwnReason.SKIPPED
    return OwnTestResult(
        id=name,
        outcome="skipped" if skipped else "passed" if outcome.passed else "failed",
        reason=outcome.reason.value,
        message=outcome.message,
        expected=outcome.expected,
        got=outcome.got,
        place=place,
        sim_time_ns=outcome.sim_time_ns,
        wall_s=round(outcome.wall_s, 6),
    )


def _coverage(path: Path, found: FileCoverage) -> OwnTestCoverage:
    return OwnTestCoverage(
        uri=path.as_uri(),
        lines=[CoveredLine(line=line - 1, count=count) for line, count in found.lines.items()],
        branches=[
            CoveredBranch(name=one.name, line=one.line - 1, character=max(one.column - 1, 0), count=one.count)
            for one in found.branches
        ],
        toggles=[CoveredSignal(name=one.signal, line=one.line - 1, count=one.count) for one in found.toggles],
    )


def _range(path: Path, place: types.Range) -> FileRange:
    start, end = (Point(line=at.line, character=at.character) for at in (place.start, place.end))
    return FileRange(uri=path.as_uri(), start=start, end=end)
