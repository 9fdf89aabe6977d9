"""Names in branches of conditional compilation that the present defines leave out: looked up under other defines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.compilation.inactive import inactive_byte_ranges
from benchwright_verilog.semantics.names.navigation import (
    FileReferences,
    ReportProgress,
    candidate_files,
    references_by_file,
)
from benchwright_verilog.semantics.names.occurrence import Target
from benchwright_verilog.semantics.project.index.outline import word_offsets
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Document, Documents

_MOST_READ_WITHOUT_CONDITIONS = 20
_MOST_SEARCHED = 64
_MOST_CHOICES = 8
"""Sets of defines that are tried: more would take longer than a person waits."""
_DEFINITION = re.compile(rb"`define[ \t]+([A-Za-z_]\w*)(?:\\\r?\n|[^\n])*")
_UNDEFINITION = re.compile(rb"`undef[ \t]+([A-Za-z_]\w*)")
_NO_LINE_END = re.compile(rb"[^\r\n]")
_PARAMETERS = re.compile(rb"\(([^)]*)\)")
_PASTED = re.compile(rb"\w+(?=``)|(?<=``)\w+")
_USE = re.compile(rb"(?<!`)`([A-Za-z_]\w*)")
_WORD = re.compile(rb"\w+")
_DIRECTIVE = re.compile(rb"`(ifdef|ifndef|elsif|else|endif)\b[ \t]*([A-Za-z_]\w*)?")

MacroChoice = Mapping[str, bool]
"""Macro → true if it has to be defined, false if it must not be."""


@dataclass(frozen=True)
class Branch:
    """A part of a file between two directives, by bytes, with the macros that it needs."""

    start: int
    end: int
    macros: MacroChoice


def conditional_branches(code: bytes) -> Iterator[Branch]:
    """The branches of a file, inner ones before the outer; those that no macros can reach are left out.

    Args:
        code: Source code without comments and strings.
    """
    # Of each condition around: the choice outside of it, that of its present branch, those refused so far, its start.
    around: list[tuple[dict[str, bool], dict[str, bool] | None, dict[str, bool], int]] = []
    for match in _DIRECTIVE.finditer(code):
        keyword, name = match[1], (match[2] or b"").decode()
        if keyword in (b"ifdef", b"ifndef"):
            outer_macros = (around[-1][1] or {}) if around else {}
            wanted = keyword == b"ifdef"
            around.append((outer_macros, _joined_choice(outer_macros, {name: wanted}), {name: not wanted}, match.end()))
            continue
        if not around:
            continue
        outer_macros, present, refused, start = around.pop()
        if present is not None:
            yield Branch(start, match.start(), present)
        if keyword == b"elsif":
            around.append(
                (
                    outer_macros,
                    _joined_choice(outer_macros, {**refused, name: True}),
                    {**refused, name: False},
                    match.end(),
                )
            )
        elif keyword == b"else":
            around.append((outer_macros, _joined_choice(outer_macros, refused), refused, match.end()))


def _joined_choice(outer_choice: MacroChoice, inner_choice: MacroChoice) -> dict[str, bool] | None:
    if any(outer_choice.get(name, is_defined) is not is_defined for name, is_defined in inner_choice.items()):
        return None
    return {**outer_choice, **inner_choice}


def covering_choices(
    codes: Iterable[bytes], defined_macros: Collection[str], macros_of_files: Collection[str] = ()
) -> list[MacroChoice]:
    """Choices of macros under which every branch is read once, as far as few suffice; the present one aside.

    Args:
        codes: Source code of files, without comments and strings.
        defined_macros: Macros that are defined at present.
        macros_of_files: Macros that files define, whatever is defined at present.
    """
    macro_choices: list[dict[str, bool]] = []
    for code in codes:
        for branch in conditional_branches(code):
            if all(
                (name in defined_macros) is is_defined and name not in macros_of_files
                for name, is_defined in branch.macros.items()
            ):
                continue
            for index, macro_choice in enumerate(macro_choices):
                if (joined := _joined_choice(macro_choice, branch.macros)) is not None:
                    macro_choices[index] = joined
                    break
            else:
                if len(macro_choices) < _MOST_CHOICES:
                    macro_choices.append(dict(branch.macros))
    return list(macro_choices)


def macros_that_files_define(codes: Iterable[bytes]) -> frozenset[str]:
    """The macros that files define, but for guards of headers and defaults: those where the macro is not defined.

    Args:
        codes: Source code of files, without comments and strings.
    """
    names: set[str] = set()
    for code in codes:
        definitions = [(match.start(), match[1].decode()) for match in _DEFINITION.finditer(code)]
        branches = list(conditional_branches(code)) if definitions else []
        names |= {
            name
            for start, name in definitions
            if not any(branch.start <= start < branch.end and branch.macros.get(name) is False for branch in branches)
        }
    return frozenset(names)


def project_under(project: Project, macro_choice: MacroChoice) -> Project:
    """The project with some macros defined and others not, also where its files define or undefine them themselves.

    Such directives are blank in it, so that every other byte is where it was.
    """
    texts: dict[Path, str] = {}
    for name, is_defined in macro_choice.items():
        directive = _UNDEFINITION if is_defined else _DEFINITION
        for path in project.files_with_word(name):
            outline = project.outline(path)
            if outline is None or not (is_defined or name in macros_that_files_define([outline.code])):
                continue
            data = texts[path].encode("utf-8", "surrogatepass") if path in texts else outline.data
            for match in directive.finditer(outline.code):
                if match[1].decode() == name:
                    blank = _NO_LINE_END.sub(b" ", data[match.start() : match.end()])
                    data = data[: match.start()] + blank + data[match.end() :]
            if data != outline.data:
                texts[path] = data.decode("utf-8", "replace")
    return project.with_texts(Documents(), texts, macro_choice)


class ProjectVariants:
    """A project under other defines, each set of them read once for one search.

    Args:
        project: The project.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._variants: dict[frozenset[tuple[str, bool]], Project] = {}

    def files_with_conditions(self, paths: Iterable[Path]) -> list[Path]:
        """Those of some files that have conditional compilation."""
        words_by_file = dict(self.project.words_by_file())
        outlines_by_path = ((path, words_by_file.get(path) or self.project.outline(path)) for path in paths)
        return [
            path
            for path, file_words in outlines_by_path
            if file_words is not None and any(word in file_words.code_words for word in ("ifdef", "ifndef"))
        ]

    def variants(self, paths: Sequence[Path]) -> Iterator[Project]:
        """The project under other defines, until every branch of some files was read once."""
        codes = [outline.code for path in paths if (outline := self.project.outline(path)) is not None]
        predefined_macros_of = self.project.predefined_macros_of(paths[0]) if paths else ()
        for macro_choice in covering_choices(codes, predefined_macros_of, self._macros_of_files(codes)):
            defines = frozenset(macro_choice.items())
            if defines not in self._variants:
                self._variants[defines] = project_under(self.project, macro_choice)
            yield self._variants[defines]

    def _macros_of_files(self, codes: Iterable[bytes]) -> frozenset[str]:
        """The macros of some files' conditions that any file defines."""
        tested_macros = {name for code in codes for branch in conditional_branches(code) for name in branch.macros}
        return frozenset(
            name
            for name in tested_macros
            for path in self.project.files_with_word(name)
            if (outline := self.project.outline(path)) is not None and name in macros_that_files_define([outline.code])
        )


