"""Which files slang opens for the `include`s of some files, found before slang sees any of them.

slang reads whatever an `include` names, also a pipe or a device, which may never end. So each name is looked up here
as slang does it, and what is not a plain file gets an empty text. Names that macros write are asked of slang itself,
which then sees no real file (`_written_includes`).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from benchwright_verilog.semantics.compilation.trees import Preprocessing, Reached, encodable, parsing_options
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.plain_files import is_other_than_file, stamp_of
from benchwright_verilog.semantics.project.texts import SourceText, SourceTexts

MAX_DEPTH = 64
"""How deep includes may be nested."""
_MOST = 20_000
_GUARD = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*`(?:ifndef\s+(\w+)\s+`define\s+\1\b|pragma\s+once\b)", re.DOTALL)
"""How a header begins that is read once only."""
_WITH_GRAVE = re.compile(r"^[^\n`]*`(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
"""A line with a grave accent, and those that continue it."""

_NOWHERE = "/dev/null/"
_ROOT = f"{_NOWHERE}#"
_SLASHES = re.compile(r'"[^"\n]*"|//|/\*|\*/|/')
_FOR_A_SLASH = "@"
_MAX_DEPTH = 64


@dataclass(frozen=True)
class Root:
    """A file that is compiled by itself."""

    path: Path
    text: SourceText
    preprocessing: Preprocessing


@dataclass
class Closure:
    """What slang may open, and under which names: it knows a file by the folder and the name that led to it."""

    files: dict[str, Path] = field(default_factory=dict)
    """The files, by slang's names."""
    absent: set[str] = field(default_factory=set)
    """Names under which slang finds nothing."""
    depth: int = MAX_DEPTH
    """Down to which level of includes this is all."""


_Place = tuple[str, Preprocessing]
"""The folder of an includer, as slang names it, and what the file is read with."""


@dataclass
class _Answer:
    """What slang said that a file includes."""

    root: Root
    outlines: Mapping[Path, Outline | None]
    closure: Closure
    looks: int
    """The check of the disk, by number, at which it last held."""


