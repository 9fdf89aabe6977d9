"""Text that conditional compilation leaves out, and generate branches that the chosen instance of a module lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.compilation.trees import active_directives


def inactive_byte_ranges(analysis: FileAnalysis) -> list[tuple[int, int]]:
    """The parts of a file, by UTF-8 bytes, that are not in the design; from the first to the last word of each.

    Generate branches are among them only in a module of which an instance was chosen: else another one may have them.
    """
    spans = _skipped_ranges(analysis) if b"`if" in analysis.data else []
    chosen_instances = analysis.compiled.instances
    for module in analysis.declared_modules:
        body = analysis.module_body(module.name) if module.name in chosen_instances else None
        if body is not None and body.hierarchicalPath == chosen_instances[module.name].path:
            spans += _inactive_extents(analysis, body)
    return sorted(spans)


def _skipped_ranges(analysis: FileAnalysis) -> list[tuple[int, int]]:
    from pyslang.syntax import ConditionalBranchDirectiveSyntax, UnconditionalBranchDirectiveSyntax

    spans: list[tuple[int, int]] = []
    for directive in active_directives(analysis.tree):
        if not isinstance(directive, ConditionalBranchDirectiveSyntax | UnconditionalBranchDirectiveSyntax):
            continue
        disabled_tokens = list(directive.disabledTokens)
        # Tokens of an included file are in the tree of the file that includes it.
        if disabled_tokens and analysis.locations.path_of_buffer(disabled_tokens[0].location.buffer) == analysis.path:
            last = disabled_tokens[-1]
            spans.append((disabled_tokens[0].location.offset, last.location.offset + len(last.rawText.encode())))
    return spans


def _inactive_extents(analysis: FileAnalysis, scope: Iterable[object]) -> Iterator[tuple[int, int]]:
    """The branches of `if` and `case` in a module that slang leaves out, and loops that never run."""
    from pyslang.ast import GenerateBlockArraySymbol, GenerateBlockSymbol

    for scope_member in scope:
        if isinstance(scope_member, GenerateBlockArraySymbol):
            blocks = [block for block in scope_member if isinstance(block, GenerateBlockSymbol)]
            # slang analyses one block of a loop even if it has no iterations.
            is_out = not blocks or blocks[0].isUninstantiated
            inner_members: Iterable[object] = blocks[0] if blocks else ()
        elif isinstance(scope_member, GenerateBlockSymbol):
            is_out, inner_members = scope_member.isUninstantiated, scope_member
        else:
            continue
        if not is_out:
            yield from _inactive_extents(analysis, inner_members)
        elif scope_member.syntax is not None:
            source_range = scope_member.syntax.sourceRange
            start, end = (
                analysis.locations.byte_in_file(location, analysis.path)
                for location in (source_range.start, source_range.end)
            )
            if start is not None and end is not None and start < end:
                yield start, end