def references_in_all_branches(
    project_variants: ProjectVariants, target: Target, report_progress: ReportProgress = lambda searched, number: None
) -> Iterator[FileReferences]:
    """Places that name a thing, and then those that only other defines show.

    Args:
        project_variants: Branches of the project.
        target: The thing.
        report_progress: Called before each file.
    """
    present_references = []
    candidates = candidate_files(project_variants.project, target)
    for references in references_by_file(project_variants.project, target, candidates, report_progress):
        present_references.append(references)
        yield references
    paths = project_variants.files_with_conditions(candidates)
    if not paths:
        return
    seen_places = {
        (occurrence.path, occurrence.start)
        for references in present_references
        if references.analysis is not None  # No file that was not compiled has conditions.
        for occurrence in references.occurrences
    }
    if (target.path, target.start) in seen_places:
        paths = searched_paths = _paths_with_unseen_places(project_variants.project, target.name, paths, seen_places)
    else:
        # It is declared in such a branch, so what has no conditions may name it too.
        searched_paths = list(dict.fromkeys([*paths, *candidates[:_MOST_SEARCHED]]))
    for variant in project_variants.variants(paths):
        for analysis in variant.lookup_analyses_of(searched_paths):
            report_progress(len(candidates), len(candidates))
            occurrences = [
                occurrence
                for occurrence in analysis.occurrences_of(target.name)
                if (occurrence.path, occurrence.start) not in seen_places
            ]
            references = FileReferences.of_target(analysis, target, occurrences)
            seen_places |= {(occurrence.path, occurrence.start) for occurrence in references.occurrences}
            if references.occurrences or references.other_target_bytes:
                yield replace(references, is_inactive=True)


def _paths_with_unseen_places(
    project: Project, name: str, paths: Sequence[Path], seen_places: AbstractSet[tuple[Path, int]]
) -> list[Path]:
    """Those of some files that have a name where it was not seen, or use a macro that may write it."""
    writers = _NameWritingMacros(project, name, project.predefined_macros_of(paths[0]))
    open_paths = []
    for path in paths:
        outline = project.outline(path)
        if outline is None:
            continue
        definition_spans = [match.span() for match in _DEFINITION.finditer(outline.code)]
        is_open = any(
            (path, byte) not in seen_places and not any(start <= byte < end for start, end in definition_spans)
            for byte in outline.word_byte_offsets_in_code(name)
        )
        used_macros = {macro.name for macro in outline.macros if not macro.is_definition and not macro.is_condition}
        if is_open or any(map(writers.contains, used_macros)):
            open_paths.append(path)
    return open_paths


