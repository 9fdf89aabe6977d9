"""What a synthesis tool makes something else of than a simulator, as slang's syntax tree shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchwright_harness.scan.source import OPAQUE
from benchwright_harness.scan.tokens import as_ascii

if TYPE_CHECKING:
    from pyslang.syntax import SyntaxNode

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


def find(content: bytes) -> Iterator[tuple[str, str, int]]:
    """Findings in the design as a synthesis tool reads it, its macros expanded."""
    from pyslang.syntax import SyntaxNode, SyntaxTree  # Imported late: it takes longer than a scan.

    found: list[tuple[str, str, int]] = []
    tree = SyntaxTree.fromText(as_ascii(content))

    def visit(one: object) -> None:
        if isinstance(one, SyntaxNode) and (what := _only_simulated(one.kind.name, one)):
            place = tree.sourceManager.getFullyOriginalLoc(one.sourceRange.start)
            found.append(("simulation-only", what, place.offset))

    tree.root.visit(visit)
    yield from found


def _only_simulated(kind: str, node: SyntaxNode) -> str | None:
    if kind == "SystemName":
        name = str(node).strip()
        return name if name in _CALLS else None
    if kind == "AttributeSpec":
        name = str(node).partition("=")[0].strip()
        return None if name in _ATTRIBUTES | OPAQUE else f"the attribute {name}"
    return _KINDS.get(kind)
