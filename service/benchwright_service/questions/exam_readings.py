"""Exams that authors upload: read by a process of their own, kept as unfinished forms of their author alone."""

from __future__ import annotations

import asyncio
import json
import sys
import time
import uuid
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchwright_foundation.process_group import kill_process_group
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.unfinished import UnfinishedForm, UnfinishedQuestions

MOST_EXAM_BYTES = 20 << 20
"""Largest PDF."""
MOST_EXAM_QUESTIONS = 100
"""Largest number of questions of an exam that become forms."""
_MOST_AT_ONCE = 2
"""Largest number of exams that a web process has read at the same time."""
_MOST_S = 1800.0
_SILENT_S = 300.0
"""Time without a page after which nobody reads it any more: a page may take 120 s."""
_MOST_LINE_BYTES = 32 << 20

_STOPPED = "Reading it was interrupted. Upload it again."


@dataclass(frozen=True)
class ExamReading:
    """How far the reading of an exam is, and what it found."""

    id: str
    file_name: str
    pages: int
    """Number of pages; 0 until it is known."""
    read_pages: int
    is_running: bool
    failure: str
    """Reason why nothing was read; empty if something was."""
    question_rows: tuple[Mapping[str, Any], ...]
    """The label, format, points, title and form of each."""
    finding_rows: tuple[Mapping[str, Any], ...]
    """The page, question and sentence of each."""
    unclaimed: str
    """Numbers of what is in no question, by what it was taken for."""


class ExamReadings:
    """Has exams read.

    Args:
        unfinished: Keeps the readings and the forms.
        clock: Seconds since 1970.
    """

    def __init__(self, unfinished: UnfinishedQuestions, clock: Callable[[], float] = time.time) -> None:
        self._unfinished = unfinished
        self._now = clock
        self._processes: set[Process] = set()
        self._watchers: set[asyncio.Task[None]] = set()

    async def begin(
        self,
        course: str,
        author: str,
        file_name: str,
        content: bytes,
        language: str,
        form_fields: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    ) -> str:
        """Begins to read an exam; returns its id at once.

        Args:
            course: Course whose questions it becomes.
            author: Account that uploaded it.
            file_name: Name of the file.
            content: The PDF; hostile bytes.
            language: Language of pages that are pictures, by Tesseract's name.
            form_fields: Fields of a form from what was read of a question.

        Raises:
            BenchServiceError: The file is too large or no PDF, or too much is being read or unfinished.
        """
        if len(content) > MOST_EXAM_BYTES:
            raise BenchServiceError(
                f"the file is larger than {MOST_EXAM_BYTES >> 20} MiB; split it, or save it with smaller pictures"
            )
        if b"%PDF-" not in content[:1024]:
            raise BenchServiceError("the file is no PDF; save the exam as one")
        kept_forms = await self._unfinished.forms_of_author(course, author)
        if any(
            exam_reading is not None and exam_reading.is_running
            for exam_reading in map(self._reading_of_form, kept_forms)
        ):
            raise BenchServiceError("an exam of yours is being read; wait until that is done")
        if len(self._watchers) >= _MOST_AT_ONCE:
            raise BenchServiceError("the service reads other exams; try it again in a minute")
        exam_id = f"x-{uuid.uuid4().hex[:12]}"
        state: dict[str, Any] = {"title": file_name, "exam": {"pages": 0, "read_pages": 0, "is_running": True}}
        await self._unfinished.keep(course, author, exam_id, state)
        process_input = json.dumps({"language": language}).encode() + b"\n" + content
        watcher = asyncio.create_task(self._read(course, author, exam_id, state, process_input, form_fields))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        return exam_id

    async def find(self, course: str, author: str, exam_id: str) -> ExamReading | None:
        """Returns an author's reading; None if there is none, or it is not theirs."""
        form = await self._unfinished.find(course, author, exam_id)
        return self._reading_of_form(form) if form is not None else None

    async def close(self) -> None:
        """Ends the processes; their exams have to be uploaded again."""
        for process in self._processes:
            if process.returncode is None:
                kill_process_group(process.pid)
        await asyncio.gather(*self._watchers, return_exceptions=True)

    def _reading_of_form(self, form: UnfinishedForm) -> ExamReading | None:
        state = form.fields.get("exam")
        if state is None or form.kept_time is None:
            return None
        is_silent = self._now() - form.kept_time.timestamp() > _SILENT_S
        return ExamReading(
            form.id,
            str(form.fields["title"]),
            state["pages"],
            state["read_pages"],
            state["is_running"] and not is_silent,
            _STOPPED if state["is_running"] and is_silent else state.get("failure", ""),
            tuple(state.get("questions", ())),
            tuple(state.get("findings", ())),
            state.get("unclaimed", ""),
        )

    async def _read(
        self,
        course: str,
        author: str,
        exam_id: str,
        state: dict[str, Any],
        process_input: bytes,
        form_fields: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    ) -> None:
        exam, forms = state["exam"], {}
        last_reply: dict[str, Any] = {"failure": _STOPPED}
        try:
            async with asyncio.timeout(_MOST_S):
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "benchwright_service.questions.exam_process"),
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=DEVNULL,
                    start_new_session=True,
                    limit=_MOST_LINE_BYTES,
                )
                self._processes.add(process)
                try:
                    last_reply = (
                        await self._follow_process(process, process_input, course, author, exam_id, state) or last_reply
                    )
                finally:
                    if process.returncode is None:
                        kill_process_group(process.pid)
                    await process.wait()
                    self._processes.discard(process)
        except TimeoutError:
            last_reply = {"failure": f"Reading it takes more than {_MOST_S / 60:.0f} min. Split it."}
        except (OSError, ValueError):
            last_reply = {"failure": _STOPPED}
        finally:
            exam |= last_reply | {"is_running": False}
            for question in exam.get("questions", ())[:MOST_EXAM_QUESTIONS]:
                form_id = f"n-{uuid.uuid4().hex[:12]}"
                forms[form_id] = form_fields(question)
                question["form"] = form_id
            exam["questions"] = [
                {name: question.get(name, "") for name in ("label", "format", "points", "title", "form")}
                for question in exam.get("questions", ())
            ]
            await self._unfinished.keep_forms_of_exam(course, author, exam_id, state, forms)

    async def _follow_process(
        self, process: Process, process_input: bytes, course: str, author: str, exam_id: str, state: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Keeps each page as progress; returns the last line."""
        if process.stdin is None or process.stdout is None:
            return None
        process.stdin.write(process_input)
        await process.stdin.drain()
        process.stdin.close()
        last_reply = None
        async for line in process.stdout:
            reply = json.loads(line)
            if "pages" in reply:
                state["exam"]["pages"] = reply["pages"]
            elif "page" in reply:
                state["exam"]["read_pages"] += 1
            else:
                last_reply = reply
                continue
            await self._unfinished.keep_forms_of_exam(course, author, exam_id, state, {})
        return last_reply
