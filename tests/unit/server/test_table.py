"""Tables on terminals of any width and in pipes: what a person has to type back is whole."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

ID = "3f2504e04f8941d39a0c0305e82c3301"
PROBLEM = "a-pack-of-mine/a-problem-with-quite-a-long-name"
NOTE = "waits for a judge, since none could be reached"
PROGRAM = f"""
from rich.text import Text
from benchwright_server.cli.terminal.table import TerminalTable
table = TerminalTable("attempt", "problem", "mark", "note")
table.add_row({ID!r}, {PROBLEM!r}, Text("✓", "green"), {NOTE!r})
table.add_row("[bold]x[/]", "tab\\there", "", "two\\nlines \\x1b[2J")
table.print_rows()
"""


def _on_terminal(columns: int) -> list[str]:
    own_descriptor, terminal_descriptor = pty.openpty()
    fcntl.ioctl(terminal_descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    environ = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", "NO_COLOR"}}
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(
        command, stdout=terminal_descriptor, stdin=terminal_descriptor, env=environ | {"TERM": "xterm"}
    ) as process:
        os.close(terminal_descriptor)
        output_chunks = []
        try:
            while part := os.read(own_descriptor, 4096):
                output_chunks.append(part)
        except OSError:  # How Linux says that the other end is closed.
            pass
    os.close(own_descriptor)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[\d;]*m", "", b"".join(output_chunks).decode()).splitlines()


@pytest.mark.parametrize("columns", [200, 100, 80, 40])
def test_no_word_of_a_table_is_cut_or_broken_on_a_terminal(columns: int) -> None:
    lines = _on_terminal(columns)
    words = [word for line in lines for word in line.split()]
    assert {ID, PROBLEM, "reached", "[bold]x[/]"} <= set(words)


def test_a_terminal_that_is_wide_enough_shows_columns_and_a_narrow_one_names_each_cell() -> None:
    wide, narrow = _on_terminal(200), _on_terminal(60)
    assert wide[0].split() == ["attempt", "problem", "mark", "note"]
    assert len(wide) == 3
    assert narrow[0] == ID
    assert " ".join(narrow[1:]).split()[: 5 + len(NOTE.split())] == [
        "problem:",
        PROBLEM,
        "mark:",
        "✓",
        "note:",
        *NOTE.split(),
    ]


def test_a_pipe_gets_tabs_between_cells_and_one_line_for_each_row() -> None:
    console_text = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert [line.split("\t") for line in console_text.splitlines()] == [
        ["attempt", "problem", "mark", "note"],
        [ID, PROBLEM, "✓", NOTE],
        ["[bold]x[/]", "tab here", "", "two lines [2J"],
    ]
