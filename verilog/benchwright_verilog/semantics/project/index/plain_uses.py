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
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from benchwright_verilog.semantics.names.occurrence import NameRole, TargetKind
from benchwright_verilog.semantics.project.index.outline import Outline, word_offsets
from benchwright_verilog.syntax.keywords import RESERVED

INSTANTIATED = frozenset({TargetKind.MODULE, TargetKind.PROGRAM, TargetKind.PRIMITIVE})
_CONSTANTS = frozenset({TargetKind.LOCALPARAM, TargetKind.PARAMETER, TargetKind.FUNCTION, TargetKind.TASK})
_TYPES = frozenset({TargetKind.TYPE, TargetKind.CLASS})
PLAIN_KINDS = INSTANTIATED | _CONSTANTS | _TYPES | {TargetKind.PACKAGE}
"""Kinds of targets that can have such uses."""

_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
_WORD = re.compile(rb"\s*([A-Za-z_][\w$]*)")
_AFTER_DIMENSIONS = re.compile(rb"\s*(?:\[[^\[\];]*\]\s*)*([A-Za-z_][\w$]*)")
_PARAMETERS = re.compile(rb"\s*#\s*\(")
_CAST = re.compile(rb"\s*'\s*\(")
_SCOPE = re.compile(rb"\s*::")
_EVERYTHING = re.compile(rb"\s*::\s*\*")
_IMPORT = re.compile(rb"\bimport\s+(?:[\w$]+\s*::\s*[\w$*]+\s*,\s*)*\Z")
_NO_USE = frozenset(
    b"bind cell checker class config covergroup design endmodule export extern instance interface library macromodule "
    b"module package primitive program use".split()
)
"""Behind these words, a name is declared or has a special meaning."""
_MARKS = (b".", b":", b"`", b"'", b"\\", b"$")
"""Behind these, a name is a member, a label's target, a macro or part of another name."""
_AROUND = 200
"""Number of bytes before a name that matter."""


class PlainUse(NamedTuple):
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

    # Enumerations are hashed by Python code: for each place that takes longer than all else.

    @cached_property
    def _is_type(self) -> bool:
        return self.target_kind in _TYPES

    @cached_property
    def _is_instantiated(self) -> bool:
        return self.target_kind in INSTANTIATED

    def uses_if_certain(self, outline: Outline) -> list[PlainUse] | None:
        """All uses in a file that does not declare it; None if one of them may be something else.

        Args:
            outline: The file.
        """
        code, word = outline.code, self.name.encode()
        if not self.name.isidentifier() or outline.has_conditional_compilation:
            return None
        plain_uses: list[PlainUse] = []
        is_imported = not self.package or self._imports_package(code)
        for offset in word_offsets(code, word):
            role = self._role_if_certain(code, offset, offset + len(word), is_imported=is_imported)
            if role is None or any(start <= offset < end for start, end in outline.macro_argument_ranges):
                return None
            plain_uses.append(PlainUse(offset, offset + len(word), role))
        return plain_uses

    def _imports_package(self, code: bytes) -> bool:
        """True if all that the package declares may be imported."""
        package = self.package.encode()
        return any(
            _EVERYTHING.match(code, offset + len(package)) and code[offset - 1 : offset] != b":"
            for offset in word_offsets(code, package)
        )

    def _role_if_certain(self, code: bytes, offset: int, end: int, *, is_imported: bool) -> NameRole | None:
        code_before = code[max(0, offset - _AROUND) : offset].rstrip()
        if code_before.endswith(b"::"):
            return self._role_after_package(code, code_before[:-2].rstrip(), offset, end)
        if (
            (not code_before and offset > _AROUND)
            or code_before.endswith(_MARKS)
            or code_before[len(code_before.rstrip(_WORD_BYTES)) :] in _NO_USE
        ):
            return None
        if self.target_kind is TargetKind.PACKAGE and _SCOPE.match(code, end):
            return NameRole.IMPORT if _IMPORT.search(code_before + b" ") else NameRole.NAME
        if self._is_instantiated and (_PARAMETERS.match(code, end) or _is_identifier_match(_WORD.match(code, end))):
            return NameRole.INSTANTIATION
        if self._is_type and is_imported:
            if _is_identifier_match(_AFTER_DIMENSIONS.match(code, end)) or _CAST.match(code, end):
                return NameRole.TYPE
            if self.target_kind is TargetKind.CLASS and _SCOPE.match(code, end):
                return NameRole.NAME
        return None

    def _role_after_package(self, code: bytes, code_before: bytes, offset: int, end: int) -> NameRole | None:
        """The role of the name in `package::name`."""
        before_qualifier = code_before.rstrip(_WORD_BYTES)
        if not self.package or code_before[len(before_qualifier) :] != self.package.encode():
            return None
        outside = before_qualifier.rstrip()
        if outside.endswith((b"::", b".", b"`", b"\\", b"export")):
            return None
        if _IMPORT.search(outside + b" "):
            return NameRole.IMPORT
        if _SCOPE.match(code, end):
            return NameRole.NAME if self.target_kind is TargetKind.CLASS else None
        if self._is_type:
            return NameRole.TYPE
        return NameRole.CALL if self.target_kind in (TargetKind.FUNCTION, TargetKind.TASK) else NameRole.READ


def _is_identifier_match(match: re.Match[bytes] | None) -> bool:
    return match is not None and match[1].decode() not in RESERVED
