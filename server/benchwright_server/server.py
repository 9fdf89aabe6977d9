"""The language server: connects the features to the protocol."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import io
import json
import logging
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from cattrs import BaseValidationError, Converter, transform_error
from lsprotocol import converters, types
from pygls.exceptions import (
    FeatureNotificationError,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
)
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage, LanguageServerProtocol
from pygls.protocol.language_server import lsp_method
from pygls.workspace import Workspace

from benchwright_foundation.distribution import version
from benchwright_foundation.home import Home
from benchwright_foundation.operating_system import LOOPS_READ_PIPES
from benchwright_harness.toolchain_in_use import toolchain_folder_in_use
from benchwright_server.agent.attempt_socket import MCP_CLIENT
from benchwright_server.editor_server import EditorServer, RunMessage
from benchwright_server.errors import FORESEEN, log_traceback, unexpected_error_sentence, user_sentence
from benchwright_server.features.authoring.pack_files import PackFiles
from benchwright_server.features.editor.configuration import follow_configuration
from benchwright_server.features.editor.file_lists import FileListProblems
from benchwright_server.features.editor.index_progress import IndexProgress
from benchwright_server.features.editor.project_of import ask_client_to_refetch_lenses
from benchwright_server.features.editor.run_messages import HIDDEN_TESTS, LatestRunMessages
from benchwright_server.features.editor.run_progress import RunProgress
from benchwright_server.features.editor.text_sync import TextSync
from benchwright_server.features.editor.workspace_folders import add_initial_folders, follow_folder_and_disk_changes
from benchwright_server.features.language.diagnostics import LiveDiagnostics
from benchwright_server.initialize_exchange import InitializeExchange
from benchwright_server.own_tests.last_results import LastResults
from benchwright_server.pipe import is_unshared_pipe, open_pipe_reader, widen_pipe
from benchwright_server.settings import ServerSettings, camel_case_name
from benchwright_server.workspaces.marker import is_in_marked_folder
from benchwright_server.workspaces.sealed_files import sealed_path_predicate
from benchwright_server.workspaces.workspace_search import holds_repository, workspace_folder_containing
from benchwright_verilog.semantics.behaviour.view_store import InstanceChoiceStore
from benchwright_verilog.semantics.project.folder_state import FolderStateStore
from benchwright_verilog.semantics.project.index.index_store import IndexStore
from benchwright_verilog.semantics.project.lists.list_store import ListChoiceStore
from benchwright_verilog.semantics.project.projects import Projects
from benchwright_verilog.syntax.documents import Documents
from benchwright_verilog.syntax.json_form import JsonText

if TYPE_CHECKING:
    from benchwright_harness.sandbox import Sandbox
    from benchwright_server.attempts.delivery_retry import LiveDelivery
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.attempts.sessions import EditorSessions
    from benchwright_server.feature_registry import Feature
    from benchwright_server.features.design.declaring_files import DeclarationQuestions
    from benchwright_server.features.language.code_lens import CodeLenses
    from benchwright_server.protocol.messages import AttemptStatus
    from benchwright_verilog.semantics.project.project import Project

logger = logging.getLogger(__name__)

_QUIET_S = 60.0
"""Time for which a repeated failure is not shown again, in seconds."""
REST_S = 0.2
"""Time without a message after which the editor is taken to rest, in seconds."""
_ANY_FEATURE = frozenset(
    (
        *(types.WORKSPACE_EXECUTE_COMMAND, types.WORKSPACE_TEXT_DOCUMENT_CONTENT),
        *(types.TEXT_DOCUMENT_DID_SAVE, types.TEXT_DOCUMENT_WILL_SAVE_WAIT_UNTIL),
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    )
)
"""Messages that any feature may have to do with, besides those of `benchwright/*`."""


def _without_traceback(error: Any) -> Any:
    """An error for the client: what pygls makes of an exception quotes it and names the server's files."""
    if error is None or not isinstance(error.data, dict) or "traceback" not in error.data:
        return error
    name, _, message = str(error.message).partition(":")
    module, _, kind = name.strip().rpartition(".")
    raised = getattr(sys.modules.get(module), kind, None)
    is_foreseen = isinstance(raised, type) and issubclass(raised, FORESEEN)
    return JsonRpcInternalError(message.strip() if is_foreseen else unexpected_error_sentence(kind)).to_response_error()


