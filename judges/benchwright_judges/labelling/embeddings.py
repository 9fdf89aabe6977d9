"""Shortlists of topics by an OpenAI-compatible endpoint of embeddings. Imports the client library."""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections.abc import Mapping, Sequence
from operator import mul

import httpx2
import openai
from pydantic import BaseModel, ConfigDict, ValidationError

from benchwright_judges.errors import ConfigurationError, LabellingError
from benchwright_judges.labelling.instructions import Topic
from benchwright_judges.labelling.topics import SHORTLIST_SIZE, question_text
from benchwright_judges.models.model_settings import EmbeddingSettings
from benchwright_problems.problem import Problem

_AT_ONCE = 64
"""Strings in a request."""
_CHARACTERS = 8_000
"""Number of characters of a question that are sent."""
_TRIES = 4
_FIRST_PAUSE_S = 0.5
_LONGEST_REPLY = 64 << 20


class _Vector(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    index: int
    embedding: list[float]


class _EmbeddingsReply(BaseModel):
    data: list[_Vector]


async def shortlists_by_embeddings(
    questions: Sequence[Problem],
    topics: Sequence[Topic],
    settings: EmbeddingSettings,
    environ: Mapping[str, str] = os.environ,
) -> Mapping[str, tuple[Topic, ...]]:
    """Problem → its likely topics, likeliest first, by the cosine of embeddings.

    Args:
        questions: Questions to sort; their public side is sent.
        topics: Topics to choose from.
        settings: The endpoint.
        environ: Holds the key.

    Raises:
        ConfigurationError: The key's variable is not set.
        LabellingError: The endpoint does not answer with embeddings; the message says how it failed.
    """
    texts = [
        *(f"{topic.name}: {topic.description}" for topic in topics),
        *(question_text(problem)[:_CHARACTERS] for problem in questions),
    ]
    units = [_unit(vector) for vector in await embeddings_of(texts, settings, environ)]
    topic_indices = range(len(topics))
    shortlists = {}
    for problem, question_unit in zip(questions, units[len(topics) :], strict=True):
        similarities = [sum(map(mul, question_unit, units[index])) for index in topic_indices]
        shortlists[problem.id] = tuple(
            topics[index]
            for index in sorted(topic_indices, key=lambda topic_index: -similarities[topic_index])[:SHORTLIST_SIZE]
        )
    return shortlists


async def embeddings_of(
    texts: Sequence[str], settings: EmbeddingSettings, environ: Mapping[str, str] = os.environ
) -> list[list[float]]:
    """A vector for each text, all of one length.

    Args:
        texts: Are sent.
        settings: The endpoint.
        environ: Holds the key.

    Raises:
        ConfigurationError: The key's variable is not set.
        LabellingError: The endpoint does not answer with embeddings; the message says how it failed.
    """
    key = environ.get(settings.api_key_env, "") if settings.api_key_env else "none"
    if not key:
        raise ConfigurationError(
            f"the model of embeddings takes its key from the environment variable {settings.api_key_env}, which is not"
            " set; set it, or name another one in api_key_env"
        )
    # At its debug level the library logs whole requests.
    logging.getLogger("openai").setLevel(logging.WARNING)
    client = openai.AsyncOpenAI(
        api_key=key,
        base_url=settings.base_url,
        max_retries=0,
        timeout=settings.timeout_s,
        http_client=httpx2.AsyncClient(follow_redirects=False),
    )
    vectors: list[list[float]] = []
    async with client:
        for start in range(0, len(texts), _AT_ONCE):
            vectors += await _embed(client, settings, list(texts[start : start + _AT_ONCE]))
    if len({len(vector) for vector in vectors}) != 1:
        raise LabellingError(f"{settings.model} at {settings.base_url} returned embeddings of different lengths")
    return vectors


async def _embed(client: openai.AsyncOpenAI, settings: EmbeddingSettings, texts: list[str]) -> list[list[float]]:
    endpoint_label = f"{settings.model} at {settings.base_url}"
    for number in range(1, _TRIES + 1):
        try:
            raw = await client.embeddings.with_raw_response.create(
                model=settings.model, input=texts, encoding_format="float"
            )
            content = raw.http_response.content
            if len(content) > _LONGEST_REPLY:
                raise LabellingError(f"{endpoint_label} returned more than {_LONGEST_REPLY} bytes")
            vectors = sorted(_EmbeddingsReply.model_validate_json(content).data, key=lambda vector: vector.index)
            if [vector.index for vector in vectors] != list(range(len(texts))):
                raise LabellingError(f"{endpoint_label} returned {len(vectors)} embeddings for {len(texts)} strings")
            return [vector.embedding for vector in vectors]
        except ValidationError as error:
            raise LabellingError(
                f"{endpoint_label} did not answer with embeddings; check the address and the model"
            ) from error
        except openai.APIStatusError as error:
            if (error.status_code not in (408, 409, 429) and error.status_code < 500) or number == _TRIES:
                raise LabellingError(
                    f"{endpoint_label} answered {error.status_code}; check address, model and key, or leave "
                    "[embeddings] out of"
                    " judges.toml to make shortlists by TF-IDF"
                ) from None
        except openai.APIConnectionError as error:
            if number == _TRIES:
                raise LabellingError(
                    f"{endpoint_label} could not be reached; check the address, then run it again"
                ) from error
        await asyncio.sleep(_FIRST_PAUSE_S * 2 ** (number - 1))
    raise AssertionError


def _unit(vector: Sequence[float]) -> list[float]:
    size = math.hypot(*vector)
    return [value / size for value in vector] if size else list(vector)
