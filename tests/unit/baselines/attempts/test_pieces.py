from __future__ import annotations

import random

import pytest

from benchwright_attempts.events.pieces import EditableText
from benchwright_attempts.summary.survival import TextChangePoint, TextChangePoints, TextSurvival


@pytest.mark.parametrize("seed", range(4))
def test_pieces_are_the_string_that_slices_make(seed: int) -> None:
    dice = random.Random(seed)
    plain_text, pieces = "", EditableText()
    for _ in range(400):
        start = dice.randrange(len(plain_text) + 1)
        end = min(len(plain_text), start + dice.choice((0, 0, 1, 50, 20_000)))
        assert pieces[start:end] == plain_text[start:end]
        inserted_text = dice.choice("abé𝄞") * dice.choice((0, 1, 3, 9000, 40_000))
        plain_text = plain_text[:start] + inserted_text + plain_text[end:]
        pieces.replace(start, end, inserted_text)
        assert pieces.length == len(plain_text)
    assert str(pieces) == plain_text


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_each_insertion_is_what_counting_every_code_point_says(seed: int) -> None:
    dice = random.Random(seed)
    owners: list[int] = []
    contents, inserted = [TextChangePoint(0, 1, {"a.sv": ""})], {}
    for seq in range(2, 300):
        start = dice.randrange(len(owners) + 1)
        end = min(len(owners), start + dice.choice((0, 0, 2, 9)))
        length = dice.choice((0, 1, 5, 30))
        own_seq = seq if length and dice.random() < 0.5 else 0
        if own_seq:
            inserted[seq] = length
        owners[start:end] = [own_seq] * length
        changes = [(start, end, "x" * length)]
        contents.append(TextChangePoint(seq * 10**9, seq, None, "a.sv", changes))
    survival = TextSurvival(inserted).count_survival(contents, 10_000 * 10**9)
    assert survival.at_end == sum(owner > 0 for owner in owners)
    assert survival.inserted_reaching_age == (sum(inserted.values()),) * 2
    assert survival.at_end <= survival.left_at_age[1] <= survival.left_at_age[0] <= survival.inserted_reaching_age[0]


def test_contents_in_columns_come_back_as_they_were_given() -> None:
    contents = TextChangePoints()
    changes = [(0, 1, "é"), (None, None, "whole"), (7, 7, "")]
    contents.add_files(5, 1, {"a.sv": "text", "b.sv": None})
    contents.add_edit(6, 2, "a.sv", changes)
    contents.add_edit(7, 3, "b.sv", [])
    assert list(contents) == [
        TextChangePoint(5, 1, {"a.sv": "text", "b.sv": None}, "", []),
        TextChangePoint(6, 2, None, "a.sv", changes),
        TextChangePoint(7, 3, None, "b.sv", []),
    ]
