"""Code that a synthesis tool makes something else of than a simulator, as slang's syntax tree shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from benchwright_harness.scan.source import OPAQUE
from benchwright_harness.scan.tokens import as_ascii

if TYPE_CHECKING:
    from pyslang import SourceManager
    from pyslang.syntax import SyntaxNode, SyntaxTree

_KINDS = {
    "CaseEqualityExpression": "===",
    "CaseInequalityExpression": "!==",
    "WildcardEqualityExpression": "==?",
    "WildcardInequalityExpression": "!=?",
    "DriveStrength": "a drive strength",
    "PullStrength": "a pull strength",
    "ChargeStrength": "a charge strength",
    "DelayControl": "a delay",
    "Delay3": "a delay",
    "CycleDelay": "a delay",
    "ProceduralForceStatement": "force",
    "ProceduralReleaseStatement": "release",
    "ProceduralAssignStatement": "a procedural assign",
    "ProceduralDeassignStatement": "deassign",
    "WaitStatement": "wait",
    "UdpDeclaration": "a primitive of its own",
    "SpecifyBlock": "a specify block",
}
_CALLS = frozenset(
    {"$isunknown", "$countbits", "$time", "$stime", "$realtime", "$random", "$urandom", "$urandom_range"}
)
_ATTRIBUTES = frozenset({"async_reg", "dont_touch", "fsm_encoding", "fsm_state", "keep", "mark_debug", "max_fanout"})
_ATTRIBUTES |= {"ram_style", "rom_style", "shreg_extract", "syn_encoding", "syn_keep", "syn_preserve", "syn_ramstyle"}
_ATTRIBUTES |= {"use_dsp"}
"""Those that take nothing away from what is counted."""

_NO_VALUE = {
    "DiagCode(UndrivenNet)": "a net without a driver",
    "DiagCode(UnassignedVariable)": "a variable that is never assigned",
}


def synthesis_findings(content: bytes, other_contents: Iterable[bytes] = ()) -> Iterator[tuple[str, str, int]]:
    """Findings in a file as a synthesis tool reads it, its macros expanded.

    Args:
        content: The file.
        other_contents: Other files with modules that it may use.
    """
    from pyslang.syntax import SyntaxNode  # Imported late: it takes longer than a scan.

    hits: list[tuple[str, str, int]] = []
    tree = _parse_source(content)

    def visit(node: object) -> None:
        if isinstance(node, SyntaxNode) and (construct := _unsynthesisable_construct(node.kind.name, node)):
            location = tree.sourceManager.getFullyOriginalLoc(node.sourceRange.start)
            hits.append(("simulation-only", construct, location.offset))

    tree.root.visit(visit)
    yield from hits
    yield from _valueless_constructs(tree, other_contents)


def _parse_source(content: bytes, source_manager: SourceManager | None = None) -> SyntaxTree:
    import pyslang
    from pyslang.parsing import PreprocessorOptions
    from pyslang.syntax import SyntaxTree

    # What an `include` names may be a pipe, and is no part of the file.
    preprocessor_options = PreprocessorOptions()
    preprocessor_options.maxIncludeDepth = 0
    return SyntaxTree.fromText(
        as_ascii(content),
        source_manager or SyntaxTree.getDefaultSourceManager(),
        options=pyslang.Bag([preprocessor_options]),
    )


def _valueless_constructs(tree: SyntaxTree, other_contents: Iterable[bytes]) -> Iterator[tuple[str, str, int]]:
    """Things without a value in simulation, so that synthesis may choose one."""
    from pyslang.analysis import AnalysisFlags, AnalysisManager, AnalysisOptions
    from pyslang.ast import Compilation

    compilation = Compilation()
    compilation.addSyntaxTree(tree)
    for content in other_contents:
        compilation.addSyntaxTree(_parse_source(content, tree.sourceManager))
    if any(diagnostic.isError() for diagnostic in compilation.getAllDiagnostics()):
        # Of a module that is not here, nobody knows what it drives.
        return
    own_buffer = tree.root.sourceRange.start.buffer
    analysis_options = AnalysisOptions()
    analysis_options.flags = AnalysisFlags.CheckUnused
    analysis = AnalysisManager(analysis_options)
    analysis.analyze(compilation)
    for diagnostic in analysis.getDiagnostics():
        flaw = _NO_VALUE.get(str(diagnostic.code))
        if flaw and diagnostic.location.buffer == own_buffer:
            location = tree.sourceManager.getFullyOriginalLoc(diagnostic.location)
            yield "simulation-only", flaw, location.offset


def _unsynthesisable_construct(node_kind: str, node: SyntaxNode) -> str | None:
    if node_kind == "SystemName":
        name = str(node).strip()
        return name if name in _CALLS else None
    if node_kind == "AttributeSpec":
        name = str(node).partition("=")[0].strip()
        return None if name in _ATTRIBUTES | OPAQUE else f"the attribute {name}"
    return _KINDS.get(node_kind)
