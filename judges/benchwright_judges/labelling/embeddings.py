"""Shortlists of topics by an OpenAI-compatible endpoint of embeddings. Imports the client library."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence

import httpx2
import numpy as np
import openai
from pydantic import BaseModel, ConfigDict, ValidationError

from benchwright_judges.errors import ConfigurationError, LabellingError
from benchwright_judges.labelling.instructions import Topic
from benchwright_judges.labelling.topics import SHORTLIST_SIZE, question_text
from benchwright_judges.models.model_settings import EmbeddingSettings
from benchwright_problems.problem import Problem

_TEXTS_PER_REQUEST = 64
"""Strings in a request."""
_MOST_SENT_CHARACTERS = 8_000
"""Number of characters of a question that are sent."""
_RETRIES = 3
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
        *(question_text(problem)[:_MOST_SENT_CHARACTERS] for problem in questions),
    ]
    vectors = np.array(await embeddings_of(texts, settings, environ))
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit_vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    similarities = unit_vectors[len(topics) :] @ unit_vectors[: len(topics)].T
    likeliest = np.argsort(-similarities, axis=1, kind="stable")[:, :SHORTLIST_SIZE]
    return {
        problem.id: tuple(topics[index] for index in indices)
        for problem, indices in zip(questions, likeliest, strict=True)
    }


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
        max_retries=_RETRIES,
        timeout=settings.timeout_s,
        http_client=httpx2.AsyncClient(follow_redirects=False),
    )
    vectors: list[list[float]] = []
    async with client:
        for start in range(0, len(texts), _TEXTS_PER_REQUEST):
            vectors += await _request_embeddings(client, settings, list(texts[start : start + _TEXTS_PER_REQUEST]))
    if len({len(vector) for vector in vectors}) != 1:
        raise LabellingError(f"{settings.model} at {settings.base_url} returned embeddings of different lengths")
    return vectors


async def _request_embeddings(
    client: openai.AsyncOpenAI, settings: EmbeddingSettings, texts: list[str]
) -> list[list[float]]:
    endpoint_label = f"{settings.model} at {settings.base_url}"
    try:
        raw = await client.embeddings.with_raw_response.create(
            model=settings.model, input=texts, encoding_format="float"
        )
        content = raw.http_response.content
        if len(content) > _LONGEST_REPLY:
            raise LabellingError(f"{endpoint_label} returned more than {_LONGEST_REPLY} bytes")
        vectors = sorted(_EmbeddingsReply.model_validate_json(content).data, key=lambda vector: vector.index)
    except ValidationError as error:
        message = f"{endpoint_label} did not answer with embeddings; check the address and the model"
        raise LabellingError(message) from error
    except openai.APIStatusError as error:
        raise LabellingError(
            f"{endpoint_label} answered {error.status_code}; check address, model and key, or leave [embeddings] out of"
            " judges.toml to make shortlists by TF-IDF"
        ) from None
    except openai.APIConnectionError as error:
        message = f"{endpoint_label} could not be reached; check the address, then run it again"
        raise LabellingError(message) from error
    if [vector.index for vector in vectors] != list(range(len(texts))):
        raise LabellingError(f"{endpoint_label} returned {len(vectors)} embeddings for {len(texts)} strings")
    return [vector.embedding for vector in vectors]
