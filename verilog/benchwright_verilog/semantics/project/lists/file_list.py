"""File lists (`.f`): the command files that name a design's files to simulators.

Supported is what the tools agree on: one or more paths per line, `+incdir+DIR+DIR`, `-I DIR`,
`+define+NAME=TEXT`, `-D NAME=TEXT`, `-v FILE` and `-y DIR` with `+libext+.v+.sv` for libraries, `-f FILE` (whose paths
start where the outermost list's do) and `-F FILE` (whose paths start from that file's own folder), `--top NAME`,
`-G NAME=VALUE` for parameters of the top, variables such as `$DIR`, `${DIR}` and `$(DIR)`, comments after `//` and `#`
and between `/*` and `*/`, double quotes around paths with spaces. Of slang's options, `-W`, `--single-unit` and
`--libraries-inherit-macros` are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchwright_verilog.semantics.project.plain_files import ReadableFiles

_TOKEN = re.compile(r'/\*.*?(?:\*/|\Z)|//[^\n]*|(?:(?<=\s)|\A)\#[^\n]*|((?:"[^"\n]*"|[^\s"])+)|"', re.DOTALL)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w*)\}|\((\w*)\))")
_SUFFIXES = (".v", ".sv")
_MAX_DEPTH = 32
_INCLUDE_DIRS = frozenset({"-I", "--include-directory", "--isystem"})
_EXTENSIONS = frozenset({"-Y", "--libext"})
_UNDEFINES = frozenset({"-U", "--undefine-macro"})
_DEFINES = frozenset({"-D", "--define-macro"})
_LISTS = frozenset({"-f", "-F", "-file"})
_TOPS = frozenset({"-top", "--top", "--top-module", "-s"})
_PARAMETERS = frozenset({"-G"})
_OTHERS_WITH_VALUE = frozenset(
    {
        *("--std", "--timescale", "--compat", "-T", "--timing", "-j", "--threads", "-L", "--libmap", "--exclude-ext"),
        *("--defaultLibName", "--error-limit", "--suppress-warnings", "--suppress-macro-warnings", "--diag-json"),
        *("--Mall", "--all-deps", "--Minclude", "--include-deps", "--Mmodule", "--module-deps", "--depfile-target"),
    }
)
"""Options of slang's driver that are followed by a value, and that change nothing here."""
_WITH_VALUE = (
    _INCLUDE_DIRS
    | _DEFINES
    | _UNDEFINES
    | _EXTENSIONS
    | _LISTS
    | _TOPS
    | _PARAMETERS
    | _OTHERS_WITH_VALUE
    | {"-v", "-y"}
    | {"--map-keyword-version"}
)
_KEYWORDS = "--map-keyword-version"
_WHOLLY_VERILOG = re.compile(r"-(?:v2k|v95|v1995|v2001|vlog95compat|vlog01compat)")
_YEAR_OF_SUFFIXES = re.compile(r"(?:(verilog(?:1995|2001)|1364-(?:1995|2001|2005))|systemverilog|1800-\d{4})ext")
_SINGLE_UNIT = "--single-unit"
_INHERIT = "--libraries-inherit-macros"
_WITHOUT_EFFECT = re.compile(r"-(?:sv|sverilog|64|full64|q|quiet|timing|Wall)$|-?-timescale=?")


@dataclass(frozen=True)
class Complaint:
    """A problem in a file list."""

    path: Path
    """The list."""
    start: int
    end: int
    """Code points of the list."""
    message: str
    is_error: bool = True


