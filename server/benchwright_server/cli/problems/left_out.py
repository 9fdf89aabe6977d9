"""The report of what `--skip-invalid` left out."""

from __future__ import annotations

from pathlib import Path

from benchwright_foundation.atomic import write_atomically
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_server.cli.terminal.output import explain_unwritable


def write_left_out_if_any(invalid_records: InvalidRecords, pack_name: str, folder: Path | None = None) -> Path | None:
    """Write `NAME-left-out.csv` if anything was left out; where it is.

    Args:
        invalid_records: Records that could not be read.
        pack_name: Name of the pack or file.
        folder: Folder for the file; the current folder if not given.

    Raises:
        ServerError: The file can't be written.
    """
    if not invalid_records.record_errors:
        return None
    report = (folder or Path()) / f"{pack_name}-left-out.csv"
    with explain_unwritable(report):
        report.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(report.absolute(), invalid_records.csv_table().encode(), 0o600)
    return report
