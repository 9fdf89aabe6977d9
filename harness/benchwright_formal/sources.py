"""A design's files as the tools take them, without what makes Yosys and a simulator read different designs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchwright_formal.errors import NotModelledError

_NOT_DESIGN = ("docs", "verif")
"""Folders of what a design is given with, and is not part of."""
_SOURCES = (".sv", ".v")
_HEADERS = (".svh", ".vh", ".hex", ".mem", ".dat")
_MODULE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PLAIN_PATH = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][\w./-]*", re.ASCII)
_PACKAGE = re.compile(r"^\s*package\b", re.MULTILINE)
_PRAGMA = re.compile(r"\b(?:synopsys|synthesis|pragma|verilator)\s+(?!lint_off\b|lint_on\b)(\w+)")
# Conditions of simulators and of Yosys: each would compile another design.
_CONDITION = re.compile(
    r"`(?:ifdef|ifndef|elsif)\s+(SYNTHESIS|YOSYS\w*|FORMAL|VERILATOR|__\w*|IVERILOG)\b|(`undefineall)\b"
)
# Icarus fills in an argument within a string, and Yosys does not.
_STRING_OF_MACRO = re.compile(r"(`define\s+\w+)\((?:[^\n\\]|\\\n|\\.)*\"")
# It could make any of the words that are looked for.
_PASTE = re.compile(r"``")
_TEXT_OR_COMMENT = re.compile(r"(\"(?:\\.|[^\"\\\n])*\")|//[^\n]*|/\*.*?\*/", re.DOTALL)
# Yosys keeps an x in them that a simulator makes 0. A parameter or the index of a loop never is x.
_TWO_STATE = re.compile(r"(\b(?:parameter|localparam)\s+|\bfor\s*\(\s*)?\b(bit|byte|shortint|int|longint)\b")


def require_plain_module_name(module_name: str) -> None:
    """Raises NotModelledError if a module's name has to be escaped: it would be words of a script."""
    if not _MODULE.fullmatch(module_name):
        raise NotModelledError(f"the module has the escaped name {module_name!r}")


@dataclass(frozen=True)
class ComparedSources:
    """A design's files, named so that no command line can misread them."""

    source_contents: tuple[bytes, ...]
    """In the order of compilation: packages first."""
    header_content_by_path: Mapping[str, bytes]
    """Files that the design's files may include or load, by relative path."""

    def content_by_path(self, sandbox_folder: str) -> dict[str, bytes]:
        """The files below a folder."""
        texts = {f"{sandbox_folder}/f{number}.sv": text for number, text in enumerate(self.source_contents)}
        return texts | {f"{sandbox_folder}/{path}": content for path, content in self.header_content_by_path.items()}

    def source_paths(self, sandbox_folder: str) -> list[str]:
        """The paths of the files below a folder."""
        return [f"{sandbox_folder}/f{number}.sv" for number in range(len(self.source_contents))]

    def include_folders(self, sandbox_folder: str) -> list[str]:
        """The folders in which `include` looks."""
        return sorted(
            {sandbox_folder, *(f"{sandbox_folder}/{path}".rpartition("/")[0] for path in self.header_content_by_path)}
        )


def compared_sources(content_by_path: Mapping[str, bytes]) -> ComparedSources:
    """The files of a design.

    Args:
        content_by_path: Path → content; what is neither Verilog nor a header is left out.

    Raises:
        NotModelledError: No file is left, or a simulator and Yosys would read different designs.
    """
    paths = design_source_paths(content_by_path)
    if not paths:
        raise NotModelledError("it has no Verilog file (.v, .sv)")
    headers = {
        path: text for path, text in content_by_path.items() if path.endswith(_HEADERS) and _PLAIN_PATH.fullmatch(path)
    }
    for path, text in _decoded_verilog_files(content_by_path):
        for pattern, reason in (
            (_PRAGMA, "changes what Yosys reads"),
            (_CONDITION, "compiles another design for each tool"),
        ):
            # Also in comments: what begins one for us may be within a string.
            if match := pattern.search(text):
                raise NotModelledError(f"{path}: `{match[0]}` {reason}")
    return ComparedSources(tuple(content_by_path[path] for path in paths), headers)


def files_outside_docs_and_verif(content_by_path: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files that belong to a design, of all that it is given with."""
    return {path: content for path, content in content_by_path.items() if path.split("/")[0] not in _NOT_DESIGN}


def design_source_paths(content_by_path: Mapping[str, bytes]) -> list[str]:
    """The paths of a design's Verilog files in the order of compilation: packages first."""
    paths = [path for path in content_by_path if path.endswith(_SOURCES)]
    return sorted(paths, key=lambda path: _PACKAGE.search(content_by_path[path].decode(errors="replace")) is None)


def require_unambiguous_text(content_by_path: Mapping[str, bytes]) -> None:
    """Makes sure that the text of a design means the same to Yosys and a simulator; see `tool_freedom` for its tree.

    Raises:
        NotModelledError: The text may mean different things to them.
    """
    for path, text in _decoded_verilog_files(content_by_path):
        for pattern, reason in (
            (_PASTE, "joins words in a macro"),
            (_STRING_OF_MACRO, "has a string, in which only a simulator fills in an argument"),
        ):
            if match := pattern.search(text):
                raise NotModelledError(f"{path}: `{match[0]}` {reason}")
        for match in _TWO_STATE.finditer(_TEXT_OR_COMMENT.sub(lambda commented: commented[1] or " ", text)):
            if match[1] is None:
                raise NotModelledError(f"{path}: `{match[2]}` has two states, and Yosys reads it as having four")


def _decoded_verilog_files(content_by_path: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Whatever its name is, a header may be included."""
    for path, content in content_by_path.items():
        if path.endswith((*_SOURCES, *_HEADERS)):
            yield path, content.decode(errors="replace")
