"""Everything one process serves: packs, attempts, and the sessions of open workspaces."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts, ProblemRecord
from benchwright_attempts.errors import AttemptError, UnknownAttemptError
from benchwright_attempts.events import Abandoned
from benchwright_attempts.evidence import Assigned, Consent, Violation
from benchwright_attempts.file_text import FileText
from benchwright_attempts.judging import Judging
from benchwright_attempts.record import AttemptHeader
from benchwright_attempts.replay import replay
from benchwright_harness.sandbox import Sandbox
from benchwright_judges.score import read_selection, selectable
from benchwright_judges.text_length import TokenCounter, count_words
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem, Question, QuestionFormat
from benchwright_problems.store import Store
from benchwright_server.attempts.rules import Rules
from benchwright_server.attempts.session import Progress, Session, Surroundings, silent
from benchwright_server.errors import WorkspaceError
from benchwright_server.protocol import (
    Choice,
    LanguageVariant,
    Length,
    OpenedProblem,
    PackList,
    PackSummary,
    ProblemSummary,
    QuestionView,
    WorkspaceFile,
)
from benchwright_server.workspaces.workspace import (
    ANSWER,
    Marker,
    Workspace,
    content_of,
    editable_files,
    fill,
    free_folder,
    mark,
)
from benchwright_studies import open_log

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_studies.study_log import StudyLog


class Workbench:
    """What the editor's requests are about.

    Args:
        home: The folders of this user.
        sandbox: Where hidden tests run.
        on_change: Called after anything that an attempt's status shows has changed.
        on_failure: Called when something can't be recorded.
        progress: Shows a run's progress.
    """

    def __init__(
        self,
        home: Home,
        sandbox: Sandbox,
        on_change: Callable[[Session], None] = lambda session: None,
        on_failure: Callable[[BaseException], None] = lambda error: None,
        progress: Progress = silent,
    ) -> None:
        self.home = home
        self.store = Store(home)
        self._sandbox = sandbox
        self._on_change = on_change
        self._on_failure = on_failure
        self._progress = progress
        self._judging = Judging(home)
        self._around: Surroundings | None = None
        self._opening_log = threading.Lock()
        self._sessions: dict[Path, Session] = {}
        self._opening = asyncio.Lock()
        self._tokens = TokenCounter(home.cache)

    def use_judge_service(self, url: str) -> None:
        """Have questions judged by a service; by what is set up here if the address is empty."""
        self._judging.service_url = url

    async def packs(self) -> PackList:
        """All packs, with what this user has done with each problem."""
        return await asyncio.to_thread(self._packs)

    async def open(self, ref: str, fresh: bool) -> OpenedProblem:
        """Go on with the unfinished attempt at a problem, or begin one in a new workspace.

        Raises:
            UnknownProblemError: There is no such problem.
            WorkspaceError: The workspace can't be written.
            AttemptError: The attempt can't be recorded.
        """
        async with self._opening:
            attempt, folder = await asyncio.to_thread(self._prepare, ref, fresh)
            stale = self._sessions.get(folder)
            if stale is not None and stale.header.id != attempt:
                # The folder of that attempt was deleted, and its name is used again.
                del self._sessions[folder]
                with contextlib.suppress(AttemptError):
                    await stale.close()
        session = await self.session(folder)
        if session is None:
            raise WorkspaceError(f"The workspace {folder} was made but can't be read back. Open the problem again.")
        return await self._opened(session)

    async def open_task(self, assigned: Assigned, agreed: Consent, ref: str) -> OpenedProblem:
        """Begin a task of a study: its attempt is the participant's, and begins with what was agreed.

        Raises:
            UnknownProblemError: There is no such problem.
            WorkspaceError: The workspace can't be written.
            AttemptError: The attempt can't be recorded.
        """
        async with self._opening:
            attempt = await asyncio.to_thread(self._prepare_task, assigned, agreed, ref)
        return await self.reopen(attempt)

    async def reopen(self, attempt: str) -> OpenedProblem:
        """Open the workspace of an attempt.

        Raises:
            WorkspaceError: Its folder is gone.
        """
        header = await asyncio.to_thread(self.log.header, attempt)
        session = await self.session(Path(header.workspace))
        if session is None or session.header.id != attempt:
            summary = await asyncio.to_thread(self.attempts.summary, attempt)
            if not summary.state.ended:
                await self.log.append(attempt, Abandoned(reason="its workspace was deleted"))
            raise WorkspaceError(f"The folder {header.workspace} of this task was deleted, so the task was given up.")
        return await self._opened(session)

    async def forget(self, folder: Path) -> None:
        """Let go of a workspace that is about to be deleted."""
        session = self._sessions.pop(folder, None)
        if session is not None:
            with contextlib.suppress(AttemptError):
                await session.close()

    async def session(self, path: Path) -> Session | None:
        """The session of the workspace around a file or folder; none outside workspaces."""
        for folder in (path, *path.parents):
            if folder in self._sessions:
                return self._sessions[folder]
        workspace = await asyncio.to_thread(Workspace.around, path)
        if workspace is None:
            return None
        async with self._opening:
            if workspace.folder not in self._sessions:
                session = await self._load(workspace)
                if session is None:
                    return None
                self._sessions[workspace.folder] = session
        return self._sessions[workspace.folder]

    async def demand(self, path: Path) -> Session:
        """The session of the workspace around a file or folder.

        Raises:
            WorkspaceError: It does not belong to a workspace of this user.
        """
        session = await self.session(path)
        if session is None:
            raise WorkspaceError(
                f"{path} does not belong to an open problem. Open one from the Benchwright view, or with"
                " `benchwright open`."
            )
        return session

    async def question(self, session: Session) -> QuestionView:
        """What an answer form needs.

        Raises:
            WorkspaceError: The problem is answered by a design.
        """
        if session.problem.kind is Kind.DESIGN:
            raise WorkspaceError(f"{session.problem.title} is not a question; its statement says which files to write.")
        # A text problem is asked and answered as a free response is; only its scoring differs.
        question = session.problem.public.question or Question(format=QuestionFormat.FREE_RESPONSE)
        variants = await asyncio.to_thread(self._variants, session.header.problem, question)
        return question_view(session, question, variants)

    async def length(self, text: str) -> Length:
        """How long a text is."""
        tokens = await asyncio.to_thread(self._tokens.count, text)
        return Length(words=count_words(text), tokens=tokens)

    async def settled(self) -> None:
        """Wait until what was recorded so far is on disk."""
        if self._around is not None:
            await self._around.log.settled()

    async def close(self) -> None:
        """Pause every running clock, end every run, and write what is waiting."""
        for session in list(self._sessions.values()):
            with contextlib.suppress(AttemptError):
                await session.close()
        await self._judging.close()
        if self._around is not None:
            await asyncio.to_thread(self._around.log.close)

    @property
    def log(self) -> StudyLog:
        """The event log, opened at first use."""
        return self._surroundings().log

    @property
    def attempts(self) -> Attempts:
        """What came out of attempts."""
        return self._surroundings().attempts

    def _surroundings(self) -> Surroundings:
        # Requests ask for it from several threads at once; two logs would be two clocks.
        with self._opening_log:
            if self._around is None:
                log = open_log(log_file(self.home))
                self._around = Surroundings(
                    home=self.home,
                    store=self.store,
                    log=log,
                    attempts=Attempts(log),
                    sandbox=self._sandbox,
                    judging=self._judging,
                    on_change=self._on_change,
                    on_failure=self._on_failure,
                    progress=self._progress,
                )
            return self._around

    def _packs(self) -> PackList:
        records = self.attempts.by_problem()
        packs = []
        for name in self.store.pack_names():
            pack = self.store.public(name)
            problems = [_summary(name, problem, records) for problem in pack.problems]
            packs.append(
                PackSummary(name=name, title=pack.title, version=pack.version, license=pack.license, problems=problems)
            )
        return PackList(packs=packs)

    def _variants(self, ref: str, question: Question) -> list[LanguageVariant]:
        if not question.group:
            return []
        pack = ref.partition("/")[0]
        return [
            LanguageVariant(problem=f"{pack}/{problem.id}", language=other.language)
            for problem in self.store.public(pack).problems
            if (other := problem.public.question) is not None
            and other.group == question.group
            and other.language != question.language
        ]

    def _prepare(self, ref: str, fresh: bool) -> tuple[str, Path]:
        problem = self.store.problem(ref)
        while not fresh and (unfinished := self.attempts.unfinished(problem=ref)) is not None:
            if self._can_go_on(unfinished, problem):
                return unfinished.id, Path(unfinished.workspace)
            self.log.append_blocking(unfinished.id, Abandoned(reason="its workspace was deleted"))
        header = self._make(ref, problem, None)
        return header.id, Path(header.workspace)

    def _prepare_task(self, assigned: Assigned, agreed: Consent, ref: str) -> str:
        # Most sessions have nothing to do with studies, whose libraries are not quick to load.
        from benchwright_studies.conduct import Conduct

        problem = self.store.problem(ref)
        # One that was made just before a crash is used; the journal does not know it yet.
        header = self.attempts.unfinished(problem=ref, study=assigned.study, solver=assigned.participant)
        if header is None or not self._can_go_on(header, problem):
            header = self._make(ref, problem, assigned)
        kinds = self.attempts.summary(header.id).kinds
        for event in (assigned, agreed):
            if event.type not in kinds:
                self.log.append_blocking(header.id, event)
        Conduct(self.log, self.attempts).note_task(assigned, ref, header.id)
        return header.id

    def _make(self, ref: str, problem: Problem, assigned: Assigned | None) -> AttemptHeader:
        """A workspace and its attempt."""
        question = problem.public.question
        variants = {one.language: one.problem for one in self._variants(ref, question)} if question else {}
        statement, files = content_of(problem, variants)
        figures = {figure.path for figure in problem.public.figures}
        folder = free_folder(self.home.workspaces, ref)
        try:
            fill(folder, files)
            texts = {path: FileText.of_bytes(content) for path, content in files.items() if path not in figures}
            header = self.attempts.create(ref, problem.public_digest, folder, texts, **_place(assigned))
            mark(folder, Marker(attempt=header.id, problem=ref, statement=statement))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return header

    def _can_go_on(self, header: AttemptHeader, problem: Problem) -> bool:
        """Whether an attempt's workspace is still there; a damaged marker in it is mended."""
        folder = Path(header.workspace)
        if not folder.is_dir():
            return False
        workspace = Workspace.around(folder)
        owner = workspace.marker.attempt if workspace is not None and workspace.folder == folder else None
        if owner is not None and owner != header.id:
            with contextlib.suppress(UnknownAttemptError):
                if Path(self.log.header(owner).workspace) == folder:
                    return False
        if owner != header.id:
            mark(folder, Marker(attempt=header.id, problem=header.problem, statement=content_of(problem)[0]))
        return True

    async def _load(self, workspace: Workspace) -> Session | None:
        def read() -> tuple[AttemptHeader, Problem] | None:
            try:
                header = self.log.header(workspace.marker.attempt)
            except UnknownAttemptError:
                return None
            # A copied folder must not write into the log of the one it was copied from.
            if Path(header.workspace) != workspace.folder:
                return None
            return header, self.store.problem(header.problem)

        found = await asyncio.to_thread(read)
        if found is None:
            return None
        header, problem = found
        around = self._surroundings()
        await asyncio.to_thread(around.attempts.take_over, header.id)
        events = await asyncio.to_thread(around.log.events, header.id)
        files = replay(events).files
        summary = await asyncio.to_thread(around.attempts.summary, header.id)
        assigned = next((one.event for one in events if isinstance(one.event, Assigned)), None)
        flagged = [one.event for one in events if isinstance(one.event, Violation)]
        rules = Rules(header.condition, assigned)
        return Session(around, header, problem, workspace, files, summary, rules, flagged)

    async def _opened(self, session: Session) -> OpenedProblem:
        problem, workspace = session.problem, session.workspace
        editable = editable_files(problem)
        paths = dict.fromkeys((*editable, *problem.public.files))
        files = [
            WorkspaceFile(uri=(workspace.folder / path).as_uri(), path=path, editable=path in editable)
            for path in paths
        ]
        return OpenedProblem(
            status=await session.status(),
            statement=workspace.statement.as_uri(),
            primary=(workspace.folder / editable[0]).as_uri(),
            files=files,
        )


