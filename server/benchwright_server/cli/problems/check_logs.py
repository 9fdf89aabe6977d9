"""Raw logs of a check, for the pack's owner."""

from __future__ import annotations

from pathlib import Path

from benchwright_foundation.atomic import write_atomically
from benchwright_harness.grading.two_sided import TwoSided
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_problems.problem import Problem
from benchwright_server.cli.terminal.output import writing


class Logs:
    """Files `PROBLEM.SIDE.log` in a folder. They hold hidden text: only the owner can read them.

    Args:
        folder: Created if it is missing.
        verdicts: Keeps the output of runs.

    Raises:
        ServerError: The folder can't be made.
    """

    def __init__(self, folder: Path, verdicts: VerdictStore) -> None:
        self._folder = folder
        self._verdicts = verdicts
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.chmod(0o700)

    def write(self, problem: Problem, two_sided: TwoSided) -> None:
        """Write what each side of a problem printed, compiler messages included.

        Raises:
            ServerError: A file can't be written.
        """
        for side, verdict in two_sided.sides.items():
            run = two_sided.runs.get(side)
            log = self._verdicts.log(run) if run is not None else b""
            file = self._folder / f"{problem.id}.{side.value}.log"
            with writing(self._folder):
                write_atomically(file.absolute(), log + f"--- {verdict.summary}\n".encode(), 0o600)