class BenchwrightProtocol(LanguageServerProtocol):
    """pygls's protocol without its own copy of the documents, for a client whose `initialize` was answered already.

    pygls splits lines where LSP does not, so only `Documents` keeps their content.
    """

    arrival_s = 0.0
    """Time of the last message."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object; a request whose parameters are invalid is answered here, as pygls does not."""
        if not data.keys() >= {"jsonrpc", "id", "method"} or "error" in data:
            return super().structure_message(data)
        try:
            kind = self.get_message_type(data["method"]) or JsonRPCRequestMessage
            return self._converter.structure(data, kind)
        except (BaseValidationError, TypeError, ValueError, KeyError) as error:
            invalid = JsonRpcInvalidParams(_invalid_params_message(data["method"], error))
            self._send_response(data["id"], error=invalid.to_response_error())
            return None

    @property
    def is_shut_down(self) -> bool:
        """True once the client has sent `shutdown`."""
        return self._shutdown

    def handle_message(self, message: Any) -> None:
        """Handle a message from the client; responses after `shutdown` are ignored."""
        if message is None:
            return
        is_call = hasattr(message, "method")
        self.arrival_s = time.monotonic()
        if self._shutdown or not is_call or message.jsonrpc != self.VERSION:
            if not self._shutdown or is_call:
                super().handle_message(message)
            return
        # Like pygls, except that pygls finds the kind of message by `isinstance` on `typing.Protocol`s, which takes
        # longer than handling most messages.
        self.prepare_for_method(message.method)
        handler_context = contextvars.copy_context()
        if hasattr(message, "id"):
            handler_context.run(self._handle_request, message.id, message.method, message.params)
        else:
            handler_context.run(self._handle_notification, message.method, message.params)

    def _handle_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        """Passes the client's response on, unless what waited for it was cancelled meanwhile."""
        response_future = self._request_futures.get(msg_id)
        if response_future is not None and response_future.cancelled():
            del self._request_futures[msg_id]
            return
        super()._handle_response(msg_id, result, error)

    def _execute_handler(self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None) -> None:
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        # pygls drops the futures of requests only: those of notifications would accumulate.
        future = self._request_futures.get(msg_id)
        if future is not None:
            # Not immediately: `shutdown` iterates over them while it cancels them.
            forget = partial(asyncio.get_running_loop().call_soon, self._request_futures.pop, msg_id, None)
            future.add_done_callback(lambda ended_future: forget())

    @property
    def is_handling_messages(self) -> bool:
        """True while something that the client sent is being handled."""
        return bool(self._request_futures)

    def notify_json(self, method: str, params: dict[str, Any] | JsonText) -> None:
        """Send a notification whose parameters are plain JSON already."""
        if isinstance(params, JsonText):
            self._write_json(f'{{"jsonrpc":"2.0","method":{json.dumps(method)},"params":', params)
        else:
            self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    def begin_after_initialize(self, prepare_for_method: Callable[[str], None]) -> None:
        """Set the state that handling `initialize` would have set.

        Args:
            prepare_for_method: Called with the method of each message before it is handled.
        """
        self.prepare_for_method = prepare_for_method
        # pygls's objects of what either side can do are left empty: making them takes longer than most answers, and
        # who asks what the client can do asks `Client`.
        self.client_capabilities = types.ClientCapabilities()
        self._workspace = Workspace(None)

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if not isinstance(result, JsonText):
            super()._send_response(msg_id, result, _without_traceback(error))
            return
        self._result_types.pop(msg_id, None)
        self._write_json(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":', result)

    def _write_json(self, message_head: str, json_text: JsonText) -> None:
        """Write a message that ends with JSON, without making objects of it."""
        head = message_head.encode()
        size = len(head) + len(json_text.data) + 1
        header = f"Content-Length: {size}\r\nContent-Type: {self.CONTENT_TYPE}; charset={self.CHARSET}\r\n\r\n"
        if self.writer is not None:
            self.writer.write(b"".join((header.encode(), head, json_text.data, b"}")))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Reject a second `initialize` (LSP 3.18, `initialize`)."""
        raise JsonRpcInvalidRequest("`initialize` was sent before.")

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Hand on to the server."""
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Hand on to the server."""
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Hand on to the server."""
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)


