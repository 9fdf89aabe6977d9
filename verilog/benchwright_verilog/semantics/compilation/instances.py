"""The instances of a design: its hierarchy below the tops, elaborated as far as somebody looks into it."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.instance_paths import (
    InstanceReference,
    inner_instances,
    instances_on_path,
    is_instance_or_in_it,
)
from benchwright_verilog.semantics.compilation.slang import type_text

if TYPE_CHECKING:
    from pyslang import SourceRange
    from pyslang.ast import InstanceBodySymbol, InstanceSymbol, Symbol, UninstantiatedDefSymbol

    from benchwright_verilog.semantics.compilation.compiled import Compiled
    from benchwright_verilog.semantics.compilation.trees import SlangTree
    from benchwright_verilog.semantics.project.file_locations import FileLocation, FileLocations

_MAX_WALKED = 20_000
"""The most instances that are visited to find those of a module; an array may have any number."""
_MAX_TEXT = 60
_AT_ONCE = 128
_DECIMAL = re.compile(r"(-?)\d+'s?d(\d+)")


@dataclass(frozen=True)
class FileSpan:
    """A name in a file. Offsets are bytes."""

    path: Path
    start: int
    end: int


@dataclass(frozen=True)
class DesignInstance:
    """One instance of a design."""

    path: str
    name: str
    """Without the path of the instance around it: `g_lane[2].u_alu`."""
    module: str
    kind: str
    """`module`, `interface`, `program`, or `unknown` if nothing declares it."""
    parameters: tuple[tuple[str, str], ...]
    """Names and values, in the order of their declaration; local ones are left out."""
    modules: tuple[str, ...]
    """As of `InstanceReference`."""
    files: tuple[Path, ...]
    """As of `InstanceReference`."""
    instantiation_span: FileSpan | None
    """Its name where it is instantiated; None for a top."""
    declaration: FileSpan | None
    """The name of its module where that is declared; None if it is unknown."""
    has_children: bool

    @property
    def as_reference(self) -> InstanceReference:
        """The instance, for viewing its module as it."""
        return InstanceReference(self.path, self.modules, self.files)


class InstanceTree:
    """The instances below the tops of some files. Safe in any thread.

    Args:
        compiled: The files.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.lock = threading.RLock()
        """Held by whoever uses what `symbol` returned: slang takes no two threads in one compilation."""
        self._of_modules: dict[str, list[DesignInstance]] | None = None
        self.is_cut = False
        """True if there are more instances than were visited for `of_module`."""

    def tops(self) -> list[DesignInstance]:
        """The tops, by name."""
        with self.lock:
            return sorted(
                (self._design_instance(top, None) for top in self._roots), key=lambda top_instance: top_instance.name
            )

    def children(self, instance_path: str) -> list[DesignInstance] | None:
        """The instances directly in another, in the order of the file; None if there is no instance of this path."""
        with self.lock:
            placed = self._symbol_and_instance(instance_path)
            if placed is None:
                return None
            symbol, parent = placed
            return [self._design_instance(inner, parent) for inner in islice(inner_instances(symbol.body), _MAX_WALKED)]

    def instances_along(self, instance_path: str) -> list[DesignInstance]:
        """The instances on a path, from the top to the one that it leads to; none if it leads nowhere."""
        with self.lock:
            instances: list[DesignInstance] = []
            for symbol in instances_on_path(self._roots, instance_path):
                instances.append(self._design_instance(symbol, instances[-1] if instances else None))
            return instances

    def instances_below(self, instance_path: str) -> Iterator[DesignInstance]:
        """The instances below another, those that are nearer to it first; not more than are ever visited."""
        with self.lock:
            placed = self._symbol_and_instance(instance_path)
            walked = list(islice(self._walk([placed]), 1, _MAX_WALKED)) if placed is not None else []
        yield from walked

    def instances_of_module(self, name: str) -> Sequence[DesignInstance]:
        """The instances of a module, those that are nearer to the tops first."""
        with self.lock:
            if self._of_modules is None:
                tops = [(top, self._design_instance(top, None)) for top in self._roots]
                walked = list(islice(self._walk(tops), _MAX_WALKED + 1))
                self.is_cut = len(walked) > _MAX_WALKED
                self._of_modules = {}
                for instance in walked[:_MAX_WALKED]:
                    self._of_modules.setdefault(instance.module, []).append(instance)
            return self._of_modules.get(name, [])

    def instance_symbol_around(self, hierarchical_path: str) -> InstanceSymbol | None:
        """The symbol of an instance, or of the innermost around a name in it; see `lock`."""
        with self.lock:
            symbol, candidates = None, self._roots
            while candidates:
                next_instance = next(
                    (
                        candidate
                        for candidate in candidates
                        if is_instance_or_in_it(candidate.hierarchicalPath, hierarchical_path)
                    ),
                    None,
                )
                if next_instance is None:
                    break
                symbol, candidates = next_instance, _resolved_inner_instances(next_instance)
            return symbol

    def declaration_span(self, symbol: Symbol) -> FileSpan | None:
        """The place where a symbol is declared."""
        return self._name_span(symbol, symbol.name)

    def file_span(self, source_range: SourceRange) -> FileSpan | None:
        """The place that a range covers in its file; where a macro is used, if one wrote it."""
        start_location, end_location = (
            self._locations.file_location_of(source_range.start),
            self._locations.file_location_of(source_range.end),
        )
        if start_location is None:
            return None
        is_one = (
            end_location is not None and end_location.path == start_location.path and not start_location.is_generated
        )
        return FileSpan(
            start_location.path,
            start_location.offset,
            max(start_location.offset, end_location.offset) if is_one and end_location else start_location.offset,
        )

    @cached_property
    def _roots(self) -> list[InstanceSymbol]:
        return list(self.compiled.elaborate().getRoot().topInstances)

    @property
    def _locations(self) -> FileLocations:
        return self.compiled.trees[0].locations

    def _walk(self, first_instances: Iterable[tuple[InstanceSymbol, DesignInstance]]) -> Iterator[DesignInstance]:
        from pyslang.ast import InstanceSymbol

        pending_instances = deque(first_instances)
        while pending_instances:
            symbol, instance = pending_instances.popleft()
            yield instance
            for inner_instance in inner_instances(symbol.body):
                if isinstance(inner_instance, InstanceSymbol):
                    pending_instances.append((inner_instance, self._design_instance(inner_instance, instance)))

    def _symbol_and_instance(self, path: str) -> tuple[InstanceSymbol, DesignInstance] | None:
        on_path = instances_on_path(self._roots, path)
        return (on_path[-1], self.instances_along(path)[-1]) if on_path else None

    def _design_instance(
        self, symbol: InstanceSymbol | UninstantiatedDefSymbol, parent: DesignInstance | None
    ) -> DesignInstance:
        from pyslang.ast import InstanceSymbol

        known_symbol = symbol if isinstance(symbol, InstanceSymbol) else None
        module = known_symbol.definition.name if known_symbol is not None else getattr(symbol, "definitionName", "")
        path = symbol.hierarchicalPath
        declaration = self._name_span(known_symbol.definition, module) if known_symbol is not None else None
        written_span = self._name_span(symbol, _written_name(symbol)) if parent is not None else None
        declaring_paths = [span.path for span in (written_span, declaration) if span is not None]
        return DesignInstance(
            path=path,
            name=path[len(parent.path) + 1 :] if parent is not None else path,
            module=module,
            kind=known_symbol.definition.getKindString() if known_symbol is not None else "unknown",
            parameters=tuple(_parameter_names_and_values(known_symbol.body)) if known_symbol is not None else (),
            modules=(*(parent.modules if parent is not None else ()), module),
            files=tuple(dict.fromkeys((*(parent.files if parent is not None else ()), *declaring_paths))),
            instantiation_span=written_span,
            declaration=declaration,
            has_children=known_symbol is not None and next(inner_instances(known_symbol.body), None) is not None,
        )

    def _name_span(self, symbol: Symbol, name: str) -> FileSpan | None:
        location: FileLocation | None = self._locations.file_location_of(symbol.location)
        if location is None:
            return None
        return FileSpan(
            location.path, location.offset, location.offset + (0 if location.is_generated else len(name.encode()))
        )


