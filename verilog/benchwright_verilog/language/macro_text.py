"""Expansions of the uses of macros in a file, as text to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_verilog.language.explanation.known_macros import KnownMacros, ReadText
from benchwright_verilog.language.explanation.macros import expand_use, macro_at, macro_use_arguments
from benchwright_verilog.semantics.compilation.expansions import expand_uses, expansions_of
from benchwright_verilog.semantics.names.occurrence import NameRole, TargetKind

if TYPE_CHECKING:
    from benchwright_verilog.language.explanation.macros import Macro
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.names.occurrence import Occurrence

_CUT = "\n// Cut here: the expansion is too long to show.\n"


@dataclass(frozen=True)
class ExpandedText:
    """An expansion."""

    text: str
    is_complete: bool = True
    """False if it was too long; then it ends with a comment that says so."""


def macro_name_and_use_number_at(analysis: FileAnalysis, byte: int) -> tuple[str, int] | None:
    """The macro that is used at a byte, and which of its uses in the file that is, from 1; None for anything else."""
    occurrence = analysis.macros.occurrence_at(analysis.path, byte)
    if (
        occurrence is None
        or occurrence.target.target_kind is not TargetKind.MACRO
        or occurrence.role is not NameRole.READ
    ):
        return None
    name = occurrence.target.name
    if not name.replace("$", "_").isidentifier():
        return None
    return name, 1 + [use.start for use in _macro_uses_in_file(analysis, name)].index(occurrence.start)


def expanded_use(
    analysis: FileAnalysis, macro_name: str, use_number: int, read_text: ReadText, *, expands_inner_macros: bool
) -> ExpandedText:
    """Return the expansion of one use of a macro.

    Args:
        analysis: Analysis of the file.
        macro_name: The macro.
        use_number: Number of the use, from 1.
        read_text: Gives the files that macros are defined in.
        expands_inner_macros: Expand the macros in it too; else its body with the arguments.
    """
    uses = _macro_uses_in_file(analysis, macro_name)
    if not 1 <= use_number <= len(uses):
        return ExpandedText(f"// {analysis.path.name} does not use `{macro_name} here any more.\n")
    macro_use = uses[use_number - 1]
    line = analysis.data.count(b"\n", 0, macro_use.start) + 1
    way = "expanded" if expands_inner_macros else "expanded by one step"
    head = f"// `{macro_name} in line {line} of {analysis.path.name}, {way}.\n\n"
    if expands_inner_macros and (expansions := expansions_of(analysis, macro_use.start - 1)):
        return ExpandedText(
            head + expansions[0].text + ("\n" if expansions[0].is_complete else _CUT), expansions[0].is_complete
        )
    # slang did not see it: a condition leaves it out.
    text = analysis.data.decode(errors="replace")
    end = len(analysis.data[: macro_use.end].decode(errors="replace"))
    macro = _definition_of_use(macro_use, read_text)
    became = (
        expand_use(
            macro, macro_use_arguments(text, end), KnownMacros(analysis, read_text) if expands_inner_macros else {}
        )
        if macro
        else None
    )
    return ExpandedText(head + (became if became is not None else "// Its arguments do not fit its definition.") + "\n")


def expanded_file(analysis: FileAnalysis) -> ExpandedText:
    """A file with every use of a macro expanded. What conditions leave out, and `include`, stays as it is."""
    expansions = expansions_of(analysis)
    is_complete = all(expansion.is_complete for expansion in expansions)
    uses = [expansion for expansion in expansions if expansion.is_complete]
    head = f"// {analysis.path.name} with its macros expanded.\n\n"
    text = b"".join(expand_uses(analysis.data, uses)).decode(errors="replace")
    return ExpandedText(head + text + ("" if is_complete else _CUT), is_complete)


def _macro_uses_in_file(analysis: FileAnalysis, macro_name: str) -> list[Occurrence]:
    occurrences = analysis.macros.occurrences(analysis.path, 0, len(analysis.data))
    return [
        occurrence
        for occurrence in occurrences
        if occurrence.target.name == macro_name and occurrence.role is NameRole.READ
    ]


def _definition_of_use(macro_use: Occurrence, read_text: ReadText) -> Macro | None:
    text = read_text(macro_use.target.path)
    if text is None:
        return None
    start = (
        macro_use.target.start
        if text.isascii()
        else len(text.encode()[: macro_use.target.start].decode(errors="replace"))
    )
    return macro_at(text, start)
