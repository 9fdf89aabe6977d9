"""The instances of a design: its hierarchy, its top, and the instance that a module is viewed as."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_server.errors import ServerError
from benchwright_server.features.editor.asking import ask
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_changed, project_of
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.design import (
    DesignView,
    FileRange,
    HierarchyLevel,
    HierarchyParams,
    InstanceList,
    InstancesParams,
    InstanceView,
    ParameterValue,
    Point,
    SetTopParams,
    ViewAsParams,
    ViewHereParams,
)
from benchwright_verilog.semantics.compilation.instance_paths import View
from benchwright_verilog.semantics.compilation.instances import Design, Instance, Place
from benchwright_verilog.semantics.names.occurrence import TargetKind

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project

CHOOSE_INSTANCE = "chooseInstance"
"""The command of the lens about a module's instances: asks for one."""
_MAX_ASKED = 20
_MAX_LISTED = 2_000
"""How many instances an answer has at most: an array may have any number, and 30,000 take 3 s and 11 MB."""
_MAX_FILES = 1_000
"""Up to this many files, the instances of a project are counted after each pause of typing."""
_DEFAULTS = "Default parameters"
_TOPS = frozenset({TargetKind.MODULE, TargetKind.PROGRAM})


def register(server: EditorServer) -> None:
    """Serve all of it."""
    for operation in DESIGN_OPERATIONS:
        register_operation(server, operation, lambda: server)

    # pygls looks up the types of a command's parameters, and does not find those that are imported for typing only.
    async def choose(*arguments: Any) -> None:
        await _choose(server, arguments[0] if arguments else None)

    server.command(f"benchwright.{CHOOSE_INSTANCE}")(choose)


async def hierarchy(server: EditorServer, params: HierarchyParams) -> HierarchyLevel:
    """The tops of a design, or the instances directly in another."""
    project, design = await _design(server, params.uri)
    found = await asyncio.to_thread(design.children, params.path) if params.path is not None else None
    if params.path is None:
        found = await asyncio.to_thread(design.tops)
    if found is None:
        raise _no_instance(params.path or "")
    return HierarchyLevel(
        top=project.view.top,
        instances=_shown(server, project.view, found[:_MAX_LISTED]),
        complete=len(found) <= _MAX_LISTED,
    )


async def _instances(server: EditorServer, params: InstancesParams) -> InstanceList:
    project, design = await _design(server, params.uri)
    found = await asyncio.to_thread(design.of_module, params.module)
    chosen = project.view.instances.get(params.module)
    return InstanceList(
        module=params.module,
        chosen=chosen.path if chosen is not None else None,
        instances=_shown(server, project.view, found[:_MAX_LISTED]),
        complete=len(found) <= _MAX_LISTED and not design.is_cut,
    )


async def _view_as(server: EditorServer, params: ViewAsParams) -> DesignView:
    project, design = await _design(server, params.uri)
    instances = dict(project.view.instances)
    if params.instance is not None:
        found = await asyncio.to_thread(design.along, params.instance)
        if not found:
            raise _no_instance(params.instance)
        if params.module != found[-1].module:
            raise ServerError(f"{params.instance} is an instance of {found[-1].module}, not of {params.module}.")
        instances[found[-1].module] = found[-1].as_path
    elif params.module is not None:
        instances.pop(params.module, None)
    else:
        instances = {}
    return _look(server, project, View(project.view.top, instances))


async def _view_here(server: EditorServer, params: ViewHereParams) -> DesignView:
    project, design = await _design(server, params.uri)
    above = await asyncio.to_thread(design.along, params.path)
    if not above:
        raise _no_instance(params.path)
    instances = {one.module: one.as_path for one in above}
    for one in await asyncio.to_thread(lambda: list(design.below(params.path))):
        instances.setdefault(one.module, one.as_path)
    return _look(server, project, View(project.view.top, {**project.view.instances, **instances}))


async def _set_top(server: EditorServer, params: SetTopParams) -> DesignView:
    project = project_of(server, params.uri)[0]
    if params.module is not None:
        declared = await asyncio.to_thread(lambda: [one for _, symbols in project.symbols() for one in symbols])
        if not any(one.name == params.module and one.kind in _TOPS for one in declared):
            raise ServerError(f"No file of the design declares a module {params.module}, so it can't be the top.")
    # Paths begin at the top, so those that were chosen below another one lead nowhere.
    kept = {name: one for name, one in project.view.instances.items() if params.module in (None, one.modules[0])}
    return _look(server, project, View(params.module, kept))


