"""Text that conditional compilation leaves out, and generate branches that the chosen instance of a module lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright_verilog.semantics.compilation.analysis import Analysis
from benchwright_verilog.semantics.compilation.trees import directives


def inactive_parts(analysis: Analysis) -> list[tuple[int, int]]:
    """The parts of a file, by UTF-8 bytes, that are not in the design; from the first to the last word of each.

    Generate branches are among them only in a module of which an instance was chosen: else another one may have them.
    """
    spans = _skipped(analysis) if b"`if" in analysis.data else []
    chosen = analysis.compiled.instances
    for module in analysis.modules:
        body = analysis.body(module.name) if module.name in chosen else None
        if body is not None and body.hierarchicalPath == chosen[module.name].path:
            spans += _left_out(analysis, body)
    return sorted(spans)


def _skipped(analysis: Analysis) -> list[tuple[int, int]]:
    from pyslang.syntax import ConditionalBranchDirectiveSyntax, UnconditionalBranchDirectiveSyntax

    spans: list[tuple[int, int]] = []
    for directive in directives(analysis.tree):
        if not isinstance(directive, ConditionalBranchDirectiveSyntax | UnconditionalBranchDirectiveSyntax):
            continue
        words = list(directive.disabledTokens)
        # Tokens of an included file are in the tree of the file that includes it.
        if words and analysis.locations.path(words[0].location.buffer) == analysis.path:
            last = words[-1]
            spans.append((words[0].location.offset, last.location.offset + len(last.rawText.encode())))
    return spans


def _left_out(analysis: Analysis, scope: Iterable[object]) -> Iterator[tuple[int, int]]:
    """The branches of `if` and `case` in a module that slang leaves out, and loops that never run."""
    from pyslang.ast import GenerateBlockArraySymbol, GenerateBlockSymbol

    for member in scope:
        if isinstance(member, GenerateBlockArraySymbol):
            blocks = [block for block in member if isinstance(block, GenerateBlockSymbol)]
            # slang analyses one block of a loop even if it has no iterations.
            is_out = not blocks or blocks[0].isUninstantiated
            inner: Iterable[object] = blocks[0] if blocks else ()
        elif isinstance(member, GenerateBlockSymbol):
            is_out, inner = member.isUninstantiated, member
        else:
            continue
        if not is_out:
            yield from _left_out(analysis, inner)
        elif member.syntax is not None:
            source_range = member.syntax.sourceRange
            start, end = (
                analysis.locations.anchor(location, analysis.path)
                for location in (source_range.start, source_range.end)
            )
            if start is not None and end is not None and start < end:
                yield start, end