class Closures:
    """Finds closures; the last one is kept until a file of it changes. Not safe in several threads.

    Args:
        texts: The files as they are now.
    """

    def __init__(self, texts: SourceTexts) -> None:
        self._texts = texts
        self._last: tuple[list[Root], Mapping[Path, Outline | None], Closure] | None = None
        self._resolved: dict[tuple[str, int, str], tuple[str | None, tuple[str, ...]]] = {}
        self._asked: dict[Path, _Answer] = {}
        self._looks = 0

    def outdate(self) -> None:
        """What is on disk may have changed."""
        self._last = None
        self._resolved.clear()
        self._looks += 1

    def reached(self, roots: Sequence[Root]) -> tuple[Reached, frozenset[Path]]:
        """What slang may open for files that are compiled together.

        Returns:
            What each name of slang's leads to now, and the files.
        """
        closure = self.of(roots)
        given, refused, stamps = {}, {}, {}
        for name, path in closure.files.items():
            text = self._texts.open_text(path)
            if text is not None:
                given[name] = text
            elif why := self._texts.refusal(path):
                refused[name] = f"{path.name} {why}, so it is not read."
            else:
                stamps[name] = stamp_of(path)
        return Reached(given, refused, stamps, closure.absent, closure.depth), frozenset(closure.files.values())

    def of(self, roots: Sequence[Root]) -> Closure:
        """The closure of files that are compiled together."""
        if self._last is not None and self._is_same(self._last[0], roots) and self._are_current(self._last[1]):
            return self._last[2]
        outlines: dict[Path, Outline | None] = {}
        closure = Closure()
        included = self._walk(roots, closure, outlines)
        by_macro = {path for path, one in outlines.items() if one is not None and one.may_include_by_macro}
        leading = _leading_to({name for name, path in closure.files.items() if path in by_macro}, included)
        for root in roots:
            if root.text.outline.may_include_by_macro or (leading and self._includes_any(root, leading, closure)):
                found = self._asked_of_slang(root, closure)
                closure.files |= found.files
                closure.absent |= found.absent
                closure.depth = min(closure.depth, found.depth)
        self._last = [*roots], outlines, closure
        return closure

    def _includes_any(self, root: Root, names: AbstractSet[str], closure: Closure) -> bool:
        place = str(root.path.parent), root.preprocessing
        return any(self._resolve(place, one.name, closure) in names for one in root.text.outline.includes)

    def _is_same(self, known: Sequence[Root], roots: Sequence[Root]) -> bool:
        return len(known) == len(roots) and all(
            one.text is other.text and one.preprocessing is other.preprocessing and one.path == other.path
            for one, other in zip(known, roots, strict=True)
        )

    def _are_current(self, outlines: Mapping[Path, Outline | None]) -> bool:
        return all(self._texts.outline(path) is outline for path, outline in outlines.items())

    def _walk(
        self, roots: Sequence[Root], closure: Closure, outlines: dict[Path, Outline | None]
    ) -> Mapping[str, Sequence[str]]:
        """Notes what is included; returns the names that each name includes, those of the roots under an empty one."""
        waiting: list[tuple[str, _Place, Outline]] = [
            ("", (str(root.path.parent), root.preprocessing), root.text.outline) for root in roots
        ]
        seen: set[tuple[str, int]] = set()
        included: dict[str, list[str]] = {}
        for level in range(1, MAX_DEPTH + 1):
            following: list[tuple[str, _Place, Outline]] = []
            for includer, place, outline in waiting:
                for include in outline.includes:
                    name = self._resolve(place, include.name, closure)
                    if name is None:
                        continue
                    included.setdefault(includer, []).append(name)
                    if (name, id(place[1])) in seen:
                        continue
                    seen.add((name, id(place[1])))
                    path = closure.files[name]
                    if path not in outlines:
                        outlines[path] = self._texts.outline(path)
                    if (header := outlines[path]) is not None:
                        following.append((name, (_folder(name), place[1]), header))
            if not following:
                closure.depth = min(closure.depth, self._safe_depth(included))
                return included
            if len(seen) > _MOST:
                closure.depth = level
                return included
            waiting = following
        return included

    def _safe_depth(self, included: Mapping[str, Sequence[str]]) -> int:
        """How deep slang may follow includes: a header that includes itself twice, without a guard, would never end.

        Args:
            included: Names of what each name includes, as often as it does; those of the roots under an empty name.
        """
        try:
            TopologicalSorter(included).prepare()
            return MAX_DEPTH
        except CycleError:
            level = Counter(included.get("", ()))
        read: set[str] = set()
        for depth in range(1, MAX_DEPTH):
            if level.total() > _MOST:
                return depth
            following: Counter[str] = Counter()
            for name, times in level.items():
                is_guarded = _GUARD.match(self._text_of(path_of_name(name))) is not None
                if is_guarded and name in read:
                    continue
                read.add(name)
                for one in included.get(name, ()):
                    following[one] += 1 if is_guarded else times
            level = following
        return MAX_DEPTH

    def _resolve(self, place: _Place, name: str, closure: Closure) -> str | None:
        """Under which name slang finds what an `include` means; it and the others are noted."""
        folder, preprocessing = place
        key = folder, id(preprocessing), name
        if key not in self._resolved:
            tried = list(_candidates(folder, preprocessing, name))
            index = next((index for index, one in enumerate(tried) if self._is_found(one)), len(tried))
            self._resolved[key] = tried[index] if index < len(tried) else None, tuple(tried[:index])
        found, absent = self._resolved[key]
        closure.absent.update(absent)
        if found is not None:
            closure.files[found] = path_of_name(found)
        return found

    def _is_found(self, name: str) -> bool:
        return (
            stamp_of(Path(name)) is not None
            or self._texts.open_text(path_of_name(name)) is not None
            or is_other_than_file(Path(name))
        )

    def _asked_of_slang(self, root: Root, walked: Closure) -> Closure:
        known = self._asked.get(root.path)
        if known is not None and _expands_alike(known.root, root) and self._are_current(known.outlines):
            if known.looks != self._looks and self._holds(known.closure):
                known.looks = self._looks
            if known.looks == self._looks:
                return known.closure
        closure = Closure(dict(walked.files))
        meant: dict[str, dict[str, None]] = {}
        for _ in range(MAX_DEPTH):
            texts = {one: [self._text_of(path_of_name(name)) for name in names] for one, names in meant.items()}
            written = _written_includes(root.text.text, root.preprocessing.defines, texts)
            if len(written) > _MOST:
                closure.depth = 0
                break
            before = sum(map(len, meant.values()))
            for includer, name in dict.fromkeys(written):
                folders = [_folder(one) for one in meant.get(includer, ())] or [str(root.path.parent)]
                found = [self._resolve((folder, root.preprocessing), name, closure) for folder in folders]
                meant.setdefault(name, {}).update(dict.fromkeys(one for one in found if one is not None))
            if sum(map(len, meant.values())) == before:
                break
        else:
            closure.depth = 0
        outlines = {path: self._texts.outline(path) for path in closure.files.values()}
        self._asked[root.path] = _Answer(root, outlines, closure, self._looks)
        return closure

    def _holds(self, closure: Closure) -> bool:
        """Whether names still lead to files, or to none, as they did."""
        return not any(map(self._is_found, closure.absent)) and all(map(self._is_found, closure.files))

    def _text_of(self, path: Path) -> str:
        text = self._texts.open_text(path)
        if text is None and (known := self._texts.get(path)) is not None:
            text = known.text
        return text or ""


