"""Choice of the file whose declaration of a module counts in a folder without a list, where several declare it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_server.errors import ServerError
from benchwright_server.features.editor.asking import ask_user
from benchwright_server.features.editor.locations import file_of
from benchwright_server.features.editor.project_of import project_of, refresh_project
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

    def ask_next_question(self, project: Project) -> None:
        """Findings of a project hang on declarations that nobody has chosen."""
        folder = project.folder
        if folder is None or not self._server.settings.features.project_lists:
            return
        # A list decides, so it is asked for first; and the project may have another one by now.
        if (
            self._server.file_lists.is_asking(folder)
            or self._server.projects.project_of_path(folder / "design.sv") is not project
        ):
            return
        if self._asking is not None and not self._asking.done():
            return
        undecided = project.declaring_files.undecided_units
        unit = next(
            (unit_name for unit_name in sorted(undecided) if (folder, unit_name) not in self._asked_units), None
        )
        if unit is not None:
            self._asked_units.add((folder, unit))
            self._asking = asyncio.ensure_future(_ask_which_file(self._server, project, unit, undecided[unit]))


async def ask_which_declaration(server: EditorServer, uri: str) -> None:
    """Ask again about a module; for clients that have no list of their own."""
    project, folder = _project_and_folder(server, uri)
    ambiguous_files = project.declaring_files.ambiguous
    if not ambiguous_files:
        raise ServerError(f"No module that is used in {folder.name} was found in several files as near to each other.")
    unit = next(iter(sorted(ambiguous_files)))
    if len(ambiguous_files) > 1:
        chosen_module = await ask_user(server, "Which module?", sorted(ambiguous_files))
        if chosen_module is None:
            return
        unit = chosen_module
    await _ask_which_file(server, project, unit, ambiguous_files[unit])


async def _ask_which_file(server: EditorServer, project: Project, unit: str, files: tuple[Path, ...]) -> None:
    names = [name for path in files if (name := _relative_name(project, path)) and path.is_file()][:_MOST_ASKED]
    if len(names) < 2:
        return
    question = f"{unit} is declared in {', '.join(names[:-1])} and {names[-1]}. Which one does the design use?"
    answer = await ask_user(server, question, [*names, _ANY])
    if answer is not None:
        _use_file(server, project, unit, answer if answer != _ANY else "")


async def _declarations(server: EditorServer, params: DeclarationsParams) -> DeclarationsView:
    project, folder = _project_and_folder(server, params.uri)
    declaring_files = project.declaring_files
    return DeclarationsView(
        folder=folder.as_uri(),
        modules=[
            DeclaredSeveralTimes(
                name=unit,
                files=[name for path in files if (name := _relative_name(project, path))],
                chosen=declaring_files.chosen_files.get(unit, ""),
            )
            for unit, files in sorted(declaring_files.ambiguous.copy().items())
        ],
    )


async def _use_declaration(server: EditorServer, params: UseDeclarationParams) -> DeclarationsView:
    project, folder = _project_and_folder(server, params.uri)
    files = project.declaring_files.ambiguous.get(params.module)
    if files is None:
        raise ServerError(f"{params.module} was not found in several files of {folder.name} as near to each other.")
    names = [_relative_name(project, path) for path in files]
    if params.file and params.file not in names:
        raise ServerError(f"{params.file} does not declare {params.module}; these do: {', '.join(names)}.")
    _use_file(server, project, params.module, params.file)
    return await _declarations(server, DeclarationsParams(uri=params.uri))


DECLARATION_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "declarations",
        DeclarationsParams,
        DeclarationsView,
        "Returns the modules that several files declare, none nearer than the others, and which file counts.",
        _declarations,
    ),
    Operation(
        "useDeclaration",
        UseDeclarationParams,
        DeclarationsView,
        "Uses the declaration of one of these files. Remembered for the folder.",
        _use_declaration,
    ),
)
"""Every operation on what several files declare."""


def _use_file(server: EditorServer, project: Project, unit: str, file: str) -> None:
    server.projects.choose_file(project, unit, file)
    refresh_project(server)


def _project_and_folder(server: EditorServer, uri: str) -> tuple[Project, Path]:
    project = project_of(server, uri)[0]
    if project.folder is None:
        raise ServerError(f"{file_of(uri).name} is in none of the open folders. Open its folder.")
    return project, project.folder


def _relative_name(project: Project, path: Path) -> str:
    folder = project.folder
    return path.relative_to(folder).as_posix() if folder is not None and path.is_relative_to(folder) else ""