DESIGN_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "hierarchy",
        HierarchyParams,
        HierarchyLevel,
        "Returns the tops of a design, or the instances directly in another.",
        hierarchy,
    ),
    Operation("instances", InstancesParams, InstanceList, "Returns all instances of a module.", _instances),
    Operation(
        "viewAs",
        ViewAsParams,
        DesignView,
        "Views a module as one of its instances: hover, completion, definition, hints and colours have its "
        "parameters. Remembered for the folder.",
        _view_as,
    ),
    Operation(
        "viewHere",
        ViewHereParams,
        DesignView,
        "The same for an instance's module and all modules above and below it.",
        _view_here,
    ),
    Operation(
        "setTop",
        SetTopParams,
        DesignView,
        "Elaborates the design from one top only. Remembered for the folder.",
        _set_top,
    ),
)
"""Every operation on the instances of a design."""


async def _design(server: EditorServer, uri: str) -> tuple[Project, Design]:
    project, path = project_of(server, uri)
    return project, await asyncio.to_thread(project.design, path)


def _look(server: EditorServer, project: Project, view: View) -> DesignView:
    if view != project.view:
        server.projects.look(project, view)
        project_changed(server)
    return DesignView(top=view.top, instances={name: one.path for name, one in view.instances.items()})


def _no_instance(path: str) -> ServerError:
    return ServerError(f"The design has no instance {path}. The hierarchy of instances shows those that it has.")


def _shown(server: EditorServer, view: View, instances: Iterable[Instance]) -> list[InstanceView]:
    locations = Locations(server)
    viewed = {one.path for one in view.instances.values()}
    return [
        InstanceView(
            path=one.path,
            name=one.name,
            module=one.module,
            kind=one.kind,
            parameters=[ParameterValue(name=name, value=value) for name, value in one.parameters],
            instantiated=_range(locations, one.instantiated),
            declared=_range(locations, one.declared),
            has_children=one.has_children,
            viewed=one.path in viewed,
        )
        for one in instances
    ]


def _range(locations: Locations, place: Place | None) -> FileRange | None:
    if place is None:
        return None
    found = locations.range(place.path, place.start, place.end)
    start, end = (Point(line=at.line, character=at.character) for at in (found.start, found.end))
    return FileRange(uri=place.path.as_uri(), start=start, end=end)


async def choice_lenses(
    server: EditorServer, uri: str, modules: Iterable[tuple[str, types.Range]]
) -> list[types.CodeLens]:
    """The lens above each module that has instances with different parameters, or of which one was chosen.

    In a large project there are none before somebody asks for its hierarchy: that takes seconds after each change.
    """
    await server.projects.whole(uri)
    project, path = project_of(server, uri)
    design = project.designs.last
    if len(project.paths) <= _MAX_FILES:
        design = await asyncio.to_thread(project.design, path)
    if design is None:
        return []
    lenses = []
    for name, place in modules:
        found = await asyncio.to_thread(design.of_module, name)
        chosen = project.view.instances.get(name)
        if chosen is None and len({one.parameters for one in found}) < 2:
            continue
        now = f"as {chosen.path}" if chosen is not None else "with default parameters"
        command = types.Command(
            title=f"{now} · {len(found)} in the design …",
            command=f"benchwright.{CHOOSE_INSTANCE}",
            arguments=[{"uri": uri, "module": name}],
        )
        lenses.append(types.CodeLens(place, command))
    return lenses


async def _choose(server: EditorServer, argument: object) -> None:
    """Ask which instance to view a module as; for clients that have no list of their own."""
    data = argument if isinstance(argument, dict) else {}
    uri, module = str(data.get("uri", "")), str(data.get("module", ""))
    found = await _instances(server, InstancesParams(uri=uri, module=module))
    titles = {_title(one): one.path for one in found.instances[:_MAX_ASKED]}
    question = f"View {module} as which instance?"
    if len(found.instances) > _MAX_ASKED:
        question += f" These are the first {_MAX_ASKED} of {len(found.instances)}; benchwright.viewAs takes any."
    answer = await ask(server, question, [_DEFAULTS, *titles])
    if answer is not None:
        await _view_as(server, ViewAsParams(uri=uri, module=module, instance=titles.get(answer)))


def _title(one: InstanceView) -> str:
    values = ", ".join(f"{parameter.name} = {parameter.value}" for parameter in one.parameters)
    return f"{one.path} ({values})" if values else one.path
