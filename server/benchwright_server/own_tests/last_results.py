"""The newest results of a client's own tests, which explanations are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_server.own_test_protocol import OwnTestResult

_MOST_FOLDERS = 20
_MOST_RESULTS = 2_000


class LastResults:
    """What each test of each folder came to when it was last run in this session."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, OwnTestResult]] = {}

    def keep(self, folder: str, results: Iterable[OwnTestResult]) -> None:
        """Remembers the results of a run.

        Args:
            folder: Its URI.
            results: Of all its tests that ran.
        """
        known = self._folders.pop(folder, {})
        for one in results:
            known.pop(one.id, None)
            known[one.id] = one
        while len(known) > _MOST_RESULTS:
            del known[next(iter(known))]
        self._folders[folder] = known
        while len(self._folders) > _MOST_FOLDERS:
            del self._folders[next(iter(self._folders))]

    def failed(self, folder: str, test: str | None) -> OwnTestResult | None:
        """The newest result of a test that failed; of any test of the folder if none is named."""
        known = self._folders.get(folder, {})
        found = [known[test]] if test in known else [] if test is not None else list(known.values())
        return next((one for one in reversed(found) if one.outcome == "failed"), None)
