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
        text: The word.
        has_gap_before: True if something that is no word, such as a blank or a comment, is before it.
    """

    has_gap_before: bool

    def __new__(cls, text: str, *, has_gap_before: bool = True) -> Word:
        """A string with its attribute."""
        word = super().__new__(cls, text)
        word.has_gap_before = has_gap_before
        return word


def words(preprocessed_text: str) -> list[Word]:
    """The words of a preprocessed text, without comments and directives that tools hand on."""
    preprocessed_text = _DIRECTIVE.sub("", preprocessed_text)
    text_words, end = [], -1
    for match in _WORD.finditer(preprocessed_text):
        if not match[0].startswith(("/*", "//")):
            text_words.append(Word(match[0], has_gap_before=match.start() != end))
            end = match.end()
    return text_words


def joined(text_words: Sequence[Word]) -> str:
    """The words as a text that tools take apart in the same way."""
    return "".join(f"\n{word}" if word.has_gap_before else word for word in text_words)


def _spaced_text_of_words(text_words: Sequence[Word]) -> str:
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
            word = self._copy_next_word()
            if word in _MODULES:
                self._copy_module_with_marks(_MODULES[word])
            elif word in _ENDS:
                self._copy_up_to(_ENDS[word])
        return joined(self._marked)

    @property
    def _current_word(self) -> Word:
        if self._index >= len(self._words):
            raise UnreadError("the design ends within a module")
        return self._words[self._index]

    def _copy_next_word(self) -> Word:
        word = self._current_word
        self._index += 1
        self._marked.append(word)
        return word

    def _quoted_words_before(self) -> str:
        return _spaced_text_of_words(self._words[max(0, self._index - 8) : self._index])

    def _copy_items_with_marks_and_end(self, end_word: str) -> None:
        """Items of a module or a block, up to the word that ends it."""
        while self._current_word != end_word:
            self._copy_item_with_marks()
        self._copy_next_word()
        self._copy_label_if_any()

    def _copy_item_with_marks(self) -> None:
        word = self._current_word
        if word in ("if", "for"):
            self._copy_next_word()
            self._copy_brackets()
            self._copy_branch_and_mark()
            if word == "if" and self._current_word == "else":
                self._copy_next_word()
                self._copy_branch_and_mark()
        elif word == "case":
            self._copy_next_word()
            self._copy_brackets()
            while self._current_word != "endcase":
                self._copy_case_label()
                self._copy_branch_and_mark()
            self._copy_next_word()
        elif word == "begin":
            self._copy_next_word()
            self._copy_label_if_any()
            self._copy_items_with_marks_and_end("end")
        elif word in _PROCESSES:
            self._copy_next_word()
            self._copy_process_statement()
        elif word in ("import", "export", "extern"):
            self._copy_statement()
        elif word in _ENDS:
            self._copy_next_word()
            self._copy_up_to(_ENDS[word])
        elif word in ("generate", "endgenerate"):
            self._copy_next_word()
        elif word in _MODULES:
            self._copy_next_word()
            self._copy_module_with_marks(_MODULES[word])
        elif word in ("assert", "assume", "cover", "restrict") or self._is_labelled_assertion():
            self._copy_process_statement()
        elif word in _DECLARATIONS:
            self._copy_declaration_and_mark()
        elif word == "(":
            # Attributes.
            self._copy_brackets()
        else:
            self._copy_statement()

    def _copy_module_with_marks(self, end_word: str) -> None:
        self._copy_declaration_and_mark()
        self._copy_items_with_marks_and_end(end_word)

    def _copy_declaration_and_mark(self) -> None:
        """A declaration, or the header of a module."""
        start = self._index
        self._copy_statement()
        declared = self._words[start : self._index]
        for constant in (*_plain_parameter_names(declared), *_range_length_expressions(declared)):
            self._add_mark(constant)

    def _copy_branch_and_mark(self) -> None:
        word = self._current_word
        if word in ("if", "case", "for"):
            self._copy_item_with_marks()
        elif word == ";":
            self._copy_next_word()
        elif word == "begin" or self._words[self._index + 1 : self._index + 3] == [":", "begin"]:
            if word != "begin":
                self._copy_next_word()
                self._copy_next_word()
            self._copy_next_word()
            self._copy_label_if_any()
            self._add_mark()
            self._copy_items_with_marks_and_end("end")
        else:
            self._marked.append(Word("begin"))
            self._add_mark()
            self._copy_item_with_marks()
            self._marked.append(Word("end"))

    def _add_mark(self, constant: str = "0") -> None:
        number = len(self.places)
        self.places[number] = _spaced_text_of_words(self._words[max(0, self._index - 12) : self._index + 6])
        self._marked += [Word(f"localparam {_MARK}{number} = {constant};")]

    def _copy_label_if_any(self) -> None:
        if self._index < len(self._words) and self._current_word == ":":
            self._copy_next_word()
            self._copy_next_word()

    def _is_labelled_assertion(self) -> bool:
        following = self._words[self._index + 1 : self._index + 3]
        return following[:1] == [":"] and following[1:] in (["assert"], ["assume"], ["cover"], ["restrict"])

    def _copy_process_statement(self) -> None:
        """A statement of a process."""
        while True:
            word = self._current_word
            if word in ("@", "#"):
                self._copy_next_word()
                self._copy_next_word() if self._current_word != "(" else self._copy_brackets()
            elif self._words[self._index + 1 : self._index + 2] == [":"]:
                self._copy_next_word()
                self._copy_next_word()
            elif word in ("unique", "unique0", "priority", "forever"):
                self._copy_next_word()
            else:
                break
        if word in _NESTED:
            self._copy_nested_block()
        elif word in _PARENTHESISED:
            self._copy_next_word()
            self._copy_brackets()
            self._copy_process_statement()
            self._copy_else_branch()
        elif word == "do":
            self._copy_next_word()
            self._copy_process_statement()
            self._copy_statement()
        elif word in ("assert", "assume", "cover", "restrict"):
            while self._current_word != "(":
                self._copy_next_word()
            self._copy_brackets()
            if self._current_word != "else":
                self._copy_process_statement()
            self._copy_else_branch()
        else:
            self._copy_statement()

    def _copy_else_branch(self) -> None:
        if self._index < len(self._words) and self._current_word == "else":
            self._copy_next_word()
            self._copy_process_statement()

    def _copy_nested_block(self) -> None:
        depth = 0
        while True:
            depth += _NESTED.get(self._copy_next_word(), 0)
            if depth == 0:
                self._copy_label_if_any()
                return

    def _copy_case_label(self) -> None:
        if self._current_word == "default":
            self._copy_next_word()
            if self._current_word == ":":
                self._copy_next_word()
            return
        while self._current_word != ":":
            if self._current_word == "?":
                raise UnreadError("a case label has a condition")
            self._copy_brackets() if self._current_word in _CLOSING else self._copy_next_word()
        self._copy_next_word()

    def _copy_statement(self) -> None:
        while self._current_word != ";":
            self._copy_brackets() if self._current_word in _CLOSING else self._copy_next_word()
        self._copy_next_word()

    def _copy_brackets(self) -> None:
        open_brackets = []
        while True:
            word = self._copy_next_word()
            if word in _CLOSING:
                open_brackets.append(_CLOSING[word])
            elif open_brackets and word == open_brackets[-1]:
                open_brackets.pop()
            elif word in (")", "]", "}") or not open_brackets:
                raise UnreadError(f"brackets do not match, behind {self._quoted_words_before()}")
            if not open_brackets:
                return

    def _copy_up_to(self, end_word: str) -> None:
        while self._copy_next_word() != end_word:
            pass
        self._copy_label_if_any()


def _plain_parameter_names(declaration_words: Sequence[Word]) -> list[str]:
    """Names of the parameters of a declaration or of a module's header whose values are plain."""
    header_end = declaration_words.index("#") + 1 if "#" in declaration_words else len(declaration_words)
    start = 0 if declaration_words[0] in ("parameter", "localparam") else header_end
    names, depth = [], 0
    for word, following in itertools.pairwise(declaration_words[start:]):
        depth += (word in _CLOSING) - (word in _CLOSING.values())
        if word == "type" or (word, following) == ("'", "{"):
            return []
        if start > 0 and depth == 0:
            break
        if following == "=" and depth == (start > 0) and re.fullmatch(r"[A-Za-z_]\w*", word):
            names.append(str(word))
    return names


