"""Fixtures and helpers of the tests of reading."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from benchwright_judges.models.endpoint import ModelEndpoint
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_judges.models.panel import Panel
from benchwright_judges.reading.model_reader import ModelReader

from ..service.judge_endpoint import JudgeEndpoint, Play


@asynccontextmanager
async def reading_panel(play: Play, **changes: Any) -> AsyncIterator[tuple[Panel, JudgeEndpoint]]:
    with JudgeEndpoint(play) as server:
        endpoint = ModelEndpoint(ModelSettings(name="m", base_url=server.url, model="m", input_usd=1, output_usd=1), {})
        judge = ModelJudge(endpoint)
        try:
            yield Panel(judges=(judge,), model_reader=ModelReader((judge,)), **changes), server
        finally:
            await endpoint.close()
