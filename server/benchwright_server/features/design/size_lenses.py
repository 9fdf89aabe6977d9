"""The lens with the size of a module, and how it has changed since the last save."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_foundation.errors import ExtraMissingError
from benchwright_problems.aids import Aid
from benchwright_server.errors import FORESEEN
from benchwright_server.features.attempt import aids
from benchwright_server.features.design.netlists import Netlists
from benchwright_server.features.editor.project_of import ask_client_to_refetch_lenses
from benchwright_server.netlist.size import KeptSizes
from benchwright_server.netlist.yosys import NoNetlistError
from benchwright_server.protocol.design_views import ModuleViewParams
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchwright_server.editor_server import EditorServer
    from benchwright_server.netlist.size import ModuleSize

_MAX_MODULES = 8
"""Of one file: each is a process of Yosys's."""
_MAX_REASON = 100
_MINUS = "\N{MINUS SIGN}"


class SizeLenses:
    """Sizes of the modules in one client's files, as of the last save.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._netlists = Netlists(server)
        self._sizes = KeptSizes()
        self._titles: dict[str, dict[str, str]] = {}
        """By file and module; a file with an empty one is being measured."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def known_size_lenses_or_start_measuring(
        self, file_uri: str, modules_with_ranges: Iterable[tuple[str, types.Range]]
    ) -> list[types.CodeLens]:
        """The lens above each module of which the size is known; asks for it if the file was not measured yet."""
        ranges_by_module = dict(modules_with_ranges)
        if not self._server.settings.design_views.size_lens or not await self._is_view_allowed_now(file_uri):
            return []
        if file_uri not in self._titles:
            self._start_measuring(file_uri, list(ranges_by_module)[:_MAX_MODULES])
        titles = self._titles[file_uri]
        return [
            types.CodeLens(ranges_by_module[name], types.Command(title=title, command=""))
            for name, title in titles.items()
            if name in ranges_by_module
        ]

    def forget_sizes_after_save(self) -> None:
        """A file was saved: what is known of the modules of any file may have changed with it."""
        self._titles.clear()
        if self._server.settings.design_views.size_lens:
            ask_client_to_refetch_lenses(self._server)

    async def _is_view_allowed_now(self, file_uri: str) -> bool:
        try:
            await aids.require_aid_allowed_now(self._server, file_uri, Aid.DESIGN_VIEWS)
        except FORESEEN:
            return False
        return True

    def _start_measuring(self, file_uri: str, module_names: list[str]) -> None:
        titles = self._titles[file_uri] = {}

        async def measured() -> None:
            try:
                for module in module_names:
                    titles[module] = await self._size_title_or_reason(file_uri, module)
                ask_client_to_refetch_lenses(self._server)
            except FORESEEN:
                # The attempt was paused or the module removed meanwhile.
                titles.clear()

        task = asyncio.get_running_loop().create_task(measured())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _size_title_or_reason(self, file_uri: str, module_name: str) -> str:
        from benchwright_server.netlist.size import module_size_of_netlist

        try:
            params = ModuleViewParams(uri=file_uri, module=module_name)
            instance, netlist = await self._netlists.instance_and_netlist(params, "size_lens", includes_children=True)
        except (NoNetlistError, ExtraMissingError) as error:
            return f"size not known · {str(error)[:_MAX_REASON]}"
        size = await asyncio.to_thread(module_size_of_netlist, netlist)
        return size_title(
            *self._sizes.keep_size_with_previous((str(local_path_of(file_uri)), instance.path), netlist.digest, size)
        )


def size_title(new_size: ModuleSize, old_size: ModuleSize | None) -> str:
    """A size in a few words, such as `12 cells (+3) · 40 wires · longest path 5 (+1)`."""
    cell_count, wires = new_size.cell_count, new_size.wires
    size_parts = [
        _count_phrase(cell_count, "cell")
        + _signed_change_or_empty(cell_count, old_size.cell_count if old_size is not None else None),
        _count_phrase(wires, "wire") + _signed_change_or_empty(wires, old_size.wires if old_size is not None else None),
        f"longest path {new_size.longest_path_cell_count}"
        + _signed_change_or_empty(
            new_size.longest_path_cell_count, old_size.longest_path_cell_count if old_size is not None else None
        ),
    ]
    return " · ".join(size_parts)


def _count_phrase(count: int, singular: str) -> str:
    return f"{count} {singular}" if count == 1 else f"{count} {singular}s"


def _signed_change_or_empty(new_number: int, old_number: int | None) -> str:
    if old_number is None or old_number == new_number:
        return ""
    return f" (+{new_number - old_number})" if new_number > old_number else f" ({_MINUS}{old_number - new_number})"
