"""Type parameters that only an instance gives a meaning.

In `module m #(parameter type T = logic) (input T request);` the default stands for any type: `request.valid` is
valid, although `logic` has no members. So a module gets the types that one of its instances passes; and if there is no
instance, its types are unknown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from pyslang.ast import (
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    InstanceArraySymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    InterfacePortSymbol,
    SymbolKind,
    TypeParameterSymbol,
)

from benchwright_verilog.separate_results import log_failure

HOLDER = "benchwright$placeholders"
"""The name of the module that `wrapper_text_and_tops` makes."""
_UNKNOWN = "benchwright$unknown"
_GROUPS = (GenerateBlockSymbol, GenerateBlockArraySymbol, InstanceArraySymbol)


def wrapper_text_and_tops(tops: Iterable[InstanceSymbol]) -> tuple[str, frozenset[str]]:
    """A module that instantiates each top with a placeholder, all its placeholders replaced by an unknown type.

    slang reports nothing that depends on an unknown type, and everything else.

    Returns:
        The module's text, empty if no top has a placeholder; and the names of these tops.
    """
    instances = {top.name: _instance_text(top.body) for top in tops if _has_placeholder(top.body)}
    text = f"module \\{HOLDER} ; {' '.join(instances.values())} endmodule" if instances else ""
    return text, frozenset(instances)


def _instance_text(body: InstanceBodySymbol) -> str:
    types = ", ".join(f".\\{parameter.name} (\\{_UNKNOWN} )" for parameter in _placeholder_type_parameters(body))
    interfaces, ports = [], []
    for port in body.portList:
        if isinstance(port, InterfacePortSymbol) and (definition := port.interfaceDef) is not None:
            name = f"\\{body.name}.{port.name} "
            interfaces.append(f"\\{definition.name} {name}();")
            ports.append(f".\\{port.name} ({name})")
    return f"{' '.join(interfaces)} \\{body.name} #({types}) \\{body.name} ({', '.join(ports)});"


def bodies_with_real_types(bodies: dict[str, InstanceBodySymbol]) -> dict[str, InstanceBodySymbol]:
    """The modules' bodies by name; those with a placeholder as the first instance that replaces it, if there is one.

    Args:
        bodies: Each with its default parameters.
    """
    open_names = {name for name, body in bodies.items() if _has_placeholder(body)}
    if not open_names:
        return bodies
    real_bodies = dict(bodies)
    pending_bodies = deque(body for name, body in bodies.items() if name not in open_names)
    while pending_bodies and open_names:
        for instance in _first_instances(pending_bodies.popleft()):
            name = instance.definition.name
            if name in open_names and not _has_placeholder(instance.body):
                open_names.remove(name)
                real_bodies[name] = instance.body
                pending_bodies.append(instance.body)
    return real_bodies


def _has_placeholder(body: InstanceBodySymbol) -> bool:
    try:
        return any(_placeholder_type_parameters(body))
    except RuntimeError as error:
        # slang has found what it can't elaborate; the next question about the body has an answer.
        log_failure(error)
        return False


def _placeholder_type_parameters(body: InstanceBodySymbol) -> Iterator[TypeParameterSymbol]:
    """The type parameters that are a single bit: no design passes data of this type by a type parameter."""
    for parameter in body.parameters:
        if isinstance(parameter, TypeParameterSymbol) and not parameter.isLocalParam:
            type_kind = parameter.targetType.type.canonicalType.kind
            if type_kind in (SymbolKind.ScalarType, SymbolKind.ErrorType):
                yield parameter


def _first_instances(scope: Iterable[object]) -> Iterator[InstanceSymbol]:
    """The instances in a module; of an array or a loop the first."""
    for scope_member in scope:
        if isinstance(scope_member, InstanceSymbol):
            yield scope_member
        elif isinstance(scope_member, (GenerateBlockArraySymbol, InstanceArraySymbol)):
            yield from _first_instances(
                [instance for instance in scope_member if isinstance(instance, (InstanceSymbol, *_GROUPS))][:1]
            )
        elif isinstance(scope_member, GenerateBlockSymbol) and not scope_member.isUninstantiated:
            yield from _first_instances(scope_member)