@dataclass(frozen=True)
class FileList:
    """The contents of a file list and of the lists that it names."""

    path: Path
    sources: tuple[Path, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    library_dirs: tuple[Path, ...] = ()
    libraries: tuple[Path, ...] = ()
    """Files that are used only if something that they declare is missing: those of `-v`, and of the folders of `-y`."""
    tops: tuple[str, ...] = ()
    """The modules to elaborate; if there are none, those that no other instantiates."""
    parameters: tuple[str, ...] = ()
    """Parameters of the tops, `NAME=VALUE`."""
    warnings: tuple[str, ...] = ()
    """Warnings that `-W` options ask for: `extra`, `no-unused`."""
    complaints: tuple[Complaint, ...] = ()
    read_lists: tuple[Path, ...] = ()
    """All lists that were read, this one first."""
    targets: tuple[str, ...] = ()
    """Targets that can be chosen, where a list has several."""
    is_single_unit: bool = False
    """True if all sources are one compilation unit: macros and declarations reach the files that follow."""
    libraries_inherit_macros: bool = False
    """True if libraries begin with the macros that the single unit ends with."""
    candidate_lists: tuple[Path, ...] = ()
    """The lists of a folder of which none was chosen; then `path` is the folder."""
    libraries_found_by_name: frozenset[Path] = frozenset()
    """The libraries that only a module of the file's own name brings in: those of `-y`."""
    verilog_files: tuple[str, ...] = ()
    """Patterns of files that are Verilog of 2005 or older."""


@dataclass
class _ListedFiles:
    variables: Mapping[str, str]
    files: ReadableFiles
    text_if_open: Callable[[Path], str | None] | None
    sources: dict[Path, None] = field(default_factory=dict)
    include_dirs: dict[Path, None] = field(default_factory=dict)
    defines: dict[str, None] = field(default_factory=dict)
    library_dirs: dict[Path, None] = field(default_factory=dict)
    libraries: dict[Path, None] = field(default_factory=dict)
    suffixes: dict[str, None] = field(default_factory=dict)
    tops: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, None] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    verilog_files: dict[str, None] = field(default_factory=dict)
    complaints: list[Complaint] = field(default_factory=list)
    read_lists: dict[Path, None] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)


def read_file_list(
    path: Path,
    text_if_open: Callable[[Path], str | None] | None = None,
    variables: Mapping[str, str] = os.environ,
    files: ReadableFiles | None = None,
) -> FileList:
    """Read a file list and those that it names.

    Args:
        path: The list.
        text_if_open: Gives the text of a list that is open in an editor; else it is read from disk.
        variables: Values that `$NAME` stands for.
        files: The files that may be read; all if none are given.
    """
    gathered = _ListedFiles(variables, files or ReadableFiles.everywhere(), text_if_open)
    text = open_or_disk_text(path, gathered.files, text_if_open)
    if text is None:
        message = f"The file list {path} can't be read. Correct benchwright.project.fileLists, or create the file."
        return FileList(path, complaints=(Complaint(path, 0, 0, message),), read_lists=(path,))
    _read_list_text(path, text, path.parent, gathered, ())
    in_whole = frozenset((*gathered.libraries, *gathered.sources))
    for folder in gathered.library_dirs:
        gathered.libraries |= dict.fromkeys(
            _library_files(folder, tuple(gathered.suffixes) or _SUFFIXES, gathered.files)
        )
    return FileList(
        path,
        tuple(gathered.sources),
        tuple(gathered.include_dirs),
        tuple(gathered.defines),
        tuple(gathered.library_dirs),
        tuple(library for library in gathered.libraries if library not in gathered.sources),
        tuple(gathered.tops),
        tuple(gathered.parameters),
        tuple(gathered.warnings),
        tuple(gathered.complaints),
        tuple(gathered.read_lists),
        verilog_files=tuple(gathered.verilog_files),
        is_single_unit=_SINGLE_UNIT in gathered.flags,
        libraries_inherit_macros=_INHERIT in gathered.flags,
        libraries_found_by_name=frozenset(gathered.libraries) - in_whole,
    )


