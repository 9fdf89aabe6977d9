"""Benchwright's language server and `verible-verilog-ls` on generated projects of ten to thousands of files.

Run as `.venv/bin/python -m tests.benchmarks.projects [FILES ...] [--rounds N] [--slow-rounds N]`; prints Markdown
tables. Each server sees the same project and the same requests, one server after the other. Times are milliseconds
from the client's first byte to the last byte of the answer, 95th percentile.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.language_server import OPTIONS, SERVERS, Asked, Client, Open, keystrokes, p95
from tests.generated_project import generated_project

WAYS = {"benchwright, list": True, "benchwright, folder": False, "verible": True}
_PLACES = ("data_i", "state_q", "request_t", "Lanes", "answer", "word_t", "common_queue", "u_lane", "Depth")


class Project:
    """One server with one project.

    Args:
        client: The server.
        folder: Where the project is.
        middle: The file that is edited, relative to the folder.
    """

    def __init__(self, client: Client, folder: Path, middle: str) -> None:
        self.client = client
        client.ask("benchmark/nothing", {})
        self.rows = {"start → any answer": f"{1000 * (client.arrived - client.started):.0f}"}
        began = time.perf_counter()
        path = folder / middle
        self.file = Open(client, path.as_uri(), path.read_text())
        self.file.diagnostics()
        self.opened = client.arrived - began
        self.rows["open → diagnostics, cold"] = f"{1000 * self.opened:.0f}"

    def measure(self, rounds: int, slow_rounds: int) -> dict[str, str]:
        """All rows."""
        self._settle()
        dice = random.Random(1)
        cpu = self.client.cpu_s
        times = keystrokes(self.file, dice, self.file.diagnostics, rounds)
        self.rows["key → diagnostics"] = f"{p95(times):.1f}"
        self.rows["the server's CPU time for it, mean"] = f"{1000 * (self.client.cpu_s - cpu) / len(times):.1f}"
        times = keystrokes(self.file, dice, lambda: self.client.ask("benchmark/nothing", {}), rounds)
        self.rows["key → any answer"] = f"{p95(times):.1f}"
        self.file.diagnostics()
        self._settle()
        for method in ("definition", "hover", "documentHighlight"):
            self._ask(method, rounds, self._at)
        self._after_key("completion", rounds)
        whole = {"textDocument": self.file.identifier}
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 400, "character": 0}}
        self._ask("inlayHint", slow_rounds, lambda _: {**whole, "range": everything})
        at = self.file.text.index("state_q == ")
        line = {"start": self.file.position(at), "end": self.file.position(at)}
        self._ask("codeAction", slow_rounds, lambda _: {**whole, "range": line, "context": {"diagnostics": []}})
        for name in ("clk_i", "common_queue", "word_t", "data_i"):
            place = self.file.at(self.file.text.index(name) + 1)
            asked = {**place, "context": {"includeDeclaration": True}}
            self._ask("references", slow_rounds, partial(_same, asked), f" of {name}")
            asked = {**place, "newName": "other_name"}
            self._ask("rename", slow_rounds, partial(_same, asked), f" of {name}")
        self.rows["resident memory, MB"] = f"{self.client.memory_mb:.0f}"
        cpu = self.client.cpu_s
        time.sleep(2)
        self.rows["CPU time while idle, ms a second"] = f"{500 * (self.client.cpu_s - cpu):.1f}"
        return self.rows

    def _settle(self) -> None:
        """Wait until the server rests."""
        busy = -1.0
        while self.client.cpu_s - busy > 0.02:
            busy = self.client.cpu_s
            time.sleep(0.5)

    def _at(self, number: int) -> dict[str, Any]:
        at: dict[str, Any] = self.file.at(self.file.text.index(_PLACES[number % len(_PLACES)]) + 1)
        return at

    def _ask(self, method: str, rounds: int, params: Callable[[int], Any], note: str = "") -> None:
        asked = Asked([])
        for number in range(rounds):
            asked.ask(self.client, f"textDocument/{method}", params(number))
        self.rows[method + note] = asked.shown

    def _after_key(self, method: str, rounds: int) -> None:
        asked = Asked([])
        at = self.file.text.index("assign data_o = ") + len("assign data_o = ")
        for _ in range(rounds):
            self.file.key(at, "d")
            asked.ask(self.client, f"textDocument/{method}", self.file.at(at + 1))
            self.file.key(at, "", 1)
        self.rows[f"key → {method}"] = asked.shown


def _same(params: dict[str, Any], _: int) -> dict[str, Any]:
    return params


def measured(files: int, rounds: int, slow_rounds: int, temporary: Path) -> None:
    """Print the table of a size."""
    project = generated_project(files)
    middle = project.modules[len(project.modules) // 5]
    columns: dict[str, dict[str, str]] = {}
    for way, has_list in WAYS.items():
        folder = project.write(temporary / f"{way.replace(', ', '-')}-{files}", file_list=has_list)
        if way == "verible":
            (folder / "verible.filelist").write_text("\n".join(project.listed) + "\n")
        name = way.partition(",")[0]
        options = OPTIONS if name == "benchwright" else None
        with Client(SERVERS[name], folder, options) as client:
            columns[way] = Project(client, folder, middle).measure(rounds, slow_rounds)
    print(f"\n| {files:,} files, ms | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for row in dict.fromkeys(row for rows in columns.values() for row in rows):
        print(f"| {row} | {' | '.join(rows.get(row, '–') for rows in columns.values())} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=int, default=[10, 100, 1_000, 4_000])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--slow-rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")
    with tempfile.TemporaryDirectory(prefix="benchwright-bench-") as temporary:
        for files in arguments.files:
            measured(files, arguments.rounds, arguments.slow_rounds, Path(temporary).resolve())


if __name__ == "__main__":
    main()
