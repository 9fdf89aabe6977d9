"""The corpus of replies is read without a single wrong reading, held-out phrasings apart."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from benchwright_judges.reading.assertion_answers import read_truth
from benchwright_judges.reading.choice_answers import read_choice
from benchwright_judges.reading.reply_text import given_answer
from benchwright_judges.reading.stated_answers import stated_phrases
from benchwright_judges.rule_judgements import RULES

from .reply_corpus import Reply, corpus, outcome, reading

CHOICES = {"A": "SRAM", "B": "DRAM", "C": "ROM", "D": "Flash"}


def sampled(*, held_out: bool) -> list[Reply]:
    """Every reply to the first question of each phrasing, and a tenth of the rest."""
    phrasings: set[str] = set()
    sampled_replies = []
    for index, reply in enumerate(corpus()):
        if reply.held_out is held_out and (reply.phrasing not in phrasings or index % 10 == 0):
            sampled_replies.append(reply)
            phrasings.add(reply.phrasing)
    return sampled_replies


def test_every_phrasing_that_rules_were_written_for_is_read_as_a_person_reads_it() -> None:
    missed = [
        (outcome(reply), reply.text, reply.truth) for reply in sampled(held_out=False) if outcome(reply) != "read"
    ]
    assert missed == []


def test_what_held_out_phrasings_say_is_never_misread_nor_made_up() -> None:
    outcome_counts = Counter((reply.kind, outcome(reply)) for reply in sampled(held_out=True))
    assert [kind for kind, reading_outcome in outcome_counts if reading_outcome in ("misread", "invented")] == []
    unread = sum(number for (_, reading_outcome), number in outcome_counts.items() if reading_outcome == "unread")
    assert unread < 0.005 * outcome_counts.total()


def test_the_corpus_covers_every_kind_language_and_half_of_the_phrasings_twice() -> None:
    part_counts = Counter((reply.kind, reply.language, reply.held_out) for reply in corpus())
    assert len(part_counts) == 3 * 4 * 2
    assert min(part_counts.values()) > 30


HOSTILE = [
    "A" * 1_000_000,
    "answer is (" * 90_000,
    "{" * 500_000,
    '"answer": ' * 90_000,
    "<answer>" * 90_000,
    "<think>" * 90_000,
    "</think>" * 90_000,
    "\\boxed{" * 90_000,
    "\\text{" * 90_000,
    "|" * 900_000,
    "A\n" * 400_000,
    "A" + "\n" * 900_000 + "B",
    "no, " * 200_000,
    "A, " * 300_000,
    "SRAM " * 200_000,
    "the second option " * 60_000,
    "it is called " * 80_000,
    "none of the " * 90_000,
    "因为" * 300_000,
    "true or " * 120_000,
    "\x00" * 900_000,
    "\u202eB\u202c" * 200_000,
    " " * 900_000 + "?",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_a_hostile_reply_of_a_megabyte_takes_no_time(text: str) -> None:
    read_choice(text, CHOICES)
    read_truth(text)
    given_answer(text)
    stated_phrases(text, "The header has () bytes.")


@pytest.mark.parametrize(
    "text", ["\x00B\x00", "\u202eB\u202c", "B\u200b", "\ufeffB\r\n", "The answer is\u200f B.", "\ue101 B"]
)
def test_invisible_characters_neither_hide_nor_make_an_answer(text: str) -> None:
    assert read_choice(text, CHOICES).value == "B"


@pytest.mark.parametrize("text", ["\ue100", "\ue010 \ue101", "\ue020", "\ue1f0", "\ue140"])
def test_characters_that_the_reader_uses_itself_are_not_answers(text: str) -> None:
    assert read_choice(text, CHOICES).value is None
    assert read_truth(text).value is None


def test_another_reading_is_another_version_of_the_rules() -> None:
    readings = "\n".join(f"{reply.text}\t{reading(reply)}" for reply in sampled(held_out=False))
    # If this fails, raise RULES, so that judgements by the former rules stay apart, and put the new digest here.
    assert (RULES, hashlib.sha256(readings.encode()).hexdigest()[:12]) == ("reading-rules@9", "f9894dbdb316")
