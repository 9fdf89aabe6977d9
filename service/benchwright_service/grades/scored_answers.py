"""Runs that are answers to questions: scored where the service runs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from sqlalchemy import Row

from benchwright_attempts.grading.grading import ANSWER, judge_answer
from benchwright_attempts.grading.judging import Judging
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Verdict
from benchwright_service.courses.snapshots import Snapshots


class ScoredAnswers:
    """Scores them.

    Args:
        store: Has the hidden parts.
        snapshots: Contents of files.
        judging: Rules and judges.
    """

    def __init__(self, store: Store, snapshots: Snapshots, judging: Judging) -> None:
        self._store = store
        self._snapshots = snapshots
        self._judging = judging

    async def verdict(self, row: Row[Any], ref: str) -> tuple[Verdict, float | None]:
        """The verdict of a run, and the judge's score from 0 to 1, if there was a judge.

        Args:
            row: The run.
            ref: Its problem, `pack/id`.
        """
        problem = await asyncio.to_thread(self._store.unseal, ref)
        answer = await asyncio.to_thread(self._answer, row)
        graded = await judge_answer(ref, problem, answer, self._judging, attempt=row.attempt, number=row.number)
        return graded.verdict, graded.judgement.score if graded.judgement is not None else None

    def _answer(self, row: Row[Any]) -> str:
        digest = json.loads(row.files).get(ANSWER)
        return self._snapshots.content(digest).decode("utf-8", "replace") if digest else ""
