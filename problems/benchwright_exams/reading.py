"""Reading a PDF: each page in a process of its own, so that a hostile page costs that page only."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchwright_exams.errors import ExamError
from benchwright_exams.page import ReadExam, ReadPage
from benchwright_harness.process_group import kill_group
from benchwright_problems.errors import ExtraMissingError
from benchwright_problems.kept import Kept
from benchwright_problems.problem import digest

MOST_PAGES = 200
MOST_BYTES = 256 << 20
_LARGEST_REPLY = 16 << 20
_WALL_S = 120.0
_FORMAT = 1
"""Of what is kept; a new number reads every exam again."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from benchwright_exams.inside.reader import run; run(sys.argv[2:])"
)
"""The search path is handed over, so that nothing in the working directory is imported."""


def read_exam(
    file: Path, folder: Path, *, language: str = "eng", began: Callable[[int], Callable[[], None]] = lambda _: _nothing
) -> ReadExam:
    """Read all pages; what was read before is not read again.

    Args:
        file: The PDF; hostile bytes.
        folder: Gets `pages.json` and `pages/NUMBER.png`, at 144 dpi.
        language: Of pages that are pictures, by Tesseract's name, such as `eng` or `deu+eng`.
        began: Called with the number of pages; what it returns is called after each.

    Raises:
        ExamError: The file can't be read at all. A page that can't be has an `error`.
        ExtraMissingError: The library that reads PDFs is not installed.
    """
    if importlib.util.find_spec("pypdfium2") is None or importlib.util.find_spec("PIL") is None:
        raise ExtraMissingError("Reading exams", "exams")
    sha256 = _sha256(file)
    made_from = digest([sha256, language, _FORMAT])
    kept = Kept(folder / "pages.json", ReadExam)
    pictures = folder / "pages"
    known = kept.find(made_from)
    if known is not None and all((pictures / f"{page.number}.png").exists() or page.error for page in known.pages):
        return known
    about = _said(["about", str(file)])
    if "error" in about:
        raise ExamError(f"{file.name} can't be read: {about['error']}.")
    if about["pages"] > MOST_PAGES:
        raise ExamError(
            f"{file.name} has {about['pages']} pages; at most {MOST_PAGES} are read. Split it, or save the pages of the"
            " exam alone."
        )
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    program = shutil.which("tesseract") or ""
    done = began(about["pages"])

    def page(number: int) -> ReadPage:
        read = _page(file, number, pictures, program, language)
        done()
        return read

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        pages = tuple(pool.map(page, range(1, about["pages"] + 1)))
    return kept.keep(
        ReadExam(made_from=made_from, file=file.name, sha256=sha256, ignored=tuple(about["ignored"]), pages=pages)
    )


def _nothing() -> None:
    pass


def _sha256(file: Path) -> str:
    try:
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise ExamError(
                f"{file} is larger than {MOST_BYTES >> 20} MiB. Split it, or save it with smaller pictures."
            )
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise ExamError(f"{file} can't be read: {error.strerror}.") from error


def _page(file: Path, number: int, pictures: Path, program: str, language: str) -> ReadPage:
    said = _said(["page", str(file), str(number), str(pictures), program, language])
    if said.get("needs") == "tesseract":
        raise ExamError(
            f"Page {number} of {file.name} is a picture; reading its text takes Tesseract. Install it (on Debian and"
            " Ubuntu: apt-get install tesseract-ocr), and run the command again."
        )
    try:
        return ReadPage.model_validate({"number": number, "width": 0, "height": 0} | said)
    except ValidationError:
        return ReadPage(number=number, width=0, height=0, error="the page gave no readable result")


def _said(arguments: list[str]) -> dict[str, Any]:
    """What the program says; its failure as an `error`."""
    search_path = json.dumps([entry for entry in sys.path if Path(entry).is_absolute()])
    # Its own group, so that Tesseract ends with it.
    with subprocess.Popen(
        [sys.executable, "-I", "-c", _START, search_path, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "OMP_THREAD_LIMIT": "1"} if os.name == "posix" else None,
        start_new_session=True,
    ) as program:
        try:
            reply, _ = program.communicate(timeout=_WALL_S)
        except subprocess.TimeoutExpired:
            return {"error": f"reading it takes more than {_WALL_S:.0f} s"}
        finally:
            kill_group(program.pid)
    if program.returncode < 0:
        return {"error": "reading it takes more time or memory than an exam needs, or the library failed on it"}
    try:
        said = json.loads(reply[:_LARGEST_REPLY])
    except ValueError:
        said = None
    return said if isinstance(said, dict) else {"error": "the library failed on it"}
