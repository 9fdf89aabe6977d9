from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from benchwright_judges.records.records import Records
from benchwright_problems.category import Category
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Figure,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

KEY = "SECRET-KEY-42"
"""Stands in every key: no error and no log may hold it."""


def make_problem(
    style: QuestionFormat | None = QuestionFormat.FREE_RESPONSE,
    *,
    category: Category | None = None,
    statement: str = "Why does a write buffer help?",
    figures: tuple[Figure, ...] = (),
    **answer_fields: Any,
) -> Problem:
    """A question, or a text problem of a category."""
    key_fields = {"value": f"It hides the latency of writes. {KEY}", **answer_fields}
    return Problem(
        id="q",
        kind=ProblemKind.QUESTION if style else ProblemKind.TEXT,
        title="Q",
        category=category,
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement=statement, question=Question(format=style) if style else None, figures=figures),
        hidden=Hidden(answer=Answer(**key_fields)),
    )


@pytest_asyncio.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    open_records = await Records.open(tmp_path / "judges.sqlite")
    yield open_records
    await open_records.close()
