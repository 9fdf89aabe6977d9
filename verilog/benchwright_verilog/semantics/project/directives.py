"""The compiler directives of a file, which slang keeps beside the tokens that follow them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.parsing import Token
    from pyslang.syntax import SyntaxNode, SyntaxTree


def directives(tree: SyntaxTree) -> list[SyntaxNode]:
    """All directives of a file and of what it includes in their order, without those that conditions leave out."""
    from pyslang.parsing import Token, TriviaKind

    found: list[SyntaxNode] = []

    def look(node: SyntaxNode | Token) -> None:
        if isinstance(node, Token):
            found.extend(one.syntax() for one in node.trivia if one.kind == TriviaKind.Directive)

    tree.root.visit(look)
    return found
