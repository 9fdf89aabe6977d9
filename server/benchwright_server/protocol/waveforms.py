"""The `benchwright/*` messages of waveforms; see `protocol`.

Times are ticks of the file, whole numbers; values are `h1f` of bits that are all known, `b1x0z` of others, a number of
a real, JSON of a string.
"""

from __future__ import annotations

from pydantic import Field

from benchwright_server.protocol.design import FileRange, Point
from benchwright_server.protocol.messages import Wire

MOST_SIGNALS = 64
"""Of one window."""
MOST_COLUMNS = 4096
MOST_ITEMS = 500
"""Of one page of the hierarchy."""
LATEST = (1 << 64) - 1


class WaveformParams(Wire):
    """Parameters of requests about a waveform."""

    uri: str
    """The file, FST or VCD, in an open folder or a workspace."""


class HiddenWaveformParams(Wire):
    """Parameters of `benchwright/hiddenWaveform`."""

    uri: str
    """The workspace, or a file in it."""


class HiddenWaveform(Wire):
    """Result of `benchwright/hiddenWaveform`."""

    uri: str
    """The file, VCD, in the workspace."""
    test: str
    """The first failed test of the verdict, which the simulation is of; empty if it has no named tests."""
    run: int
    """Number of the run that failed, within the attempt."""
    failed_at: int | None
    """The time at which that failed, in ticks of the file; null where nothing says so."""


class WaveformView(Wire):
    """Result of `benchwright/waveform`: the header of a waveform."""

    name: str
    run: int | None
    """Number of the run of the hidden tests that it is of; null for any other waveform."""
    format: str
    """`FST` or `VCD`."""
    tick: int
    """A tick is this many `unit`: 1, 10 or 100."""
    unit: str
    """`s`, `ms`, `us`, `ns`, `ps`, `fs`; `unknown` if the file does not say."""
    end: int
    """The last time."""
    written_by: str
    """The program that wrote it, as the file says."""
    tops: list[str]
    """The paths of the outermost scopes."""


class WaveformItemsParams(WaveformParams):
    """Parameters of `benchwright/waveformItems`."""

    scope: str | None = None
    """The path of a scope, for what is directly in it; null for the outermost scopes."""
    words: list[str] = Field(default_factory=list)
    """For the signals of the whole file whose paths have all of them, upper case or lower; the scope does not count."""
    offset: int = Field(0, ge=0)
    limit: int = Field(200, ge=1, le=MOST_ITEMS)


class WaveformItem(Wire):
    """A scope or a signal."""

    path: str
    name: str
    kind: str
    """`scope` or `signal`."""
    type: str
    """Such as `module`, `wire`, `reg`, `real`."""
    bits: int | None
    """The width of a signal in bits; null for a scope, and for a signal that is no bits."""


class WaveformItems(Wire):
    """Result of `benchwright/waveformItems`: a page, scopes first, each sorted by name."""

    items: list[WaveformItem]
    total: int
    """Number of all items."""


class WaveformWindowParams(WaveformParams):
    """Parameters of `benchwright/waveformWindow`."""

    signals: list[str]
    """At most 64 paths."""
    analogue: list[str] = Field(default_factory=list)
    """Those of them that are drawn as numbers: of changes that share a column, the least and the greatest are kept."""
    start: int = Field(ge=0, le=LATEST)
    end: int = Field(ge=0, le=LATEST)
    """Later than the start."""
    columns: int = Field(ge=1, le=MOST_COLUMNS)
    """Number of columns that the window is drawn with; changes that share one are folded."""


class WaveformTrace(Wire):
    """The trace of one signal in a window."""

    path: str
    is_missing: bool = False
    """True if the waveform has no such signal."""
    times: list[int]
    """The times at which what `values` says begins; the first at or before the start, if there is any value then."""
    values: list[str | None]
    """Long ones are cut, with `…` at the end; null until the next time for changes that share columns, of
    signals that are not drawn as numbers."""


class WaveformWindow(Wire):
    """Result of `benchwright/waveformWindow`."""

    traces: list[WaveformTrace]
    """In the order of the question; of each about two entries for a column at most, of numbers five."""


class WaveformValuesParams(WaveformParams):
    """Parameters of `benchwright/waveformValues`."""

    signals: list[str]
    """At most 500 paths."""
    time: int = Field(ge=0, le=LATEST)


class WaveformValues(Wire):
    """Result of `benchwright/waveformValues`."""

    values: list[str | None]
    """In the order of the question; null for a signal that there is not, or without a value yet."""


class WaveformChangeParams(WaveformParams):
    """Parameters of `benchwright/waveformChange`."""

    signal: str
    time: int = Field(ge=0, le=LATEST)
    forward: bool = True
    """The first change after the time; else the last before it."""
    value: str | None = None
    """Only a change to this value; any if null."""
    nth: int = Field(1, ge=1, le=LATEST)
    """1 for the nearest such change, 2 for the one after it."""


class WaveformChange(Wire):
    """Result of `benchwright/waveformChange`."""

    time: int | None
    """Null if there is no such change."""
    value: str | None
    count: int
    """Such changes that were counted: `nth`, or how many there are if that is fewer."""


class WaveformSourceParams(WaveformParams):
    """Parameters of `benchwright/waveformSource`."""

    signal: str


class WaveformSource(Wire):
    """Result of `benchwright/waveformSource`: what of the design a signal of a waveform is."""

    path: str
    """Of the signal in the design, as `drivers` and `loads` take it."""
    declared: FileRange


class WaveformSignalParams(WaveformParams):
    """Parameters of `benchwright/waveformSignal`."""

    source: str
    """The URI of a file of the design."""
    position: Point
    """In the name of a signal."""


class WaveformSignal(Wire):
    """Result of `benchwright/waveformSignal`: the signal of a waveform that a name in the source is."""

    path: str
    """In the instance that its module is viewed as, else in the first."""


class WaveformCursorParams(WaveformParams):
    """Parameters of `benchwright/waveformCursor`."""

    time: int | None = Field(None, ge=0, le=LATEST)
    """The time whose values inlay hints show; null for none."""


class Done(Wire):
    """Result of a request that only does something."""
