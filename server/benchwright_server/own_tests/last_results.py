"""The newest results of a client's own tests, which explanations are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_server.own_test_protocol import OwnTestResult, OwnTestRun

_MOST_FOLDERS = 20
_MOST_RESULTS = 2_000


class LastResults:
    """What each test of each folder came to when it was last run in this session."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, OwnTestResult]] = {}
        self._waves: dict[str, dict[str, str]] = {}

    def keep(self, folder: str, runs: Iterable[OwnTestRun]) -> None:
        """Remembers the results of runs.

        Args:
            folder: Its URI.
            runs: Each with all of its tests.
        """
        runs = list(runs)
        results = [one for run in runs for one in run.results]
        # The end of the waveform of several tests is not the end of each.
        alone = {run.results[0].id: run.waves for run in runs if len(run.results) == 1}
        kept = {
            test: waves
            for test, waves in self._waves.pop(folder, {}).items()
            if test not in {one.id for one in results}
        }
        self._waves[folder] = kept | {test: waves for test, waves in alone.items() if waves is not None}
        known = self._folders.pop(folder, {})
        for one in results:
            known.pop(one.id, None)
            known[one.id] = one
        while len(known) > _MOST_RESULTS:
            del known[next(iter(known))]
        self._folders[folder] = known
        while len(self._folders) > _MOST_FOLDERS:
            oldest = next(iter(self._folders))
            del self._folders[oldest]
            self._waves.pop(oldest, None)

    def waves(self, folder: str, test: str) -> str | None:
        """The URI of the waveform that ends as a test did; None if there is none."""
        return self._waves.get(folder, {}).get(test)

    def failed(self, folder: str, test: str | None) -> OwnTestResult | None:
        """The newest result of a test that failed; of any test of the folder if none is named."""
        known = self._folders.get(folder, {})
        found = [known[test]] if test in known else [] if test is not None else list(known.values())
        return next((one for one in reversed(found) if one.outcome == "failed"), None)
