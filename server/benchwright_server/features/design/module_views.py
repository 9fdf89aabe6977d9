"""Meaning of a request about a module or a signal of a design: the instance, and whether the attempt allows it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_attempts.events.events import AidUsed
from benchwright_problems.aids import Aid
from benchwright_server.errors import ServerError
from benchwright_server.features.attempt import aids
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_and_inner_path
from benchwright_server.protocol.design import FileRange, Point
from benchwright_server.protocol.design_views import ModuleViewParams

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.behaviour.registers import Register
    from benchwright_verilog.semantics.behaviour.state_machines import StateMachine
    from benchwright_verilog.semantics.compilation.instances import DesignInstance, FileSpan, InstanceTree
    from benchwright_verilog.semantics.project.project import Project


async def check_and_record_view_use(
    server: EditorServer,
    asked_file_uri: str,
    requested_view: str,
    instance_or_signal_path: str,
    declaring_file: Path | None,
) -> None:
    """Records the use of a view, before its answer is sent.

    Args:
        server: The server of the client.
        asked_file_uri: The file that was asked about.
        requested_view: The view's request.
        instance_or_signal_path: The instance or signal.
        declaring_file: The file with what is shown. It counts instead of the other: a folder around an attempt's
            workspace must not be a way to the views that the attempt forbids.

    Raises:
        AttemptError: An attempt that one of the files belongs to forbids views, or does so now.
    """
    await aids.require_aid_allowed_now(server, asked_file_uri, Aid.DESIGN_VIEWS)
    event = AidUsed(aid=Aid.DESIGN_VIEWS, feature=requested_view, detail=instance_or_signal_path)
    await aids.record_use_if_in_attempt(
        server, declaring_file.as_uri() if declaring_file is not None else asked_file_uri, event
    )


def clocked_view_fields(element: Register | StateMachine) -> dict[str, Any]:
    """The fields of a `ClockedView`."""
    clock, reset = element.clock, element.reset
    return {
        "path": element.path,
        "name": element.name,
        "type": element.type,
        "clock": clock.name if clock is not None else None,
        "edge": clock.edge if clock is not None else None,
        "reset": reset.name if reset is not None else None,
        "reset_active": reset.active_level if reset is not None else None,
        "reset_asynchronous": reset.is_asynchronous if reset is not None else None,
    }


async def allowed_requested_instance(
    server: EditorServer, params: ModuleViewParams
) -> tuple[Project, InstanceTree, DesignInstance]:
    """The instance that a request is about.

    Raises:
        AttemptError: The attempt of the file forbids views of the design.
        ServerError: The design has no such instance.
    """
    await aids.require_aid_allowed_now(server, params.uri, Aid.DESIGN_VIEWS)
    project, path = project_and_inner_path(server, params.uri)
    module = params.module
    if module is None and params.instance is None:
        module = await asyncio.to_thread(module_name_at_or_first, server, project, path, params.position)
    design = await asyncio.to_thread(project.instance_tree_of, path)
    return (
        project,
        design,
        await asyncio.to_thread(requested_or_chosen_instance, project, design, module, params.instance),
    )


def module_name_at_or_first(server: EditorServer, project: Project, path: Path, position: Point | None) -> str:
    """The module around a position, or the first of a file.

    Raises:
        ServerError: The file declares none.
    """
    analysis = project.analysis_of(path)
    modules = (
        sorted(analysis.declared_modules, key=lambda module_name: module_name.start) if analysis is not None else []
    )
    if not modules:
        raise ServerError(f"{path.name} declares no module. Put the cursor in a module.")
    lines = Locations(server).lines_of_file(path)
    line = position.line if position is not None else 0
    modules_above = [
        module_name
        for module_name in modules
        if lines.byte_range(module_name.start, module_name.start).start.line <= line
    ]
    return (modules_above[-1] if modules_above else modules[0]).name


def requested_or_chosen_instance(
    project: Project, design: InstanceTree, module_name: str | None, instance_path: str | None
) -> DesignInstance:
    """An instance by its path, or the one that a module is viewed as, or its first.

    Raises:
        ServerError: The design has none.
    """
    viewed = project.instance_choice.instances.get(module_name) if module_name is not None else None
    for wanted_path in (instance_path, viewed.path if viewed is not None and instance_path is None else None):
        instances_along = design.instances_along(wanted_path) if wanted_path is not None else []
        if instances_along and module_name in (None, instances_along[-1].module):
            return instances_along[-1]
    if instance_path is not None:
        raise ServerError(
            f"The design has no instance {instance_path} of that module. The hierarchy of instances shows them."
        )
    instances = design.instances_of_module(module_name or "")
    if not instances:
        raise ServerError(f"No top of the design leads to an instance of {module_name}. Choose another top, or none.")
    return instances[0]


def file_range(locations: Locations, span: FileSpan | None) -> FileRange | None:
    """A place, in the units of the client."""
    if span is None:
        return None
    lsp_range = locations.range_of_bytes(span.path, span.start, span.end)
    start_point, end_point = (
        Point(line=position.line, character=position.character) for position in (lsp_range.start, lsp_range.end)
    )
    return FileRange(uri=span.path.as_uri(), start=start_point, end=end_point)