class _NameWritingMacros:
    """The macros whose text has a name, may paste it together, or uses another such macro.

    Args:
        project: The project with their definitions.
        name: The name.
        predefined_macros: Macros that no file defines; their values are not known.
    """

    def __init__(self, project: Project, name: str, predefined_macros: Iterable[str]) -> None:
        self._project = project
        self._name = name.encode()
        self._is_writer = dict.fromkeys(predefined_macros, True)

    def contains(self, macro_name: str) -> bool:
        """True if a macro is one of them."""
        if macro_name not in self._is_writer:
            self._is_writer[macro_name] = False
            self._is_writer[macro_name] = any(map(self._may_write_name, self._macro_bodies(macro_name)))
        return self._is_writer[macro_name]

    def _macro_bodies(self, macro_name: str) -> Iterator[bytes]:
        """What each definition has behind the name."""
        for path in self._project.files_with_word(macro_name):
            outline = self._project.outline(path)
            if outline is None or not any(macro.is_definition and macro.name == macro_name for macro in outline.macros):
                continue
            for match in _DEFINITION.finditer(outline.code):
                if match[1].decode() == macro_name:
                    yield outline.code[match.end(1) : match.end()]

    def _may_write_name(self, macro_text: bytes) -> bool:
        if next(word_offsets(macro_text, self._name), None) is not None:
            return True
        if b"``" in macro_text:
            head = _PARAMETERS.match(macro_text)
            literals = set(_PASTED.findall(macro_text)) - set(_WORD.findall(head[1] if head else b""))
            if all(literal in self._name for literal in literals):
                return True
        return any(self.contains(macro_name.decode()) for macro_name in _USE.findall(macro_text))


def targets_in_other_branches(
    project_variants: ProjectVariants, target: Target, places: AbstractSet[tuple[Path, int]]
) -> Iterator[Target]:
    """Yield what places that name a thing mean under other defines: what another branch declares instead of it.

    Args:
        project_variants: Branches of the project.
        target: The thing.
        places: Files and bytes that name it. Of files without conditions, which all see the same, a few are read.
    """
    naming_paths = sorted({path for path, _ in places})
    conditional_paths = project_variants.files_with_conditions(dict.fromkeys([target.path, *naming_paths]))
    if not conditional_paths:
        return
    paths = list(dict.fromkeys([*conditional_paths, *naming_paths[:_MOST_READ_WITHOUT_CONDITIONS]]))
    for tried_project in (project_variants.project, *project_variants.variants(conditional_paths)):
        for analysis in tried_project.lookup_analyses_of(paths):
            meanings: dict[tuple[Path, int], set[Target]] = {}
            for occurrence in analysis.occurrences_of(target.name):
                meanings.setdefault((occurrence.path, occurrence.start), set()).add(occurrence.target)
            for place in places & meanings.keys():
                # Of `.name`, which means two things, none is instead of the other.
                if len(meanings[place]) == 1 and target not in meanings[place]:
                    yield from (other for other in meanings[place] if other.name == target.name)


def places_without_meaning(
    project_variants: ProjectVariants, name: str, places: Iterable[tuple[Path, int]]
) -> list[tuple[Path, int]]:
    """Those of some places of a name that mean nothing under any defines that reach them; files and bytes.

    Of many files only the first are tried. The places in the others are taken to mean nothing.
    """
    open_places = dict.fromkeys(places)
    paths = project_variants.files_with_conditions(dict.fromkeys(path for path, _ in open_places))[:_MOST_SEARCHED]
    for variant in project_variants.variants(paths):
        for analysis in variant.lookup_analyses_of(paths):
            for occurrence in analysis.occurrences_of(name):
                open_places.pop((occurrence.path, occurrence.start), None)
    return list(open_places)


def analysis_of_inactive_place(
    project: Project, document: Document, analysis: FileAnalysis, byte: int
) -> tuple[FileAnalysis, MacroChoice] | None:
    """The analysis under which a place that is left out at present means something; None if it is not left out.

    Returns:
        The analysis, and the macros that it has or lacks.
    """
    if not any(start <= byte <= end for start, end in inactive_byte_ranges(analysis)):
        return None
    around = [branch for branch in conditional_branches(analysis.outline.code) if branch.start <= byte <= branch.end]
    if not around:
        return None
    innermost = max(around, key=lambda branch: branch.start)
    # The document is one of the variant's, perhaps without a directive.
    other_analysis = project_under(project, innermost.macros).analysis_of(analysis.path)
    return (other_analysis, innermost.macros) if other_analysis is not None else None


def macro_choice_in_words(macro_choice: MacroChoice) -> str:
    """Macros in words: `FPGA defined, SIM not defined`."""
    return ", ".join(
        f"{name} defined" if is_defined else f"{name} not defined" for name, is_defined in macro_choice.items()
    )
