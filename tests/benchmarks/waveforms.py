"""Time to open a waveform of 1 GB, and a window of it; with the reader's process, without the editor.

Run as `.venv/bin/python tests/benchmarks/waveforms.py [MEGABYTES]`; prints a Markdown table. The VCD is written here,
the FST by Icarus from a design of the same kind that runs for as long as its VCD would have this size. Both have 200
counters of 32 bits, some of which change at each edge of a clock.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchwright_server.features.design.waveforms import _trace_message
from benchwright_server.protocol.waveforms import WaveformWindow
from benchwright_server.waveforms.reader_processes import Readers

COUNTERS = 200
CHANGING = 8
SHOWN = 20
COLUMNS = 1000
WINDOWS = 200
BYTES_PER_CYCLE = 3_360
"""Of a VCD of the design that Icarus simulates, measured."""


def vcd(path: Path, size: int) -> None:
    """Writes a VCD file of about a number of bytes."""
    chance = random.Random(1)
    names = [f"c{number}" for number in range(COUNTERS)]
    with path.open("w", buffering=1 << 20) as file:
        file.write("$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n")
        for number, name in enumerate(names):
            file.write(f"$scope module u{number} $end\n$var reg 32 {name} count $end\n$upscope $end\n")
        file.write("$upscope $end\n$enddefinitions $end\n#0\n0!\n" + "".join(f"b0 {name}\n" for name in names))
        written_bytes = number = 0
        while written_bytes < size:
            lines = []
            for _ in range(200):
                number += 1
                lines.append(f"#{number * 5}\n{number & 1}!\n")
                changed_counters = (chance.randrange(COUNTERS) for _ in range(CHANGING))
                lines += [f"b{number * 7 + counter:b} {names[counter]}\n" for counter in changed_counters]
            text = "".join(lines)
            file.write(text)
            written_bytes += len(text)


def fst(path: Path, size: int) -> None:
    """Has Icarus write an FST file whose VCD would have about a number of bytes."""
    cycles = size // BYTES_PER_CYCLE
    counters = "\n".join(f"  counter u{counter}(.clk, .now(cycle + {counter}));" for counter in range(COUNTERS))
    source = path.with_suffix(".sv")
    source.write_text(
        "`timescale 1ns/1ns\n"
        "module counter(input clk, input [31:0] now);\n"
        "  reg [31:0] count = 0;\n"
        "  always @(posedge clk) if (now[7:0] % 25 == 0) count <= count * 1664525 + 1013904223;\n"
        "endmodule\n"
        "module top;\n  reg clk = 0; reg [31:0] cycle = 0;\n  always #5 clk = ~clk;\n"
        f"  always @(posedge clk) cycle <= cycle + 1;\n{counters}\n"
        f'  initial begin $dumpfile("{path}"); $dumpvars(0, top); repeat ({cycles}) @(posedge clk); $finish; end\n'
        "endmodule\n"
    )
    program = path.with_suffix(".vvp")
    subprocess.run(["iverilog", "-g2012", "-o", program, source], check=True)
    subprocess.run(["vvp", "-n", program, "-fst"], check=True, stdout=subprocess.DEVNULL)


def places(end: int) -> Iterator[tuple[int, int]]:
    """The windows that are asked for: of every length, anywhere."""
    chance = random.Random(2)
    for number in range(WINDOWS):
        length = max(100, end // 10 ** (number % 5))
        start = chance.randrange(end - length + 1)
        yield start, start + length


async def measured(path: Path) -> list[str]:
    """The cells of a row: opening, the first window, then windows."""
    readers = Readers()
    signals = ["top.clk", *(f"top.u{counter}.count" for counter in range(SHOWN - 1))]

    async def window(start: int, end: int) -> float:
        began = time.perf_counter()
        raw_traces = await readers.call_method(
            path, "windows", signal_paths=signals, start_tick=start, end_tick=end, column_count=COLUMNS
        )
        traces = [_trace_message(name, raw_trace) for name, raw_trace in zip(signals, raw_traces, strict=True)]
        WaveformWindow(traces=traces).model_dump_json(by_alias=True)
        return time.perf_counter() - began

    began = time.perf_counter()
    end = (await readers.call_method(path, "summary"))["end"]
    await readers.call_method(path, "scope_or_search_page", scope="top", searched_words=[], offset=0, max_items=200)
    opened_s = time.perf_counter() - began
    await readers.call_method(path, "load")
    loaded = time.perf_counter() - began
    first_s = await window(0, end)
    took = sorted([await window(*interval) for interval in places(end)])
    readers.close_all()
    p95 = took[int(len(took) * 0.95)]
    size = f"{path.stat().st_size / 1e6:,.0f} MB"
    return [
        f"{path.suffix[1:].upper()}, {size}",
        f"{opened_s:.2f} s",
        f"{loaded:.1f} s",
        f"{first_s:.2f} s",
        f"{statistics.median(took) * 1000:.0f} ms",
        f"{p95 * 1000:.0f} ms",
    ]


async def main() -> None:
    """Prints the table."""
    size = int(sys.argv[1] if len(sys.argv) > 1 else 1000) * 1_000_000
    head = ["file", "opened", "values read", f"first window of {SHOWN} signals", "window, median", "window, p95"]
    rows = [head, ["---"] * len(head)]
    with tempfile.TemporaryDirectory() as temporary:
        for write, name in ((vcd, "big.vcd"), (fst, "big.fst")):
            path = Path(temporary) / name
            await asyncio.to_thread(write, path, size)
            rows.append(await measured(path))
    print("\n".join(f"| {' | '.join(row)} |" for row in rows))


asyncio.run(main())
