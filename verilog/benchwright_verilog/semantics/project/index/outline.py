"""Outline of a file's text, found without parsing: its declarations, includes, macros and words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from benchwright_verilog.semantics.names.occurrence import TargetKind

_COMMENT_OR_STRING = re.compile(rb'//[^\n\r]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n\r])*"?', re.DOTALL)
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_$]*")
_QUALIFIED = re.compile(rb"([\w\])]\s*)?(?:(::)|\.)\s*(?=\\([^\s]+)|([A-Za-z_][A-Za-z0-9_$]*))")
_ESCAPED = re.compile(rb"\\([^\s]+)")
_UNIT = re.compile(
    rb"(?<![\w$`.\\])(?:(virtual|typedef|extern)\s+)?"
    rb"(module|macromodule|interface\s+class|interface|program|package|primitive|class|checker|config)\s+"
    rb"(?:(?:automatic|static)\s+)?(?:([A-Za-z_][A-Za-z0-9_$]*)|\\([^\s]+))"
)
_BEFORE_UNIT = re.compile(
    rb"\b(?:module|macromodule|interface|program|package|primitive|class|checker|config)\s+(?:(?:automatic|static)\s+)?\\?\Z"
)
_ROUTINE = re.compile(
    rb"(?<![\w$`.\\])(?:(extern|import|export|pure\s+virtual)\s+(?:\w+\s+)*?)?(function|task)\b([^;(]*?)"
    rb"(?:(?<![\w$])([A-Za-z_][A-Za-z0-9_$]*)|\\([^\s]+))\s*[;(]"
)
_TYPEDEF = re.compile(
    rb"(?<![\w$`])typedef\b(?:[^;{}]|\{(?:[^{}]|\{[^{}]*\})*\})*?([A-Za-z_][A-Za-z0-9_$]*)\s*(?:\[[^\]]*\]\s*)*;"
)
_INCLUDE_WORD = re.compile(rb"`include(?![\w$])")
_INCLUDE = re.compile(rb"`include\s+(\"[^\"\n\r]*\"|<[^>\n\r]*>)")
_WRITES_INCLUDE = re.compile(rb"`(?:i(?:n(?:c(?:l(?:ud?)?)?)?)?)?``")
"""A macro that puts the word `include` together."""
_MACRO = re.compile(rb"`([A-Za-z_][A-Za-z0-9_$]*)(?:\s+([A-Za-z_][A-Za-z0-9_$]*))?")
_CONDITION = re.compile(rb"`(?:ifn?def|elsif)\b")
_MACRO_CALL = re.compile(rb"`([A-Za-z_][A-Za-z0-9_$]*)\s*\(")
_BRACKET = re.compile(rb"[()]")
_DEFINITION = re.compile(rb"`define\b(?:\\\r?\n|[^\n])*")
_DEFINING = frozenset({b"define"})
_TESTING = frozenset({b"undef", b"ifdef", b"ifndef", b"elsif"})
DIRECTIVES = (
    frozenset(
        b"begin_keywords celldefine default_decay_time default_nettype default_trireg_strength "
        b"delay_mode_distributed delay_mode_path delay_mode_unit delay_mode_zero else end_keywords endcelldefine endif "
        b"endprotect endprotected include line nounconnected_drive pragma protect protected resetall timescale "
        b"unconnected_drive undefineall".split()
    )
    | _DEFINING
    | _TESTING
    | {b"__FILE__", b"__LINE__"}
)
"""Words that can't be a macro's name: IEEE 1800-2023, chapter 22, and those that older simulators know."""
NO_UNITS = frozenset({TargetKind.FUNCTION, TargetKind.MACRO, TargetKind.TASK, TargetKind.TYPE})
"""Kinds of symbols that `Outline.symbols` has beside the units."""
_KINDS = {
    b"module": TargetKind.MODULE,
    b"macromodule": TargetKind.MODULE,
    b"interface": TargetKind.INTERFACE,
    b"program": TargetKind.PROGRAM,
    b"package": TargetKind.PACKAGE,
    b"primitive": TargetKind.PRIMITIVE,
    b"class": TargetKind.CLASS,
    b"checker": TargetKind.CHECKER,
    b"config": TargetKind.CONFIG,
}


_IS_WORD = [byte < 128 and (chr(byte).isalnum() or chr(byte) in "_$") for byte in range(256)]


@dataclass(frozen=True)
class DeclaredName:
    """A module, package or the like. Offsets are bytes of its name."""

    name: str
    target_kind: TargetKind
    start: int
    end: int


@dataclass(frozen=True)
class Include:
    """An `include`. Offsets are bytes of the file's name, without the quotes."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class MacroName:
    """A macro's name, without the backtick. Offsets are bytes."""

    name: str
    start: int
    end: int
    is_definition: bool
    is_condition: bool
    """True if it is in an `ifdef` or the like, or after `undef`."""


