"""File lists with `--single-unit`: all of their files are one compilation unit, in the list's order.

slang sees such a unit as one file, which includes all others and is named like the list. So macros and declarations
outside of modules reach the files that follow, as they do in a header that others include.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.trees import active_directives
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.lists.file_list import FileList
from benchwright_verilog.semantics.project.texts import SourceText
from benchwright_verilog.syntax.surrogates import encode_text

if TYPE_CHECKING:
    from pyslang.syntax import SyntaxTree

MAX_BYTES = 1024**2
"""Units of more are parsed file by file: one is parsed as a whole with every key."""


class SingleUnits:
    """The single units of some lists.

    Args:
        lists: The lists.
        total_size_of: Gives the bytes of files.
    """

    def __init__(
        self, lists: Sequence[FileList] = (), total_size_of: Callable[[Iterable[Path]], int] = lambda paths: 0
    ) -> None:
        single_units = [listed for listed in lists if listed.is_single_unit and listed.sources]
        small_units = [listed for listed in single_units if total_size_of(listed.sources) <= MAX_BYTES]
        self.complaints = [_unit_too_large_message(listed.path) for listed in single_units if listed not in small_units]
        """Notices on lists whose files are parsed one by one after all."""
        self.unit_texts: Mapping[Path, SourceText] = {
            listed.path: _unit_including_all(listed.sources) for listed in small_units
        }
        """The text of each unit, by the path of its list."""
        self._unit_paths = {path: listed.path for listed in reversed(small_units) for path in listed.sources}
        self.inherited_unit_by_file: Mapping[Path, Path] = {
            path: small_unit.path
            for small_unit in small_units
            for path in (
                small_unit.libraries if small_unit.libraries_inherit_macros else small_unit.libraries_found_by_name
            )
        }
        """The unit whose macros a library file begins with; slang lets those of `-y` do so without being asked."""

    def unit_or_file(self, path: Path) -> Path:
        """The unit that a file is in; the file itself if it is in none."""
        return self._unit_paths.get(path, path)

    def __contains__(self, path: Path) -> bool:
        return path in self._unit_paths

    def merge_units(self, paths: Iterable[Path]) -> list[Path]:
        """Files, each unit once where its first file was."""
        return list(dict.fromkeys(map(self.unit_or_file, paths)))


def _unit_including_all(paths: Sequence[Path]) -> SourceText:
    text = "".join(f'`include "{path}"\n' for path in paths if not {'"', "\n"} & {*str(path)})
    return SourceText(text, Outline(encode_text(text)), None)


def _unit_too_large_message(list_path: Path) -> str:
    return (
        f"The files of {list_path.name} are too large for one unit, so --single-unit has no effect: each file is "
        "preprocessed on its own. Include the header that defines what several need, or name macros with +define+."
    )


def macro_definitions_at_end(tree: SyntaxTree) -> tuple[str, ...]:
    """The macros that are defined where a file ends, as `NAME=text` or `NAME(arguments)=text`."""
    from pyslang.syntax import DefineDirectiveSyntax, SyntaxKind, UndefDirectiveSyntax

    macros: dict[str, str] = {}
    for directive in active_directives(tree):
        if isinstance(directive, DefineDirectiveSyntax):
            name = directive.name.valueText
            arguments = str(directive.formalArguments) if directive.formalArguments is not None else ""
            body = "".join(str(token) for token in directive.body).strip()
            macros[name] = f"{name}{arguments}={body}"
        elif isinstance(directive, UndefDirectiveSyntax):
            macros.pop(directive.name.valueText, None)
        elif directive.kind == SyntaxKind.UndefineAllDirective:
            macros.clear()
    return tuple(macros.values())
