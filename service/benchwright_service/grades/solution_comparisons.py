"""Comparisons of all solutions of a problem with each other, each in a process of its own; the newest are kept."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from benchwright_problems.problem import digest
from benchwright_teaching.similarity import SimilarPair

LEAST_ALIKE = 0.3
"""Pairs with less in common are not shown."""
MOST_PAIRS = 100
_WITHIN_S = 5.0
"""Time in seconds that a page waits; nobody else waits with it."""
_MOST_KEPT = 8
_PAIRS = TypeAdapter(list[SimilarPair])

Subject = tuple[str, str]
"""Assignment and problem."""

logger = logging.getLogger(__name__)


class SolutionComparisons:
    """Makes and keeps them; one process at a time.

    Args:
        snapshots: Folder of the contents of files.
    """

    def __init__(self, snapshots: Path) -> None:
        self._snapshots = snapshots
        self._turn = asyncio.Lock()
        self._going: dict[str, asyncio.Task[None]] = {}
        self._pairs: dict[str, Sequence[SimilarPair]] = {}

    async def close(self) -> None:
        """Ends what goes on."""
        for task in self._going.values():
            task.cancel()
        await asyncio.gather(*self._going.values(), return_exceptions=True)

    async def pairs_if_compared(
        self, subject: Subject, digests_by_account: Mapping[str, Mapping[str, str]], start_texts: Mapping[str, str]
    ) -> Sequence[SimilarPair] | None:
        """Pairs of solutions with much in common, the most first.

        Args:
            subject: What they are solutions of.
            digests_by_account: By account, the SHA-256 of each file by path.
            start_texts: Files that everybody was given, by path.

        Returns:
            None while they are compared.
        """
        request: dict[str, Any] = {"subject": subject, "solutions": digests_by_account, "start": start_texts}
        key = await asyncio.to_thread(digest, request)
        if key not in self._pairs:
            going = self._going.get(key)
            if going is None:
                going = self._going[key] = asyncio.create_task(self._compare_in_process(key, request))
                going.add_done_callback(lambda _: self._going.pop(key, None))
            await asyncio.wait({going}, timeout=_WITHIN_S)
        return self._pairs.get(key)

    async def _compare_in_process(self, comparison_key: str, request: Mapping[str, Any]) -> None:
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "benchwright_service.grades.comparing_process"),
                stdin=PIPE,
                stdout=PIPE,
                start_new_session=True,
            )
            try:
                request_json = json.dumps({**request, "snapshots": str(self._snapshots)}).encode()
                output, _ = await process.communicate(request_json)
            except asyncio.CancelledError:
                process.kill()
                await process.wait()
                raise
        if process.returncode:
            logger.warning("solutions were not compared: the process ended with %s", process.returncode)
            return
        if len(self._pairs) >= _MOST_KEPT:
            self._pairs.pop(next(iter(self._pairs)))
        self._pairs[comparison_key] = _PAIRS.validate_json(output)


def pairs_json(pairs: Sequence[SimilarPair]) -> bytes:
    """Pairs as the process writes them."""
    return _PAIRS.dump_json(list(pairs))