def _read_list_text(
    path: Path,
    text: str,
    base_folder: Path,
    listed_files: _ListedFiles,
    outer_lists: tuple[Path, ...],
) -> None:
    listed_files.read_lists[path] = None
    list_tokens = _token_spans_and_texts(text)
    for start, end, word in list_tokens:

        def complain(message: str, *, is_error: bool = True, span: tuple[int, int] = (start, end)) -> None:
            listed_files.complaints.append(Complaint(path, *span, message, is_error))

        option, value, value_span = word, "", (start, end)
        if word in _WITH_VALUE:
            next_token = next(list_tokens, None)
            if next_token is None:
                complain(f"{word} needs a value after it.")
                return
            value, value_span = next_token[2], (next_token[0], next_token[1])
        elif word[:2] in ("-I", "-D", "-G", "-U") and len(word) > 2:
            option, value = word[:2], word[2:].removeprefix("=")
        elif word.partition("=")[0] in _TOPS:
            option, _, value = word.partition("=")
        if word == '"':
            complain("This double quote is not closed on its line.")
            continue
        missing = [name for name in _variable_names(value or word) if name not in listed_files.variables]
        if missing:
            complain(
                f"The variable {missing[0]} is not set. Set it in benchwright.project.variables, or in the environment "
                "before you start the editor.",
                span=value_span,
            )
            continue
        option, value = (
            _expand_variables(option, listed_files.variables),
            _expand_variables(value, listed_files.variables),
        )
        if option in _LISTS:
            _read_nested_list(
                base_folder / value, value_span, option, base_folder, complain, listed_files, (*outer_lists, path)
            )
        elif option.startswith("+"):
            _read_plus_option(option, base_folder, listed_files, complain)
        elif option in _DEFINES:
            listed_files.defines[value] = None
        elif option in _TOPS:
            listed_files.tops[value] = None
        elif option in _PARAMETERS:
            listed_files.parameters[value] = None
        elif option in _EXTENSIONS:
            listed_files.suffixes |= dict.fromkeys(suffix for suffix in value.split(",") if suffix)
        elif option in _UNDEFINES:
            listed_files.defines = {macro: None for macro in listed_files.defines if macro.partition("=")[0] != value}
        elif option in _INCLUDE_DIRS:
            _add_folder(base_folder / value, listed_files.include_dirs, listed_files.files, complain, value_span)
        elif option == "-y":
            _add_folder(base_folder / value, listed_files.library_dirs, listed_files.files, complain, value_span)
        elif option == "-v":
            _add_files(base_folder / value, listed_files.libraries, listed_files.files, complain, value_span)
        elif option == _KEYWORDS:
            year, _, patterns = value.partition("+")
            _set_verilog_files(patterns.split(","), listed_files, is_verilog=year.startswith("1364"))
        elif _WHOLLY_VERILOG.fullmatch(option):
            _set_verilog_files(["*"], listed_files, is_verilog=True)
        elif option.startswith("-W") and option != "-Wall":
            listed_files.warnings.pop(option[2:], None)  # The last one counts.
            listed_files.warnings[option[2:]] = None
        elif option == "--ignore-unknown-modules":
            listed_files.warnings["no-unknown-module"] = None
        elif option in (_SINGLE_UNIT, _INHERIT):
            listed_files.flags.add(option)
        elif option.startswith("-"):
            if not _WITHOUT_EFFECT.match(option):
                complain(f"{option} has no effect here; other tools may know it.", is_error=False)
        else:
            _add_files(base_folder / option, listed_files.sources, listed_files.files, complain, value_span)


def _set_verilog_files(patterns: Iterable[str], listed_files: _ListedFiles, *, is_verilog: bool) -> None:
    for pattern in filter(None, patterns):
        listed_files.verilog_files.pop(pattern, None)  # The last one counts.
        if is_verilog:
            listed_files.verilog_files[pattern] = None


def _variable_names(text: str) -> Iterator[str]:
    """The variables in a string."""
    return (match[1] or match[2] or match[3] or "" for match in _VARIABLE.finditer(text))


def _expand_variables(text: str, variables: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: variables[match[1] or match[2] or match[3]], text)


