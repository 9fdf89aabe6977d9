"""The newest results of a client's own tests, which explanations are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchwright_server.own_tests.test_ids import path_and_name_of_test

if TYPE_CHECKING:
    from benchwright_server.protocol.own_tests import OwnTestResult, OwnTestRun

_MOST_FOLDERS = 20
_MOST_RESULTS = 2_000


@dataclass(frozen=True)
class LastResult:
    """The last result of a test."""

    test_result: OwnTestResult
    waves: str | None
    """The URI of the waveform that ends as the test did; None if there is none."""
    ran_at: datetime
    """The time at which it was kept."""


class LastResults:
    """The last result in this session of each test of each folder."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, LastResult]] = {}

    def keep_results(self, folder_uri: str, runs: Iterable[OwnTestRun]) -> None:
        """Remembers the results of runs.

        Args:
            folder_uri: Its URI.
            runs: Each with all of its tests.
        """
        last_results = self._folders.pop(folder_uri, {})
        for test_run in runs:
            # The end of the waveform of several tests is not the end of each.
            waves = test_run.waves if len(test_run.results) == 1 else None
            for test_result in test_run.results:
                last_results.pop(test_result.id, None)
                last_results[test_result.id] = LastResult(test_result, waves, datetime.now(UTC))
        while len(last_results) > _MOST_RESULTS:
            del last_results[next(iter(last_results))]
        self._folders[folder_uri] = last_results
        while len(self._folders) > _MOST_FOLDERS:
            del self._folders[next(iter(self._folders))]

    def forget_results_of_file(self, folder_uri: str, test_file_path: str) -> None:
        """All tests of a file have run: a test without a result is not in it any more."""
        last_results = self._folders.get(folder_uri, {})
        for test_id in [test_id for test_id in last_results if path_and_name_of_test(test_id)[0] == test_file_path]:
            del last_results[test_id]

    def failures(self, folder_uri: str) -> list[OwnTestResult]:
        """The last results of the tests of a folder that failed."""
        last_results = self._folders.get(folder_uri, {}).values()
        return [result.test_result for result in last_results if result.test_result.outcome == "failed"]

    def newest_failure(self, folder_uri: str, test_id: str | None) -> LastResult | None:
        """The newest result of a test that failed; of any test of the folder if none is named."""
        last_results = self._folders.get(folder_uri, {})
        candidate_results = (
            [last_results[test_id]]
            if test_id in last_results
            else []
            if test_id is not None
            else list(last_results.values())
        )
        return next(
            (last_result for last_result in reversed(candidate_results) if last_result.test_result.outcome == "failed"),
            None,
        )
