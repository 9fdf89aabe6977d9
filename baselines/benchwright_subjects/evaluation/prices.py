"""Prices of models, from a file in the format of Inspect's `--model-cost-config`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import yaml
from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info
from pydantic import ValidationError

from benchwright_attempts.errors import EvaluationError

_DATE = "dated"
"""The field of the file that is no model."""
_EXAMPLE = "{name}: {{input: 2.5, output: 10, input_cache_write: 0, input_cache_read: 0}}"


@dataclass(frozen=True)
class PriceSource:
    """Where the prices of a run come from."""

    file: str
    dated: date | None
    """The day that they are of; None if the file does not say."""

    def require_date(self, option: str) -> None:
        """Refuse to keep a limit by prices of unknown age.

        Args:
            option: The option that sets the limit.

        Raises:
            EvaluationError: The file has no date.
        """
        if self.dated is None:
            raise EvaluationError(
                f"{self.file} does not say of which day its prices are, so {option} can't be kept. "
                f"Add a line such as: {_DATE}: 2026-11-30"
            )


def set_prices(prices_file: Path, required_model: str = "") -> PriceSource:
    """Have Inspect count what models cost, also those that its own table of models does not have.

    Args:
        prices_file: YAML or JSON: name of a model as runs name it → US dollars for a million tokens; `dated` is the day
            that they are of.
        required_model: One that has to be in it; none if empty.

    Raises:
        EvaluationError: The file can't be read, a price is missing or no number, or the model is not there.
    """
    try:
        price_table = yaml.safe_load(prices_file.read_text(encoding="utf-8"))
    except OSError as error:
        raise EvaluationError(f"{prices_file} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise EvaluationError(f"{prices_file} is not UTF-8. Save it as UTF-8.") from error
    except yaml.YAMLError as error:
        raise EvaluationError(f"{prices_file} is neither YAML nor JSON: {error}") from error
    example = _EXAMPLE.format(name=required_model or "openai/gpt-5")
    if not isinstance(price_table, dict):
        raise EvaluationError(f"{prices_file} has no prices. Write US dollars for a million tokens: {example}")
    dated = _price_date(prices_file, price_table.pop(_DATE, None))
    prices = {str(name): _model_price(prices_file, str(name), value) for name, value in price_table.items()}
    if required_model and required_model not in prices:
        raise EvaluationError(
            f"{prices_file} has no prices of {required_model}, only of {', '.join(prices) or 'none'}. Add: {example}"
        )
    for name, price in prices.items():
        # Inspect's own function refuses models that its table does not have, such as those behind an address.
        model_info = get_model_info(name) or ModelInfo()
        set_model_info(name, model_info.model_copy(update={"cost": price}))
    return PriceSource(prices_file.name, dated)


def _price_date(prices_file: Path, stated_date: object) -> date | None:
    try:
        return (
            stated_date
            if stated_date is None or isinstance(stated_date, date)
            else date.fromisoformat(str(stated_date))
        )
    except ValueError:
        raise EvaluationError(f"{prices_file}, {_DATE}: {stated_date!r} is no date. Write it as 2026-11-30.") from None


def _model_price(prices_file: Path, model_name: str, price_fields: object) -> ModelCost:
    try:
        return ModelCost.model_validate(price_fields)
    except ValidationError as error:
        field_errors = ", ".join(
            f"{'.'.join(map(str, details['loc'])) or 'all'} ({details['msg']})" for details in error.errors()
        )
        example = _EXAMPLE.format(name=model_name)
        raise EvaluationError(
            f"{prices_file}, {model_name}: {field_errors}. Write US dollars for a million tokens, 0 for a cache"
            f" without a price: {example}"
        ) from error
