"""Instances by their paths, such as `top.u_core.g_lane[2].u_alu`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.ast import InstanceBodySymbol, InstanceSymbol, UninstantiatedDefSymbol


@dataclass(frozen=True)
class InstanceReference:
    """An instance by its path, such as `top.u_core.g_lane[2].u_alu`."""

    path: str
    modules: tuple[str, ...]
    """The modules from the top to that of the instance."""
    files: tuple[Path, ...]
    """The files that declare them, and those that instantiate them where a `bind` does: others may declare the same."""


@dataclass(frozen=True)
class InstanceChoice:
    """The instances that modules are viewed as, and what is elaborated. All of it is the user's choice."""

    top_name: str | None = None
    """The only top; None for those of the file lists, or those that no other module instantiates."""
    instances: Mapping[str, InstanceReference] = field(default_factory=dict)
    """The instances that stand for modules, by the modules' names."""


DEFAULTS = InstanceChoice()
"""Every module with its default parameters, below the tops that there are."""


def inner_instances(body: InstanceBodySymbol) -> Iterator[InstanceSymbol | UninstantiatedDefSymbol]:
    """The instances in a module, also in generate blocks and arrays, but not in branches that are left out."""
    yield from _instances_in_scope(body)


def _instances_in_scope(scope: Iterable[object]) -> Iterator[InstanceSymbol | UninstantiatedDefSymbol]:
    from pyslang.ast import (
        GenerateBlockArraySymbol,
        GenerateBlockSymbol,
        InstanceArraySymbol,
        InstanceSymbol,
        UninstantiatedDefSymbol,
    )

    for scope_member in scope:
        if isinstance(scope_member, InstanceSymbol) or (
            isinstance(scope_member, UninstantiatedDefSymbol) and not scope_member.isChecker
        ):
            yield scope_member
        elif isinstance(scope_member, (GenerateBlockArraySymbol, InstanceArraySymbol)) or (
            isinstance(scope_member, GenerateBlockSymbol) and not scope_member.isUninstantiated
        ):
            yield from _instances_in_scope(scope_member)


def instances_on_path(tops: Iterable[InstanceSymbol], instance_path: str) -> list[InstanceSymbol]:
    """The instances on a path, from the top to the one that it leads to; none if it leads nowhere."""
    from pyslang.ast import InstanceSymbol

    symbols: list[InstanceSymbol] = []
    candidates: Iterable[InstanceSymbol | UninstantiatedDefSymbol] = tops
    while True:
        next_instance = next(
            (
                candidate_instance
                for candidate_instance in candidates
                if isinstance(candidate_instance, InstanceSymbol)
                and is_instance_or_in_it(candidate_instance.hierarchicalPath, instance_path)
            ),
            None,
        )
        if next_instance is None:
            return []
        symbols.append(next_instance)
        if next_instance.hierarchicalPath == instance_path:
            return symbols
        candidates = inner_instances(next_instance.body)


def is_instance_or_in_it(instance_path: str, hierarchical_path: str) -> bool:
    """True if `hierarchical_path` is that of the instance or of something in it."""
    return hierarchical_path == instance_path or hierarchical_path.startswith(f"{instance_path}.")


def chosen_bodies(
    bodies_by_module: Mapping[str, InstanceBodySymbol], instances_by_module: Mapping[str, InstanceReference]
) -> dict[str, InstanceBodySymbol]:
    """The bodies of the chosen instances by module, as far as they still are instances of it.

    Args:
        bodies_by_module: Each as a top.
        instances_by_module: The chosen ones by module.
    """
    bodies_by_name: dict[str, InstanceBodySymbol] = {}
    for name, chosen_instance in instances_by_module.items():
        body = (
            bodies_by_module.get(chosen_instance.modules[0])
            if name in bodies_by_module and chosen_instance.modules
            else None
        )
        top_instance = body.parentInstance if body is not None else None
        on_path = instances_on_path([top_instance], chosen_instance.path) if top_instance is not None else []
        if on_path and on_path[-1].definition.name == name:
            bodies_by_name[name] = on_path[-1].body
    return bodies_by_name
