"""The lenses above a module: run the hidden tests, with the latest result; submit; its instances; its size."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_attempts.clock.clock import AttemptState
from benchwright_problems.problem import ProblemKind
from benchwright_server.features.attempt.own_tests import testbench_run_lenses
from benchwright_server.features.design.instances import instance_choice_lenses
from benchwright_server.features.design.size_lenses import SizeLenses
from benchwright_server.features.editor.locations import Locations
from benchwright_server.protocol.messages import AttemptStatus
from benchwright_verilog.semantics.names.navigation import references
from benchwright_verilog.semantics.names.occurrence import NameRole
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve `textDocument/codeLens`."""
    # pygls sets an attribute on what it registers, and methods don't allow that.
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(partial(server.lenses.lenses_of_file))
    server.feature(types.CODE_LENS_RESOLVE)(partial(server.lenses.with_instance_count_command))
    server.command(f"benchwright.{SHOW_INSTANCES}")(partial(server.lenses.show_first_instance_or_list))


SHOW_INSTANCES = "showInstances"
"""The command that leads to a module's instances, for clients that can't list places themselves."""
_SHOW_REFERENCES = "benchwright.showReferences"
"""The name that clients that can list places give their command, and list in `experimental.commands.commands`."""
_MAX_TOLD = 10


class CodeLenses:
    """The code lenses of one client's files.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._sizes = SizeLenses(server)

    def forget_sizes_after_save(self) -> None:
        """A file was saved."""
        self._sizes.forget_sizes_after_save()

    async def lenses_of_file(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Those of one file; how often a module is used is left to `resolve`."""
        document = self._server.documents.get(params.text_document.uri)
        if document is None or not document.uri.startswith("file:") or not document.is_verilog:
            return []
        modules = (await self._server.projects.analysis(document)).declared_modules
        first_start = modules[0].start if modules else 0
        lenses = await self._run_and_submit_lenses(
            local_path_of(document.uri), document.lines.byte_range(first_start, first_start)
        )
        for module in modules:
            name_range = document.lines.byte_range(module.start, module.end)
            lenses.append(types.CodeLens(name_range, data={"uri": document.uri, "module": module.name}))
        if self._server.settings.features.own_tests:
            lenses += await testbench_run_lenses(self._server, document)
        module_ranges = [
            (module_name.name, document.lines.byte_range(module_name.start, module_name.end)) for module_name in modules
        ]
        if self._server.settings.features.design_views:
            lenses += await self._sizes.known_size_lenses_or_start_measuring(document.uri, module_ranges)
        # Only a module with parameters differs from one instance to another.
        if self._server.settings.features.instances and b"#" in document.lines.data:
            await self._server.live.wait_for_typing_pause(document.uri)
            lenses += await instance_choice_lenses(self._server, document.uri, module_ranges)
        return lenses

    async def _run_and_submit_lenses(self, file: Path, lens_range: types.Range) -> list[types.CodeLens]:
        """Run and submit, above the first module of a file that a harness takes."""
        session = await self._server.find_or_open_session(file)
        if session is None or session.problem.kind is not ProblemKind.DESIGN:
            return []
        if not session.is_judged_path(session.workspace.relative(file) or ""):
            return []
        status = await session.status()
        offers = [lens_title_and_operation(status)]
        if status.state is AttemptState.RUNNING and not status.running:
            offers.append(("Submit", "submit"))
        arguments = [{"uri": session.workspace.folder.as_uri()}]
        return [
            types.CodeLens(
                lens_range, types.Command(title=title, command=f"benchwright.{command}", arguments=arguments)
            )
            for title, command in offers
        ]

    async def with_instance_count_command(self, lens: types.CodeLens) -> types.CodeLens:
        """Count the instances of a lens's module, in all files."""
        lens_data = lens.data if isinstance(lens.data, dict) else {}
        uri, module = str(lens_data.get("uri", "")), str(lens_data.get("module", ""))
        locations = await self._instance_locations(uri, module)
        title = "1 instance" if len(locations) == 1 else f"{len(locations) or 'no'} instances"
        arguments: list[object] = [{"uri": uri, "module": module}]
        command = f"benchwright.{SHOW_INSTANCES}"
        if _SHOW_REFERENCES in self._server.client.capability_strings("experimental.commands.commands"):
            command, arguments = _SHOW_REFERENCES, [uri, lens.range.start, locations]
        # A command without a name is a title that does nothing when clicked.
        lens.command = types.Command(title=title, command=command if locations else "", arguments=arguments)
        return lens

    async def show_first_instance_or_list(self, *arguments: object) -> None:
        """Show where a module is instantiated: the location, or a list of locations."""
        lens_data = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        locations = await self._instance_locations(str(lens_data.get("uri", "")), str(lens_data.get("module", "")))
        if locations and self._server.client.supports("window.showDocument.support"):
            first_location = locations[0]
            await self._server.window_show_document_async(
                types.ShowDocumentParams(first_location.uri, take_focus=True, selection=first_location.range)
            )
        if len(locations) != 1:
            file_lines = [
                f"{local_path_of(instance_location.uri).name}:{instance_location.range.start.line + 1}"
                for instance_location in locations[:_MAX_TOLD]
            ]
            remainder = f" and {len(locations) - _MAX_TOLD} more" if len(locations) > _MAX_TOLD else ""
            message = (
                f"Instances: {', '.join(file_lines)}{remainder}."
                if locations
                else "No open folder has an instance of it."
            )
            self._server.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))

    async def _instance_locations(self, file_uri: str, module: str) -> list[types.Location]:
        document = self._server.documents.get(file_uri)
        if document is None or not document.is_verilog or not file_uri.startswith("file:"):
            return []
        analysis = await self._server.projects.analysis(document)
        module_declaration = next(
            (module_name for module_name in analysis.declared_modules if module_name.name == module), None
        )
        if module_declaration is None:
            return []
        target = next((occurrence.target for occurrence in analysis.occurrences_at(module_declaration.start)), None)
        if target is None:
            return []
        project = self._server.projects.project_of(document)
        await self._server.projects.wait_until_wholly_read(file_uri)
        uses = await asyncio.to_thread(lambda: list(references(project, target)))
        locations = Locations(self._server)
        instance_spans = {(use.path, use.start, use.end) for use in uses if use.role is NameRole.INSTANTIATION}
        return [locations.location_of_bytes(*span) for span in sorted(instance_spans)]


def lens_title_and_operation(attempt_status: AttemptStatus) -> tuple[str, str]:
    """Title and operation of the lens for an attempt."""
    if attempt_status.running:
        return f"■ Stop the hidden tests · {attempt_status.view.short}", "cancelRun"
    news = _standing_suffix(attempt_status)
    if attempt_status.state is AttemptState.OPEN:
        return "▶ Start the clock to run the hidden tests", "start"
    if attempt_status.state is AttemptState.PAUSED:
        return f"▶ Resume the clock to run the hidden tests{news}", "resume"
    if attempt_status.state is AttemptState.RUNNING:
        return f"▶ Run hidden tests{news}", "run"
    if attempt_status.state is AttemptState.SUBMITTED:
        return f"Submitted{news}", "status"
    return f"{attempt_status.view.sign} {attempt_status.view.headline}", "status"


def _standing_suffix(status: AttemptStatus) -> str:
    """The attempt's standing, such as ` · ✗ 3/5 passed · 0.8 s · run 4`; empty before the first run."""
    verdict, view = status.verdict, status.view
    if verdict is None:
        return ""
    return f" · {view.sign} {view.short} · {verdict.wall_s:.1f} s · run {verdict.number}"
