"""Cost of deciding what is legal: the scan's time by size of the file, and that of Verilator's guard.

Run as `.venv/bin/python tests/benchmarks/legality.py`; prints Markdown. *Guarded* is `inside/guard/verilator
--cc`, alternating with Verilator itself, in the toolchain's tree. Processor time, medians: other work on the machine
counts for little.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.scan.source import rule_matches
from benchwright_harness.toolchain import Toolchain

ROUNDS = 15
REGISTER = """
module register_{number} #(parameter int WIDTH = 8) (
    input  logic             clk,   // the clock
    input  logic [WIDTH-1:0] d,
    output logic [WIDTH-1:0] q
);
    always_ff @(posedge clk) begin
        q <= d + WIDTH'({number});  /* one more each time */
    end
endmodule
"""


def design(size: int) -> str:
    """Modules of about so many bytes."""
    count = max(1, size // len(REGISTER))
    return "".join(REGISTER.replace("{number}", str(number)) for number in range(count))


def scan_ms(text: str) -> float:
    """Median milliseconds of reading a file by all rules."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        list(rule_matches("rtl/a.sv", text.encode()))
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


def guard_ms(text: str, toolchain: Toolchain) -> tuple[float, float]:
    """Median milliseconds of Verilator alone, and of Verilator behind its guard."""
    with tempfile.TemporaryDirectory(prefix="benchwright-bench-") as folder:
        (Path(folder) / "a.sv").write_text(text)
        view = ["bwrap", "--clearenv", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
        for name in ("usr", "etc", "opt", "bin", "sbin", "lib", "lib64"):
            source = toolchain.root / name
            link = ["--symlink", str(source.readlink()), f"/{name}"] if source.is_symlink() else None
            view += link or ["--ro-bind", str(source), f"/{name}"]
        view += [
            "--ro-bind",
            str(toolchain.own_programs_folder),
            "/opt/benchwright/inside",
            "--bind",
            folder,
            "/code",
        ]
        for name, value in toolchain.environment(ToolSelection()).items():
            view += ["--setenv", name, value]
        programs = (
            "/usr/local/lib/python3.11/dist-packages/verilator/bin/verilator",
            "/opt/benchwright/inside/guard/verilator",
        )
        program_times: dict[str, list[float]] = {program: [] for program in programs}
        for _ in range(ROUNDS):
            for program in programs:
                start = _children_s()
                options = ["--cc", "-Wno-fatal", "-Wno-lint", "--Mdir", "/tmp/built", "/code/a.sv"]
                subprocess.run([*view, "perl", program, *options], check=True, capture_output=True)
                program_times[program].append(_children_s() - start)
        alone_ms, guarded = (statistics.median(program_times[program]) * 1000 for program in programs)
        return alone_ms, guarded


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    toolchain = Toolchain.find(Home.from_environment().cache)
    scan_ms(design(1000))
    print("| bytes | scan, ms | Verilator, ms | guarded, ms |")
    print("| --- | --- | --- | --- |")
    for size in (2_000, 20_000, 200_000):
        text = design(size)
        alone_ms, guarded = guard_ms(text, toolchain) if size < 100_000 else (0.0, 0.0)
        guard_cells = (f"{alone_ms:.0f}", f"{guarded:.0f}") if guarded else ("", "")
        print(f"| {len(text)} | {scan_ms(text):.1f} | {guard_cells[0]} | {guard_cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
