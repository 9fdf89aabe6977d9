"""Benchwright's language server and `verible-verilog-ls` on projects of ten to thousands of files.

Run as `.venv/bin/python -m tests.benchmarks.projects [FILES ...] [--classes N] [--rounds N] [--slow-rounds N]`; prints
a Markdown table for each generated project, for a generated library of classes as UVM is, and for the core and the UVM
library in `../shared/data/projects` where they are. Each server sees the same project and the same requests, one server
after the other. Times are milliseconds from the client's first byte to the last byte of the answer, median / 95th
percentile; the last column is what has to hold on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.language_server import OPTIONS, SERVERS, Client, OpenDocument, keystrokes, p95
from tests.support.designs.generated_classes import generated_classes
from tests.support.designs.generated_project import generated_project

WAYS = {"benchwright, list": True, "benchwright, folder": False, "verible": True}
_SHARED = Path(__file__).parents[3] / "shared/data/projects"
CORE = _SHARED / "ibex.json"
UVM = _SHARED / "uvm-core.json"
_TEST = "test/test_pkg.sv"
_UVM_TEST = """\
// A bus with a driver and a scoreboard, and a test that writes to it.
interface bus_if (input logic clk);
  logic valid;
  logic [7:0] data;
endinterface
package bus_test_pkg;
  import uvm_pkg::*;
  `include "uvm_macros.svh"
  class bus_item extends uvm_sequence_item;
    rand bit [7:0] data;
    `uvm_object_utils(bus_item)
    function new(string name = "bus_item"); super.new(name); endfunction
  endclass
  class bus_driver extends uvm_driver #(bus_item);
    `uvm_component_utils(bus_driver)
    virtual bus_if bus;
    uvm_analysis_port #(bus_item) sent;
    function new(string name, uvm_component parent); super.new(name, parent); endfunction
    function void build_phase(uvm_phase phase);
      sent = new("sent", this);
      if (!uvm_config_db#(virtual bus_if)::get(this, "", "bus", bus)) `uvm_fatal("BUS", "there is no bus")
    endfunction
    task run_phase(uvm_phase phase);
      int count;
      forever begin
        seq_item_port.get_next_item(req);
        @(posedge bus.clk);
        bus.data <= req.data;
        count = count + 1;
        sent.write(req);
        seq_item_port.item_done();
      end
    endtask
  endclass
  class bus_test extends uvm_test;
    `uvm_component_utils(bus_test)
    bus_driver driver;
    function new(string name, uvm_component parent); super.new(name, parent); endfunction
    function void build_phase(uvm_phase phase); driver = bus_driver::type_id::create("driver", this); endfunction
  endclass
endpackage
"""
_DIAGNOSTICS_MS = {100: 50, 1_000: 100}
"""Milliseconds that diagnostics after a key may take, by the number of files; 200 for more."""
_BARS = {
    "open → diagnostics, cold": "300",
    "start → any answer": "500",
    "second start → diagnostics": "700 (1,000 files)",
    "key → any answer": "10",
    "any answer during a search": "10",
    "cancelled references → answer": "100",
    "cancelled rename → answer": "100",
    "definition": "20",
    "hover": "20",
    "documentHighlight": "20",
    "resident memory, MB": "600 (1,000 files)",
    "CPU time while idle, ms a second": "0",
}


@dataclass(frozen=True)
class Case:
    """A project to measure.

    Args:
        title: Title for the table.
        files: Number of files in it.
        texts: Texts of the files by path.
        listed: The paths of a file list; none if there is no list.
        middle: The file that is edited.
        searched: The names in it whose references are searched.
    """

    title: str
    file_count: int
    texts: dict[str, str]
    listed_paths: Sequence[str]
    middle: str
    searched: Sequence[str]

    def write(self, folder: Path, *, has_list: bool) -> Path:
        """Lay it out."""
        for name, text in self.texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if has_list:
            (folder / "project.f").write_text("+incdir+include\n" + "\n".join(self.listed_paths) + "\n")
        return folder

    def bar(self, row: str) -> str:
        """The limit that has to hold."""
        if row == "open → all files read":
            return "5,000" if self.file_count <= 256 else "60,000"
        if row == "key → diagnostics":
            return str(next((bar for files, bar in _DIAGNOSTICS_MS.items() if self.file_count <= files), 200))
        kind = row.partition(" ")[0]
        return _BARS.get(row) or {"references": "300", "rename": "1,000"}.get(kind, "")


def shown(times: Sequence[float], empty: int = 0) -> str:
    """Median and 95th percentile in milliseconds, for the table."""
    note = " (empty)" if empty == len(times) else ""
    return f"{1000 * statistics.median(times):.1f} / {p95(times):.1f}{note}"


class Project:
    """One server with one project.

    Args:
        client: The server.
        folder: Folder of the project.
        case: Case of the project.
    """

    def __init__(self, client: Client, folder: Path, case: Case) -> None:
        self.client = client
        self._case = case
        client.ask("benchmark/nothing", {})
        self.rows = {"start → any answer": f"{1000 * (client.arrived - client.started):.0f}"}
        began = time.perf_counter()
        path = folder / case.middle
        self.document = OpenDocument(client, path.as_uri(), path.read_text())
        self.document.diagnostics()
        self.rows["open → diagnostics, cold"] = f"{1000 * (client.arrived - began):.0f}"
        client.ask("workspace/symbol", {"query": "no_such_name"})
        self.rows["open → all files read"] = f"{1000 * (client.arrived - began):.0f}"
        code = re.sub(r"//[^\n]*|\"[^\"]*\"", lambda match: " " * len(match[0]), self.document.text)
        word_offsets = [match.start() for match in re.finditer(r"\b[A-Za-z_]\w{2,}", code)]
        self._places = random.Random(2).sample(word_offsets, 20)

    def measure(self, rounds: int, slow_rounds: int) -> dict[str, str]:
        """All rows."""
        self._settle()
        dice = random.Random(1)
        cpu = self.client.cpu_s
        times = keystrokes(self.document, dice, self.document.diagnostics, rounds)
        self.rows["key → diagnostics"] = shown(times)
        self.rows["the server's CPU time for it, mean"] = f"{1000 * (self.client.cpu_s - cpu) / len(times):.1f}"
        times = keystrokes(self.document, dice, lambda: self.client.ask("benchmark/nothing", {}), rounds)
        self.rows["key → any answer"] = shown(times)
        self.document.diagnostics()
        self._settle()
        for method in ("definition", "hover", "documentHighlight"):
            self._ask(
                method, rounds, lambda number: self.document.position_params(self._places[number % len(self._places)])
            )
        self._after_key("completion", rounds)
        document_params = {"textDocument": self.document.identifier}
        whole_range = {"start": {"line": 0, "character": 0}, "end": {"line": 400, "character": 0}}
        self._ask("inlayHint", slow_rounds, lambda _: {**document_params, "range": whole_range})
        offset = max(0, self.document.text.find(" == "))
        line = {"start": self.document.position(offset), "end": self.document.position(offset)}
        self._ask(
            "codeAction", slow_rounds, lambda _: {**document_params, "range": line, "context": {"diagnostics": []}}
        )
        for name in self._case.searched:
            position_params = self.document.position_params(self.document.text.index(name) + 1)
            params = {**position_params, "context": {"includeDeclaration": True}}
            self._ask("references", slow_rounds, partial(_fixed_params, params), f" of {name}")
            params = {**position_params, "newName": "other_name"}
            self._ask("rename", slow_rounds, partial(_fixed_params, params), f" of {name}")
        self._search_and_ask(slow_rounds)
        self._cancel(slow_rounds)
        self.rows["resident memory, MB"] = f"{self.client.memory_mb:.0f}"
        self._settle()
        cpu = self.client.cpu_s
        time.sleep(2)
        self.rows["CPU time while idle, ms a second"] = f"{500 * (self.client.cpu_s - cpu):.1f}"
        return self.rows

    def _search_and_ask(self, rounds: int) -> None:
        """Any answer while a search for references runs."""
        times: list[float] = []
        for name in list(self._case.searched) * rounds:
            position_params = self.document.position_params(self.document.text.index(name) + 1)
            params = {**position_params, "context": {"includeDeclaration": True}}
            search = self.client.begin("textDocument/references", params)
            while search not in self.client.answered_ids:
                began = time.perf_counter()
                self.client.ask("benchmark/nothing", {})
                times.append(self.client.arrived - began)
                time.sleep(0.005)
        self.rows["any answer during a search"] = shown(times)

    def _cancel(self, rounds: int) -> None:
        """Measures the time that a search takes to end, some milliseconds after it began."""
        for method in ("references", "rename"):
            times: list[float] = []
            for number, name in enumerate(list(self._case.searched) * rounds):
                position_params = self.document.position_params(self.document.text.index(name) + 1)
                params = {**position_params, "context": {"includeDeclaration": True}, "newName": "other_name"}
                search = self.client.begin(f"textDocument/{method}", params)
                time.sleep(0.005 + 0.01 * (number % 5))
                took = self.client.cancel(search)
                times += [took] if took is not None else []
            if times:
                self.rows[f"cancelled {method} → answer"] = shown(times)

    def _settle(self) -> None:
        """Wait until the server rests."""
        busy = -1.0
        while self.client.cpu_s - busy > 0.02:
            busy = self.client.cpu_s
            time.sleep(0.5)

    def _ask(self, method: str, rounds: int, params_of_round: Callable[[int], Any], note: str = "") -> None:
        times, cpu_times, empty = [], [], 0
        for number in range(rounds):
            began, cpu = time.perf_counter(), self.client.cpu_s
            empty += not self.client.ask(f"textDocument/{method}", params_of_round(number))
            times.append(self.client.arrived - began)
            cpu_times.append(self.client.cpu_s - cpu)
        self.rows[method + note] = shown(times, empty)
        if note:
            self.rows[f"the server's CPU time for {method}{note}"] = shown(cpu_times)

    def _after_key(self, method: str, rounds: int) -> None:
        times, empty = [], 0
        match = re.search(r"assign \w+ *= *", self.document.text)
        offset = match.end() if match is not None else 0
        for _ in range(rounds):
            self.document.key(offset, "d")
            began = time.perf_counter()
            empty += not self.client.ask(f"textDocument/{method}", self.document.position_params(offset + 1))
            times.append(self.client.arrived - began)
            self.document.key(offset, "", 1)
        self.rows[f"key → {method}"] = shown(times, empty)


def _fixed_params(params: dict[str, Any], _: int) -> dict[str, Any]:
    return params


def measured(case: Case, rounds: int, slow_rounds: int, temporary: Path) -> None:
    """Print the table of a project."""
    rows_by_way: dict[str, dict[str, str]] = {}
    for way, has_list in WAYS.items():
        if has_list and not case.listed_paths and way != "verible":
            continue
        folder = temporary / f"{way.replace(', ', '-')}-{len(case.texts)}"
        case.write(folder, has_list=has_list and bool(case.listed_paths))
        if way == "verible":
            names = case.listed_paths or [name for name in case.texts if name.endswith((".sv", ".v"))]
            (folder / "verible.filelist").write_text("\n".join(names) + "\n")
        name = way.partition(",")[0]
        options = OPTIONS if name == "benchwright" else None
        with Client(SERVERS[name], folder, options) as client:
            rows_by_way[way] = Project(client, folder, case).measure(rounds, slow_rounds)
        with Client(SERVERS[name], folder, options) as client:
            path = folder / case.middle
            OpenDocument(client, path.as_uri(), path.read_text()).diagnostics()
            rows_by_way[way]["second start → diagnostics"] = f"{1000 * (client.arrived - client.started):.0f}"
    print(f"\n| {case.title}, ms | " + " | ".join(rows_by_way) + " | has to hold |")
    print("| --- |" + " --- |" * (len(rows_by_way) + 1))
    for row in dict.fromkeys(row for rows in rows_by_way.values() for row in rows):
        row_cells = " | ".join(rows.get(row, "–") for rows in rows_by_way.values())
        print(f"| {row} | {row_cells} | {case.bar(row)} |", flush=True)


def generated(file_count: int) -> Case:
    """A generated project."""
    project = generated_project(file_count)
    middle = project.modules[len(project.modules) // 5]
    searched = ("clk_i", "common_queue", "word_t", "data_i")
    return Case(f"{file_count:,} files", file_count, project.texts, project.listed_files, middle, searched)


def class_library(classes: int) -> Case:
    """A generated library of classes, built as UVM is, with a test that extends some of them."""
    library = generated_classes(classes)
    packages = [name for name in library.texts if name.endswith(".sv")]
    last_package = len(packages) - 2
    body = "".join(
        f"  class test_{number} extends class_{number};\n    class_{number + 1} part;\n"
        f"    function void run_{number}(); if (part == null) part = new(); endfunction\n  endclass\n"
        for number in range(1, min(classes - 1, 60), 3)
    )
    imports = "".join(f"  import lib_{number}_pkg::*;\n" for number in range(last_package + 1))
    texts = library.texts | {_TEST: f"package test_pkg;\n{imports}{body}endpackage\n"}
    return Case(
        f"class library, {len(texts):,} files", len(texts), texts, [*packages, _TEST], _TEST, ("class_1", "lib_0_pkg")
    )


def core() -> Case | None:
    """The RISC-V core; None where it is not there."""
    if not CORE.is_file():
        return None
    texts: dict[str, str] = json.loads(CORE.read_text())
    middle = next(name for name in texts if name.endswith("ibex_core.sv"))
    return Case(
        f"RISC-V core, {len(texts)} files", len(texts), texts, (), middle, ("ibex_pkg", "clk_i", "ibex_if_stage")
    )


def uvm() -> Case | None:
    """The UVM library with a test of forty lines; None where it is not there."""
    if not UVM.is_file():
        return None
    texts: dict[str, str] = json.loads(UVM.read_text())
    test = "test/bus_test_pkg.sv"
    texts = {name.replace("src/", "include/", 1): text for name, text in texts.items()} | {test: _UVM_TEST}
    listed = ["include/uvm_pkg.sv", test]
    return Case(f"UVM, {len(texts)} files", len(texts), texts, listed, test, ("bus_item", "uvm_pkg"))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=int, default=[10, 100, 1_000, 4_000])
    parser.add_argument("--classes", type=int, default=500, help="0 for no library of classes")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--slow-rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")
    library = class_library(arguments.classes) if arguments.classes else None
    cases = [*map(generated, arguments.files), library, core(), uvm()]
    with tempfile.TemporaryDirectory(prefix="benchwright-bench-") as temporary:
        for case in cases:
            if case is not None:
                measured(case, arguments.rounds, arguments.slow_rounds, Path(temporary).resolve())


if __name__ == "__main__":
    main()
