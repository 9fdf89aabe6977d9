"""Time for the instance hierarchy of a design of 500 modules, asked of a language server by its client.

Run as `.venv/bin/python -m tests.benchmarks.hierarchy [MODULES]`; prints a Markdown table. Each module is in a file of
its own and is instantiated by another, four to a parent. `first` is the first request after the folder was opened, with
reading and elaborating the design; `after a save` follows a change of one file; `again` changes nothing.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types

from ..lsp.session import Editor

MODULES = 500
CHILDREN = 4
TURNS = 20


def write(folder: Path, modules: int) -> None:
    """A tree of modules, each with a register and its children."""
    for number in range(modules):
        children = range(CHILDREN * number + 1, min(CHILDREN * number + CHILDREN + 1, modules))
        lines = [
            f"module unit_{number}(input logic clk, input logic [7:0] d, output logic [7:0] q);",
            "  always_ff @(posedge clk) q <= d + 1;",
            *(f"  unit_{child} u_{child}(.clk, .d(q), .q());" for child in children),
            "endmodule\n",
        ]
        (folder / f"unit_{number}.sv").write_text("\n".join(lines))


async def measured(folder: Path, modules: int) -> None:
    """Asks, and prints."""
    write(folder, modules)
    editor = await Editor.start(folder.parent / "home")
    workspace_folder = types.WorkspaceFolder(folder.as_uri(), folder.name)
    change = types.WorkspaceFoldersChangeEvent([workspace_folder], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))

    async def request_ms(path: str | None) -> float:
        start_s = time.perf_counter()
        level = await editor.ask("hierarchy", uri=folder.as_uri(), path=path)
        assert level["instances"]
        return 1000 * (time.perf_counter() - start_s)

    print(f"{modules} modules\n\n| request | median, ms | most, ms |\n| --- | ---: | ---: |")
    first_ms = await request_ms(None)
    print(f"| tops, first | {first_ms:.0f} | |")
    repeated = [await request_ms(None) for _ in range(TURNS)]
    print(f"| tops, again | {statistics.median(repeated):.0f} | {max(repeated):.0f} |")
    lower_level = [await request_ms("unit_0") for _ in range(TURNS)]
    print(f"| a level below, again | {statistics.median(lower_level):.0f} | {max(lower_level):.0f} |")
    file = editor.open(folder / "unit_7.sv", (folder / "unit_7.sv").read_text())
    saved = []
    for turn in range(TURNS // 4):
        (folder / "unit_7.sv").write_text((folder / "unit_7.sv").read_text() + f"// {turn}\n")
        file.save()
        saved.append(await request_ms("unit_0"))
    print(f"| a level below, after a save | {statistics.median(saved):.0f} | {max(saved):.0f} |")
    await editor.quit()


def main() -> None:
    """Measures in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="hierarchy-") as name:
        folder = Path(name, "design")
        folder.mkdir()
        asyncio.run(measured(folder, int(sys.argv[1]) if len(sys.argv) > 1 else MODULES))


if __name__ == "__main__":
    main()
