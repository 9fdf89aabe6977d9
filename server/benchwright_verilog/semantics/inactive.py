"""What conditional compilation leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_verilog.semantics.analysis import Analysis

if TYPE_CHECKING:
    from pyslang.syntax import SyntaxNode


def inactive_parts(analysis: Analysis) -> list[tuple[int, int]]:
    """The parts of a file, by UTF-8 bytes, that the preprocessor skips; from the first to the last word of each."""
    if b"`if" not in analysis.data:
        return []
    from pyslang.parsing import Token, TriviaKind
    from pyslang.syntax import ConditionalBranchDirectiveSyntax, UnconditionalBranchDirectiveSyntax

    found: list[tuple[int, int]] = []

    def look(node: SyntaxNode | Token) -> None:
        if not isinstance(node, Token):
            return
        for trivia in node.trivia:
            if trivia.kind != TriviaKind.Directive:
                continue
            directive = trivia.syntax()
            if not isinstance(directive, ConditionalBranchDirectiveSyntax | UnconditionalBranchDirectiveSyntax):
                continue
            words = list(directive.disabledTokens)
            # Tokens of an included file are in the tree of the file that includes it.
            if words and analysis.locations.path(words[0].location.buffer) == analysis.path:
                last = words[-1]
                found.append((words[0].location.offset, last.location.offset + len(last.rawText.encode())))

    analysis.tree.root.visit(look)
    return sorted(found)
