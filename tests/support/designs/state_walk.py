"""A walk over all states that a design reaches, with all inputs in each, by Icarus Verilog alone.

A simulation is put into a state, by its variables that an edge changes, gets inputs, shows its outputs, and after an
edge of the clock the next state. States have four values: a walk begins where a simulation does, with what is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyslang
from pyslang.ast import (
    AssignmentExpression,
    Compilation,
    EventListControl,
    ProceduralBlockSymbol,
    SignalEventControl,
    TimedStatement,
)
from pyslang.syntax import SyntaxTree

from benchwright_formal.bench import INPUT_FOLDER, DesignFolder, random_unguessable_name
from benchwright_formal.sources import ComparedSources
from benchwright_harness.execution.process import ProcessEnd

MOST_BITS = 16
_CLOCK = re.compile(r"cl(?:oc)?k", re.IGNORECASE)
_FILE_BYTES = 16 << 20

Ids = npt.NDArray[np.int64]


class NotWalkedError(Exception):
    """A design that can't be walked; the message says why."""


@dataclass(frozen=True)
class Word:
    """A variable, or a word of an array, below the top module."""

    path: str
    width: int
    is_array: bool


@dataclass(frozen=True)
class Shape:
    """Properties of a design that a walk must know."""

    top_name: str
    inputs: tuple[tuple[str, int], ...]
    """Without the clock: name, bits."""
    outputs: tuple[tuple[str, int], ...]
    clock: str | None
    rises: bool
    edges: tuple[tuple[str, int], ...]
    """Inputs whose change does something itself, besides the clock: name, bits. A state holds what they were."""
    words: tuple[Word, ...]

    @property
    def bits(self) -> int:
        return sum(width for _, width in self.inputs)


def shape(files: Sequence[bytes], top_name: str, *, remembers: bool = False) -> Shape:
    """Reads a design by slang.

    Args:
        files: Its text.
        top_name: The module.
        remembers: True if a simulation of its combinational logic remembers, as where no branch of a `case` is taken.
            A state holds its variables and all inputs then.
    """
    compilation, manager = Compilation(), pyslang.SourceManager()
    for number, text in enumerate(files):
        compilation.addSyntaxTree(SyntaxTree.fromText(text.decode(), manager, f"f{number}.sv"))
    instance = next(
        (top_instance for top_instance in compilation.getRoot().topInstances if top_instance.name == top_name), None
    )
    if instance is None:
        raise NotWalkedError("no module stands above all others")
    edges: dict[str, bool] = {}
    words: dict[str, Word] = {}

    def visit(node: object) -> None:
        if not isinstance(node, ProceduralBlockSymbol):
            return
        events = list(_edges_of(node))
        edges.update({str(event.expr.syntax).strip(): event.edge.name == "PosEdge" for event in events})
        if events or (remembers and node.procedureKind.name.startswith("Always")):
            node.body.visit(lambda child: _add_target(child, top_name, words))

    instance.visit(visit)
    sized_ports = [(port.name, port.type.bitWidth, port.direction.name) for port in instance.body.portList]
    clocks = [name for name, width, way in sized_ports if way == "In" and width == 1 and _CLOCK.search(name)]
    if len(clocks) > 1 or (words and not clocks) or any(way == "InOut" for _, _, way in sized_ports):
        raise NotWalkedError("it has not exactly one clock, or an inout port")
    clock = clocks[0] if clocks else None
    sized_inputs = tuple((name, width) for name, width, way in sized_ports if way == "In" and name != clock)
    input_names = {name for name, _ in sized_inputs}
    return Shape(
        top_name=top_name,
        inputs=sized_inputs,
        outputs=tuple((name, width) for name, width, way in sized_ports if way == "Out"),
        clock=clock,
        rises=edges.get(clock or "", True),
        edges=sized_inputs if remembers else tuple((name, 1) for name in sorted(input_names & edges.keys())),
        words=tuple(words[path] for path in sorted(words)),
    )


