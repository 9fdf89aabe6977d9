"""One proposal for completion, and the request that it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from benchwright_verilog.language.completion.cursor import Cursor, ExpectedCode

if TYPE_CHECKING:
    from benchwright_verilog.language.completion.library import Library
    from benchwright_verilog.language.explanation.headers import Header
    from benchwright_verilog.language.explanation.known_macros import ReadText
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.project import Project


class Rank:
    """Likelihood of kinds of proposals; lower is likelier."""

    MEMBER = 0
    FIT = 1
    NEAR = 2
    NAMED = 4
    """In the innermost scope; further out, up to 6 more."""
    UNIT = 12
    SYSTEM = 14
    KEYWORD = 16
    SNIPPET = 18


class ProposalKind(Enum):
    """The kind of a proposal, for its icon."""

    KEYWORD = 1
    MODULE = 2
    INTERFACE = 3
    PACKAGE = 4
    INSTANCE = 5
    SIGNAL = 6
    PORT = 7
    CONSTANT = 8
    TYPE = 9
    ENUM_VALUE = 10
    FUNCTION = 11
    METHOD = 12
    FIELD = 13
    MACRO = 14
    SNIPPET = 15
    FILE = 16
    FOLDER = 17
    CLASS = 18
    BLOCK = 19


@dataclass(frozen=True)
class Proposal:
    """One thing to write."""

    label: str
    kind: ProposalKind
    rank: int
    """Lower is likelier."""
    detail: str = ""
    plain_text: str = ""
    """The text that is put in where it is not the label."""
    snippet: str = ""
    """The same with places to fill in (LSP, "Snippet Syntax")."""
    make_documentation: Callable[[], str] = field(default=lambda: "", repr=False)
    """Makes its documentation, Markdown."""
    position: int = 0
    """Position among its like, such as the ports of a module; otherwise the alphabet decides."""


@dataclass(frozen=True)
class CompletionRequest:
    """A question for proposals."""

    cursor: Cursor
    text: str
    analysed_byte: int
    """The expected, in the text that was analysed."""
    analysis: FileAnalysis
    project: Project
    library: Library
    read_text: ReadText
    has_snippets: bool

    @property
    def word(self) -> str:
        """The part of the word that is there already."""
        return self.cursor.word

    def matches_typed_word(self, name: str) -> bool:
        """True if a name may be meant by the word typed so far: its letters are in the name, in their order."""
        return is_fuzzy_match(self.cursor.word, name)


def is_fuzzy_match(word: str, name: str) -> bool:
    """True if a name begins like a word, or holds its letters in order after the same first letter."""
    if not word:
        return True
    small, lower = word.lower(), name.lower()
    if lower.startswith(small):
        return True
    letters = iter(lower)
    return all(letter in letters for letter in small)


def constant_documentation_maker(text: str) -> Callable[[], str]:
    """Documentation that is there already."""
    return lambda: text


def escape_for_snippet(text: str) -> str:
    """Code as part of a snippet (LSP, "Snippet Syntax")."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def call_snippet(header: Header, expected_code: ExpectedCode) -> str:
    """A call with a place to fill in for each argument that must be given."""
    if not header.formals:
        return ""
    required = [formal for formal in header.formals if not formal.is_optional]
    stops = ", ".join(f"${{{stop}:{escape_for_snippet(formal.name)}}}" for stop, formal in enumerate(required, 1))
    statement_end = ";" if expected_code is ExpectedCode.STATEMENT and header.kind == "task" else ""
    return f"{escape_for_snippet(header.name)}({stops}){statement_end}"
