"""The tables that commands print: nothing in them is cut or broken that has to be typed back."""

from __future__ import annotations

import typer
from rich.cells import cell_len
from rich.table import Table as _Grid
from rich.text import Text

from benchwright_server.cli.terminal.output import console

Cell = str | Text
"""Plain text, or text in colours."""

_INDENT = "    "


class TerminalTable:
    """Rows for people or for programs.

    A terminal gets columns, whose cells are broken between words only; if it is too narrow for that, each row is its
    first cell and, below it, the others with their names. A file or a program gets a line for each row, with tabs
    between the cells and the columns' names first.

    Args:
        columns: Their names.
    """

    def __init__(self, *columns: str) -> None:
        self._columns = columns
        self._rows: list[tuple[Text, ...]] = []

    def add_row(self, *cells: Cell) -> None:
        """Add a row; what can't be printed in one line becomes a space."""
        self._rows.append(tuple(map(_one_printable_line, cells)))

    def print_rows(self) -> None:
        """Print all rows on standard output."""
        if not console.is_terminal:
            for line in (self._columns, *([cell.plain for cell in row] for row in self._rows)):
                typer.echo("\t".join(line))
            return
        widths = self._column_widths_if_fitting(console.width)
        if widths is None:
            self._print_rows_as_lists()
            return
        grid = _Grid(box=None)
        for column, width in zip(self._columns, widths, strict=True):
            grid.add_column(column, width=width)
        for table_row in self._rows:
            grid.add_row(*table_row)
        console.print(grid)

    def _column_widths_if_fitting(self, terminal_width: int) -> list[int] | None:
        """A width for each column in which no word is broken; None if the terminal is too narrow for that."""
        text_columns = list(zip(self._columns, *([cell.plain for cell in row] for row in self._rows), strict=True))
        widths = [max(map(cell_len, column)) for column in text_columns]
        least_widths = [
            max(cell_len(word) for text in column for word in text.split() or [""]) for column in text_columns
        ]
        # A space on either side of each, as the grid pads them.
        while sum(widths) + 2 * len(widths) > terminal_width:
            room, widest = max(
                (width - low, column_index)
                for column_index, (width, low) in enumerate(zip(widths, least_widths, strict=True))
            )
            if not room:
                return None
            widths[widest] -= 1
        return widths

    def _print_rows_as_lists(self) -> None:
        for first_cell, *other_cells in self._rows:
            console.print(Text.assemble(first_cell, style="bold"), overflow="ignore", crop=False)
            named_cells = zip(self._columns[1:], other_cells, strict=True)
            named_text = Text("  ").join(
                Text.assemble((f"{name}: " if name else ""), cell) for name, cell in named_cells if cell
            )
            longest = max(map(cell_len, named_text.plain.split()), default=1)
            for wrapped_line in named_text.wrap(console, max(console.width - len(_INDENT), longest)):
                console.print(Text.assemble(_INDENT, wrapped_line), overflow="ignore", crop=False, no_wrap=True)


def _one_printable_line(cell: Cell) -> Text:
    if isinstance(cell, Text) and cell.plain.isprintable():
        return cell
    text = str(cell)
    return Text(" ".join("".join(letter if letter.isprintable() else " " for letter in text).split()))
