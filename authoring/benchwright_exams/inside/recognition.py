"""Words of a page that is a picture, by Tesseract."""

from __future__ import annotations

import csv
import math
import statistics
import subprocess
import tempfile
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright_exams.reading.page import Box, PageWord

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 300
_SECONDS = 120
_STRAIGHT_DEGREES = 0.15
_LEAST_WORDS = 4
"""Words of a line from which a slope is taken."""
_LEAST_CONFIDENCE = 30.0
_CLEAR_SHARE = 0.5
"""Of a line's words."""


class RecognisedWords(NamedTuple):
    """Words that were recognised."""

    picture: Image
    """The page, turned so that its lines are level."""
    words: list[PageWord]
    confidence: float
    """Mean, 0 to 100."""
    unsure_words: list[PageWord]
    """Words that are too unclear to be words of the page."""


class _RecognisedWord(NamedTuple):
    word: PageWord
    line: tuple[str, ...]


def recognised_words(picture: Image, tesseract_path: str, language: str) -> RecognisedWords:
    """The words of a picture of 300 dpi.

    Args:
        picture: A page.
        tesseract_path: Tesseract.
        language: Language in which it reads, by Tesseract's name.

    Raises:
        subprocess.SubprocessError: It failed.
    """
    found_words = _words_by_tesseract(picture, tesseract_path, language)
    turned = _slope_degrees(found_words)
    if abs(turned) > _STRAIGHT_DEGREES:
        from PIL.Image import Resampling

        picture = picture.rotate(turned, resample=Resampling.BICUBIC, fillcolor="white")
        found_words = _words_by_tesseract(picture, tesseract_path, language)
    clear, unsure = _clear_and_unsure_words(found_words)
    mean = round(statistics.fmean([word.confidence for word in clear]), 1) if clear else 0.0
    return RecognisedWords(picture, clear, mean, unsure)


def _clear_and_unsure_words(recognised_words: list[_RecognisedWord]) -> tuple[list[PageWord], list[PageWord]]:
    """Words of the page, and what may be anything: an unclear word counts among clear ones of its line."""
    lines: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    for found_word in recognised_words:
        lines[found_word.line].append(found_word.word.confidence >= _LEAST_CONFIDENCE)
    clear: list[PageWord] = []
    unsure: list[PageWord] = []
    for word, line in recognised_words:
        is_among_clear = statistics.fmean(lines[line]) >= _CLEAR_SHARE and any(sign.isalnum() for sign in word.text)
        (clear if word.confidence >= _LEAST_CONFIDENCE or is_among_clear else unsure).append(word)
    return clear, unsure


def _words_by_tesseract(picture: Image, tesseract_path: str, language: str) -> list[_RecognisedWord]:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "page.png"
        picture.convert("L").save(file, dpi=(DPI, DPI))
        process = subprocess.run(
            [tesseract_path, str(file), "stdout", "-l", language, "--dpi", str(DPI), "--psm", "3", "tsv"],
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
    rows = csv.DictReader(StringIO(process.stdout.decode("utf-8", "replace")), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = []
    for row in rows:
        text, confidence = (row.get("text") or "").strip(), float(row.get("conf") or -1)
        if not text:
            continue
        left_edge, top_edge, width, height = (int(row[name]) * 72 / DPI for name in ("left", "top", "width", "height"))
        line_key = (row["block_num"], row["par_num"], row["line_num"])
        box = Box(left_edge, top_edge, left_edge + width, top_edge + height)
        words.append(_RecognisedWord(PageWord(text, box, height * 1.2, confidence=confidence), line_key))
    return words


def _slope_degrees(recognised_words: list[_RecognisedWord]) -> float:
    """Degrees by which lines fall to the right; 0 if there are too few to say."""
    line_boxes: dict[tuple[str, ...], list[Box]] = defaultdict(list)
    for found_word in recognised_words:
        line_boxes[found_word.line].append(found_word.word.box)
    slopes = [
        math.degrees(
            statistics.linear_regression(
                [(box.left_edge + box.right_edge) / 2 for box in boxes],
                [(box.top_edge + box.bottom_edge) / 2 for box in boxes],
            ).slope
        )
        for boxes in line_boxes.values()
        if len(boxes) >= _LEAST_WORDS and len({box.left_edge + box.right_edge for box in boxes}) > 1
    ]
    return statistics.median(slopes) if slopes else 0.0
