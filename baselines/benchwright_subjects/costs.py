"""What models cost: a file of prices, also for models that Inspect does not know, such as those of a local endpoint."""

from __future__ import annotations

from pathlib import Path

import yaml
from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from benchwright_attempts.errors import EvaluationError


class _Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    input_cache_write: float | None = Field(default=None, ge=0)
    """That of other input if it is not given."""
    input_cache_read: float | None = Field(default=None, ge=0)


_PRICES = TypeAdapter(dict[str, _Price])
_FORM = "{input: 0.5, output: 1.5}"


def read_costs(file: Path, model: str) -> dict[str, ModelCost]:
    """The prices in a file, made known to Inspect.

    Args:
        file: YAML or JSON: model → `input`, `output` and, where they differ from `input`, `input_cache_write` and
            `input_cache_read`, in US dollars per million tokens.
        model: The model that is asked, as `--model` names it.

    Raises:
        EvaluationError: It can't be read, or has no price for the model; says what to write.
    """
    try:
        prices = _PRICES.validate_python(yaml.safe_load(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise EvaluationError(f"{file} can't be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{file} is neither YAML nor JSON: {' '.join(str(error).split())}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise EvaluationError(
            f"{file}: {place}: {first['msg']}. Write a line for each model, in US dollars per million tokens:"
            f" {model}: {_FORM}"
        ) from error
    if model not in prices:
        known = ", ".join(prices) or "none"
        raise EvaluationError(f"{file} has no price for {model}, only for: {known}. Add the line {model}: {_FORM}")
    costs = {
        name: ModelCost(
            input=price.input,
            output=price.output,
            input_cache_write=price.input if price.input_cache_write is None else price.input_cache_write,
            input_cache_read=price.input if price.input_cache_read is None else price.input_cache_read,
        )
        for name, price in prices.items()
    }
    for name, cost in costs.items():
        # Inspect takes prices of models in its own database only.
        if get_model_info(name) is None:
            set_model_info(name, ModelInfo(cost=cost))
    return costs
