"""An editing session as a test tells it: open a problem, type at a place, save, wait for what is shown."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest_lsp
from cattrs import Converter
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, LanguageClient, register_lsp_features

from benchwright_attempts import log_file
from benchwright_attempts.events.events import Event
from benchwright_attempts.summary.replay import Verification, verify_attempt
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.problem import Pack, Problem
from benchwright_problems.storage.pack_folder import read_built_in, wrong_solutions_by_name
from benchwright_server.protocol.authoring import ProblemProof
from benchwright_server.protocol.messages import AttemptStatus, OpenedProblem, SubmitSummary, VerdictView
from benchwright_server.protocol.own_tests import OwnTestDebugger
from benchwright_studies import open_log
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_verilog.syntax.lines import Lines

SERVER = (str(Path(sys.executable).with_name("benchwright")), "lsp")
PATIENCE_S = 90.0
"""Seconds that anything may take before a test gives up; far more than it takes, also on a machine that is busy."""
_DEATH_S = 10.0
"""Seconds that a killed process may take to be gone; much less than `endless` takes to be ended by its limit."""

PACK_FOLDER = Path(sys.modules["benchwright_problems"].__path__[0], "packs", "starter")


def starter(name: str) -> Problem:
    """A starter problem with its hidden part."""
    pack: Pack = read_built_in("starter")
    return next(problem for problem in pack.problems if problem.id == name)


def reference(name: str) -> str:
    """The solution of a starter problem with one file."""
    (text,) = starter(name).hidden.reference.values()
    return text


def wrong(name: str, solution: str) -> str:
    """A solution of a starter problem that must fail."""
    (text,) = wrong_solutions_by_name(PACK_FOLDER, name)[solution].values()
    return text


def endless(name: str) -> str:
    """A solution of a starter problem that simulates until it is stopped: whoever asks finds its run going on."""
    return reference(name).replace("endmodule", "  always @(posedge clk) forever begin end\nendmodule")


def starting_text(name: str) -> str:
    """The file of a starter problem as the solver finds it."""
    (content,) = starting_solution_files(starter(name)).values()
    return content.decode()


def _converter() -> Converter:
    converter = converters.get_converter()

    def plain(value: dict[str, Any], kind: type[Any]) -> Any:
        return kind(**({"params": None} if "method" in value else {}) | value)

    for kind in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(kind, plain)
    return converter


@dataclass
class ShownMessages:
    """Everything a server has shown to its user."""

    statuses: list[AttemptStatus] = field(default_factory=list)
    diagnostics: list[types.PublishDiagnosticsParams] = field(default_factory=list)
    debuggers: list[OwnTestDebugger] = field(default_factory=list)
    proofs: list[ProblemProof] = field(default_factory=list)
    progress: list[tuple[types.ProgressToken, dict[str, Any]]] = field(default_factory=list)
    partial_results: list[tuple[Any, list[Any]]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    lens_refreshes: int = 0
    diagnostic_refreshes: list[None] = field(default_factory=list)
    colour_refreshes: list[None] = field(default_factory=list)


class Editor:
    """VS Code with one server, as far as the protocol goes. `start` makes one."""

    def __init__(self, home: Path, capabilities: types.ClientCapabilities) -> None:
        self.home = home
        self.screen = ShownMessages()
        self.always_fresh = False
        self.answer = ""
        """The title that is chosen where the server asks."""
        self.next_answers: list[str] = []
        """Choices before that, one for each question."""
        self.stderr = bytearray()
        self._capabilities = capabilities
        self.initialized: types.InitializeResult | None = None
        self.client = LanguageClient(converter_factory=_converter)
        self._reading: asyncio.Task[None] | None = None
        screen = self.screen

        def publish(params: types.PublishDiagnosticsParams) -> None:
            screen.diagnostics.append(params)

        def changed(params: Any) -> None:
            screen.statuses.append(AttemptStatus.model_validate(params))

        def debugger(params: Any) -> None:
            screen.debuggers.append(OwnTestDebugger.model_validate(_plain(params)))

        def proof(params: Any) -> None:
            screen.proofs.append(ProblemProof.model_validate(_plain(params)))

        def progress(params: types.ProgressParams) -> None:
            value = params.value
            if isinstance(value, list):
                screen.partial_results.append((params.token, _plain(value)))
            else:
                screen.progress.append((params.token, dict(_plain(value))))

        def message(params: types.ShowMessageParams) -> None:
            screen.messages.append(params.message)

        def question(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
            screen.questions.append(params.message)
            answer = self.next_answers.pop(0) if self.next_answers else self.answer
            return next((action for action in params.actions or () if action.title == answer), None)

        def refresh(params: None) -> None:
            screen.lens_refreshes += 1

        def look_again(params: None) -> None:
            screen.diagnostic_refreshes.append(None)

        def colour_again(params: None) -> None:
            screen.colour_refreshes.append(None)

        register_lsp_features(
            self.client,
            DEFAULT_CLIENT_FEATURES
            | {
                types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
                "benchwright/attemptChanged": changed,
                "benchwright/ownTestDebugger": debugger,
                "benchwright/problemProof": proof,
                types.PROGRESS: progress,
                types.WINDOW_SHOW_MESSAGE: message,
                types.WINDOW_SHOW_MESSAGE_REQUEST: question,
                types.WORKSPACE_CODE_LENS_REFRESH: refresh,
                types.WORKSPACE_DIAGNOSTIC_REFRESH: look_again,
                types.WORKSPACE_SEMANTIC_TOKENS_REFRESH: colour_again,
            },
        )

    @classmethod
    async def start(
        cls,
        home: Path,
        *,
        command: Sequence[str] = SERVER,
        environment: Mapping[str, str] | None = None,
        capabilities: types.ClientCapabilities | None = None,
        options: Any = None,
    ) -> Editor:
        """Start a server on a `BENCHWRIGHT_HOME` and greet it."""
        if capabilities is None:
            capabilities = pytest_lsp.client_capabilities("visual-studio-code")
        editor = cls(home, capabilities)
        env = {**os.environ, "BENCHWRIGHT_HOME": str(home), **(environment or {})}
        await editor.client.start_io(*command, env=env)
        editor._read_stderr()
        editor.initialized = await editor.client.initialize_session(
            types.InitializeParams(capabilities=capabilities, root_uri=None, initialization_options=options)
        )
        return editor

    def _read_stderr(self) -> None:
        # pytest-lsp would print it; a test may want to look into it.
        if self.client._stderr_forwarder is not None:
            self.client._stderr_forwarder.cancel()
        stream = self.process.stderr
        assert stream is not None

        async def read() -> None:
            while chunk := await stream.read(1 << 16):
                self.stderr += chunk

        self._reading = asyncio.create_task(read())

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The server."""
        assert self.client._server is not None
        return self.client._server

    async def quit(self) -> int:
        """Shut the server down the polite way; returns its exit status."""
        await asyncio.wait_for(self.client.shutdown_async(None), PATIENCE_S)
        self.client.exit(None)
        return await self.gone()

    async def vanish(self) -> int:
        """Close the server's standard input, as an editor that crashes does."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await self.gone()

    async def kill(self) -> None:
        """Kill the server."""
        self.process.kill()
        await self.gone()

    async def gone(self) -> int:
        """Wait until the server has ended; returns its exit status."""
        status = await asyncio.wait_for(self.process.wait(), PATIENCE_S)
        stopped: Coroutine[Any, Any, None] = self.client.stop()  # type: ignore[no-untyped-call]
        await asyncio.wait_for(stopped, PATIENCE_S)
        if self._reading is not None:
            await self._reading
        return status

    # Requests

    async def ask(self, operation: str, /, **params: Any) -> Any:
        """Send `benchwright/<operation>`."""
        return await self.send(f"benchwright/{operation}", params)

    async def send(self, method: str, params: Any) -> Any:
        """Send any request."""
        return await self._answer(self.client.protocol.send_request_async(method, params))  # type: ignore[no-untyped-call]

    async def command(self, operation: str, /, **params: Any) -> Any:
        """Execute the command `benchwright.<operation>`."""
        command_params = types.ExecuteCommandParams(f"benchwright.{operation}", [params])
        return await self._answer(self.client.workspace_execute_command_async(command_params))

    async def refusal(self, operation: str, /, **params: Any) -> tuple[int, str]:
        """Code and sentence of a request that must be refused; the command must be refused alike."""
        refusals = []
        for way in (self.ask, self.command):
            try:
                answer = await way(operation, **params)
            except JsonRpcException as error:
                refusals.append((error.code, error.message))
            else:
                raise AssertionError(f"{operation} was not refused but answered {answer}")
        assert refusals[0] == refusals[1]
        return refusals[0]

    async def _answer(self, answer: Any) -> Any:
        return _plain(await asyncio.wait_for(answer, PATIENCE_S))

    async def open_problem(self, ref: str, *, fresh: bool = False) -> Desk:
        """Open a problem; always a new attempt where several tests share the editor."""
        opened = await self.ask("open", problem=ref, fresh=fresh or self.always_fresh)
        return Desk(self, OpenedProblem.model_validate(opened))

    def forget(self) -> Editor:
        """Begin the next test with this editor: nothing was shown yet, and no verdict is known."""
        assert self.process.returncode is None
        self.always_fresh = True
        for messages in vars(self.screen).values():
            if isinstance(messages, list):
                messages.clear()
        self.screen.lens_refreshes = 0
        shutil.rmtree(self.home / "data" / "sealed" / "@verdicts", ignore_errors=True)
        return self

    def open(self, path: Path, text: str | None = None) -> File:
        """Open a file that need not belong to a problem."""
        return File(self, path.as_uri(), path.read_text() if text is None else text)

    async def lenses(self, file: File) -> list[types.CodeLens]:
        """The code lenses of a file."""
        params = types.CodeLensParams(types.TextDocumentIdentifier(file.uri))
        return list(await self.client.text_document_code_lens_async(params) or ())

    # Waiting

    async def wait_until(self, condition: Callable[[], bool], description: str) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, f"gave up waiting for {description}; the server said: {self.stderr.decode()}"
            await asyncio.sleep(0.01)

    def sandboxed_processes(self) -> list[psutil.Process]:
        """Every process of a run."""
        children = psutil.Process(self.process.pid).children()
        sandboxes = [[child, *_descendants(child)] for child in children if _name(child) == "bwrap"]
        # The sandbox itself is two processes, the third supervises; where there is no fourth, it waits for a run.
        return [process for sandbox in sandboxes if len(sandbox) > 3 for process in sandbox]

    async def simulating_processes(self) -> list[psutil.Process]:
        """Wait until an `endless` run has started programs in its sandbox; returns them."""
        await self.wait_until(lambda: bool(self.sandboxed_processes()), "a run")
        return self.sandboxed_processes()

    # What was recorded

    @contextmanager
    def log(self) -> Iterator[StudyLog]:
        """The event log, read beside the server."""
        with open_log(log_file(Home.from_environment({"BENCHWRIGHT_HOME": str(self.home)}))) as log:
            yield log


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def still_alive(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Those of the processes of an `endless` run that nothing has ended.

    A zombie has ended: whoever inherited it, and that is not the server, has yet to look at its exit status.
    """
    end = time.monotonic() + _DEATH_S
    while alive := [process for process in processes if process.is_running() and not _is_zombie(process)]:
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    return alive


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _plain(value: Any) -> Any:
    """Return the named tuples that pygls has made, as JSON has them."""
    if hasattr(value, "_asdict"):
        return {name: _plain(inner) for name, inner in value._asdict().items()}
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


