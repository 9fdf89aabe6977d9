r"""Code in a model's reply: its blocks, the modules in them, and what of them is the file that was asked for.

A reply thinks aloud before it decides, so the first module in it is often a draft, or a helper of the wanted one:

    First try:                         block 1: counter (a draft)
    ```verilog
    module counter(…); … endmodule
    ```
    With an adder of its own:          block 2: adder, counter
    ```verilog
    module adder(…); … endmodule
    module counter(…); adder u(…); … endmodule
    ```
    A testbench:                       block 3: counter_tb
    ```verilog
    module counter_tb; counter dut(…); … endmodule
    ```

The wanted file is the last complete `counter`, with the `adder` that it names. All of it works by the text alone, so
that code with errors is taken like any other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*([^`\n]*)")
_OPAQUE = re.compile(r'//|/\*|"')
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"?', re.DOTALL)
_EDGE = re.compile(
    r"\b(?:(?P<kind>module|macromodule|interface|package|program|primitive|checker)\s+(?:(?:automatic|static)\s+)?"
    r"(?P<name>[A-Za-z_][\w$]*|\\\S+)\s*(?=[(#;]|import\b)"
    r"|end(?P<end>module|interface|package|program|primitive|checker)\b(?:[ \t]*:[ \t]*[A-Za-z_][\w$]*)?)"
)
_UNIT_END = re.compile(r"\bend[a-z]+(?:[ \t]*:[ \t]*[\w$]+)?$")
_MOST_BEFORE = 100
"""Characters of a line that are read to see whether a module can begin behind them."""
_NAME = re.compile(r"[A-Za-z_][\w$]*|\\\S+")
_PORTS = re.compile(r"\s*(?:#|\(\s*[^)\s])|[^;]*;\s*(?:input|output|inout)\b")
_FILE_SCOPE = re.compile(
    r"^[ \t]*(?:`[a-z]\w*(?:[^\n\\]|\\\n|\\)*"
    r"|(?:import|typedef|parameter|localparam|bind|timeunit|timeprecision)\b[^;]{1,2000};)",
    re.MULTILINE,
)
_OTHER_LANGUAGES = frozenset(
    re.findall(
        r"\S+",
        """
        bash bat c c++ cc chisel cmake console cpp csv diff dot html ini java javascript js json latex log make makefile
        markdown math md mermaid perl powershell py python python3 rst ruby rust scala sdc sh shell tcl tex toml vhd
        vhdl wavedrom wavejson xdc xml yaml yml
        """,
    )
)


@dataclass(frozen=True)
class ReplyBlock:
    """A fenced block of a reply, or all that is outside of its blocks."""

    number: int
    """From 1; 0 for what is outside."""
    language: str
    """As the fence names it, in lower case."""
    text: str

    @property
    def label(self) -> str:
        """Name of the block for people."""
        return f"block {self.number}" if self.number else "text outside code blocks"

    @property
    def is_of_other_language(self) -> bool:
        """True if its fence names a language that is not SystemVerilog."""
        return self.language in _OTHER_LANGUAGES

    @cached_property
    def _plain_code(self) -> str:
        return with_comments_and_strings_blanked(self.text)

    @cached_property
    def units(self) -> Sequence[CodeUnit]:
        """Its modules, packages, interfaces and other units, in order."""
        return tuple(_outermost_units(self))

    @cached_property
    def file_scope_names(self) -> frozenset[str]:
        """Names in statements outside of its units, such as `bind` and `import`."""
        return frozenset(
            name
            for start, end in _spans_around_units(self)
            for statement_match in _FILE_SCOPE.finditer(self.plain_code_between(start, end))
            for name in _NAME.findall(statement_match[0])
        )

    def plain_code_between(self, start_offset: int, end_offset: int) -> str:
        """A part of its text, with blanks in place of comments and strings."""
        return self._plain_code[start_offset:end_offset]


@dataclass(frozen=True, eq=False)
class CodeUnit:
    """A module, package, interface, program, primitive or checker in a block."""

    block: ReplyBlock
    kind: str
    """Its keyword, such as `module`."""
    name: str
    start: int
    """Offset in the block's text."""
    header_end: int
    """Offset behind the name."""
    end: int
    is_complete: bool
    """False if it has no end, as one that was cut off."""

    @cached_property
    def names(self) -> frozenset[str]:
        """Names that its code uses, its own among them."""
        return frozenset(_NAME.findall(self.block.plain_code_between(self.start, self.end)))

    @property
    def has_ports_or_parameters(self) -> bool:
        """True for a design, as opposed to a testbench, which has neither ports nor parameters."""
        return _PORTS.match(self.block.plain_code_between(self.header_end, self.end)) is not None


