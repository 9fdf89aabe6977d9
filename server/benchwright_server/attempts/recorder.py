"""Records in the event log what the editor does to an attempt's files."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from benchwright_attempts.attribution.actors import inserted_non_space_count
from benchwright_attempts.events.events import Edit, Event, Save, TextCause, TextSet
from benchwright_attempts.events.file_text import Change, FileText, apply_changes, sha256
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import ReplayedFile

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_studies.conduct.study_log import StudyLog

    # So do the protocol's types, which the command line does without.
    from benchwright_verilog.syntax.documents import Replacement


_UNKNOWN = ReplayedFile(None)


class FileRecorder:
    """Ensures that every file of a workspace can be rebuilt from the log.

    It keeps the files as the log would rebuild them. If the content in the editor or on disk differs, the whole
    file is recorded again, so a replay never drifts.

    Args:
        log: The event log.
        attempt_id: The attempt's id.
        replayed_files: The files as rebuilt from the log so far.
        on_failure: Called when an event can't be written.
        given_content: The content that a file of a repository starts with; None of any other file. The log has it once
            somebody opens or changes the file.
        is_recorded_elsewhere: True if another process records the attempt, so nothing is recorded here.
    """

    def __init__(
        self,
        log: StudyLog,
        attempt_id: str,
        replayed_files: Mapping[str, ReplayedFile],
        on_failure: Callable[[BaseException], None],
        *,
        given_content: Callable[[str], bytes | None] = lambda workspace_path: None,
        is_recorded_elsewhere: bool = False,
    ) -> None:
        self._log = log
        self._attempt = attempt_id
        self._files = dict(replayed_files)
        self._open: dict[str, str] = {}
        self._on_disk: dict[str, str] = {}
        """SHA-256 of each file as last seen on the disk."""
        self._is_recorded_elsewhere = is_recorded_elsewhere
        self._on_failure = on_failure
        self._given_content = given_content
        self._begun_paths = set(replayed_files)
        """Files that the log has, or had before they were deleted."""
        self._loop = asyncio.get_running_loop()

    def remember_disk_digests(self, digests_by_path: Mapping[str, str]) -> None:
        """Files are on the disk as they were seen last.

        Args:
            digests_by_path: SHA-256 by path.
        """
        self._on_disk.update(digests_by_path)

    def stop_recording_here(self) -> None:
        """Records nothing from now on: another process may."""
        self._is_recorded_elsewhere = True

    def record_files_open_in(self, stopped_recorder: FileRecorder) -> None:
        """Records from now on what the editor does, which another recorder did not record until now."""
        for path, text in stopped_recorder._open.items():
            self.record_opened(path, text)

    def record_opened(self, workspace_path: str, text: str) -> None:
        """An editor opened a file."""
        self._open[workspace_path] = text
        self._record_given_content(workspace_path)
        replayed_file = self._files.get(workspace_path, _UNKNOWN)
        if replayed_file.text != text:
            self._record_whole_text(workspace_path, FileText.of_text(text, bom=replayed_file.bom), TextCause.OPENED)

    def record_changed(
        self, workspace_path: str, version: int, replacements: Sequence[Replacement], new_text: str
    ) -> None:
        """An editor changed a file; its content is now `new_text`."""
        self._open[workspace_path] = new_text
        replayed_file = self._files.get(workspace_path, _UNKNOWN)
        applied = tuple(Change(start=change.start, end=change.end, text=change.text) for change in replacements)
        if replayed_file.text is None or _text_if_changes_fit(replayed_file.text, applied) != new_text:
            self._record_whole_text(workspace_path, FileText.of_text(new_text, bom=replayed_file.bom), TextCause.RESYNC)
            return
        self._files[workspace_path] = replace(replayed_file, text=new_text)
        self._append_unless_recorded_elsewhere(
            workspace_path, Edit(path=workspace_path, version=version, changes=applied)
        )

    def record_closed(self, workspace_path: str, content_on_disk: bytes | None) -> None:
        """An editor closed a file; unsaved changes are discarded."""
        self._open.pop(workspace_path, None)
        self._record_content_if_changed(workspace_path, content_on_disk, TextCause.DISCARDED)

    def record_read_by_run(self, workspace_path: str, content_on_disk: bytes | None) -> None:
        """A run reads a file from the disk, where another program may have changed it.

        What is written under an open editor, which continues with its own text, is recorded as well.
        """
        self._record_given_content(workspace_path)
        if workspace_path not in self._open:
            self._record_content_if_changed(workspace_path, content_on_disk, TextCause.OUTSIDE)
            return
        held_file = self._files.get(workspace_path, _UNKNOWN)
        if (
            content_on_disk is not None
            and held_file.text is not None
            and content_on_disk != held_file.data
            and workspace_path in self._on_disk
            and sha256(content_on_disk) != self._on_disk[workspace_path]
        ):
            self._record_content_if_changed(workspace_path, content_on_disk, TextCause.OUTSIDE)
            self._record_whole_text(
                workspace_path, FileText.of_text(held_file.text, bom=held_file.bom), TextCause.RESYNC
            )

    def _record_given_content(self, workspace_path: str) -> None:
        """A file that the log does not have yet starts with what was given: nobody has written that."""
        if workspace_path in self._begun_paths:
            return
        self._begun_paths.add(workspace_path)
        if (content := self._given_content(workspace_path)) is not None:
            self._record_whole_text(workspace_path, FileText.of_bytes(content), TextCause.RESYNC)

    def record_generated_file(self, workspace_path: str, content: bytes) -> None:
        """A file was made of others, whose changes are recorded: nobody has written it."""
        self._record_content_if_changed(workspace_path, content, TextCause.RESYNC)

    def _record_content_if_changed(self, workspace_path: str, content: bytes | None, cause: TextCause) -> None:
        if content is not None:
            self._on_disk[workspace_path] = sha256(content)
        if content is None:
            if self._files.pop(workspace_path, None) is not None:
                self._append_unless_recorded_elsewhere(
                    workspace_path, TextSet(path=workspace_path, cause=TextCause.DELETED, file=None)
                )
        elif self._files.get(workspace_path, _UNKNOWN).data != content:
            self._record_whole_text(workspace_path, FileText.of_bytes(content), cause)

    async def record_saved(self, workspace_path: str, content: bytes) -> None:
        """A file was saved; returns once the event is on disk.

        Raises:
            AttemptError: The save could not be recorded.
        """
        if self._is_recorded_elsewhere:
            return
        self._record_content_if_changed(workspace_path, content, TextCause.OUTSIDE)
        self._on_disk[workspace_path] = sha256(content)
        await self._log.append(self._attempt, Save(path=workspace_path, sha256=sha256(content), size=len(content)))

    def _record_whole_text(self, workspace_path: str, file: FileText, cause: TextCause) -> None:
        old_text = self._files.get(workspace_path, _UNKNOWN).text
        self._files[workspace_path] = ReplayedFile(file.text, file.bom)
        put_in_count = inserted_non_space_count(old_text, file.text) if file.text is not None else None
        self._append_unless_recorded_elsewhere(
            workspace_path, TextSet(path=workspace_path, cause=cause, file=file, put_in=put_in_count)
        )

    def _append_unless_recorded_elsewhere(self, workspace_path: str, event: Event) -> None:
        if self._is_recorded_elsewhere:
            return

        # Called on the thread that writes the log.
        def check_append(future: Future[RecordedEvent]) -> None:
            error = future.exception()
            if error is not None:
                # The log lacks an event about this file, so the next one must carry its whole content.
                self._files[workspace_path] = _UNKNOWN
                # Once the loop is closed, there is nobody left to notify.
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._on_failure, error)

        self._log.append_nowait(self._attempt, event).add_done_callback(check_append)


def _text_if_changes_fit(old_text: str, changes: tuple[Change, ...]) -> str | None:
    try:
        return apply_changes(old_text, changes)
    except ValueError:
        return None