class Desk:
    """One opened problem."""

    def __init__(self, editor: Editor, opened_problem: OpenedProblem) -> None:
        self.editor = editor
        self.opened_problem = opened_problem
        self.uri = opened_problem.status.workspace
        self.attempt = opened_problem.status.attempt
        self.folder = Path(_path(self.uri))

    def open(self, path: str | None = None, text: str | None = None) -> File:
        """Open a file of the workspace, or the one to edit first."""
        file = Path(_path(self.opened_problem.primary)) if path is None else self.folder / path
        return self.editor.open(file, text)

    async def ask(self, operation: str, **params: Any) -> AttemptStatus:
        """Any operation that answers with the attempt's status."""
        return AttemptStatus.model_validate(await self.editor.ask(operation, uri=self.uri, **params))

    async def start(self) -> AttemptStatus:
        """Start the clock."""
        return await self.ask("start")

    async def run(self) -> VerdictView:
        """Run the hidden tests, and wait."""
        status = await self.ask("run")
        assert status.verdict is not None
        return status.verdict

    async def submit(self) -> SubmitSummary:
        """Hand in."""
        return SubmitSummary.model_validate(await self.editor.ask("submit", uri=self.uri))

    async def until_run_starts(self) -> None:
        """Wait until the editor is told that a run goes on, which one of an `endless` solution does for long."""
        await self.editor.wait_until(lambda: [status.running for status in self._statuses()][-1:] == [True], "a run")

    async def until_run_stops(self) -> None:
        """Wait until the editor is told that the run it was told of goes on no more."""
        await self.editor.wait_until(
            lambda: [status.running for status in self._statuses()][-1:] == [False], "the end of a run"
        )

    def _statuses(self) -> list[AttemptStatus]:
        return [status for status in self.editor.screen.statuses if status.attempt == self.attempt]

    async def verdict(self, number: int) -> VerdictView:
        """Wait until the editor is told the verdict of a try."""

        def verdicts() -> list[VerdictView]:
            return [
                status.verdict
                for status in self._statuses()
                if not status.running and status.verdict is not None and status.verdict.number >= number
            ]

        await self.editor.wait_until(lambda: bool(verdicts()), f"verdict {number}")
        assert verdicts()[0].number == number
        return verdicts()[0]

    def events(self) -> list[Event]:
        """Events of this attempt in the log."""
        with self.editor.log() as log:
            return [recorded.event for recorded in log.events(self.attempt)]

    def events_of_kind(self, kind: str) -> list[Any]:
        """The events of one type."""
        return [event for event in self.events() if event.type == kind]

    def verify_log(self) -> Verification:
        """The hash chain and every save checked; the replay of all events."""
        with self.editor.log() as log:
            return verify_attempt(*log.stored_attempt(self.attempt))

    def replayed_content(self, path: str) -> bytes | None:
        """The bytes that the log rebuilds for a file; every save before must fit."""
        verification = self.verify_log()
        assert verification.ok, verification.first_fault
        return verification.replay.files[path].data