@dataclass(frozen=True)
class CodeChoice:
    """The part of a reply that was taken as the wanted file, and what was not."""

    text: str
    block_labels: tuple[str, ...] = ()
    """The blocks it comes from, such as `block 2`, in the order of the text."""
    modules: tuple[str, ...] = ()
    """Names of the modules, packages and interfaces taken, in the order of the text; empty if it holds none."""
    ignored: tuple[str, ...] = ()
    """What was left out, and why, such as `block 1: counter, of which a later version was taken`."""


def reply_blocks(reply: str) -> Sequence[ReplyBlock]:
    """The fenced blocks of a reply, in order, and behind them what is outside. A fence without an end goes to the end.

    A line that opens a block inside a block ends the first: SystemVerilog has no such line.
    """
    all_blocks: list[ReplyBlock] = []
    outside: list[str] = []
    language: str | None = None
    lines: list[str] = []
    for line in reply.splitlines(keepends=True):
        fence = _FENCE.fullmatch(line.rstrip("\r\n"))
        if fence is None:
            (outside if language is None else lines).append(line)
            continue
        label = fence[1].strip()
        if language is not None:
            all_blocks.append(ReplyBlock(len(all_blocks) + 1, language, "".join(lines)))
        is_opening = language is None or bool(label)
        language = (label.split() or [""])[0].strip("{}.,:").lower() if is_opening else None
        lines = []
    if language is not None:
        all_blocks.append(ReplyBlock(len(all_blocks) + 1, language, "".join(lines)))
    return (*all_blocks, ReplyBlock(0, "", "".join(outside)))


def choose_code(reply: str, wanted_path: str, task_text: str, given_files: Mapping[str, str]) -> CodeChoice | None:
    """The wanted file in a reply; none if the reply declares no module, package or interface.

    Args:
        reply: The whole reply.
        wanted_path: The wanted file.
        task_text: The task. It may name the module.
        given_files: Public files by path, the wanted file's beginning among them.
    """
    all_blocks = reply_blocks(reply)
    readable = [block for block in all_blocks if not block.is_of_other_language]
    units = [code_unit for block in readable for code_unit in block.units]
    if not units:
        return None
    declared_elsewhere = {
        code_unit.name: given_path
        for given_path, text in given_files.items()
        if given_path != wanted_path and given_path.endswith((".v", ".sv", ".svh", ".vh"))
        for code_unit in ReplyBlock(0, "", text).units
    }
    start_names = [code_unit.name for code_unit in ReplyBlock(0, "", given_files.get(wanted_path, "")).units]
    wanted = _wanted_names(units, wanted_path, task_text, start_names, declared_elsewhere)
    chosen = _wanted_and_used_unit_by_name(units, wanted, declared_elsewhere)
    chosen_units = set(chosen.values())
    source_blocks = [block for block in readable if chosen_units & set(block.units)]
    # What a package declares has to come before it is used.
    source_blocks.sort(
        key=lambda block: not any(code_unit.kind == "package" for code_unit in chosen_units & set(block.units))
    )
    return CodeChoice(
        _joined_with_line_ends([_text_without_unchosen_units(block, chosen_units) for block in source_blocks]),
        tuple(block.label for block in source_blocks),
        tuple(code_unit.name for block in source_blocks for code_unit in block.units if code_unit in chosen_units),
        tuple(_ignored_parts_with_reasons(all_blocks, chosen, declared_elsewhere)),
    )


