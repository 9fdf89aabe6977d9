"""The `benchwright/*` messages of the views of a design: drivers, loads, registers; see `protocol`."""

from __future__ import annotations

from benchwright_server.design_protocol import FileRange, Point
from benchwright_server.protocol import Wire


class SignalParams(Wire):
    """Parameters of `benchwright/drivers` and `benchwright/loads`: a position, or the path of a signal."""

    uri: str
    """A file of the design."""
    position: Point | None = None
    """In the name of a signal."""
    signal: str | None = None
    """The path of a signal, as an answer named it."""
    instance: str | None = None
    """The instance in which the position counts; null for the one that its module is viewed as, else the first."""


class SignalView(Wire):
    """A signal of a design."""

    path: str
    """From the top, such as `top.u_core.count`."""
    name: str
    declared: FileRange | None


class SignalEnd(Wire):
    """A signal at the other end of an assignment."""

    signal: SignalView
    part: str
    """What the read signal is in it: its `value`; a `condition` around it; an `event` that its process waits for."""


class FlowView(Wire):
    """An assignment or the connection of a port."""

    kind: str
    """`assign`, `always_ff` and the like, `declaration`, or `connection`."""
    text: str
    """As it is written, on one line; a long one is cut."""
    at: FileRange | None
    instance: str
    """The path of the instance that is connected, or that the assignment is in."""
    signals: list[SignalEnd]
    """Of drivers what it reads, of loads what it writes."""


class SignalTrace(Wire):
    """Result of `benchwright/drivers` and `benchwright/loads`."""

    signal: SignalView
    port_of_top: str | None
    """`in`, `out`, `inout` or `ref` if the design ends at the signal; else null."""
    flows: list[FlowView]
    complete: bool
    """False if there are more than are shown."""


class ModuleViewParams(Wire):
    """Parameters of requests about a module: it is named, or a position is in it."""

    uri: str
    """A file of the design."""
    position: Point | None = None
    module: str | None = None
    """Null for the module at the position."""
    instance: str | None = None
    """The path of an instance; null for the one that the module is viewed as, else the first."""


class RegisterView(Wire):
    """A signal that is written at an edge."""

    path: str
    name: str
    type: str
    clock: str | None
    """Null if the process waits for several edges, and it is not clear which of them is the clock."""
    edge: str | None
    """`posedge`, `negedge` or `edge`."""
    reset: str | None
    """Null if nothing was recognised that resets it."""
    reset_active: int | None
    """The level at which it is reset, 0 or 1."""
    reset_asynchronous: bool | None
    reset_value: str | None
    """As it is written."""
    declared: FileRange | None
    written: FileRange | None
    """Its first assignment."""


class RegisterTable(Wire):
    """Result of `benchwright/registers`."""

    module: str
    instance: str
    registers: list[RegisterView]
    """In the order of the file, without those of instances in it."""
    complete: bool
    """False if there are more."""
