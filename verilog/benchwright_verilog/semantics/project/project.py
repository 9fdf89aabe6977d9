"""The design files of one folder, and what slang knows of each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.compilation.compilation_files import CompilationFiles
from benchwright_verilog.semantics.compilation.compiled import Compiled
from benchwright_verilog.semantics.compilation.instance_paths import DEFAULTS, InstanceChoice
from benchwright_verilog.semantics.compilation.instances import DesignCache, InstanceTree
from benchwright_verilog.semantics.compilation.macros import Macros
from benchwright_verilog.semantics.compilation.trees import SlangTree
from benchwright_verilog.semantics.names.declaring_files import DeclaringFileChoices
from benchwright_verilog.semantics.project.black_boxes import BlackBoxes
from benchwright_verilog.semantics.project.includes import IncludeFinder
from benchwright_verilog.semantics.project.index.entry import IndexEntry
from benchwright_verilog.semantics.project.index.index_store import IndexStore
from benchwright_verilog.semantics.project.index.inventory import Inventory
from benchwright_verilog.semantics.project.index.outline import DeclaredName, Outline
from benchwright_verilog.semantics.project.lists.file_list import FileList, open_or_disk_text
from benchwright_verilog.semantics.project.lists.project_lists import ProjectLists
from benchwright_verilog.semantics.project.parsed_files import ParsedFiles
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.semantics.project.texts import SourceText, SourceTexts
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Document, Documents
from benchwright_verilog.syntax.surrogates import encode_text
from benchwright_verilog.syntax.uri import document_path, document_uri

_KEPT_ANALYSES = 8
_LOOKED_UP_TOGETHER = 64
_SHORT = 64 * 1024
"""Up to this many bytes, files are analysed on the event loop: it takes a few milliseconds."""


class Project:
    """The design files of one folder, or one file that is in no folder. Safe in any thread.

    Args:
        folder: The folder; None for a file by itself.
        documents: The open documents; they count, not what is on disk.
        settings: Include folders, macros and file lists.
        is_workspace: True if the folder is a problem's workspace: then all of its files belong together.
        is_repository: True if a workspace holds a repository: then its file lists say which belong together.
        on_lists_read: Called with the file lists whenever they were read, in whatever thread that was.
        index_store: Keeps what a large folder declares and names.
        on_progress: As of `Inventory`.
        instance_choice: View of its modules.
        declaring_files: Decides where several files declare a unit.
        files: The files that may be read; if none are given those of the folder, without a folder all.
        find_cell_paths: Gives files and folders of models that come with a tool.
        read_foreign_units: Gives the files of other open folders that declare a unit, by its name.
    """

    def __init__(
        self,
        folder: Path | None,
        documents: Documents,
        settings: ProjectSettings | None = None,
        *,
        is_workspace: bool = False,
        is_repository: bool = False,
        on_lists_read: Callable[[Sequence[FileList]], None] | None = None,
        index_store: IndexStore | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        instance_choice: InstanceChoice = DEFAULTS,
        declaring_files: DeclaringFileChoices | None = None,
        files: ReadableFiles | None = None,
        find_cell_paths: Callable[[], Sequence[Path]] = tuple,
        read_foreign_units: Callable[[], Mapping[str, Sequence[Path]]] = dict,
    ) -> None:
        self.folder = folder
        self.files = files or (ReadableFiles.below(folder) if folder is not None else ReadableFiles.everywhere())
        self.inventory = (
            Inventory(folder, index_store, on_progress, self.files.closed_folders) if folder is not None else None
        )
        self._documents = documents
        self._settings = settings or ProjectSettings()
        self.is_workspace = is_workspace
        self.is_repository = is_repository
        self._lock = threading.RLock()
        self._looks = 0
        self._was_whole = True
        self._texts = SourceTexts(folder, documents, self.files)
        named_lists = [self._path_in_folder(name) for name in self._settings.file_lists]
        variables = {name: self._absolute_if_path_exists(text) for name, text in self._settings.variables.items()}
        looked_in = folder if self.uses_file_lists else None
        # What a list names, its author opens; but a solver writes the lists of a workspace.
        self.list_files = self.files if is_workspace else self.files.with_everything_unsealed()
        self._lists = ProjectLists(
            named_lists,
            looked_in,
            self._texts.text_if_open,
            on_lists_read,
            variables,
            self._settings.target,
            self.list_files,
        )
        dirs = [self._path_in_folder(name) for name in self._settings.include_dirs]
        self._allow_named_folders()
        # A problem is solved with its own files alone.
        self.read_foreign_units = (lambda: {}) if is_workspace else read_foreign_units
        models = [] if is_workspace else [self._path_in_folder(name) for name in self._settings.black_boxes]
        self._black_boxes = BlackBoxes(models, tuple if is_workspace else find_cell_paths, self.list_files)
        self._includes = IncludeFinder(
            dirs, self._settings.defines, self._texts, self.inventory, self._settings.verilog_files
        )
        self.declaring_files = declaring_files or DeclaringFileChoices()
        self._files = CompilationFiles(
            self._texts,
            self.inventory,
            self._includes.included_file,
            self.declaring_files,
            takes_all_files=not self.uses_file_lists,
            black_boxes=self._black_boxes,
            read_foreign_units=self.read_foreign_units,
        )
        self._files.instance_choice = instance_choice
        self.design_cache = DesignCache(self._lock, self._parse_files, self._new_compiled)
        self._parsing = ParsedFiles(self._texts, self._includes)
        self._analyses: dict[Path, tuple[tuple[SlangTree, ...], str, FileAnalysis]] = {}
        self._indexed: tuple[object, list[tuple[Path, IndexEntry | None]]] = None, []

    @property
    def lists(self) -> tuple[FileList, ...]:
        """The file lists as they were last read."""
        return self._lists.lists

    # Instances

    @property
    def instance_choice(self) -> InstanceChoice:
        """View of the modules."""
        return self._files.instance_choice

    def choose_instances(self, instance_choice: InstanceChoice) -> None:
        """View modules in another way from now on."""
        with self._lock:
            self._files.instance_choice = instance_choice
            self._analyses.clear()
            self.design_cache.forget_design()

    def instance_tree_of(self, path: Path) -> InstanceTree:
        """The hierarchy of instances that a file of the project belongs to."""
        self._wait_until_all_read()
        with self._lock:
            self.refresh_if_stale()
            design_files = self._files.files_of_design(path)
        return self.design_cache.design_of(design_files)

    # Analyses

    def analysis(self, document: Document) -> FileAnalysis:
        """Slang's analysis of a document's newest version."""
        analysis = self.analysis_of(document_path(document.uri), document)
        if analysis is None:
            raise KeyError(document.uri)
        return analysis

    def analysis_of(self, path: Path, document: Document | None = None) -> FileAnalysis | None:
        """Slang's analysis of a file, open or not; None if it can't be read."""
        with self._lock:
            self.refresh_if_stale()
            own_text = self._texts.current_text(path, document)
            if own_text is None:
                return None
            root = self._files.file_to_compile_for(path)
            trees = self._parse_files(self._files.files_compiled_with(root), root, own_text if root == path else None)
            cached = self._analyses.pop(path, None)
            if cached is None or cached[1] is not own_text.text or not cached[2].compiled.is_made_of(trees):
                analysis = FileAnalysis(
                    path,
                    own_text.outline,
                    next(tree for tree in trees if tree.path == root),
                    self._known_or_new_compiled(trees),
                    macros=self._macros(root),
                )
                analysis.compiled.request_diagnostics_of(path)
                cached = trees, own_text.text, analysis
            self._analyses[path] = cached
            while len(self._analyses) > _KEPT_ANALYSES:
                del self._analyses[next(iter(self._analyses))]
            return cached[2]

    def lookup_analyses_of(self, paths: Sequence[Path]) -> Iterator[FileAnalysis]:
        """Slang's analyses of files, for looking up names in them: many are compiled together.

        Their diagnostics are good for comparing only: what is inside of the modules in them may be unknown.
        """
        for batch_start in range(0, len(paths), _LOOKED_UP_TOGETHER):
            path_batch = paths[batch_start : batch_start + _LOOKED_UP_TOGETHER]
            with self._lock:
                self.refresh_if_stale()
                joint_files, apart = self._files.joint_and_separate_files(path_batch)
                trees = {tree.path: tree for tree in self._parse_files(joint_files)} if joint_files else {}
                compiled = Compiled(tuple(trees.values()), is_alone=False)
                analyses = [self._analysis_of_tree(path, trees[path], compiled) for path in path_batch if path in trees]
                for path in path_batch:
                    compiled.request_diagnostics_of(path)
            yield from analyses
            yield from (analysis for path in apart if (analysis := self.analysis_of(path)) is not None)

    def _analysis_of_tree(self, path: Path, tree: SlangTree, compiled: Compiled) -> FileAnalysis:
        outline = self._texts.outline(path) or Outline(encode_text(tree.text))
        return FileAnalysis(path, outline, tree, compiled, macros=self._macros(path))

    def _macros(self, root: Path) -> Macros:
        return Macros(
            root, self._texts.outline, self._includes.included_file, self._includes.preprocessing_of(root).defines
        )

    @property
    def _warnings(self) -> tuple[str, ...]:
        return (*(option for file_list in self.lists for option in file_list.warnings), *self._settings.warnings)

    def _known_or_new_compiled(self, trees: Sequence[SlangTree]) -> Compiled:
        """Files compiled together, the same as before for another file if they are the same."""
        analyses = (analysis for _, _, analysis in self._analyses.values())
        compiled = next((analysis.compiled for analysis in analyses if analysis.compiled.is_made_of(trees)), None)
        if compiled is None:
            compiled = self._new_compiled(trees)
        for path in self._analyses:
            compiled.request_diagnostics_of(path)
        return compiled

    def _new_compiled(self, trees: Sequence[SlangTree]) -> Compiled:
        tops = tuple(top for file_list in self.lists for top in file_list.tops)
        return Compiled(
            trees,
            is_alone=self.folder is None,
            is_partial=not self.is_wholly_read,
            top_names=(self.instance_choice.top_name,) if self.instance_choice.top_name is not None else tops,
            parameter_assignments=tuple(parameter for file_list in self.lists for parameter in file_list.parameters),
            instances_by_module=self.instance_choice.instances,
            warning_options=self._warnings,
            reports_clock_crossings=self._settings.clock_crossings,
        )

    def predefined_macros_of(self, path: Path) -> frozenset[str]:
        """The macros that a file begins with."""
        return frozenset(define.partition("=")[0] for define in self._includes.preprocessing_of(path).defines)

    def with_texts(
        self,
        documents: Documents,
        texts: Mapping[Path, str],
        chosen_macros: Mapping[str, bool] = MappingProxyType({}),
        rewritten_texts: Mapping[Path, str] = MappingProxyType({}),
    ) -> Project:
        """The project as it would be with other versions of some files, for trying a change.

        Args:
            documents: Gets these versions, and what is open.
            texts: The versions.
            chosen_macros: Macros that are defined, or are not, whatever settings and lists say.
            rewritten_texts: Versions of files that declare the same units as before, each made when it is needed.
        """
        documents.encoding = self._documents.encoding
        for document in self._documents:
            documents.open(document.uri, document.version, document.text)
        for path, text in texts.items():
            documents.open(document_uri(path), 1, text)
        changed_project = Project(
            self.folder,
            documents,
            self._settings,
            is_workspace=self.is_workspace,
            is_repository=self.is_repository,
            files=self.files,
        )
        changed_project._texts.rewritten_texts = rewritten_texts
        with self._lock:
            changed_project.inventory = self.inventory
            changed_project._lists.copy_lists_from(self._lists)
            changed_project._includes = self._includes.with_texts(changed_project._texts, chosen_macros)
            changed_project._parsing = ParsedFiles(changed_project._texts, changed_project._includes)
            find, declaring_files = changed_project._includes.included_file, self.declaring_files
            changed_project._files = CompilationFiles(
                changed_project._texts,
                self.inventory,
                find,
                declaring_files,
                takes_all_files=not self.uses_file_lists,
                black_boxes=self._black_boxes,
                read_foreign_units=self.read_foreign_units,
            )
            changed_project._files.instance_choice = self.instance_choice
            changed_project._files.use_lists_and_forget_findings(changed_project.lists)
            changed_project._parsing.set_inherited_macros(changed_project._files.single_units.inherited_unit_by_file)
        return changed_project

    def is_quick_to_analyse(self, document: Document) -> bool:
        """True if analysing a document takes too little time to matter on the event loop."""
        if self.inventory is not None and not (self.inventory.is_current or self.inventory.is_quick_to_refresh):
            return False
        # A search in a thread may have the lock for a while.
        if not self._lock.acquire(blocking=False):
            return False
        self._lock.release()
        cached = self._analyses.get(document_path(document.uri))
        if cached is None or cached[1] is document.text:
            return cached is not None
        # The text of a single unit is only what it includes.
        is_unit = any(tree.path in self._files.single_units.unit_texts for tree in cached[0])
        return not is_unit and sum(len(tree.text) for tree in cached[0]) <= _SHORT

    def last_analysis_even_if_outdated(self, path: Path) -> FileAnalysis | None:
        """The last analysis that was made of a file, even if its text has changed since."""
        cached = self._analyses.get(path)
        return cached[2] if cached is not None else None

    def forget_closed(self, path: Path) -> None:
        """A document was closed."""
        with self._lock:
            self._analyses.pop(path, None)
            self._texts.forget(path)

    # Files

    @property
    def paths(self) -> list[Path]:
        """All design files."""
        paths: dict[Path, None] = dict.fromkeys(self.inventory.stamps) if self.inventory else {}
        for file_list in self.lists:
            paths |= dict.fromkeys((*file_list.sources, *file_list.libraries))
        paths |= dict.fromkeys(path for path, _ in self._texts.opened_design_files())
        if self.folder is None:
            paths |= dict.fromkeys(self._analyses)
        return list(paths)

    @property
    def open_paths(self) -> set[Path]:
        """The design files that an editor has open."""
        with self._lock:
            return {path for path, _ in self._texts.opened_design_files()}

    def files_with_word(self, name: str) -> list[Path]:
        """The design files whose code has a name."""
        self._wait_until_all_read()
        with self._lock:
            self.refresh_if_stale()
            known_paths = frozenset(self.inventory.files_naming(name) if self.inventory is not None else ())
            naming_paths = []
            for path, file_entry in self._paths_and_entries():
                outline = self._texts.outline_for_search(path) if file_entry is None else None
                if (path in known_paths) if outline is None else (name in outline.code_words):
                    naming_paths.append(path)
        return naming_paths

    def files_including(self, header: Path) -> list[Path]:
        """The design files that include something of a file's name."""
        self._wait_until_all_read()
        with self._lock:
            self.refresh_if_stale()
            outlines = ((path, self._texts.outline_for_search(path)) for path in self.paths)
            named_includes = (
                (path, include) for path, outline in outlines if outline is not None for include in outline.includes
            )
            return list(
                dict.fromkeys(
                    path for path, include in named_includes if include.name.rpartition("/")[2] == header.name
                )
            )

    def files_to_compile_for(self, paths: Iterable[Path]) -> list[Path]:
        """The files to compile for some files: themselves, or for headers what includes them; each once."""
        with self._lock:
            self.refresh_if_stale()
            return list(dict.fromkeys(self._files.file_to_compile_for(path) for path in paths))

    def words_by_file(self) -> Iterator[tuple[Path, IndexEntry | Outline]]:
        """The words of every design file: of one that is open or in no folder its outline, of any other its entry."""
        self._wait_until_all_read()
        with self._lock:
            self.refresh_if_stale()
            known_words: list[tuple[Path, IndexEntry | Outline]] = []
            for path, file_entry in self._paths_and_entries():
                file_words = file_entry if file_entry is not None else self._texts.outline_for_search(path)
                if file_words is not None:
                    known_words.append((path, file_words))
        yield from known_words

    def _paths_and_entries(self) -> list[tuple[Path, IndexEntry | None]]:
        """All design files, with the entries of those that are not open: the same until the disk is checked again."""
        open_paths = self.open_paths
        made_of = (self._looks, self.lists, open_paths)
        if self._indexed[0] != made_of or self.folder is None:
            entries = self.inventory.entries if self.inventory is not None else {}
            paths_and_entries = [(path, entries.get(path) if path not in open_paths else None) for path in self.paths]
            self._indexed = made_of, paths_and_entries
        return self._indexed[1]

    def declared_names_by_file(self) -> Iterator[tuple[Path, Sequence[DeclaredName]]]:
        """Units that every design file declares."""
        self._wait_until_all_read()
        with self._lock:
            self.refresh_if_stale()
            known_symbols: list[tuple[Path, Sequence[DeclaredName]]] = []
            for path, file_entry in self._paths_and_entries():
                if file_entry is not None:
                    known_symbols.append((path, file_entry.symbols))
                elif (outline := self._texts.outline_for_search(path)) is not None:
                    known_symbols.append((path, outline.symbols))
        yield from known_symbols

    def outline(self, path: Path) -> Outline | None:
        """Outline of a file: what it declares, names and includes."""
        with self._lock:
            return self._texts.outline(path)

    def outline_for_search(self, path: Path) -> Outline | None:
        """Like `outline`, for who searches many files."""
        with self._lock:
            if path in self._texts.stand_in_texts:
                return self._texts.outline(path)
            return self._texts.outline_for_search(path)

    def searched_data_if_unchanged(self, path: Path) -> bytes | None:
        """The text as UTF-8 of a file that was searched last and has not changed since; None for any other."""
        with self._lock:
            return self._texts.searched_data_if_unchanged(path)

    def find_include(self, includer: Path, name: str) -> Path | None:
        """The file that an `include` of a file means."""
        with self._lock:
            return self._includes.included_file(includer, name)

    def include_dirs_of(self, path: Path) -> tuple[Path, ...]:
        """The folders in which the headers of a file are looked for, after its own."""
        with self._lock:
            return self._includes.preprocessing_of(path).include_dirs

    def list_text(self, path: Path) -> str | None:
        """The text of a file list, as it is open or on disk."""
        return open_or_disk_text(path, self.list_files, self._texts.text_if_open)

    def macros_of(self, path: Path, outline: Outline) -> Macros:
        """The macros of a file with this text, and of what it includes."""
        with self._lock:
            outline_of = self._texts.outline
            return Macros(
                path,
                lambda other_path: outline if other_path == path else outline_of(other_path),
                self._includes.included_file,
                self._includes.preprocessing_of(path).defines,
            )

    def refresh_if_stale(self) -> None:
        """Check the disk, unless that was just done."""
        looks = self._looks + 1
        if self.inventory is not None:
            self.inventory.refresh_if_stale(self._words_of_open_files)
            looks = self.inventory.looks
        has_looked, self._looks = looks != self._looks, looks
        has_new_lists = self._lists.reread_if_changed(looks_for_lists=has_looked)
        if has_new_lists:
            self._allow_named_folders()
        if has_new_lists or self.is_wholly_read != self._was_whole:
            self._analyses.clear()
            self._was_whole = self.is_wholly_read
        if has_new_lists or has_looked:
            self._files.use_lists_and_forget_findings(self.lists)
            self._texts.note_disk_change(self.inventory.stamps if self.inventory is not None else {})
            self._includes.use_lists_and_forget_findings(self.lists)
            self._parsing.set_inherited_macros(self._files.single_units.inherited_unit_by_file)
            if self.folder is not None and self.is_wholly_read:
                inferred = [
                    inferred_include.message(self.folder)
                    for inferred_include in self._includes.inferred
                    if inferred_include.includer_count
                ]
                self._lists.report_with_first_list([*inferred, *self._files.single_units.complaints])
            self._parsing.note_disk_change()

    @property
    def uses_file_lists(self) -> bool:
        """True if file lists say which of its files belong together."""
        return self.is_repository or not self.is_workspace

    def _allow_named_folders(self) -> None:
        """Allow reading where the settings and the lists of the person who opened the folder lead."""
        if self.is_workspace:
            return
        names = (*self._settings.include_dirs, *self._settings.black_boxes)
        folders = [self._path_in_folder(name) for name in names]
        for file_list in self.lists:
            folders += (*file_list.include_dirs, *file_list.library_dirs)
            folders += (path.parent for path in (*file_list.sources, *file_list.libraries))
        self.files.allow_folders(folders)

    @property
    def is_wholly_read(self) -> bool:
        """True if all files of the folder have been read; else what is unknown may be in one of the others."""
        return self.inventory is None or self.inventory.is_wholly_read

    def _wait_until_all_read(self) -> None:
        """Wait until all files of the folder have been read."""
        with self._lock:
            self.refresh_if_stale()
        if self.inventory is not None and not self.is_wholly_read:
            self.inventory.wait_for_background_reading()

    def _words_of_open_files(self) -> set[str]:
        open_texts = (self._texts.current_text(path, document) for path, document in self._texts.opened_design_files())
        return {word for text in open_texts if text is not None for word in text.outline.code_words}

    def note_disk_change(self) -> None:
        """The client reported a change on disk."""
        if self.inventory is not None:
            self.inventory.note_disk_change()

    def _parse_files(
        self, paths: Sequence[Path], changed_file: Path | None = None, changed_text: SourceText | None = None
    ) -> tuple[SlangTree, ...]:
        kept_paths = {tree.path for cached in self._analyses.values() for tree in cached[0]} | self.design_cache.paths
        return self._parsing.parse(paths, kept_paths, changed_file, changed_text)

    def _absolute_if_path_exists(self, written_path: str) -> str:
        path = self._path_in_folder(written_path)
        return str(path) if path.exists() else written_path

    def _path_in_folder(self, name: str) -> Path:
        return (self.folder or Path.cwd()) / name
