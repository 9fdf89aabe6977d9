"""Compares what several tools read in one design: `python3 readings.py REQUEST`, a JSON object, inside a sandbox.

The request has `tools` (of `iverilog`, `verilator`, `yosys`), `sources` (paths of the design), and `tops` (modules, or
none: those that nothing instantiates). Standard output gets one JSON object with `difference` (empty, or the place at
which two tools read different designs) and `unread` (why the comparison could not be made, or empty).

Three things are compared: the words after preprocessing, the branches, parameters and ranges that are there after
elaboration (a copy of the design has a constant with a name of its own for each of them), and, with Yosys, the
function: its netlist, and what is synthesised from that, are simulated beside the design with random inputs, one of
which changes at a time, so that no two events race.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import resource
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\\\S+|[\w$]+|/\*.*?\*/|//[^\n]*|\S', re.DOTALL)
_DIRECTIVE = re.compile(
    r"^[ \t]*`(?:line|timescale|default_nettype|resetall|(?:end)?celldefine|(?:begin|end)_keywords|"
    r"(?:no)?unconnected_drive|pragma)\b.*$",
    re.MULTILINE,
)
_MARK = "benchwright_mark_"
_MARKS_OF_ICARUS = re.compile(rf'"{_MARK}(\d+)"[^\n]*, \+?C4<([01]+)>')
_MARKS_OF_VERILATOR = re.compile(
    rf'"name":"{_MARK}(\d+)"[^{{]*"valuep": \[\s*\{{"type":"CONST","name":"\d+\'s?h([0-9a-f]+)"'
)
_MOST_BITS = (1 << 32) - 1
"""A tool that extends a constant may have more of them."""
_DECLARATIONS = frozenset(
    {
        *(
            "input",
            "output",
            "inout",
            "wire",
            "uwire",
            "tri",
            "tri0",
            "tri1",
            "triand",
            "trior",
            "trireg",
            "wand",
            "wor",
        ),
        *("supply0", "supply1", "var", "const", "reg", "logic", "bit", "byte", "shortint", "int", "integer", "longint"),
        *("wor", "time", "typedef", "struct", "union", "enum", "parameter", "localparam"),
    }
)
_STEPS, _PHASE = 3000, 250
_SYNTHESIS = "opt -full; fsm; opt -full; wreduce; peepopt; opt -full"
"""Steps of Yosys that take what is unknown for what they like, into cells that simulators read."""
_TOOL_S = 20
"""Processor time that a tool may take, in seconds."""
_ENDS = {
    "function": "endfunction",
    "task": "endtask",
    "property": "endproperty",
    "sequence": "endsequence",
    "class": "endclass",
    "clocking": "endclocking",
    "covergroup": "endgroup",
    "specify": "endspecify",
    "checker": "endchecker",
    "table": "endtable",
    "package": "endpackage",
    "primitive": "endprimitive",
    "config": "endconfig",
}
_MODULES = {"module": "endmodule", "macromodule": "endmodule", "interface": "endinterface", "program": "endprogram"}
_PROCESSES = {"always", "always_comb", "always_ff", "always_latch", "initial", "final"}
_NESTED = {
    **dict.fromkeys(("begin", "fork", "case", "casex", "casez", "randcase"), 1),
    **dict.fromkeys(("end", "join", "join_any", "join_none", "endcase"), -1),
}
_PARENTHESISED = {"if", "for", "while", "repeat", "foreach", "wait", "case", "casex", "casez"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class UnreadError(Exception):
    """A tool, or the marker of branches, can't read the design."""


class DifferenceError(Exception):
    """Two tools read different designs."""


class Word(str):
    """A word of a preprocessed text.

    Args:
        text: It.
        is_apart: True if something that is no word, such as a blank or a comment, is before it.
    """

    is_apart: bool

    def __new__(cls, text: str, *, is_apart: bool = True) -> Word:
        """A string with its attribute."""
        word = super().__new__(cls, text)
        word.is_apart = is_apart
        return word


