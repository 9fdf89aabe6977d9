"""The tests in a folder: the list of them, running them, and the beginning of a new one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_attempts.events.events import AidUsed
from benchwright_harness.own_tests.coverage import FileCoverage
from benchwright_harness.own_tests.debugging import Debugging, debugpy_folder
from benchwright_harness.own_tests.outcome import OwnOutcome, OwnReason
from benchwright_harness.own_tests.simulation import CODE
from benchwright_harness.sandbox.registry import toolchain_for
from benchwright_problems.aids import Aid
from benchwright_server.editor_server import RunMessage
from benchwright_server.errors import OwnTestError
from benchwright_server.features.attempt.aids import (
    AidUse,
    begin_uses_by_workspace,
    check_aid_ever_allowed,
    record_use_if_in_attempt,
    require_aid_allowed_now,
)
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_and_inner_path
from benchwright_server.features.editor.run_messages import OWN_TESTS
from benchwright_server.features.editor.run_progress import cancellable_progress
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.own_tests.bench import FileRun, OwnTestRunner, RunRequest
from benchwright_server.own_tests.discovery import TestFile, find_test_files, is_in_test_folder, require_project_folder
from benchwright_server.own_tests.test_ids import own_test_id, path_and_name_of_test
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
from benchwright_verilog.semantics.project.folder_state import FolderStateStore
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project
    from benchwright_verilog.syntax.documents import Document

FEATURE, DEBUGGED, BEGUN = "test_run", "test_debugged", "new_testbench"
"""Names in the log for the uses of the aid."""
DEBUGGER = "benchwright/ownTestDebugger"
"""Notification to the client, with an `OwnTestDebugger`."""
_MAX_DETAIL = 2_000
_PATIENCE_S = 10
"""Seconds that the client may take to create a file."""


def register(server: EditorServer) -> None:
    """Serve all of it."""
    for operation in OWN_TEST_OPERATIONS:
        register_operation(server, operation, lambda: server)


async def _list_own_tests(server: EditorServer, params: OwnTestsParams) -> OwnTestList:
    # What the condition forbids is refused, but a clock that does not run changes nothing.
    await check_aid_ever_allowed(server, params.uri, Aid.OWN_TESTS)
    project, _ = project_and_inner_path(server, params.uri)
    test_files = await asyncio.to_thread(find_test_files, project)
    folder, locations = require_project_folder(project), Locations(server)
    for test_folder in {(folder / test_file.path).parent for test_file in test_files}:
        await check_aid_ever_allowed(server, test_folder.as_uri(), Aid.OWN_TESTS)
    return OwnTestList(
        folder=folder.as_uri(), files=[_test_file_view(locations, folder, test_file) for test_file in test_files]
    )


async def _run_own_tests(server: EditorServer, params: RunOwnTestsParams) -> OwnTestRuns:
    session = await require_aid_allowed_now(server, params.uri, Aid.OWN_TESTS)
    if params.waves and session is not None:
        session.attempt.refuse_forbidden_aid(Aid.WAVEFORMS)
    project, _ = project_and_inner_path(server, params.uri)
    home, test_settings = server.home, server.settings.own_tests
    sandbox = server.sessions.sandbox
    bench = OwnTestRunner(
        sandbox, partial(toolchain_for, sandbox.name, home.cache), FolderStateStore(home.state / "own-tests")
    )
    debugging = _debugging_with_client(server, require_project_folder(project)) if params.debug else None
    may_keep = session is None or session.terms.allows_aid(Aid.WAVEFORMS)
    keep = may_keep and (test_settings.waves if params.waves is None else params.waves)
    run_request = RunRequest(params.coverage, keep, debugging)
    feature = DEBUGGED if params.debug else FEATURE
    event = AidUsed(aid=Aid.OWN_TESTS.value, feature=feature, detail=" ".join(params.ids)[:_MAX_DETAIL])
    outcome, uses = "cancelled", dict[Path, AidUse]()

    async def allow(files: Collection[Path]) -> None:
        uses.update(await begin_uses_by_workspace(server, files, Aid.OWN_TESTS))
        if keep:
            await begin_uses_by_workspace(server, files, Aid.WAVEFORMS)

    try:
        async with _cancelling_test_progress(server) as report:
            file_runs = await bench.run(
                project, params.ids, test_settings, server.settings.project_settings, run_request, report, allow
            )
        outcome = "passed" if all(file_run.own_run.passed for file_run in file_runs) else "failed"
    except Exception:
        outcome = "error"
        raise
    finally:
        # Before the answer, and of a run without an answer too.
        for attempt_use in uses.values():
            await asyncio.shield(attempt_use.record_if_begun_in_time(event.model_copy(update={"outcome": outcome})))
    locations = Locations(server)
    run_views = [_test_run_view(locations, file_run) for file_run in file_runs]
    folder = require_project_folder(project)
    for path in {file_run.test_file.path for file_run in file_runs}:
        if not params.ids or path in params.ids:
            server.last_results.forget_results_of_file(folder.as_uri(), path)
    server.last_results.keep_results(folder.as_uri(), run_views)
    await server.run_messages.replace_messages_of_source(
        OWN_TESTS, folder, list(_messages_of_failures(folder, server.last_results.failures(folder.as_uri())))
    )
    return OwnTestRuns(passed=outcome == "passed", runs=run_views)


async def _create_cocotb_test(server: EditorServer, params: NewTestbenchParams) -> NewTestbench:
    await require_aid_allowed_now(server, params.uri, Aid.OWN_TESTS)
    project, path = project_and_inner_path(server, params.uri)
    folder = require_project_folder(project)
    document = server.documents.get(path.as_uri())
    text = document.text if document is not None else await asyncio.to_thread(_file_text_or_error, project, path)
    from benchwright_verilog.language.completion.cocotb_skeleton import cocotb_test_skeleton

    bench_skeleton = await asyncio.to_thread(cocotb_test_skeleton, text, params.module)
    if bench_skeleton is None:
        missing_module = f"no module {params.module}" if params.module else "no module"
        raise OwnTestError(f"{path.name} has {missing_module}, so there is nothing to test.")
    target = folder / "tests" / f"test_{bench_skeleton.module_name}.py"
    if await asyncio.to_thread(target.exists):
        raise OwnTestError(f"{target.relative_to(folder)} exists already. Open it, or rename it first.")
    await record_use_if_in_attempt(
        server, params.uri, AidUsed(aid=Aid.OWN_TESTS.value, feature=BEGUN, detail=bench_skeleton.module_name)
    )
    applied = await _create_file_by_client(server, target, bench_skeleton.text)
    return NewTestbench(
        uri=target.as_uri(), module=bench_skeleton.module_name, text=bench_skeleton.text, applied=applied
    )


OWN_TEST_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "ownTests",
        OwnTestsParams,
        OwnTestList,
        "Returns the cocotb tests and testbenches in a folder, found by their syntax.",
        _list_own_tests,
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
        _create_cocotb_test,
    ),
)
"""Every operation on the tests in a folder."""


async def testbench_run_lenses(server: EditorServer, document: Document) -> list[types.CodeLens]:
    """The lens above each testbench of a file, which runs it; none if the condition forbids that."""
    # Only what simulates by itself has this word.
    if b"initial" not in document.lines.data:
        return []
    path = local_path_of(document.uri)
    project = server.projects.project_of(document)
    session = await server.find_or_open_session(path)
    allowed = session is None or session.terms.allows_aid(Aid.OWN_TESTS)
    if project.folder is None or not allowed or not path.is_relative_to(project.folder):
        return []
    relative = path.relative_to(project.folder).as_posix()
    from benchwright_verilog.semantics.names.module_shapes import module_shapes

    shapes = await asyncio.to_thread(module_shapes, document.text)
    return [
        types.CodeLens(
            document.lines.byte_range(shape.name_start, shape.name_end),
            types.Command(
                title="▶ Run test",
                command="benchwright.runOwnTests",
                arguments=[{"uri": document.uri, "ids": [own_test_id(relative, shape.name)]}],
            ),
        )
        for shape in shapes
        if not shape.has_ports and (shape.instantiated_modules or is_in_test_folder(PurePosixPath(relative)))
    ]


def _debugging_with_client(server: EditorServer, source_folder: Path) -> Debugging:
    """Sends the client the socket of the test that waits for its debugger."""

    def opened(socket: Path) -> None:
        mapped = [{"localRoot": str(source_folder), "remoteRoot": CODE}]
        notice = OwnTestDebugger(socket=str(socket), arguments={"pathMappings": mapped, "justMyCode": True})
        server.notify_json(DEBUGGER, notice.model_dump(mode="json", by_alias=True))

    return Debugging(debugpy_folder(), opened)


@asynccontextmanager
async def _cancelling_test_progress(server: EditorServer) -> AsyncIterator[Callable[[int, int, str], None]]:
    """Progress for the duration of the block; cancelling it in the client cancels the block."""
    task = asyncio.current_task()
    async with cancellable_progress(server, "Tests", lambda: task and task.cancel()) as report:
        yield lambda number, total, path: report(path, round(100 * (number - 1) / total))


async def _create_file_by_client(server: EditorServer, new_file: Path, new_text: str) -> bool:
    """Let the client create a file; whether it did."""
    if "create" not in server.client.capability_strings("workspace.workspaceEdit.resourceOperations"):
        return False
    file_start = types.Position(0, 0)
    document_edit = types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(uri=new_file.as_uri()),
        [types.TextEdit(types.Range(file_start, file_start), new_text)],
    )
    document_changes = (types.CreateFile(uri=new_file.as_uri()), document_edit)
    edit_request = types.ApplyWorkspaceEditParams(
        types.WorkspaceEdit(document_changes=document_changes), label="New testbench"
    )
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return (await server.workspace_apply_edit_async(edit_request)).applied
    except (JsonRpcException, TimeoutError):
        return False


def _file_text_or_error(project: Project, path: Path) -> str:
    text = project.files.read_text(path)
    if text is None:
        raise OwnTestError(f"{path} can't be read. Save it first.")
    return text


def _test_file_view(locations: Locations, project_folder: Path, test_file: TestFile) -> OwnTestFile:
    path = project_folder / test_file.path
    return OwnTestFile(
        id=test_file.path,
        uri=path.as_uri(),
        kind="cocotb" if test_file.is_cocotb else "testbench",
        tests=[
            OwnTest(
                id=own_test_id(test_file.path, found_test.name),
                name=found_test.name,
                place=_file_range_from_lsp(path, locations.range_of_bytes(path, found_test.start, found_test.end)),
                cases=[OwnTestCase(id=own_test_id(test_file.path, case), name=case) for case in found_test.cases],
            )
            for found_test in test_file.tests
        ],
    )


def _messages_of_failures(folder: Path, failed_results: Iterable[OwnTestResult]) -> Iterator[RunMessage]:
    """What failed tests say about the lines of the folder at which they failed."""
    for failed_result in failed_results:
        if failed_result.place is None:
            continue
        file = local_path_of(failed_result.place.uri)
        if file.is_relative_to(folder):
            _, name = path_and_name_of_test(failed_result.id)
            text = f"{name}: {failed_result.message}" if name else failed_result.message
            yield RunMessage(file.relative_to(folder).as_posix(), failed_result.place.start.line + 1, text)


def _test_run_view(locations: Locations, file_run: FileRun) -> OwnTestRun:
    disk_paths = file_run.snapshot.disk_paths
    return OwnTestRun(
        file=file_run.test_file.path,
        top=file_run.top_module,
        simulator=file_run.own_run.simulator,
        results=[
            _test_result_view(locations, disk_paths, name, outcome)
            for name, outcome in file_run.test_ids_and_outcomes()
        ],
        output=file_run.own_run.output,
        waves=file_run.waves.as_uri() if file_run.waves is not None else None,
        coverage=[
            _file_coverage_view(disk_paths[file_coverage.path], file_coverage)
            for file_coverage in file_run.own_run.coverage
            if file_coverage.path in disk_paths
        ],
        wall_s=file_run.own_run.wall_s,
    )


def _test_result_view(
    locations: Locations, disk_paths: dict[str, Path], test_id: str, outcome: OwnOutcome
) -> OwnTestResult:
    path = disk_paths.get(outcome.path)
    line_range = None
    if path is not None and 0 < outcome.line <= len(locations.lines_of_file(path)):
        lines = locations.lines_of_file(path)
        start, end = lines.line_bounds(outcome.line)
        code_start = start + len(lines.text[start:end]) - len(lines.text[start:end].lstrip())
        line_range = _file_range_from_lsp(path, lines.range(code_start, max(code_start, end)))
    skipped = outcome.reason is OwnReason.SKIPPED
    return OwnTestResult(
        id=test_id,
        outcome="skipped" if skipped else "passed" if outcome.passed else "failed",
        reason=outcome.reason.value,
        message=outcome.message,
        expected=outcome.expected_text,
        got=outcome.got,
        place=line_range,
        sim_time_ns=outcome.sim_time_ns,
        failed_at=outcome.failed_tick,
        wall_s=round(outcome.wall_s, 6),
    )


def _file_coverage_view(disk_path: Path, coverage: FileCoverage) -> OwnTestCoverage:
    return OwnTestCoverage(
        uri=disk_path.as_uri(),
        lines=[CoveredLine(line=line - 1, count=count) for line, count in coverage.lines.items()],
        branches=[
            CoveredBranch(
                name=branch.name, line=branch.line - 1, character=max(branch.column - 1, 0), count=branch.count
            )
            for branch in coverage.branches
        ],
        toggles=[
            CoveredSignal(name=toggle.signal, line=toggle.line - 1, count=toggle.count) for toggle in coverage.toggles
        ],
    )


def _file_range_from_lsp(path: Path, lsp_range: types.Range) -> FileRange:
    start_point, end_point = (
        Point(line=position.line, character=position.character) for position in (lsp_range.start, lsp_range.end)
    )
    return FileRange(uri=path.as_uri(), start=start_point, end=end_point)
