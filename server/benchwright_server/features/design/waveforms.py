"""`benchwright/waveform…`: what is in a waveform, windows of it, and how it belongs to the source."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_attempts.events.events import AidUsed
from benchwright_problems.aids import Aid
from benchwright_server.errors import FORESEEN, WaveformError
from benchwright_server.features.attempt import aids
from benchwright_server.features.design.waveform_values import WaveformValuesAtCursor
from benchwright_server.features.editor.run_progress import cancellable_progress
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.explanations import UnknownSignal
from benchwright_server.protocol.waveforms import (
    MOST_ITEMS,
    MOST_SIGNALS,
    Done,
    HiddenWaveform,
    HiddenWaveformParams,
    WaveformChange,
    WaveformChangeParams,
    WaveformCursorParams,
    WaveformItem,
    WaveformItems,
    WaveformItemsParams,
    WaveformParams,
    WaveformSignal,
    WaveformSignalParams,
    WaveformSource,
    WaveformSourceParams,
    WaveformTrace,
    WaveformValues,
    WaveformValuesParams,
    WaveformView,
    WaveformWindow,
    WaveformWindowParams,
)
from benchwright_server.waveforms.reader_processes import Readers
from benchwright_server.waveforms.waves_folder import hidden_run_number, hidden_waveform_file, make_waves_folder
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_KINDS = (".fst", ".vcd")
_QUIET_S = 1.0
"""Seconds that reading a file takes before progress is shown."""


class OpenWaveforms:
    """The open waveforms of one client.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self.server = server
        self.readers = Readers()
        self.cursor = WaveformValuesAtCursor(server, self.readers)
        self._loading: set[asyncio.Task[None]] = set()

    async def open_and_start_loading(self, params: WaveformParams) -> WaveformView:
        """The header of a waveform; its values are read meanwhile."""
        path = await self._allowed_waveform_file(params.uri)
        summary = await self.readers.call_method(path, "summary")
        event = AidUsed(aid=Aid.WAVEFORMS, feature="waveform", detail=path.name)
        await aids.record_use_if_in_attempt(self.server, params.uri, event)
        task = asyncio.ensure_future(self._load_with_progress(path))
        self._loading.add(task)
        task.add_done_callback(self._loading.discard)
        tick, unit = summary["timescale"]
        return WaveformView(
            name=path.name,
            run=hidden_run_number(path),
            format=summary["format"],
            tick=tick,
            unit=unit,
            end=summary["end"],
            written_by=summary["written_by"],
            tops=summary["tops"],
        )

    async def _load_with_progress(self, waveform_file: Path) -> None:
        reading = asyncio.ensure_future(self.readers.call_method(waveform_file, "load"))
        # Who asks for a window gets the error.
        with contextlib.suppress(*FORESEEN):
            finished_tasks, _ = await asyncio.wait({reading}, timeout=_QUIET_S)
            if not finished_tasks:
                async with cancellable_progress(
                    self.server, "Waveform", lambda: self.readers.close(waveform_file)
                ) as report:
                    report(f"Reading {waveform_file.name}", 0)
                    await asyncio.wait({reading})
            reading.result()

    async def hierarchy_or_search_page(self, params: WaveformItemsParams) -> WaveformItems:
        """A page of the hierarchy, or of what a search finds."""
        path = await self._allowed_waveform_file(params.uri)
        words = [word for word in params.words if word]
        request = {"scope": params.scope, "searched_words": words, "offset": params.offset, "max_items": params.limit}
        reply = await self.readers.call_method(path, "scope_or_search_page", **request)
        return WaveformItems(items=[WaveformItem(**wave_item) for wave_item in reply["items"]], total=reply["total"])

    async def trace_window(self, params: WaveformWindowParams) -> WaveformWindow:
        """The values of some signals between two times, folded into columns."""
        path = await self._allowed_waveform_file(params.uri)
        _check_signal_count(params.signals, MOST_SIGNALS)
        if params.end <= params.start:
            raise WaveformError(f"The window ends at {params.end}, which is not after its start {params.start}.")
        window_request = {
            "signal_paths": params.signals,
            "analogue_paths": params.analogue,
            "start_tick": params.start,
            "end_tick": params.end,
            "column_count": params.columns,
        }
        traces = await self.readers.call_method(path, "windows", **window_request)
        return WaveformWindow(
            traces=[_trace_message(name, trace) for name, trace in zip(params.signals, traces, strict=True)]
        )

    async def values_at_time(self, params: WaveformValuesParams) -> WaveformValues:
        """The values of some signals at a time."""
        path = await self._allowed_waveform_file(params.uri)
        _check_signal_count(params.signals, MOST_ITEMS)
        signal_values = await self.readers.call_method(path, "values_at", signal_paths=params.signals, tick=params.time)
        return WaveformValues(
            values=[signal_value["value"] if signal_value is not None else None for signal_value in signal_values]
        )

    async def nth_change(self, params: WaveformChangeParams) -> WaveformChange:
        """The next change of a signal, or the one before, or the nth; only of those to a value, if it is given."""
        path = await self._allowed_waveform_file(params.uri)
        change_request = {
            "signal_path": params.signal,
            "tick": params.time,
            "forward": params.forward,
            "wanted_value": params.value,
            "nth": params.nth,
        }
        return WaveformChange(**await self.readers.call_method(path, "nth_change", **change_request))

    async def source_of_signal(self, params: WaveformSourceParams) -> WaveformSource:
        """The place where a signal is declared."""
        path = await self._allowed_waveform_file(params.uri)
        return await self.cursor.source_of_signal(path, params.signal)

    async def signal_at_source_position(self, params: WaveformSignalParams) -> WaveformSignal:
        """The signal that a name in the source is."""
        path = await self._allowed_waveform_file(params.uri)
        return await self.cursor.signal_at_source_position(path, params.source, params.position)

    async def show_values_at_cursor(self, params: WaveformCursorParams) -> Done:
        """Shows the values at a time in the source."""
        path = await self._allowed_waveform_file(params.uri)
        self.cursor.move_or_remove_cursor(params.uri, path, params.time)
        return Done()

    async def close_waveform(self, params: WaveformParams) -> Done:
        """Ends reading a waveform."""
        path = await asyncio.to_thread(local_path_of(params.uri).resolve)
        self.cursor.move_or_remove_cursor(params.uri, path, None)
        self.readers.close(path)
        return Done()

    async def rerun_for_hidden_waveform(self, params: HiddenWaveformParams) -> HiddenWaveform:
        """The waveform of a failed hidden test."""
        return await _rerun_and_keep_hidden_waveform(self.server, params)

    async def signals_unknown_at_end(self, waveform_uri: str, max_count: int) -> list[UnknownSignal]:
        """Signals with a bit that is x at a waveform's end."""
        path = await self._allowed_waveform_file(waveform_uri)
        reply = await self.readers.call_method(path, "signals_unknown_at_end", max_count=max_count)
        tick, unit = reply["timescale"]
        return [
            UnknownSignal(path=signal["path"], since=f"{signal['since'] * tick:,} {unit}")
            for signal in reply["signals"]
        ]

    async def close_all(self) -> None:
        """Ends reading all of them."""
        self.readers.close_all()

    async def _allowed_waveform_file(self, waveform_uri: str) -> Path:
        """The file of a waveform, which may be read: no link leads out of its folder, and its attempt allows it.

        Raises:
            AttemptError: The attempt forbids it, or its clock does not run.
            WaveformError: The file is no waveform of an open folder or a workspace.
        """
        if not waveform_uri.startswith("file:"):
            raise WaveformError("Only files on this computer can be shown as waveforms.")
        path = local_path_of(waveform_uri)
        session = await aids.require_aid_allowed_now(self.server, waveform_uri, Aid.WAVEFORMS)
        if session is not None:
            root = session.workspace.folder
        else:
            folders = [folder for folder in self.server.projects.folders if path.is_relative_to(folder)]
            if not folders:
                raise WaveformError(f"{path.name} is in no open folder. Open the folder that it is in.")
            root = max(folders, key=lambda root_folder: len(root_folder.parts))
        if path.suffix.lower() not in _KINDS:
            raise WaveformError(f"{path.name} is no waveform. Open a file whose name ends in .fst or .vcd.")
        return await asyncio.to_thread(_resolved_file_inside, path, root)


