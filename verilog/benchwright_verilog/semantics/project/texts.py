"""The files of a project as they are now: as an editor has them, else as they are on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchwright_verilog.semantics.project.index.entry import Stamp
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.plain_files import ReadableFiles, stamp_of
from benchwright_verilog.syntax.documents import Document, Documents
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES
from benchwright_verilog.syntax.surrogates import encode_text
from benchwright_verilog.syntax.uri import document_path, document_uri

_MAX_KEPT = 256
_MAX_SEARCHED_BYTES = 32 * 1024**2


@dataclass(frozen=True)
class SourceText:
    """One version of a file."""

    text: str
    outline: Outline
    stamp: Stamp | None
    """None for a file that an editor has open."""


class SourceTexts:
    """Reads files, each version once. Not safe in several threads.

    Args:
        folder: The project's folder; None for a file by itself.
        documents: The open documents; they count, not what is on disk.
        files: The files that may be read.
    """

    def __init__(self, folder: Path | None, documents: Documents, files: ReadableFiles) -> None:
        self._folder = folder
        self.files = files
        self._documents = documents
        self._known_texts: dict[Path, SourceText] = {}
        self._current: set[Path] = set()
        self._searched: dict[Path, tuple[Stamp, Outline]] = {}
        self._searched_bytes = 0
        self._known_stamps: Mapping[Path, Stamp] = {}
        self._uris: dict[Path, str] = {}
        self._design_paths: dict[str, Path | None] = {}
        """URI → the file, if it is a design file below the folder."""
        self.stand_in_texts: Mapping[Path, SourceText] = {}
        """Stand-ins for files that exist for slang only, or of which slang gets a part; not for open ones."""
        self.rewritten_texts: Mapping[Path, str] = {}
        """Source code instead of that on disk; not for open files."""

    def note_disk_change(self, known_stamps: Mapping[Path, Stamp]) -> None:
        """Notes that files on disk may have changed.

        Args:
            known_stamps: The present stamps of the files that were checked.
        """
        self._current.clear()
        self._known_stamps = known_stamps

    def is_file_or_open(self, path: Path) -> bool:
        """True if what an `include` names is a file that may be read."""
        return self.files.is_file(path) or (self._open_document(path) is not None and self.files.allows(path))

    def last_read_text(self, path: Path) -> SourceText | None:
        """Text that was last read of a file, which may be outdated."""
        return self._known_texts.get(path)

    def current_text(self, path: Path, document: Document | None = None) -> SourceText | None:
        """The file as it is now; None if it can't be read."""
        if path in self.stand_in_texts and document is None and self._open_document(path) is None:
            return self.stand_in_texts[path]
        known_text = self._known_texts.get(path)
        document = document or self._open_document(path)
        if document is not None:
            if known_text is None or known_text.text is not document.text:
                known_text = SourceText(document.text, Outline(document.lines.data), None)
                self._known_texts[path] = known_text
            return known_text
        if path in self.rewritten_texts:
            if known_text is None:
                new_text = self.rewritten_texts[path]
                known_text = self._known_texts[path] = SourceText(new_text, Outline(encode_text(new_text)), None)
            return known_text
        if known_text is not None and known_text.stamp is not None and path in self._current:
            return known_text
        stamp = stamp_of(path)
        if known_text is None or known_text.stamp != stamp:
            text = self.files.read_text(path) if stamp is not None else None
            if text is None:
                self._known_texts.pop(path, None)
                return None
            known_text = SourceText(text, Outline(encode_text(text)), stamp)
            self._known_texts[path] = known_text
        self._current.add(path)
        return known_text

    def _open_document(self, path: Path) -> Document | None:
        uri = self._uris.get(path)
        if uri is None:
            uri = self._uris[path] = document_uri(path)
        return self._documents.get(uri)

    def outline(self, path: Path) -> Outline | None:
        """Outline of a file: what it declares, names and includes."""
        text = self.current_text(path)
        return text.outline if text is not None else None

    def outline_for_search(self, path: Path) -> Outline | None:
        """Like `outline`, for who searches many files: what was searched last is kept, up to a limit."""
        if path in self._known_texts or path in self.rewritten_texts or self._open_document(path) is not None:
            return self.outline(path)
        stamp, searched = self._stamp_of(path), self._searched.get(path)
        if searched is not None and searched[0] == stamp:
            return searched[1]
        text = self.files.read_text(path, stamp) if stamp is not None else None
        if stamp is None or text is None:
            return None
        outline = Outline(encode_text(text))
        self._searched_bytes += len(outline.data) - (len(searched[1].data) if searched is not None else 0)
        self._searched[path] = stamp, outline
        while self._searched_bytes > _MAX_SEARCHED_BYTES:
            _, dropped = self._searched.pop(next(iter(self._searched)))
            self._searched_bytes -= len(dropped.data)
        return outline

    def searched_data_if_unchanged(self, path: Path) -> bytes | None:
        """The text on disk of a file that was searched last; None for another, and if it has changed since."""
        searched = self._searched.get(path)
        return searched[1].data if searched is not None and searched[0] == self._stamp_of(path) else None

    def _stamp_of(self, path: Path) -> Stamp | None:
        return self._known_stamps.get(path) or stamp_of(path)

    def text_if_open(self, path: Path) -> str | None:
        """The text of a file that an editor has open, of any kind."""
        document = self._open_document(path)
        return document.text if document is not None else None

    def refusal_reason(self, path: Path) -> str | None:
        """Reason why a file is not read, as the end of a sentence; None if it can be, or is missing."""
        return self.files.refusal_reason(path) if self._open_document(path) is None else None

    def opened_design_files(self) -> Iterator[tuple[Path, Document]]:
        """The design files below the folder that an editor has open."""
        for document in self._documents:
            uri = document.uri
            if uri not in self._design_paths:
                is_design = uri.startswith("file:") and Path(uri).suffix in DESIGN_SUFFIXES
                path = document_path(uri) if is_design else None
                is_inside = path is not None and self._folder is not None and path.is_relative_to(self._folder)
                self._design_paths[uri] = path if is_inside else None
            if (design_path := self._design_paths[uri]) is not None:
                yield design_path, document

    def forget(self, path: Path) -> None:
        """A file is no longer of interest."""
        self._known_texts.pop(path, None)
        self._current.discard(path)

    def forget_others_if_many(self, kept_paths: Collection[Path]) -> None:
        """Forget all files but these and open ones, if there are many."""
        if len(self._known_texts) > _MAX_KEPT:
            open_paths = {path for path, _ in self.opened_design_files()}
            self._known_texts = {
                path: text for path, text in self._known_texts.items() if path in kept_paths or path in open_paths
            }