def _range_length_expressions(declaration_words: Sequence[Word]) -> Iterator[str]:
    """Differences of the bounds of the ranges of a declaration or of a module's header."""
    for index, word in enumerate(declaration_words):
        if word == "=" and declaration_words[0] in _DECLARATIONS - {"parameter", "localparam"}:
            return
        if word != "[":
            continue
        depth, colon = 0, None
        for end, inner in enumerate(declaration_words[index:], index):
            depth += (inner in _CLOSING) - (inner in _CLOSING.values())
            if inner == ":" and depth == 1 and declaration_words[end - 1] not in ("+", "-"):
                colon = end
            if depth == 0:
                break
        if colon is not None and "$" not in declaration_words[index:end]:
            left_bound = _spaced_text_of_words(declaration_words[index + 1 : colon])
            right_bound = _spaced_text_of_words(declaration_words[colon + 1 : end])
            yield f"( {left_bound} ) - ( {right_bound} )"


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
    def __init__(
        self, tools: Sequence[str], source_paths: Sequence[str], top_modules: Sequence[str], folder: Path
    ) -> None:
        self._tools, self._sources, self._tops, self._folder = tools, source_paths, top_modules, folder
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
            for top in self._tops or self._root_modules():
                self._compare_netlist_with_simulator(top)

    def icarus_marks_and_values(self) -> set[tuple[int, int]]:
        """Marks that Icarus elaborates, with their values."""
        compiled = self._folder / "marked.vvp"
        _tool_output(["iverilog", "-g2012", "-o", str(compiled), *self._top_options("-s"), str(self._marked)])
        return _marks_and_values_in_elaborated_design(_MARKS_OF_ICARUS, compiled, 2)

    def verilator_marks_and_values(self) -> set[tuple[int, int]]:
        """Marks that Verilator elaborates, with their values."""
        tree, meta = self._folder / "tree", self._folder / "meta"
        options = ["--json-only", "--json-only-output", str(tree), "--json-only-meta-output", str(meta)]
        options += ["--Mdir", str(self._folder), "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MULTITOP"]
        if len(self._tops) == 1:
            options += ["--top-module", self._tops[0]]
        _tool_output(["verilator", *options, str(self._marked)])
        return _marks_and_values_in_elaborated_design(_MARKS_OF_VERILATOR, tree, 16)

    def _top_options(self, option_name: str) -> list[str]:
        return [word for top in self._tops for word in (option_name, top)]

    def _root_modules(self) -> list[str]:
        """Modules that no other one instantiates, as Yosys reads them."""
        design = self._folder / "hierarchy.json"
        _tool_output(["yosys", "-q", "-p", f"read_verilog -sv {self._plain}; hierarchy; proc; write_json {design}"])
        modules = json.loads(design.read_text(encoding="utf-8"))["modules"]
        instantiated = {cell["type"] for module in modules.values() for cell in module["cells"].values()}
        return sorted(name for name in modules if name not in instantiated and not name.startswith("$"))

    def _compare_netlist_with_simulator(self, top_module: str) -> None:
        # A design may name a module like a command of Yosys.
        if not re.fullmatch(r"[A-Za-z_]\w*", top_module, re.ASCII):
            raise UnreadError("the name of a module at the top has other signs than letters and digits")
        netlist_file, ports_file = self._folder / "netlist.v", self._folder / "ports.json"
        synthesised_file = self._folder / "synthesised.v"
        _tool_output(
            [
                *("yosys", "-q", "-p"),
                f"read_verilog -sv {self._plain}; hierarchy -check -top {top_module}; proc; flatten; opt_clean; "
                f"rename {top_module} benchwright_netlist; write_verilog -noattr {netlist_file}; "
                f"write_json {ports_file}; "
                f"rename benchwright_netlist benchwright_synthesised; {_SYNTHESIS}; "
                f"write_verilog -noattr {synthesised_file}",
            ]
        )
        netlist = Netlist(json.loads(ports_file.read_text(encoding="utf-8"))["modules"]["benchwright_netlist"])
        token = secrets.token_hex(8)
        testbench = self._folder / "bench.sv"
        testbench.write_text(comparison_testbench_text(top_module, netlist, token), encoding="utf-8")
        files = [str(testbench), str(self._plain), str(netlist_file), str(synthesised_file)]
        simulate = _simulate_with_icarus if "iverilog" in self._tools else _simulate_with_verilator
        output = simulate(files, self._folder)
        match = re.search(rf"^{token} (\w+) (.*)$", output, re.MULTILINE)
        if match is None:
            raise UnreadError(f"the simulation of {top_module} beside its netlist did not end")
        if match[1] == "unknown":
            raise UnreadError(f"registers behind the output {match[2]} of {top_module} keep unknown values")
        if match[1] == "different":
            simulator = "Icarus" if "iverilog" in self._tools else "Verilator"
            raise DifferenceError(
                f"the output {match[2]} of {top_module} has other values for Yosys than for {simulator}"
            )


