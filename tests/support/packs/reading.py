"""A panel with a scripted reader behind real HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from benchwright_judges.models.endpoint import ModelEndpoint
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_judges.models.panel import Panel
from benchwright_judges.reading.model_reader import ModelReader

from ..service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply


@asynccontextmanager
async def reading_panel(
    play: Play, *, uses_names: bool = True, **changes: Any
) -> AsyncIterator[tuple[Panel, JudgeEndpoint]]:
    """A panel whose only judge is the reader.

    Args:
        play: Replies; values stand in them as questions have them.
        uses_names: True to replace a value by the name that the request gives it, as a reader that does its work does.
        **changes: Other fields of the panel.
    """
    with JudgeEndpoint(named(play) if uses_names else play) as server:
        endpoint = ModelEndpoint(ModelSettings(name="m", base_url=server.url, model="m", input_usd=1, output_usd=1), {})
        judge = ModelJudge(endpoint)
        try:
            yield Panel(judges=(judge,), model_reader=ModelReader((judge,)), **changes), server
        finally:
            await endpoint.close()


def named(play: Play) -> Play:
    """The same replies with the names of the values."""

    def play_named(request: JudgeRequest) -> PlayedReply:
        reply, names = play(request), names_in(request)
        try:
            completion = json.loads(reply.body)
            reading = json.loads(completion["choices"][0]["message"]["content"])
            reading["value"] = names.get(reading["value"], reading["value"])
        except (ValueError, KeyError, TypeError):
            return reply
        completion["choices"][0]["message"]["content"] = json.dumps(reading)
        return replace(reply, body=json.dumps(completion).encode())

    return play_named


def names_in(request: JudgeRequest) -> Mapping[str, str]:
    """Value → name that a request to a reader gives it, in the order of the request."""
    told = re.findall(
        r"^NAME (\w+):\nThe reply (?:gives choice|calls the statement) (\w+)\.$", request.user, re.MULTILINE
    )
    return {value: name for name, value in told}
