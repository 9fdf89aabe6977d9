"""Which files belong together: the designs of the folders an editor has open."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_verilog.semantics.analysis import Analysis
from benchwright_verilog.semantics.diagnostics import SlangDiagnostic
from benchwright_verilog.semantics.file_list import FileList, read_file_list
from benchwright_verilog.semantics.inventory import (
    DESIGN_SUFFIXES,
    HEADERS,
    Inventory,
    Stamp,
    distance,
    nearest,
    read_text,
    stamp_of,
)
from benchwright_verilog.semantics.macros import Macros
from benchwright_verilog.semantics.outline import DeclaredUnit, Outline
from benchwright_verilog.semantics.trees import Preprocessing, Tree, Trees
from benchwright_verilog.settings import Project as ProjectSettings
from benchwright_verilog.syntax.documents import Document, Documents
from benchwright_verilog.syntax.surrogates import encode_text
from benchwright_verilog.syntax.uri import path_of

_MAX_TOGETHER = 200
_MAX_BYTES_TOGETHER = 4 * 1024**2
"""Up to how much all files of a workspace or file list are always looked at together."""
_MAX_INCLUDE_DIRS = 64
_KEPT_ANALYSES = 8
_KEPT_TEXTS = 256
_SMALL = 16 * 1024
"""Texts up to this size are looked at anew with every key."""
_SHORT = 64 * 1024
"""Texts up to this size are looked at without leaving the event loop: it takes a few milliseconds."""


@dataclass(frozen=True)
class _Text:
    """A file as it is now: as an editor has it, else as it is on disk."""

    text: str
    outline: Outline
    stamp: Stamp | None
    """None for a file that an editor has open."""


class Project:
    """The design files of one folder, or one file that is in no folder.

    Args:
        folder: The folder; none for a file by itself.
        documents: The open documents; their texts count, not those on disk.
        settings: Include folders, macros and file lists.
        is_workspace: Whether the folder is a problem's workspace: then all of its files belong together.
        on_lists: Called with the file lists whenever they were read, in whatever thread that was.
    """

    def __init__(
        self,
        folder: Path | None,
        documents: Documents,
        settings: ProjectSettings | None = None,
        *,
        is_workspace: bool = False,
        on_lists: Callable[[Sequence[FileList]], None] | None = None,
    ) -> None:
        self.folder = folder
        self._on_lists = on_lists
        self.inventory = Inventory(folder) if folder is not None else None
        self.lists: tuple[FileList, ...] = ()
        self._documents = documents
        self._settings = settings or ProjectSettings()
        self._is_workspace = is_workspace
        self._lock = threading.RLock()
        self._trees: Trees | None = None
        self._texts: dict[Path, _Text] = {}
        self._analyses: dict[Path, tuple[tuple[Tree, ...], str, Analysis]] = {}
        self._list_stamps: dict[Path, Stamp | None] = {}

    @property
    def is_workspace(self) -> bool:
        """Whether it is a problem's workspace: then all of its files belong together."""
        return self._is_workspace

    # Analyses

    def analysis(self, document: Document) -> Analysis:
        """What slang knows of a document's newest version. Safe in any thread."""
        found = self.analysis_of(path_of(document.uri), document)
        if found is None:
            raise KeyError(document.uri)
        return found

    def analysis_of(self, path: Path, document: Document | None = None) -> Analysis | None:
        """What slang knows of a file, open or not; none where it can't be read."""
        with self._lock:
            self.refresh()
            own = self._text(path, document)
            if own is None:
                return None
            root = self._root_of(path)
            members = self._together(root)
            trees = self._parsed(members, root, own if root == path else None)
            root_tree = next(tree for tree in trees if tree.path == root)
            known = self._analyses.pop(path, None)
            key = tuple(trees)
            if (
                known is None
                or known[1] is not own.text
                or len(known[0]) != len(key)
                or any(old is not new for old, new in zip(known[0], key, strict=True))
            ):
                analysis = Analysis(
                    path,
                    own.outline,
                    root_tree,
                    trees,
                    is_alone=self.folder is None,
                    macros=Macros(root, self._outline, self.find_include),
                )
                known = key, own.text, analysis
            self._analyses[path] = known
            while len(self._analyses) > _KEPT_ANALYSES:
                del self._analyses[next(iter(self._analyses))]
            return known[2]

    def with_texts(self, documents: Documents, texts: Mapping[Path, str]) -> Project:
        """The project as it would be with some texts, for trying out.

        Args:
            documents: Where the texts are put, beside those that are open.
            texts: The texts.
        """
        documents.encoding = self._documents.encoding
        for document in self._documents:
            documents.open(document.uri, document.version, document.text)
        for path, text in texts.items():
            documents.open(path.as_uri(), 1, text)
        other = Project(self.folder, documents, self._settings, is_workspace=self._is_workspace)
        with self._lock:
            other.inventory = self.inventory
            other.lists, other._list_stamps = self.lists, self._list_stamps
        return other

    def is_quick(self, document: Document) -> bool:
        """Whether analysing a document takes so short that nobody has to be kept from waiting."""
        path = path_of(document.uri)
        known = self._analyses.get(path)
        return known is not None and (known[1] is document.text or sum(len(tree.text) for tree in known[0]) <= _SHORT)

    def last_analysis(self, path: Path) -> Analysis | None:
        """The last analysis that was made of a file, also where its text has changed since."""
        known = self._analyses.get(path)
        return known[2] if known is not None else None

    def close(self, path: Path) -> None:
        """A document was closed."""
        with self._lock:
            self._analyses.pop(path, None)
            self._texts.pop(path, None)

    # Files

    @property
    def paths(self) -> list[Path]:
        """All design files."""
        found: dict[Path, None] = dict.fromkeys(self.inventory.entries) if self.inventory else {}
        for listed in self.lists:
            found |= dict.fromkeys((*listed.sources, *listed.libraries))
        found |= dict.fromkeys(path for path, _ in self._open())
        if self.folder is None:
            found |= dict.fromkeys(self._analyses)
        return list(found)

    def with_word(self, name: str) -> list[Path]:
        """The design files in which a name stands somewhere."""
        wanted = name.encode()
        with self._lock:
            self.refresh()
            return [path for path in self.paths if (outline := self._peek(path)) and wanted in outline.data]

    def symbols(self) -> Iterator[tuple[Path, Sequence[DeclaredUnit]]]:
        """What every design file declares."""
        with self._lock:
            self.refresh()
            opened = {path for path, _ in self._open()}
            entries = self.inventory.entries if self.inventory is not None else {}
            found: list[tuple[Path, Sequence[DeclaredUnit]]] = []
            for path in self.paths:
                if path not in opened and path in entries:
                    found.append((path, entries[path].symbols))
                elif (outline := self._peek(path)) is not None:
                    found.append((path, outline.symbols))
        yield from found

    def outline(self, path: Path) -> Outline | None:
        """A file's text, looked at."""
        with self._lock:
            return self._outline(path)

    def refresh(self) -> None:
        """Look at the disk, unless that was just done."""
        if self.inventory is not None:
            self.inventory.refresh()
        self._refresh_lists()

    def outdate(self) -> None:
        """Something is told to have changed on disk."""
        if self.inventory is not None:
            self.inventory.outdate()

    def find_include(self, includer: Path, name: str) -> Path | None:
        """The file that an `include` means."""
        for folder in (includer.parent, *self._preprocessing(includer).include_dirs):
            candidate = folder / name
            if candidate in self._texts or candidate.is_file():
                return Path(candidate)
        return None

    def _open(self) -> Iterator[tuple[Path, Document]]:
        for document in self._documents:
            if document.uri.startswith("file:") and Path(document.uri).suffix in DESIGN_SUFFIXES:
                path = path_of(document.uri)
                if self.folder is not None and path.is_relative_to(self.folder):
                    yield path, document

    def _text(self, path: Path, document: Document | None = None) -> _Text | None:
        known = self._texts.get(path)
        document = document or self._documents.get(path.as_uri())
        if document is not None:
            if known is None or known.text is not document.text:
                known = _Text(document.text, Outline(document.lines.data), None)
                self._texts[path] = known
            return known
        stamp = stamp_of(path)
        if known is None or known.stamp != stamp:
            text = read_text(path) if stamp is not None else None
            if text is None:
                self._texts.pop(path, None)
                return None
            known = _Text(text, Outline(encode_text(text)), stamp)
            self._texts[path] = known
        return known

    def _outline(self, path: Path) -> Outline | None:
        text = self._text(path)
        return text.outline if text is not None else None

    def _peek(self, path: Path) -> Outline | None:
        """A file's text, not kept if nobody else keeps it."""
        if path in self._texts or self._documents.get(path.as_uri()) is not None:
            return self._outline(path)
        text = read_text(path)
        return Outline(encode_text(text)) if text is not None else None

    # What belongs together

    def _root_of(self, path: Path) -> Path:
        """The file to compile for a file: itself, or for a header the nearest that includes it."""
        seen = {path}
        current = path
        while current.suffix in HEADERS and self.inventory is not None:
            candidates = [
                found
                for found in self.inventory.including.get(current.name, ())
                if found not in seen and self._includes(found, current)
            ]
            following = nearest(candidates, current)
            if following is None:
                return path
            seen.add(following)
            current = following
        return current

    def _includes(self, includer: Path, header: Path) -> bool:
        entry = self.inventory.entries[includer] if self.inventory is not None else None
        names = entry.includes if entry is not None else ()
        return any(
            name.rpartition("/")[2] == header.name and self.find_include(includer, name) == header for name in names
        )

    def _together(self, root: Path) -> list[Path]:
        """The files to look at with a file, itself first."""
        listed = dict.fromkeys(path for one in self.lists for path in one.sources)
        libraries = [path for one in self.lists for path in one.libraries]
        if listed and _total(listed) <= _MAX_BYTES_TOGETHER:
            # slang's own order is the list's, and a file that is in no list comes last.
            together = list(listed if root in listed else {**listed, root: None})
            return self._needed(together, libraries) if libraries else together
        if self.inventory is None:
            return [root]
        if self._is_workspace:
            sources = list(self.inventory.sources())
            if len(sources) <= _MAX_TOGETHER and _total(sources) <= _MAX_BYTES_TOGETHER:
                return [root, *(path for path in sources if path != root)]
        return self._needed([root], [*listed, *libraries])

    def _needed(self, roots: Sequence[Path], limits: Sequence[Path]) -> list[Path]:
        """Files and those that declare what they name, and what those name.

        Args:
            roots: The files to begin with.
            limits: Which files may be taken; all if none are given.
        """
        root = roots[0]
        declaring = _units_of(limits, self._outline) if limits else self._declaring(root)
        together = dict.fromkeys(roots)
        waiting = list(roots)
        while waiting:
            path = waiting.pop()
            for name in self._named(path, declaring, set()):
                candidates = declaring[name]
                if any(candidate in together for candidate in candidates) or self._declares(root, name):
                    continue
                chosen = nearest(candidates, root)
                if chosen is not None and len(together) < _MAX_TOGETHER:
                    together[chosen] = None
                    waiting.append(chosen)
        return list(together)

    def _declares(self, path: Path, name: str) -> bool:
        outline = self._outline(path)
        return outline is not None and outline.declares(name)

    def _declaring(self, root: Path) -> dict[str, list[Path]]:
        """The inventory's, with what is open as it is now; what the file asked about declares may be outdated."""
        if self.inventory is None:
            return {}
        declaring = self.inventory.declaring
        for path, _ in self._open():
            entry = self.inventory.entries.get(path)
            text = self._texts.get(path)
            is_saved = entry is not None and text is not None and text.stamp == entry.stamp
            if path.suffix in HEADERS or is_saved or path == root:
                continue
            known = {unit.name for unit in entry.units} if entry is not None else set()
            outline = self._outline(path)
            new = {unit.name for unit in outline.units} if outline is not None else set()
            if known != new:
                declaring = {name: [one for one in paths if one != path] for name, paths in declaring.items()}
                for name in new:
                    declaring[name] = [*declaring.get(name, ()), path]
                declaring = {name: paths for name, paths in declaring.items() if paths}
        return declaring

    def _named(self, path: Path, declaring: dict[str, list[Path]], seen: set[Path]) -> Iterator[str]:
        outline = self._outline(path)
        if outline is None or path in seen:
            return
        seen.add(path)
        if len(declaring) <= _MAX_TOGETHER:
            # A whole word is not asked for: a file too many does no harm, and this is quick.
            yield from (name for name in declaring if name.encode() in outline.data)
        else:
            yield from sorted(outline.words & declaring.keys())
        for include in outline.includes:
            found = self.find_include(path, include.name)
            if found is not None:
                yield from self._named(found, declaring, seen)

    def _parsed(self, members: Sequence[Path], root: Path, own: _Text | None) -> list[Tree]:
        if self._trees is None:
            self._trees = Trees()
        trees = self._trees
        headers = {
            path: text.text
            for path, document in self._open()
            if (path.suffix in HEADERS or path in trees.included) and path != root
            if (text := self._text(path, document)) is not None
        }
        trees.prepare(headers, {path: stamp_of(path) for path in trees.included if path not in headers})
        parsed = []
        for path in members:
            text = own if path == root and own is not None else self._text(path)
            if text is not None:
                parsed.append(trees.tree(path, text.text, self._preprocessing(path)))
        kept = {tree.path for tree in parsed} | {tree.path for known in self._analyses.values() for tree in known[0]}
        trees.keep(kept)
        if len(self._texts) > _KEPT_TEXTS:
            kept |= trees.included | {path for path, _ in self._open()}
            self._texts = {path: text for path, text in self._texts.items() if path in kept}
        return parsed

    def _preprocessing(self, path: Path) -> Preprocessing:
        dirs = [self._absolute(name) for name in self._settings.include_dirs]
        defines = list(self._settings.defines)
        for listed in self.lists:
            dirs += listed.include_dirs
            defines += listed.defines
        if self.inventory is not None and not self.lists:
            dirs += sorted(self.inventory.header_dirs(), key=lambda folder: (distance(folder / "x", path), folder))
        return Preprocessing(tuple(dict.fromkeys(dirs))[:_MAX_INCLUDE_DIRS], tuple(defines))

    def _absolute(self, name: str) -> Path:
        return (self.folder or Path.cwd()) / name

    def _open_text(self, path: Path) -> str | None:
        document = self._documents.get(path.as_uri())
        return document.text if document is not None else None

    def _refresh_lists(self) -> None:
        paths = [self._absolute(name) for name in self._settings.file_lists]
        if not paths and self.folder is not None and not self._is_workspace:
            found = sorted(self.folder.glob("*.f"))
            paths = found if len(found) == 1 else []
        if self._stamps_of(paths) != self._list_stamps:
            self.lists = tuple(read_file_list(path, self._open_text) for path in paths)
            self._list_stamps = self._stamps_of(paths)
            if self._on_lists is not None:
                self._on_lists(self.lists)

    def _stamps_of(self, lists: Sequence[Path]) -> dict[Path, Stamp | None]:
        stamps: dict[Path, Stamp | None] = {}
        for path in [*lists, *(one for known in self.lists for one in known.read)]:
            text = self._open_text(path)
            stamps[path] = stamp_of(path) if text is None else (hash(text), len(text))
        return stamps


