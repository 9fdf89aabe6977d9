"""The files that the `include`s of some files mean, found before slang sees any of them.

slang opens no file (see `parsing`), so it is given the text of each before. Each name is looked up here as slang does
it, and what is not a plain file gets an empty text. Names that macros write are asked of slang itself
(`_includes_after_macro_expansion`).
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

from benchwright_verilog.semantics.compilation.parsing import parse_file
from benchwright_verilog.semantics.compilation.trees import (
    Preprocessing,
    ReachableFiles,
    parse_options_bag,
    text_for_slang,
)
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.texts import SourceText, SourceTexts

MAX_DEPTH = 64
"""The deepest nesting of includes."""
_MOST = 20_000
# Possessive: else it would try every way to divide the comments before a file without a guard.
_GUARD = re.compile(r"(?:\s|//[^\n]*\n|/\*(?>.*?\*/))*+`(?:ifndef\s+(\w+)\s+`define\s+\1\b|pragma\s+once\b)", re.DOTALL)
"""The beginning of a header that is read once only."""
_TO_PREPROCESS = re.compile(r"^[^\n]*?(?:`|/\*|\*/)(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
"""A line with a grave accent, or where a comment of several lines may begin or end, and those that continue it."""

_NOWHERE = "/dev/null/"
_ROOT = f"{_NOWHERE}#"
_SLASHES = re.compile(r'"[^"\n]*"|//|/\*|\*/|/')
_FOR_A_SLASH = "@"
_MAX_DEPTH = 64


@dataclass(frozen=True)
class RootFile:
    """A file that is compiled by itself."""

    path: Path
    text: SourceText
    preprocessing: Preprocessing


@dataclass
class IncludeClosure:
    """The files that are included, and their names: slang knows a file by the folder and the name that led to it."""

    path_by_slang_name: dict[str, Path] = field(default_factory=dict)
    """The files, by slang's names."""
    absent_names: set[str] = field(default_factory=set)
    """Names under which slang finds nothing."""
    include_depth: int = MAX_DEPTH
    """Down to which level of includes this is all."""


_Place = tuple[str, Preprocessing]
"""The folder of an includer, as slang names it, and what the file is read with."""


@dataclass
class _SlangAnswer:
    """Slang's answer on what a file includes."""

    root: RootFile
    outlines: Mapping[Path, Outline | None]
    closure: IncludeClosure
    looks: int
    """The check of the disk, by number, at which it last held."""


