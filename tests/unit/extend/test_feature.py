"""A toy language feature, registered in the list of features, is announced, served and documented, and has a switch."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lsprotocol import types

from benchwright_foundation.home import Home
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_server import feature_registry
from benchwright_server.feature_registry import Feature
from benchwright_server.initialize_exchange import InitializeExchange
from benchwright_server.references.language import features_page, settings_page
from benchwright_server.references.schema import setting_schemas
from benchwright_server.server import BenchwrightServer


class Colours(ModuleType):
    """`features/colours.py`, as it were: shows the literal `8'hff` as a colour."""

    @staticmethod
    def register(server: BenchwrightServer) -> None:
        @server.feature(types.TEXT_DOCUMENT_DOCUMENT_COLOR)
        async def colours(params: types.DocumentColorParams) -> list[types.ColorInformation]:
            document = server.documents.get(params.text_document.uri)
            start = document.text.find("8'hff") if document is not None else -1
            if document is None or start < 0:
                return []
            return [types.ColorInformation(document.lines.range(start, start + 5), types.Color(1.0, 1.0, 1.0, 1.0))]


COLOURS = Feature(
    "colours",
    ("textDocument/documentColor",),
    lambda client: {"colorProvider": True},
    lambda client: client.supports("textDocument.colorProvider"),
    "Literals that are colours.",
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_registry, "FEATURES", (*feature_registry.FEATURES, COLOURS))
    name = "benchwright_server.features.colours"
    monkeypatch.setitem(sys.modules, name, Colours(name))


def initialise_exchange(capabilities: dict[str, Any], **switches: object) -> InitializeExchange:
    initialization_options = {"features": switches}
    return InitializeExchange.from_params(
        {"capabilities": capabilities, "initializationOptions": initialization_options}
    )


def test_it_is_announced_to_a_client_that_knows_it() -> None:
    assert initialise_exchange({"textDocument": {"colorProvider": {}}}).capabilities["colorProvider"] is True
    assert "colorProvider" not in initialise_exchange({}).capabilities


async def test_it_is_served(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path, tmp_path, tmp_path)
    server = BenchwrightServer(home, NativeSandbox, initialise_exchange({"textDocument": {"colorProvider": {}}}))
    server.documents.open("file:///m.sv", 1, "module m; wire [7:0] white = 8'hff; endmodule\n")
    server.register_features_serving(types.TEXT_DOCUMENT_DOCUMENT_COLOR)
    serve = server.protocol.fm.features[types.TEXT_DOCUMENT_DOCUMENT_COLOR]
    (color,) = await serve(types.DocumentColorParams(types.TextDocumentIdentifier("file:///m.sv")))
    assert color.range.start.character == 29


def test_the_reference_describes_it() -> None:
    assert "| Literals that are colours. | `textDocument/documentColor` | `features.colours` |" in features_page()


def test_its_switch_turns_it_off() -> None:
    turned_off = initialise_exchange({"textDocument": {"colorProvider": {}}}, colours=False)
    assert "colorProvider" not in turned_off.capabilities
    assert COLOURS not in turned_off.features
    assert turned_off.complaints == ()
    misused = initialise_exchange({"textDocument": {"colorProvider": {}}}, colours="no", colors=False)
    assert COLOURS in misused.features
    assert misused.complaints == (
        "The setting benchwright.features.colours must be true or false; the default is used.",
        "Unknown setting benchwright.features.colors is ignored.",
    )


def test_its_switch_is_documented_and_offered_by_vs_code() -> None:
    assert "| `features.colours` | true or false | `true` | Literals that are colours. |" in settings_page()
    assert setting_schemas()["features.colours"] == {
        "type": "boolean",
        "default": True,
        "description": "Literals that are colours.",
    }