def words(text: str) -> list[Word]:
    """The words of a preprocessed text, without comments and directives that tools hand on."""
    text = _DIRECTIVE.sub("", text)
    text_words, end = [], -1
    for match in _WORD.finditer(text):
        if not match[0].startswith(("/*", "//")):
            text_words.append(Word(match[0], is_apart=match.start() != end))
            end = match.end()
    return text_words


def joined(text_words: Sequence[Word]) -> str:
    """The words as a text that tools take apart in the same way."""
    return "".join(f"\n{word}" if word.is_apart else word for word in text_words)


def _quoted(text_words: Sequence[Word]) -> str:
    return joined(text_words).replace("\n", " ").strip()


class Marker:
    """Puts constants into a design: one for each branch that it may have, parameter, and range of a declaration.

    Args:
        source_words: Words of the preprocessed design.
    """

    def __init__(self, source_words: Sequence[Word]) -> None:
        self._words = source_words
        self._index = 0
        self._marked: list[Word] = []
        self.places: dict[int, str] = {}
        """Number of a mark → words at which its branch begins, or behind which its constant is."""

    def marked_text(self) -> str:
        """The design with its marks.

        Raises:
            UnreadError: The text is not built as expected.
        """
        while self._index < len(self._words):
            word = self._next()
            if word in _MODULES:
                self._module(_MODULES[word])
            elif word in _ENDS:
                self._skip_to(_ENDS[word])
        return joined(self._marked)

    @property
    def _word(self) -> Word:
        if self._index >= len(self._words):
            raise UnreadError("the design ends within a module")
        return self._words[self._index]

    def _next(self) -> Word:
        word = self._word
        self._index += 1
        self._marked.append(word)
        return word

    def _before(self) -> str:
        return _quoted(self._words[max(0, self._index - 8) : self._index])

    def _items(self, end: str) -> None:
        """Items of a module or a block, up to the word that ends it."""
        while self._word != end:
            self._item()
        self._next()
        self._label()

    def _item(self) -> None:
        word = self._word
        if word in ("if", "for"):
            self._next()
            self._skip_brackets()
            self._branch()
            if word == "if" and self._word == "else":
                self._next()
                self._branch()
        elif word == "case":
            self._next()
            self._skip_brackets()
            while self._word != "endcase":
                self._skip_case_label()
                self._branch()
            self._next()
        elif word == "begin":
            self._next()
            self._label()
            self._items("end")
        elif word in _PROCESSES:
            self._next()
            self._statement()
        elif word in ("import", "export", "extern"):
            self._skip_statement()
        elif word in _ENDS:
            self._next()
            self._skip_to(_ENDS[word])
        elif word in ("generate", "endgenerate"):
            self._next()
        elif word in _MODULES:
            self._next()
            self._module(_MODULES[word])
        elif word in ("assert", "assume", "cover", "restrict") or self._is_labelled_assertion():
            self._statement()
        elif word in _DECLARATIONS:
            self._declaration()
        elif word == "(":
            # Attributes.
            self._skip_brackets()
        else:
            self._skip_statement()

    def _module(self, end: str) -> None:
        self._declaration()
        self._items(end)

    def _declaration(self) -> None:
        """A declaration, or the header of a module."""
        start = self._index
        self._skip_statement()
        declared = self._words[start : self._index]
        for constant in (*_parameters(declared), *_range_lengths(declared)):
            self._mark(constant)

    def _branch(self) -> None:
        word = self._word
        if word in ("if", "case", "for"):
            self._item()
        elif word == ";":
            self._next()
        elif word == "begin" or self._words[self._index + 1 : self._index + 3] == [":", "begin"]:
            if word != "begin":
                self._next()
                self._next()
            self._next()
            self._label()
            self._mark()
            self._items("end")
        else:
            self._marked.append(Word("begin"))
            self._mark()
            self._item()
            self._marked.append(Word("end"))

    def _mark(self, constant: str = "0") -> None:
        number = len(self.places)
        self.places[number] = _quoted(self._words[max(0, self._index - 12) : self._index + 6])
        self._marked += [Word(f"localparam {_MARK}{number} = {constant};")]

    def _label(self) -> None:
        if self._index < len(self._words) and self._word == ":":
            self._next()
            self._next()

    def _is_labelled_assertion(self) -> bool:
        following = self._words[self._index + 1 : self._index + 3]
        return following[:1] == [":"] and following[1:] in (["assert"], ["assume"], ["cover"], ["restrict"])

    def _statement(self) -> None:
        """A statement of a process."""
        while True:
            word = self._word
            if word in ("@", "#"):
                self._next()
                self._next() if self._word != "(" else self._skip_brackets()
            elif self._words[self._index + 1 : self._index + 2] == [":"]:
                self._next()
                self._next()
            elif word in ("unique", "unique0", "priority", "forever"):
                self._next()
            else:
                break
        if word in _NESTED:
            self._skip_nested()
        elif word in _PARENTHESISED:
            self._next()
            self._skip_brackets()
            self._statement()
            self._else()
        elif word == "do":
            self._next()
            self._statement()
            self._skip_statement()
        elif word in ("assert", "assume", "cover", "restrict"):
            while self._word != "(":
                self._next()
            self._skip_brackets()
            if self._word != "else":
                self._statement()
            self._else()
        else:
            self._skip_statement()

    def _else(self) -> None:
        if self._index < len(self._words) and self._word == "else":
            self._next()
            self._statement()

    def _skip_nested(self) -> None:
        depth = 0
        while True:
            depth += _NESTED.get(self._next(), 0)
            if depth == 0:
                self._label()
                return

    def _skip_case_label(self) -> None:
        if self._word == "default":
            self._next()
            if self._word == ":":
                self._next()
            return
        while self._word != ":":
            if self._word == "?":
                raise UnreadError("a case label has a condition")
            self._skip_brackets() if self._word in _CLOSING else self._next()
        self._next()

    def _skip_statement(self) -> None:
        while self._word != ";":
            self._skip_brackets() if self._word in _CLOSING else self._next()
        self._next()

    def _skip_brackets(self) -> None:
        open_brackets = []
        while True:
            word = self._next()
            if word in _CLOSING:
                open_brackets.append(_CLOSING[word])
            elif open_brackets and word == open_brackets[-1]:
                open_brackets.pop()
            elif word in (")", "]", "}") or not open_brackets:
                raise UnreadError(f"brackets do not match, behind {self._before()}")
            if not open_brackets:
                return

    def _skip_to(self, end: str) -> None:
        while self._next() != end:
            pass
        self._label()


