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

from benchwright_exams.reading.page import Box, Word

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


class Recognised(NamedTuple):
    """What was recognised."""

    picture: Image
    """The page, turned so that its lines are level."""
    words: list[Word]
    confidence: float
    """Mean, 0 to 100."""
    unsure: list[Word]
    """What is too unclear to be a word of the page."""


class _Found(NamedTuple):
    word: Word
    line: tuple[str, ...]


def recognise(picture: Image, program: str, language: str) -> Recognised:
    """The words of a picture of 300 dpi.

    Args:
        picture: A page.
        program: Tesseract.
        language: In which it reads, by Tesseract's name.

    Raises:
        subprocess.SubprocessError: It failed.
    """
    found = _words(picture, program, language)
    turned = _slope(found)
    if abs(turned) > _STRAIGHT_DEGREES:
        from PIL.Image import Resampling

        picture = picture.rotate(turned, resample=Resampling.BICUBIC, fillcolor="white")
        found = _words(picture, program, language)
    clear, unsure = _sorted(found)
    mean = round(statistics.fmean([word.confidence for word in clear]), 1) if clear else 0.0
    return Recognised(picture, clear, mean, unsure)


def _sorted(found: list[_Found]) -> tuple[list[Word], list[Word]]:
    """Words of the page, and what may be anything: an unclear word counts among clear ones of its line."""
    lines: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    for one in found:
        lines[one.line].append(one.word.confidence >= _LEAST_CONFIDENCE)
    clear: list[Word] = []
    unsure: list[Word] = []
    for word, line in found:
        among = statistics.fmean(lines[line]) >= _CLEAR_SHARE and any(sign.isalnum() for sign in word.text)
        (clear if word.confidence >= _LEAST_CONFIDENCE or among else unsure).append(word)
    return clear, unsure


def _words(picture: Image, program: str, language: str) -> list[_Found]:
    with tempfile.TemporaryDirectory() as own:
        file = Path(own) / "page.png"
        picture.convert("L").save(file, dpi=(DPI, DPI))
        shown = subprocess.run(
            [program, str(file), "stdout", "-l", language, "--dpi", str(DPI), "--psm", "3", "tsv"],
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
    rows = csv.DictReader(StringIO(shown.stdout.decode("utf-8", "replace")), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = []
    for row in rows:
        text, confidence = (row.get("text") or "").strip(), float(row.get("conf") or -1)
        if not text:
            continue
        left, top, width, height = (int(row[name]) * 72 / DPI for name in ("left", "top", "width", "height"))
        line = (row["block_num"], row["par_num"], row["line_num"])
        box = Box(left, top, left + width, top + height)
        words.append(_Found(Word(text, box, height * 1.2, confidence=confidence), line))
    return words


def _slope(found: list[_Found]) -> float:
    """Degrees by which lines fall to the right; 0 if there are too few to say."""
    lines: dict[tuple[str, ...], list[Box]] = defaultdict(list)
    for one in found:
        lines[one.line].append(one.word.box)
    slopes = [
        math.degrees(
            statistics.linear_regression(
                [(box.left + box.right) / 2 for box in boxes], [(box.top + box.bottom) / 2 for box in boxes]
            ).slope
        )
        for boxes in lines.values()
        if len(boxes) >= _LEAST_WORDS and len({box.left + box.right for box in boxes}) > 1
    ]
    return statistics.median(slopes) if slopes else 0.0