class BenchwrightServer(EditorServer):
    """One client's server.

    Args:
        home: The folders of this user.
        open_sandbox: Opens the sandbox in which hidden tests run.
        exchange: The exchange with the client so far.
    """

    protocol: BenchwrightProtocol

    def __init__(self, home: Home, open_sandbox: Callable[[], Sandbox], exchange: InitializeExchange) -> None:
        super().__init__(
            "benchwright",
            version(),
            protocol_cls=BenchwrightProtocol,
            converter_factory=_message_converter,
        )
        self.home = home
        self._open_sandbox = open_sandbox
        self._judge_url = exchange.settings.judge.url
        self.client = exchange.client
        self.settings = exchange.settings
        self.documents = Documents()
        self.documents.encoding = types.PositionEncodingKind(exchange.client.encoding)
        self.file_lists = FileListProblems(self)
        self.pack_files = PackFiles(self)
        self.proofs = None
        self.indexing = IndexProgress(self)
        self.projects = Projects(
            self.documents,
            lambda: self.settings.project_settings,
            self.file_lists.show_problems_from_any_thread,
            workspace_folder_containing,
            IndexStore(home.cache / "index"),
            self.indexing.show_from_any_thread,
            InstanceChoiceStore(home.state / "views"),
            ListChoiceStore(home.state / "lists"),
            FolderStateStore(home.state / "units"),
            self._ask_next_declaration_question,
            sealed_path_predicate(home),
            (home.data, home.state),
            partial(_fpga_cell_model_files, home.cache),
            holds_repository,
        )
        self.live = LiveDiagnostics(self)
        self.run_messages = LatestRunMessages(self)
        self.expansions = None
        self.last_results = LastResults()
        self.agents = None
        client_name = (exchange.params.get("clientInfo") or {}).get("name")
        self.agents_own_connection = uuid.uuid4().hex if client_name == MCP_CLIENT else ""
        self.served = {}
        self.waveforms = None
        self.is_shut_down = False
        self._changed: set[EditorSession] = set()
        self._telling: dict[EditorSession, asyncio.Task[None]] = {}
        self._notice_times: dict[str, float] = {}
        self.sync = TextSync(self)
        follow_configuration(self)
        follow_folder_and_disk_changes(self)
        add_initial_folders(self, exchange.params)
        self._unregistered_features = dict.fromkeys(exchange.features)
        self._serves_attempts = False
        self.protocol.begin_after_initialize(self.register_features_serving)

        @self.feature(types.SHUTDOWN)
        async def shutdown(params: None) -> None:
            self.is_shut_down = True
            await self.sync.wait_until_recorded()
            if self.proofs is not None:
                await self.proofs.cancel_all()
            if self.agents is not None:
                await self.agents.close()
            if self.waveforms is not None:
                await self.waveforms.close_all()
            if self.has_sessions:
                await self.sessions.close()

    @cached_property
    def sessions(self) -> EditorSessions:
        """The attempts of the client's workspaces."""
        from benchwright_server.attempts.session import Listeners
        from benchwright_server.attempts.sessions import EditorSessions

        # Agents and proofs work on attempts as soon as there is one.
        self.register_all_features()
        listeners = Listeners(
            self._announce_attempt_change,
            self._listen_for_agents,
            self.report_failure,
            self._show_notice,
            RunProgress(self).cancellable_run_progress,
            self._deliver_study_soon,
        )
        sessions = EditorSessions(
            self.home,
            self._open_sandbox(),
            listeners,
            has_answer_form=self.client.supports("experimental.answerForm"),
        )
        sessions.set_judge_service(self._judge_url)
        self._sandbox_notice = asyncio.create_task(self._show_once_if_nothing_can_run(sessions.sandbox.name))
        return sessions

    async def _show_once_if_nothing_can_run(self, sandbox_name: str) -> None:
        from benchwright_server.attempts.sandbox_notice import sandbox_notice_unless_shown

        sentence = await asyncio.to_thread(sandbox_notice_unless_shown, self.home, sandbox_name)
        if sentence and not self.is_shut_down:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))

    @property
    def has_sessions(self) -> bool:
        """True once `sessions` was used."""
        return "sessions" in self.__dict__

    @cached_property
    def delivery(self) -> LiveDelivery:
        """Delivers what is new in studies."""
        from benchwright_server.attempts.delivery_retry import LiveDelivery

        return LiveDelivery(self.home, lambda: self.sessions.has_unfinished_study_attempt)

    @cached_property
    def lenses(self) -> CodeLenses:
        """The code lenses of open files."""
        from benchwright_server.features.language.code_lens import CodeLenses

        return CodeLenses(self)

    async def find_or_open_session(self, path: Path) -> EditorSession | None:
        """The session of the workspace that contains a file or folder; None outside workspaces."""
        if not self.has_sessions and not await asyncio.to_thread(is_in_marked_folder, path):
            return None
        return await self.sessions.find_or_open_session(path)

    def register_features_serving(self, method: str) -> None:
        """Load and register what a message needs, unless it is: an editor's first questions need little of it."""
        if method.startswith("benchwright/") or method in _ANY_FEATURE:
            self.register_all_features()
            return
        for feature in [feature for feature in self._unregistered_features if method in feature.methods]:
            self._register_feature(feature)

    def register_all_features(self) -> None:
        """Load and register everything that the client was offered."""
        if not self._serves_attempts:
            from benchwright_server.features.requests import register_attempt_operations

            self._serves_attempts = True
            register_attempt_operations(self)
        for feature in [*self._unregistered_features]:
            self._register_feature(feature)

    def _register_feature(self, feature: Feature) -> None:
        del self._unregistered_features[feature]
        import_module(f"benchwright_server.features.{feature.module}").register(self)

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Serve the client until it sends `exit` or disconnects.

        Args:
            stdin: Stream from the client, nothing read ahead.
            stdout: Stream to the client.
        """
        self._stop_event = stop = threading.Event()
        self.protocol.set_writer(StdoutWriter(stdout))
        widen_pipe(stdout)
        # The objects that exist now stay: scanning them at each collection would be wasted work.
        gc.freeze()

        async def run() -> None:
            by_loop = is_unshared_pipe(stdin, stdout) and LOOPS_READ_PIPES
            message_reader = await open_pipe_reader(stdin) if by_loop else self._threaded_stdin_reader(stdin)
            self._loop = loop = asyncio.get_running_loop()
            loads_modules = is_unshared_pipe(stdin, stdout)
            if loads_modules:
                # While one thread is inside `import pyslang`, `from pyslang.ast import …` fails in any other.
                import_module("pyslang")
            loading = loop.create_task(self._load_rest_while_idle(loads_modules=loads_modules))
            await run_async(stop, message_reader, self.protocol, logger, self.report_server_error)
            loading.cancel()
            stop.set()

        try:
            asyncio.run(run())
        except BrokenPipeError:
            logger.error("the client disconnected")
        except (KeyboardInterrupt, SystemExit):
            pass
        finally:
            super().shutdown()  # type: ignore[no-untyped-call]

    def notify_json(self, method: str, params: dict[str, Any] | JsonText) -> None:
        """Send a notification whose parameters are plain JSON already."""
        self.protocol.notify_json(method, params)

    async def _load_rest_while_idle(self, *, loads_modules: bool) -> None:
        """Load what the first answers did not need while the editor asks nothing; then deliver what waits."""
        for name in AHEAD if loads_modules else ():
            await self._wait_until_idle()
            await asyncio.to_thread(import_module, name)
        for feature in [*self._unregistered_features] if loads_modules else ():
            await self._wait_until_idle()
            await asyncio.to_thread(import_module, f"benchwright_server.features.{feature.module}")
        await self._wait_until_idle()
        from benchwright_server.attempts.delivery_retry import start_pending_deliveries

        start_pending_deliveries(self.home, partial(self._report_delivery, self._loop))
        if loads_modules:
            self.register_all_features()
            await asyncio.to_thread(_write_tool_scripts, self.home)

    async def _wait_until_idle(self) -> None:
        while self.protocol.is_handling_messages or time.monotonic() - self.protocol.arrival_s < REST_S:  # noqa: ASYNC110 - no event says that nothing happened
            await asyncio.sleep(REST_S)

    def _threaded_stdin_reader(self, stdin: BinaryIO) -> StdinAsyncReader:
        buffered = io.BufferedReader(stdin) if isinstance(stdin, io.RawIOBase) else stdin
        return StdinAsyncReader(buffered, self.thread_pool)

    def replace_settings(self, settings: ServerSettings) -> None:
        """Use these settings from now on; which features are offered was decided at the start."""
        if settings.judge.url != self.settings.judge.url:
            self.set_judge_service(settings.judge.url)
        self.settings = settings
        self.projects.discard_all_projects()
        self.live.analyse_after_settings_change()

    def set_judge_service(self, url: str) -> None:
        """Have questions judged by a service; by the local judges if the URL is empty."""
        self._judge_url = url
        if self.has_sessions:
            self.sessions.set_judge_service(url)

    def report_failure(self, error: BaseException) -> None:
        """Show an error that belongs to no request; one that repeats at every keystroke is shown only occasionally.

        After `shutdown` nobody reads it, and work that a timer begins then fails because the event loop is closing.
        """
        if self.protocol.is_shut_down:
            return
        if not isinstance(error, FORESEEN):
            log_traceback(error)
        sentence, current_time = user_sentence(error), time.monotonic()
        if current_time - self._notice_times.get(sentence, -_QUIET_S) >= _QUIET_S:
            self._notice_times[sentence] = current_time
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, sentence))

    def _show_notice(self, sentence: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))

    @cached_property
    def _declaration_questions(self) -> DeclarationQuestions:
        from benchwright_server.features.design.declaring_files import DeclarationQuestions

        return DeclarationQuestions(self)

    def _ask_next_declaration_question(self, project: Project) -> None:
        if project.folder is not None and project.declaring_files.undecided_files_by_unit:
            self._declaration_questions.start_next_question_if_idle(project)

    def _report_delivery(self, loop: asyncio.AbstractEventLoop, sentence: str, has_arrived: bool) -> None:
        message_type = types.MessageType.Info if has_arrived else types.MessageType.Warning
        with contextlib.suppress(RuntimeError):  # The server has ended meanwhile.
            loop.call_soon_threadsafe(self.window_show_message, types.ShowMessageParams(message_type, sentence))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A handler failed outside a request: show the error, and continue."""
        if isinstance(error, JsonRpcInternalError) and source is FeatureNotificationError:
            logger.error("unexpected\n%s", "".join((error.data or {}).get("traceback", ())))
            self.report_failure(error)

    def _deliver_study_soon(self) -> None:
        with contextlib.suppress(RuntimeError, AttributeError):  # The server has ended meanwhile, or not begun.
            self._loop.call_soon_threadsafe(self.delivery.deliver_soon)

    def _announce_attempt_change(self, session: EditorSession) -> None:
        self._changed.add(session)
        if session.header.study:
            self.delivery.deliver_soon()
        if not (session.ended or session.is_held_elsewhere):
            self._listen_for_agents(session)
        is_connected = self._stop_event is None or not self._stop_event.is_set()
        if is_connected and session not in self._telling:
            self._telling[session] = asyncio.get_running_loop().create_task(self._send_changed_statuses(session))

    def _listen_for_agents(self, session: EditorSession) -> None:
        if self.agents is not None:
            self.agents.listen_unless_listening(session.header.id)

    async def _send_changed_statuses(self, session: EditorSession) -> None:
        from benchwright_server.operations.catalogue import CHANGED

        try:
            # Changes made while a status is being assembled are sent with the next one.
            while session in self._changed:
                self._changed.discard(session)
                status = await session.status()
                self.protocol.notify(CHANGED, status.model_dump(mode="json", by_alias=True))
                ask_client_to_refetch_lenses(self)
                await self.run_messages.replace_messages_of_source(
                    HIDDEN_TESTS, session.workspace.folder, _compiler_messages(status)
                )
        except FORESEEN as error:
            self.report_failure(error)
        finally:
            del self._telling[session]


