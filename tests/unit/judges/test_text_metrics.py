from __future__ import annotations

import random
import warnings
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.text_metrics import THRESHOLD, cvdp_bleu, cvdp_rouge, text_metrics

TEXT = "the a cache line misses hits Hits. is not evicted, and then so; `data_in` 16'hFF [7:0]"
WORDS = [*TEXT.split()]


def test_bleu_is_nltk_s_to_the_bit() -> None:
    bleu_score = pytest.importorskip("nltk.translate.bleu_score")
    word_source = random.Random(7)
    differing = []
    with warnings.catch_warnings():
        # NLTK warns that there is no bigram in common, which is what many of these pairs are for.
        warnings.simplefilter("ignore")
        for _ in range(800):
            text, reference = (" ".join(word_source.choices(WORDS, k=word_source.randint(0, 25))) for _ in range(2))
            expected_score = bleu_score.sentence_bleu([reference.split()], text.split(), weights=[0.5, 0.5])
            if cvdp_bleu(text, reference) != expected_score:
                differing.append((text, reference))
    assert differing == []


def bleu_by_definition(text: str, reference: str) -> float:
    """CVDP's ROUGE, from its description: lower case, word characters and white space only, bigrams of words."""

    def bigrams(phrase: str) -> list[str]:
        kept_text = "".join(c for c in phrase.lower() if c.isalnum() or c == "_" or c.isspace())
        words = kept_text.split()
        return [" ".join(pair) for pair in pairwise(words)]

    reference_bigrams = bigrams(reference)
    return len(set(reference_bigrams).intersection(bigrams(text))) / len(reference_bigrams)


@given(
    text=st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join),
    reference=st.lists(st.sampled_from(WORDS), min_size=2, max_size=25).map(" ".join),
)
def test_rouge_is_the_share_of_the_reference_s_bigrams(text: str, reference: str) -> None:
    assert cvdp_rouge(text, reference) == bleu_by_definition(text, reference)


def test_a_bigram_that_the_reference_repeats_counts_once_above_and_twice_below() -> None:
    assert cvdp_rouge("a b", "a b a b") == 1 / 3
    assert cvdp_rouge("a b a b", "a b a b") == 2 / 3


@pytest.mark.parametrize(
    ("text", "reference", "bleu", "rouge"),
    [
        ("", "", 0.0, 0.0),
        ("", "one two", 0.0, 0.0),
        ("one two", "", 0.0, 0.0),
        ("one", "one", 0.0, 1.0),
        ("two", "one", 0.0, 0.0),
        ("?", "!", 0.0, 0.0),
        ("one two three", "one two three", 1.0, 1.0),
    ],
)
def test_nothing_divides_by_zero(text: str, reference: str, bleu: float, rouge: float) -> None:
    # NLTK gives 1.5e-154 where no bigram is in common.
    assert cvdp_bleu(text, reference) == pytest.approx(bleu)
    assert cvdp_rouge(text, reference) == rouge


def test_the_field_s_values_stand_beside_cvdp_s() -> None:
    pytest.importorskip("sacrebleu")
    metrics = text_metrics("the cache line is evicted", "the cache line is not evicted")
    assert set(metrics) == {"bleu", "rouge", "sacrebleu", "rouge2", "rougeL"}
    assert all(0 < value < 1 for value in metrics.values())
    assert metrics["rougeL"] == pytest.approx(10 / 11)
    assert metrics["bleu"] > THRESHOLD


def test_a_very_long_text_has_no_longest_common_subsequence() -> None:
    pytest.importorskip("rouge_score")
    assert "rougeL" not in text_metrics("word " * 20_000, "word " * 2_000)