def with_comments_and_strings_blanked(verilog_text: str) -> str:
    """Code of the same length, with blanks in place of comments and strings."""
    parts: list[str] = []
    position = 0
    is_block_closed = True
    search_start = 0
    while (mark := _OPAQUE.search(verilog_text, search_start)) is not None:
        start, end = mark.start(), -1
        if mark[0] == "//":
            line_end = verilog_text.find("\n", start)
            end = len(verilog_text) if line_end < 0 else line_end
        elif mark[0] == "/*" and is_block_closed:
            comment_end = verilog_text.find("*/", start + 2)
            # Without an end it is no comment, but prose such as `rtl/*.sv`.
            is_block_closed = comment_end >= 0
            end = comment_end + 2 if is_block_closed else -1
        elif mark[0] == '"':
            string = _STRING.match(verilog_text, start)
            end = start + 1 if string is None else string.end()
        if end < 0:
            search_start = mark.end()
            continue
        parts += [verilog_text[position:start], re.sub(r"[^\n]", " ", verilog_text[start:end])]
        position = search_start = end
    return "".join([*parts, verilog_text[position:]])


@dataclass
class _OpenUnit:
    kind: str
    name: str
    start: int
    header_end: int
    enclosing_unit: _OpenUnit | None
    end: int | None = None
    is_nested: bool = False
    """True if it is in a unit that has an end."""


def _outermost_units(block: ReplyBlock) -> Iterator[CodeUnit]:
    """Units that are in no other. One without an end goes to the beginning of the next, or to the end of the text."""
    code = block.plain_code_between(0, len(block.text))
    begun: list[_OpenUnit] = []
    open_units: list[_OpenUnit] = []
    open_kinds: Counter[str] = Counter()
    for edge in _EDGE.finditer(code):
        if edge["end"] is not None:
            while open_kinds[edge["end"]]:
                last_unit = open_units.pop()
                open_kinds[last_unit.kind] -= 1
                if last_unit.kind == edge["end"]:
                    last_unit.end = edge.end()
                    break
        elif _stands_where_unit_can_begin(code, edge.start()):
            kind = edge["kind"].removeprefix("macro")
            enclosing_unit = open_units[-1] if open_units else None
            code_unit = _OpenUnit(
                kind, edge["name"], _start_with_attributes(code, edge.start()), edge.end("name"), enclosing_unit
            )
            begun.append(code_unit)
            open_units.append(code_unit)
            open_kinds[kind] += 1
    for code_unit in begun:
        code_unit.is_nested = code_unit.enclosing_unit is not None and (
            code_unit.enclosing_unit.end is not None or code_unit.enclosing_unit.is_nested
        )
    outermost = [code_unit for code_unit in begun if not code_unit.is_nested]
    for code_unit, next_unit in zip(outermost, [*outermost[1:], None], strict=False):
        end = code_unit.end or (len(code) if next_unit is None else next_unit.start)
        yield CodeUnit(
            block, code_unit.kind, code_unit.name, code_unit.start, code_unit.header_end, end, code_unit.end is not None
        )


def _stands_where_unit_can_begin(code: str, offset: int) -> bool:
    line_start = max(code.rfind("\n", 0, offset) + 1, offset - _MOST_BEFORE)
    before = code[line_start:offset].strip()
    if not before or before.startswith("`") or before.endswith((";", "*)", "`")):
        return True
    return _UNIT_END.search(before) is not None


def _start_with_attributes(code: str, keyword_offset: int) -> int:
    """Where a unit begins that may have attributes, such as `(* keep *)`, before its keyword."""
    before = code[max(0, keyword_offset - _MOST_BEFORE) : keyword_offset]
    if not before.rstrip().endswith("*)"):
        return keyword_offset
    attribute = before.rfind("(*")
    return keyword_offset if attribute < 0 else keyword_offset - len(before) + attribute


def _wanted_names(
    units: Sequence[CodeUnit],
    wanted_path: str,
    task_text: str,
    given_module_names: Sequence[str],
    declared_elsewhere: Collection[str],
) -> Sequence[str]:
    """Names of the wanted modules: those of the file's beginning, else the file's own, else those that the task names.

    Where nothing names one, they are the designs that nothing else uses in the last block that has such.
    """
    names = {code_unit.name for code_unit in units}
    if names_of_beginning := [name for name in dict.fromkeys(given_module_names) if name in names]:
        return names_of_beginning
    stem = PurePosixPath(wanted_path).stem
    if same := [name for name in (stem, *sorted(names)) if name in names and name.lower() == stem.lower()]:
        return same[:1]
    stated = names & set(_NAME.findall(task_text)) - set(declared_elsewhere)
    if top := _names_unused_by_others([code_unit for code_unit in units if code_unit.name in stated]):
        return top
    for block in reversed(list(dict.fromkeys(code_unit.block for code_unit in units))):
        designs = [
            code_unit for code_unit in block.units if code_unit.is_complete and code_unit.has_ports_or_parameters
        ]
        if top := _names_unused_by_others(designs):
            return top
    return list(dict.fromkeys(code_unit.name for code_unit in units[-1].block.units))


