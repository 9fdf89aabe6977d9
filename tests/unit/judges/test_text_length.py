from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_judges.reading.text_length import TokenCounter, TokenEncoding, count_words, token_table_file


@pytest.mark.parametrize(
    ("text", "word_count"),
    [
        ("", 0),
        ("  \n", 0),
        ("a direct-mapped cache", 3),
        ("It's 3.5 GHz, isn't it?", 5),
        ("缓存命中率", 5),
        ("L1 缓存", 3),
        ("der Größe nach", 3),
    ],
)
def test_words_are_counted_as_an_editor_does(text: str, word_count: int) -> None:
    assert count_words(text) == word_count


def test_tokens_are_those_of_tiktokens_own_table() -> None:
    # tiktoken's documentation counts 6 for this sentence with o200k_base.
    assert TokenCounter(Home.from_environment().cache).count("tiktoken is great!") == 6


def test_another_encoding_has_a_table_of_its_own() -> None:
    text = "Größenordnungen der Zwischenspeicher 缓存命中率"
    counts = {name: TokenCounter(Home.from_environment().cache, name).count(text) for name in TokenEncoding}
    assert None not in counts.values() and counts[TokenEncoding.CL100K] != counts[TokenEncoding.O200K]


def test_a_special_token_in_an_answer_is_text() -> None:
    count = TokenCounter(Home.from_environment().cache).count("<|endoftext|>")
    assert count is not None and count > 1


def test_without_a_table_nothing_is_fetched_and_the_count_is_unknown(tmp_path: Path) -> None:
    assert TokenCounter(tmp_path).count("a b") is None


def test_a_damaged_table_is_not_used(tmp_path: Path) -> None:
    file = token_table_file(tmp_path)
    file.parent.mkdir()
    file.write_bytes(b"IQ== 0\n")
    assert TokenCounter(tmp_path).count("a b") is None
    assert file.exists()
