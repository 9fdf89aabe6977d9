"""The `benchwright/*` messages of the views of a design, such as drivers, registers and schematic; see `protocol`."""

from __future__ import annotations

from benchwright_server.protocol.design import FileRange, Point
from benchwright_server.protocol.messages import Wire


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
    """Role of the read signal in it: its `value`; a `condition` around it; an `event` that its process waits for."""


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


class ClockedView(Wire):
    """The common fields of a register and a state machine."""

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


class RegisterView(ClockedView):
    """A signal that is written at an edge."""

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


class StateView(Wire):
    """A state of a state machine."""

    name: str
    """Of the constant; a number as it is written if it has no name."""
    value: str
    """In binary, such as `2'b01`."""
    at: FileRange | None
    """The label of the `case` that handles it, or the declaration of its name."""
    reachable: bool | None
    """True if transitions lead there from the reset; null if there is no reset, or not all transitions are known."""


class TransitionView(Wire):
    """A transition of a state machine; a state that is kept is one to itself."""

    source: int
    """The number of the state in the list."""
    target: int
    condition: str
    """As an expression of SystemVerilog; empty if there is none. A very long one is cut."""
    at: FileRange | None
    """The assignment; null if the register keeps its value without one."""


class StateMachineView(ClockedView):
    """A register with the states that it goes through."""

    reset_state: int | None
    """The number of the state that the reset leads to."""
    states: list[StateView]
    transitions: list[TransitionView]
    complete: bool
    """False if the register also gets values that the state and constants alone don't decide."""
    declared: FileRange | None


class StateMachineTable(Wire):
    """Result of `benchwright/stateMachines`."""

    module: str
    instance: str
    machines: list[StateMachineView]
    """In the order of the file, without those of instances in it."""


class PortView(Wire):
    """A port of a cell of a schematic, or of the module."""

    name: str
    direction: str
    """`input`, `output` or `inout`."""
    width: int
    constant: str
    """The value that it is tied to, such as `4'b0001`; empty if a net is connected."""


class CellView(Wire):
    """A cell of a schematic."""

    name: str
    """Of the instance or memory in the source, else of the net that the cell drives; empty if nobody named that."""
    type: str
    """What the cell does, such as `adder`, `multiplexer` or `register with enable`; of an instance its module."""
    is_instance: bool
    ports: list[PortView]
    at: FileRange | None
    """The place where it is written; null if Yosys does not say."""


class CellEnd(Wire):
    """One end of a connection."""

    cell: int | None
    """The number of the cell in the list; null for the module's own port."""
    port: str


class ConnectionView(Wire):
    """Bits that one port drives at another."""

    source: CellEnd
    target: CellEnd
    net: str
    """Empty if only Yosys named it."""
    width: int
    at: FileRange | None
    """The place where the net is declared."""


class SchematicView(Wire):
    """Result of `benchwright/schematic`."""

    module: str
    instance: str
    ports: list[PortView]
    cells: list[CellView]
    """Instances in the module stay boxes."""
    connections: list[ConnectionView]


class CellCount(Wire):
    """Cells of one type."""

    type: str
    count: int


class SizeView(Wire):
    """The size of a module with all below it, in word-level cells: an adder of 32 bits is one."""

    cells: list[CellCount]
    """The most frequent type first."""
    cell_count: int
    flip_flop_bits: int
    memory_bits: int
    wires: int
    """Named nets."""
    wire_bits: int
    longest_path: int
    """Cells on the longest combinational path."""


class DesignSize(Wire):
    """Result of `benchwright/designSize`."""

    module: str
    instance: str
    now: SizeView
    before: SizeView | None
    """The size before the sources changed the last time; null if that was not asked for."""
    path: list[str]
    """The longest combinational path: nets, and what drives those without a name."""