async def _rerun_and_keep_hidden_waveform(server: EditorServer, params: HiddenWaveformParams) -> HiddenWaveform:
    """Runs the hidden tests that failed once more, and keeps the waveform of the solver's modules."""
    aid_use = await aids.begin_use_if_in_attempt(server, params.uri, Aid.WAVEFORMS)
    if aid_use is None:
        raise WaveformError("Hidden tests belong to problems. Open the workspace of one.")
    folder = await asyncio.to_thread(make_waves_folder, aid_use.session.workspace.folder)
    outcome, test = "cancelled", ""
    try:
        task = asyncio.current_task()
        async with cancellable_progress(server, "Waveform of the hidden tests", lambda: task and task.cancel()):
            kept_waves, run = await aid_use.session.attempt.runs.rerun_for_waveform(
                partial(hidden_waveform_file, folder)
            )
        outcome, test = "kept", kept_waves.test
    except Exception:
        outcome = "error"
        raise
    finally:
        event = AidUsed(aid=Aid.WAVEFORMS, feature="hidden_waveform", detail=test, outcome=outcome)
        await asyncio.shield(aid_use.record_if_begun_in_time(event))
    target = hidden_waveform_file(folder, run)
    await asyncio.to_thread(_remove_earlier_waveforms, target)
    return HiddenWaveform(uri=target.as_uri(), test=kept_waves.test, run=run, failed_at=kept_waves.failed_tick)


