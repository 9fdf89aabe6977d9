"""`benchwright grade` on a folder that lacks what the problem expects."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

EXPECTED = "rtl/sync_fifo.sv"


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ((), f"has no file that starter/sync-fifo expects: {EXPECTED}."),
        (("notes.txt",), f"has no file that starter/sync-fifo expects: {EXPECTED}."),
        (("sync_fifo.sv",), f"{EXPECTED} (there is 'sync_fifo.sv': move it to {EXPECTED})."),
        (("src/Sync_FIFO.sv",), f"{EXPECTED} (there is 'src/Sync_FIFO.sv': move it to {EXPECTED})."),
        (("rtl/sync_fifo.v",), f"{EXPECTED} (there is 'rtl/sync_fifo.v': move it to {EXPECTED})."),
        (("rtl/sync-fifo.sv", "rtl/other.sv"), f"{EXPECTED} (there is 'rtl/sync-fifo.sv': move it to {EXPECTED})."),
    ],
)
def test_files_that_are_missing_are_named_with_near_misses(
    tmp_path: Path, present: tuple[str, ...], message: str
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    for path in present:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("module sync_fifo; endmodule")
    environment = {"BENCHWRIGHT_HOME": str(tmp_path / "home")}
    completed = CliRunner().invoke(app_with_commands(), ["grade", "starter/sync-fifo", str(folder)], env=environment)
    assert (completed.exit_code, completed.stderr.endswith(f"{message}\n")) == (2, True), completed.stderr