def _marks_and_values_in_elaborated_design(
    mark_pattern: re.Pattern[str], elaborated_file: Path, number_base: int
) -> set[tuple[int, int]]:
    text = elaborated_file.read_text(encoding="utf-8", errors="replace")
    return {(int(number), int(digits, number_base) & _MOST_BITS) for number, digits in mark_pattern.findall(text)}


class Netlist:
    """A flat module, as Yosys writes it in JSON.

    Args:
        module_json: Its ports, cells and names of nets.

    Raises:
        UnreadError: A port is an input and an output.
    """

    def __init__(self, module_json: dict[str, Any]) -> None:
        ports = module_json["ports"]
        self.widths: dict[str, int] = {name: len(port["bits"]) for name, port in ports.items()}
        self.inputs = [name for name, port in ports.items() if port["direction"] == "input"]
        self.outputs = [name for name, port in ports.items() if port["direction"] == "output"]
        if len(self.inputs) + len(self.outputs) < len(ports):
            raise UnreadError("a port is an input and an output")
        self._bits = {name: port["bits"] for name, port in ports.items()}
        self._names = {
            bit: name for name, net in module_json["netnames"].items() if not net["hide_name"] for bit in net["bits"]
        }
        self._sources: dict[int, list[int] | None] = {}
        """Bit → bits of which a cell makes it; None for a register."""
        for cell in module_json["cells"].values():
            by_direction: dict[str, list[int]] = {"input": [], "output": []}
            for port, bits in cell["connections"].items():
                by_direction[cell["port_directions"][port]] += [bit for bit in bits if isinstance(bit, int)]
            is_register = re.match(r"\$\w*(?:ff|latch)", cell["type"]) is not None
            self._sources |= dict.fromkeys(by_direction["output"], None if is_register else by_direction["input"])

    def registers_of(self, output_name: str) -> list[str]:
        """Signals of registers on which the value of an output depends at once."""
        reached = {bit for bit in self._bits[output_name] if isinstance(bit, int)}
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