def _edges_of(block: ProceduralBlockSymbol) -> Iterator[SignalEventControl]:
    if isinstance(block.body, TimedStatement):
        timing = block.body.timing
        for timing_event in timing.events if isinstance(timing, EventListControl) else [timing]:
            if isinstance(timing_event, SignalEventControl) and timing_event.edge.name in ("PosEdge", "NegEdge"):
                yield timing_event


def _add_target(node: object, top_name: str, words: dict[str, Word]) -> None:
    if not isinstance(node, AssignmentExpression):
        return
    pending_expressions = [node.left]
    while pending_expressions:
        expression = pending_expressions.pop()
        if hasattr(expression, "operands"):
            pending_expressions.extend(expression.operands)
        elif hasattr(expression, "value"):
            pending_expressions.append(expression.value)
        elif hasattr(expression, "symbol") and getattr(expression.symbol, "lifetime", None) is not None:
            if expression.symbol.lifetime.name != "Static":
                continue
            path = expression.symbol.hierarchicalPath.removeprefix(f"{top_name}.")
            kind = expression.symbol.type
            if kind.isUnpackedArray:
                element, reach = kind.elementType, kind.range
                if not element.isIntegral:
                    raise NotWalkedError(f"{path} is an array of arrays")
                for number in range(reach.lower, reach.upper + 1):
                    words[f"{path}[{number}]"] = Word(f"{path}[{number}]", element.bitWidth, True)
            else:
                words[path] = Word(path, kind.bitWidth, False)