def _parameters(declared: Sequence[Word]) -> list[str]:
    """Names of the parameters of a declaration or of a module's header whose values are plain."""
    header_end = declared.index("#") + 1 if "#" in declared else len(declared)
    start = 0 if declared[0] in ("parameter", "localparam") else header_end
    names, depth = [], 0
    for word, following in itertools.pairwise(declared[start:]):
        depth += (word in _CLOSING) - (word in _CLOSING.values())
        if word == "type" or (word, following) == ("'", "{"):
            return []
        if start > 0 and depth == 0:
            break
        if following == "=" and depth == (start > 0) and re.fullmatch(r"[A-Za-z_]\w*", word):
            names.append(str(word))
    return names


def _range_lengths(declared: Sequence[Word]) -> Iterator[str]:
    """Differences of the bounds of the ranges of a declaration or of a module's header."""
    for index, word in enumerate(declared):
        if word == "=" and declared[0] in _DECLARATIONS - {"parameter", "localparam"}:
            return
        if word != "[":
            continue
        depth, colon = 0, None
        for end, inner in enumerate(declared[index:], index):
            depth += (inner in _CLOSING) - (inner in _CLOSING.values())
            if inner == ":" and depth == 1 and declared[end - 1] not in ("+", "-"):
                colon = end
            if depth == 0:
                break
        if colon is not None and "$" not in declared[index:end]:
            yield f"( {_quoted(declared[index + 1 : colon])} ) - ( {_quoted(declared[colon + 1 : end])} )"


