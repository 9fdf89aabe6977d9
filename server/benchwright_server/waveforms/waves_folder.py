"""The folder for waveforms of runs: in the folder that was run, left out by version control and snapshots."""

from __future__ import annotations

import re
from pathlib import Path

from benchwright_server.errors import ServerError

_HIDDEN = re.compile(r"hidden-tests-run-(\d+)\.vcd")
STATE = ".benchwright"
"""The folder of what is kept of runs."""


def make_waves_folder(folder: Path) -> Path:
    """The folder of a folder's waveforms, which is created if it is missing.

    Raises:
        ServerError: A link is in its place.
    """
    state = folder / STATE
    if any(path.is_symlink() for path in (state, state / "waves")):
        raise ServerError(f"{state} is a link, so nothing is written there. Remove it, or run without waveforms.")
    (state / "waves").mkdir(parents=True, exist_ok=True)
    ignore = state / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    return state / "waves"


def hidden_waveform_file(folder: Path, run_number: int) -> Path:
    """The file for the waveform of a run of the hidden tests: its name says which run it is of."""
    return folder / f"hidden-tests-run-{run_number}.vcd"


def hidden_run_number(file: Path) -> int | None:
    """Number of the run of the hidden tests that a waveform is of; None for any other file."""
    match = _HIDDEN.fullmatch(file.name)
    return int(match[1]) if match is not None else None
