"""A VCD file with some of its scopes (IEEE 1800-2017, 21.7): theirs are the only names and values that are copied.

$scope module tb $end $scope module dut $end $var wire 4 " q [3:0] $end …    →    $scope module counter $end …
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import BinaryIO

Scope = tuple[str, ...]

_UNITS = {"s": 0, "ms": -3, "us": -6, "ns": -9, "ps": -12, "fs": -15}
_NS = -9
_KEPT = frozenset({b"$dumpvars", b"$dumpall", b"$dumpon", b"$dumpoff", b"$end"})
_MAX_LINE = 1 << 20


@dataclass(frozen=True)
class CopiedSignals:
    """Contents of a copy."""

    signals: int
    tick_ns: Decimal
    """Length of a tick, in nanoseconds."""


def copy_signals_of_scopes(
    vcd_file: BinaryIO, copy_file: BinaryIO, path_in_copy_by_scope: Mapping[Scope, Scope]
) -> CopiedSignals:
    """Copy what is in some scopes.

    Args:
        vcd_file: The file.
        copy_file: Gets the copy.
        path_in_copy_by_scope: Those that are copied → their paths in the copy.

    Raises:
        ValueError: The source is no VCD file.
    """
    header_words = _words_of_vcd(vcd_file)
    tick_ns = Decimal(1)
    path: list[str] = []
    declarations_by_scope: dict[Scope, tuple[str, list[bytes]]] = {}
    shown_codes: set[bytes] = set()
    for word in header_words:
        arguments = list(_words_until_end(header_words)) if word != b"$enddefinitions" else []
        if word == b"$enddefinitions":
            break
        if word == b"$timescale":
            tick_ns = _tick_ns(b"".join(arguments).decode("ascii", "replace"))
        elif word == b"$scope" and len(arguments) == 2:
            path.append(arguments[1].decode("utf-8", "replace").removeprefix("\\"))
            if (scope := tuple(path)) in path_in_copy_by_scope:
                declarations_by_scope.setdefault(scope, (arguments[0].decode("ascii", "replace"), []))
        elif word == b"$upscope" and path:
            path.pop()
        elif word == b"$var" and len(arguments) >= 4 and (scope := tuple(path)) in declarations_by_scope:
            shown_codes.add(arguments[2])
            declarations_by_scope[scope][1].append(b"$var " + b" ".join(arguments) + b" $end\n")
    else:
        raise ValueError("the header does not end")
    copy_file.write(f"$timescale {_timescale_text(tick_ns)} $end\n".encode())
    _write_declarations(
        copy_file, {path_in_copy_by_scope[scope]: declaration for scope, declaration in declarations_by_scope.items()}
    )
    copy_file.write(b"$enddefinitions $end\n")
    for line in vcd_file:
        if _is_copied_line(line.strip(), shown_codes):
            copy_file.write(line)
    return CopiedSignals(len(shown_codes), tick_ns)


def _words_of_vcd(vcd_file: BinaryIO) -> Iterator[bytes]:
    while line := vcd_file.readline(_MAX_LINE):
        yield from line.split()


def _words_until_end(vcd_words: Iterator[bytes]) -> Iterator[bytes]:
    for word in vcd_words:
        if word == b"$end":
            return
        yield word


def _write_declarations(copy_file: BinaryIO, declarations_by_scope: Mapping[Scope, tuple[str, list[bytes]]]) -> None:
    """The declarations, each scope within the one around it."""
    open_scope: Scope = ()
    for scope_path in sorted(declarations_by_scope):
        shared = next(
            (
                index
                for index, (open_name, next_name) in enumerate(zip(open_scope, scope_path, strict=False))
                if open_name != next_name
            ),
            None,
        )
        shared = min(len(open_scope), len(scope_path)) if shared is None else shared
        copy_file.write(b"$upscope $end\n" * (len(open_scope) - shared))
        for name in scope_path[shared:-1]:
            copy_file.write(f"$scope module {name} $end\n".encode())
        kind, variables = declarations_by_scope[scope_path]
        if len(scope_path) > shared:
            copy_file.write(f"$scope {kind} {scope_path[-1]} $end\n".encode())
        copy_file.writelines(variables)
        open_scope = scope_path
    copy_file.write(b"$upscope $end\n" * len(open_scope))


def _is_copied_line(vcd_line: bytes, copied_identifier_codes: set[bytes]) -> bool:
    first_byte = vcd_line[:1]
    if first_byte == b"#":
        return vcd_line[1:].isdigit()
    if first_byte in b"01xXzZ" and first_byte:
        return vcd_line[1:] in copied_identifier_codes
    if first_byte in b"bBrRsS" and first_byte:
        return vcd_line.rpartition(b" ")[2] in copied_identifier_codes
    return vcd_line in _KEPT


def _tick_ns(timescale_text: str) -> Decimal:
    number = timescale_text.rstrip("munpfs")
    unit = timescale_text[len(number) :]
    if number not in {"1", "10", "100"} or unit not in _UNITS:
        raise ValueError(f"the time scale is {timescale_text!r}")
    return Decimal(number).scaleb(_UNITS[unit] - _NS)


def _timescale_text(tick_ns: Decimal) -> str:
    for unit, power in _UNITS.items():
        count = tick_ns.scaleb(_NS - power)
        if count >= 1:
            return f"{count:.0f} {unit}"
    raise ValueError(f"a tick of {tick_ns} ns")
