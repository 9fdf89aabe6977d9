"""Uses of a name that its surroundings tell apart from all others: a search need not compile the files that have these.

In

    import types_pkg::*;
    word_t [3:0] words;
    common_queue #(.Depth(2)) u_queue ();
    assign last = types_pkg::MaxBeats;

`word_t` can only be a type, `common_queue` only something that is instantiated, and `MaxBeats` only what the package
declares. Where one of these names has one declaration in all files, that is what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright_verilog.semantics.names.occurrence import NameRole, TargetKind
from benchwright_verilog.semantics.project.index.outline import Outline, word_offsets
from benchwright_verilog.syntax.keywords import RESERVED

INSTANTIATED = frozenset({TargetKind.MODULE, TargetKind.PROGRAM, TargetKind.PRIMITIVE})
_CONSTANTS = frozenset({TargetKind.LOCALPARAM, TargetKind.PARAMETER, TargetKind.FUNCTION, TargetKind.TASK})
_TYPES = frozenset({TargetKind.TYPE, TargetKind.CLASS})
PLAIN_KINDS = INSTANTIATED | _CONSTANTS | _TYPES | {TargetKind.PACKAGE}
"""Kinds of targets that can have such uses."""

_LAST_WORD = re.compile(rb"([A-Za-z_$][\w$]*)\Z")
_WORD = re.compile(rb"\s*([A-Za-z_][\w$]*)")
_AFTER_DIMENSIONS = re.compile(rb"\s*(?:\[[^\[\];]*\]\s*)*([A-Za-z_][\w$]*)")
_PARAMETERS = re.compile(rb"\s*#\s*\(")
_CAST = re.compile(rb"\s*'\s*\(")
_BRACKET = re.compile(rb"[()]")
_SCOPE = re.compile(rb"\s*::")
_IMPORT = re.compile(rb"\bimport\s+(?:[\w$]+\s*::\s*[\w$*]+\s*,\s*)*\Z")
_CONDITION = re.compile(rb"`(?:ifn?def|elsif)\b")
_NO_USE = frozenset(
    b"bind cell checker class config covergroup design endmodule export extern instance interface library macromodule "
    b"module package primitive program use".split()
)
"""Behind these words, a name is declared or has a special meaning."""
_MARKS = (b".", b":", b"`", b"'", b"\\", b"$")
"""Behind these, a name is a member, a label's target, a macro or part of another name."""
_AROUND = 200
"""Number of bytes before a name that matter."""


@dataclass(frozen=True)
class PlainUse:
    """A use. Offsets are bytes."""

    start: int
    end: int
    role: NameRole


@dataclass(frozen=True)
class PlainName:
    """A declared name, as `uses_if_certain` needs to know it.

    Args:
        name: The name.
        kind: One of `PLAIN_KINDS`.
        package: The package that declares it; empty for what no package does.
    """

    name: str
    target_kind: TargetKind
    package: str = ""

    def uses_if_certain(self, outline: Outline) -> list[PlainUse] | None:
        """All uses in a file that does not declare it; None if one of them may be something else.

        Args:
            outline: The file.
        """
        code, word = outline.code, self.name.encode()
        if not self.name.isidentifier() or _CONDITION.search(code):
            return None
        plain_uses: list[PlainUse] = []
        in_macros = _macro_argument_ranges(outline)
        imports = self.package and re.search(rb"(?<![\w$:])%b\s*::\s*\*" % self.package.encode(), code)
        for offset in word_offsets(code, word):
            role = self._role_if_certain(
                code, offset, offset + len(word), is_imported=bool(imports) or not self.package
            )
            if role is None or any(start <= offset < end for start, end in in_macros):
                return None
            plain_uses.append(PlainUse(offset, offset + len(word), role))
        return plain_uses

    def _role_if_certain(self, code: bytes, offset: int, end: int, *, is_imported: bool) -> NameRole | None:
        code_before = code[max(0, offset - _AROUND) : offset].rstrip()
        if code_before.endswith(b"::"):
            return self._role_after_package(code, code_before[:-2].rstrip(), offset, end)
        last_word = _LAST_WORD.search(code_before)
        if (
            (not code_before and offset > _AROUND)
            or code_before.endswith(_MARKS)
            or (last_word is not None and last_word[1] in _NO_USE)
        ):
            return None
        if self.target_kind is TargetKind.PACKAGE and _SCOPE.match(code, end):
            return NameRole.IMPORT if _IMPORT.search(code_before + b" ") else NameRole.NAME
        if self.target_kind in INSTANTIATED and (
            _PARAMETERS.match(code, end) or _is_identifier_match(_WORD.match(code, end))
        ):
            return NameRole.INSTANTIATION
        if self.target_kind in _TYPES and is_imported:
            if _is_identifier_match(_AFTER_DIMENSIONS.match(code, end)) or _CAST.match(code, end):
                return NameRole.TYPE
            if self.target_kind is TargetKind.CLASS and _SCOPE.match(code, end):
                return NameRole.NAME
        return None

    def _role_after_package(self, code: bytes, code_before: bytes, offset: int, end: int) -> NameRole | None:
        """The role of the name in `package::name`."""
        qualifier = _LAST_WORD.search(code_before)
        if not self.package or qualifier is None or qualifier[1] != self.package.encode():
            return None
        outside = code_before[: qualifier.start()].rstrip()
        if outside.endswith((b"::", b".", b"`", b"\\", b"export")):
            return None
        if _IMPORT.search(outside + b" "):
            return NameRole.IMPORT
        if _SCOPE.match(code, end):
            return NameRole.NAME if self.target_kind is TargetKind.CLASS else None
        if self.target_kind in _TYPES:
            return NameRole.TYPE
        return NameRole.CALL if self.target_kind in (TargetKind.FUNCTION, TargetKind.TASK) else NameRole.READ


def _is_identifier_match(match: re.Match[bytes] | None) -> bool:
    return match is not None and match[1].decode() not in RESERVED


def _macro_argument_ranges(outline: Outline) -> list[tuple[int, int]]:
    """Ranges of the arguments of macros that are used."""
    return list(_argument_spans(outline)) if b"`" in outline.data else []


def _argument_spans(outline: Outline) -> Iterator[tuple[int, int]]:
    code = outline.code
    for macro in outline.macros:
        start = macro.end
        while code[start : start + 1].isspace():
            start += 1
        if macro.is_definition or macro.is_condition or code[start : start + 1] != b"(":
            continue
        depth, end = 0, len(code)
        for bracket in _BRACKET.finditer(code, start):
            depth += 1 if bracket[0] == b"(" else -1
            if depth == 0:
                end = bracket.end()
                break
        yield start, end