class IncludeClosures:
    """Finds closures; the last one is kept until a file of it changes. Not safe in several threads.

    Args:
        texts: The files as they are now.
    """

    def __init__(self, texts: SourceTexts) -> None:
        self._texts = texts
        self._last: tuple[list[RootFile], Mapping[Path, Outline | None], IncludeClosure] | None = None
        self._resolved: dict[tuple[str, int, str], tuple[str | None, tuple[str, ...]]] = {}
        self._slang_answers: dict[Path, _SlangAnswer] = {}
        self._looks = 0

    def note_disk_change(self) -> None:
        """Take note that what is on disk may have changed."""
        self._last = None
        self._resolved.clear()
        self._looks += 1

    def reachable_files_and_paths(self, roots: Sequence[RootFile]) -> tuple[ReachableFiles, frozenset[Path]]:
        """Return what is included by files that are compiled together.

        Returns:
            What each name of slang's leads to now, and the files.
        """
        closure = self.closure_of(roots)
        given_texts, refusal_reasons, absent = {}, {}, {*closure.absent_names}
        for name, path in closure.path_by_slang_name.items():
            text = self._text_of(path)
            if text is not None:
                given_texts[name] = text
            elif reason := self._texts.refusal_reason(path):
                refusal_reasons[name] = f"{path.name} {reason}, so it is not read."
            else:
                absent.add(name)
        files = frozenset(closure.path_by_slang_name.values())
        return ReachableFiles(given_texts, refusal_reasons, absent, closure.include_depth), files

    def closure_of(self, roots: Sequence[RootFile]) -> IncludeClosure:
        """The closure of files that are compiled together."""
        if self._last is not None and self._are_same_roots(self._last[0], roots) and self._are_current(self._last[1]):
            return self._last[2]
        outlines: dict[Path, Outline | None] = {}
        closure = IncludeClosure()
        included = self._names_by_includer_after_adding_includes(roots, closure, outlines)
        by_macro = {path for path, outline in outlines.items() if outline is not None and outline.may_include_by_macro}
        leading = _names_and_their_includers(
            {name for name, path in closure.path_by_slang_name.items() if path in by_macro}, included
        )
        for root in roots:
            if root.text.outline.may_include_by_macro or (leading and self._includes_any_of(root, leading, closure)):
                slang_closure = self._closure_by_slang(root, closure)
                closure.path_by_slang_name |= slang_closure.path_by_slang_name
                closure.absent_names |= slang_closure.absent_names
                closure.include_depth = min(closure.include_depth, slang_closure.include_depth)
        self._last = [*roots], outlines, closure
        return closure

    def _includes_any_of(self, root: RootFile, names: AbstractSet[str], closure: IncludeClosure) -> bool:
        include_place = str(root.path.parent), root.preprocessing
        return any(
            self._slang_name_after_adding_include(include_place, include.name, closure) in names
            for include in root.text.outline.includes
        )

    def _are_same_roots(self, known_roots: Sequence[RootFile], roots: Sequence[RootFile]) -> bool:
        return len(known_roots) == len(roots) and all(
            left_root.text is right_root.text
            and left_root.preprocessing is right_root.preprocessing
            and left_root.path == right_root.path
            for left_root, right_root in zip(known_roots, roots, strict=True)
        )

    def _are_current(self, outlines: Mapping[Path, Outline | None]) -> bool:
        return all(self._texts.outline(path) is outline for path, outline in outlines.items())

    def _names_by_includer_after_adding_includes(
        self, roots: Sequence[RootFile], closure: IncludeClosure, outlines: dict[Path, Outline | None]
    ) -> Mapping[str, Sequence[str]]:
        """Notes what is included; returns the names that each name includes, those of the roots under an empty one."""
        pending_includes: list[tuple[str, _Place, Outline]] = [
            ("", (str(root.path.parent), root.preprocessing), root.text.outline) for root in roots
        ]
        seen_includes: set[tuple[str, int]] = set()
        included: dict[str, list[str]] = {}
        for level in range(1, MAX_DEPTH + 1):
            next_includes: list[tuple[str, _Place, Outline]] = []
            for includer, include_place, outline in pending_includes:
                for include in outline.includes:
                    name = self._slang_name_after_adding_include(include_place, include.name, closure)
                    if name is None:
                        continue
                    included.setdefault(includer, []).append(name)
                    if (name, id(include_place[1])) in seen_includes:
                        continue
                    seen_includes.add((name, id(include_place[1])))
                    path = closure.path_by_slang_name[name]
                    if path not in outlines:
                        outlines[path] = self._texts.outline(path)
                    if (header := outlines[path]) is not None:
                        next_includes.append((name, (_parent_folder(name), include_place[1]), header))
            if not next_includes:
                closure.include_depth = min(closure.include_depth, self._safe_include_depth(included))
                return included
            if len(seen_includes) > _MOST:
                closure.include_depth = level
                return included
            pending_includes = next_includes
        return included

    def _safe_include_depth(self, names_by_includer: Mapping[str, Sequence[str]]) -> int:
        """The depth to which slang may follow includes: an unguarded header that includes itself twice would never end.

        Args:
            names_by_includer: Names of what each name includes, as often as it does; those of the roots under an empty
                name.
        """
        try:
            TopologicalSorter(names_by_includer).prepare()
            return MAX_DEPTH
        except CycleError:
            level = Counter(names_by_includer.get("", ()))
        read_names: set[str] = set()
        for depth in range(1, MAX_DEPTH):
            if level.total() > _MOST:
                return depth
            next_level: Counter[str] = Counter()
            for name, times in level.items():
                is_guarded = _GUARD.match(self._text_of(path_of_slang_name(name)) or "") is not None
                if is_guarded and name in read_names:
                    continue
                read_names.add(name)
                for included_name in names_by_includer.get(name, ()):
                    next_level[included_name] += 1 if is_guarded else times
            level = next_level
        return MAX_DEPTH

    def _slang_name_after_adding_include(self, include_place: _Place, name: str, closure: IncludeClosure) -> str | None:
        """Under which name slang finds what an `include` means; it and the others are noted."""
        folder, preprocessing = include_place
        lookup_key = folder, id(preprocessing), name
        if lookup_key not in self._resolved:
            tried_names = list(_candidate_slang_names(folder, preprocessing, name))
            index = next(
                (index for index, tried_name in enumerate(tried_names) if self._is_file_of_slang_name(tried_name)),
                len(tried_names),
            )
            self._resolved[lookup_key] = (
                tried_names[index] if index < len(tried_names) else None,
                tuple(tried_names[:index]),
            )
        found_name, absent = self._resolved[lookup_key]
        closure.absent_names.update(absent)
        if found_name is not None:
            closure.path_by_slang_name[found_name] = path_of_slang_name(found_name)
        return found_name

    def _is_file_of_slang_name(self, slang_name: str) -> bool:
        path = path_of_slang_name(slang_name)
        return self._texts.is_file_or_open(path) or self._texts.files.is_pipe_or_device(path)

    def _closure_by_slang(self, root: RootFile, walked_closure: IncludeClosure) -> IncludeClosure:
        known_answer = self._slang_answers.get(root.path)
        if (
            known_answer is not None
            and _has_same_preprocessor_lines(known_answer.root, root)
            and self._are_current(known_answer.outlines)
        ):
            if known_answer.looks != self._looks and self._still_resolves_to_same_files(known_answer.closure):
                known_answer.looks = self._looks
            if known_answer.looks == self._looks:
                return known_answer.closure
        closure = IncludeClosure(dict(walked_closure.path_by_slang_name))
        meant_names: dict[str, dict[str, None]] = {}
        for _ in range(MAX_DEPTH):
            header_texts = {
                includer_name: [self._text_of(path_of_slang_name(name)) or "" for name in names]
                for includer_name, names in meant_names.items()
            }
            written_includes = _includes_after_macro_expansion(root.text.text, root.preprocessing.defines, header_texts)
            if len(written_includes) > _MOST:
                closure.include_depth = 0
                break
            old_count = sum(map(len, meant_names.values()))
            for includer, name in dict.fromkeys(written_includes):
                folders = [_parent_folder(includer_path) for includer_path in meant_names.get(includer, ())] or [
                    str(root.path.parent)
                ]
                found_names = [
                    self._slang_name_after_adding_include((folder, root.preprocessing), name, closure)
                    for folder in folders
                ]
                meant_names.setdefault(name, {}).update(
                    dict.fromkeys(found_name for found_name in found_names if found_name is not None)
                )
            if sum(map(len, meant_names.values())) == old_count:
                break
        else:
            closure.include_depth = 0
        outlines = {path: self._texts.outline(path) for path in closure.path_by_slang_name.values()}
        self._slang_answers[root.path] = _SlangAnswer(root, outlines, closure, self._looks)
        return closure

    def _still_resolves_to_same_files(self, closure: IncludeClosure) -> bool:
        """True if names still lead to files, or to none, as they did."""
        return not any(map(self._is_file_of_slang_name, closure.absent_names)) and all(
            map(self._is_file_of_slang_name, closure.path_by_slang_name)
        )

    def _text_of(self, path: Path) -> str | None:
        text = self._texts.text_if_open(path)
        if text is None and (known_text := self._texts.current_text(path)) is not None:
            text = known_text.text
        return text


