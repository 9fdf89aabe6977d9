"""Tables of plain text, as CVDP's reports draw them."""

from __future__ import annotations

from collections.abc import Sequence

Cell = str | int | float


def grid(rows: Sequence[Sequence[Cell]], headers: Sequence[str] = ()) -> list[str]:
    """A table with lines around every cell; columns of numbers are right-aligned."""
    table = [[str(cell) for cell in row] for row in ([list(headers)] if headers else []) + [list(row) for row in rows]]
    if not table:
        return []
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    numeric = [all(isinstance(row[column], int | float) for row in rows) for column in range(len(widths))]

    def rule(mark: str) -> str:
        return "+" + "+".join(mark * (width + 2) for width in widths) + "+"

    lines = [rule("-")]
    for number, row in enumerate(table):
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        lines += [f"| {' | '.join(cells)} |", rule("=" if headers and number == 0 else "-")]
    return lines
