"""Readers measured against people: hand-made counts, a scripted model, and files that don't fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_judges.errors import VotesFileError
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.reading.corpus import read_corpus
from benchwright_judges.reading.measure import measure_reading
from benchwright_judges.records.records import Records

from ...support.packs.reading import reading_panel
from ...support.service.judge_endpoint import JudgeRequest, PlayedReply, content, fails, in_turn

CHOICE = {
    "item": "1",
    "format": "choice",
    "language": "en",
    "question": "Which policy updates memory late?",
    "key": "B",
    "options": ["Write-through", "Write-back"],
}
BLANK = {"item": "2", "format": "blank", "language": "en", "question": "It is ____.", "key": "write-back"}
LINES = [
    CHOICE,
    ["B", "plain", "The answer is B."],
    ["B", "odd", "Mine keeps dirty blocks."],
    ["A", "odd", "Mine never has dirty blocks."],
    ["nothing", "odd", "Blocks are dirty at times."],
    ["nothing", "odd", "Blocks are dirty now and then."],
    ["either", "odd", "Hmm."],
    BLANK,
    ["wrong", "text", "lazy"],
]


def corpus_file(folder: Path, *corpus_lines: object) -> Path:
    file = folder / "corpus.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in corpus_lines))
    return file


def scripted_reply(request: JudgeRequest) -> PlayedReply:
    """Reads B in whatever mentions dirty blocks or "now and then"; nothing elsewhere."""
    phrase = next((candidate for candidate in ("dirty blocks", "now and then") if candidate in request.user), "")
    outcome = "stated" if phrase else "none"
    return content(json.dumps({"outcome": outcome, "value": "B" if phrase else "", "quote": phrase}))


async def test_unread_misread_and_invented_are_counted_for_rules_and_for_the_model(
    records: Records, tmp_path: Path
) -> None:
    replies = read_corpus(corpus_file(tmp_path, *LINES))
    async with reading_panel(scripted_reply) as (panel, server):
        measured = await measure_reading(replies, panel, records, JudgingBudget())
    qualities = {
        (quality.reader.partition(" + ")[2], quality.format): [
            (reading_share.count, reading_share.total)
            for reading_share in (quality.unread, quality.misread, quality.invented)
        ]
        for quality in measured.qualities
    }
    assert qualities["", "choice"] == [(2, 3), (0, 3), (0, 2)]
    # "Never has" denies what the scripted reader quotes behind it.
    assert qualities["m", "choice"] == [(1, 3), (0, 3), (1, 2)]
    assert qualities["m", "blank"] == [(0, 0), (0, 0), (0, 0)]
    assert (measured.asked, measured.failed, len(server.requests)) == (5, 0, 10)
    assert measured.cost_usd > 0


async def test_replies_that_the_model_can_t_be_used_for_count_as_unread(records: Records, tmp_path: Path) -> None:
    replies = read_corpus(corpus_file(tmp_path, *LINES[:3]))
    async with reading_panel(in_turn(fails(401))) as (panel, _):
        measured = await measure_reading(replies, panel, records, JudgingBudget())
    assert (measured.asked, measured.failed, measured.qualities[-1].unread.count) == (1, 1, 1)


@pytest.mark.parametrize(
    ("corpus_lines", "message"),
    [
        ([["B", "x", "B"]], ":1: a reply needs a question"),
        ([CHOICE, ["E", "x", "B"]], ":2: truth 'E' is none of A, B, nothing, either"),
        ([CHOICE, ["B", "B"]], ":2: field 2: "),
        ([{**CHOICE, "format": "essay"}], ":1: field format: "),
        ([{**BLANK, "key": "3 (tolerance x)"}], ":1: field key: the tolerance"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, corpus_lines: list[object], message: str) -> None:
    with pytest.raises(VotesFileError) as caught:
        read_corpus(corpus_file(tmp_path, *corpus_lines))
    assert f"corpus.jsonl{message}" in str(caught.value)