class File:
    """An open document: what the user sees and types into."""

    def __init__(self, editor: Editor, uri: str, text: str) -> None:
        self.editor = editor
        self.uri = uri
        self.text = text
        self.version = 1
        document_item = types.TextDocumentItem(uri, "systemverilog", self.version, text)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(document_item))

    @property
    def path(self) -> Path:
        """Path of it on disk."""
        return Path(_path(self.uri))

    def type(self, text: str, *, before_text: str = "", after_text: str = "", over_text: str = "") -> None:
        """Type at the only place before, after or instead of a text; at the end if none is given."""
        mark = before_text or after_text or over_text
        assert not mark or self.text.count(mark) == 1, f"{mark!r} is there {self.text.count(mark)} times"
        offset = self.text.index(mark) if mark else len(self.text)
        start = offset + len(after_text)
        self.replace(start, start + len(over_text), text)

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace code points `start` to `end`."""
        edit_range = Lines(self.text).range(start, end)
        self.change(types.TextDocumentContentChangePartial(text=text, range=edit_range))
        self.text = self.text[:start] + text + self.text[end:]

    def paste(self, text: str) -> None:
        """Replace everything."""
        self.replace(0, len(self.text), text)

    def change(self, *content_changes: types.TextDocumentContentChangeEvent) -> None:
        """Send changes as they are."""
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.editor.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, list(content_changes))
        )

    def save(self) -> None:
        """Write to disk, and say so."""
        self.path.write_bytes(self.text.encode())
        self.send_saved()

    def send_saved(self) -> None:
        """Say only that it was saved."""
        params = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(self.uri))
        self.editor.client.text_document_did_save(params)

    def close(self) -> None:
        """Close the tab."""
        params = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri))
        self.editor.client.text_document_did_close(params)

    @property
    def problems(self) -> list[types.Diagnostic] | None:
        """Diagnostics marked in it now; none before anything was published for its present version."""
        published_diagnostics = [params for params in self.editor.screen.diagnostics if params.uri == self.uri]
        return (
            list(published_diagnostics[-1].diagnostics)
            if published_diagnostics and published_diagnostics[-1].version == self.version
            else None
        )

    async def marked(self, *texts: str) -> list[types.Diagnostic]:
        """Wait until exactly so many problems are marked in its present version, each with its text."""

        def fits() -> bool:
            marked_problems = self.problems
            return (
                marked_problems is not None
                and len(marked_problems) == len(texts)
                and all(any(text in problem.message for problem in marked_problems) for text in texts)
            )

        try:
            await self.editor.wait_until(fits, f"problems {texts}")
        except AssertionError as error:
            raise AssertionError(f"{error}; marked is {self.problems}") from None
        return self.problems or []

    def marked_text(self, marked_problem: types.Diagnostic) -> str:
        """The text that a problem is marked at."""
        lines = Lines(self.text)
        return self.text[
            lines.code_point_at(marked_problem.range.start) : lines.code_point_at(marked_problem.range.end)
        ]

    async def first_lens_title(self) -> str:
        """The title of the first code lens, which is about the attempt."""
        lens, *_ = await self.editor.lenses(self)
        assert lens.command is not None
        return lens.command.title


def _path(uri: str) -> str:
    from pygls.uris import to_fs_path

    path = to_fs_path(uri)
    assert path is not None
    return path
