"""Cost of the command line before it does anything: each command's help, in processor time.

Run as `.venv/bin/python -m tests.benchmarks.command_start [COMMAND...]`; prints a Markdown table, dearest first. Each
figure is the least of three, and stands beside the same as a multiple of `python -c pass`, which depends less on the
machine. Without arguments all commands and groups are asked, and errors and a list too.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import typer.main

from benchwright_server.cli.app import app_with_commands, load_command_modules

ROUNDS = 3
BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
FIRST_OUTPUTS = (
    "--help",
    "--version",
    "--no-such-option",
    "no-such-command",
    "grade --no-such-option",
    "problems list",
)


def helps(parent_command: object, path: str = "") -> Iterator[str]:
    """The words that show the help of each command below this one."""
    for name, inner in getattr(parent_command, "commands", {}).items():
        yield f"{path}{name} --help"
        yield from helps(inner, f"{path}{name} ")


def processor_s(words: Sequence[str]) -> float:
    """Seconds of processor time, user and system, of a program that is run to its end."""
    shortest = float("inf")
    for _ in range(ROUNDS):
        usage_before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        usage_after = getrusage(RUSAGE_CHILDREN)
        shortest = min(
            shortest, usage_after.ru_utime + usage_after.ru_stime - usage_before.ru_utime - usage_before.ru_stime
        )
    return shortest


def main() -> None:
    root_command = typer.main.get_command(app_with_commands(load_command_modules()))
    commands = sys.argv[1:] or [*FIRST_OUTPUTS, *helps(root_command)]
    python = processor_s([sys.executable, "-c", "pass"])
    costs = sorted(((processor_s([str(BENCHWRIGHT), *words.split()]), words) for words in commands), reverse=True)
    print(f"`python -c pass`: {python:.3f} s\n")
    print("| command | processor time (s) | × `python -c pass` |")
    print("| --- | ---: | ---: |")
    for cost, words in costs:
        print(f"| benchwright {words} | {cost:.2f} | {cost / python:.0f} |")


if __name__ == "__main__":
    main()