class Walk:
    """The states of one design, found as they are asked for.

    Args:
        workbench: Holds its files.
        design: Its files.
        sandbox_folder: Folder of the files.
        design_shape: Its shape.
    """

    def __init__(
        self, workbench: DesignFolder, design: ComparedSources, sandbox_folder: str, design_shape: Shape
    ) -> None:
        self._bench, self._design, self._folder = workbench, design, sandbox_folder
        self.shape = design_shape
        self._width = sum(word.width for word in design_shape.words) + sum(width for _, width in design_shape.edges)
        self._numbers: dict[str, int] = {}
        self._states: list[str] = []
        self.outputs: list[str] = []
        self._output_numbers: dict[str, int] = {}
        self.transitions: dict[int, tuple[Ids, Ids]] = {}
        """State → the number of the output, and of the next state, for each input."""

    async def begin(self) -> None:
        """Finds state 0, which a simulation begins in."""
        (first_state,) = await self._traced_lines(f'    $fdisplay(trace, "%b", {self._state_expression()});', "", 1)
        self._number_of_state(first_state + "x" * sum(width for _, width in self.shape.edges))

    def cost(self, state_numbers: Sequence[int]) -> int:
        """Steps of the simulation that these states need."""
        return sum(state not in self.transitions for state in state_numbers) << self.shape.bits

    async def expand(self, state_numbers: Sequence[int]) -> None:
        """Tries all inputs in states."""
        new_states = [state for state in dict.fromkeys(state_numbers) if state not in self.transitions]
        line = sum(width for _, width in self.shape.outputs) + self._width + 2
        at_once = max(1, _FILE_BYTES // (line << self.shape.bits))
        for start in range(0, len(new_states), at_once):
            state_batch = new_states[start : start + at_once]
            state_lines = "".join(f"{self._states[state] or '0'}\n" for state in state_batch)
            size = 1 << self.shape.bits
            lines = await self._traced_lines(
                self._block_for_all_inputs(len(state_batch)), state_lines, size * len(state_batch)
            )
            for index, state_number in enumerate(state_batch):
                output_numbers, next_numbers = np.empty(size, np.int64), np.empty(size, np.int64)
                for inputs, printed_line in enumerate(lines[index * size : (index + 1) * size]):
                    output, _, next_text = printed_line.partition("_")
                    output_numbers[inputs] = self._output_numbers.setdefault(output, len(self._output_numbers))
                    next_numbers[inputs] = self._number_of_state(next_text + self._edge_levels(inputs))
                self.transitions[state_number] = (output_numbers, next_numbers)
        self.outputs = [*self._output_numbers]

    def inputs(self, input_number: int) -> dict[str, int]:
        """The inputs that a number stands for: the first port has the highest bits."""
        values = {}
        for name, width in reversed(self.shape.inputs):
            values[name] = input_number & ((1 << width) - 1)
            input_number >>= width
        return values

    async def simulate_outputs(self, inputs: Sequence[int]) -> list[str]:
        """The outputs for inputs from the beginning on, of a simulation that is put into no state."""
        step_text = "".join(
            f"    i = {number};\n    {self._input_assignment()}\n{self._statements_of_one_cycle('')}"
            for number in inputs
        )
        return [line.partition("_")[0] for line in await self._traced_lines(step_text, "", len(inputs))]

    def _edge_levels(self, input_number: int) -> str:
        values = self.inputs(input_number)
        return "".join(f"{values[name]:0{width}b}" for name, width in self.shape.edges)

    def _number_of_state(self, state: str) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    async def _traced_lines(self, initial_block: str, state_lines: str, state_count: int) -> list[str]:
        name = random_unguessable_name()
        includes = " ".join(f"-I{folder}" for folder in self._design.include_folders(self._folder))
        read_files = f"{INPUT_FOLDER}/walk.sv {' '.join(self._design.source_paths(self._folder))}"
        script = (
            f"iverilog -g2012 -s {name} {includes} -o {name}.vvp {read_files} && vvp -n {name}.vvp && rm {name}.vvp"
        )
        files = {
            "walk.sv": self._testbench_text(name, initial_block, state_lines.count("\n")),
            "states": state_lines or "0\n",
        }
        end, code, printed_text = await self._bench.run_shell_script(script, files, 120)
        lines = (self._bench.file_left_by_script(f"{name}.txt") or b"").decode().split()
        if end is not ProcessEnd.EXITED or code or len(lines) != state_count:
            raise NotWalkedError(
                f"Icarus Verilog {end.value} with {code} after {len(lines)} of {state_count} lines: {printed_text}"
            )
        return lines

    def _testbench_text(self, testbench_name: str, initial_block: str, state_count: int) -> str:
        design_shape = self.shape
        ports = [f".{port}(now_{port})" for port, _ in design_shape.inputs]
        ports += [f".{port}(o_{port})" for port, _ in design_shape.outputs]
        ports += [f".{design_shape.clock}(clock)"] if design_shape.clock else []
        regs = "".join(f"  reg [{width - 1}:0] now_{port};\n" for port, width in design_shape.inputs)
        wires = "".join(f"  wire [{width - 1}:0] o_{port};\n" for port, width in design_shape.outputs)
        return f"""`timescale 1us/1ps
module {testbench_name};
  reg [{max(self._width, 1) - 1}:0] states [0:{max(state_count, 1) - 1}];
  reg clock, spare;
  integer trace, s, i;
{regs}{wires}
  {design_shape.top_name} dut({", ".join(ports)});
  initial begin
    $readmemb("{INPUT_FOLDER}/states", states);
    trace = $fopen("{testbench_name}.txt");
    clock = {int(not design_shape.rises)};
    #1;
{initial_block}
    $fclose(trace);
    $finish;
  end
endmodule
"""

    def _state_expression(self) -> str:
        return f"{{{', '.join(f'dut.{word.path}' for word in self.shape.words)}}}" if self.shape.words else "1'b0"

    def _input_assignment(self) -> str:
        return f"{{{', '.join(f'now_{port}' for port, _ in self.shape.inputs)}}} = i;" if self.shape.inputs else ""

    def _statements_of_one_cycle(self, state_expression: str) -> str:
        """Shows the outputs, and after an edge of the clock the state."""
        outputs = f"{{{', '.join(f'o_{port}' for port, _ in self.shape.outputs)}}}"
        state_text = f'"%b", {state_expression}' if state_expression else '""'
        return f"""    #1 $fwrite(trace, "%b_", {outputs});
    clock = ~clock;
    #1 clock = ~clock;
    #1 $fdisplay(trace, {state_text});
"""

    def _block_for_all_inputs(self, state_count: int) -> str:
        """In each state, the outputs and the next state for all inputs."""
        assignments, high = [], self._width
        for word in self.shape.words:
            value = f"states[s][{high - 1}:{high - word.width}]"
            # In a concatenation, an enumeration takes any value.
            assignments.append(
                f"dut.{word.path} = {value};" if word.is_array else f"{{spare, dut.{word.path}}} = {{1'b0, {value}}};"
            )
            high -= word.width
        held_inputs = []
        for name, width in self.shape.edges:
            held_inputs.append(f"now_{name} = states[s][{high - 1}:{high - width}];")
            high -= width
        return f"""    for (s = 0; s < {state_count}; s = s + 1)
      for (i = 0; i < {1 << self.shape.bits}; i = i + 1) begin
    {self._input_assignment()}
    {" ".join(held_inputs)}
    #1;
    {" ".join(assignments)}
    #1;
    {self._input_assignment()}
{self._statements_of_one_cycle(self._state_expression())}      end"""


@dataclass(frozen=True)
class WalkOutcome:
    """Findings of a walk over two designs side by side."""

    cycle: int | None
    """The first one with a difference where the reference is known; None if there is none in those that were walked."""
    cycles: int | None
    """Number of cycles that were walked for all inputs; None for all there are."""


async def walk_pairs(our_walk: Walk, their_walk: Walk, max_steps: int) -> WalkOutcome:
    """Walks pairs of states, nearest first, until a difference, the end, or `max_steps` steps of one simulation."""
    layer, seen_pairs, cycles, steps = [(0, 0)], {(0, 0)}, 0, 0
    differs: dict[tuple[int, int], bool] = {}
    while layer:
        state_lists = ([pair[0] for pair in layer], [pair[1] for pair in layer])
        steps += max(
            walk.cost([*set(states)]) for walk, states in zip((our_walk, their_walk), state_lists, strict=True)
        )
        if steps > max_steps:
            return WalkOutcome(None, cycles)
        await our_walk.expand(state_lists[0])
        await their_walk.expand(state_lists[1])
        next_pairs: dict[tuple[int, int], None] = {}
        for our_state, their_state in layer:
            (our_out, our_next), (their_out, they_reached) = (
                our_walk.transitions[our_state],
                their_walk.transitions[their_state],
            )
            for output_pair in {*zip(our_out.tolist(), their_out.tolist(), strict=True)}:
                if output_pair not in differs:
                    output_texts = (our_walk.outputs[output_pair[0]], their_walk.outputs[output_pair[1]])
                    differs[output_pair] = any(a in "01" and a != b for a, b in zip(*output_texts, strict=True))
                if differs[output_pair]:
                    return WalkOutcome(cycles, None)
            next_pairs |= dict.fromkeys(zip(our_next.tolist(), they_reached.tolist(), strict=True))
        layer = [pair for pair in next_pairs if pair not in seen_pairs]
        seen_pairs.update(layer)
        cycles += 1
    return WalkOutcome(None, None)


def predict_outputs(walk: Walk, inputs: Sequence[int]) -> list[str]:
    """The outputs that the rows of a walk say of inputs from the beginning on, as far as it went."""
    state_number, outputs = 0, []
    for number in inputs:
        if state_number not in walk.transitions:
            break
        output_numbers, next_states = walk.transitions[state_number]
        outputs.append(walk.outputs[int(output_numbers[number])])
        state_number = int(next_states[number])
    return outputs