def main() -> None:
    """Compare, and print the answer."""
    request = json.loads(sys.argv[1])
    answer = {"difference": "", "unread": ""}
    with tempfile.TemporaryDirectory(dir=".") as folder:
        comparison = _Comparison(request["tools"], request["sources"], request["tops"], Path(folder).resolve())
        try:
            comparison.compare()
        except DifferenceError as difference:
            answer["difference"] = str(difference)
        except UnreadError as reason:
            answer["unread"] = str(reason)
    print(json.dumps(answer))


class _Comparison:
    def __init__(self, tools: Sequence[str], sources: Sequence[str], tops: Sequence[str], folder: Path) -> None:
        self._tools, self._sources, self._tops, self._folder = tools, sources, tops, folder
        self._marked = folder / "marked.sv"
        self._plain = folder / "plain.sv"

    def compare(self) -> None:
        """Compare words, branches and functions.

        Raises:
            DifferenceError: Two tools read different designs.
            UnreadError: One can't read it, or not as it is compared here.
        """
        texts = {tool: _PREPROCESSORS[tool](self._sources, self._folder) for tool in self._tools}
        words_of = {tool: words(text) for tool, text in texts.items()}
        source_words = words_of[self._tools[0]]
        for tool in self._tools[1:]:
            _compare_words(self._tools[0], source_words, tool, words_of[tool])
        self._plain.write_text(joined(source_words), encoding="utf-8")
        marker = Marker(source_words)
        self._marked.write_text(marker.marked_text(), encoding="utf-8")
        # Without a mark all tools have the same ones.
        marks_of = {tool: _MARKS_OF[tool](self) for tool in self._tools if tool != "yosys"} if marker.places else {}
        for tool_pair in itertools.combinations(marks_of, 2):
            if differing_marks := marks_of[tool_pair[0]] ^ marks_of[tool_pair[1]]:
                number = min(number for number, _ in differing_marks)
                taker, refuser = sorted(tool_pair, key=lambda tool: number not in dict(marks_of[tool]))
                if number in dict(marks_of[refuser]):
                    raise DifferenceError(f"{taker} and {refuser} have other values at “{marker.places[number]}”")
                raise DifferenceError(f"{taker} takes the branch at “{marker.places[number]}”, {refuser} does not")
        if "yosys" in self._tools:
            for top in self._tops or self._roots():
                self._compare_function(top)

    def icarus_marks(self) -> set[tuple[int, int]]:
        """Marks that Icarus elaborates, with their values."""
        compiled = self._folder / "marked.vvp"
        _run(["iverilog", "-g2012", "-o", str(compiled), *self._top_options("-s"), str(self._marked)])
        return _marks(_MARKS_OF_ICARUS, compiled, 2)

    def verilator_marks(self) -> set[tuple[int, int]]:
        """Marks that Verilator elaborates, with their values."""
        tree, meta = self._folder / "tree", self._folder / "meta"
        options = ["--json-only", "--json-only-output", str(tree), "--json-only-meta-output", str(meta)]
        options += ["--Mdir", str(self._folder), "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MULTITOP"]
        if len(self._tops) == 1:
            options += ["--top-module", self._tops[0]]
        _run(["verilator", *options, str(self._marked)])
        return _marks(_MARKS_OF_VERILATOR, tree, 16)

    def _top_options(self, option: str) -> list[str]:
        return [word for top in self._tops for word in (option, top)]

    def _roots(self) -> list[str]:
        """Modules that no other one instantiates, as Yosys reads them."""
        design = self._folder / "hierarchy.json"
        _run(["yosys", "-q", "-p", f"read_verilog -sv {self._plain}; hierarchy; proc; write_json {design}"])
        modules = json.loads(design.read_text(encoding="utf-8"))["modules"]
        instantiated = {cell["type"] for module in modules.values() for cell in module["cells"].values()}
        return sorted(name for name in modules if name not in instantiated and not name.startswith("$"))

    def _compare_function(self, top: str) -> None:
        # A design may name a module like a command of Yosys.
        if not re.fullmatch(r"[A-Za-z_]\w*", top, re.ASCII):
            raise UnreadError("the name of a module at the top has other signs than letters and digits")
        netlist_file, ports_file = self._folder / "netlist.v", self._folder / "ports.json"
        synthesised_file = self._folder / "synthesised.v"
        _run(
            [
                *("yosys", "-q", "-p"),
                f"read_verilog -sv {self._plain}; hierarchy -check -top {top}; proc; flatten; opt_clean; "
                f"rename {top} benchwright_netlist; write_verilog -noattr {netlist_file}; write_json {ports_file}; "
                f"rename benchwright_netlist benchwright_synthesised; {_SYNTHESIS}; "
                f"write_verilog -noattr {synthesised_file}",
            ]
        )
        netlist = Netlist(json.loads(ports_file.read_text(encoding="utf-8"))["modules"]["benchwright_netlist"])
        token = secrets.token_hex(8)
        testbench = self._folder / "bench.sv"
        testbench.write_text(bench_text(top, netlist, token), encoding="utf-8")
        files = [str(testbench), str(self._plain), str(netlist_file), str(synthesised_file)]
        simulate = _simulate_with_icarus if "iverilog" in self._tools else _simulate_with_verilator
        output = simulate(files, self._folder)
        match = re.search(rf"^{token} (\w+) (.*)$", output, re.MULTILINE)
        if match is None:
            raise UnreadError(f"the simulation of {top} beside its netlist did not end")
        if match[1] == "unknown":
            raise UnreadError(f"registers behind the output {match[2]} of {top} keep unknown values")
        if match[1] == "different":
            simulator = "Icarus" if "iverilog" in self._tools else "Verilator"
            raise DifferenceError(f"the output {match[2]} of {top} has other values for Yosys than for {simulator}")


