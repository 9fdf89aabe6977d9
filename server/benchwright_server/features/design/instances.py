"""The instances of a design: its hierarchy, its top, and the instance that a module is viewed as."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_server.errors import ServerError
from benchwright_server.features.editor.asking import ask_user
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_and_inner_path, reanalyse_and_refetch_views
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
from benchwright_verilog.semantics.compilation.instance_paths import InstanceChoice
from benchwright_verilog.semantics.compilation.instances import DesignInstance, FileSpan, InstanceTree
from benchwright_verilog.semantics.names.occurrence import TargetKind

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project

CHOOSE_INSTANCE = "chooseInstance"
"""The command of the lens about a module's instances: asks for one."""
_MAX_ASKED = 20
_MAX_LISTED = 2_000
"""Greatest number of instances in an answer: an array may have any number, and 30,000 take 3 s and 11 MB."""
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
        await _ask_and_choose_instance(server, arguments[0] if arguments else None)

    server.command(f"benchwright.{CHOOSE_INSTANCE}")(choose)


async def tops_or_children(server: EditorServer, params: HierarchyParams) -> HierarchyLevel:
    """The tops of a design, or the instances directly in another."""
    project, design = await _project_and_design(server, params.uri)
    instances = await asyncio.to_thread(design.children, params.path) if params.path is not None else None
    if params.path is None:
        instances = await asyncio.to_thread(design.tops)
    if instances is None:
        raise _missing_instance_error(params.path or "")
    return HierarchyLevel(
        top=project.instance_choice.top_name,
        instances=_instance_views(server, project.instance_choice, instances[:_MAX_LISTED]),
        complete=len(instances) <= _MAX_LISTED,
    )


async def _instances_of_module(server: EditorServer, params: InstancesParams) -> InstanceList:
    project, design = await _project_and_design(server, params.uri)
    instances = await asyncio.to_thread(design.instances_of_module, params.module)
    chosen_instance = project.instance_choice.instances.get(params.module)
    return InstanceList(
        module=params.module,
        chosen=chosen_instance.path if chosen_instance is not None else None,
        instances=_instance_views(server, project.instance_choice, instances[:_MAX_LISTED]),
        complete=len(instances) <= _MAX_LISTED and not design.is_cut,
    )


async def _choose_instance_of_module(server: EditorServer, params: ViewAsParams) -> DesignView:
    project, design = await _project_and_design(server, params.uri)
    instances = dict(project.instance_choice.instances)
    if params.instance is not None:
        instance_path = await asyncio.to_thread(design.instances_along, params.instance)
        if not instance_path:
            raise _missing_instance_error(params.instance)
        if params.module != instance_path[-1].module:
            raise ServerError(
                f"{params.instance} is an instance of {instance_path[-1].module}, not of {params.module}."
            )
        instances[instance_path[-1].module] = instance_path[-1].as_reference
    elif params.module is not None:
        instances.pop(params.module, None)
    else:
        instances = {}
    return _store_instance_choice_if_changed(
        server, project, InstanceChoice(project.instance_choice.top_name, instances)
    )


async def _choose_instances_around_and_below(server: EditorServer, params: ViewHereParams) -> DesignView:
    project, design = await _project_and_design(server, params.uri)
    instance_path = await asyncio.to_thread(design.instances_along, params.path)
    if not instance_path:
        raise _missing_instance_error(params.path)
    instances = {instance.module: instance.as_reference for instance in instance_path}
    for instance in await asyncio.to_thread(lambda: list(design.instances_below(params.path))):
        instances.setdefault(instance.module, instance.as_reference)
    return _store_instance_choice_if_changed(
        server,
        project,
        InstanceChoice(project.instance_choice.top_name, {**project.instance_choice.instances, **instances}),
    )


async def _choose_or_clear_top(server: EditorServer, params: SetTopParams) -> DesignView:
    project = project_and_inner_path(server, params.uri)[0]
    if params.module is not None:
        declared_units = await asyncio.to_thread(
            lambda: [unit for _, symbols in project.declared_names_by_file() for unit in symbols]
        )
        if not any(unit.name == params.module and unit.target_kind in _TOPS for unit in declared_units):
            raise ServerError(f"No file of the design declares a module {params.module}, so it can't be the top.")
    # Paths begin at the top, so those that were chosen below another one lead nowhere.
    kept_instances = {
        name: instance
        for name, instance in project.instance_choice.instances.items()
        if params.module in (None, instance.modules[0])
    }
    return _store_instance_choice_if_changed(server, project, InstanceChoice(params.module, kept_instances))


