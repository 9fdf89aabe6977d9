"""Prices of models, from a file."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.evaluation.prices import PriceSource, set_prices

MODEL = "openai-api/local/my-model"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "has no prices. Write US dollars for a million tokens"),
        (f"{MODEL}: {{input: 2}}", f"{MODEL}: output (Field required), input_cache_write (Field required)"),
        (f"{MODEL}: 3", f"{MODEL}: all ("),
        ("other: {input: 1, output: 1, input_cache_write: 0, input_cache_read: 0}", "only of other. Add: " + MODEL),
        (f"{MODEL}: {{input: ", "neither YAML nor JSON"),
        (None, "can't be read: No such file"),
        ("dated: yesterday", "dated: 'yesterday' is no date. Write it as 2026-11-30"),
    ],
)
def test_what_is_wrong_with_prices_is_told_with_what_to_write(text: str | None, words: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(EvaluationError) as raised:
        set_prices(file, MODEL)
    assert str(file) in str(raised.value)
    assert words in str(raised.value)


def test_a_limit_needs_prices_of_a_known_day(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(f"{MODEL}: {{input: 1, output: 1, input_cache_write: 0, input_cache_read: 0}}\n")
    with pytest.raises(EvaluationError, match=r"prices\.yaml does not say of which day .* so --budget can't be kept"):
        set_prices(file, MODEL).require_date("--budget")
    file.write_text("dated: 2026-11-20\n" + file.read_text())
    price_list = set_prices(file, MODEL)
    price_list.require_date("--budget")
    assert price_list == PriceSource("prices.yaml", date(2026, 11, 20))