def _compiler_messages(status: AttemptStatus) -> list[RunMessage]:
    """Those of an attempt's newest verdict; none while the next is made."""
    verdict = None if status.running else status.verdict
    lines = verdict.compiler if verdict is not None else None
    return [RunMessage(line.path, line.line, line.text) for line in lines or ()]


def _fpga_cell_model_files(toolchain_cache: Path) -> list[Path]:
    """Yosys' models of FPGA cells; none without a toolchain."""
    folder = toolchain_folder_in_use(toolchain_cache) / "root/usr/share/yosys"
    patterns = ("*cells_sim*.v", "*cells_xtra*.v", "*_bb*.v")
    return [path for pattern in patterns for path in sorted(folder.rglob(pattern))]


AHEAD = (
    "benchwright_verilog.semantics.names.resolution",
    "benchwright_verilog.semantics.names.position",
    "benchwright_verilog.language.explanation.explanations",
    "benchwright_verilog.language.completion.proposals",
    "benchwright_verilog.syntax.outline",
    "pyslang.ast",
    "tree_sitter",
    "tree_sitter_systemverilog",
)
"""Modules that the first requests would otherwise have to wait for."""


def _write_tool_scripts(home: Home) -> None:
    # Terminals of the editor have the folder on their PATH.
    from benchwright_harness.errors import HarnessError
    from benchwright_harness.toolchain.terminal import write_tool_scripts

    with contextlib.suppress(HarnessError, OSError):
        write_tool_scripts(home.cache)


def _invalid_params_message(method: object, cause: Exception) -> str:
    """The fault in a request's parameters, in one sentence."""
    if not isinstance(cause, BaseValidationError):
        return f"{method}: the parameters are invalid."
    first_error, _, field_path = transform_error(cause)[0].partition(" @ ")
    return f"{method}: {camel_case_name(field_path.removeprefix('$.')) or 'params'}: {first_error}."


def _message_converter() -> Converter:
    converter = converters.get_converter()

    # Without these hooks pygls turns the parameters of our own messages into named tuples.
    def plain(value: dict[str, Any], kind: type[Any]) -> Any:
        return kind(**({"params": None} if "method" in value else {}) | value)

    for kind in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(kind, plain)
    return converter