def _expands_alike(before: Root, now: Root) -> bool:
    """Whether two versions of a file give the preprocessor the same to do, so that what they include is the same."""
    if before.preprocessing != now.preprocessing:
        return False
    return before.text is now.text or _to_preprocess(before.text.text) == _to_preprocess(now.text.text)


def _to_preprocess(text: str) -> str:
    """The lines with directives or uses of macros; all of them, if what one begins may end on another line."""
    lines = [found[0] for found in _WITH_GRAVE.finditer(text)]
    is_whole = all(
        line.count("(") == line.count(")") and line.count('"') % 2 == 0 and "/*" not in line for line in lines
    )
    return "\n".join(lines) if is_whole else text


def _leading_to(names: AbstractSet[str], included: Mapping[str, Sequence[str]]) -> AbstractSet[str]:
    """Names, those that include them, and so on."""
    includers: dict[str, list[str]] = {}
    for includer, others in included.items():
        for one in others:
            includers.setdefault(one, []).append(includer)
    found = set(names)
    waiting = list(names)
    while waiting:
        following = [one for one in includers.get(waiting.pop(), ()) if one not in found]
        found.update(following)
        waiting += following
    return found


def path_of_name(name: str) -> Path:
    """The file that slang knows by a name."""
    return Path(os.path.normpath(name))


def _candidates(folder: str, preprocessing: Preprocessing, name: str) -> Iterator[str]:
    if name.startswith("/"):
        yield name
        return
    for one in (folder, *map(str, preprocessing.include_dirs)):
        yield f"{one.removesuffix('/')}/{name}"


def _folder(name: str) -> str:
    return name.rpartition("/")[0].rstrip("/") or "/"


def _written_includes(text: str, defines: Sequence[str], headers: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """What a file and its headers include once their macros are expanded, asked of slang, which opens no file for that.

    slang gets the headers under names in a folder that can't exist, so that it finds only what it was given. A name
    that starts with a slash would lead it elsewhere: slashes become another character before, and again after.

    Args:
        text: The file.
        defines: Its macros, `NAME` or `NAME=text`.
        headers: The source code of the known headers, by the name that is included; several where the name means
            another file in another folder.

    Returns:
        The names by which the includers are included, empty for the file itself, and the names that they include.
    """
    import pyslang
    from pyslang.syntax import SyntaxTree

    sources = pyslang.SourceManager()
    sources.setDisableProximatePaths(True)
    for name, texts in headers.items():
        sources.assignText(_NOWHERE + name.replace("/", _FOR_A_SLASH), _without_slashes("\n".join(texts)))
    options = parsing_options(Preprocessing((), tuple(map(_without_slashes, defines))), _MAX_DEPTH)
    tree = SyntaxTree.fromFileInMemory(_without_slashes(text), sources, _ROOT, _ROOT, options)
    found = []
    for include in tree.getIncludeDirectives():
        place = sources.getFullyExpandedLoc(include.syntax.fileName.location)
        includer = sources.getRawFileName(place.buffer).removeprefix(_NOWHERE).removeprefix("#")
        found.append((includer.replace(_FOR_A_SLASH, "/"), include.path.replace(_FOR_A_SLASH, "/")))
    return found


def _without_slashes(text: str) -> str:
    def other(found: re.Match[str]) -> str:
        is_comment = found[0] in ("//", "/*", "*/")
        return found[0] if is_comment else found[0].replace("/", _FOR_A_SLASH)

    return _SLASHES.sub(other, encodable(text))