def _marks(pattern: re.Pattern[str], elaborated: Path, base: int) -> set[tuple[int, int]]:
    text = elaborated.read_text(encoding="utf-8", errors="replace")
    return {(int(number), int(digits, base) & _MOST_BITS) for number, digits in pattern.findall(text)}


class Netlist:
    """A flat module, as Yosys writes it in JSON.

    Args:
        module: Its ports, cells and names of nets.

    Raises:
        UnreadError: A port is an input and an output.
    """

    def __init__(self, module: dict[str, Any]) -> None:
        ports = module["ports"]
        self.widths: dict[str, int] = {name: len(port["bits"]) for name, port in ports.items()}
        self.inputs = [name for name, port in ports.items() if port["direction"] == "input"]
        self.outputs = [name for name, port in ports.items() if port["direction"] == "output"]
        if len(self.inputs) + len(self.outputs) < len(ports):
            raise UnreadError("a port is an input and an output")
        self._bits = {name: port["bits"] for name, port in ports.items()}
        self._names = {
            bit: name for name, net in module["netnames"].items() if not net["hide_name"] for bit in net["bits"]
        }
        self._sources: dict[int, list[int] | None] = {}
        """Bit → bits of which a cell makes it; None for a register."""
        for cell in module["cells"].values():
            by_direction: dict[str, list[int]] = {"input": [], "output": []}
            for port, bits in cell["connections"].items():
                by_direction[cell["port_directions"][port]] += [bit for bit in bits if isinstance(bit, int)]
            is_register = re.match(r"\$\w*(?:ff|latch)", cell["type"]) is not None
            self._sources |= dict.fromkeys(by_direction["output"], None if is_register else by_direction["input"])

    def registers_of(self, output: str) -> list[str]:
        """Signals of registers on which the value of an output depends at once."""
        reached = {bit for bit in self._bits[output] if isinstance(bit, int)}
        waiting, names = list(reached), set()
        while waiting:
            bit = waiting.pop()
            sources = self._sources.get(bit, [])
            if sources is None and bit in self._names:
                names.add(self._names[bit])
            unreached = set(sources or ()) - reached
            reached |= unreached
            waiting += unreached
        return sorted(names)


