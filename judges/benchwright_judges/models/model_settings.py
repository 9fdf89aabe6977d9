"""Settings of judges: the model, its endpoint and its prices."""

from __future__ import annotations

import os
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from benchwright_foundation.model import Model


def _valid_base_url(base_url: str) -> str:
    split_url = urlsplit(base_url)
    if split_url.scheme not in ("http", "https") or not split_url.hostname:
        raise ValueError("an endpoint's address starts with http:// or https://, such as https://api.openai.com/v1")
    if split_url.username or split_url.password:
        raise ValueError("an address must not hold a key; name the environment variable that holds it in api_key_env")
    return base_url


Usd = Annotated[float, Field(ge=0, le=1e6)]


class JudgeSettings(Model):
    """One `[[judge]]` of `judges.toml`, of any kind."""

    kind: str = "model"
    """Kind of judge: a name in `judge_kinds`."""
    name: Annotated[str, Field(min_length=1, max_length=60)]
    """Its name in votes and reports."""

    def facts(self) -> dict[str, str | float]:
        """Facts that `benchwright judge config` shows."""
        return {"name": self.name, "kind": self.kind}


class ModelSettings(JudgeSettings):
    """A language model behind an OpenAI-compatible endpoint."""

    base_url: Annotated[str, AfterValidator(_valid_base_url)]
    """Address of an OpenAI-compatible endpoint, up to and including `/v1`."""
    model: Annotated[str, Field(min_length=1)]
    """The model's name there."""
    family: str = ""
    """The model family; judges of different families are less likely to share an error. Defaults to the name."""
    api_key_env: str = ""
    """Name of the environment variable that holds the key; empty for an endpoint that needs none."""
    input_usd: Usd = 0.0
    """US dollars per million tokens sent."""
    output_usd: Usd = 0.0
    """US dollars per million tokens received."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    seed: int = 1
    """Seed; n is added for vote number n."""
    max_tokens: Annotated[int, Field(ge=16, le=100_000)] = 2000
    """Limit per reply; a reasoning model needs more."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """For one request."""
    patience_s: Annotated[float, Field(gt=0, le=86_400)] = 180.0
    """For one vote, with all its retries and pauses."""
    at_once: Annotated[int, Field(ge=1, le=256)] = 8
    """Concurrent requests."""

    def facts(self) -> dict[str, str | float]:
        """See `JudgeSettings.facts`; never the key itself."""
        is_set = "is set" if os.environ.get(self.api_key_env) else "IS NOT SET"
        return super().facts() | {
            "model": self.model,
            "family": self.family or self.name,
            "base_url": self.base_url,
            "key": f"{self.api_key_env} {is_set}" if self.api_key_env else "none needed",
            "input_usd": self.input_usd,
            "output_usd": self.output_usd,
        }


class EmbeddingSettings(Model):
    """`[embeddings]` of `judges.toml`: a model of embeddings, which finds likely topics of questions."""

    base_url: Annotated[str, AfterValidator(_valid_base_url)]
    """Address of an OpenAI-compatible endpoint, up to and including `/v1`."""
    model: Annotated[str, Field(min_length=1)]
    """The model's name there."""
    api_key_env: str = ""
    """Name of the environment variable that holds the key; empty for an endpoint that needs none."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """For one request."""