def _units_of(paths: Iterable[Path], outline: Callable[[Path], Outline | None]) -> dict[str, list[Path]]:
    declaring: dict[str, list[Path]] = {}
    for path in paths:
        if (found := outline(path)) is not None:
            for name in {unit.name for unit in found.units}:
                declaring.setdefault(name, []).append(path)
    return declaring


def _total(paths: Iterable[Path]) -> int:
    return sum(stamp[1] for path in paths if (stamp := stamp_of(path)) is not None)


class Projects:
    """The projects of all folders of one editor.

    Args:
        documents: The open documents.
        settings: Gives the present settings.
        on_lists: Called with a project's file lists whenever they were read, in whatever thread that was.
        workspace_of: The folder of the workspace that a folder belongs to, if any: all its files belong together.
    """

    def __init__(
        self,
        documents: Documents,
        settings: Callable[[], ProjectSettings] = ProjectSettings,
        on_lists: Callable[[Sequence[FileList]], None] | None = None,
        workspace_of: Callable[[Path], Path | None] = lambda folder: None,
    ) -> None:
        self._documents = documents
        self._settings = settings
        self._on_lists = on_lists
        self._workspace_of = workspace_of
        self._folders: list[Path] = []
        self._projects: dict[Path, Project] = {}
        self._alone: dict[Path, Project] = {}
        self._workspaces: dict[Path, Path | None] = {}
        self.disk_changes = 0
        """How often files were said to have changed on disk."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that the editor has open."""
        return tuple(self._folders)

    def change_folders(self, added: Iterable[Path], removed: Iterable[Path]) -> None:
        """The editor opened and closed folders."""
        gone = set(removed)
        self._folders = [folder for folder in self._folders if folder not in gone]
        self._folders += [folder for folder in added if folder not in self._folders]
        for folder in gone:
            self._projects.pop(folder, None)

    def all(self) -> list[Project]:
        """A project for every open folder, and those of the files that are in none."""
        for folder in self._folders:
            self._project(folder, is_workspace=self._workspace(folder) is not None)
        return [*self._projects.values(), *self._alone.values()]

    def of(self, document: Document) -> Project:
        """The project that a document belongs to."""
        return self.of_path(path_of(document.uri))

    def of_path(self, path: Path) -> Project:
        """The project that a file belongs to: a problem's workspace, the innermost open folder, or none but itself."""
        workspace = self._workspace(path.parent)
        if workspace is not None:
            return self._project(workspace, is_workspace=True)
        around = [folder for folder in self._folders if path.is_relative_to(folder)]
        if around:
            return self._project(max(around, key=lambda folder: len(folder.parts)), is_workspace=False)
        if path not in self._alone:
            self._alone[path] = Project(None, self._documents, self._settings(), on_lists=self._on_lists)
        return self._alone[path]

    async def analysis(self, document: Document) -> Analysis:
        """What slang knows of a document; large ones are looked at in a thread."""
        project = self.of(document)
        if project.is_quick(document):
            return project.analysis(document)
        return await asyncio.to_thread(project.analysis, document)

    async def recent(self, document: Document) -> Analysis:
        """What slang knows of a document, or of one that is not small what it knew when typing last rested.

        `Analysis.data` tells which text is meant.
        """
        known = self.of(document).last_analysis(path_of(document.uri))
        if known is not None and len(document.lines.data) > _SMALL:
            return known
        return await self.analysis(document)

    async def diagnostics(self, document: Document) -> tuple[SlangDiagnostic, ...]:
        """What slang says about a document; large ones are looked at in a thread."""
        project = self.of(document)
        if project.is_quick(document):
            return project.analysis(document).diagnostics
        return await asyncio.to_thread(lambda: project.analysis(document).diagnostics)

    def closed(self, uri: str) -> None:
        """A document was closed: what was kept of it goes."""
        if not uri.startswith("file:"):
            return
        path = path_of(uri)
        self.of_path(path).close(path)
        self._alone.pop(path, None)

    def changed_on_disk(self, paths: Iterable[Path]) -> None:
        """Files were made, changed or deleted."""
        self.disk_changes += 1
        for path in paths:
            for folder, project in self._projects.items():
                if path.is_relative_to(folder):
                    project.outdate()
            self._workspaces.clear()

    def settings_changed(self) -> None:
        """Other include folders, macros or file lists: begin anew."""
        self._projects.clear()
        self._alone.clear()

    def _project(self, folder: Path, *, is_workspace: bool) -> Project:
        if folder not in self._projects:
            self._projects[folder] = Project(
                folder, self._documents, self._settings(), is_workspace=is_workspace, on_lists=self._on_lists
            )
        return self._projects[folder]

    def _workspace(self, folder: Path) -> Path | None:
        if folder not in self._workspaces:
            self._workspaces[folder] = self._workspace_of(folder)
        return self._workspaces[folder]


def analyse(path: str, text: str, others: dict[str, str]) -> Analysis:
    """Look at texts that are in no file, with nothing of the disk.

    Args:
        path: The name of the text to look at.
        text: The text.
        others: The other texts, by name.
    """
    trees = Trees()
    here = Path("/") / path
    parsed = [trees.tree(Path("/") / name, other, Preprocessing()) for name, other in {path: text, **others}.items()]
    outline = Outline(encode_text(text))
    macros = Macros(here, lambda one: outline if one == here else None, lambda includer, name: None)
    return Analysis(here, outline, parsed[0], parsed, is_alone=not others, macros=macros)
