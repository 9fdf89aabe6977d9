"""A name in a file, and the declared thing that it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyslang.ast import Symbol


class TargetKind(Enum):
    """The kind of thing that a name was given to."""

    MODULE = "module"
    INTERFACE = "interface"
    PROGRAM = "program"
    PRIMITIVE = "primitive"
    CHECKER = "checker"
    CONFIG = "config"
    PACKAGE = "package"
    CLASS = "class"
    PORT = "port"
    INTERFACE_PORT = "interface port"
    PARAMETER = "parameter"
    LOCALPARAM = "localparam"
    TYPE_PARAMETER = "type parameter"
    NET = "net"
    VARIABLE = "variable"
    ARGUMENT = "argument"
    FIELD = "field"
    PROPERTY = "class property"
    TYPE = "type"
    ENUM_VALUE = "enum value"
    FUNCTION = "function"
    TASK = "task"
    GENVAR = "genvar"
    BLOCK = "block"
    INSTANCE = "instance"
    MODPORT = "modport"
    CLOCKING = "clocking block"
    ASSERTION = "assertion"
    COVERAGE = "coverage"
    CONSTRAINT = "constraint"
    MACRO = "macro"
    FILE = "file"
    OTHER = "name"


class NameRole(Enum):
    """The role of a name where it is used."""

    DECLARATION = "declaration"
    READ = "read"
    WRITE = "write"
    CALL = "call"
    INSTANTIATION = "instantiation"
    CONNECTION = "connection"
    """The name of a port, parameter or argument that is given something there."""
    TYPE = "type"
    IMPORT = "import"
    END = "end"
    """The name after `endmodule :` and the like."""
    INCLUDE = "include"
    TEST = "test"
    """A macro in `ifdef` and the like, or after `undef`."""
    NAME = "name"
    """A step on the way to something else, such as the package in `pkg::item`."""


@dataclass(frozen=True)
class Target:
    """A declared thing. Two are equal when they were declared at the same place under the same name.

    Offsets are UTF-8 bytes of the declaring file's text; a file as a whole has 0 and 0.
    """

    path: Path
    start: int
    end: int
    name: str
    target_kind: TargetKind = field(default=TargetKind.OTHER, compare=False)
    symbol: Symbol | None = field(default=None, compare=False, repr=False, hash=False)
    """slang's symbol where there is one, of the analysis it was found with."""
    is_generated: bool = field(default=False, compare=False)
    """True if a macro wrote the declaration: then the place is where the macro is used."""
    kept_alive: object = field(default=None, compare=False, repr=False, hash=False)
    """The object that has to stay in memory while the symbol is used: slang frees symbols with their compilation."""


class Occurrence(NamedTuple):
    """A name in a file. Offsets are UTF-8 bytes."""

    path: Path
    start: int
    end: int
    target: Target
    role: NameRole
    is_shorthand: bool = False
    """True if `.name` stands for `.name(name)`, and this is the `name` in parentheses."""
    is_generated: bool = False
    """True if a macro wrote the name: then the place is where the macro is used."""
