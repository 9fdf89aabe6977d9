"""The newest results of a client's own tests, which explanations are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_server.protocol.own_tests import OwnTestResult, OwnTestRun

_MOST_FOLDERS = 20
_MOST_RESULTS = 2_000


@dataclass(frozen=True)
class LastResult:
    """What a test came to."""

    result: OwnTestResult
    waves: str | None
    """The URI of the waveform that ends as the test did; None if there is none."""


class LastResults:
    """What each test of each folder came to when it was last run in this session."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, LastResult]] = {}

    def keep(self, folder: str, runs: Iterable[OwnTestRun]) -> None:
        """Remembers the results of runs.

        Args:
            folder: Its URI.
            runs: Each with all of its tests.
        """
        known = self._folders.pop(folder, {})
        for run in runs:
            # The end of the waveform of several tests is not the end of each.
            waves = run.waves if len(run.results) == 1 else None
            for one in run.results:
                known.pop(one.id, None)
                known[one.id] = LastResult(one, waves)
        while len(known) > _MOST_RESULTS:
            del known[next(iter(known))]
        self._folders[folder] = known
        while len(self._folders) > _MOST_FOLDERS:
            del self._folders[next(iter(self._folders))]

    def failed(self, folder: str, test: str | None) -> LastResult | None:
        """The newest result of a test that failed; of any test of the folder if none is named."""
        known = self._folders.get(folder, {})
        found = [known[test]] if test in known else [] if test is not None else list(known.values())
        return next((one for one in reversed(found) if one.result.outcome == "failed"), None)