def _remove_earlier_waveforms(newest_file: Path) -> None:
    """Removes the waveforms of earlier runs, which nobody should take for the newest."""
    for file in newest_file.parent.iterdir():
        if hidden_run_number(file) is not None and file != newest_file:
            file.unlink(missing_ok=True)


WAVEFORM_OPERATIONS: tuple[Operation[OpenWaveforms, Any, Any], ...] = (
    Operation(
        "waveform",
        WaveformParams,
        WaveformView,
        "Opens a waveform: its format, time scale, end and outermost scopes. Each opening is recorded.",
        OpenWaveforms.open_and_start_loading,
    ),
    Operation(
        "waveformItems",
        WaveformItemsParams,
        WaveformItems,
        "Returns a page of what is in a scope of a waveform, or of the signals that a search finds.",
        OpenWaveforms.hierarchy_or_search_page,
    ),
    Operation(
        "waveformWindow",
        WaveformWindowParams,
        WaveformWindow,
        "Returns the values of signals between two times; changes that share a column are folded, so the answer is "
        "never longer than the width allows.",
        OpenWaveforms.trace_window,
    ),
    Operation(
        "waveformValues",
        WaveformValuesParams,
        WaveformValues,
        "Returns the values of signals at a time.",
        OpenWaveforms.values_at_time,
    ),
    Operation(
        "waveformChange",
        WaveformChangeParams,
        WaveformChange,
        "Returns the next change of a signal after a time, or the last before it, or the nth; to any value or a "
        "particular one.",
        OpenWaveforms.nth_change,
    ),
    Operation(
        "waveformSource",
        WaveformSourceParams,
        WaveformSource,
        "Returns where in the source a signal of a waveform is declared.",
        OpenWaveforms.source_of_signal,
    ),
    Operation(
        "waveformSignal",
        WaveformSignalParams,
        WaveformSignal,
        "Returns the signal of a waveform that a name in the source is.",
        OpenWaveforms.signal_at_source_position,
    ),
    Operation(
        "waveformCursor",
        WaveformCursorParams,
        Done,
        "Has inlay hints show the values at a time of a waveform in the source, or none.",
        OpenWaveforms.show_values_at_cursor,
    ),
    Operation(
        "closeWaveform",
        WaveformParams,
        Done,
        "Ends reading a waveform. A file that nobody asks about for ten minutes is closed anyway.",
        OpenWaveforms.close_waveform,
    ),
    Operation(
        "hiddenWaveform",
        HiddenWaveformParams,
        HiddenWaveform,
        "Runs the hidden tests that failed once more and keeps the waveform of the solver's modules, if the reveal "
        "policy is `full`.",
        OpenWaveforms.rerun_for_hidden_waveform,
    ),
)
"""Every operation on waveforms."""


def register(server: EditorServer) -> None:
    """Serve all of it."""
    waveforms = OpenWaveforms(server)
    server.waveforms = waveforms
    for operation in WAVEFORM_OPERATIONS:
        register_operation(server, operation, lambda: waveforms)


def _check_signal_count(signal_paths: list[str], max_count: int) -> None:
    if len(signal_paths) > max_count:
        raise WaveformError(f"A request names at most {max_count} signals. Ask in several requests.")


def _trace_message(signal_path: str, folded_trace: dict[str, Any] | None) -> WaveformTrace:
    if folded_trace is None:
        return WaveformTrace(path=signal_path, is_missing=True, times=[], values=[])
    return WaveformTrace(path=signal_path, times=folded_trace["times"], values=folded_trace["values"])


def _resolved_file_inside(path: Path, folder: Path) -> Path:
    real = path.resolve()
    if not real.is_relative_to(folder.resolve()):
        raise WaveformError(f"{path.name} leads out of {folder.name}. Copy the file into the folder.")
    if not real.is_file():
        raise WaveformError(f"There is no file {path.name}. Run the test again and keep its waveform.")
    return real