def _resolved_inner_instances(symbol: InstanceSymbol) -> list[InstanceSymbol]:
    from pyslang.ast import InstanceSymbol

    return [instance for instance in inner_instances(symbol.body) if isinstance(instance, InstanceSymbol)]


class DesignCache:
    """The design of a project in its newest version.

    Args:
        lock: Held while files are parsed, a few at a time: nobody who types waits for all of them.
        parse: Parses files; those of `paths` that it has parsed before are still there.
        compile_trees: Compiles parsed files.
    """

    def __init__(
        self,
        lock: threading.RLock,
        parse: Callable[[Sequence[Path]], tuple[SlangTree, ...]],
        compile_trees: Callable[[Sequence[SlangTree]], Compiled],
    ) -> None:
        self.paths: frozenset[Path] = frozenset()
        """The files of the design."""
        self.last_design: InstanceTree | None = None
        """The last version that was asked for."""
        self._lock = lock
        self._parse = parse
        self._compile_trees = compile_trees

    def design_of(self, design_files: Sequence[Path]) -> InstanceTree:
        """The design of some files."""
        is_known = self.last_design is not None and self.paths == frozenset(design_files)
        self.paths = frozenset(design_files)
        for batch_start in range(0, 0 if is_known else len(design_files), _AT_ONCE):
            with self._lock:
                self._parse(design_files[batch_start : batch_start + _AT_ONCE])
        with self._lock:
            trees = self._parse(design_files)
            if self.last_design is None or not self.last_design.compiled.is_made_of(trees):
                self.last_design = InstanceTree(self._compile_trees(trees))
            return self.last_design

    def forget_design(self) -> None:
        """Another design is wanted."""
        self.last_design, self.paths = None, frozenset()


def _written_name(symbol: InstanceSymbol | UninstantiatedDefSymbol) -> str:
    """The name as it is written: an element of an array has none of its own."""
    from pyslang.syntax import HierarchicalInstanceSyntax

    syntax = symbol.syntax
    if isinstance(syntax, HierarchicalInstanceSyntax) and syntax.decl is not None:
        return syntax.decl.name.rawText
    return symbol.name


def _parameter_names_and_values(body: InstanceBodySymbol) -> Iterator[tuple[str, str]]:
    from pyslang.ast import ParameterSymbol, TypeParameterSymbol

    for parameter in body.parameters:
        if isinstance(parameter, ParameterSymbol) and not parameter.isLocalParam:
            yield parameter.name, _shortened_value_text(str(parameter.value))
        elif isinstance(parameter, TypeParameterSymbol) and not parameter.isLocalParam:
            yield parameter.name, _shortened_value_text(type_text(parameter.targetType.type))


def _shortened_value_text(value_text: str) -> str:
    decimal = _DECIMAL.fullmatch(value_text)
    value_text = f"{decimal[1]}{decimal[2]}" if decimal is not None else value_text
    return value_text if len(value_text) <= _MAX_TEXT else f"{value_text[: _MAX_TEXT - 1]}…"