def _has_same_preprocessor_lines(old_root: RootFile, new_root: RootFile) -> bool:
    """True if two versions of a file give the preprocessor the same to do, so that what they include is the same."""
    if old_root.preprocessing != new_root.preprocessing:
        return False
    return old_root.text is new_root.text or _preprocessor_lines(old_root.text.text) == _preprocessor_lines(
        new_root.text.text
    )


def _preprocessor_lines(text: str) -> str:
    """The lines with directives or uses of macros; all of them, if what one begins may end on another line."""
    lines = [match[0] for match in _TO_PREPROCESS.finditer(text)]
    is_whole = all(
        line.count("(") == line.count(")") and line.count('"') % 2 == 0 and "/*" not in line
        for line in lines
        if "`" in line
    )
    return "\n".join(lines) if is_whole else text


def _names_and_their_includers(
    names: AbstractSet[str], names_by_includer: Mapping[str, Sequence[str]]
) -> AbstractSet[str]:
    """Names, those that include them, and so on."""
    includers: dict[str, list[str]] = {}
    for includer, included_names in names_by_includer.items():
        for included_name in included_names:
            includers.setdefault(included_name, []).append(includer)
    leading_names = set(names)
    pending_names = list(names)
    while pending_names:
        new_includers = [
            includer for includer in includers.get(pending_names.pop(), ()) if includer not in leading_names
        ]
        leading_names.update(new_includers)
        pending_names += new_includers
    return leading_names