def bench_text(top: str, netlist: Netlist, token: str) -> str:
    """A testbench that drives a module, its netlist and what is synthesised alike, and prints what it comes to.

    An output is compared while no register behind it is unknown: with unknown values a netlist may differ from what
    it was made of.

    Args:
        top: Name of the module; its netlist is `benchwright_netlist`, the other one `benchwright_synthesised`.
        netlist: The module's ports and registers.
        token: Word before the result, which the design can't know.
    """
    widths, inputs, outputs = netlist.widths, netlist.inputs, netlist.outputs
    number_of = {name: number for number, name in enumerate(widths)}
    scalars = [number_of[name] for name in inputs if widths[name] == 1]
    lines = ["`timescale 1ns/1ps", "module benchwright_bench;", "integer n, step, port, mode, held, seed; reg done;"]
    lines += [f"reg [{len(widths)}:0] known, compared; wire [31:0] scalars [0:{max(len(scalars), 1) - 1}];"]
    lines += [f"assign scalars[{number}] = {port};" for number, port in enumerate(scalars or [0])]
    lines += [f"reg [{widths[name] - 1}:0] i{number_of[name]};" for name in inputs]
    lines += [
        f"wire [{widths[name] - 1}:0] a{number_of[name]}, b{number_of[name]}, c{number_of[name]};" for name in outputs
    ]
    for module, instance, prefix in (
        (top, "original", "a"),
        ("benchwright_netlist", "netlist", "b"),
        ("benchwright_synthesised", "synthesised", "c"),
    ):
        connections = [f".\\{name} (i{number_of[name]})" for name in inputs]
        connections += [f".\\{name} ({prefix}{number_of[name]})" for name in outputs]
        lines.append(f"\\{module} {instance}({', '.join(connections)});")
    lines.append("task compare; begin")
    for name in outputs:
        number = number_of[name]
        registers = " ^ ".join(f"(^netlist.\\{register} )" for register in netlist.registers_of(name)) or "1'b0"
        lines += [
            f"if (^a{number} !== 1'bx) known[{number}] = 1;",
            f"if (({registers}) !== 1'bx) begin compared[{number}] = 1; for (n = 0; n < {widths[name]}; n = n + 1)",
            f"if (!done && (a{number}[n] === 1'b0 && (b{number}[n] === 1'b1 || c{number}[n] === 1'b1)",
            f"|| a{number}[n] === 1'b1 && (b{number}[n] === 1'b0 || c{number}[n] === 1'b0))) begin",
            f'done = 1; $display("{token} different {name}"); end end',
        ]
    lines += ["end endtask", "initial begin done = 0; known = 0; compared = 0; held = -1;"]
    lines += [f"seed = {secrets.randbits(31)}; #1;", *(f"i{number_of[name]} = 0; #1;" for name in inputs)]
    lines.append(f"for (step = 0; step < {_STEPS if inputs else 1} && !done; step = step + 1) begin")
    if inputs:
        scalar = f"scalars[$unsigned($random(seed)) % {max(len(scalars), 1)}]"
        lines += [
            f"if (step % {_PHASE} == 0) held = {scalar};",
            f"mode = $unsigned($random(seed)) % 8; port = $unsigned($random(seed)) % {len(widths)};",
            f"if (mode[0] && {len(scalars)} > 0) port = {scalar};",
            "if (port != held || step % 50 == 0) case (port)",
        ]
        for name in inputs:
            signal, draws = f"i{number_of[name]}", ", ".join(["$random(seed)"] * ((widths[name] + 31) // 32))
            vector = f"mode < 4 ? {{{draws}}} : mode < 6 ? 0 : mode < 7 ? ~0 : {signal} + 1"
            lines.append(f"{number_of[name]}: {signal} = {f'~{signal}' if widths[name] == 1 else vector};")
        lines += ["default: ;", "endcase"]
    lines += ["#1 compare;", "end"]
    lines += [
        f"if (!done && known[{number_of[name]}] && !compared[{number_of[name]}]) begin done = 1; "
        f'$display("{token} unknown {name}"); end'
        for name in outputs
    ]
    lines += [f'if (!done) $display("{token} same -");', "$finish;", "end", "endmodule"]
    return "\n".join(lines) + "\n"


def _simulate_with_icarus(files: Sequence[str], folder: Path) -> str:
    compiled = folder / "bench.vvp"
    _run(["iverilog", "-g2012", "-s", "benchwright_bench", "-o", str(compiled), *files])
    return _run(["vvp", "-n", str(compiled)])


def _simulate_with_verilator(files: Sequence[str], folder: Path) -> str:
    options = ["--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--x-assign", "0", "--x-initial", "0"]
    build_folder = folder / "made"
    _run(["verilator", *options, "-O0", "--top-module", "benchwright_bench", "--Mdir", str(build_folder), *files])
    return _run([str(build_folder / "Vbenchwright_bench")])


def _icarus_preprocessed(sources: Sequence[str], folder: Path) -> str:
    output = folder / "icarus.v"
    _run(["iverilog", "-g2012", "-E", "-o", str(output), *_include_options(sources), *sources])
    return output.read_text(encoding="utf-8", errors="replace")


def _verilator_preprocessed(sources: Sequence[str], folder: Path) -> str:
    return _run(["verilator", "-E", "-P", *_include_options(sources), *sources])


def _yosys_preprocessed(sources: Sequence[str], folder: Path) -> str:
    options = " ".join(_include_options(sources))
    yosys_log = _run(["yosys", "-p", f"read_verilog -sv -ppdump {options} {' '.join(sources)}"])
    dumps = re.findall(
        r"^-- Verilog code after preprocessor --\n(.*?)^-- END OF DUMP --$", yosys_log, re.MULTILINE | re.DOTALL
    )
    return "\n".join(re.sub(r"^`file_(?:push|pop).*$", "", dump, flags=re.MULTILINE) for dump in dumps)


def _include_options(sources: Sequence[str]) -> list[str]:
    return [f"-I{folder}" for folder in dict.fromkeys(os.path.dirname(source) for source in sources)]


def _compare_words(tool: str, tool_words: Sequence[Word], other_tool: str, other_words: Sequence[Word]) -> None:
    pairs = itertools.zip_longest(tool_words, other_words, fillvalue="the end")
    for number, (word, other_word) in enumerate(pairs):
        if word != other_word:
            preceding = _quoted(tool_words[max(0, number - 6) : number])
            raise DifferenceError(f"behind “{preceding}” {tool} reads “{word}”, {other_tool} “{other_word}”")


def _run(argv: Sequence[str]) -> str:
    """Standard output of a tool.

    Raises:
        UnreadError: It failed.
    """
    process = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (_TOOL_S, _TOOL_S + 1)),
        # The supervisor ends a run whose compilers use up their time.
        env={name: value for name, value in os.environ.items() if name != "BENCHWRIGHT_SUPERVISOR"},
        check=False,
    )
    # A guard tells the signal of the tool that it has started as a shell does.
    if process.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        raise UnreadError(f"{os.path.basename(argv[0])} took over {_TOOL_S} s of processor time")
    output = process.stdout.decode("utf-8", "replace")
    if process.returncode != 0:
        line = next((line for line in output.splitlines() if "error" in line.lower()), output[-200:])
        raise UnreadError(f"{os.path.basename(argv[0])}: {line}")
    return output


_PREPROCESSORS: dict[str, Callable[[Sequence[str], Path], str]] = {
    "iverilog": _icarus_preprocessed,
    "verilator": _verilator_preprocessed,
    "yosys": _yosys_preprocessed,
}
_MARKS_OF: dict[str, Callable[[_Comparison], set[tuple[int, int]]]] = {
    "iverilog": _Comparison.icarus_marks,
    "verilator": _Comparison.verilator_marks,
}

if __name__ == "__main__":
    main()
