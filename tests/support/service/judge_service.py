"""A judge service within the test's process, and questions whose hidden parts are full of canaries."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from benchwright_foundation.home import Home
from benchwright_judges.models.configuration import read_settings, records_location
from benchwright_judges.models.endpoint import ModelEndpoint
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_judges.models.panel import Panel
from benchwright_judges.records.records import Records
from benchwright_judges.service.app import make_app
from benchwright_judges.service.judging import JudgingPace, SubmissionJudging
from benchwright_judges.service.token import TokenScope
from benchwright_judges.service.tokens import AccessTokens
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)
from benchwright_problems.storage.store import Store

from .bench_service import Service
from .plain_http import NO_TLS

CANARY = "zqcanary"
"""Part of every text of the hidden parts below but of the letter."""

CHOOSES, FILLS, EXPLAINS = "leaky/chooses", "leaky/fills", "leaky/explains"


def _question_problem(name: str, style: QuestionFormat, value: str, letters: str = "") -> Problem:
    return Problem(
        id=name,
        kind=ProblemKind.QUESTION,
        title=name,
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(
            statement="Why?",
            question=Question(format=style, choices=tuple(Choice(letter=letter, text=letter) for letter in letters)),
        ),
        hidden=Hidden(
            answer=Answer(
                value=value,
                alternatives=() if letters else (f"{CANARY}-alternative",),
                closed=style is QuestionFormat.FILL_IN_THE_BLANK,
                rubric=f"{CANARY}-rubric",
                explanation=f"{CANARY}-explanation",
            )
        ),
    )


def filled_store(home: Home) -> Store:
    """A store with the pack `leaky`."""
    leaky_problems = (
        _question_problem("chooses", QuestionFormat.MULTIPLE_CHOICE, "B", "ABCD"),
        _question_problem("fills", QuestionFormat.FILL_IN_THE_BLANK, f"{CANARY}-blank"),
        _question_problem("explains", QuestionFormat.FREE_RESPONSE, f"{CANARY}-reference"),
    )
    store = Store(home)
    store.add(Pack(name="leaky", title="", version="1", license="", source="", problems=leaky_problems), replace=True)
    return store


@dataclass
class Served:
    """The service."""

    app: Any
    tokens: AccessTokens
    judging: SubmissionJudging
    records: Records
    _clients: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)

    async def named_client(self, name: str) -> httpx2.AsyncClient:
        """A person who grades."""
        _, text = await self.tokens.create_with_bearer_string(name, (TokenScope.GRADE,))
        return await self.client(text=text)

    async def client(self, *scopes: TokenScope, text: str | None = None, **token: Any) -> httpx2.AsyncClient:
        """A client with a token of its own, or with that text for one."""
        if text is None:
            _, text = await self.tokens.create_with_bearer_string("ann", scopes or (TokenScope.SUBMIT,), **token)
        return await self._clients.enter_async_context(
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(self.app, raise_app_exceptions=False),
                base_url="http://judge",
                headers={"Authorization": f"Bearer {text}"},
                timeout=30,
                verify=NO_TLS,
            )
        )

    async def close(self) -> None:
        await self._clients.aclose()
        await self.judging.close()
        await self.records.close()


@asynccontextmanager
async def serve_judges(
    folder: Path,
    *,
    judges: Iterable[ModelSettings] = (),
    database: str | Path | None = None,
    pace: JudgingPace | None = None,
) -> AsyncIterator[Served]:
    """The whole service but for the socket."""
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(folder)})
    store = filled_store(home)
    endpoints = [ModelEndpoint(settings, {}) for settings in judges]
    panel = Panel(judges=tuple(map(ModelJudge, endpoints)), adds_cvdp_vote=False) if endpoints else None
    records = await Records.open(database or folder / "judges.sqlite")
    tokens = AccessTokens(records)
    judging = SubmissionJudging(store, records, panel, pace or JudgingPace(poll_s=0.1, grace_s=2))
    served = Served(make_app(judging, tokens), tokens, judging, records)
    judging.start()
    try:
        yield served
    finally:
        await served.close()
        for endpoint in endpoints:
            await endpoint.close()


def judge_at(url: str, **changes: Any) -> ModelSettings:
    """A model judge at an endpoint that a test plays."""
    return ModelSettings(name="scripted", base_url=url, model="m", **changes)


def judge_token(service: Service, *scopes: TokenScope, per_minute: int = 600) -> str:
    """One that `benchwright judge token` would make."""

    async def create_token() -> str:
        records = await Records.open(records_location(read_settings({}), service.folders))
        try:
            return (await AccessTokens(records).create_with_bearer_string("ann", scopes, per_minute=per_minute))[1]
        finally:
            await records.close()

    return asyncio.run(create_token())
