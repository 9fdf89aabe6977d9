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

from benchwright_exams.page import Box, Word

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 300
_SECONDS = 120
_STRAIGHT_DEGREES = 0.15
_LEAST_WORDS = 4
"""Words of a line from which a slope is taken."""
_LEAST_CONFIDENCE = 30.0


class Recognised(NamedTuple):
    """What was recognised."""

    picture: Image
    """The page, turned so that its lines are level."""
    words: list[Word]
    confidence: float
    """Mean, 0 to 100."""
    unsure: list[str]
    """What is too unclear to be a word of the page."""


class _Found(NamedTuple):
    word: Word
    line: tuple[str, ...]
    confidence: float


def recognise(picture: Image, folder: Path, program: str, language: str) -> Recognised:
    """The words of a picture of 300 dpi.

    Args:
        picture: A page.
        folder: Where it is written for the program.
        program: Tesseract.
        language: In which it reads, by Tesseract's name.

    Raises:
        subprocess.SubprocessError: It failed.
    """
    found = _words(picture, folder, program, language)
    turned = _slope(found)
    if abs(turned) > _STRAIGHT_DEGREES:
        from PIL.Image import Resampling

        picture = picture.rotate(turned, resample=Resampling.BICUBIC, fillcolor="white")
        found = _words(picture, folder, program, language)
    clear = [one for one in found if one.confidence >= _LEAST_CONFIDENCE]
    return Recognised(
        picture,
        [one.word for one in clear],
        round(statistics.fmean([one.confidence for one in clear]), 1) if clear else 0.0,
        [one.word.text for one in found if one.confidence < _LEAST_CONFIDENCE],
    )


def _words(picture: Image, folder: Path, program: str, language: str) -> list[_Found]:
    # Pages are read at the same time, each in a process.
    with tempfile.TemporaryDirectory(dir=folder) as own:
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
        words.append(_Found(Word(text, Box(left, top, left + width, top + height), height * 1.2), line, confidence))
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
