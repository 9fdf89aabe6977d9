"""Choice of the file whose declaration of a module counts in a folder without a list, where several declare it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_server.errors import ServerError
from benchwright_server.features.editor.asking import ask_user
from benchwright_server.features.editor.locations import file_of
from benchwright_server.features.editor.project_of import project_and_inner_path, reanalyse_and_refetch_views
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.design import (
    DeclarationsParams,
    DeclarationsView,
    DeclaredSeveralTimes,
    UseDeclarationParams,
)

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project

CHOOSE_DECLARATION = "chooseDeclaration"
"""The command that asks which declaration counts."""
_ANY = "Either"
_MOST_ASKED = 8


class DeclarationQuestions:
    """Asks which declaration counts, one question at a time, each once.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._asked_units: set[tuple[Path, str]] = set()
        self._asking: asyncio.Task[None] | None = None

    def start_next_question_if_idle(self, project: Project) -> None:
        """Findings of a project hang on declarations that nobody has chosen."""
        folder = project.folder
        if folder is None or not self._server.settings.features.project_lists:
            return
        # A list decides, so it is asked for first; and the project may have another one by now.
        if (
            self._server.file_lists.is_asking_for_list(folder)
            or self._server.projects.project_of_path(folder / "design.sv") is not project
        ):
            return
        if self._asking is not None and not self._asking.done():
            return
        undecided = project.declaring_files.undecided_files_by_unit
        unit = next(
            (unit_name for unit_name in sorted(undecided) if (folder, unit_name) not in self._asked_units), None
        )
        if unit is not None:
            self._asked_units.add((folder, unit))
            self._asking = asyncio.ensure_future(_ask_and_choose_file(self._server, project, unit, undecided[unit]))


async def ask_and_choose_declaration(server: EditorServer, file_uri: str) -> None:
    """Ask again about a module; for clients that have no list of their own."""
    project, folder = _project_and_folder_or_error(server, file_uri)
    ambiguous_files = project.declaring_files.ambiguous_files_by_unit
    if not ambiguous_files:
        raise ServerError(f"No module that is used in {folder.name} was found in several files as near to each other.")
    unit = next(iter(sorted(ambiguous_files)))
    if len(ambiguous_files) > 1:
        chosen_module = await ask_user(server, "Which module?", sorted(ambiguous_files))
        if chosen_module is None:
            return
        unit = chosen_module
    await _ask_and_choose_file(server, project, unit, ambiguous_files[unit])


async def _ask_and_choose_file(
    server: EditorServer, project: Project, unit_name: str, declaring_files: tuple[Path, ...]
) -> None:
    names = [name for path in declaring_files if (name := _relative_path_or_empty(project, path)) and path.is_file()][
        :_MOST_ASKED
    ]
    if len(names) < 2:
        return
    question = f"{unit_name} is declared in {', '.join(names[:-1])} and {names[-1]}. Which one does the design use?"
    answer = await ask_user(server, question, [*names, _ANY])
    if answer is not None:
        _choose_file_and_refresh(server, project, unit_name, answer if answer != _ANY else "")


async def _ambiguous_declarations(server: EditorServer, params: DeclarationsParams) -> DeclarationsView:
    project, folder = _project_and_folder_or_error(server, params.uri)
    declaring_files = project.declaring_files
    return DeclarationsView(
        folder=folder.as_uri(),
        modules=[
            DeclaredSeveralTimes(
                name=unit,
                files=[name for path in files if (name := _relative_path_or_empty(project, path))],
                chosen=declaring_files.chosen_paths_by_unit.get(unit, ""),
            )
            for unit, files in sorted(declaring_files.ambiguous_files_by_unit.copy().items())
        ],
    )


async def _choose_declaration(server: EditorServer, params: UseDeclarationParams) -> DeclarationsView:
    project, folder = _project_and_folder_or_error(server, params.uri)
    files = project.declaring_files.ambiguous_files_by_unit.get(params.module)
    if files is None:
        raise ServerError(f"{params.module} was not found in several files of {folder.name} as near to each other.")
    names = [_relative_path_or_empty(project, path) for path in files]
    if params.file and params.file not in names:
        raise ServerError(f"{params.file} does not declare {params.module}; these do: {', '.join(names)}.")
    _choose_file_and_refresh(server, project, params.module, params.file)
    return await _ambiguous_declarations(server, DeclarationsParams(uri=params.uri))


DECLARATION_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "declarations",
        DeclarationsParams,
        DeclarationsView,
        "Returns the modules that several files declare, none nearer than the others, and which file counts.",
        _ambiguous_declarations,
    ),
    Operation(
        "useDeclaration",
        UseDeclarationParams,
        DeclarationsView,
        "Uses the declaration of one of these files. Remembered for the folder.",
        _choose_declaration,
    ),
)
"""Every operation on what several files declare."""


def _choose_file_and_refresh(server: EditorServer, project: Project, unit_name: str, relative_path: str) -> None:
    server.projects.choose_declaring_file(project, unit_name, relative_path)
    reanalyse_and_refetch_views(server)


def _project_and_folder_or_error(server: EditorServer, file_uri: str) -> tuple[Project, Path]:
    project = project_and_inner_path(server, file_uri)[0]
    if project.folder is None:
        raise ServerError(f"{file_of(file_uri).name} is in none of the open folders. Open its folder.")
    return project, project.folder


def _relative_path_or_empty(project: Project, path: Path) -> str:
    folder = project.folder
    return path.relative_to(folder).as_posix() if folder is not None and path.is_relative_to(folder) else ""