def _place(assigned: Assigned | None) -> dict[str, Any]:
    """Where an attempt belongs: nothing is said outside studies."""
    if assigned is None:
        return {}
    return {
        "solver": assigned.participant,
        "condition": assigned.condition,
        "study": assigned.study,
        "recording": assigned.recording,
    }


def question_view(session: Session, question: Question, languages: list[LanguageVariant]) -> QuestionView:
    """What an answer form shows of a question, and what is chosen now."""
    texts = {choice.letter: choice.text for choice in question.choices}
    choices = [Choice(value=value, text=texts.get(value, value.capitalize())) for value in selectable(question)]
    text = (session.workspace.read(ANSWER) or b"").decode("utf-8", "replace")
    return QuestionView(
        title=session.problem.title,
        format=question.format.value,
        question=session.problem.public.statement,
        choices=choices,
        answer=(session.workspace.folder / ANSWER).as_uri(),
        selected=read_selection(question, text),
        draft=session.draft,
        language=question.language,
        languages=languages,
    )


def _summary(pack: str, problem: Problem, records: dict[str, ProblemRecord]) -> ProblemSummary:
    record = records.get(f"{pack}/{problem.id}", ProblemRecord())
    question = problem.public.question
    if problem.category is not None:
        category, category_name = problem.category.value, problem.category.label
    else:
        category = question.format.value if question else problem.kind.value
        category_name = category.capitalize()
    return ProblemSummary(
        ref=f"{pack}/{problem.id}",
        id=problem.id,
        title=problem.title,
        kind=problem.kind.value,
        category=category,
        category_name=category_name.replace("-", " "),
        difficulty=problem.difficulty.value,
        state=record.state,
        best_time_s=record.best_s,
        attempts=record.attempts,
    )
