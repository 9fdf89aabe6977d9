"""Connections that `.*` makes: it names neither the port nor the signal, which have to have one name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.names.occurrence import Target

if TYPE_CHECKING:
    from pyslang.syntax import SyntaxNode


def wildcard_bytes_and_is_port(analysis: FileAnalysis, target: Target) -> Iterator[tuple[int, bool]]:
    """Yield each `.*` of a file that connects a port or signal.

    Args:
        analysis: The file.
        target: The port or signal.

    Returns:
        Its first byte, and True if the port is meant and not what is connected to it.
    """
    from pyslang.syntax import (
        HierarchicalInstanceSyntax,
        HierarchyInstantiationSyntax,
        NamedPortConnectionSyntax,
        SyntaxKind,
    )

    wildcards: list[SyntaxNode] = []
    if b".*" in analysis.data:
        analysis.tree.root.visit(lookup_table={SyntaxKind.WildcardPortConnection: wildcards.append})
    for wildcard in wildcards:
        location = analysis.locations.file_location_of(wildcard.sourceRange.start)
        instance = wildcard.parent
        if not isinstance(instance, HierarchicalInstanceSyntax) or location is None or location.path != analysis.path:
            continue
        instantiation = instance.parent
        if location.is_generated or not isinstance(instantiation, HierarchyInstantiationSyntax):
            continue
        named_ports = {
            connection.name.valueText
            for connection in instance.connections
            if isinstance(connection, NamedPortConnectionSyntax)
        }
        body = analysis.module_body(instantiation.type.valueText)
        port = body.findPort(target.name) if body is not None else None
        scope = analysis.scopes.scope_around(wildcard)
        if port is None or target.name in named_ports or scope is None:
            continue
        for symbol, is_port in ((port, True), (scope.lookupName(target.name), False)):
            if analysis.resolver.target_of(symbol) == target:
                yield location.offset, is_port
