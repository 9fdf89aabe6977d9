"""Fixtures and helpers of the tests of diagnostics."""

from __future__ import annotations

from typing import Any

from cattrs import Converter
from lsprotocol import converters, types

CONVERTER: Converter = converters.get_converter()


PULLS: dict[str, Any] = {
    "textDocument": {
        "diagnostic": {"dynamicRegistration": False},
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
    },
    "workspace": {"diagnostics": {"refreshSupport": True}, "workspaceFolders": True},
}


def capabilities(capability_fields: dict[str, Any]) -> types.ClientCapabilities:
    return CONVERTER.structure(capability_fields, types.ClientCapabilities)
