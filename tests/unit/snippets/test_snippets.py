from pathlib import Path

import pytest
from pyslang import SourceManager
from pyslang.ast import Compilation
from pyslang.syntax import SyntaxTree

from benchwright_snippets import Snippet, cocotb_snippets, systemverilog_snippets
from benchwright_snippets.reference import reference_page


def syntax_errors(code: str) -> list[str]:
    tree = SyntaxTree.fromText(code, SourceManager(), "snippet.sv")
    compilation = Compilation()
    compilation.addSyntaxTree(tree)
    return [str(diagnostic.code) for diagnostic in compilation.getParseDiagnostics()]


@pytest.mark.parametrize("snippet", systemverilog_snippets(), ids=lambda snippet: snippet.prefix)
def test_every_snippet_expands_to_code_that_slang_accepts(snippet: Snippet) -> None:
    code = snippet.expanded_code
    if not code.startswith(("module", "interface", "package")):
        code = f"module around;\n{code}\nendmodule\n"
    assert syntax_errors(code) == []


@pytest.mark.parametrize("snippet", cocotb_snippets(), ids=lambda snippet: snippet.prefix)
def test_every_cocotb_snippet_expands_to_python(snippet: Snippet) -> None:
    compile(snippet.expanded_code, snippet.prefix, "exec")


def test_prefixes_differ() -> None:
    prefixes = [snippet.prefix for snippet in (*systemverilog_snippets(), *cocotb_snippets())]
    assert len(set(prefixes)) == len(prefixes) > 50


def test_a_broken_snippet_would_be_noticed() -> None:
    broken_snippet = Snippet("x", "x", "module ${1:m}; assign y = ${2:z} endmodule", "")
    assert syntax_errors(broken_snippet.expanded_code)


def test_the_reference_is_current() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "snippets.md"
    assert page.read_text(encoding="utf-8") == reference_page()