def comparison_testbench_text(top_module: str, netlist: Netlist, result_token: str) -> str:
    """A testbench that drives a module, its netlist and what is synthesised alike, and prints what it comes to.

    An output is compared while no register behind it is unknown: with unknown values a netlist may differ from what
    it was made of.

    Args:
        top_module: Name of the module; its netlist is `benchwright_netlist`, the other one `benchwright_synthesised`.
        netlist: The module's ports and registers.
        result_token: Word before the result, which the design can't know.
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
        (top_module, "original", "a"),
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
            f'done = 1; $display("{result_token} different {name}"); end end',
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
        f'$display("{result_token} unknown {name}"); end'
        for name in outputs
    ]
    lines += [f'if (!done) $display("{result_token} same -");', "$finish;", "end", "endmodule"]
    return "\n".join(lines) + "\n"


def _simulate_with_icarus(source_files: Sequence[str], folder: Path) -> str:
    compiled = folder / "bench.vvp"
    _tool_output(["iverilog", "-g2012", "-s", "benchwright_bench", "-o", str(compiled), *source_files])
    return _tool_output(["vvp", "-n", str(compiled)])


def _simulate_with_verilator(source_files: Sequence[str], folder: Path) -> str:
    options = ["--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--x-assign", "0", "--x-initial", "0"]
    build_folder = folder / "made"
    _tool_output(
        ["verilator", *options, "-O0", "--top-module", "benchwright_bench", "--Mdir", str(build_folder), *source_files]
    )
    return _tool_output([str(build_folder / "Vbenchwright_bench")])


def _icarus_preprocessed(sources: Sequence[str], folder: Path) -> str:
    output = folder / "icarus.v"
    _tool_output(["iverilog", "-g2012", "-E", "-o", str(output), *_include_options(sources), *sources])
    return output.read_text(encoding="utf-8", errors="replace")


def _verilator_preprocessed(sources: Sequence[str], folder: Path) -> str:
    return _tool_output(["verilator", "-E", "-P", *_include_options(sources), *sources])


def _yosys_preprocessed(sources: Sequence[str], folder: Path) -> str:
    options = " ".join(_include_options(sources))
    yosys_log = _tool_output(["yosys", "-p", f"read_verilog -sv -ppdump {options} {' '.join(sources)}"])
    dumps = re.findall(
        r"^-- Verilog code after preprocessor --\n(.*?)^-- END OF DUMP --$", yosys_log, re.MULTILINE | re.DOTALL
    )
    return "\n".join(re.sub(r"^`file_(?:push|pop).*$", "", dump, flags=re.MULTILINE) for dump in dumps)


def _include_options(sources: Sequence[str]) -> list[str]:
    return [f"-I{folder}" for folder in dict.fromkeys(os.path.dirname(source) for source in sources)]


def _compare_words(
    tool_name: str, tool_words: Sequence[Word], other_tool_name: str, other_words: Sequence[Word]
) -> None:
    pairs = itertools.zip_longest(tool_words, other_words, fillvalue="the end")
    for number, (word, other_word) in enumerate(pairs):
        if word != other_word:
            preceding = _spaced_text_of_words(tool_words[max(0, number - 6) : number])
            raise DifferenceError(f"behind “{preceding}” {tool_name} reads “{word}”, {other_tool_name} “{other_word}”")


def _tool_output(command: Sequence[str]) -> str:
    """Standard output of a tool.

    Raises:
        UnreadError: It failed.
    """
    process = subprocess.run(
        command,
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
        raise UnreadError(f"{os.path.basename(command[0])} took over {_TOOL_S} s of processor time")
    output = process.stdout.decode("utf-8", "replace")
    if process.returncode != 0:
        line = next((line for line in output.splitlines() if "error" in line.lower()), output[-200:])
        raise UnreadError(f"{os.path.basename(command[0])}: {line}")
    return output


_PREPROCESSORS: dict[str, Callable[[Sequence[str], Path], str]] = {
    "iverilog": _icarus_preprocessed,
    "verilator": _verilator_preprocessed,
    "yosys": _yosys_preprocessed,
}
_MARKS_OF: dict[str, Callable[[_Comparison], set[tuple[int, int]]]] = {
    "iverilog": _Comparison.icarus_marks_and_values,
    "verilator": _Comparison.verilator_marks_and_values,
}

if __name__ == "__main__":
    main()
