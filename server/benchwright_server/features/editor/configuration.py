"""`workspace/didChangeConfiguration`: settings that change while the server runs."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.features.editor.workspace_folders import watch_files_if_supported
from benchwright_server.settings import read_settings

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_SECTION = "benchwright"
_REGISTRATION = "benchwright-configuration"


def follow_configuration(server: EditorServer) -> None:
    """Follow the client's configuration from now on."""
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(partial(_read_and_use_settings, server))
    server.feature(types.INITIALIZED)(partial(_subscribe_after_initialized, server))


async def _subscribe_after_initialized(server: EditorServer, params: types.InitializedParams) -> None:
    server.file_lists.remember_running_loop()
    server.indexing.remember_running_loop()
    if server.client.supports("workspace.didChangeConfiguration.dynamicRegistration"):
        method, options = types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": _SECTION}
        registration = types.Registration(_REGISTRATION, method, options)
        # A client that refuses does not report changes; the settings of the start stay in force.
        with contextlib.suppress(JsonRpcException):
            await server.client_register_capability_async(types.RegistrationParams([registration]))
    await watch_files_if_supported(server)


async def _read_and_use_settings(server: EditorServer, params: types.DidChangeConfigurationParams) -> None:
    raw_settings = params.settings
    if server.client.supports("workspace.configuration"):
        configuration_items = [types.ConfigurationItem(section=_SECTION)]
        try:
            (raw_settings,) = await server.workspace_configuration_async(types.ConfigurationParams(configuration_items))
        except (JsonRpcException, ValueError):
            return
    elif isinstance(raw_settings, dict):
        raw_settings = raw_settings.get(_SECTION, raw_settings)
    settings, complaints = read_settings(raw_settings, reports_unknown_options=False)
    for complaint in complaints:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, complaint))
    server.replace_settings(settings)
