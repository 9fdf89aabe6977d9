"""Descriptions of declared things, in parts, and the phrases and tables that they are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.ast import ArgumentDirection, Symbol

_MOST_ROWS = 40
_KINDS = {
    "Net": "net",
    "Variable": "variable",
    "Port": "port",
    "ModportPort": "modport port",
    "FormalArgument": "argument",
    "Field": "member",
    "ClassProperty": "property",
    "Genvar": "genvar",
    "GenerateBlock": "generate block",
    "GenerateBlockArray": "generate loop",
    "StatementBlock": "block",
    "Iterator": "iterator",
    "ClockingBlock": "clocking block",
    "ClockVar": "clocking variable",
    "LetDecl": "let",
}
_LAST_STEP = re.compile(r"(?:\.|::)[^.:]*\Z")
_DIRECTIONS = {"In": "input", "Out": "output", "InOut": "inout", "Ref": "ref"}


@dataclass(frozen=True)
class NameDescription:
    """The facts that are known of one thing."""

    declaration: str
    fact_lines: tuple[str, ...]
    """One line each, Markdown."""
    table: str = ""
    documentation: str = ""

    @property
    def markdown(self) -> str:
        """All parts, the most important first."""
        markdown_parts = [f"```systemverilog\n{self.declaration}\n```"] if self.declaration else []
        if self.fact_lines:
            markdown_parts.append("  \n".join(self.fact_lines))
        if self.documentation:
            markdown_parts.append(self.documentation)
        if self.table:
            markdown_parts.append(self.table)
        return "\n\n".join(markdown_parts)


def kind_name(symbol: Symbol) -> str:
    """The kind of a symbol, in words: `net`, `generate block`, `clocking block`."""
    kind = symbol.kind.name
    return _KINDS.get(kind) or "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in kind).strip()


def kind_and_owner(symbol: Symbol) -> str:
    """The kind of a symbol, and what it is declared in: ``net of `top` ``."""
    return kind_with_owner(kind_name(symbol), symbol)


def kind_with_owner(kind: str, symbol: Symbol) -> str:
    """A kind with what the symbol is declared in."""
    owner_name = owner_path(symbol)
    return f"{kind} of `{owner_name}`" if owner_name else kind


def owner_path(symbol: Symbol) -> str:
    """The owner in which a symbol is declared: `module`, `module.block`, `package::function`."""
    path = symbol.lexicalPath
    return _LAST_STEP.sub("", path) if _LAST_STEP.search(path) else ""


def direction_name(direction: ArgumentDirection) -> str:
    """`input`, `output`, `inout` or `ref`."""
    return _DIRECTIONS.get(direction.name, "")


def bits_phrase(width: int) -> str:
    """A number of bits in words."""
    return "1 bit" if width == 1 else f"{width} bits"


def shortened_code_line(code: str) -> str:
    """Source code on one line, cut if it is long, for use between backticks."""
    line = " ".join(code.split()).replace("`", "'")
    return line if len(line) <= 100 else line[:99] + "…"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table without its empty columns; empty if there are no rows."""
    if not rows:
        return ""
    shown_rows = [list(row) for row in rows[:_MOST_ROWS]]
    if len(rows) > len(shown_rows):
        shown_rows.append([f"… {len(rows) - len(shown_rows)} more", *([""] * (len(head) - 1))])
    shown_columns = [column for column in range(len(head)) if any(row[column] for row in shown_rows)]
    lines = [
        [head[column] for column in shown_columns],
        ["---"] * len(shown_columns),
        *([row[column] for column in shown_columns] for row in shown_rows),
    ]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
