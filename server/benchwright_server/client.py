"""Capabilities of a client, as declared in `initialize`. Imports nothing heavy: an editor waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ENCODINGS = ("utf-8", "utf-16", "utf-32")


class Client:
    """A client's capabilities as received (LSP 3.18, `ClientCapabilities`).

    Args:
        capabilities: The JSON object; anything else means a client without capabilities.
    """

    def __init__(self, capabilities: object = None) -> None:
        self._capabilities: Mapping[str, Any] = capabilities if isinstance(capabilities, dict) else {}

    def capability(self, dotted_path: str) -> Any:
        """The value at a path such as `textDocument.codeAction.resolveSupport`; None if it is missing."""
        value: Any = self._capabilities
        for name in dotted_path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def supports(self, dotted_path: str) -> bool:
        """True if the value at a path is true or an object."""
        value = self.capability(dotted_path)
        return value is True or isinstance(value, dict)

    def capability_strings(self, dotted_path: str) -> tuple[str, ...]:
        """The strings of a list; empty if there is no list."""
        value = self.capability(dotted_path)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    @property
    def encoding(self) -> str:
        """The position encoding: the first of the client's that is supported here, else UTF-16."""
        return next(
            (name for name in self.capability_strings("general.positionEncodings") if name in ENCODINGS), "utf-16"
        )
