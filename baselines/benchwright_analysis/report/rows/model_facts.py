"""Facts about models that runs do not know: size, family, scores at other benchmarks; from a CSV file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchwright_attempts.errors import AttemptError

BENCHMARK = "benchmark:"
"""Prefix of a column with scores at another benchmark."""
_COLUMNS = ("model", "family", "parameters_b", "base")
_LARGEST = 10_000_000


class ModelFactsError(AttemptError):
    """The file is not as it has to be; the message names file, line, field and what to do."""


@dataclass(frozen=True)
class ModelFacts:
    """Of one model."""

    model: str
    """As runs name it, such as `openai/gpt-4o`."""
    family: str = ""
    """Models that differ mostly in size; empty if it has none."""
    parameters_b: float | None = None
    """Parameters in billions."""
    benchmarks: Mapping[str, float] = field(default_factory=dict)
    """Benchmark → score, in the unit of the file."""
    base: str = ""
    """The model that this one was made from by training on a subject; empty if it is no such expert."""


def read_model_facts(file: Path) -> Sequence[ModelFacts]:
    """Reads CSV (UTF-8) with a line of names: `model`, `family`, `parameters_b`, `base`, and a `benchmark:NAME` each.

    Raises:
        ModelFactsError: The file can't be read, or a field is wrong.
    """
    try:
        if file.stat().st_size > _LARGEST:
            raise ModelFactsError(f"{file} is larger than {_LARGEST:,} bytes: a row for each model is enough.")
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ModelFactsError(f"{file} can't be read: {error.strerror}. Give an existing file.") from error
    except UnicodeDecodeError as error:
        raise ModelFactsError(f"{file} is not UTF-8. Save it as CSV with that encoding.") from error
    csv_reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    facts_by_model: dict[str, ModelFacts] = {}
    try:
        _check_column_names(file, list(csv_reader.fieldnames or ()))
        for row in csv_reader:
            location = f"{file}, line {csv_reader.line_num}"
            model_facts = _facts_of_row(location, row)
            if model_facts.model in facts_by_model:
                raise ModelFactsError(f"{location}, model: {model_facts.model!r} has a row already. Keep one of them.")
            facts_by_model[model_facts.model] = model_facts
    except csv.Error as error:
        raise ModelFactsError(f"{file}, line {csv_reader.line_num}: {error}. Check the quotes of this line.") from error
    if not facts_by_model:
        raise ModelFactsError(f"{file} has no rows below the line of names. Add a row for each model.")
    return tuple(facts_by_model.values())


def _check_column_names(file: Path, names: Sequence[str]) -> None:
    if "model" not in names:
        raise ModelFactsError(f"{file}, line 1: there is no column `model`. It holds the names that runs give models.")
    for name in names:
        if names.count(name) > 1:
            raise ModelFactsError(f"{file}, line 1: two columns are called {name!r}. Rename or remove one.")
        if name not in _COLUMNS and not name.removeprefix(BENCHMARK).strip():
            raise ModelFactsError(f"{file}, line 1: the column {name!r} has no name of a benchmark. Add it.")
        if name not in _COLUMNS and not name.startswith(BENCHMARK):
            raise ModelFactsError(
                f"{file}, line 1: there is no column {name!r}. Known are {', '.join(_COLUMNS)}, and {BENCHMARK}NAME "
                "for scores at another benchmark."
            )


def _facts_of_row(location: str, row: Mapping[str | None, str | list[str] | None]) -> ModelFacts:
    if None in row or None in row.values():
        raise ModelFactsError(f"{location}: it has more or fewer fields than the line of names. Check its commas.")
    texts = {str(name): str(value).strip() for name, value in row.items()}
    if not texts["model"]:
        raise ModelFactsError(f"{location}, model: is empty. Name the model as runs do, such as openai/gpt-4o.")
    size = _number_if_given(location, "parameters_b", texts.get("parameters_b", ""))
    if size is not None and size <= 0:
        raise ModelFactsError(
            f"{location}, parameters_b: {size:g} is not greater than 0. Give billions, or leave it out."
        )
    benchmarks = {
        name.removeprefix(BENCHMARK).strip(): score
        for name, text in texts.items()
        if name.startswith(BENCHMARK) and (score := _number_if_given(location, name, text)) is not None
    }
    base = texts.get("base", "")
    if base == texts["model"]:
        raise ModelFactsError(f"{location}, base: is the model itself. Name the model that it was made from.")
    return ModelFacts(texts["model"], texts.get("family", ""), size, benchmarks, base)


def _number_if_given(location: str, column: str, text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ModelFactsError(
            f"{location}, {column}: {text[:40]!r} is not a number. Write 7 or 0.5, or leave it empty."
        )
    return value
