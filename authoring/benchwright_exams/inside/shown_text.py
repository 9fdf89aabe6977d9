"""The words that a page of a PDF shows, and those that it only has."""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pypdfium2.raw as pdfium

from benchwright_exams.reading.page import Box, PageWord

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_CHARACTERS = 60_000
"""Of one page; a page that is full of small print has a tenth of it."""
_SMALLEST_POINTS = 3.0
_LEAST_CONTRAST = 40
_UNSEEN = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
_PRECISION = 10
"""Steps of a point."""
_FLAT = 0.55
_FIXED_PITCH = 1
"""A flag of a font (PDF 32000-1:2008, table 123)."""
_FIXED_NAMES = (b"courier", b"mono", b"cmtt", b"consolas")


class TooMuchTextError(Exception):
    """A page has more characters than any exam's."""


def shown_and_hidden_words(page: Any, picture: Image, pixels_per_point: float) -> tuple[list[PageWord], list[str]]:
    """The words of a page, shown and hidden.

    A word is hidden if it is drawn invisibly, in letters below 3 points, outside the page, or where the page's picture
    has no contrast: white on white, or behind something.

    Args:
        page: Page of pypdfium2.
        picture: The page, rendered in grey.
        pixels_per_point: Pixels of a point.

    Raises:
        TooMuchTextError: The page has more characters than are read.
    """
    shown_words: list[PageWord] = []
    hidden_words: list[str] = []
    for word, is_drawn in _words_with_drawn_flag(page):
        if is_drawn and word.size >= _SMALLEST_POINTS and _has_contrast(word.box, picture, pixels_per_point):
            shown_words.append(word)
        else:
            hidden_words.append(word.text)
    return shown_words, hidden_words


class _Letter(NamedTuple):
    text: str
    box: Box
    size: float
    fixed: bool
    is_drawn: bool


def _words_with_drawn_flag(page: Any) -> Iterator[tuple[PageWord, bool]]:
    letters: list[_Letter] = []
    for letter in _letters_of_page(page):
        if letters and not _continues_word(letters, letter):
            yield _word_with_drawn_flag(letters)
            letters = []
        if letter.text.strip():
            letters.append(letter)
    if letters:
        yield _word_with_drawn_flag(letters)


def _continues_word(word_letters: list[_Letter], next_letter: _Letter) -> bool:
    last_letter = word_letters[-1]
    gap = next_letter.box.left_edge - last_letter.box.right_edge
    return (
        bool(next_letter.text.strip())
        and next_letter.is_drawn is last_letter.is_drawn
        # Spaces are characters, also those that pdfium infers; a gap is a column's, or a tab's.
        and gap <= 0.6 * max(last_letter.size, 1.0)
        and next_letter.box.right_edge >= word_letters[0].box.left_edge
        and min(next_letter.box.bottom_edge, last_letter.box.bottom_edge) + last_letter.size / 2
        >= max(next_letter.box.top_edge, last_letter.box.top_edge)
    )


def _word_with_drawn_flag(word_letters: list[_Letter]) -> tuple[PageWord, bool]:
    box = word_letters[0].box
    for letter in word_letters[1:]:
        box = box.union(letter.box)
    size = max(letter.size for letter in word_letters)
    text = _expand_ligatures([letter.text for letter in word_letters])
    if box.height < _FLAT * size:
        # A dash or a blank to fill in stands in a line as high as a letter.
        rise = _FLAT * size - box.height
        rise_above = rise if text.startswith("_") else rise / 2
        box = Box(box.left_edge, box.top_edge - rise_above, box.right_edge, box.bottom_edge + rise - rise_above)
    return PageWord(text, box, size, all(letter.fixed for letter in word_letters)), word_letters[0].is_drawn


def _expand_ligatures(letter_texts: list[str]) -> str:
    """The word with its ligatures taken apart."""
    text = "".join(letter_texts)
    normalised_signs = (unicodedata.normalize("NFKC", sign) if "\ufb00" <= sign <= "\ufb06" else sign for sign in text)
    return unicodedata.normalize("NFC", "".join(normalised_signs))


def _letters_of_page(page: Any) -> Iterator[_Letter]:
    text = pdfium.FPDFText_LoadPage(page.raw)
    try:
        count = pdfium.FPDFText_CountChars(text)
        if count > MOST_CHARACTERS:
            raise TooMuchTextError
        width, height = (round(side * _PRECISION) for side in page.get_size())
        char_bounds = [ctypes.c_double() for _ in range(4)]
        device_x, device_y = ctypes.c_int(), ctypes.c_int()

        def device(x: float, y: float) -> tuple[float, float]:
            pdfium.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, x, y, device_x, device_y)
            return device_x.value / _PRECISION, device_y.value / _PRECISION

        for index in range(count):
            code = pdfium.FPDFText_GetUnicode(text, index)
            letter = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
            if code == 2:
                # pdfium's mark of a hyphen at the end of a line.
                letter = "-"
            if not pdfium.FPDFText_GetCharBox(text, index, *char_bounds):
                continue
            left_bound, right_bound, bottom, top_bound = (side.value for side in char_bounds)
            (first_x, first_y), (second_x, second_y) = device(left_bound, top_bound), device(right_bound, bottom)
            box = Box(min(first_x, second_x), min(first_y, second_y), max(first_x, second_x), max(first_y, second_y))
            item = pdfium.FPDFText_GetTextObject(text, index)
            mode = pdfium.FPDFTextObj_GetTextRenderMode(item) if item else pdfium.FPDF_TEXTRENDERMODE_FILL
            # The size of a font counts before its matrix, so that of the letter's loose box is taken.
            yield _Letter(
                letter, box, _font_size_points(text, index, box), _is_fixed_pitch(text, index), mode not in _UNSEEN
            )
    finally:
        pdfium.FPDFText_ClosePage(text)


def _font_size_points(text_page: Any, character_index: int, character_box: Box) -> float:
    loose = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text_page, character_index, loose):
        return character_box.height
    return float(min(abs(loose.top - loose.bottom), 4 * max(character_box.height, character_box.width, 1.0)))


def _is_fixed_pitch(text_page: Any, character_index: int) -> bool:
    flags = ctypes.c_int()
    font_name = ctypes.create_string_buffer(64)
    pdfium.FPDFText_GetFontInfo(text_page, character_index, font_name, len(font_name), flags)
    return bool(flags.value & _FIXED_PITCH) or any(word in font_name.value.lower() for word in _FIXED_NAMES)


def _has_contrast(word_box: Box, picture: Image, pixels_per_point: float) -> bool:
    left_pixel, top_pixel = (
        max(0, int(word_box.left_edge * pixels_per_point)),
        max(0, int(word_box.top_edge * pixels_per_point)),
    )
    right_pixel, bottom = (
        min(picture.width, int(word_box.right_edge * pixels_per_point) + 2),
        min(picture.height, int(word_box.bottom_edge * pixels_per_point) + 2),
    )
    if left_pixel >= right_pixel or top_pixel >= bottom:
        return False
    greys = picture.crop((left_pixel, top_pixel, right_pixel, bottom)).histogram()
    used_greys = [grey for grey, count in enumerate(greys) if count]
    return used_greys[-1] - used_greys[0] >= _LEAST_CONTRAST
