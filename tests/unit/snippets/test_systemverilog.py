import pytest

from benchwright_server.semantics.diagnostics import analyse
from benchwright_snippets import Snippet, systemverilog

_AROUND = """module around (
    input logic clk, input logic rst, input logic rst_n, input logic en,
    input logic [7:0] d, output logic [7:0] q
);
{body}
endmodule
"""


@pytest.mark.parametrize("snippet", systemverilog(), ids=lambda snippet: snippet.prefix)
def test_every_snippet_expands_to_code_that_slang_accepts(snippet: Snippet) -> None:
    code = snippet.expanded
    if "endmodule" not in code:
        code = _AROUND.format(body=code)
    assert [diagnostic.message for diagnostic in analyse("snippet.sv", code, {}).diagnostics] == []


def test_prefixes_differ() -> None:
    prefixes = [snippet.prefix for snippet in systemverilog()]
    assert len(set(prefixes)) == len(prefixes) > 5


def test_a_broken_snippet_would_be_noticed() -> None:
    broken = Snippet("x", "x", "module ${1:m}; assign y = ${2:z} endmodule", "")
    assert analyse("snippet.sv", broken.expanded, {}).diagnostics