def path_of_slang_name(slang_name: str) -> Path:
    """The file that slang knows by a name."""
    return Path(os.path.normpath(slang_name))


def _candidate_slang_names(includer_folder: str, preprocessing: Preprocessing, written_name: str) -> Iterator[str]:
    if written_name.startswith("/"):
        yield written_name
        return
    for search_folder in (includer_folder, *map(str, preprocessing.include_dirs)):
        yield f"{search_folder.removesuffix('/')}/{written_name}"


def _parent_folder(name: str) -> str:
    return name.rpartition("/")[0].rstrip("/") or "/"


def _includes_after_macro_expansion(
    text: str, defines: Sequence[str], texts_by_included_name: Mapping[str, Sequence[str]]
) -> list[tuple[str, str]]:
    """Return what a file and its headers include once their macros are expanded, asked of slang, which opens no file.

    slang gets the headers under names in a folder that can't exist, so that it finds only what it was given. A name
    that starts with a slash would lead it elsewhere: slashes become another character before, and again after.

    Args:
        text: The file.
        defines: Its macros, `NAME` or `NAME=text`.
        texts_by_included_name: The source code of the known headers, by the name that is included; several where the
            name means another file in another folder.

    Returns:
        The names by which the includers are included, empty for the file itself, and the names that they include.
    """
    import pyslang

    sources = pyslang.SourceManager()
    sources.setDisableProximatePaths(True)
    for name, texts in texts_by_included_name.items():
        sources.assignText(_NOWHERE + name.replace("/", _FOR_A_SLASH), _replace_slashes("\n".join(texts)))
    parse_options = parse_options_bag(Preprocessing((), tuple(map(_replace_slashes, defines))), _MAX_DEPTH)
    tree = parse_file(_replace_slashes(text), sources, _ROOT, parse_options)
    includes = []
    for include in tree.getIncludeDirectives():
        location = sources.getFullyExpandedLoc(include.syntax.fileName.location)
        includer = sources.getRawFileName(location.buffer).removeprefix(_NOWHERE).removeprefix("#")
        includes.append((includer.replace(_FOR_A_SLASH, "/"), include.path.replace(_FOR_A_SLASH, "/")))
    return includes


def _replace_slashes(text: str) -> str:
    def without_slash(match: re.Match[str]) -> str:
        is_comment = match[0] in ("//", "/*", "*/")
        return match[0] if is_comment else match[0].replace("/", _FOR_A_SLASH)

    return _SLASHES.sub(without_slash, text_for_slang(text))
