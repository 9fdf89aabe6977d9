"""BLEU and ROUGE as CVDP computes them, and the field's usual values beside them.

CVDP (Pinckney et al., arXiv:2506.14074; `src/subjective.py` and `src/constants.py` of its repository)
compares an answer with its reference twice:

- BLEU: sentence BLEU (Papineni et al., 2002) over words split at white space, precision of words and
  bigrams with equal weights, brevity penalty, no smoothing: NLTK's `sentence_bleu` with weights (½, ½).
- ROUGE: the set of bigrams that both have, divided by the *number* of the reference's bigrams, after
  lower-casing and removing everything but word characters and white space.

An answer counts as right if both are above 0.40; CVDP's report then adds up the BLEU values.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter

THRESHOLD = 0.40
_ORDER = 2
_MAX_TABLE = 50_000_000


def cvdp_bleu(answer_text: str, reference_text: str) -> float:
    """Sentence BLEU of order 2 without smoothing, 0 to 1. Equal to NLTK's to the bit."""
    words, reference_words = answer_text.split(), reference_text.split()
    matched: list[int] = []
    total: list[int] = []
    for size in range(1, _ORDER + 1):
        counts, reference_counts = Counter(_ngrams(words, size)), Counter(_ngrams(reference_words, size))
        matched.append(sum(min(count, reference_counts[ngram]) for ngram, count in counts.items()))
        total.append(max(1, sum(counts.values())))
    if matched[0] == 0:
        return 0.0
    penalty = 1.0 if len(words) > len(reference_words) else math.exp(1 - len(reference_words) / len(words))
    # A precision of 0 counts as the smallest number that a float holds, so that there is a logarithm.
    precisions = (
        hit / ngram_count if hit else sys.float_info.min for hit, ngram_count in zip(matched, total, strict=True)
    )
    return penalty * math.exp(math.fsum(math.log(precision) / _ORDER for precision in precisions))


def cvdp_rouge(answer_text: str, reference_text: str) -> float:
    """Recall of the reference's bigrams by set overlap, 0 to 1.

    CVDP divides by zero if the reference has fewer than two words. Here the recall of a reference of one word
    is 1 for an answer with the same word and 0 for any other.
    """
    words, reference_words = _plain_words(answer_text), _plain_words(reference_text)
    bigrams = _ngrams(reference_words, _ORDER)
    if not bigrams:
        return float(bool(reference_words) and words == reference_words)
    return len(set(_ngrams(words, _ORDER)) & set(bigrams)) / len(bigrams)


def text_metrics(answer_text: str, reference_text: str) -> dict[str, float]:
    """`bleu` and `rouge` as in CVDP; `sacrebleu`, `rouge2` and `rougeL` (F1) if their packages are installed."""
    return {
        "bleu": cvdp_bleu(answer_text, reference_text),
        "rouge": cvdp_rouge(answer_text, reference_text),
        **_sacrebleu_and_rouge_scores(answer_text, reference_text),
    }


def _sacrebleu_and_rouge_scores(answer_text: str, reference_text: str) -> dict[str, float]:
    # Both come with the extra `judges`, and are not imported at start-up.
    try:
        from rouge_score.rouge_scorer import RougeScorer
        from sacrebleu import sentence_bleu
    except ImportError:
        return {}
    rouge_kinds = ["rouge2"]
    # The longest common subsequence costs memory and time of one length times the other.
    if len(answer_text) * len(reference_text) <= _MAX_TABLE:
        rouge_kinds.append("rougeL")
    rouge = RougeScorer(rouge_kinds).score(reference_text, answer_text)
    values = {kind: float(rouge[kind].fmeasure) for kind in rouge_kinds}
    return {"sacrebleu": sentence_bleu(answer_text, [reference_text]).score / 100, **values}


def _ngrams(words: list[str], words_per_ngram: int) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + words_per_ngram]) for start in range(len(words) - words_per_ngram + 1)]


def _plain_words(text: str) -> list[str]:
    return re.sub(r"[^\w\s]", "", text.lower()).split()
