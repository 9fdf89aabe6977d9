"""The netlist of the module that a request is about: allowed by the attempt and recorded in it, then made by Yosys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchwright_server.features.design.module_views import allowed_requested_instance, check_and_record_view_use
from benchwright_server.netlist.yosys import Yosys

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_server.netlist.yosys import Netlist
    from benchwright_server.protocol.design_views import ModuleViewParams
    from benchwright_verilog.semantics.compilation.instances import DesignInstance


class Netlists:
    """Netlists of one client's modules.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._yosys = Yosys()

    async def instance_and_netlist(
        self, params: ModuleViewParams, recorded_feature: str, *, includes_children: bool
    ) -> tuple[DesignInstance, Netlist]:
        """An instance and its netlist.

        Args:
            params: The module that is asked for.
            recorded_feature: Name of the feature that the attempt records as used.
            includes_children: True if what is below it is part of it, rather than boxes.

        Raises:
            AttemptError: The attempt of the file forbids views of the design.
            ServerError: The design has no such module, or Yosys can't read it.
        """
        # Imported late, as all that imports slang.
        from benchwright_verilog.semantics.project.standalone_files import standalone_files

        _, design, instance = await allowed_requested_instance(self._server, params)
        declaring_file = instance.declaration.path if instance.declaration is not None else None
        # Before any work for it: the work is what an attempt may forbid.
        await check_and_record_view_use(self._server, params.uri, recorded_feature, instance.path, declaring_file)
        inner_instances = await asyncio.to_thread(lambda: list(design.instances_below(instance.path)))
        if not includes_children:
            depth = len(instance.modules) + 1
            inner_instances = [
                inner_instance
                for inner_instance in inner_instances
                if len(inner_instance.modules) == depth or inner_instance.kind == "interface"
            ]
        boxes = (
            sorted({inner_instance.module for inner_instance in inner_instances if inner_instance.kind == "module"})
            if not includes_children
            else []
        )
        module_files = await asyncio.to_thread(standalone_files, design, [instance, *inner_instances])
        return instance, await self._yosys.netlist(
            instance, module_files, [box for box in boxes if box != instance.module]
        )
