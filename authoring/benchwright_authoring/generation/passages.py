"""Passages of a folder of documents, each with the place where it stands."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_foundation.model import Model
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_judges.models.prompt import escape_hidden_characters
from benchwright_problems.errors import ProblemsError
from benchwright_problems.storage.pack_folder import LARGEST_FILE_BYTES

SUFFIXES = (".md", ".markdown", ".txt")
FEWEST = 200
"""Characters of a passage: less says too little to ask about."""
_ENOUGH = 1_500
"""Characters from which on a passage takes no further paragraph."""
MOST = 6_000
_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s*(?:```|~~~)")


class CorpusError(ProblemsError):
    """A folder of documents can't be used."""


class Passage(Model):
    """Paragraphs of a document that stand together."""

    file: str
    """Relative to the corpus, with `/`."""
    first: int
    """Number of the first line, from 1."""
    last: int
    text: str
    """As a model is shown it: invisible characters are escapes."""

    @property
    def sha256(self) -> str:
        """Of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def place(self) -> str:
        """The place of the passage, for people."""
        return f"{self.file}, lines {self.first} to {self.last}"


@dataclass(frozen=True)
class Corpus:
    """Texts that were read of a folder."""

    passages: Sequence[Passage]
    """No two have the same text."""
    left_out_parts: Sequence[tuple[str, str]]
    """Files, and parts of files, that were left out, with the reason."""


def read_corpus(corpus_folder: Path) -> Corpus:
    """The passages of all Markdown and text files below a folder.

    Nothing outside the folder is read: links are left out, as are names that begin with a dot.

    Raises:
        CorpusError: The path is no folder, or the folder has no passage.
    """
    if not corpus_folder.is_dir():
        raise CorpusError(f"{corpus_folder} is no folder of documents")
    passages: dict[str, Passage] = {}
    left_out_parts: list[tuple[str, str]] = []
    for path in _document_paths(corpus_folder):
        try:
            text = _readable_text(corpus_folder, path)
        except ValueError as error:
            left_out_parts.append((path, str(error)))
            continue
        for passage in _passages_of_document(path, text):
            if len(passage.text) > MOST:
                left_out_parts.append(
                    (passage.place, f"a paragraph of more than {MOST} characters; divide it by empty lines")
                )
            elif len(passage.text) < FEWEST:
                left_out_parts.append((passage.place, f"fewer than {FEWEST} characters"))
            elif (earlier_passage := passages.setdefault(passage.sha256, passage)) is not passage:
                left_out_parts.append((passage.place, f"the same as {earlier_passage.place}"))
    if not passages:
        suffix_list = ", ".join(SUFFIXES)
        raise CorpusError(
            f"{corpus_folder} has no file of {suffix_list} with a passage of {FEWEST} to {MOST} characters"
        )
    return Corpus(tuple(passages.values()), left_out_parts)


def _document_paths(corpus_folder: Path) -> Iterator[str]:
    for file in sorted(corpus_folder.rglob("*")):
        path_parts = file.relative_to(corpus_folder).parts
        if not any(part.startswith(".") for part in path_parts) and (file.is_symlink() or not file.is_dir()):
            yield "/".join(path_parts)


def _readable_text(corpus_folder: Path, document_path: str) -> str:
    """Raises `ValueError` with the reason why a file is not read."""
    if not document_path.lower().endswith(SUFFIXES):
        raise ValueError("neither Markdown nor plain text; convert it first")
    try:
        text = read_plain_file(corpus_folder, document_path, LARGEST_FILE_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from error
    except FileTooLargeError as error:
        raise ValueError(f"larger than {LARGEST_FILE_BYTES >> 20} MiB") from error
    except NotPlainFileError as error:
        raise ValueError("no plain file") from error
    except OSError as error:
        raise ValueError(f"can't be read, or is a link: {error.strerror}") from error
    return escape_hidden_characters(text)


def _passages_of_document(document_path: str, document_text: str) -> Iterator[Passage]:
    """Paragraphs under one heading, as many as make a passage of some length."""
    lines = document_text.split("\n")
    start, end, length = 0, 0, 0
    for first_index, end_index in _paragraph_line_ranges(lines):
        size = sum(len(line) + 1 for line in lines[first_index:end_index])
        is_new = _HEADING.match(lines[first_index]) is not None or length >= _ENOUGH or length + size > MOST
        if end and is_new:
            yield _passage_of_lines(document_path, lines, start, end)
            end = 0
        if not end:
            start, length = first_index, 0
        end, length = end_index, length + size
    if end:
        yield _passage_of_lines(document_path, lines, start, end)


def _passage_of_lines(document_path: str, document_lines: Sequence[str], start_index: int, end_index: int) -> Passage:
    return Passage(
        file=document_path,
        first=start_index + 1,
        last=end_index,
        text="\n".join(document_lines[start_index:end_index]).strip(),
    )


def _paragraph_line_ranges(document_lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Line ranges, half open; a block of code is in one of them, and a heading begins one."""
    start: int | None = None
    is_code = False
    for number, line in enumerate(document_lines):
        is_code ^= _FENCE.match(line) is not None
        is_boundary = not line.strip() or _HEADING.match(line) is not None
        if is_boundary and not is_code and start is not None:
            yield start, number
            start = None
        if line.strip() and start is None:
            start = number
    if start is not None:
        yield start, len(document_lines)