class Outline:
    """One version of a file; each property is computed when it is first needed.

    Args:
        data: The text as UTF-8.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def units(self) -> tuple[DeclaredName, ...]:
        """Units that it declares at the top, in packages and in modules; conditions and macros are ignored."""
        return tuple(self._find_units())

    def _find_units(self) -> Iterator[DeclaredName]:
        for match in _UNIT.finditer(self.code):
            word_before, keyword = match[1], match[2].split()[-1]
            if word_before and not (word_before == b"virtual" and keyword == b"class"):
                continue
            group = 3 if match[3] is not None else 4
            yield DeclaredName(match[group].decode(), _KINDS[keyword], *match.span(group))

    @cached_property
    def symbols(self) -> tuple[DeclaredName, ...]:
        """The units, and the routines, types and macros beside them and in them."""
        declared_units = [*self.units]
        for routine in _ROUTINE.finditer(self.code):
            group = 4 if routine[4] is not None else 5
            routine_kind = TargetKind.TASK if routine[2] == b"task" else TargetKind.FUNCTION
            if routine[1] is None and routine[group] != b"new":
                declared_units.append(DeclaredName(routine[group].decode(), routine_kind, *routine.span(group)))
        for type_ in _TYPEDEF.finditer(self.code):
            declared_units.append(DeclaredName(type_[1].decode(), TargetKind.TYPE, *type_.span(1)))
        for macro in self.macros:
            if macro.is_definition:
                declared_units.append(DeclaredName(macro.name, TargetKind.MACRO, macro.start, macro.end))
        return tuple(sorted(declared_units, key=lambda unit: unit.start))

    @cached_property
    def includes(self) -> tuple[Include, ...]:
        """The files that it includes."""
        if b"`include" not in self.data:
            return ()
        matches = [_INCLUDE.match(self.data, directive.start()) for directive in _INCLUDE_WORD.finditer(self.code)]
        if None in matches:
            # There may be a comment before the name.
            matches = list(_INCLUDE.finditer(blank_out_comments_and_strings(self.data, keeps_strings=True)))
        return tuple(
            Include(match[1][1:-1].decode(), match.start(1) + 1, match.end(1) - 1)
            for match in matches
            if match is not None
        )

    @cached_property
    def may_include_by_macro(self) -> bool:
        """True if it may include more than `includes`, by names that macros write."""
        return self.data.count(b"`include") != len(self.includes) or bool(_WRITES_INCLUDE.search(self.data))

    @cached_property
    def macros(self) -> tuple[MacroName, ...]:
        """The macros that it names, in their order, also where a condition leaves them out."""
        return tuple(self._find_macros()) if b"`" in self.data else ()

    def _find_macros(self) -> Iterator[MacroName]:
        for match in _MACRO.finditer(self.code):
            directive = match[1]
            if directive in _DEFINING or directive in _TESTING:
                if match[2] is not None:
                    yield MacroName(match[2].decode(), *match.span(2), directive in _DEFINING, directive in _TESTING)
            elif directive not in DIRECTIVES:
                yield MacroName(directive.decode(), *match.span(1), False, False)

    @cached_property
    def macro_definitions_text(self) -> bytes:
        """The text of the macros that it defines."""
        return b"\n".join(_DEFINITION.findall(self.code)) if b"`define" in self.data else b""

    @cached_property
    def has_conditional_compilation(self) -> bool:
        """True if it has conditional compilation."""
        return b"`" in self.data and _CONDITION.search(self.code) is not None

    @cached_property
    def macro_argument_ranges(self) -> tuple[tuple[int, int], ...]:
        """Ranges of the arguments of macros that are used."""
        return tuple(self._find_macro_arguments()) if b"`" in self.data else ()

    def _find_macro_arguments(self) -> Iterator[tuple[int, int]]:
        for macro_call in _MACRO_CALL.finditer(self.code):
            if macro_call[1] in DIRECTIVES:
                continue
            depth, end = 0, len(self.code)
            for bracket in _BRACKET.finditer(self.code, macro_call.end() - 1):
                depth += 1 if bracket[0] == b"(" else -1
                if depth == 0:
                    end = bracket.end()
                    break
            yield macro_call.end() - 1, end

    @cached_property
    def code_words(self) -> frozenset[str]:
        """All words of the code."""
        code = self.code
        return frozenset(word.decode() for word in {*_WORD.findall(code), *_ESCAPED.findall(code)})

    @cached_property
    def qualified_words(self) -> frozenset[str]:
        """The words behind `::`, and behind a dot that has something before it: `a.member`, but not `.port(a)`."""
        return self._qualified_and_connection_words[0]

    @cached_property
    def connection_words(self) -> frozenset[str]:
        """The words behind a dot that has nothing before it, such as the ports and parameters of instances."""
        return self._qualified_and_connection_words[1]

    @cached_property
    def _qualified_and_connection_words(self) -> tuple[frozenset[str], frozenset[str]]:
        qualified: set[bytes] = set()
        connected: set[bytes] = set()
        for text_before, scope, escaped, simple in _QUALIFIED.findall(self.code):
            (qualified if text_before or scope else connected).add(escaped or simple)
        return frozenset(word.decode() for word in qualified), frozenset(word.decode() for word in connected)

    @cached_property
    def code(self) -> bytes:
        """The text with spaces for comments and strings."""
        return blank_out_comments_and_strings(self.data)

    def declares_unit(self, name: str) -> bool:
        """True if it seems to declare a module, package or the like; quicker than looking for all of them."""
        for offset in self.word_byte_offsets(name):
            match = _BEFORE_UNIT.search(self.data, max(0, offset - 40), offset)
            if match is not None and not self._is_in_comment(match.start()):
                return True
        return False

    def _is_in_comment(self, offset: int) -> bool:
        line = self.data.rfind(b"\n", 0, offset) + 1
        return b"//" in self.data[line:offset] or self.data.rfind(b"/*", 0, offset) > self.data.rfind(b"*/", 0, offset)

    def word_byte_offsets(self, name: str) -> Iterator[int]:
        """The bytes at which a name occurs as a whole word, including comments and strings."""
        if name.isidentifier():
            yield from word_offsets(self.data, name.encode())
        else:
            yield from (match.start() for match in re.finditer(re.escape(name.encode()), self.data))

    def word_byte_offsets_in_code(self, name: str) -> Iterator[int]:
        """The bytes at which a name occurs as a whole word outside of comments and strings."""
        size = len(name.encode())
        return (byte for byte in self.word_byte_offsets(name) if self.code[byte : byte + size].strip())


def word_offsets(data: bytes, word: bytes) -> Iterator[int]:
    """The bytes at which a whole word begins; many times as fast as a regular expression."""
    offset = data.find(word)
    while offset >= 0:
        end = offset + len(word)
        if not (_IS_WORD[data[offset - 1]] if offset else False) and not (end < len(data) and _IS_WORD[data[end]]):
            yield offset
        offset = data.find(word, offset + 1)


def blank_out_comments_and_strings(data: bytes, *, keeps_strings: bool = False) -> bytes:
    """Source code with comments and strings replaced by spaces, byte for byte; strings stay if `keeps_strings`."""
    pieces: list[bytes] = []
    end_of_pieces = 0
    # A regular expression alone tries each byte, which takes four times as long.
    slash, quote = data.find(b"/"), data.find(b'"')
    while slash >= 0 or quote >= 0:
        start = min(slash, quote) if slash >= 0 and quote >= 0 else max(slash, quote)
        match = _COMMENT_OR_STRING.match(data, start)
        end = match.end() if match is not None else start + 1
        if match is not None and not (keeps_strings and start == quote):
            pieces += (data[end_of_pieces:start], b" " * (end - start))
            end_of_pieces = end
        if 0 <= slash < end:
            slash = data.find(b"/", end)
        if 0 <= quote < end:
            quote = data.find(b'"', end)
    pieces.append(data[end_of_pieces:])
    return b"".join(pieces)
