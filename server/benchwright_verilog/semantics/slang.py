"""Names for slang's symbols and syntax nodes where their kind, not their class, tells what they have.

pyslang's classes say what a node may have only after a cast for every kind; code that has just looked at `kind` knows.
"""

from __future__ import annotations

from typing import Any, TypeAlias

AnySymbol: TypeAlias = Any
"""A `pyslang.ast.Symbol` of a kind that was looked at."""

AnyNode: TypeAlias = Any
"""A `pyslang.syntax.SyntaxNode` of a kind that was looked at."""
