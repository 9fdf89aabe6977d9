"""Tools that read a waveform of the solver's own runs: its signals, values, changes, values at a change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import Field

from benchwright_problems.aids import Aid
from benchwright_server.errors import ServerError
from benchwright_server.features.agent.results import (
    WaveChangeResult,
    WaveSignalsResult,
    WaveValuesResult,
    WaveWindowResult,
)
from benchwright_server.features.agent.tool import AnyTool, Tool
from benchwright_server.features.requests import call_operation
from benchwright_server.protocol.messages import Wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

_MOST_SIGNALS = 50
_MOST_CHANGES = 1_000_000_000
_MOST_COLUMNS = 1_000
_EDGES: Mapping[str, str | None] = {"rise": "h1", "fall": "h0", "any": None}
_VALUES = "Values are h1f of bits that are all known, b1x0z of others; null for no value yet."


class _Waves(Wire):
    waves: str = Field(description="The file, inside the workspace, as run_own_tests names it.")


class _Search(_Waves):
    words: list[str] = Field(
        default_factory=list, max_length=20, description="What the paths have to contain; all signals without."
    )
    offset: int = Field(0, ge=0)


class _Values(_Waves):
    signals: list[str] = Field(
        min_length=1, max_length=_MOST_SIGNALS, description="Their paths, as wave_signals shows them."
    )
    time: int = Field(ge=0, description="In ticks of the file.")


class _Edge(_Waves):
    signal: str = Field(description="Its path, as wave_signals shows it.")
    edge: str = Field(
        "any",
        pattern="^(rise|fall|any)$",
        description="rise: a change to 1; fall: to 0; any: every change.",
    )
    value: str | None = Field(None, description="Only changes to this value, such as h1f; edge does not count then.")
    nth: int = Field(1, ge=1, le=_MOST_CHANGES, description="1 for the first such change after the time.")
    after: int = Field(0, ge=0, description="In ticks of the file.")


class _EdgeCondition(_Edge):
    read: list[str] = Field(
        min_length=1, max_length=_MOST_SIGNALS, description="The paths of the signals whose values are wanted then."
    )


class _Window(_Waves):
    signals: list[str] = Field(
        min_length=1, max_length=_MOST_SIGNALS, description="Their paths, as wave_signals shows them."
    )
    start: int = Field(0, ge=0, description="In ticks of the file.")
    end: int = Field(ge=1, description="In ticks of the file, later than start.")
    columns: int = Field(
        200, ge=1, le=_MOST_COLUMNS, description="Changes that share a column are one entry, whose value is null."
    )


class _WorkspaceWaveform:
    """A waveform of the workspace, whose use was recorded."""

    def __init__(self, server: EditorServer, waveform_uri: str, waveform_view: dict[str, Any]) -> None:
        self._server = server
        self._uri = waveform_uri
        self.tick = f"{waveform_view['tick']} {waveform_view['unit']}"

    @classmethod
    async def open_in_workspace(
        cls, server: EditorServer, session: EditorSession, params: _Waves
    ) -> _WorkspaceWaveform:
        folder = session.workspace.folder.resolve()
        path = (folder / params.waves).resolve()
        if not path.is_relative_to(folder):
            raise ServerError(f"{params.waves} is not in the workspace. run_own_tests names the files of its runs.")
        uri = path.as_uri()
        return cls(server, uri, (await call_operation(server, "waveform", Wire, uri=uri)).model_dump(mode="json"))

    async def call_waveform_operation(self, operation: str, **params: Any) -> dict[str, Any]:
        return (await call_operation(self._server, operation, Wire, uri=self._uri, **params)).model_dump(mode="json")

    async def values_by_signal_path(self, signal_paths: list[str], tick: int) -> dict[str, str | None]:
        reply = await self.call_waveform_operation("waveformValues", signals=signal_paths, time=tick)
        return dict(zip(signal_paths, reply["values"], strict=True))

    async def find_nth_change(self, params: _Edge) -> dict[str, Any]:
        """The change that is meant, with time and value.

        Raises:
            ServerError: The signal has fewer changes than that.
        """
        expected_value = params.value if params.value is not None else _EDGES[params.edge]
        edge = await self.call_waveform_operation(
            "waveformChange",
            signal=params.signal,
            time=params.after,
            forward=True,
            value=expected_value,
            nth=params.nth,
        )
        if edge["time"] is None:
            change = f"to {expected_value}" if expected_value is not None else "at all"
            raise ServerError(f"{params.signal} changes {change} {edge['count']:,} times after {params.after}.")
        return {"time": edge["time"], "value": edge["value"]}


async def _matching_signals_json(server: EditorServer, session: EditorSession, params: _Search) -> str:
    wave = await _WorkspaceWaveform.open_in_workspace(server, session, params)
    # Without a word, a search would show the outermost scopes.
    reply = await wave.call_waveform_operation("waveformItems", words=params.words or ["."], offset=params.offset)
    signals = [{"path": signal["path"], "bits": signal["bits"]} for signal in reply["items"]]
    return json.dumps({"tick": wave.tick, "total": reply["total"], "signals": signals})


async def _signal_values_json(server: EditorServer, session: EditorSession, params: _Values) -> str:
    wave = await _WorkspaceWaveform.open_in_workspace(server, session, params)
    values = await wave.values_by_signal_path(params.signals, params.time)
    return json.dumps({"tick": wave.tick, "time": params.time, "values": values})


async def _nth_change_json(server: EditorServer, session: EditorSession, params: _Edge) -> str:
    wave = await _WorkspaceWaveform.open_in_workspace(server, session, params)
    return json.dumps({"tick": wave.tick, **await wave.find_nth_change(params)})


async def _values_at_nth_change_json(server: EditorServer, session: EditorSession, params: _EdgeCondition) -> str:
    wave = await _WorkspaceWaveform.open_in_workspace(server, session, params)
    time = (await wave.find_nth_change(params))["time"]
    value_facts: dict[str, Any] = {
        "tick": wave.tick,
        "time": time,
        "values": await wave.values_by_signal_path(params.read, time),
    }
    if time > 0:
        value_facts["values_before"] = await wave.values_by_signal_path(params.read, time - 1)
    return json.dumps(value_facts)


async def _window_json(server: EditorServer, session: EditorSession, params: _Window) -> str:
    wave = await _WorkspaceWaveform.open_in_workspace(server, session, params)
    window = params.model_dump(exclude={"waves"})
    return json.dumps({"tick": wave.tick, **await wave.call_waveform_operation("waveformWindow", **window)})


WAVE_TOOLS: tuple[AnyTool, ...] = (
    Tool(
        "wave_signals",
        "The signals of a waveform that run_own_tests has kept, and how long a tick of its time is.",
        _Search,
        _matching_signals_json,
        WaveSignalsResult,
        aid=Aid.WAVEFORMS,
        required_operation="waveformItems",
    ),
    Tool(
        "wave_values",
        f"The values of signals at a time. {_VALUES}",
        _Values,
        _signal_values_json,
        WaveValuesResult,
        aid=Aid.WAVEFORMS,
        required_operation="waveformValues",
    ),
    Tool(
        "wave_change",
        f"When a signal changes, rises or falls for the nth time after a time, and to which value. {_VALUES}",
        _Edge,
        _nth_change_json,
        WaveChangeResult,
        aid=Aid.WAVEFORMS,
        required_operation="waveformChange",
    ),
    Tool(
        "wave_values_when",
        "The values of signals when another changes, rises or falls for the nth time: after the changes of that time, "
        f"and before them. {_VALUES}",
        _EdgeCondition,
        _values_at_nth_change_json,
        WaveValuesResult,
        aid=Aid.WAVEFORMS,
        required_operation="waveformChange",
    ),
    Tool(
        "wave_window",
        f"Signals between two times: when each gets which value, folded where changes are close. {_VALUES}",
        _Window,
        _window_json,
        WaveWindowResult,
        aid=Aid.WAVEFORMS,
        required_operation="waveformWindow",
    ),
)
"""All of them."""
