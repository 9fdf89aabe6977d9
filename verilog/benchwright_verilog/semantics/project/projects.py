"""The projects of the folders that an editor has open."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchwright_verilog.semantics.behaviour.view_store import InstanceChoiceStore
from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.compilation.diagnostics import SlangDiagnostic
from benchwright_verilog.semantics.compilation.instance_paths import DEFAULTS, InstanceChoice
from benchwright_verilog.semantics.names.declaring_files import DeclaringFileChoices
from benchwright_verilog.semantics.project.folder_state import FolderStateStore
from benchwright_verilog.semantics.project.index.index_store import IndexStore
from benchwright_verilog.semantics.project.lists.file_list import FileList
from benchwright_verilog.semantics.project.lists.list_store import NOTHING_CHOSEN, ListChoice, ListChoiceStore
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Document, Documents
from benchwright_verilog.syntax.surrogates import encode_text
from benchwright_verilog.syntax.uri import document_path

_SMALL = 16 * 1024
"""Up to this many bytes, a document is analysed again with every key."""

_LOOK_AGAIN_S = 0.02
"""Seconds to wait until the background is asked again whether it is done."""


class Projects:
    """The projects of all folders of one editor.

    Args:
        documents: The open documents.
        read_settings: Gives the present settings.
        on_lists_read: Called with a project's file lists whenever they were read, in any thread.
        workspace_of: The folder of the workspace that a folder belongs to, if any: all its files belong together.
        is_repository: True of a workspace that holds a repository, of which file lists say what belongs together.
        index_store: Keeps what large folders declare and name.
        on_progress: Called, in any thread, with a large folder and how many of how many of its files have been read.
        instance_choice_store: Keeps what their modules are viewed as.
        list_choice_store: Keeps which of their file lists is used.
        declaring_file_store: Keeps which of several files declares a unit.
        on_undecided_units: Called with a project whose diagnostics hang on a choice that nobody has made.
        is_sealed: True of a file, by its real path, that only who opened its folder may read, and no workspace.
        closed_folders: Folders of which nothing is read but a workspace in them.
        find_cell_paths: Gives files of models of vendors' cells, which designs may instantiate without declaring them.
    """

    def __init__(
        self,
        documents: Documents,
        read_settings: Callable[[], ProjectSettings] = ProjectSettings,
        on_lists_read: Callable[[Sequence[FileList]], None] | None = None,
        workspace_of: Callable[[Path], Path | None] = lambda folder: None,
        index_store: IndexStore | None = None,
        on_progress: Callable[[Path, int, int], None] | None = None,
        instance_choice_store: InstanceChoiceStore | None = None,
        list_choice_store: ListChoiceStore | None = None,
        declaring_file_store: FolderStateStore | None = None,
        on_undecided_units: Callable[[Project], None] | None = None,
        is_sealed: Callable[[Path], bool] = lambda real_path: False,
        closed_folders: Sequence[Path] = (),
        find_cell_paths: Callable[[], Sequence[Path]] = tuple,
        is_repository: Callable[[Path], bool] = lambda workspace: False,
    ) -> None:
        self._documents = documents
        self._settings = read_settings
        self._on_lists = on_lists_read
        self._workspace_of = workspace_of
        self._store = index_store
        self._on_progress = on_progress
        self._views = instance_choice_store
        self._choices = list_choice_store
        self._units = declaring_file_store
        self._on_undecided = on_undecided_units
        self._is_sealed = is_sealed
        self._closed_folders = closed_folders
        self._cell_models = find_cell_paths
        self._is_repository = is_repository
        self._folders: list[Path] = []
        self._projects: dict[Path, Project] = {}
        self._alone: dict[Path, Project] = {}
        self._workspaces: dict[Path, Path | None] = {}
        self._other_units: dict[Path, tuple[object, Mapping[str, Sequence[Path]]]] = {}
        self.disk_changes = 0
        """Number of times that the client reported changes on disk."""
        self.view_changes = 0
        """Number of times that modules were viewed in another way."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that the editor has open."""
        return tuple(self._folders)

    def change_folders(self, added_folders: Iterable[Path], removed_folders: Iterable[Path]) -> None:
        """The editor opened and closed folders."""
        gone_folders = {_real_path(folder) for folder in removed_folders}
        self._folders = [folder for folder in self._folders if _real_path(folder) not in gone_folders]
        self._folders += [folder for folder in added_folders if folder not in self._folders]
        for folder in [folder for folder in self._projects if _real_path(folder) in gone_folders]:
            del self._projects[folder]
        self._alone.clear()

    def all_projects(self) -> list[Project]:
        """A project for every open folder, and those of the files that are in none."""
        for folder in self._folders:
            self._project(folder, is_workspace=self._known_workspace_of(folder) is not None)
        return [*self._projects.values(), *self._alone.values()]

    def project_of(self, document: Document) -> Project:
        """The project that a document belongs to."""
        return self.project_of_path(document_path(document.uri))

    def project_of_path(self, path: Path) -> Project:
        """The project of a file: its problem's workspace, the innermost open folder around it, or one of its own."""
        workspace = self._known_workspace_of(path.parent)
        if workspace is not None:
            return self._project(workspace, is_workspace=True)
        outer_folders = [folder for folder in self._folders if path.is_relative_to(folder)]
        if outer_folders:
            return self._project(max(outer_folders, key=lambda folder: len(folder.parts)), is_workspace=False)
        if path not in self._alone and (folder := self._open_folder_after_respelling(path)) is not None:
            return self._project(folder, is_workspace=False)
        if path not in self._alone:
            self._alone[path] = Project(
                None,
                self._documents,
                self._settings(),
                on_lists_read=self._on_lists,
                files=self._readable_files_of_lone_file(path),
                find_cell_paths=self._cell_models,
            )
        return self._alone[path]

    def _open_folder_after_respelling(self, path: Path) -> Path | None:
        """The open folder around a file that was opened by another path, through a link, as that path has it.

        Answers name files as the editor does, so from then on this is the folder, unless files are open by both paths.
        """
        real_folders = {_real_path(folder): folder for folder in self._folders}
        for parent in path.parents if real_folders else ():
            folder = real_folders.get(_real_path(parent))
            if folder is not None:
                if not any(open_path.is_relative_to(folder) for open_path in self._open_paths()):
                    self._folders[self._folders.index(folder)] = parent
                    self._projects.pop(folder, None)
                return parent
        return None

    def _open_paths(self) -> Iterator[Path]:
        return (document_path(document.uri) for document in self._documents if document.uri.startswith("file:"))

    def _units_of_other_folders(self, own_folder: Path) -> Mapping[str, Sequence[Path]]:
        """The files of the other open folders that declare a unit, by its name."""
        others = [
            self._project(folder, is_workspace=False)
            for folder in self._folders
            if not folder.is_relative_to(own_folder)
            and not own_folder.is_relative_to(folder)
            and self._known_workspace_of(folder) is None
        ]
        inventories = [project.inventory for project in others if project.inventory is not None]
        for inventory in inventories:
            inventory.refresh_if_stale()
        versions = tuple((inventory.folder, inventory.version) for inventory in inventories)
        known_units = self._other_units.get(own_folder)
        if known_units is None or known_units[0] != versions:
            files_by_unit: dict[str, list[Path]] = {}
            for inventory in inventories:
                for name, paths in inventory.declaring_files_by_unit.items():
                    files_by_unit.setdefault(name, []).extend(paths)
            known_units = self._other_units[own_folder] = versions, files_by_unit
        return known_units[1]

    def other_projects(self, project: Project) -> list[Project]:
        """The projects of the other open folders, in which what a project declares may be used."""
        if project.folder is None or project.is_workspace:
            return []
        return [
            other
            for other in self.all_projects()
            if other not in (project, *self._alone.values()) and not other.is_workspace
        ]

    async def analysis(self, document: Document) -> FileAnalysis:
        """Slang's analysis of a document; a large one is analysed in a thread."""
        project = self.project_of(document)
        if project.is_quick_to_analyse(document):
            return project.analysis(document)
        return await asyncio.to_thread(project.analysis, document)

    async def wait_until_wholly_read(self, uri: str) -> None:
        """Wait until all files of a document's project have been read."""
        document = self._documents.get(uri)
        project = self.project_of(document) if document is not None and uri.startswith("file:") else None
        if project is None or project.inventory is None:
            return
        if not project.inventory.is_current:
            await asyncio.to_thread(project.refresh_if_stale)
        while not project.is_wholly_read:
            await asyncio.sleep(_LOOK_AGAIN_S)
            await asyncio.to_thread(project.refresh_if_stale)

    async def recent_analysis(self, document: Document) -> FileAnalysis:
        """Slang's analysis of a document; if it is not small, the one known when typing last paused.

        `Analysis.data` is the text that was analysed.
        """
        last_analysis = self.project_of(document).last_analysis_even_if_outdated(document_path(document.uri))
        if last_analysis is not None and len(document.lines.data) > _SMALL:
            return last_analysis
        return await self.analysis(document)

    async def diagnostics(self, document: Document) -> tuple[SlangDiagnostic, ...]:
        """Slang's diagnostics of a document; a large one is analysed in a thread."""
        project = self.project_of(document)
        if project.is_quick_to_analyse(document):
            diagnostics = project.analysis(document).diagnostics
        else:
            diagnostics = await asyncio.to_thread(lambda: project.analysis(document).diagnostics)
        if (
            self._on_undecided is not None
            and project.is_wholly_read
            and project.declaring_files.undecided_files_by_unit
        ):
            self._on_undecided(project)
        return diagnostics

    def forget_closed(self, uri: str) -> None:
        """A document was closed: forget what was kept of it."""
        if not uri.startswith("file:"):
            return
        path = document_path(uri)
        self.project_of_path(path).forget_closed(path)
        self._alone.pop(path, None)

    def note_disk_changes(self, paths: Iterable[Path]) -> None:
        """Files were created, changed or deleted."""
        self.disk_changes += 1
        for path in paths:
            for folder, project in self._projects.items():
                if path.is_relative_to(folder) or _real_path(path.parent).is_relative_to(_real_path(folder)):
                    project.note_disk_change()
            # What was a workspace stays one, even if its marker goes.
            self._workspaces = {folder: found for folder, found in self._workspaces.items() if found is not None}

    def choose_instances(self, project: Project, instance_choice: InstanceChoice) -> None:
        """View the modules of a project in another way from now on, also after the next start."""
        project.choose_instances(instance_choice)
        self.view_changes += 1
        if self._views is not None and project.folder is not None:
            self._views.save(project.folder, instance_choice)

    def chosen_list(self, folder: Path) -> ListChoice:
        """The choice among a folder's file lists. The settings come before it."""
        return self._choices.load(folder) if self._choices is not None else NOTHING_CHOSEN

    def choose_list(self, folder: Path, list_choice: ListChoice) -> None:
        """Use this file list of a folder from now on, also after the next start."""
        if self._choices is not None:
            self._choices.save(folder, list_choice)
        self._projects.pop(folder, None)

    def choose_declaring_file(self, project: Project, unit_name: str, path_below_folder: str) -> None:
        """Take a unit's declaration from this file from now on; see `DeclaringFileChoices.choose_declaring_file`."""
        project.declaring_files.choose_declaring_file(unit_name, path_below_folder)
        self.view_changes += 1

    def discard_all_projects(self) -> None:
        """Other include folders, macros or file lists: start again."""
        self._projects.clear()
        self._alone.clear()

    def _project(self, folder: Path, *, is_workspace: bool) -> Project:
        if folder not in self._projects:
            is_repository = is_workspace and self._is_repository(folder)
            self._projects[folder] = Project(
                folder,
                self._documents,
                self._settings_of(folder, uses_file_lists=is_repository or not is_workspace),
                is_workspace=is_workspace,
                is_repository=is_repository,
                on_lists_read=self._on_lists,
                index_store=self._store,
                on_progress=partial(self._on_progress, folder) if self._on_progress is not None else None,
                instance_choice=self._views.load_or_defaults(folder) if self._views is not None else DEFAULTS,
                declaring_files=DeclaringFileChoices(folder, self._units),
                files=self._readable_files_of(folder, is_workspace=is_workspace),
                find_cell_paths=self._cell_models,
                read_foreign_units=partial(self._units_of_other_folders, folder),
            )
        return self._projects[folder]

    def _readable_files_of(self, folder: Path, *, is_workspace: bool) -> ReadableFiles:
        """The files of a project: those of its folder, and of the others that are open."""

        def other_folders() -> Iterable[Path]:
            # The folder around a workspace may hold all kinds of solutions.
            return [opened for opened in self._folders if not folder.is_relative_to(opened)]

        if is_workspace:
            return ReadableFiles(lambda: [folder], other_folders, self._is_sealed)
        return ReadableFiles(
            lambda: [folder, *self._folders], is_sealed=self._is_sealed, closed_folders=self._closed_folders
        )

    def _readable_files_of_lone_file(self, path: Path) -> ReadableFiles:
        """The files of a file by itself: those of the open folders, and of its own but for what is sealed."""
        return ReadableFiles(
            lambda: self._folders, lambda: [path.parent], self._is_sealed, closed_folders=self._closed_folders
        )

    def is_file(self, path: Path) -> bool:
        """True of a file on disk that one of the projects may read."""
        return any(project.list_files.is_file(path) for project in self.all_projects())

    def read_text(self, path: Path) -> str | None:
        """The text of a file on disk that one of the projects may read."""
        texts = (project.list_files.read_text(path) for project in self.all_projects())
        return next((text for text in texts if text is not None), None)

    def read_data(self, path: Path) -> bytes | None:
        """The text of a file on disk as UTF-8; of one that was just searched, as it was then."""
        for project in (*self._projects.values(), *self._alone.values()):
            if (data := project.searched_data_if_unchanged(path)) is not None:
                return data
        texts = (project.list_files.read_text(path) for project in self.all_projects())
        return next((encode_text(text) for text in texts if text is not None), None)

    def _settings_of(self, folder: Path, *, uses_file_lists: bool) -> ProjectSettings:
        settings = self._settings()
        if not uses_file_lists:
            return settings
        list_choice = self.chosen_list(folder)
        file_lists = settings.file_lists or ((str(folder / list_choice.name),) if list_choice.name else ())
        return replace(settings, file_lists=file_lists, target=settings.target or list_choice.target)

    def _known_workspace_of(self, folder: Path) -> Path | None:
        if folder not in self._workspaces:
            self._workspaces[folder] = self._workspace_of(folder)
        return self._workspaces[folder]


def _real_path(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path
