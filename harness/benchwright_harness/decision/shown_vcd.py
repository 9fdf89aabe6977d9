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
class Copied:
    """Contents of a copy."""

    signals: int
    tick_ns: Decimal
    """Length of a tick, in nanoseconds."""


def copy_shown(source: BinaryIO, target: BinaryIO, scopes: Mapping[Scope, Scope]) -> Copied:
    """Copy what is in some scopes.

    Args:
        source: The file.
        target: Gets the copy.
        scopes: Those that are copied → their paths in the copy.

    Raises:
        ValueError: The source is no VCD file.
    """
    words = _header(source)
    tick_ns = Decimal(1)
    path: list[str] = []
    declared: dict[Scope, tuple[str, list[bytes]]] = {}
    shown_codes: set[bytes] = set()
    for word in words:
        content = list(_until_end(words)) if word != b"$enddefinitions" else []
        if word == b"$enddefinitions":
            break
        if word == b"$timescale":
            tick_ns = _tick_ns(b"".join(content).decode("ascii", "replace"))
        elif word == b"$scope" and len(content) == 2:
            path.append(content[1].decode("utf-8", "replace").removeprefix("\\"))
            if (scope := tuple(path)) in scopes:
                declared.setdefault(scope, (content[0].decode("ascii", "replace"), []))
        elif word == b"$upscope" and path:
            path.pop()
        elif word == b"$var" and len(content) >= 4 and (scope := tuple(path)) in declared:
            shown_codes.add(content[2])
            declared[scope][1].append(b"$var " + b" ".join(content) + b" $end\n")
    else:
        raise ValueError("the header does not end")
    target.write(f"$timescale {_timescale_text(tick_ns)} $end\n".encode())
    _write(target, {scopes[scope]: declaration for scope, declaration in declared.items()})
    target.write(b"$enddefinitions $end\n")
    for line in source:
        if _is_shown(line.strip(), shown_codes):
            target.write(line)
    return Copied(len(shown_codes), tick_ns)


def _header(source: BinaryIO) -> Iterator[bytes]:
    while line := source.readline(_MAX_LINE):
        yield from line.split()


def _until_end(words: Iterator[bytes]) -> Iterator[bytes]:
    for word in words:
        if word == b"$end":
            return
        yield word


def _write(target: BinaryIO, declared: Mapping[Scope, tuple[str, list[bytes]]]) -> None:
    """The declarations, each scope within the one around it."""
    open_scope: Scope = ()
    for scope in sorted(declared):
        shared = next(
            (
                index
                for index, (open_name, next_name) in enumerate(zip(open_scope, scope, strict=False))
                if open_name != next_name
            ),
            None,
        )
        shared = min(len(open_scope), len(scope)) if shared is None else shared
        target.write(b"$upscope $end\n" * (len(open_scope) - shared))
        for name in scope[shared:-1]:
            target.write(f"$scope module {name} $end\n".encode())
        kind, variables = declared[scope]
        if len(scope) > shared:
            target.write(f"$scope {kind} {scope[-1]} $end\n".encode())
        target.writelines(variables)
        open_scope = scope
    target.write(b"$upscope $end\n" * len(open_scope))


def _is_shown(line: bytes, shown_codes: set[bytes]) -> bool:
    first = line[:1]
    if first == b"#":
        return line[1:].isdigit()
    if first in b"01xXzZ" and first:
        return line[1:] in shown_codes
    if first in b"bBrRsS" and first:
        return line.rpartition(b" ")[2] in shown_codes
    return line in _KEPT


def _tick_ns(text: str) -> Decimal:
    number = text.rstrip("munpfs")
    unit = text[len(number) :]
    if number not in {"1", "10", "100"} or unit not in _UNITS:
        raise ValueError(f"the time scale is {text!r}")
    return Decimal(number).scaleb(_UNITS[unit] - _NS)


def _timescale_text(tick_ns: Decimal) -> str:
    for unit, power in _UNITS.items():
        count = tick_ns.scaleb(_NS - power)
        if count >= 1:
            return f"{count:.0f} {unit}"
    raise ValueError(f"a tick of {tick_ns} ns")