def _names_unused_by_others(units: Sequence[CodeUnit]) -> Sequence[str]:
    used = {name for code_unit in units for name in code_unit.names - {code_unit.name}}
    names = dict.fromkeys(code_unit.name for code_unit in units)
    return [name for name in names if name not in used] or list(names)


def _wanted_and_used_unit_by_name(
    units: Sequence[CodeUnit], wanted_names: Sequence[str], declared_elsewhere: Collection[str]
) -> Mapping[str, CodeUnit]:
    """The last complete version of each wanted unit and of what it uses, which is best of the same block."""
    unit_versions: dict[str, list[CodeUnit]] = {}
    for code_unit in units:
        unit_versions.setdefault(code_unit.name, []).append(code_unit)
    chosen = {name: _last_complete_version(unit_versions[name], None) for name in wanted_names}
    to_follow = list(chosen.values())
    while to_follow:
        user = to_follow.pop()
        used_names = user.names | user.block.file_scope_names
        for name in sorted(used_names & unit_versions.keys() - chosen.keys() - set(declared_elsewhere)):
            chosen[name] = _last_complete_version(unit_versions[name], user.block)
            to_follow.append(chosen[name])
    return chosen


def _last_complete_version(unit_versions: Sequence[CodeUnit], preferred_block: ReplyBlock | None) -> CodeUnit:
    complete = [code_unit for code_unit in unit_versions if code_unit.is_complete]
    near = [code_unit for code_unit in complete if code_unit.block is preferred_block]
    return (near or complete or unit_versions)[-1]


def _spans_around_units(block: ReplyBlock) -> Iterator[tuple[int, int]]:
    """Spans before, between and behind a block's units."""
    position = 0
    for code_unit in block.units:
        yield position, code_unit.start
        position = code_unit.end
    yield position, len(block.text)


def _text_without_unchosen_units(block: ReplyBlock, chosen_units: Collection[CodeUnit]) -> str:
    """A block without the units that were not chosen. Words around code that is in no fence are left out too."""
    has_words = block.number == 0 and any(
        _FILE_SCOPE.sub("", block.plain_code_between(start, end)).strip() for start, end in _spans_around_units(block)
    )
    parts = []
    for (start, end), code_unit in zip(_spans_around_units(block), [*block.units, None], strict=True):
        if has_words:
            code = block.plain_code_between(start, end)
            parts += [
                block.text[start + statement_match.start() : start + statement_match.end()].strip() + "\n"
                for statement_match in _FILE_SCOPE.finditer(code)
            ]
        else:
            parts.append(block.text[start:end])
        if code_unit is not None and code_unit in chosen_units:
            parts.append(block.text[code_unit.start : code_unit.end] + ("\n" if has_words else ""))
    return "".join(parts)


def _joined_with_line_ends(code_texts: Sequence[str]) -> str:
    return "".join(text if text.endswith("\n") or text is code_texts[-1] else f"{text}\n" for text in code_texts)


def _ignored_parts_with_reasons(
    all_blocks: Sequence[ReplyBlock],
    chosen_unit_by_name: Mapping[str, CodeUnit],
    declaring_file_by_name: Mapping[str, str],
) -> Iterator[str]:
    for block in all_blocks:
        if block.number and (block.is_of_other_language or not block.units):
            yield f"{block.label}: {block.language or 'no module'}"
            continue
        for code_unit in block.units:
            chosen_unit = chosen_unit_by_name.get(code_unit.name)
            if chosen_unit is code_unit:
                continue
            if chosen_unit is None:
                declaring_file = declaring_file_by_name.get(code_unit.name)
                why = "which nothing taken uses" if declaring_file is None else f"which {declaring_file} declares"
            elif not code_unit.is_complete:
                why = "which has no end"
            else:
                why = f"of which another version was taken, from {chosen_unit.block.label}"
            yield f"{block.label}: {code_unit.name}, {why}"
