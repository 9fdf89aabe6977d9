"""The tokens of slang's syntax that are names, and their nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyslang.parsing import Token, TokenKind
from pyslang.syntax import SyntaxKind, SyntaxNode

if TYPE_CHECKING:
    from collections.abc import Callable

_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "name": (
        "AssertionItemPort",
        "AttributeSpec",
        "BinsSelection",
        "CheckerDeclaration",
        "ClassDeclaration",
        "ConfigDeclaration",
        "ConfigInstanceIdentifier",
        "CoverageBins",
        "CovergroupDeclaration",
        "DPIExport",
        "Declarator",
        "DefaultClockingReference",
        "ExplicitAnsiPort",
        "ExplicitNonAnsiPort",
        "ForwardTypedefDeclaration",
        "InstanceName",
        "InterfaceHeader",
        "MemberAccessExpression",
        "ModportClockingPort",
        "ModportExplicitPort",
        "ModportItem",
        "ModportNamedPort",
        "ModuleHeader",
        "NamedArgument",
        "NamedBlockClause",
        "NamedLabel",
        "NamedParamAssignment",
        "NamedPortConnection",
        "NamedStructurePatternMember",
        "NetTypeDeclaration",
        "PackageHeader",
        "PortReference",
        "ProgramHeader",
        "PropertyDeclaration",
        "SequenceDeclaration",
        "SpecparamDeclarator",
        "TypeAssignment",
        "TypedefDeclaration",
        "UdpDeclaration",
        "UdpOutputPortDecl",
        "VirtualInterfaceType",
    ),
    "identifier": ("ClassName", "IdentifierName", "IdentifierSelectName", "LetDeclaration", "LoopGenerate"),
    "type": ("HierarchyInstantiation", "PrimitiveInstantiation"),
    "member": ("DotMemberClause", "TaggedUnionExpression"),
    "cell": ("ConfigCellIdentifier",),
    "topModule": ("InstanceConfigRule",),
    "nameOrKeyword": ("InterfacePortHeader",),
    "blockName": ("ClockingDeclaration",),
    "memberName": ("TaggedPattern",),
    "variableName": ("VariablePattern",),
    "netType": ("UserDefinedNetDeclaration",),
}

NAMES: dict[SyntaxKind, tuple[str, ...]] = {
    SyntaxKind[kind]: (attribute,) for attribute, kind_names in _ATTRIBUTES.items() for kind in kind_names
} | {SyntaxKind.PackageImportItem: ("package", "item")}
"""The attributes that hold the names of a node, by its kind."""


def own_name_tokens(node: SyntaxNode) -> Iterator[Token]:
    """The names that a node itself holds, not those of its children."""
    for attribute in NAMES.get(node.kind, ()):
        token = getattr(node, attribute)
        if token.kind == TokenKind.Identifier and not token.isMissing:
            yield token


def visit_names(root: SyntaxNode, visitor: Callable[[Token, SyntaxNode], None]) -> None:
    """Call for every name below a node, each with the node that holds it."""

    def single(attribute: str) -> Callable[[SyntaxNode], None]:
        def handle(node: SyntaxNode) -> None:
            token = getattr(node, attribute)
            if token.kind == TokenKind.Identifier and not token.isMissing:
                visitor(token, node)

        return handle

    def handle_all(node: SyntaxNode) -> None:
        for token in own_name_tokens(node):
            visitor(token, node)

    handlers = {kind: single(names[0]) if len(names) == 1 else handle_all for kind, names in NAMES.items()}
    root.visit(lookup_table=handlers)