def _read_plus_option(
    option: str, base_folder: Path, listed_files: _ListedFiles, complain: Callable[..., None]
) -> None:
    name, _, values_text = option[1:].partition("+")
    values = [value for value in values_text.split("+") if value]
    if name == "incdir":
        for value in values:
            _add_folder(base_folder / value, listed_files.include_dirs, listed_files.files, complain, None)
    elif name == "define":
        listed_files.defines |= dict.fromkeys(values)
    elif name == "libext":
        listed_files.suffixes |= dict.fromkeys(values)
    elif name == "v2k":
        return  # It lets older tools read what every tool reads now.
    elif (year := _YEAR_OF_SUFFIXES.fullmatch(name)) is not None:
        patterns = [f"*.{value.removeprefix('.')}" for value in values]
        _set_verilog_files(patterns, listed_files, is_verilog=year[1] is not None)
    else:
        complain(f"+{name} has no effect here; other tools may know it.", is_error=False)
        return
    if not values:
        complain(f"+{name}+ needs a value after it.")


def _read_nested_list(
    list_path: Path,
    span: tuple[int, int],
    option: str,
    base_folder: Path,
    complain: Callable[..., None],
    listed_files: _ListedFiles,
    outer_lists: tuple[Path, ...],
) -> None:
    list_path = _normalized_path(list_path)
    if list_path in outer_lists or len(outer_lists) > _MAX_DEPTH:
        complain(f"{list_path} includes itself through {outer_lists[-1]}. Remove one of the two entries.", span=span)
        return
    text = open_or_disk_text(list_path, listed_files.files, listed_files.text_if_open)
    if text is None:
        complain(f"The file {list_path} does not exist or can't be read.", span=span)
        return
    _read_list_text(list_path, text, list_path.parent if option == "-F" else base_folder, listed_files, outer_lists)


def _add_folder(
    path: Path,
    folders: dict[Path, None],
    files: ReadableFiles,
    complain: Callable[..., None],
    span: tuple[int, int] | None,
) -> None:
    path = _normalized_path(path)
    if not files.is_folder(path):
        message = f"There is no folder {path}."
        complain(message, is_error=False) if span is None else complain(message, is_error=False, span=span)
    if files.allows(path):
        # It may be made later.
        folders[path] = None


def _add_files(
    path_or_pattern: Path,
    found_files: dict[Path, None],
    files: ReadableFiles,
    complain: Callable[..., None],
    span: tuple[int, int],
) -> None:
    if any(character in str(path_or_pattern) for character in "*?"):
        matching_paths = files.files_matching(path_or_pattern.parent, path_or_pattern.name)
        if not matching_paths:
            complain(f"No file matches {path_or_pattern}.", span=span)
        found_files |= dict.fromkeys(map(_normalized_path, matching_paths))
        return
    path_or_pattern = _normalized_path(path_or_pattern)
    if not files.is_file(path_or_pattern):
        complain(f"There is no file {path_or_pattern}.", span=span)
        return
    found_files[path_or_pattern] = None


def _library_files(folder: Path, suffixes: tuple[str, ...], files: ReadableFiles) -> Iterator[Path]:
    return (path for path, is_folder in files.readable_entries(folder) if path.suffix in suffixes and not is_folder)


def _token_spans_and_texts(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _TOKEN.finditer(text):
        if match[1] is not None:
            yield match.start(), match.end(), match[1].replace('"', "")
        elif match[0] == '"':
            yield match.start(), match.end(), '"'


def open_or_disk_text(
    path: Path, files: ReadableFiles, text_if_open: Callable[[Path], str | None] | None
) -> str | None:
    """A list's text, as an editor has it or as it is on disk; None if it can't be read."""
    text = text_if_open(path) if text_if_open is not None and files.allows(path) else None
    return text if text is not None else files.read_text(path)


def _normalized_path(path: Path) -> Path:
    return Path(os.path.normpath(path))
