"""Make-up of a project: the file list that a folder uses, the target in it, and whose declarations count."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_server.errors import ServerError
from benchwright_server.features.design.declaring_files import (
    CHOOSE_DECLARATION,
    DECLARATION_OPERATIONS,
    ask_and_choose_declaration,
)
from benchwright_server.features.editor.asking import ask_user
from benchwright_server.features.editor.locations import file_of
from benchwright_server.features.editor.project_of import project_and_inner_path, reanalyse_and_refetch_views
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.design import ListView, ProjectListsParams, ProjectListsView, UseListParams
from benchwright_verilog.semantics.project.lists import bender
from benchwright_verilog.semantics.project.lists.list_store import NOTHING_CHOSEN, ListChoice
from benchwright_verilog.semantics.project.lists.project_lists import file_lists_in, selectable_targets

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

CHOOSE_LIST = "chooseList"
"""The command that asks which list to use."""
_NONE = "None of them"
_DEFAULT = "Default"
_MAX_LISTED = 200


def register(server: EditorServer) -> None:
    """Serve all of it."""
    for operation in (*LIST_OPERATIONS, *DECLARATION_OPERATIONS):
        register_operation(server, operation, lambda: server)

    # pygls looks up the types of a command's parameters, and does not find those that are imported for typing only.
    async def choose(*arguments: Any) -> None:
        command_arguments = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        await _ask_and_choose_list(server, str(command_arguments.get("uri", "")))

    async def choose_file(*arguments: Any) -> None:
        command_arguments = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        await ask_and_choose_declaration(server, str(command_arguments.get("uri", "")))

    server.command(f"benchwright.{CHOOSE_LIST}")(choose)
    server.command(f"benchwright.{CHOOSE_DECLARATION}")(choose_file)


async def ask_and_choose_list_unless_declined(server: EditorServer, folder: Path, list_files: Sequence[Path]) -> None:
    """A folder has several lists: ask which to use. Nothing changes if nobody answers."""
    if server.projects.chosen_list(folder).declined:
        return
    question = (
        f"{folder.name} has several file lists. Which one is the design's? Until one is chosen, none is used. "
        "benchwright.project.fileLists can name several that belong together."
    )
    name = await ask_user(server, question, [*(file_list.name for file_list in list_files), _NONE])
    if name:
        _store_list_choice_if_changed(server, folder, ListChoice(declined=True) if name == _NONE else ListChoice(name))


async def _file_lists_view(server: EditorServer, params: ProjectListsParams) -> ProjectListsView:
    folder = _folder_with_lists_or_error(server, params.uri)
    settings = server.settings.project
    list_choice = server.projects.chosen_list(folder)
    paths = [_absolute_list_path(folder, name) for name in settings.file_lists] or file_lists_in(folder)
    project = server.projects.project_of_path(folder / "design.sv")

    def views() -> list[ListView]:
        project.refresh_if_stale()
        used_paths = {file_list.path for file_list in project.lists}
        return [
            ListView(
                name=path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path),
                used=path in used_paths,
                targets=list(selectable_targets(path, folder, lambda named_path: None, project.list_files)),
                several=path.name == bender.NAME,
            )
            for path in paths[:_MAX_LISTED]
        ]

    return ProjectListsView(
        folder=folder.as_uri(),
        lists=await asyncio.to_thread(views),
        chosen=list_choice.name,
        target=settings.target or list_choice.target,
        by_settings=bool(settings.file_lists),
        target_by_settings=bool(settings.target),
    )


async def _check_and_choose_list(server: EditorServer, params: UseListParams) -> ProjectListsView:
    lists_view = await _file_lists_view(server, ProjectListsParams(uri=params.uri))
    if params.name and lists_view.by_settings:
        raise ServerError("The setting benchwright.project.fileLists names the lists. Change it, or remove it first.")
    if params.target and lists_view.target_by_settings:
        raise ServerError("The setting benchwright.project.target names the target. Change it, or remove it first.")
    names = [list_view.name for list_view in lists_view.lists]
    if params.name and params.name not in names:
        known_names = ", ".join(names) or "none"
        raise ServerError(f"The folder has no file list {params.name}; it has: {known_names}.")
    offered_targets = {
        target for list_view in lists_view.lists if params.name in ("", list_view.name) for target in list_view.targets
    }
    unknown_targets = {name.strip() for name in params.target.split(",") if name.strip()} - offered_targets
    if unknown_targets:
        known_names = ", ".join(sorted(offered_targets)) or "none"
        raise ServerError(f"There is no target {min(unknown_targets)}; there are: {known_names}.")
    _store_list_choice_if_changed(
        server, _folder_with_lists_or_error(server, params.uri), ListChoice(params.name, params.target)
    )
    return await _file_lists_view(server, ProjectListsParams(uri=params.uri))


LIST_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "projectLists",
        ProjectListsParams,
        ProjectListsView,
        "Returns the file lists of a folder with their targets, and which are used.",
        _file_lists_view,
    ),
    Operation(
        "useList",
        UseListParams,
        ProjectListsView,
        "Uses one file list of a folder, and a target of it. Remembered for the folder; settings come before it.",
        _check_and_choose_list,
    ),
)
"""Every operation on file lists."""


def _store_list_choice_if_changed(server: EditorServer, folder: Path, list_choice: ListChoice) -> None:
    if list_choice != server.projects.chosen_list(folder):
        server.projects.choose_list(folder, list_choice)
        reanalyse_and_refetch_views(server)


def _folder_with_lists_or_error(server: EditorServer, file_uri: str) -> Path:
    project = project_and_inner_path(server, file_uri)[0]
    if project.folder is None:
        raise ServerError(
            f"{file_of(file_uri).name} is in none of the open folders, so it has no file list. Open its folder."
        )
    if not project.uses_file_lists:
        raise ServerError("All files of a problem belong together, so it has no file list.")
    return project.folder


def _absolute_list_path(folder: Path, list_name: str) -> Path:
    return folder / Path(list_name).expanduser()


async def _ask_and_choose_list(server: EditorServer, file_uri: str) -> None:
    """Ask which list and target to use; for clients that have no list of their own."""
    lists_view = await _file_lists_view(server, ProjectListsParams(uri=file_uri))
    folder = _folder_with_lists_or_error(server, file_uri)
    list_choice = server.projects.chosen_list(folder)
    if lists_view.by_settings:
        list_views = lists_view.lists
    else:
        if not lists_view.lists:
            raise ServerError(f"{folder.name} has no file list, so its files are found by what they declare.")
        name = await ask_user(
            server, "Use which file list?", [*(list_view.name for list_view in lists_view.lists), _DEFAULT]
        )
        if name is None:
            return
        list_choice = NOTHING_CHOSEN if name == _DEFAULT else ListChoice(name)
        list_views = [list_view for list_view in lists_view.lists if list_view.name == list_choice.name]
    targets = sorted({target for list_view in list_views for target in list_view.targets})
    if targets and not lists_view.target_by_settings:
        target = await ask_user(server, "Which target?", [*targets, _DEFAULT])
        list_choice = ListChoice(list_choice.name, "" if target in (None, _DEFAULT) else str(target))
    _store_list_choice_if_changed(server, folder, list_choice)