DESIGN_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "hierarchy",
        HierarchyParams,
        HierarchyLevel,
        "Returns the tops of a design, or the instances directly in another.",
        tops_or_children,
    ),
    Operation("instances", InstancesParams, InstanceList, "Returns all instances of a module.", _instances_of_module),
    Operation(
        "viewAs",
        ViewAsParams,
        DesignView,
        "Views a module as one of its instances: hover, completion, definition, hints and colours have its "
        "parameters. Remembered for the folder.",
        _choose_instance_of_module,
    ),
    Operation(
        "viewHere",
        ViewHereParams,
        DesignView,
        "The same for an instance's module and all modules above and below it.",
        _choose_instances_around_and_below,
    ),
    Operation(
        "setTop",
        SetTopParams,
        DesignView,
        "Elaborates the design from one top only. Remembered for the folder.",
        _choose_or_clear_top,
    ),
)
"""Every operation on the instances of a design."""


async def _project_and_design(server: EditorServer, file_uri: str) -> tuple[Project, InstanceTree]:
    project, path = project_and_inner_path(server, file_uri)
    return project, await asyncio.to_thread(project.instance_tree_of, path)


def _store_instance_choice_if_changed(
    server: EditorServer, project: Project, instance_choice: InstanceChoice
) -> DesignView:
    if instance_choice != project.instance_choice:
        server.projects.choose_instances(project, instance_choice)
        reanalyse_and_refetch_views(server)
    return DesignView(
        top=instance_choice.top_name,
        instances={name: instance.path for name, instance in instance_choice.instances.items()},
    )


def _missing_instance_error(instance_path: str) -> ServerError:
    return ServerError(
        f"The design has no instance {instance_path}. The hierarchy of instances shows those that it has."
    )


def _instance_views(
    server: EditorServer, instance_choice: InstanceChoice, instances: Iterable[DesignInstance]
) -> list[InstanceView]:
    locations = Locations(server)
    viewed = {viewed_instance.path for viewed_instance in instance_choice.instances.values()}
    return [
        InstanceView(
            path=instance.path,
            name=instance.name,
            module=instance.module,
            kind=instance.kind,
            parameters=[ParameterValue(name=name, value=value) for name, value in instance.parameters],
            instantiated=_file_range(locations, instance.instantiation_span),
            declared=_file_range(locations, instance.declaration),
            has_children=instance.has_children,
            viewed=instance.path in viewed,
        )
        for instance in instances
    ]


def _file_range(locations: Locations, declaration: FileSpan | None) -> FileRange | None:
    if declaration is None:
        return None
    lsp_range = locations.range_of_bytes(declaration.path, declaration.start, declaration.end)
    start_point, end_point = (
        Point(line=position.line, character=position.character) for position in (lsp_range.start, lsp_range.end)
    )
    return FileRange(uri=declaration.path.as_uri(), start=start_point, end=end_point)


async def instance_choice_lenses(
    server: EditorServer, file_uri: str, modules_with_ranges: Iterable[tuple[str, types.Range]]
) -> list[types.CodeLens]:
    """The lens above each module that has instances with different parameters, or of which one was chosen.

    In a large project there are none before somebody asks for its hierarchy: that takes seconds after each change.
    """
    await server.projects.wait_until_wholly_read(file_uri)
    project, path = project_and_inner_path(server, file_uri)
    design = project.design_cache.last_design
    if len(project.paths) <= _MAX_FILES:
        design = await asyncio.to_thread(project.instance_tree_of, path)
    if design is None:
        return []
    lenses = []
    for name, module_range in modules_with_ranges:
        instances = await asyncio.to_thread(design.instances_of_module, name)
        chosen_instance = project.instance_choice.instances.get(name)
        if chosen_instance is None and len({instance.parameters for instance in instances}) < 2:
            continue
        instance_title = f"as {chosen_instance.path}" if chosen_instance is not None else "with default parameters"
        command = types.Command(
            title=f"{instance_title} · {len(instances)} in the design …",
            command=f"benchwright.{CHOOSE_INSTANCE}",
            arguments=[{"uri": file_uri, "module": name}],
        )
        lenses.append(types.CodeLens(module_range, command))
    return lenses


async def _ask_and_choose_instance(server: EditorServer, command_argument: object) -> None:
    """Ask which instance to view a module as; for clients that have no list of their own."""
    command_arguments = command_argument if isinstance(command_argument, dict) else {}
    uri, module = str(command_arguments.get("uri", "")), str(command_arguments.get("module", ""))
    instance_list = await _instances_of_module(server, InstancesParams(uri=uri, module=module))
    titles = {_path_with_parameters(instance): instance.path for instance in instance_list.instances[:_MAX_ASKED]}
    question = f"View {module} as which instance?"
    if len(instance_list.instances) > _MAX_ASKED:
        question += (
            f" These are the first {_MAX_ASKED} of {len(instance_list.instances)}; benchwright.viewAs takes any."
        )
    answer = await ask_user(server, question, [_DEFAULTS, *titles])
    if answer is not None:
        await _choose_instance_of_module(server, ViewAsParams(uri=uri, module=module, instance=titles.get(answer)))


def _path_with_parameters(instance: InstanceView) -> str:
    parameter_values = ", ".join(f"{parameter.name} = {parameter.value}" for parameter in instance.parameters)
    return f"{instance.path} ({parameter_values})" if parameter_values else instance.path
