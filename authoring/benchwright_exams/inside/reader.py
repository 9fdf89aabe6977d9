"""The program that reads a PDF, a page in each process.

The PDF is its standard input. It writes a line of JSON to standard output, and after it the pixels of the page.

Its limits are set before the file is opened. pdfium is built without JavaScript; forms are not filled in, attachments
not opened.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from benchwright_exams.reading.page import ReadPage

if TYPE_CHECKING:
    from PIL.Image import Image

_MEMORY_BYTES = 3 << 30
_FILE_BYTES = 160 << 20
CPU_S = 90
PICTURE_DPI = 144
_MOST_PIXELS = 40_000_000
_MOST_SIDE_POINTS = 7_200
_MOST_OBJECTS = 50_000
_PICTURED = 0.5
"""Share of the page that pictures cover if it is a scan."""
_FEW_WORDS = 12


def carry_out_request(request_words: list[str]) -> None:
    """Carry out one request: `about`, or `page NUMBER TESSERACT LANGUAGE`."""
    _limit_resources()
    name, *page_arguments = request_words
    picture: Image | None = None
    try:
        if name == "about":
            reply = _document_summary()
        else:
            reply, picture = _page_reply_and_picture(int(page_arguments[0]), *page_arguments[1:])
    except MemoryError:
        reply = {"error": "it takes more memory than an exam needs"}
    except _UnreadableError as error:
        reply = {"error": str(error)}
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
    if picture is not None:
        sys.stdout.buffer.write(picture.tobytes())


class _UnreadableError(Exception):
    """The file or the page can't be read; the message ends a sentence."""


def _limit_resources() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        for resource_kind, limit in (
            (resource.RLIMIT_AS, _MEMORY_BYTES),
            (resource.RLIMIT_CPU, CPU_S),
            (resource.RLIMIT_FSIZE, _FILE_BYTES),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(resource_kind, (limit, limit))


def _open_document_from_stdin() -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(sys.stdin.buffer)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        reason = "it is locked with a password; save a copy without one" if locked else "it is no PDF, or is damaged"
        raise _UnreadableError(reason) from error


def _document_summary() -> dict[str, Any]:
    import pypdfium2.raw as pdfium

    document = _open_document_from_stdin()
    counts = {
        "script": pdfium.FPDFDoc_GetJavaScriptActionCount(document.raw),
        "attachment": pdfium.FPDFDoc_GetAttachmentCount(document.raw),
        "form": int(pdfium.FPDF_GetFormType(document.raw) != pdfium.FORMTYPE_NONE),
    }
    ignored = [f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items() if count > 0]
    return {"pages": len(document), "ignored": ignored}


def _page_reply_and_picture(
    page_number: int, tesseract_path: str, language: str
) -> tuple[dict[str, Any], Image | None]:
    import pypdfium2

    from benchwright_exams.inside.drawings import drawings_and_speck_count
    from benchwright_exams.inside.shown_text import TooMuchTextError, shown_and_hidden_words

    document = _open_document_from_stdin()
    try:
        page = document[page_number - 1]
    except pypdfium2.PdfiumError as error:
        raise _UnreadableError("the page is damaged") from error
    width, height = page.get_size()
    if not 0 < max(width, height) <= _MOST_SIDE_POINTS:
        raise _UnreadableError(f"the page is larger than {_MOST_SIDE_POINTS // 72} inches")
    covered, objects = _picture_share_and_object_count(page)
    if objects > _MOST_OBJECTS:
        raise _UnreadableError(f"the page draws more than {_MOST_OBJECTS} things")
    picture, scale = _rendered_page_and_pixels_per_point(page, PICTURE_DPI)
    try:
        words, hidden_words = shown_and_hidden_words(page, picture.convert("L"), scale)
    except TooMuchTextError as error:
        raise _UnreadableError("the page has more text than any exam's") from error
    confidence = None
    unsure: list[Any] = []
    if covered > _PICTURED and len(words) < _FEW_WORDS:
        if not tesseract_path:
            return {"needs": "tesseract"}, None
        picture, words, confidence, unsure = _page_recognised_by_ocr(page, tesseract_path, language)
        scale = picture.width / width
    drawings, specks = drawings_and_speck_count(picture.convert("L"), words, scale)
    read_page = ReadPage(
        number=page_number,
        width=width,
        height=height,
        words=tuple(words),
        hidden=tuple(hidden_words),
        drawings=tuple(drawings),
        specks=specks,
        recognised=confidence is not None,
        confidence=confidence,
        unsure=tuple(unsure),
    )
    return read_page.model_dump(mode="json") | {"picture": picture.size}, picture


def _page_recognised_by_ocr(page: Any, tesseract_path: str, language: str) -> tuple[Image, list[Any], float, list[Any]]:
    import subprocess

    from benchwright_exams.inside.recognition import DPI, recognised_words

    large, _ = _rendered_page_and_pixels_per_point(page, DPI)
    try:
        recognised = recognised_words(large, tesseract_path, language)
    except (subprocess.SubprocessError, OSError) as error:
        raise _UnreadableError("Tesseract failed, or took too long") from error
    smaller = recognised.picture.resize((large.width * PICTURE_DPI // DPI, large.height * PICTURE_DPI // DPI))
    return smaller, recognised.words, recognised.confidence, recognised.unsure_words


def _picture_share_and_object_count(page: Any) -> tuple[float, int]:
    """The share of the page that its largest picture covers, and how many things it draws."""
    import ctypes

    import pypdfium2.raw as pdfium

    width, height = page.get_size()
    bounds = [ctypes.c_float() for _ in range(4)]
    largest = 0.0
    count = pdfium.FPDFPage_CountObjects(page.raw)
    for index in range(min(count, _MOST_OBJECTS)):
        item = pdfium.FPDFPage_GetObject(page.raw, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        is_picture = kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)
        if is_picture and pdfium.FPDFPageObj_GetBounds(item, *bounds):
            left_bound, bottom, right_bound, top_bound = (side.value for side in bounds)
            largest = max(largest, (right_bound - left_bound) * (top_bound - bottom))
    return largest / (width * height), count


def _rendered_page_and_pixels_per_point(page: Any, dpi: int) -> tuple[Image, float]:
    """The page, and pixels of a point."""
    width, height = page.get_size()
    scale = min(dpi / 72, (_MOST_PIXELS / (width * height)) ** 0.5)
    return page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB"), scale
