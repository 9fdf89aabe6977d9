"""What the editor does to an attempt's files, told to the event log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from benchwright_baselines.events import Edit, Event, Save, TextCause, TextSet
from benchwright_baselines.file_text import Change, FileText, apply_changes, sha256
from benchwright_baselines.record import RecordedEvent

from benchwright_server.syntax.documents import Replacement

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_baselines.log import EventLog


class Recorder:
    """Keeps the log able to rebuild every file of a workspace.

    It knows the text that the log would rebuild. Where an editor or the disk has another one, the
    whole text is recorded anew, so that a replay never drifts.

    Args:
        log: The event log.
        attempt: The attempt's id.
        texts: What the log rebuilds at this point; `None` for files it does not know.
        on_failure: Told once when an event can't be written.
    """

    def __init__(
        self,
        log: EventLog,
        attempt: str,
        texts: Mapping[str, str | None],
        on_failure: Callable[[BaseException], None],
    ) -> None:
        self._log = log
        self._attempt = attempt
        self._texts = dict(texts)
        self._open: set[str] = set()
        self._on_failure = on_failure

    def opened(self, path: str, text: str) -> None:
        """An editor opened a file."""
        self._open.add(path)
        if self._texts.get(path) != text:
            self._set(path, FileText.of_text(text), TextCause.OPENED)

    def changed(self, path: str, version: int, changes: Sequence[Replacement], text: str) -> None:
        """An editor changed a file, which is `text` now."""
        known = self._texts.get(path)
        applied = tuple(Change(start=change.start, end=change.end, text=change.text) for change in changes)
        if known is None or (self._texts[path] != text and _applied(known, applied) != text):
            self._set(path, FileText.of_text(text), TextCause.RESYNC)
            return
        self._texts[path] = text
        self._send(path, Edit(path=path, version=version, changes=applied))

    def closed(self, path: str, content: bytes | None) -> None:
        """An editor closed a file; what was not saved is gone."""
        self._open.discard(path)
        self._on_disk(path, content, TextCause.DISCARDED)

    def taken(self, path: str, content: bytes | None) -> None:
        """A run takes a file as it is on disk, where another program may have changed it."""
        if path not in self._open:
            self._on_disk(path, content, TextCause.OUTSIDE)

    def _on_disk(self, path: str, content: bytes | None, cause: TextCause) -> None:
        if content is None:
            if path in self._texts:
                del self._texts[path]
                self._send(path, TextSet(path=path, cause=TextCause.DELETED, file=None))
            return
        file = FileText.of_bytes(content)
        if path not in self._texts or self._texts[path] != file.text:
            self._set(path, file, cause)

    async def saved(self, path: str, content: bytes) -> None:
        """A file was saved; returns when that is on disk.

        Raises:
            AttemptError: It could not be recorded.
        """
        self._on_disk(path, content, TextCause.OUTSIDE)
        await self._log.append(self._attempt, Save(path=path, sha256=sha256(content), size=len(content)))

    def _set(self, path: str, file: FileText, cause: TextCause) -> None:
        self._texts[path] = file.text
        self._send(path, TextSet(path=path, cause=cause, file=file))

    def _send(self, path: str, event: Event) -> None:
        def done(future: Future[RecordedEvent]) -> None:
            error = future.exception()
            if error is not None:
                # The log misses an event about this file: its next one must carry the whole text.
                self._texts[path] = None
                self._on_failure(error)

        self._log.append_nowait(self._attempt, event).add_done_callback(done)


def _applied(text: str, changes: tuple[Change, ...]) -> str | None:
    try:
        return apply_changes(text, changes)
    except ValueError:
        return None
